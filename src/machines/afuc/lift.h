// Microcode to micro-operations: a block an instruction word, see ports.h. Semantics: sections 2 and 3 of the afuc
// reference.
#pragma once

#include <cstdint>
#include <span>

#include "mobula/machine.h"

namespace mobula::afuc {

/// Decisions about behaviour nobody has published.
std::span<const Policy> policies();

/// `words` is one (sub)program from its word 0; `generation` is one of g5, g6, g7, g8. Any words are good: what is no
/// instruction stops the thread that comes there. Fails on policies and values that are unknown.
Result<ir::Program> lift(std::span<const std::uint32_t> words, std::uint8_t generation, const Policies& chosen);

}  // namespace mobula::afuc
