// A program of this form as text, for people and for comparing.
#pragma once

#include <string>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

std::string print(const Program& program);
std::string print(const Program& program, const Instruction& instruction);

}  // namespace mobula::ssa
