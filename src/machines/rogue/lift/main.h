// Main ALU groups: phases, feedthroughs, ports (reference 2.1, 5.2).
#pragma once

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// One pass: phases 0, 1, 2, ports, registers, P0, then the backend.
void lift_main(GroupContext& context);

/// Why a main group cannot be executed; empty if it can.
std::string main_fault(const Group& group, const Settings& settings, const State& state);

}  // namespace mobula::rogue::lifting
