// Any bytes as machine code: the text assembles to the same bytes; explaining, drawing, checking and lifting only ever
// complain. seeds: examples/*.bin tests/data/midgard/*.bin tests/data/afuc/*.fw
#include <cstdlib>
#include <iostream>

#include "fuzz/program.h"
#include "fuzz/target.h"

using namespace mobula;

namespace {

/// Says what broke, where the log of the fuzz target shows it, and stops.
[[noreturn]] void broken(const fuzz::Choice& choice, std::string_view what, std::string_view detail) {
  std::cerr << choice.machine->name() << ':' << choice.variant << ": " << what << '\n' << detail << '\n';
  std::abort();
}

}  // namespace

FUZZ_TARGET(code_fuzz) {
  if (size == 0) return 0;
  const fuzz::Choice choice = fuzz::choose({data, size});
  const Machine& machine = *choice.machine;
  const Program program = fuzz::program_of(choice);
  for (const Syntax& syntax : machine.syntaxes()) {
    if (!syntax.prints) continue;
    const auto listing = machine.disassemble(program, {.syntax = syntax.name, .bytes = true, .words = true});
    if (!listing) broken(choice, "no listing", render(listing.error()));
    if (!syntax.parses) continue;
    const auto back = machine.assemble({"listing", listing->text}, {.syntax = syntax.name, .variant = choice.variant});
    // Mesa's text of Midgard leaves things open, and says nothing of bytes after the last word.
    if (machine.name() == "midgard" && syntax.name.starts_with("mesa")) continue;
    if (!back) broken(choice, "the listing does not assemble", render(back.error()));
    if (back->code != program.code) broken(choice, "the listing assembles to other bytes", listing->text);
  }
  (void)svg(machine.explain(program), machine.pictures(program));
  (void)machine.check(program);
  const auto lifted = machine.lift(program, {});
  if (!lifted) return 0;
  if (const auto wrong = ir::verify(*lifted); !wrong.empty()) broken(choice, "lifted wrongly", wrong.front());
  return 0;
}
