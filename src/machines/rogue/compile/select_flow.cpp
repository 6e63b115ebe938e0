// Blocks: where all instances of a task are together, real jumps; elsewhere each instance says which block is its next,
// and every block lets those run that mean it.
#include <algorithm>

#include "compile/cannot_do.h"
#include "machines/rogue/compile/selector.h"

namespace mobula::rogue_compiler {

using ssa::Op;

/// Which phis are read at a block or behind it, and which blocks are gone through again by some of a task's instances.
void Selector::find_lives() {
  std::vector<std::vector<std::uint32_t>> predecessors(end_ + 1);
  std::vector<std::vector<std::uint32_t>> readers(values_.size());  // by phi, blocks that have to have it at their ends
  std::vector<std::uint32_t> home(values_.size(), ssa::none);       // by phi, the block that begins with it
  live_phis_.assign(end_ + 1, {});
  const auto enter = [&](ssa::Value phi, std::uint32_t block) {
    if (home[phi] == block || !live_phis_[block].insert(phi).second) return;
    for (const std::uint32_t before : predecessors[block]) readers[phi].push_back(before);
  };
  for (std::uint32_t i = 0; i < end_; ++i) {
    for (const std::uint32_t way : ways_of(program_, i)) predecessors[way].push_back(i);
    for (const ssa::Instruction& each : program_.blocks[i].instructions)
      if (each.op == Op::phi) home[each.result] = i;
  }
  for (std::uint32_t i = 0; i < end_; ++i) {
    const ssa::Block& block = program_.blocks[i];
    const auto read = [&](ssa::Value value) {
      for (const ssa::Value phi : phis_of_[value]) enter(phi, i);
    };
    for (const std::uint32_t way : ways_of(program_, i))
      read_phis(i, way, [&](ssa::Value, ssa::Value from) { read(from); });
    if (block.end.kind == ssa::End::Kind::branch) read(block.end.condition);
    for (const ssa::Instruction& each : block.instructions)
      if (each.op != Op::phi)
        for (const ssa::Value operand : each.operands) read(operand);
  }
  for (ssa::Value phi = 0; phi < readers.size(); ++phi)
    while (!readers[phi].empty()) {
      const std::uint32_t block = readers[phi].back();
      readers[phi].pop_back();
      enter(phi, block);
    }
  is_in_masked_loop_.assign(end_ + 1, false);
  for (std::uint32_t i = 0; i < end_; ++i)
    for (const std::uint32_t way : ways_of(program_, i))
      for (std::uint32_t k = way; k <= i && way <= i; ++k) is_in_masked_loop_[k] = flow_.is_masked[way];
}

/// Reaches each phi of `to` that a way from `from` gives a value, and that value.
void Selector::read_phis(std::uint32_t from, std::uint32_t to,
                         const std::function<void(ssa::Value phi, ssa::Value value)>& act) const {
  if (to == end_) return;
  const ssa::Block& block = program_.blocks[to];
  const auto way = static_cast<std::size_t>(std::ranges::find(block.predecessors, from) - block.predecessors.begin());
  for (const ssa::Instruction& each : block.instructions)
    if (each.op == Op::phi) act(each.result, each.operands[way]);
}

// ------------------------------------------------------------------------------------------------ marks

void Selector::mark(std::uint32_t label) {
  Instruction made;
  made.label = label;
  code_.blocks[block_].code.push_back(made);
}

void Selector::go(const Row& row, std::uint32_t label, Condition condition) {
  Instruction& made = emit(row, Operation::none, {}, {});
  made.target = label;
  made.condition = condition;
}

/// Any bits will do that no other block has.
Operand Selector::id_of(std::uint32_t block) const {
  constexpr std::uint32_t first_float = 64, second_float = 128, in_a_row = 32;
  if (block < in_a_row) return machine(Operand::Kind::constant, block);
  if (block < 2 * in_a_row) return machine(Operand::Kind::constant, block - in_a_row + first_float);
  if (block < 3 * in_a_row - 2) return machine(Operand::Kind::constant, block - 2 * in_a_row + second_float);
  return immediate(0xFF00'0000 + block);
}

void Selector::set_next(std::uint32_t to, Condition condition) { move(id_of(to), internal(next_register), condition); }

/// Whether the block that an instance goes to next matters: to those that come, or because it must not seem to be here
/// when others go through this block again.
bool Selector::has_to_say(std::uint32_t to) const {
  return flow_.is_masked[to] || (flow_.is_masked[block_] && is_in_masked_loop_[block_]);
}

void Selector::run_those_at(std::uint32_t block) {
  const Operand id = id_of(block), mask = internal(mask_register);
  if (id.kind == Operand::Kind::immediate)
    emit(rows::number, Operation::none, {}, {mask}, id.number).condition = Condition::in_all;
  const bool is_constant = id.kind == Operand::Kind::constant;
  emit(rows::logical, Operation::xor_, {internal(next_register), is_constant ? id : mask}, {mask}).condition =
      Condition::in_all;
  emit(rows::set_mask, Operation::none, {mask}, {mask}).condition = Condition::in_all;
}

/// All but the discarded ones; if nobody is left, nothing else is to be done.
void Selector::run_all() {
  const Operand kept_out = discards_ ? internal(discarded_register) : machine(Operand::Kind::constant, 0);
  emit(rows::set_mask, Operation::none, {kept_out}, {internal(mask_register)}).condition = Condition::in_all;
  if (discards_ && block_ != end_) go(rows::branch_if_none, label_of(end_));
}

void Selector::begin_block() {
  if (block_ == 0) {
    begin();
    if (flow_.is_masked[0]) set_next(0);
  }
  mark(label_of(block_));
  if (flow_.is_masked[block_])
    run_those_at(block_);
  else if (block_ > 0 && flow_.is_masked[block_ - 1])
    run_all();
  mark(label_inside(block_));
}

// ------------------------------------------------------------------------------------------------ ends

/// Gives the phis of a block their values, all at once.
void Selector::copies(std::uint32_t to, Condition condition, bool replaces) {
  struct Copy {
    Operand from, to;
  };
  std::vector<Copy> all;
  read_phis(block_, to, [&](ssa::Value phi, ssa::Value value) {
    for (unsigned i = 0; i < type_of(phi).components; ++i)
      if (!(at(value, i) == at(phi, i))) all.push_back({at(value, i), at(phi, i)});
  });
  for (Copy& each : all) {
    const auto is_written = [&](const Copy& other) { return &other != &each && other.to.number == each.from.number; };
    if (each.from.is_word() && std::ranges::any_of(all, is_written)) each.from = copied(each.from);
  }
  for (const Copy& each : all) move(each.from, each.to, condition, replaces);
}

void Selector::end_block() {
  const ssa::End& end = program_.blocks[block_].end;
  switch (end.kind) {
    case ssa::End::Kind::jump:
      jump(end.targets[0]);
      break;
    case ssa::End::Kind::leave:
      jump(end_);
      break;
    case ssa::End::Kind::branch:
      branch(end);
      break;
    case ssa::End::Kind::discard:
      move(immediate(~std::uint32_t{0}), internal(discarded_register));
      jump(end_);
      break;
    case ssa::End::Kind::unreachable:
      jump(end_);
      break;
  }
  if (flow_.is_masked[block_]) turn_back();
}

void Selector::jump(std::uint32_t to) {
  copies(to, Condition::always);
  if (has_to_say(to)) set_next(to);
  if (!flow_.is_masked[block_] && to != block_ + 1) go(rows::branch, label_of(to));
}

/// The first way is that of P0 being 0.
void Selector::branch(const ssa::End& end) {
  const Operand condition = at(end.condition, 0);
  const bool parts = flow_.is_masked[block_] || flow_.differs[end.condition];
  std::array<bool, 2> has_copies{}, is_conditional{};
  for (unsigned way = 0; way < 2; ++way) {
    const std::uint32_t to = end.targets[way], other = end.targets[1 - way];
    read_phis(block_, to, [&](ssa::Value phi, ssa::Value) {
      has_copies[way] = true;
      bool lives = live_phis_[other].contains(phi);
      read_phis(block_, other,
                [&](ssa::Value, ssa::Value from) { lives = lives || std::ranges::binary_search(phis_of_[from], phi); });
      is_conditional[way] = is_conditional[way] || lives;
    });
  }
  // Two ways to one block, or to blocks that take the same registers, each have to have their own.
  const bool both = has_copies[0] && has_copies[1];
  const bool tests = !parts || both || is_conditional[0] || is_conditional[1];
  if (parts && (has_to_say(end.targets[0]) || has_to_say(end.targets[1])))
    emit(rows::choose, Operation::none, {id_of(end.targets[1]), id_of(end.targets[0]), condition},
         {internal(next_register)});
  if (tests) emit(rows::test, Operation::none, {condition}, {});
  constexpr std::array conditions{Condition::if_not_p0, Condition::if_p0};
  for (unsigned way = 0; way < 2; ++way)
    copies(end.targets[way], both || is_conditional[way] ? conditions[way] : Condition::always, !is_conditional[way]);
  if (parts) return;
  for (unsigned way = 0; way < 2; ++way)
    if (has_to_say(end.targets[way])) set_next(end.targets[way], conditions[way]);
  if (end.targets[0] == block_ + 1) return go(rows::branch, label_of(end.targets[1]), conditions[1]);
  go(rows::branch, label_of(end.targets[0]), conditions[0]);
  if (end.targets[1] != block_ + 1) go(rows::branch, label_of(end.targets[1]));
}

/// Behind the last block that leads back to the head of a loop: if some instances mean the head, they go there.
void Selector::turn_back() {
  std::vector<std::uint32_t> heads = ways_of(program_, block_);
  std::ranges::sort(heads, std::greater{});
  heads.erase(std::ranges::unique(heads).begin(), heads.end());
  for (const std::uint32_t head : heads) {
    if (head > block_ || !flow_.is_masked[head]) continue;
    if (std::ranges::max(program_.blocks[head].predecessors) != block_) continue;
    const std::uint32_t behind = code_.labels++;
    run_those_at(head);
    go(rows::branch_if_none, behind);
    go(rows::branch, label_inside(head));
    mark(behind);
  }
}

void Selector::end_program() {
  block_ = end_;
  line_ = 0;
  mark(label_of(end_));
  if (end_ > 0 && flow_.is_masked[end_ - 1]) run_all();
  if (program_.stage == Stage::vertex) {
    emit(rows::end_vertex, Operation::none, {}, {});
    return;
  }
  if (depth_value_.is_word()) emit(rows::depth, Operation::none, {depth_value_}, {});
  if (discards_) emit(rows::seen, Operation::none, {internal(discarded_register)}, {});
  emit(rows::end, Operation::none, {}, {});
}

}  // namespace mobula::rogue_compiler
