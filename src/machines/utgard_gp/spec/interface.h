// What ARM's and Mesa's drivers give a vertex program beside its own uniforms (Utgard GP reference 5).
#pragma once

#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

/// Stage and layout, which are the same for every program of the machine; where the viewport transform and the limits
/// of point sizes go if ARM's names for them are among the uniforms (5.1, 5.2).
void complete(Interface& interface);

}  // namespace mobula::utgard_gp
