// The Midgard machine as the registry knows it.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::midgard {

MOBULA_INTERNAL const Machine& machine();

}  // namespace mobula::midgard
