// Constants as Mesa's listings show them: printed from the bits, and found again from the text.
#pragma once

#include <array>
#include <cstdint>

#include "machines/midgard/spec/codec.h"

namespace mobula::midgard {

inline constexpr std::size_t longest_mesa_number = 48;

/// As printf's %g.
char* put_mesa_real(char* out, double value);
/// An inline constant with its "#". Integers are unsigned.
char* put_mesa_immediate(char* out, unsigned opcode, std::uint16_t constant);
/// One component of the embedded constants: `bits` and `element` are its width and number as it lies there, before
/// widening.
char* put_mesa_constant(char* out, const std::array<std::uint32_t, 4>& constants, unsigned opcode, unsigned bits,
                        unsigned element, unsigned mod, bool widened);

/// The values that Mesa lists for an embedded constant of a vector operand. Of a widened operand it lists every
/// source-width slot of the mask, twice as many values as there are lanes.
struct MesaSlots {
  unsigned mask = 0;  ///< which slots are listed
  unsigned bits = 0;  ///< their width
};
MesaSlots mesa_slots(unsigned opcode, unsigned lane_width, unsigned mask, unsigned expand);
/// Component of the embedded constants that slot `slot` of the listing shows. Mesa lists a widened operand by
/// source-width slots, not by lanes.
unsigned mesa_constant_element(unsigned lane_width, unsigned expand, unsigned swizzle, unsigned slot);

}  // namespace mobula::midgard
