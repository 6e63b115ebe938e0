#include "machines/utgard_gp/schedule/exact.h"

#include <algorithm>

#include "machines/utgard_gp/schedule/formula.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {

static constexpr std::size_t node_limit = 300, cell_limit = 12000;  ///< nodes, and nodes times words

ExactAnswer Formula::run(std::uint64_t conflicts, const Sat::MayGoOn& may_go_on) {
  find_windows();
  make_variables();
  add_branches();
  add_homes();
  for (NodeId id = 0; id < task_.nodes.size(); ++id) add_value(id);
  for (const Place& place : places_) add_place(place);
  add_outputs();
  for (unsigned t = 0; t < words_; ++t) {
    add_word(t);
    add_numbers(t);
  }
  add_counts();
  ExactAnswer result;
  result.answer = impossible_ ? Sat::Answer::no : sat_.solve(conflicts, may_go_on);
  result.conflicts = sat_.conflicts();
  result.steps = sat_.steps();
  if (result.answer != Sat::Answer::yes) return result;
  result.plan = decode();
  return result;
}

Formula::Literal Formula::at(const Row& row, int word) {
  return word < 0 || word >= static_cast<int>(row.size()) ? 0 : row[static_cast<std::size_t>(word)];
}

// ------------------------------------------------------------------------------------------------ windows

void Formula::find_windows() {
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
    const int late = makes_combine(made) ? 1 : 0;
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

int Formula::last_store(const Output& output) const {
  unsigned after = 0;
  for (const Output::Distance& distance : output.distances) after = std::max<unsigned>(after, distance.words);
  return static_cast<int>(words_) - 1 - static_cast<int>(after);
}

Formula::Row Formula::row(int first, int last) {
  Row made(words_, 0);
  for (int t = std::max(first, 0); t <= std::min(last, static_cast<int>(words_) - 1); ++t)
    made[static_cast<std::size_t>(t)] = sat_.new_variable();
  return made;
}

void Formula::make_variables() {
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
    const int first_made = makes_combine(made) ? available : std::max(made.height - 1, 0);
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

void Formula::make_homes(Work& work) {
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
      if (like_others && before >= 0) imply(homes[index][half], homed_[static_cast<unsigned>(before)]);
    }
    if (like_others) before = static_cast<std::int32_t>(index);
  }
  for (unsigned index = 0; index < register_count; ++index)
    for (const Literal home : homes[index])
      if (home != 0) homed_[index].push_back(home);
  sat_.at_most(1, all);
  work.home = homes;
}

void Formula::add_homes() {
  for (unsigned index = 0; index < register_count; ++index)
    for (unsigned half = 0; half < 2; ++half) {
      std::vector<Literal> homes;
      for (const Work& work : work_)
        if (work.home[index][half] != 0) homes.push_back(work.home[index][half]);
      const auto free = static_cast<unsigned>(task_.spill >> (4 * index + 2 * half) & 3);
      sat_.at_most(free == 3 ? 2 : 1, homes);
    }
}

void Formula::add_place_of(Place place, int first) {
  place.port0 = row(first, last_read_[place.node]);
  place.port1 = row(first, last_read_[place.node]);
  places_.push_back(std::move(place));
}

void Formula::add_branches() {
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

void Formula::not_after(Literal literal, int t, std::size_t segment) {
  if (const Literal branched = at(branched_[segment], t - 1); branched != 0) imply(literal, {-branched});
}

void Formula::not_before(Literal literal, int t, int segment) {
  if (segment >= 0) imply(literal, {at(branched_[static_cast<std::size_t>(segment)], t - 1)});
}

Formula::Literal Formula::choice(std::vector<Choices>& choices, unsigned word, std::int32_t key) {
  choices.resize(words_);
  Literal& literal = choices[word][key];
  if (literal == 0) literal = sat_.new_variable();
  return literal;
}

Formula::Literal Formula::destination(unsigned word, unsigned half, unsigned to) {
  return choice(destinations_[half], word, static_cast<std::int32_t>(to));
}

// ------------------------------------------------------------------------------------------------ back to a plan

bool Formula::holds(const Row& row, unsigned word) const {
  const Literal literal = at(row, static_cast<int>(word));
  return literal != 0 && sat_.is_true(literal);
}

Plan Formula::decode() {
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

void Formula::decode_word(unsigned t, PlannedWord& word) const {
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

void Formula::put_store(PlannedWord& word, StoreKind kind, unsigned flat, NodeId id) {
  PlannedWord::Store& store = word.stores[flat % 4 / 2];
  store.kind = kind;
  store.index = static_cast<std::uint8_t>(flat / 4);
  store.nodes[flat % 2] = id;
}

std::int16_t Formula::chosen(const std::vector<Choices>& choices, unsigned t) const {
  if (choices.empty()) return port_free;
  for (const auto& [key, literal] : choices[t])
    if (sat_.is_true(literal)) return static_cast<std::int16_t>(key);
  return port_free;
}

void Formula::decode_loads(unsigned t, Plan& plan) const {
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

void Formula::choose_homes() {
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

bool is_exact_possible(const Task& task, unsigned words) {
  return words > 0 && !uses_addresses(task) && task.temporaries.empty() && task.nodes.size() <= node_limit &&
         task.nodes.size() * words <= cell_limit;
}

ExactAnswer find_exactly(const Task& task, unsigned words, std::uint64_t conflicts, bool share_branch_words,
                         const Sat::MayGoOn& may_go_on) {
  return Formula(task, words, share_branch_words).run(conflicts, may_go_on);
}

}  // namespace mobula::utgard_gp
