// ARM's chunk tree (MBS2, MPB1). Facts: Midgard reference 7.1, after the limadriver wiki and ShaderProgramDisassembler.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/formats.h"

namespace mobula {

bool is_mbs(std::span<const std::uint8_t> bytes);
Result<std::vector<CodeImage>> read_mbs(std::span<const std::uint8_t> bytes, std::string_view file);

}  // namespace mobula
