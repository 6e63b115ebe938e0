// Scheduled and allocated code to machine words.
#pragma once

#include "machines/midgard/compile/schedule.h"
#include "mobula/isa/program.h"

namespace mobula::midgard_compiler {

/// Fills in code, lines and first tag of a program.
void emit(const Code& code, const Schedule& schedule, const midgard::Product& product, Program& program);

}  // namespace mobula::midgard_compiler
