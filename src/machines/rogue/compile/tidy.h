// What is made smaller once all groups are there.
#pragma once

#include "machines/rogue/compile/code.h"

namespace mobula::rogue_compiler {

/// Drops groups whose results nobody reads, and lets what is only copied to a pixel output be made there.
void tidy(Code& code);

}  // namespace mobula::rogue_compiler
