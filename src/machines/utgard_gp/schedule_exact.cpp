#include "machines/utgard_gp/schedule_exact.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "machines/utgard_gp/forwarding.h"

namespace mobula::utgard_gp {
namespace {

using Literal = Sat::Literal;
/// Literals by word; 0 = cannot be.
using Row = std::vector<Literal>;

constexpr std::size_t node_limit = 300, cell_limit = 12000;  ///< nodes, and nodes times words

bool ends_in_combine(const Node& node) {
  return node.make == Make::rcp || node.make == Make::rsqrt || node.make == Make::exp2;
}

/// What can happen to a value, by word.
struct Work {
  Row whole;      ///< the operation; of a function its last part: complex1, or postlog2
  Row whole_acc;  ///< the operation in an adder though multipliers can do it too: negation
  Row acc_move, mul_move, pass_move, complex_move;
  Row pre, table, square, combine;  ///< parts of function sequences; `combine` of log2 only
  Row readable;                     ///< by any operand, so not from the complex unit
  Row kept;                         ///< stored to its home
  /// By register and half: the home, a register component that holds nothing else in this trace, is there.
  std::array<std::array<Literal, 2>, register_count> home{};
};

/// A register from which a value can be read.
struct Place {
  NodeId node = no_node;
  std::int16_t port = port_free;           ///< register; port_free = the value's home
  std::int32_t output = -1;                ///< whose store puts it there; -1 = there at entry, or `kept`
  std::vector<std::uint16_t> overwritten;  ///< outputs whose store replaces it
  std::uint8_t flat = 0;
  Row port0, port1;
};

class Encoder {
 public:
  Encoder(const Task& task, unsigned words, bool share_branch_words)
      : task_(task), words_(words), share_branch_words_(share_branch_words), work_(task.nodes.size()) {}

  ExactAnswer run(std::uint64_t conflicts) {
    find_windows();
    make_variables();
    add_branches();
    add_homes();
    for (NodeId id = 0; id < task_.nodes.size(); ++id) add_value(id);
    for (const Place& place : places_) add_place(place);
    add_outputs();
    for (unsigned t = 0; t < words_; ++t) add_word(t);
    ExactAnswer result;
    result.answer = impossible_ ? Sat::Answer::no : sat_.solve(conflicts);
    result.conflicts = sat_.conflicts();
    if (result.answer != Sat::Answer::yes) return result;
    result.plan = decode();
    return result;
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return task_.nodes[id]; }
  static Literal at(const Row& row, int word) {
    return word < 0 || word >= static_cast<int>(row.size()) ? 0 : row[static_cast<std::size_t>(word)];
  }

  // ---------------------------------------------------------------------------------------------- windows

  /// Latest words in which an operation, a move and a read of each value can be of any use.
  void find_windows() {
    const int last = static_cast<int>(words_) - 1;
    last_work_.assign(task_.nodes.size(), -1);
    last_make_.assign(task_.nodes.size(), -1);
    last_read_.assign(task_.nodes.size(), -1);
    int branches_below = 0;
    for (std::size_t i = task_.conditions.size(); i-- > 0;)
      if (const NodeId condition = task_.conditions[i]; condition != no_node)
        last_read_[condition] = std::max(last_read_[condition], last - branches_below++);
    for (std::size_t id = task_.nodes.size(); id-- > 0;) {
      const Node& made = task_.nodes[id];
      const int late = ends_in_combine(made) ? 1 : 0;
      last_make_[id] = last_read_[id] - 1;
      last_work_[id] = last_read_[id] - 1 - late;
      for (const std::uint16_t number : made.outputs) {
        const int store = last_store(task_.outputs[number]);
        last_make_[id] = std::max(last_make_[id], store);
        last_work_[id] = std::max(last_work_[id], store - 2 * late);
        last_read_[id] = std::max(last_read_[id], store);  // by a move that is stored
      }
      const int reads = last_work_[id] - (made.make == Make::exp2 || made.make == Make::log2 ? 2 : 0);
      for (unsigned k = 0; k < made.operand_count; ++k)
        if (const NodeId operand = made.operands[k].node; operand != no_node)
          last_read_[operand] = std::max(last_read_[operand], reads);
    }
  }

  [[nodiscard]] int last_store(const Output& output) const {
    unsigned after = 0;
    for (const Output::Distance& distance : output.distances) after = std::max<unsigned>(after, distance.words);
    return static_cast<int>(words_) - 1 - static_cast<int>(after);
  }

  Row row(int first, int last) {
    Row made(words_, 0);
    for (int t = std::max(first, 0); t <= std::min(last, static_cast<int>(words_) - 1); ++t)
      made[static_cast<std::size_t>(t)] = sat_.new_variable();
    return made;
  }

  void make_variables() {
    for (NodeId id = 0; id < task_.nodes.size(); ++id) {
      const Node& made = node(id);
      Work& work = work_[id];
      const int first = made.height - 1, last = last_work_[id], available = made.available;
      if (!made.is_leaf()) {
        work.whole = row(first, last);
        if (made.make == Make::negation) work.whole_acc = row(first, last);
        if (made.make == Make::log2) work.combine = row(first - 2, last - 2);
        const int before = made.make == Make::log2 ? 2 : 0;
        if (is_function(made.make)) {
          work.table = row(first - before - 1, last - before - 1);
          work.square = row(first - before - 2, last - before - 1);
        }
        if (made.make == Make::exp2) work.pre = row(first - 2, last - 2);
      }
      work.readable = row(available, last_read_[id]);
      for (Row* moves : {&work.acc_move, &work.mul_move, &work.pass_move, &work.complex_move})
        *moves = row(available, last_make_[id]);
      const int first_made = ends_in_combine(made) ? available : std::max(made.height - 1, 0);
      if (task_.spill != 0 && first_made + static_cast<int>(register_latency) <= last_read_[id]) {
        work.kept = row(first_made, last_read_[id] - static_cast<int>(register_latency));
        make_homes(work);
        add_place_of({.node = id, .overwritten = {}, .port0 = {}, .port1 = {}},
                     first_made + static_cast<int>(register_latency));
      }
      if (made.make == Make::reg) {
        const unsigned flat = 4u * made.index + made.component;
        Place place{
            .node = id, .port = static_cast<std::int16_t>(made.index), .overwritten = {}, .port0 = {}, .port1 = {}};
        place.flat = static_cast<std::uint8_t>(flat);
        for (std::size_t i = 0; i < task_.outputs.size(); ++i)
          if (task_.outputs[i].kind == StoreKind::reg && task_.outputs[i].flat() == flat)
            place.overwritten.push_back(static_cast<std::uint16_t>(i));
        add_place_of(std::move(place), 0);
      }
    }
    for (std::size_t i = 0; i < task_.outputs.size(); ++i) {
      const Output& output = task_.outputs[i];
      stores_.push_back(row(0, last_store(output)));
      const auto shared = [&](const Output& other) {
        return other.kind == StoreKind::reg && other.flat() == output.flat();
      };
      if (output.kind != StoreKind::reg || std::count_if(task_.outputs.begin(), task_.outputs.end(), shared) > 1)
        continue;
      Place place{.node = output.node,
                  .port = static_cast<std::int16_t>(output.index),
                  .overwritten = {},
                  .port0 = {},
                  .port1 = {}};
      place.output = static_cast<std::int32_t>(i);
      place.flat = static_cast<std::uint8_t>(output.flat());
      add_place_of(std::move(place), static_cast<int>(register_latency));
    }
  }

  /// Registers without another use in this trace are alike, so that the first value may only be in the first of them
  /// and each further one is taken after the one before it.
  void make_homes(Work& work) {
    std::array<std::array<Literal, 2>, register_count> homes{};
    std::int32_t before = -1;
    std::vector<Literal> all;
    for (unsigned index = 0; index < register_count; ++index) {
      const auto free = static_cast<unsigned>(task_.spill >> (4 * index) & 15);
      const bool like_others = free == 15;
      const bool may_be = !like_others || before < 0 || !homed_[static_cast<unsigned>(before)].empty();
      if (!may_be) break;
      for (unsigned half = 0; half < 2; ++half) {
        if ((free >> (2 * half) & 3) == 0) continue;
        homes[index][half] = sat_.new_variable();
        all.push_back(homes[index][half]);
        if (like_others && before >= 0) {
          std::vector<Literal> earlier = homed_[static_cast<unsigned>(before)];
          imply(homes[index][half], std::move(earlier));
        }
      }
      if (like_others) before = static_cast<std::int32_t>(index);
    }
    for (unsigned index = 0; index < register_count; ++index)
      for (const Literal home : homes[index])
        if (home != 0) homed_[index].push_back(home);
    sat_.at_most(1, all);
    work.home = homes;
  }

  /// Every half of a register is home to as many values as it has free components.
  void add_homes() {
    for (unsigned index = 0; index < register_count; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        std::vector<Literal> homes;
        for (const Work& work : work_)
          if (work.home[index][half] != 0) homes.push_back(work.home[index][half]);
        const auto free = static_cast<unsigned>(task_.spill >> (4 * index + 2 * half) & 3);
        sat_.at_most(free == 3 ? 2 : 1, homes);
      }
  }

  void add_place_of(Place place, int first) {
    place.port0 = row(first, last_read_[place.node]);
    place.port1 = row(first, last_read_[place.node]);
    places_.push_back(std::move(place));
  }

  /// Branches stand in order, that of the last segment in the last word.
  void add_branches() {
    const int last = static_cast<int>(words_) - 1;
    for (std::size_t i = 0; i < task_.conditions.size(); ++i) {
      branches_.emplace_back();
      branched_.emplace_back();
      if (task_.conditions[i] == no_node) continue;
      const bool at_end = i + 1 == task_.conditions.size();
      branches_[i] = row(at_end ? last : 0, last);
      branched_[i] = row(0, last);
      for (int t = 0; t <= last; ++t) {
        const Literal branch = at(branches_[i], t), branched = at(branched_[i], t), before = at(branched_[i], t - 1);
        imply(branched, {branch, before});
        imply(before, {branched});
        imply(branch, {branched});
        if (branch != 0 && before != 0) imply(branch, {-before});
        reads(branch, task_.conditions[i], t);
        if (i > 0) imply(branched, {at(branched_[i - 1], t - 1)});
      }
      require({at(branched_[i], last)});
    }
  }
  /// If `literal` then word t is not below the branch that ends a segment.
  void not_after(Literal literal, int t, std::size_t segment) {
    if (const Literal branched = at(branched_[segment], t - 1); branched != 0) imply(literal, {-branched});
  }
  /// If `literal` then word t is below the branch that ends a segment.
  void not_before(Literal literal, int t, int segment) {
    if (segment >= 0) imply(literal, {at(branched_[static_cast<std::size_t>(segment)], t - 1)});
  }

  /// A variable for a choice that excludes others, made when first asked for.
  using Choices = std::map<std::int32_t, Literal>;
  Literal choice(std::vector<Choices>& choices, unsigned word, std::int32_t key) {
    choices.resize(words_);
    Literal& literal = choices[word][key];
    if (literal == 0) literal = sat_.new_variable();
    return literal;
  }
  Literal load(unsigned word, std::uint16_t address) { return choice(loads_, word, address); }
  Literal port0(unsigned word, std::int16_t source) { return choice(ports0_, word, source); }
  Literal port1(unsigned word, std::int16_t source) { return choice(ports1_, word, source); }
  Literal destination(unsigned word, unsigned half, unsigned to) {
    return choice(destinations_[half], word, static_cast<std::int32_t>(to));
  }

  // ---------------------------------------------------------------------------------------------- clauses

  /// If `literal` then one of `others`; absent literals (0) are false.
  void imply(Literal literal, std::vector<Literal> others) {
    if (literal == 0) return;
    std::erase(others, 0);
    others.push_back(-literal);
    sat_.add(others);
  }
  /// Numbers that the non-complex units hold after word t.
  void append_plain(NodeId id, int t, bool with_combine, std::vector<Literal>& to) const {
    const Work& work = work_[id];
    if (with_combine || !ends_in_combine(node(id))) to.push_back(at(work.whole, t));
    for (const Row* row : {&work.whole_acc, &work.acc_move, &work.mul_move, &work.pass_move}) to.push_back(at(*row, t));
  }
  /// What makes a value in word t so that the same word can store it.
  std::vector<Literal> makers(NodeId id, int t) const {
    std::vector<Literal> makers{at(work_[id].complex_move, t)};
    append_plain(id, t, false, makers);
    return makers;
  }

  void add_value(NodeId id) {
    const Work& work = work_[id];
    const Node& made = node(id);
    for (int t = 0; t < static_cast<int>(words_); ++t) {
      add_sources(id, t);
      for (const Row* moves : {&work.acc_move, &work.mul_move, &work.pass_move, &work.complex_move})
        reads(at(*moves, t), id, t);
      if (Literal kept = at(work.kept, t); kept != 0) {
        imply(kept, makers(id, t));
        std::vector<Literal> homes;
        for (unsigned index = 0; index < register_count; ++index)
          for (unsigned half = 0; half < 2; ++half)
            if (const Literal home = work.home[index][half]; home != 0) {
              imply(kept, {-home, destination(static_cast<unsigned>(t), half, index)});
              homes.push_back(home);
            }
        imply(kept, std::move(homes));
      }
      if (is_function(made.make))
        add_function(id, t);
      else if (!made.is_leaf())
        add_operation(id, t);
    }
    if (made.is_leaf()) return;
    Row done = work.whole;
    done.insert(done.end(), work.whole_acc.begin(), work.whole_acc.end());
    require(std::move(done));
  }
  /// One of these.
  void require(std::vector<Literal> literals) {
    std::erase(literals, 0);
    impossible_ |= literals.empty();
    sat_.add(literals);
  }

  /// From where word t can read the value.
  void add_sources(NodeId id, int t) {
    const Literal readable = at(work_[id].readable, t);
    if (readable == 0) return;
    const Node& read = node(id);
    const auto word = static_cast<unsigned>(t);
    std::vector<Literal> sources;
    append_plain(id, t - 1, false, sources);
    append_plain(id, t - 2, true, sources);
    if (read.make == Make::uniform) sources.push_back(load(word, read.index));
    if (read.make == Make::attribute) {
      sources.push_back(port0(word, port_of_attribute(read.index)));
      if (t > 0) sources.push_back(port0(word - 1, port_of_attribute(read.index)));
    }
    for (const Place& place : places_)
      if (place.node == id) {
        sources.push_back(at(place.port1, t));
        sources.push_back(at(place.port0, t));
        sources.push_back(at(place.port0, t - 1));
      }
    imply(readable, std::move(sources));
  }

  /// An a operand.
  void reads(Literal reader, NodeId id, int t) {
    imply(reader, {at(work_[id].readable, t), at(work_[id].complex_move, t - 1)});
  }
  /// A b operand, or both.
  void reads_b(Literal reader, NodeId id, int t) { imply(reader, {at(work_[id].readable, t)}); }

  void add_operation(NodeId id, int t) {
    const Node& made = node(id);
    for (const Literal whole : {at(work_[id].whole, t), at(work_[id].whole_acc, t)}) {
      if (whole == 0) continue;
      const NodeId x = made.operands[0].node, y = made.operands[1].node;
      if (made.make == Make::select) {
        reads_b(whole, x, t);
        reads(whole, y, t);
        reads(whole, made.operands[2].node, t);
      } else if (made.operand_count == 1 || y == no_node) {
        reads(whole, x, t);
        if (made.clamp) imply(whole, {load(static_cast<unsigned>(t), made.index)});
      } else if (x == y) {
        reads_b(whole, x, t);
      } else {
        reads(whole, x, t);
        reads(whole, y, t);
        imply(whole, {at(work_[x].readable, t), at(work_[y].readable, t)});
      }
    }
  }

  void add_function(NodeId id, int t) {
    const Work& work = work_[id];
    const NodeId argument = node(id).operands[0].node;
    const Make make = node(id).make;
    Literal combine = at(work.whole, t);
    if (make == Make::log2) {
      imply(combine, {at(work.combine, t - 2)});
      combine = at(work.combine, t);
    }
    imply(combine, {at(work.table, t - 1)});
    if (make == Make::exp2) {
      imply(combine, {at(work.square, t - 1)});
      imply(combine, {at(work.pre, t - 2)});
      imply(at(work.table, t), {at(work.pre, t - 1)});
      imply(at(work.square, t), {at(work.pre, t - 1)});
      reads(at(work.pre, t), argument, t);
      return;
    }
    imply(combine, {at(work.square, t - 1), at(work.square, t - 2)});
    reads_b(combine, argument, t);
    reads(at(work.table, t), argument, t);
    reads_b(at(work.square, t), argument, t);
  }

  void add_place(const Place& place) {
    for (int t = 0; t < static_cast<int>(words_); ++t) {
      const auto word = static_cast<unsigned>(t);
      for (const bool first : {true, false}) {
        const Literal read = at(first ? place.port0 : place.port1, t);
        if (read == 0) continue;
        const auto port = [&](std::int16_t index) { return first ? port0(word, index) : port1(word, index); };
        if (place.port != port_free) imply(read, {port(place.port)});
        for (unsigned index = 0; index < register_count && place.port == port_free; ++index)
          for (const Literal home : work_[place.node].home[index])
            if (home != 0) imply(read, {-home, port(static_cast<std::int16_t>(index))});
        const int before = t - static_cast<int>(register_latency);
        for (const std::uint16_t output : place.overwritten)
          for (int s = 0; s <= before; ++s)
            if (const Literal store = at(stores_[output], s); store != 0) imply(read, {-store});
        if (place.port != port_free && place.output < 0) continue;  // there at entry
        const Row& arrivals =
            place.output >= 0 ? stores_[static_cast<std::size_t>(place.output)] : work_[place.node].kept;
        std::vector<Literal> arrived;
        for (int s = 0; s <= before; ++s) arrived.push_back(at(arrivals, s));
        imply(read, std::move(arrived));
      }
    }
  }

  void add_outputs() {
    for (std::size_t i = 0; i < task_.outputs.size(); ++i) {
      const Output& output = task_.outputs[i];
      std::vector<Literal> stores;
      for (unsigned t = 0; t < words_; ++t) {
        const Literal store = stores_[i][t];
        if (store == 0) continue;
        imply(store, makers(output.node, static_cast<int>(t)));
        const unsigned to = output.kind == StoreKind::varying ? register_count + output.index : output.index;
        imply(store, {destination(t, output.component / 2u, to)});
        not_before(store, static_cast<int>(t), output.barrier);
        not_after(store, static_cast<int>(t), output.segment);
        for (const Output::Distance& distance : output.distances)
          not_after(store, static_cast<int>(t + distance.words), distance.segment);
        stores.push_back(store);
      }
      sat_.at_most(1, stores);
      require(std::move(stores));
    }
  }

  // ---------------------------------------------------------------------------------------------- words

  void add_word(unsigned t) {
    std::map<Make, Literal> opcodes;
    const auto opcode = [&](Make make) {
      Literal& literal = opcodes[make];
      if (literal == 0) literal = sat_.new_variable();
      return literal;
    };
    std::vector<Literal> adders, multipliers, squares, wide, pass, complex;
    const auto put = [](std::vector<Literal>& slots, const Row& row, unsigned word) {
      if (const Literal literal = at(row, static_cast<int>(word)); literal != 0) slots.push_back(literal);
    };
    for (NodeId id = 0; id < task_.nodes.size(); ++id) {
      const Work& work = work_[id];
      const Node& made = node(id);
      put(adders, work.whole_acc, t);
      put(adders, work.acc_move, t);
      for (const Row* row : {&work.whole_acc, &work.acc_move})
        if (const Literal literal = at(*row, static_cast<int>(t)); literal != 0) imply(literal, {opcode(Make::add)});
      put(multipliers, work.mul_move, t);
      put(multipliers, work.square, t);
      put(squares, work.square, t);
      put(pass, work.pass_move, t);
      put(pass, work.pre, t);
      put(complex, work.complex_move, t);
      put(complex, work.table, t);
      put(wide, work.combine, t);
      if (made.clamp || made.make == Make::log2) {
        put(pass, work.whole, t);
      } else if (is_adder(made.make)) {
        put(adders, work.whole, t);
        if (const Literal whole = at(work.whole, static_cast<int>(t)); whole != 0) imply(whole, {opcode(made.make)});
      } else if (made.make == Make::select || is_function(made.make)) {
        put(wide, work.whole, t);
      } else if (!made.is_leaf()) {
        put(multipliers, work.whole, t);
      }
    }
    if (!wide.empty()) {
      const Literal any = sat_.new_variable();
      for (const Literal literal : wide) sat_.add({-literal, any});
      for (const Literal literal : multipliers) sat_.add({-literal, -any});
    }
    for (const Row& branches : branches_) {
      const Literal branch = at(branches, static_cast<int>(t));
      if (branch == 0) continue;
      pass.push_back(branch);
      if (share_branch_words_) continue;
      for (const auto* slots : {&adders, &multipliers, &wide, &complex})
        for (const Literal literal : *slots) sat_.add({-literal, -branch});
    }
    std::vector<Literal> codes;
    codes.reserve(opcodes.size());
    for (const auto& [make, literal] : opcodes) codes.push_back(literal);
    sat_.at_most(1, codes);
    sat_.at_most(2, adders);
    sat_.at_most(2, multipliers);
    for (const auto* slots : {&squares, &wide, &pass, &complex}) sat_.at_most(1, *slots);
    for (const auto* choices : {&loads_, &ports0_, &ports1_, &destinations_[0], &destinations_[1]}) {
      if (choices->empty()) continue;
      std::vector<Literal> literals;
      literals.reserve((*choices)[t].size());
      for (const auto& [key, literal] : (*choices)[t]) literals.push_back(literal);
      sat_.at_most(1, literals);
    }
  }

  // ---------------------------------------------------------------------------------------------- back to a plan

  [[nodiscard]] bool holds(const Row& row, unsigned word) const {
    const Literal literal = at(row, static_cast<int>(word));
    return literal != 0 && sat_.is_true(literal);
  }

  Plan decode() {
    choose_homes();
    Plan plan(words_);
    for (unsigned t = 0; t < words_; ++t) decode_word(t, plan[t]);
    for (unsigned t = 0; t < words_; ++t) decode_loads(t, plan);
    for (std::size_t i = 0; i < branches_.size(); ++i)
      for (unsigned t = 0; t < words_; ++t)
        if (holds(branches_[i], t)) {
          plan[t].at(Unit::pass) = {task_.conditions[i], Part::move};
          plan[t].branch = static_cast<std::int16_t>(i);
        }
    return plan;
  }

  void decode_word(unsigned t, PlannedWord& word) const {
    const auto take = [&](Unit first, Unit second, NodeId id, Part part) {
      word.at(word.at(first).part == Part::none ? first : second) = {id, part};
    };
    for (NodeId id = 0; id < task_.nodes.size(); ++id) {
      const Work& work = work_[id];
      const Node& made = node(id);
      if (holds(work.square, t)) word.at(Unit::mul0) = {id, Part::square};
      if (holds(work.table, t)) word.at(Unit::complex) = {id, Part::table};
      if (holds(work.pre, t)) word.at(Unit::pass) = {id, Part::pre};
      if (holds(work.combine, t)) word.at(Unit::mul0) = {id, Part::combine};
      if (holds(work.complex_move, t)) word.at(Unit::complex) = {id, Part::move};
      if (holds(work.pass_move, t)) word.at(Unit::pass) = {id, Part::move};
      if (holds(work.acc_move, t)) take(Unit::acc0, Unit::acc1, id, Part::move);
      if (holds(work.whole_acc, t)) take(Unit::acc0, Unit::acc1, id, Part::whole);
      if (holds(work.mul_move, t)) take(Unit::mul1, Unit::mul0, id, Part::move);
      for (std::size_t i = 0; i < task_.outputs.size(); ++i)
        if (const Output& output = task_.outputs[i]; output.node == id && holds(stores_[i], t))
          put_store(word, output.kind, output.flat(), id);
      if (holds(work.kept, t)) put_store(word, StoreKind::reg, homes_.at(id), id);
      if (!holds(work.whole, t)) continue;
      if (made.make == Make::log2)
        word.at(Unit::pass) = {id, Part::post};
      else if (made.clamp)
        word.at(Unit::pass) = {id, Part::whole};
      else if (is_adder(made.make))
        take(Unit::acc0, Unit::acc1, id, Part::whole);
      else if (is_function(made.make))
        word.at(Unit::mul0) = {id, Part::combine};
      else if (made.make == Make::select)
        word.at(Unit::mul0) = {id, Part::whole};
      else
        take(Unit::mul1, Unit::mul0, id, Part::whole);
    }
  }
  static void put_store(PlannedWord& word, StoreKind kind, unsigned flat, NodeId id) {
    PlannedWord::Store& store = word.stores[flat % 4 / 2];
    store.kind = kind;
    store.index = static_cast<std::uint8_t>(flat / 4);
    store.nodes[flat % 2] = id;
  }

  [[nodiscard]] std::int16_t chosen(const std::vector<Choices>& choices, unsigned t) const {
    if (choices.empty()) return port_free;
    for (const auto& [key, literal] : choices[t])
      if (sat_.is_true(literal)) return static_cast<std::int16_t>(key);
    return port_free;
  }

  void decode_loads(unsigned t, Plan& plan) const {
    PlannedWord& word = plan[t];
    word.load = chosen(loads_, t);
    word.port0 = chosen(ports0_, t);
    word.port1 = chosen(ports1_, t);
    for (const Place& place : places_) {
      const bool home = place.port == port_free;
      if (home && !homes_.contains(place.node)) continue;
      const std::uint8_t flat = home ? homes_.at(place.node) : place.flat;
      if (holds(place.port1, t)) {
        word.port1 = static_cast<std::int16_t>(flat / 4);
        word.feeds.push_back({place.node, flat, PlannedWord::Feed::port1});
      }
      if (holds(place.port0, t)) {
        word.port0 = static_cast<std::int16_t>(flat / 4);
        word.feeds.push_back({place.node, flat, PlannedWord::Feed::port0});
        if (t + 1 < words_) plan[t + 1].feeds.push_back({place.node, flat, PlannedWord::Feed::port0_before});
      }
    }
  }

  void choose_homes() {
    std::uint64_t free = task_.spill;
    for (NodeId id = 0; id < task_.nodes.size(); ++id)
      for (unsigned index = 0; index < register_count; ++index)
        for (unsigned half = 0; half < 2; ++half) {
          const Literal home = work_[id].home[index][half];
          if (home == 0 || !sat_.is_true(home)) continue;
          unsigned flat = 4 * index + 2 * half;
          if ((free >> flat & 1) == 0) ++flat;
          free &= ~(std::uint64_t{1} << flat);
          homes_[id] = static_cast<std::uint8_t>(flat);
        }
  }

  const Task& task_;
  unsigned words_;
  bool share_branch_words_;
  Sat sat_;
  std::vector<Work> work_;  ///< by node
  std::vector<int> last_work_, last_make_, last_read_;
  std::vector<Place> places_;
  std::vector<Row> stores_;  ///< by output
  std::vector<Choices> loads_, ports0_, ports1_;
  std::array<std::vector<Choices>, 2> destinations_;
  std::vector<Row> branches_;  ///< by segment
  std::vector<Row> branched_;  ///< by segment: in this word or above
  bool impossible_ = false;
  std::array<std::vector<Literal>, register_count> homed_;  ///< who may be at home in each register
  std::map<NodeId, std::uint8_t> homes_;
};

}  // namespace

bool is_exact_possible(const Task& task, unsigned words) {
  return words > 0 && !uses_addresses(task) && task.temporaries.empty() && task.nodes.size() <= node_limit &&
         task.nodes.size() * words <= cell_limit;
}

ExactAnswer find_exactly(const Task& task, unsigned words, std::uint64_t conflicts, bool share_branch_words) {
  return Encoder(task, words, share_branch_words).run(conflicts);
}

}  // namespace mobula::utgard_gp
