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

std::string_view sentence(Cause cause) {
  constexpr std::array<std::string_view, cause_count> sentences{
      "an operation was issued before it, in its turn",
      "it has not reached the head of the queue",
      "all units that take it are busy",
      "units are free, but no two beside each other",
      "an earlier operation still has to write the same bytes",
      "an earlier operation still has to write what it reads",
      "no virtual or physical register is free",
      "too many operations are issued and not retired",
      "another operation of its group cannot be issued",
      "the branch before it is not decided, or went the other way",
      "all are issued, and the last ones finish"};
  return sentences[static_cast<std::size_t>(cause)];
}

}  // namespace mobula::scoreboard
