#include "compile/ssa/sample_mask.h"

#include <algorithm>

namespace mobula::ssa {
namespace {

class Ends {
 public:
  Ends(Program& program, std::uint32_t mask) : program_(program), mask_(mask) {}

  /// What nothing is written to has the sample.
  void begin_covered() {
    const auto all = static_cast<Value>(program_.values.size());
    program_.values.push_back({Base::integer, 1});
    Instruction constant{.op = Op::constant, .type = {Base::integer, 1}, .result = all};
    constant.data[0] = ~0U;
    Instruction store{.op = Op::store, .operands = {all}};
    store.variable = mask_;
    auto& first = program_.blocks.front().instructions;
    first.insert(first.begin(), {std::move(constant), std::move(store)});
  }
  /// Of a block that leaves.
  void split(std::uint32_t number) {
    const Type word{Base::integer, 1}, truth{Base::boolean, 1};
    const Value mask = add(number, Op::load, word, {});
    program_.blocks[number].instructions.back().variable = mask_;
    const Value one = add(number, Op::constant, word, {}, 1), zero = add(number, Op::constant, word, {}, 0);
    const Value sample = add(number, Op::iand, word, {mask, one});
    const Value covered = add(number, Op::ine, truth, {sample, zero});
    const std::uint32_t leaves = add_block(number, End::Kind::leave), ends = add_block(number, End::Kind::discard);
    program_.blocks[number].end = {End::Kind::branch, covered, {leaves, ends}};
    program_.blocks[number].merge = leaves;
  }

 private:
  Value add(std::uint32_t block, Op op, Type type, std::vector<Value> operands, std::uint32_t number = 0) {
    const auto made = static_cast<Value>(program_.values.size());
    program_.values.push_back(type);
    Instruction each{.op = op, .type = type, .result = made, .operands = std::move(operands)};
    each.data[0] = number;
    each.line = program_.blocks[block].line;
    program_.blocks[block].instructions.push_back(std::move(each));
    return made;
  }
  std::uint32_t add_block(std::uint32_t from, End::Kind how) {
    Block block;
    block.predecessors = {from};
    block.end.kind = how;
    block.line = program_.blocks[from].line;
    program_.blocks.push_back(std::move(block));
    return static_cast<std::uint32_t>(program_.blocks.size() - 1);
  }

  Program& program_;
  std::uint32_t mask_;
};

}  // namespace

void discard_by_sample_mask(Program& program) {
  const auto found = std::ranges::find_if(program.variables, [](const Variable& each) {
    return each.storage == Storage::output && each.built_in() == BuiltIn::sample_mask;
  });
  if (found == program.variables.end()) return;
  const auto number = static_cast<std::uint32_t>(found - program.variables.begin());
  const bool is_written = std::ranges::count(stored_slots(program)[number], true) != 0;
  found->storage = Storage::local;
  for (Slot& slot : found->slots) slot.built_in = BuiltIn::none;
  const auto blocks = static_cast<std::uint32_t>(program.blocks.size());
  if (!is_written) return;
  Ends ends(program, number);
  ends.begin_covered();
  for (std::uint32_t i = 0; i < blocks; ++i)
    if (program.blocks[i].end.kind == End::Kind::leave) ends.split(i);
}

}  // namespace mobula::ssa
