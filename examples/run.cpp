// Assembles a compute shader, checks it, runs it on inputs from a file and prints what it did.
#include <cstdio>

#include "mobula/mobula.h"

int failed(const mobula::Diagnostics& diagnostics) {
  std::fputs(mobula::render(diagnostics).c_str(), stderr);
  return 1;
}

int main() {
  const auto program = mobula::load_program_file("examples/negative.comp.mdg", "midgard:t860");
  if (!program) return failed(program.error());
  const mobula::Machine& machine = *mobula::find_machine(program->machine);
  const mobula::Diagnostics findings = machine.check(*program);
  if (mobula::has_errors(findings)) return failed(findings);
  std::printf("%zu bytes, %zu findings\n", program->code.size(), findings.size());

  const auto inputs = mobula::load_run_inputs("examples/negative.inputs.json", program->interface);
  if (!inputs) return failed(inputs.error());
  const auto lifted = machine.lift(*program, inputs->policies);
  if (!lifted) return failed(lifted.error());
  const auto result = mobula::run_program(*program, *lifted, *inputs);
  if (!result || has_errors(result->diagnostics)) return failed(result ? result->diagnostics : result.error());
  std::fputs((mobula::to_json(*result, *program, *lifted) + '\n').c_str(), stdout);
}
