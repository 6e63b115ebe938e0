// Relinking: moving attributes, varyings and uniforms of a program to other numbers, as a driver does before it uploads
// a shader (8.1 "Linking"). Only index fields change.
#pragma once

#include <map>

#include "mobula/program.h"
#include "mobula/result.h"

namespace mobula::utgard_gp {

/// Old number to new number; numbers that are not listed stay. Uniforms count vec4s.
struct Moves {
  std::map<std::uint32_t, std::uint32_t> attributes, varyings, uniforms;
};

/// The program with all moves made at once, names and constants of its interface included. Errors (GP2xx): a number
/// beyond the machine's limits, two things moved to one place, or uniforms moved in a program that addresses them by
/// register.
Result<Program> relink(Program program, const Moves& moves);

}  // namespace mobula::utgard_gp
