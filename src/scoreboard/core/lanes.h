// The columns that one 64-bit register has in the FU-Reg matrices, and which of them block which (§4).
//
// A set of columns is a word with bit 0 for the first of column_names(): `byte` has B0..B7; `two_level` B0..B7, W0, W1;
// `full` B0..B7, H0..H3, W0, W1, D; `lock` one column for the whole register.
#pragma once

#include <cstdint>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// Number of columns of a register.
std::uint32_t column_count(Lanes lanes);

/// The columns that an operand of bytes first..first+bytes-1 sets. Ranges that are not a column (of odd length, or
/// across a boundary) set several. Precondition: bytes >= 1, first + bytes <= 8.
std::uint16_t columns_of(Lanes lanes, std::uint32_t first, std::uint32_t bytes);

/// The cascade network: the columns that overlap any of `own`. Up through the wider columns that contain them, then
/// down into all that these contain by themselves.
std::uint16_t expand(Lanes lanes, std::uint16_t own);

}  // namespace mobula::scoreboard
