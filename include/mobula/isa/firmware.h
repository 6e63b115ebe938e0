// Firmware of Adreno command processors (afuc reference 7): how an image is divided, without knowing its instructions.
//
// A file is a zero word that kernels drop, then little-endian 32-bit words. Word 0 holds id and version, word 1 an
// offset; one or more programs follow, each with a table of 128 packet handlers after its code. Word numbers count
// from word 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mobula/export.h"

namespace mobula::firmware {

inline constexpr std::uint32_t table_words = 128, section_alignment = 8;

/// One program of an image: what one core runs.
struct Section {
  std::uint32_t start = 0;             ///< first word
  std::uint32_t words = 0;             ///< up to the next program or the end
  std::optional<std::uint32_t> table;  ///< first word of the packet table, counted from `start`
};

struct Layout {
  bool leading_zero = false;      ///< the file's first word is the zero before word 0
  std::uint32_t words = 0;        ///< whole words, without the leading zero
  std::uint32_t byte_offset = 0;  ///< of word 0 in the file
  std::vector<Section> sections;  ///< in file order; at least one
};

/// Accepts any bytes. Offsets that do not lead to a packet table are ignored; the tables of programs that
/// keep their offset in their code are found by what they look like.
MOBULA_API Layout layout(std::span<const std::uint8_t> bytes);

/// Bits 23:12 and 11:0 of word 0.
constexpr std::uint32_t id(std::uint32_t word0) { return word0 >> 12 & 0xFFF; }
constexpr std::uint32_t version(std::uint32_t word0) { return word0 & 0xFFF; }
/// The version as kernels compare it: where its low digit is 0xA, the patch version in word 2 replaces it.
MOBULA_API std::uint32_t kernel_version(std::uint32_t word0, std::uint32_t word2);

/// True if the bytes begin as the firmware of an a5xx or later does.
MOBULA_API bool is_firmware(std::span<const std::uint8_t> bytes);
/// True for PFP and ME images of a2xx to a4xx, which have a different architecture.
MOBULA_API bool is_older_firmware(std::span<const std::uint8_t> bytes);

/// Word `index` of `bytes`, which holds whole words.
inline std::uint32_t load_word(std::span<const std::uint8_t> bytes, std::size_t index) {
  const std::uint8_t* at = bytes.data() + index * 4;
  return at[0] | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24;
}

}  // namespace mobula::firmware
