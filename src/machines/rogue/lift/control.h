// Control groups: branches, execution masks, waits (reference 3.10, 5.4, 5.5).
#pragma once

#include <cstdint>
#include <string>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// How an instance leaves a group.
struct Exit {
  /// wait: instances where the condition does not hold execute the group again, later.
  enum class Kind : std::uint8_t { on, end, branch, link, wait };
  Kind kind = Kind::on;
  Operand condition;        ///< of a branch or a wait, all ones or 0; none = always
  std::int64_t target = 0;  ///< of a branch, byte address
};

Exit lift_control(GroupContext& context);

/// Why a control group cannot be executed; empty if it can.
std::string control_fault(const Group& group, const Settings& settings, const State& state);
/// True if it changes PE.
bool changes_masks(const Group& group);

}  // namespace mobula::rogue::lifting
