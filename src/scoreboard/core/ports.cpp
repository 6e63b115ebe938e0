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
      spare_(ports == 0 ? 0
                        : BankCounts{most_counted_ports - std::min(ports, most_counted_ports)} * 0x1111'1111'1111'1111),
      used_(config.files.size() * config.banks.count, 0),
      taken_(std::size_t{max_units} * 4 * max_ports) {  // units, words and registers of an operand, operands
  for (std::uint32_t unit = 0; unit <= max_units; ++unit)
    lane_of_.push_back(static_cast<std::uint8_t>(lanes_ == 0 ? unit : unit % lanes_));
  LaneRegisters none;
  none.fill(no_register);
  if (counted_ && lanes_ != 0) lane_registers_.assign(lane_of_.size(), none);
}

void BankPorts::begin_clock() {
  for (const Taken& taken : accesses()) used_[taken.bank] = 0;
  taken_count_ = 0;
  counts_ = 0;
  for (; last_lane_ != 0; --last_lane_) lane_registers_[last_lane_ - 1].fill(no_register);
}

BankPorts::Refusal BankPorts::take_one(const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner) {
  const std::uint32_t lane = lane_of(unit, operand);
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

void BankPorts::count(Refusal refusal, Conflicts& conflicts) const {
  if (refusal == Refusal::lane) ++conflicts.lane_mux;
  if (refusal == Refusal::crossbar) ++conflicts.byte_crossbar;
  if (refusal == Refusal::bank) ++(reads_ ? conflicts.read_bank : conflicts.write_bank);
}

bool BankPorts::take(const UnitOperands& its, std::uint32_t owner, Conflicts& conflicts) {
  if (unlimited_) return true;
  const std::size_t before = taken_count_;
  for (const PlannedOperand& operand : its.operands) {
    const Refusal refusal = take_one(operand, its.unit, owner);
    if (refusal == Refusal::none) continue;
    undo(before);
    count(refusal, conflicts);
    return false;
  }
  return true;
}

void BankPorts::count_refusal(const UnitOperands& low, const UnitOperands& high, Conflicts& conflicts) const {
  BankCounts counts = counts_;
  for (const UnitOperands* its : {&low, &high})
    for (const PlannedOperand& operand : its->operands) {
      if (lanes_ != 0 && finds_lane_taken(its->unit, operand)) return count(Refusal::lane, conflicts);
      counts += count_banks(operand, its == &high ? low.operands : std::span<const PlannedOperand>());
      if (!is_within(counts)) return count(Refusal::bank, conflicts);
    }
}

}  // namespace mobula::scoreboard
