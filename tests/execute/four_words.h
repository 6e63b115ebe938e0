// A state of four words, which small programs compute with.
#pragma once

#include "ir/builder.h"

namespace mobula {

inline const ir::Operand a = ir::Operand::state(0), b = ir::Operand::state(4), c = ir::Operand::state(8),
                         d = ir::Operand::state(12);

inline ir::Builder new_builder() { return ir::Builder({{"a", 0, 4}, {"b", 4, 4}, {"c", 8, 4}, {"d", 12, 4}}); }

}  // namespace mobula
