#include "compile/passes/optimize.h"

#include "compile/passes/algebra.h"
#include "compile/passes/control_flow.h"
#include "compile/passes/if_convert.h"
#include "compile/passes/outputs.h"
#include "compile/passes/promote.h"
#include "compile/passes/simplify.h"
#include "compile/passes/tables.h"
#include "compile/passes/unroll.h"

namespace mobula::ssa {
namespace {

/// Loops in loops take a round each; what is deeper stays as it is.
constexpr unsigned most_rounds = 12;

/// What is computed. \return whether there was something to do.
bool tidy(Program& program) {
  simplify(program);
  const bool rewritten = rewrite_algebra(program);
  if (rewritten) simplify(program);
  return straighten(program) || rewritten;
}

bool reshape(Program& program, const Effort& effort) {
  bool any = unroll(program, effort.loop_operations);
  if (!any) any = find_tables(program);
  if (!any && effort.chosen_elements > 0) any = choose_elements(program, effort.chosen_elements);
  any |= promote(program);
  any |= convert_branches(program, effort.branch_operations);
  return any;
}

/// What may be anything is the same everywhere from here on.
void choose_undefined(Program& program) {
  for (Block& block : program.blocks)
    for (Instruction& each : block.instructions)
      if (each.op == Op::undefined) each.op = Op::constant;
}

}  // namespace

void optimize(Program& program, const Effort& effort) {
  if (effort.level == 0) return;
  choose_undefined(program);
  if (effort.level > 1) gather_outputs(program);
  const unsigned rounds = effort.level == 1 ? 1 : most_rounds;
  for (unsigned round = 0; round < rounds; ++round) {
    const bool tidied = tidy(program);
    const bool reshaped = effort.level > 1 && reshape(program, effort);
    if (!tidied && !reshaped) break;
  }
  if (effort.multiplies_and_adds) contract(program);
  simplify(program);
}

}  // namespace mobula::ssa
