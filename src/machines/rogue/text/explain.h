// Groups field by field, and the reference manual, both from the tables.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::rogue {

void explain_each(const Program& program, const ExplainedWordSink& each);
Manual manual();

}  // namespace mobula::rogue
