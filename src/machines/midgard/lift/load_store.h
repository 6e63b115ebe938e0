// Lifting of load/store bundles (2.10, 3.8).
#pragma once

#include <string>

#include "machines/midgard/lift/bundle.h"

namespace mobula::midgard {

/// Why an instruction of this bundle cannot execute; empty if both can.
std::string load_store_fault(const BundleContext& context);

/// Both instructions read the registers from before the bundle; the first reaches the memory first. Precondition:
/// load_store_fault() has nothing to say.
void lift_load_store(const BundleContext& context);

}  // namespace mobula::midgard
