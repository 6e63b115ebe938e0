// The Utgard GP machine as the registry knows it.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

MOBULA_INTERNAL const Machine& machine();

}  // namespace mobula::utgard_gp
