#include "compile/passes/outputs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mobula::ssa {
namespace {

struct Accesses {
  unsigned stores = 0, loads = 0;
  bool indexed = false;
};

/// By variable.
std::vector<Accesses> accesses_of(const Program& program) {
  std::vector<Accesses> all(program.variables.size());
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions) {
      if (each.op != Op::load && each.op != Op::store) continue;
      Accesses& of = all[each.variable];
      const bool stores = each.op == Op::store;
      ++(stores ? of.stores : of.loads);
      of.indexed = of.indexed || each.operands.size() > (stores ? 1U : 0U);
    }
  return all;
}

}  // namespace

void gather_outputs(Program& program) {
  const std::vector<Accesses> accesses = accesses_of(program);
  const std::vector<std::vector<bool>> stored = stored_slots(program);
  std::map<std::uint32_t, std::uint32_t> kept;  // the local variable of an output
  const auto count = static_cast<std::uint32_t>(program.variables.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (program.variables[i].storage != Storage::output) continue;
    const auto slots = static_cast<unsigned>(std::ranges::count(stored[i], true));
    if (!accesses[i].indexed && accesses[i].loads == 0 && accesses[i].stores <= slots) continue;
    kept[i] = static_cast<std::uint32_t>(program.variables.size());
    Variable local = program.variables[i];
    local.storage = Storage::local;
    local.name += " kept";
    for (Slot& slot : local.slots) slot.location = none;
    program.variables.push_back(std::move(local));
  }
  for (Block& block : program.blocks) {
    for (Instruction& each : block.instructions)
      if (const auto found = kept.find(each.variable); found != kept.end()) each.variable = found->second;
    if (block.end.kind != End::Kind::leave) continue;
    for (const auto& [output, local] : kept)
      for (std::uint32_t slot = 0; slot < stored[output].size(); ++slot) {
        if (!stored[output][slot]) continue;
        const Type type = program.variables[output].slots[slot].type;
        program.values.push_back(type);
        Instruction load{.op = Op::load, .type = type, .result = static_cast<Value>(program.values.size() - 1)};
        load.data[0] = slot;
        load.variable = local;
        Instruction store{.op = Op::store, .operands = {load.result}};
        store.data[0] = slot;
        store.variable = output;
        block.instructions.push_back(std::move(load));
        block.instructions.push_back(std::move(store));
      }
  }
}

}  // namespace mobula::ssa
