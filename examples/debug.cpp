// Steps through a shader to a breakpoint, prints the registers in use there, and takes one word back.
#include <cstdio>

#include "mobula/mobula.h"

int failed(const mobula::Diagnostics& diagnostics) {
  std::fputs(mobula::render(diagnostics).c_str(), stderr);
  return 1;
}

int main() {
  const auto program = mobula::load_program_file("examples/checker.frag.bin", "midgard:t860");
  if (!program) return failed(program.error());
  const auto inputs = mobula::load_run_inputs("examples/checker.inputs.json", program->interface);
  if (!inputs) return failed(inputs.error());
  const auto lifted = mobula::find_machine(program->machine)->lift(*program, inputs->policies);
  if (!lifted) return failed(lifted.error());
  auto debugger = mobula::Debugger::create(*program, *lifted, *inputs);
  if (!debugger) return failed(debugger.error());

  debugger->break_at(0x20);
  if (debugger->go() != mobula::Debugger::Halt::breakpoint) return std::puts("the breakpoint was not met"), 1;
  std::printf("at 0x20 after %d words\n", static_cast<int>(debugger->words_executed()));
  for (const mobula::ir::Slot* slot : debugger->slots_in_use())
    std::printf("%s = %s\n", slot->name.c_str(), mobula::slot_text(*slot, debugger->read(*slot)).c_str());
  debugger->back();
  std::printf("back at %#x\n", static_cast<unsigned>(*debugger->address(debugger->lane())));
}
