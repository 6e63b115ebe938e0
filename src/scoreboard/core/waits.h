// Which units wait for which: a row for each that waits, a column for each that is waited for.
#pragma once

#include <array>
#include <cstdint>

#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

/// Kept by row and by column, so that a grant visits only the units that wait for it.
class Waits {
 public:
  [[nodiscard]] Units row(std::uint32_t unit) const { return rows_[unit]; }
  /// Units that wait for any.
  [[nodiscard]] Units any() const { return any_; }

  void add(std::uint32_t row, Units columns) {
    if (columns == 0) return;
    rows_[row] |= columns;
    any_ |= bit(row);
    waited_for_ |= columns;
    for_each(columns, [&](std::uint32_t column) { columns_[column] |= bit(row); });
  }
  void clear(std::uint32_t row, std::uint32_t column) {
    columns_[column] &= ~bit(row);
    clear_in_row(row, column);
  }
  /// Nobody waits for these any more.
  void clear_columns(Units columns) {
    for_each(columns & waited_for_, [&](std::uint32_t column) {
      for_each(columns_[column], [&](std::uint32_t row) { clear_in_row(row, column); });
      columns_[column] = 0;
    });
    waited_for_ &= ~columns;
  }
  /// §7.4: rows and columns.
  void forget(Units units) {
    clear_columns(units);
    for_each(units & any_, [&](std::uint32_t row) {
      for_each(rows_[row], [&](std::uint32_t column) { columns_[column] &= ~bit(row); });
      rows_[row] = 0;
    });
    any_ &= ~units;
  }

 private:
  void clear_in_row(std::uint32_t row, std::uint32_t column) {
    rows_[row] &= ~bit(column);
    if (rows_[row] == 0) any_ &= ~bit(row);
  }

  std::array<Units, max_units> rows_{}, columns_{};
  Units any_ = 0;
  Units waited_for_ = 0;  ///< and maybe some that nobody waits for any more
};

}  // namespace mobula::scoreboard
