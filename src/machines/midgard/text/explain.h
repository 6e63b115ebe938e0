// Words field by field, and the reference manual made from the tables of spec.h.
#pragma once

#include <vector>

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// Every bundle with all its fields, the parts of nested formats in their place; a load/store instruction's fields as
/// its operation divides them. Bits whose meaning is unknown but which are set, and quadwords that are not a bundle,
/// are warnings. Bytes after the last whole quadword are an entry without fields.
void explain_each(const Program& program, const ExplainedWordSink& each);

Manual manual();

}  // namespace mobula::midgard
