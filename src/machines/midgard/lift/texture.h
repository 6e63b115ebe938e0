// Lifting of texture bundles (2.9, 3.9, 4.6).
#pragma once

#include <string>

#include "machines/midgard/lift/bundle.h"

namespace mobula::midgard {

/// Why this bundle cannot execute; empty if it can.
std::string texture_fault(const BundleContext& context);

/// Precondition: texture_fault() has nothing to say.
void lift_texture(const BundleContext& context);

}  // namespace mobula::midgard
