// Any text as assembly: errors, or a program whose text assembles to the same code.
// seeds: tests/data/midgard/*.asm tests/data/midgard/*.txt tests/data/utgard_gp/*.gpasm tests/data/afuc/*.asm
// seeds: tests/data/rogue/*.rgasm tests/data/rogue/*.isr
#include <cstdlib>

#include "fuzz/program.h"
#include "fuzz/target.h"

using namespace mobula;

FUZZ_TARGET(assembly_fuzz) {
  if (size == 0) return 0;
  const fuzz::Choice choice = fuzz::choose({data, size});
  const std::string_view text(reinterpret_cast<const char*>(choice.rest.data()), choice.rest.size());
  for (const Syntax& syntax : choice.machine->syntaxes()) {
    if (!syntax.parses) continue;
    const auto program = choice.machine->assemble({"input", text}, {.syntax = syntax.name, .variant = choice.variant});
    if (!program) {
      if (!has_errors(program.error())) std::abort();
      continue;
    }
    const auto listing = choice.machine->disassemble(*program, {});
    if (!listing) std::abort();
    const auto back = choice.machine->assemble({"listing", listing->text}, {.variant = program->variant});
    if (!back || back->code != program->code) std::abort();
  }
  return 0;
}
