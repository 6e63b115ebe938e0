// Register renaming (`waw: rename`): every write goes to a physical register that nobody uses, so that writes wait
// neither for older writes nor for older reads.
//
// The map says which physical register each register is; the window lists the operations in flight in program order.
// What a register was before is free again when the operation that replaced it retires: it is done, and so are all
// before it. Until then the map can be turned back. Of the free physical registers the lowest is taken, as a picker
// over a bit each does in hardware.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scoreboard/core/plan.h"

namespace mobula::scoreboard {

class Renaming {
 public:
  Renaming(const Config& config, const Plan& plan) : active_(config.waw == Waw::rename), banks_(config.banks) {
    std::uint32_t first = 0;
    for (const RegisterFile& file : config.files) {
      const std::uint32_t count = active_ ? file.physical : file.count;
      const auto index = static_cast<std::uint8_t>(files_.size());
      for (std::uint32_t i = 0; i < file.count; ++i) {
        map_.push_back(static_cast<std::uint16_t>(first + i));
        file_of_.push_back(index);
      }
      File& added = files_.emplace_back();
      added.first = first;
      added.letter = file.letter;
      added.free.assign((count + 63) / 64, 0);
      for (std::uint32_t i = file.count; active_ && i < count; ++i) added.set_free(i);
      first += count;
    }
    physical_registers_ = first;
    if (!active_) return;
    entries_.resize(config.renaming.window);
    initial_.assign(first, 0);
    for (std::size_t reg = 0; reg < map_.size(); ++reg) initial_[map_[reg]] = plan.initial[reg];
  }

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] std::size_t physical_registers() const { return physical_registers_; }
  /// Values at the start, by physical register. Precondition: active().
  [[nodiscard]] const std::vector<std::uint64_t>& initial() const { return initial_; }
  /// Physical registers beyond those that the map names.
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }
  [[nodiscard]] std::uint16_t physical(std::uint16_t reg) const { return map_[reg]; }
  [[nodiscard]] bool is_free(std::size_t physical) const {
    const File& file = files_[file_with(physical)];
    const std::size_t number = physical - file.first;
    return (file.free[number / 64] >> number % 64 & 1) != 0;
  }
  /// "pF130"
  [[nodiscard]] std::string name(std::size_t physical) const {
    const std::size_t file = file_with(physical);
    return std::string("p") + files_[file].letter + std::to_string(physical - files_[file].first);
  }

  [[nodiscard]] bool window_has(std::size_t operations) const { return used_ + operations <= entries_.size(); }
  /// Whether each of the registers, which may repeat themselves, finds a new physical one.
  [[nodiscard]] bool fits(std::span<const std::uint16_t> written) const {
    std::array<std::size_t, 26> wanted{};
    for (const std::uint16_t reg : written)
      if (++wanted[file_of_[reg]] > files_[file_of_[reg]].free_count) return false;
    return true;
  }

  /// The next operation of the program; its place in the window.
  std::uint32_t enter() {
    const auto place = static_cast<std::uint32_t>((oldest_ + used_++) % entries_.size());
    entries_[place] = {};
    return place;
  }
  /// What the operation that entered last reads or writes, with its physical register. Precondition: fits().
  void rename(PlannedOperand& operand, bool writes) {
    const std::uint16_t before = map_[operand.reg];
    if (!writes) return move(operand, before);
    File& file = files_[file_of_[operand.reg]];
    const auto after = static_cast<std::uint16_t>(file.first + file.take_lowest());
    ++in_use_;
    Entry& entry = entries_[(oldest_ + used_ - 1) % entries_.size()];
    entry.replaced[entry.count++] = {operand.reg, before};
    map_[operand.reg] = after;
    move(operand, after);
  }

  /// The operation has written all; it retires together with those that only waited for it.
  void done(std::uint32_t place) {
    entries_[place].done = true;
    while (used_ != 0 && entries_[oldest_].done) {
      for (const Replaced& each : entries_[oldest_].all()) release(each.reg, each.before);
      oldest_ = static_cast<std::uint32_t>((oldest_ + 1) % entries_.size());
      --used_;
    }
  }
  /// Turns the map back to what has retired; gives the number of operations that were done for nothing.
  std::uint32_t undo() {
    std::uint32_t in_vain = 0;
    for (; used_ != 0; --used_) {
      Entry& entry = entries_[(oldest_ + used_ - 1) % entries_.size()];
      if (entry.done) ++in_vain;
      while (entry.count != 0) {
        const Replaced& last = entry.replaced[--entry.count];
        release(last.reg, map_[last.reg]);
        map_[last.reg] = last.before;
      }
    }
    return in_vain;
  }

 private:
  struct File {
    std::uint32_t first = 0;
    char letter = 'A';
    std::uint32_t free_count = 0;
    std::vector<std::uint64_t> free;  // a bit each
    void set_free(std::uint32_t number) {
      free[number / 64] |= std::uint64_t{1} << number % 64;
      ++free_count;
    }
    /// Precondition: free_count != 0.
    std::uint32_t take_lowest() {
      std::size_t word = 0;
      while (free[word] == 0) ++word;
      const auto place = static_cast<std::uint32_t>(std::countr_zero(free[word]));
      free[word] &= free[word] - 1;
      --free_count;
      return static_cast<std::uint32_t>(64 * word) + place;
    }
  };
  struct Replaced {
    std::uint16_t reg = 0, before = 0;
  };
  struct Entry {
    std::array<Replaced, 2 * max_destinations> replaced;
    std::uint8_t count = 0;
    bool done = false;
    [[nodiscard]] std::span<const Replaced> all() const { return std::span(replaced).first(count); }
  };

  [[nodiscard]] std::size_t file_with(std::size_t physical) const {
    std::size_t file = files_.size() - 1;
    while (files_[file].first > physical) --file;
    return file;
  }

  void release(std::uint16_t reg, std::uint16_t physical) {
    File& file = files_[file_of_[reg]];
    file.set_free(physical - file.first);
    --in_use_;
  }

  /// The banks of the new register instead of the old one's.
  void move(PlannedOperand& operand, std::uint16_t physical) const {
    const std::uint8_t file = file_of_[operand.reg];
    operand.reg = physical;
    const std::uint32_t number = physical - files_[file].first;
    const std::uint32_t first = file * banks_.count;
    if (banks_.mapping == Mapping::modulo) {
      operand.banks[0] = static_cast<std::uint16_t>(first + number % banks_.count);
      return;
    }
    // Odd or even, low or high half: the half stays.
    for (std::uint16_t& bank : operand.banks)
      if (bank != no_bank) bank = static_cast<std::uint16_t>(first + number % 2 * 2 + (bank - first) % 2);
  }

  bool active_;
  Config::Banks banks_;
  std::vector<std::uint16_t> map_;     // by register
  std::vector<std::uint8_t> file_of_;  // by register: its place in files_
  std::vector<File> files_;
  std::size_t physical_registers_ = 0;
  std::vector<std::uint64_t> initial_;
  std::vector<Entry> entries_;  // a ring
  std::uint32_t oldest_ = 0, used_ = 0, in_use_ = 0;
};

}  // namespace mobula::scoreboard
