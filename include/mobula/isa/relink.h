// Relinking: moving attributes, varyings and uniforms of a program to other numbers, as a driver does before it uploads
// a shader. For Utgard GP, the vertex processor of ARM Mali-200/400/450 (reference 8.1 "Linking"); see Ability::relink.
// Only index fields change.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

/// Old number to new number; numbers that are not listed stay. Uniforms count vec4s.
struct RelinkMoves {
  std::map<std::uint32_t, std::uint32_t> attributes, varyings, uniforms;
};

/// The program with all moves made at once, names and constants of its interface included. All errors are reported:
/// MOB003 programs of this machine cannot be relinked, GP201 a number beyond the machine's limits, GP202 two things
/// moved to one place, GP203 uniforms moved in a program that addresses them by register, GP204 a number that neither
/// code nor interface uses, GP205 a matrix or array that would be split.
MOBULA_API Result<Program> relink(Program program, const RelinkMoves& moves);
/// The MBS1 file in `bytes` with the code of the program that relink() gave, and with the new numbers in its tables.
/// Errors are those of mbs1::read.
MOBULA_API Result<std::vector<std::uint8_t>> relink_mbs1(std::span<const std::uint8_t> bytes, const Program& relinked,
                                                         const RelinkMoves& moves);

}  // namespace mobula
