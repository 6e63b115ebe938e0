#include "scoreboard/ports.h"

#include <algorithm>

namespace mobula::scoreboard {

BankPorts::BankPorts(const Config& config, std::uint32_t ports, bool reads)
    : config_(config), ports_(ports), reads_(reads), used_(config.files.size() * config.banks.count, 0) {
  taken_.reserve(64 * 2 * max_ports);  // units, words of an operand, operands
}

void BankPorts::begin_clock() {
  for (const Taken& taken : taken_) used_[taken.word.bank] = 0;
  taken_.clear();
}

BankPorts::Refusal BankPorts::take_one(const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner) {
  const std::uint32_t lane = config_.banks.lanes == 0 ? unit : unit % config_.banks.lanes;
  if (reads_ && config_.banks.lanes != 0)
    for (const Taken& taken : taken_)
      if (taken.lane == lane && taken.port == operand.port && taken.word.reg != operand.reg) return Refusal::lane;
  if (reads_ && !config_.banks.byte_crossbar && operand.narrow())
    for (const Taken& taken : taken_)
      if (taken.narrow && taken.lane == lane) return Refusal::crossbar;
  const bool may_share = unit != owner || (reads_ && config_.banks.broadcast);
  for (const std::uint16_t bank : operand.banks) {
    if (bank == no_bank) continue;
    const bool shared =
        may_share && std::ranges::any_of(taken_, [&](const Taken& taken) {
          return taken.word.bank == bank && taken.word.reg == operand.reg &&
                 ((taken.owner == owner && taken.port == operand.port) || (reads_ && config_.banks.broadcast));
        });
    if (ports_ != 0 && !shared && used_[bank] == ports_) return Refusal::bank;
    if (!shared) ++used_[bank];
    taken_.push_back({{operand.reg, bank}, lane, owner, operand.port, operand.narrow(), shared});
  }
  return Refusal::none;
}

void BankPorts::undo(std::size_t mark) {
  while (taken_.size() > mark) {
    if (!taken_.back().shared) --used_[taken_.back().word.bank];
    taken_.pop_back();
  }
}

bool BankPorts::take(std::span<const PlannedOperand> operands, std::uint32_t unit, std::uint32_t owner,
                     Conflicts& conflicts) {
  if (unlimited()) return true;
  const std::size_t before = taken_.size();
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
