// Zap firmware of Adrenos: ELF files whose loaded segments are microcode (afuc reference 7.3).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/formats.h"

namespace mobula {

bool is_elf(std::span<const std::uint8_t> bytes);
/// Whether a segment is the hashes that Qualcomm's files carry, whatever machine their header names.
bool has_hash_segment(std::span<const std::uint8_t> bytes);
/// An image for each segment that is loaded, has bytes in the file and is neither metadata nor hashes. Nothing is
/// decrypted, no signature is looked at. Errors: FM040 headers beyond the end, FM041 segments in other files (.mdt with
/// .bNN), FM042 nothing to load, FM043 not an ELF file of a kind that Qualcomm's loader knows.
Result<std::vector<CodeImage>> read_elf(std::span<const std::uint8_t> bytes, std::string_view file);

}  // namespace mobula
