#include "scoreboard/core/lanes.h"

#include <array>

namespace mobula::scoreboard {
namespace {

constexpr std::uint32_t half_column = 8, word_column = 12, dword_column = 14;  // of `full`
constexpr std::uint32_t two_level_word_column = 8;

/// A bit for each of `count` neighbouring pairs of bits: 1 if either is set.
std::uint32_t either(std::uint32_t bits, std::uint32_t count) {
  std::uint32_t pairs = 0;
  for (std::uint32_t i = 0; i < count; ++i) pairs |= ((bits >> 2 * i & 3) != 0 ? 1u : 0u) << i;
  return pairs;
}

/// Each of `count` bits repeated `times`.
std::uint32_t spread(std::uint32_t bits, std::uint32_t count, std::uint32_t times) {
  std::uint32_t wide = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    if ((bits >> i & 1) != 0) wide |= ((1u << times) - 1) << i * times;
  return wide;
}

std::uint16_t expand_full(std::uint32_t own) {
  const std::uint32_t bytes = own & 0xff, halves = own >> half_column & 0xf, words = own >> word_column & 3;
  const std::uint32_t dword = own >> dword_column & 1;
  const std::uint32_t up_halves = halves | either(bytes, 4), up_words = words | either(up_halves, 2);
  const std::uint32_t up_dword = dword | either(up_words, 1);
  const std::uint32_t down_words = up_words | spread(dword, 1, 2);
  const std::uint32_t down_halves = up_halves | spread(words, 2, 2) | spread(dword, 1, 4);
  const std::uint32_t down_bytes = bytes | spread(halves, 4, 2) | spread(words, 2, 4) | spread(dword, 1, 8);
  return static_cast<std::uint16_t>(down_bytes | down_halves << half_column | down_words << word_column |
                                    up_dword << dword_column);
}

std::uint16_t expand_two_level(std::uint32_t own) {
  const std::uint32_t bytes = own & 0xff, words = own >> two_level_word_column & 3;
  return static_cast<std::uint16_t>(bytes | spread(words, 2, 4) |
                                    (words | either(either(bytes, 4), 2)) << two_level_word_column);
}

/// All results of the network for the fifteen columns, so that a hazard costs one load.
const std::array<std::uint16_t, 1u << 15>& full_table() {
  static const auto table = [] {
    std::array<std::uint16_t, 1u << 15> rows{};
    for (std::uint32_t own = 0; own < rows.size(); ++own) rows[own] = expand_full(own);
    return rows;
  }();
  return table;
}

}  // namespace

std::uint32_t column_count(Lanes lanes) {
  constexpr std::array<std::uint32_t, 4> counts{1, 15, 10, 8};
  return counts[static_cast<std::size_t>(lanes)];
}

std::vector<std::string> column_names(Lanes lanes) {
  if (lanes == Lanes::lock) return {"R"};
  std::vector<std::string> names;
  const auto add = [&](const char* letter, int count) {
    for (int i = 0; i < count; ++i) names.push_back(letter + std::to_string(i));
  };
  add("B", 8);
  if (lanes == Lanes::full) add("H", 4);
  if (lanes != Lanes::byte) add("W", 2);
  if (lanes == Lanes::full) names.emplace_back("D");
  return names;
}

std::uint16_t columns_of(Lanes lanes, std::uint32_t first, std::uint32_t bytes) {
  if (lanes == Lanes::lock) return 1;
  std::uint32_t set = 0;
  for (std::uint32_t at = first; at < first + bytes;) {
    const std::uint32_t left = first + bytes - at;
    std::uint32_t width = 1;  // the widest column that begins here and ends within the range
    if (lanes == Lanes::full)
      while (width < 8 && at % (2 * width) == 0 && 2 * width <= left) width *= 2;
    if (lanes == Lanes::two_level && at % 4 == 0 && left >= 4) width = 4;
    if (width == 1) set |= 1u << at;
    if (width == 2) set |= 1u << (half_column + at / 2);
    if (width == 4) set |= 1u << ((lanes == Lanes::full ? word_column : two_level_word_column) + at / 4);
    if (width == 8) set |= 1u << dword_column;
    at += width;
  }
  return static_cast<std::uint16_t>(set);
}

std::uint16_t expand(Lanes lanes, std::uint16_t own) {
  if (lanes == Lanes::full) return full_table()[own & 0x7fff];
  if (lanes == Lanes::two_level) return expand_two_level(own);
  return own;
}

}  // namespace mobula::scoreboard
