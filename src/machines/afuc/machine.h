// The machine "afuc": Adreno command-processor microcode.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

MOBULA_INTERNAL const Machine& machine();

}  // namespace mobula::afuc
