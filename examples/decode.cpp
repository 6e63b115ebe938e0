// Decodes a compiled fragment shader and prints it.
#include <cstdio>

#include "mobula/mobula.h"

int main(int argc, char** argv) {
  const char* const file = argc > 1 ? argv[1] : "examples/checker.frag.bin";
  const auto program = mobula::load_program_file(file, "midgard:t860");
  if (!program) return std::fputs(mobula::render(program.error()).c_str(), stderr), 1;
  const mobula::Machine& machine = *mobula::find_machine(program->machine);
  const auto listing = machine.disassemble(*program, {.bytes = true});
  if (!listing) return std::fputs(mobula::render(listing.error()).c_str(), stderr), 1;
  std::fputs(listing->text.c_str(), stdout);
}
