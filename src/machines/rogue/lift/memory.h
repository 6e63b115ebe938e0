// Loads, stores, atomics (reference 3.9, 4.8, 5.7).
#pragma once

#include <string>

#include "machines/rogue/lift/backend.h"

namespace mobula::rogue::lifting {

void lift_load(GroupContext& context, const Item& item, const BackendSources& sources);
void lift_store(GroupContext& context, const Item& item, const BackendSources& sources);
void lift_atomic(GroupContext& context, const Item& item);

/// Why a load, store or atomic cannot be executed; empty if it can.
std::string memory_fault(const Group& group, const Item& item, const State& state);

}  // namespace mobula::rogue::lifting
