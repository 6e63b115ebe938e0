// Reads machine code, with mobula::isa alone: assembles, checks, prints.
#include <cstdio>

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/machine.h"

int main() {
  const mobula::Machine* machine = mobula::find_machine("midgard");
  if (machine == nullptr) return 1;
  const auto program = machine->assemble({"none.mdg", ""}, {});
  if (!program) return std::fputs(mobula::render(program.error()).c_str(), stderr), 1;
  const auto listing = machine->disassemble(*program, {});
  if (!listing) return 1;
  for (const mobula::Machine* each : mobula::machines()) std::puts(each->name().data());
  return 0;
}
