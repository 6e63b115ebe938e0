#include "scoreboard/core/waits.h"

#include <gtest/gtest.h>

#include <random>

namespace mobula::scoreboard {
namespace {

/// The same as a plain matrix of bits.
struct Plain {
  std::array<Units, 64> rows{};
  void clear_columns(Units columns) {
    for (Units& row : rows) row &= ~columns;
  }
};

TEST(ScoreboardWaits, AreAMatrixOfBitsWhateverIsDoneToThem) {
  std::mt19937_64 random(1);
  Waits<Units> waits;
  Plain plain;
  for (int step = 0; step < 20'000; ++step) {
    const auto unit = static_cast<std::uint32_t>(random() % 64), other = static_cast<std::uint32_t>(random() % 64);
    const Units half = random(), quarter = half & random(), some = quarter & random() & ~bit(unit);
    switch (random() % 4) {
      case 0:
        waits.add(unit, some);
        plain.rows[unit] |= some;
        break;
      case 1:
        waits.clear(unit, other);
        plain.rows[unit] &= ~bit(other);
        break;
      case 2:
        waits.clear_columns(some & (some >> 1));
        plain.clear_columns(some & (some >> 1));
        break;
      default:
        waits.forget(bit(unit) | bit(other));
        plain.clear_columns(bit(unit) | bit(other));
        plain.rows[unit] = plain.rows[other] = 0;
    }
    Units any = 0, any_but_half = 0;
    for (std::uint32_t row = 0; row < 64; ++row) {
      ASSERT_EQ(waits.row(row), plain.rows[row]) << step;
      if (plain.rows[row] != 0) any |= bit(row);
      if ((plain.rows[row] & ~half) != 0) any_but_half |= bit(row);
    }
    ASSERT_EQ(waits.any(), any) << step;
    ASSERT_EQ(waits.any_but(half), any_but_half) << step;
  }
}

}  // namespace
}  // namespace mobula::scoreboard
