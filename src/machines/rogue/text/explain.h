// Groups field by field, and the reference manual, both from the tables.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::rogue {

std::vector<ExplainedWord> explain(const Program& program);
Manual manual();

}  // namespace mobula::rogue
