// A function as pseudo-code: loops and conditions where control flows like that, goto where it does not.
#pragma once

#include <string>

#include "machines/afuc/views/flow.h"

namespace mobula::afuc {

/// Lines with the word of each statement in front.
std::string pseudo(const Image& image, const Core& core, const Functions& functions, const FunctionFlow& flow);

}  // namespace mobula::afuc
