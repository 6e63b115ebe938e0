// The Midgard machine as the registry knows it.
#pragma once

#include "mobula/machine.h"

namespace mobula::midgard {

const Machine& machine();

}  // namespace mobula::midgard
