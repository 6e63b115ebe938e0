// Registers for the values of a scheduled program.
#pragma once

#include "machines/midgard/compile/schedule.h"

namespace mobula::midgard_compiler {

struct Allocation {
  unsigned work_registers = 0;
  bool is_complete = true;
  std::vector<Value> without;  ///< where it is not: values that may be kept in memory instead
};

/// Fills in the places of all values that are in work registers or, within one word, in a temporary.
Allocation allocate(const Code& code, const Liveness& liveness, Schedule& schedule, unsigned most_registers,
                    bool registers_alias);

}  // namespace mobula::midgard_compiler
