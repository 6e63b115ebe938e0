// The Rogue machine as the registry knows it.
#pragma once

#include "mobula/machine.h"

namespace mobula::rogue {

const Machine& machine();

}  // namespace mobula::rogue
