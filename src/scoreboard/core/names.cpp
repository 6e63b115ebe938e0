// Names of the enumerations that a person reads and writes.
#include <array>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

std::string_view name(UnitClass unit) {
  constexpr std::array<std::string_view, unit_class_count> names{"int", "fp", "mul", "div",
                                                                 "ld",  "st", "br",  "special"};
  return names[static_cast<std::size_t>(unit)];
}

std::string_view name(Function function) {
  constexpr std::array<std::string_view, function_count> names{"mix", "add", "sub", "mul", "shr", "and", "or",
                                                               "xor", "mov", "bgt", "blt", "beq", "bne"};
  return names[static_cast<std::size_t>(function)];
}

UnitClass class_of(Function function) {
  if (function == Function::mul) return UnitClass::mul;
  return function >= Function::bgt ? UnitClass::branch : UnitClass::integer;
}

std::string_view name(Cause cause) {
  constexpr std::array<std::string_view, cause_count> names{"issued", "queue_empty", "fu_busy", "pair_fragment",
                                                            "waw",    "raw",         "ir_full", "window",
                                                            "group",  "branch",      "drain"};
  return names[static_cast<std::size_t>(cause)];
}

}  // namespace mobula::scoreboard
