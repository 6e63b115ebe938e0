// Any bytes as machine code: the text assembles to the same bytes; explaining, checking and lifting only ever complain.
// seeds: examples/*.bin tests/data/midgard/*.bin tests/data/afuc/*.fw
#include <cstdlib>

#include "fuzz/program.h"

using namespace mobula;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::Choice choice = fuzz::choose({data, size});
  const Machine& machine = *choice.machine;
  const Program program = fuzz::program_of(choice);
  for (const Syntax& syntax : machine.syntaxes()) {
    if (!syntax.prints) continue;
    const auto listing = machine.disassemble(program, {.syntax = syntax.name, .bytes = true, .words = true});
    if (!listing) std::abort();
    if (!syntax.parses) continue;
    const auto back = machine.assemble({"listing", listing->text}, {.syntax = syntax.name, .variant = choice.variant});
    if (!back || back->code != program.code) std::abort();
  }
  (void)machine.explain(program);
  (void)machine.check(program);
  const auto lifted = machine.lift(program, {});
  if (lifted && !ir::verify(*lifted).empty()) std::abort();
  return 0;
}
