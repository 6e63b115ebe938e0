// What an instruction's number means to a person: comments of the text.
#pragma once

#include <string>

#include "machines/afuc/image/image.h"

namespace mobula::afuc {

/// "CP_SCRATCH[0x2].REG", "|NRT_DATA", "CP_NOP packet", or nothing. GPU registers are named where the number flows to
/// something that addresses registers; `as_mesa` names every number that is one, and only by names that Mesa has.
std::string annotation(const Image& image, const Core& core, std::uint32_t index, std::uint32_t word,
                       const Opcode& opcode, bool as_mesa);

}  // namespace mobula::afuc
