// Which bytes of which registers an ALU instruction reads and writes (2.6, 2.7).
#pragma once

#include <cstdint>

#include "machines/midgard/spec/codec.h"

namespace mobula::midgard {

/// Bytes of a 128-bit register: bit k = byte k.
using Bytes = std::uint16_t;
inline constexpr Bytes all_bytes = 0xFFFF, component_w = 0xF000;

struct Touched {
  std::uint8_t reg = register_unused;
  Bytes bytes = 0;
};

/// True if the operation uses source 1 or 2. Unassigned operations are taken to use both.
bool uses_source(unsigned opcode, unsigned number);
/// What source 1 or 2 reads; no bytes if it is an inline constant or not used.
Touched source_bytes(const AluInstruction& instruction, unsigned number);
/// What the instruction writes.
Touched destination_bytes(const AluInstruction& instruction);

/// Lanes of the source a vector operation evaluates: those enabled, or all it combines.
unsigned evaluated_lanes(const AluInstruction& instruction, unsigned number);

}  // namespace mobula::midgard
