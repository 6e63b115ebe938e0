// Which units wait for which: a row for each that waits, a column for each that is waited for.
#pragma once

#include <array>
#include <cstdint>

#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

/// Kept by row and by column, so that a grant visits only the units that wait for it.
template <class Set>
class Waits {
 public:
  [[nodiscard]] Set row(std::uint32_t unit) const { return rows_[unit]; }
  /// Those that wait for a unit.
  [[nodiscard]] Set column(std::uint32_t unit) const { return columns_[unit]; }
  /// Set that wait for any.
  [[nodiscard]] Set any() const { return any_; }

  void add(std::uint32_t row, Set columns) {
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
  void clear_columns(Set columns) {
    if ((columns & waited_for_) == 0) return;
    for_each(columns & waited_for_, [&](std::uint32_t column) {
      for_each(columns_[column], [&](std::uint32_t row) { clear_in_row(row, column); });
      columns_[column] = 0;
    });
    waited_for_ &= ~columns;
  }
  /// §7.4: rows and columns.
  void forget(Set units) {
    clear_columns(units);
    for_each(units & any_, [&](std::uint32_t row) {
      for_each(rows_[row], [&](std::uint32_t column) { columns_[column] &= ~bit(row); });
      rows_[row] = 0;
    });
    any_ &= ~units;
  }

 private:
  static constexpr Set bit(std::uint32_t unit) { return Set{1} << unit; }
  void clear_in_row(std::uint32_t row, std::uint32_t column) {
    rows_[row] &= ~bit(column);
    if (rows_[row] == 0) any_ &= ~bit(row);
  }

  std::array<Set, 8 * sizeof(Set)> rows_{}, columns_{};
  Set any_ = 0;
  Set waited_for_ = 0;  ///< and maybe some that nobody waits for any more
};

}  // namespace mobula::scoreboard
