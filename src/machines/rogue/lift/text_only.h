// What operations without an encoding compute (reference 1.6, 3.3, 3.4; docs/rogue-text-only.md).
#pragma once

#include <string>

#include "machines/rogue/lift/group.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue::lifting {

void lift_text_only(GroupContext& context, const TextOnly& op);

/// Why it cannot be executed; empty if it can.
std::string text_only_fault(const TextOnly& op, const Settings& settings, const State& state);

}  // namespace mobula::rogue::lifting
