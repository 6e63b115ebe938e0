// The GPUs whose command-processor firmware is known, and which of them a firmware id means (reference 7.1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/export.h"
#include "machines/afuc/spec/spec.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Which numbers control registers have; every generation reshuffled them.
enum class Map : std::uint8_t { a5xx, a6xx, a7xx, a750, a8xx };
inline constexpr unsigned map_count = 5;
constexpr std::uint8_t generation_of(Map map) {
  constexpr std::array<std::uint8_t, map_count> generations{g5, g6, g7, g7, g8};
  return generations[static_cast<std::size_t>(map)];
}
/// The control register that takes headers of draw states, by the images (decisions 0012, 0033); nothing on a5xx.
constexpr std::optional<std::uint32_t> draw_state_header_register(Map map) {
  constexpr std::array<std::optional<std::uint32_t>, map_count> numbers{std::nullopt, 0x04A, 0x04A, 0x05A, 0x05A};
  return numbers[static_cast<std::size_t>(map)];
}
/// "a5xx" ... as a person says it.
std::string_view name(Map map);

struct Chip {
  std::string_view name, product;
  Map map = Map::a6xx;
  std::uint16_t id = 0;  ///< bits 23:12 of word 0
  Status status = Status::binaries;
};
inline constexpr std::array<Chip, 14> chips{{
    {"a630", "Adreno 630", Map::a6xx, 0x6EE},
    {"a530", "Adreno 530: PFP and ME", Map::a5xx, 0x5FF},
    {"a650", "Adreno 650", Map::a6xx, 0x6DD},
    {"a660", "Adreno 660: SQE and LPAC", Map::a6xx, 0x6DC},
    {"a702", "Adreno 702, of the a6xx kind", Map::a6xx, 0x7AA},
    {"a730", "Adreno 730: BR, BV and LPAC", Map::a7xx, 0x730},
    {"a740", "Adreno 740", Map::a7xx, 0x740},
    {"gen70500", "Adreno X1-85", Map::a7xx, 0x512},
    {"gen71500", "a7xx without LPAC", Map::a7xx, 0x310},
    {"gen71700", "a7xx with BR alone", Map::a7xx, 0x200},
    {"a750", "Adreno 750, gen70900", Map::a750, 0x520},
    {"gen80000", "a8xx", Map::a8xx, 0x500},
    {"gen80100", "a8xx", Map::a8xx, 0x700},
    {"gen80200", "a8xx", Map::a8xx, 0x510},
}};
/// The chip of text and code that do not name theirs.
inline constexpr const Chip& default_chip = chips[0];

/// Name of the variant that goes by the image's own id.
inline constexpr std::string_view automatic = "auto";
std::span<const Variant> variants();
/// nullptr for "auto", an empty name and unknown names.
MOBULA_INTERNAL const Chip* find_chip(std::string_view name);

/// The chip whose id word 0 of an image holds, or nullptr.
MOBULA_INTERNAL const Chip* chip_of_id(std::uint32_t word0);

/// Which chip an image is for.
struct Identity {
  const Chip* chip = &default_chip;
  std::uint16_t id = 0;
  bool known = false;  ///< false: `chip` has the nearest id of the generation whose instructions the words are
};
/// The image has a word 0. Ids of generations lie among each other, so that an unknown one says nothing of its own.
MOBULA_INTERNAL Identity identify(std::span<const std::uint32_t> image);

}  // namespace mobula::afuc
