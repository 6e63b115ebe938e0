// What vertices of Utgard GP programs start with: the uniform memory.
#pragma once

#include "laboratory/feeding.h"

namespace mobula::utgard_gp {

const Feeding& feeding();

}  // namespace mobula::utgard_gp
