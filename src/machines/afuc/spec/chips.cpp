#include "machines/afuc/spec/chips.h"

#include <cstdlib>

namespace mobula::afuc {

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

Identity identify(std::uint32_t word0) {
  Identity identity;
  identity.id = word0 >> 12 & 0xFFF;
  const bool a5xx = word0 >> 24 == 0;
  int nearest = 0x10000;
  for (const Chip& chip : chips) {
    const int distance = std::abs(int{chip.id} - int{identity.id});
    if ((chip.map == Map::a5xx) != a5xx || distance >= nearest || (chip.stray_id && distance != 0)) continue;
    nearest = distance;
    identity.chip = &chip;
  }
  identity.known = nearest == 0;
  return identity;
}

}  // namespace mobula::afuc
