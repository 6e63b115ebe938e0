// Backend instructions (reference 3.9, 5.6, 5.7).
#pragma once

#include <array>
#include <string>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// What the slots of a backend instruction hold when its group begins.
struct BackendSources {
  std::array<Operand, slot_count> slots{};  ///< none = not read
};
/// Reads the slots; copies them if the group writes registers before the backend acts.
BackendSources read_backend_sources(GroupContext& context, bool writes_first);

void lift_backend(GroupContext& context, const BackendSources& sources);

/// Hands the pixel outputs over, as four floats.
void put_out_pixel(GroupContext& context);

/// Why a backend instruction cannot be executed; empty if it can.
std::string backend_fault(const Group& group, const Settings& settings, const State& state);

}  // namespace mobula::rogue::lifting
