// The Utgard GP machine as the registry knows it.
#pragma once

#include "mobula/machine.h"

namespace mobula::utgard_gp {

const Machine& machine();

}  // namespace mobula::utgard_gp
