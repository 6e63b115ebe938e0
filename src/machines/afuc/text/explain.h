// Every field of every word, and the manual, from the tables of spec.h.
#pragma once

#include <vector>

#include "mobula/isa/machine.h"

namespace mobula::afuc {

std::vector<ExplainedWord> explain(const Program& program);
Manual manual();

}  // namespace mobula::afuc
