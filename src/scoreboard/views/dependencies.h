// Which operations an operation has to come after, by the registers that it reads and writes. Told when it is issued,
// for arrows in timelines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "scoreboard/core/core.h"

namespace mobula::scoreboard {

/// An operation's execution in a timeline.
struct Executed {
  std::uint64_t execution = no_execution;
  std::uint32_t op = no_operation;
};

/// The latest accesses to each byte of the registers. A register with one column is one to the core, bytes or not.
class Dependencies {
 public:
  Dependencies(const Config& config, const CoreView& core, const Plan& plan)
      : core_(core),
        plan_(plan),
        whole_(config.lanes == Lanes::lock),
        overwrites_(config.waw != Waw::rename),
        orders_writes_(overwrites_ && config.waw != Waw::last_writer),
        registers_(plan.registers.size()) {}

  struct Dependency {
    Executed on;
    StallReason reason = StallReason::none;
  };
  /// Of an operation that is issued now; each other one once, reads before writes. Good until the next call.
  const std::vector<Dependency>& issue(Executed now) {
    found_.clear();
    const auto each = [&](bool sources, auto visit) {
      for (std::uint32_t part = 0; part < 2; ++part)
        for (const PlannedOperand& operand : sources ? plan_.sources(now.op, part) : plan_.destinations(now.op, part))
          visit(registers_[operand.reg], bytes_of(operand));
    };
    each(true, [&](Register& reg, std::uint32_t bytes) { meet(reg.writers, bytes, StallReason::read_after_write); });
    each(false, [&](Register& reg, std::uint32_t bytes) {
      if (orders_writes_) meet(reg.writers, bytes, StallReason::write_after_write);
      if (overwrites_) meet(reg.readers, bytes, StallReason::write_after_read);
    });
    const auto ended = [&](std::uint32_t op) { return core_.times()[op].write != 0; };
    // What may be killed hides only those that nobody has to wait for any more.
    const bool surely_executes = plan_.operations[now.op].branch == no_operation;
    each(true, [&](Register& reg, std::uint32_t bytes) {
      hide(reg.readers, bytes, ended);
      reg.readers.push_back({now, bytes});
    });
    each(false, [&](Register& reg, std::uint32_t bytes) {
      hide(reg.writers, bytes, [&](std::uint32_t op) { return surely_executes || ended(op); });
      hide(reg.readers, bytes, [&](std::uint32_t op) { return op != now.op && (surely_executes || ended(op)); });
      reg.writers.push_back({now, bytes});
    });
    return found_;
  }

 private:
  struct Access {
    Executed by;
    std::uint32_t bytes = 0;  ///< a bit each
  };
  struct Register {
    std::vector<Access> writers, readers;  ///< in order of issue
  };

  [[nodiscard]] std::uint32_t bytes_of(const PlannedOperand& operand) const {
    return whole_ ? 0xffu : ((1u << operand.bytes) - 1) << operand.first;
  }

  void meet(std::vector<Access>& accesses, std::uint32_t bytes, StallReason reason) {
    std::erase_if(accesses, [&](const Access& each) { return core_.times()[each.by.op].kill != 0; });
    for (const Access& each : accesses) {
      if ((each.bytes & bytes) == 0) continue;
      const bool known =
          std::ranges::any_of(found_, [&](const Dependency& other) { return other.on.op == each.by.op; });
      if (!known) found_.push_back({each.by, reason});
    }
  }
  /// Nobody has to come after these accesses any more for the sake of these bytes.
  template <class Which>
  static void hide(std::vector<Access>& accesses, std::uint32_t bytes, Which which) {
    for (Access& each : accesses)
      if (which(each.by.op)) each.bytes &= ~bytes;
    std::erase_if(accesses, [](const Access& each) { return each.bytes == 0; });
  }

  const CoreView& core_;
  const Plan& plan_;
  bool whole_, overwrites_, orders_writes_;
  std::vector<Register> registers_;  ///< by number of those that operations name
  std::vector<Dependency> found_;
};

}  // namespace mobula::scoreboard
