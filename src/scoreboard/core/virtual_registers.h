// The virtual-to-real table (§5): row i stands for at most one register, a register has at most one row. Without a
// table, rows are the registers themselves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "scoreboard/core/plan.h"

namespace mobula::scoreboard {

class VirtualRegisters {
 public:
  static constexpr std::uint16_t none = 0xffff;

  /// Of so many registers, of which the plan knows the first.
  VirtualRegisters(const Config& config, const Plan& plan, std::uint32_t registers)
      : table_(config.virtual_registers.rows != 0) {
    const std::uint32_t tables = config.virtual_registers.per_file ? 26 : 1;
    rows_per_table_ = table_ ? config.virtual_registers.rows : registers;
    row_of_.resize(registers);
    file_of_.resize(registers, 0);
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
      row_of_[reg] = table_ ? none : static_cast<std::uint16_t>(reg);
      if (config.virtual_registers.per_file) file_of_[reg] = plan.registers[reg].file;
    }
    register_of_.assign(table_ ? std::size_t{rows_per_table_} * tables : registers, none);
    for (std::uint32_t row = 0; row < registers && !table_; ++row) register_of_[row] = static_cast<std::uint16_t>(row);
    used_.assign(tables, 0);
    words_per_table_ = (rows_per_table_ + 63) / 64;
    free_.assign(table_ ? std::size_t{words_per_table_} * tables : 0, ~std::uint64_t{0});
  }

  [[nodiscard]] std::size_t rows() const { return register_of_.size(); }
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }
  /// Row of a register, or none.
  [[nodiscard]] std::uint16_t row(std::uint16_t reg) const { return row_of_[reg]; }
  /// Register of a row, or none.
  [[nodiscard]] std::uint16_t reg(std::size_t row) const { return register_of_[row]; }

  /// True if so many registers surely have or find a row; otherwise see fits().
  [[nodiscard]] bool has_room_for(std::size_t registers) const {
    return !table_ || in_use_ + registers <= rows_per_table_;
  }
  /// True if each of the registers has a row or finds a free one. `registers` may repeat itself.
  template <class Registers>
  [[nodiscard]] bool fits(const Registers& registers) const {
    if (!table_) return true;
    for (auto at = registers.begin(); at != registers.end(); ++at) {
      if (row_of_[*at] != none) continue;
      // Every missing register asks for those before it in its table, once each.
      std::uint32_t missing = 1;
      for (auto before = registers.begin(); before != at; ++before) {
        const bool repeated = std::find(registers.begin(), before, *before) != before;
        if (row_of_[*before] == none && !repeated && *before != *at && file_of_[*before] == file_of_[*at]) ++missing;
      }
      if (used_[file_of_[*at]] + missing > rows_per_table_) return false;
    }
    return true;
  }
  /// The register's row; a free one becomes it. Precondition: fits().
  std::uint16_t claim(std::uint16_t reg) {
    if (row_of_[reg] != none) return row_of_[reg];
    std::uint64_t* const free = free_.data() + std::size_t{file_of_[reg]} * words_per_table_;
    std::size_t word = 0;
    while (free[word] == 0) ++word;
    const auto place = static_cast<std::size_t>(std::countr_zero(free[word]));
    free[word] &= free[word] - 1;
    const std::size_t row = std::size_t{file_of_[reg]} * rows_per_table_ + word * 64 + place;
    register_of_[row] = reg;
    ++used_[file_of_[reg]];
    ++in_use_;
    return row_of_[reg] = static_cast<std::uint16_t>(row);
  }
  /// Nothing refers to the row any more.
  void release(std::uint16_t row) {
    if (!table_) return;
    const std::uint16_t reg = register_of_[row];
    row_of_[reg] = register_of_[row] = none;
    const std::uint32_t place = row - file_of_[reg] * rows_per_table_;
    free_[std::size_t{file_of_[reg]} * words_per_table_ + place / 64] |= std::uint64_t{1} << place % 64;
    --used_[file_of_[reg]];
    --in_use_;
  }

 private:
  bool table_;
  std::uint32_t rows_per_table_ = 0, words_per_table_ = 0, in_use_ = 0;
  std::vector<std::uint16_t> row_of_, register_of_;
  std::vector<std::uint8_t> file_of_;
  std::vector<std::uint32_t> used_;  // by table
  std::vector<std::uint64_t> free_;  // rows, a bit each, by table; those beyond the table are never reached
};

}  // namespace mobula::scoreboard
