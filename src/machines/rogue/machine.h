// The Rogue machine as the registry knows it.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

MOBULA_INTERNAL const Machine& machine();

}  // namespace mobula::rogue
