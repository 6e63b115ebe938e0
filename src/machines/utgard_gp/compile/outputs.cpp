#include "machines/utgard_gp/compile/outputs.h"

#include <algorithm>
#include <utility>

namespace mobula::utgard_gp_compiler {
namespace {

using ssa::End;
using ssa::Op;
using ssa::Storage;

/// The block that all others that leave are led to.
std::uint32_t only_exit(ssa::Program& program) {
  std::vector<std::uint32_t> exits;
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    const End::Kind kind = program.blocks[i].end.kind;
    if (kind != End::Kind::jump && kind != End::Kind::branch) exits.push_back(i);
  }
  if (exits.size() == 1) return exits.front();
  const auto exit = static_cast<std::uint32_t>(program.blocks.size());
  program.blocks.emplace_back().predecessors = exits;
  for (const std::uint32_t each : exits) program.blocks[each].end = {End::Kind::jump, ssa::none, {exit, ssa::none}};
  return exit;
}

}  // namespace

void store_outputs_at_the_end(ssa::Program& program) {
  const auto stored = ssa::stored_slots(program);
  std::vector<std::uint32_t> instead(program.variables.size(), ssa::none);
  for (std::uint32_t i = 0; i < stored.size(); ++i) {
    if (program.variables[i].storage != Storage::output) continue;
    instead[i] = static_cast<std::uint32_t>(program.variables.size());
    ssa::Variable kept = program.variables[i];
    kept.storage = Storage::local;
    program.variables.push_back(std::move(kept));
  }
  std::vector<std::uint32_t> lines(program.variables.size());  // of the last store in the text
  for (ssa::Block& block : program.blocks)
    for (ssa::Instruction& each : block.instructions) {
      if (each.variable >= instead.size() || instead[each.variable] == ssa::none) continue;
      if (each.op == Op::store) lines[each.variable] = std::max(lines[each.variable], each.line);
      each.variable = instead[each.variable];
    }
  const std::uint32_t exit = only_exit(program);
  program.blocks[exit].end.kind = End::Kind::leave;
  for (std::uint32_t i = 0; i < stored.size(); ++i)
    for (std::uint32_t slot = 0; instead[i] != ssa::none && slot < stored[i].size(); ++slot) {
      if (!stored[i][slot]) continue;
      ssa::Instruction load, store;
      load.op = Op::load;
      load.type = program.variables[i].slots[slot].type;
      load.result = static_cast<ssa::Value>(program.values.size());
      load.variable = instead[i];
      load.data[0] = store.data[0] = slot;
      program.values.push_back(load.type);
      store.op = Op::store;
      store.operands = {load.result};
      store.variable = i;
      store.line = lines[i];
      auto& end = program.blocks[exit].instructions;
      end.push_back(std::move(load));
      end.push_back(std::move(store));
    }
}

}  // namespace mobula::utgard_gp_compiler
