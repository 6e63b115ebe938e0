// Which units wait for which: a row for each that waits, a column for each that is waited for.
#pragma once

#include <array>
#include <cstdint>

#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

/// Kept by column: a grant clears whole columns, and of the rows a clock asks only which are not empty.
template <class Set>
class Waits {
 public:
  /// Those that a unit waits for.
  [[nodiscard]] Set row(std::uint32_t unit) const {
    Set columns = 0;
    for_each(waited_for_, [&](std::uint32_t column) {
      if (has(columns_[column], unit)) columns |= bit(column);
    });
    return columns;
  }
  /// Those that wait for a unit.
  [[nodiscard]] Set column(std::uint32_t unit) const { return columns_[unit]; }
  /// Those that wait for any.
  [[nodiscard]] Set any() const { return any_; }
  /// Those that wait for any but these.
  [[nodiscard]] Set any_but(Set columns) const { return rows_of(waited_for_ & ~columns); }

  void add(std::uint32_t row, Set columns) {
    if (columns == 0) return;
    any_ |= bit(row);
    waited_for_ |= columns;
    for_each(columns, [&](std::uint32_t column) { columns_[column] |= bit(row); });
  }
  void clear(std::uint32_t row, std::uint32_t column) {
    columns_[column] &= ~bit(row);
    any_ = rows_of(waited_for_);
  }
  /// Nobody waits for these any more.
  void clear_columns(Set columns) {
    if ((columns & waited_for_) == 0) return;
    for_each(columns & waited_for_, [&](std::uint32_t column) { columns_[column] = 0; });
    waited_for_ &= ~columns;
    any_ = rows_of(waited_for_);
  }
  /// §7.4: rows and columns.
  void forget(Set units) {
    clear_columns(units);
    for_each(waited_for_, [&](std::uint32_t column) { columns_[column] &= ~units; });
    any_ &= ~units;
  }

 private:
  static constexpr Set bit(std::uint32_t unit) { return Set{1} << unit; }
  [[nodiscard]] Set rows_of(Set columns) const {
    Set rows = 0;
    for_each(columns, [&](std::uint32_t column) { rows |= columns_[column]; });
    return rows;
  }

  std::array<Set, 8 * sizeof(Set)> columns_{};
  Set any_ = 0;
  Set waited_for_ = 0;  ///< and maybe some that nobody waits for any more
};

}  // namespace mobula::scoreboard
