// How large a module becomes when every call is replaced by the function's body.
#pragma once

#include <cstdint>
#include <string>

#include "compile/front/shader.h"

namespace mobula::compile {

/// Of the largest function, its calls replaced; numbers are at most one that nobody reaches.
struct ExpandedSize {
  std::uint64_t instructions = 0, blocks = 0;
  std::string function;  ///< its name
  bool recursive = false;
};
ExpandedSize expanded_size(const Spirv& module);

}  // namespace mobula::compile
