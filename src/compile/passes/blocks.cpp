#include "compile/passes/blocks.h"

#include <algorithm>

namespace mobula::ssa {

unsigned count_operations(const Block& block) {
  return static_cast<unsigned>(std::ranges::count_if(
      block.instructions, [](const Instruction& each) { return each.op != Op::constant && each.op != Op::phi; }));
}

void forget_way(Program& program, std::uint32_t from, std::uint32_t to) {
  Block& block = program.blocks[to];
  const auto at = std::ranges::find(block.predecessors, from) - block.predecessors.begin();
  block.predecessors.erase(block.predecessors.begin() + at);
  for (Instruction& each : block.instructions) {
    if (each.op != Op::phi) break;
    each.operands.erase(each.operands.begin() + at);
  }
}

namespace {

std::vector<bool> find_reached(const Program& program) {
  std::vector<bool> reached(program.blocks.size());
  std::vector<std::uint32_t> open{0};
  reached[0] = true;
  while (!open.empty()) {
    const End& end = program.blocks[open.back()].end;
    open.pop_back();
    for (const std::uint32_t target : end.targets) {
      if (target == none || reached[target]) continue;
      reached[target] = true;
      open.push_back(target);
    }
  }
  return reached;
}

}  // namespace

bool drop_unreached(Program& program) {
  const std::vector<bool> reached = find_reached(program);
  if (std::ranges::find(reached, false) == reached.end()) return false;
  std::vector<std::uint32_t> number(reached.size(), none);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < reached.size(); ++i) {
    if (reached[i]) {
      number[i] = count++;
      continue;
    }
    for (const std::uint32_t target : program.blocks[i].end.targets)
      if (target != none && reached[target]) forget_way(program, i, target);
  }
  const auto renumber = [&](std::uint32_t& block) {
    if (block != none) block = number[block];
  };
  for (std::uint32_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) continue;
    Block& block = program.blocks[i];
    std::ranges::for_each(block.predecessors, renumber);
    std::ranges::for_each(block.end.targets, renumber);
    renumber(block.merge);
    renumber(block.next_turn);
    if (number[i] != i) program.blocks[number[i]] = std::move(block);
  }
  program.blocks.resize(count);
  return true;
}

Instruction make_beside(Program& program, const Instruction& model, Op op, Type type, std::vector<Value> operands) {
  Instruction each;
  each.op = op;
  each.type = type;
  each.operands = std::move(operands);
  each.line = model.line;
  each.result = static_cast<Value>(program.values.size());
  program.values.push_back(type);
  return each;
}

void become_copy(Instruction& each, Value of) {
  each.op = Op::swizzle;
  each.operands = {of};
  each.data = {0, 1, 2, 3};
  each.variable = none;
}

}  // namespace mobula::ssa
