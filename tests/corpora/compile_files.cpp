// Compiles, checks and verifies shaders, one after the other: compile-files MACHINE < names of files. Of each it says
// first that it begins, then where it came to an end and why, separated by tabs. scripts/compile-corpora runs it.
#include <fstream>
#include <iostream>
#include <sstream>

#include "compile/attempt.h"

int main(int argc, char** argv) {
  using namespace mobula;
  const auto machine = parse_machine(argc > 1 ? argv[1] : "midgard:t860");
  if (!machine) return 2;
  const compile::Target target{std::string(machine->machine->name()), machine->variant};
  for (std::string file; std::getline(std::cin, file);) {
    std::cout << "begin\t" << file << std::endl;
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    const test::Attempt made = test::attempt(text.str(), compile::stage_of_name(file), target, {.runs = 4, .seed = 1});
    const bool nothing = made.is_verified() && made.outcome.compared == 0;
    const std::string why = made.why.substr(0, made.why.find('\n'));
    std::cout << "end\t" << file << '\t' << (nothing ? "nothing compared" : name(made.end)) << '\t' << made.code << '\t'
              << why << '\t' << made.program.code.size() << std::endl;
  }
}
