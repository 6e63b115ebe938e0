// What must hold of a schedule, as clauses of the formula: values and words.
#include <algorithm>
#include <iterator>

#include "machines/utgard_gp/schedule/formula.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {

// ------------------------------------------------------------------------------------------------ clauses

void Formula::imply(Literal literal, std::span<const Literal> others) {
  if (literal == 0) return;
  implied_.clear();
  std::copy_if(others.begin(), others.end(), std::back_inserter(implied_), [](Literal other) { return other != 0; });
  implied_.push_back(-literal);
  sat_.add(implied_);
}

void Formula::append_plain(NodeId id, int t, bool with_combine, std::vector<Literal>& to) const {
  const Work& work = work_[id];
  if (with_combine || !makes_combine(node(id))) to.push_back(at(work.whole, t));
  for (const Row* row : {&work.whole_acc, &work.acc_move, &work.mul_move, &work.pass_move}) to.push_back(at(*row, t));
}

std::vector<Formula::Literal> Formula::makers(NodeId id, int t) const {
  std::vector<Literal> makers{at(work_[id].complex_move, t)};
  append_plain(id, t, false, makers);
  return makers;
}

void Formula::add_value(NodeId id) {
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
      imply(kept, homes);
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

void Formula::require(std::vector<Literal> literals) {
  std::erase(literals, 0);
  impossible_ |= literals.empty();
  sat_.add(literals);
}

void Formula::add_sources(NodeId id, int t) {
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
  imply(readable, sources);
}

void Formula::reads(Literal reader, NodeId id, int t) {
  imply(reader, {at(work_[id].readable, t), at(work_[id].complex_move, t - 1)});
}

void Formula::add_operation(NodeId id, int t) {
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

void Formula::add_function(NodeId id, int t) {
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

void Formula::add_place(const Place& place) {
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
      // Until a store arrives the old value could still be read, but no rule allows that.
      for (const std::uint16_t output : place.overwritten)
        for (int s = 0; s < t; ++s)
          if (const Literal store = at(stores_[output], s); store != 0) imply(read, {-store});
      if (place.port != port_free && place.output < 0) continue;  // there at entry
      const int before = t - static_cast<int>(register_latency);
      const Row& arrivals =
          place.output >= 0 ? stores_[static_cast<std::size_t>(place.output)] : work_[place.node].kept;
      std::vector<Literal> arrived;
      for (int s = 0; s <= before; ++s) arrived.push_back(at(arrivals, s));
      imply(read, arrived);
    }
  }
}

void Formula::add_outputs() {
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

// ------------------------------------------------------------------------------------------------ words

void Formula::add_word(unsigned t) {
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
}

/// Ports, the memory load and the store halves have one number each.
void Formula::add_numbers(unsigned t) {
  for (const auto* choices : {&loads_, &ports0_, &ports1_, &destinations_[0], &destinations_[1]}) {
    if (choices->empty()) continue;
    std::vector<Literal> literals;
    literals.reserve((*choices)[t].size());
    for (const auto& [key, literal] : (*choices)[t]) literals.push_back(literal);
    sat_.at_most(1, literals);
  }
}

}  // namespace mobula::utgard_gp
