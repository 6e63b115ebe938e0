// Which words of its state a program may read before it has written them: of a lane that starts, only these matter.
#pragma once

#include <vector>

#include "mobula/isa/ir.h"

namespace mobula {

/// By word of the state, temporaries included. A word counts as read first unless every path from the entry to a read
/// of it writes all of its bytes before.
struct StateUse {
  std::vector<bool> read_first, written;
};
/// The program must pass ir::verify.
StateUse find_state_use(const ir::Program& program);

}  // namespace mobula
