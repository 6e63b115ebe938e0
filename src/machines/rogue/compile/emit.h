// Text of the groups, and the machine's bytes of it.
#pragma once

#include "machines/rogue/compile/code.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::rogue_compiler {

/// `registers`: of each word. Fills code and lines of the program.
Result<void> emit(const Code& code, const std::vector<std::uint32_t>& registers, Program& program);

}  // namespace mobula::rogue_compiler
