#include "scoreboard/core/ports.h"

#include <algorithm>

namespace mobula::scoreboard {

BankPorts::BankPorts(const Config& config, std::uint32_t ports, bool reads, bool counted)
    : ports_(ports),
      lanes_(reads ? config.banks.lanes : 0),
      reads_(reads),
      byte_crossbar_(config.banks.byte_crossbar || !reads),
      broadcast_(config.banks.broadcast && reads),
      unlimited_(ports_ == 0 && lanes_ == 0 && byte_crossbar_),
      counted_(counted),
      spare_(BankCounts{most_counted_ports - std::min(ports, most_counted_ports)} * 0x1111'1111'1111'1111),
      used_(config.files.size() * config.banks.count, 0),
      taken_(std::size_t{max_units} * 4 * max_ports) {}  // units, words and registers of an operand, operands

void BankPorts::begin_clock() {
  for (const Taken& taken : accesses()) used_[taken.bank] = 0;
  taken_count_ = 0;
  counts_ = 0;
}

BankPorts::Refusal BankPorts::take_one(const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner) {
  // The second register of a quad comes through the next lane.
  const std::uint32_t lane = lanes_ == 0 ? unit : (unit + (operand.second() ? 1 : 0)) % lanes_;
  if (lanes_ != 0)
    for (const Taken& taken : accesses())
      if (taken.lane == lane && taken.port == operand.port && taken.reg != operand.reg) return Refusal::lane;
  if (!byte_crossbar_ && operand.narrow())
    for (const Taken& taken : accesses())
      if (taken.narrow && taken.lane == lane) return Refusal::crossbar;
  for (const std::uint16_t bank : operand.banks) {
    if (bank == no_bank) continue;
    const bool shared = std::ranges::any_of(accesses(), [&](const Taken& taken) {
      return taken.bank == bank && taken.reg == operand.reg &&
             ((taken.owner == owner && taken.port == operand.port) || broadcast_);
    });
    if (ports_ != 0 && !shared && used_[bank] == ports_) return Refusal::bank;
    if (!shared) ++used_[bank];
    taken_[taken_count_++] = {
        operand.reg,      bank,  static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(owner), operand.port,
        operand.narrow(), shared};
  }
  return Refusal::none;
}

void BankPorts::undo(std::size_t mark) {
  while (taken_count_ > mark) {
    const Taken& last = taken_[--taken_count_];
    if (!last.shared) --used_[last.bank];
  }
}

bool BankPorts::take(std::span<const PlannedOperand> operands, std::uint32_t unit, std::uint32_t owner,
                     Conflicts& conflicts) {
  if (unlimited_) return true;
  const std::size_t before = taken_count_;
  for (const PlannedOperand& operand : operands) {
    const Refusal refusal = take_one(operand, unit, owner);
    if (refusal == Refusal::none) continue;
    undo(before);
    if (refusal == Refusal::lane) ++conflicts.lane_mux;
    if (refusal == Refusal::crossbar) ++conflicts.byte_crossbar;
    if (refusal == Refusal::bank) ++(reads_ ? conflicts.read_bank : conflicts.write_bank);
    return false;
  }
  return true;
}

}  // namespace mobula::scoreboard
