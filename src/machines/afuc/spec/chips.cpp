#include "machines/afuc/spec/chips.h"

#include <algorithm>
#include <cstdlib>

#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {
namespace {

std::uint16_t id_of(std::uint32_t word0) { return word0 >> 12 & 0xFFF; }

/// The generation that most words are instructions of. Of several the earliest: whatever is an instruction of an a7xx
/// is one of an a8xx. The byte that makes word 0 a nop separates a5xx from the others.
std::uint8_t generation_of_words(std::span<const std::uint32_t> image) {
  if (image.front() >> 24 == 0) return g5;
  std::uint8_t best = g6;
  std::ptrdiff_t most = 0;
  for (const std::uint8_t generation : {g6, g7, g8}) {
    const Decoder& words = decoder(generation);
    const std::ptrdiff_t count = std::count_if(image.begin(), image.end(), [&](std::uint32_t word) {
      const Opcode* opcode = words.find(word);
      return opcode != nullptr && is_canonical(word, *opcode);
    });
    if (count <= most) continue;
    most = count;
    best = generation;
  }
  return best;
}

}  // namespace

std::string_view name(Map map) {
  constexpr std::array<std::string_view, map_count> names{"a5xx", "a6xx", "a7xx", "a7xx (A750)", "a8xx"};
  return names[static_cast<std::size_t>(map)];
}

std::span<const Variant> variants() {
  static constexpr auto all = [] {
    std::array<Variant, chips.size() + 1> list{};
    list[0] = {.name = automatic,
               .product = "by the firmware's own id",
               .summary = "a630 where there is none",
               .by_content = true};
    for (std::size_t i = 0; i < chips.size(); ++i) list[i + 1] = {chips[i].name, chips[i].product, ""};
    return list;
  }();
  return all;
}

const Chip* find_chip(std::string_view name) {
  for (const Chip& chip : chips)
    if (chip.name == name) return &chip;
  return nullptr;
}

const Chip* chip_of_id(std::uint32_t word0) {
  const bool a5xx = word0 >> 24 == 0;
  for (const Chip& chip : chips)
    if (chip.id == id_of(word0) && (chip.map == Map::a5xx) == a5xx) return &chip;
  return nullptr;
}

Identity identify(std::span<const std::uint32_t> image) {
  Identity identity;
  identity.id = id_of(image.front());
  if (const Chip* chip = chip_of_id(image.front())) {
    identity.chip = chip;
    identity.known = true;
    return identity;
  }
  const std::uint8_t generation = generation_of_words(image);
  int nearest = 0x10000;
  for (const Chip& chip : chips) {
    const int distance = std::abs(int{chip.id} - int{identity.id});
    if (generation_of(chip.map) != generation || distance >= nearest) continue;
    nearest = distance;
    identity.chip = &chip;
  }
  return identity;
}

}  // namespace mobula::afuc
