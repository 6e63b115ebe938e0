// Words field by field, and the reference manual made from the tables of spec.h.
#pragma once

#include <vector>

#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Every word with all its fields; bytes after the last whole word are an entry without fields. Each word has the
/// findings of the checker that are about it.
void explain_each(const Program& program, const ExplainedWordSink& each);

Manual manual();

}  // namespace mobula::utgard_gp
