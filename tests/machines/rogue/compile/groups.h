// Groups of a program that a test makes by hand.
#pragma once

#include "machines/rogue/compile/code.h"

namespace mobula::rogue_compiler {

inline Instruction move(const Operand& from, const Operand& to) {
  Instruction made{.row = &rows::move};
  made.sources[0] = from;
  made.results[0] = to;
  return made;
}
inline Operand constant(std::uint32_t number) { return machine(Operand::Kind::constant, number); }
inline Operand output(std::uint32_t number) { return machine(Operand::Kind::output, number); }

}  // namespace mobula::rogue_compiler
