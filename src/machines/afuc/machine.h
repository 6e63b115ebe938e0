// The machine "afuc": Adreno command-processor microcode.
#pragma once

#include "mobula/machine.h"

namespace mobula::afuc {

const Machine& machine();

}  // namespace mobula::afuc
