// Every field of every word, and the manual, from the tables of spec.h.
#pragma once

#include <vector>

#include "mobula/isa/machine.h"

namespace mobula::afuc {

void explain_each(const Program& program, const ExplainedWordSink& each);
Manual manual();

}  // namespace mobula::afuc
