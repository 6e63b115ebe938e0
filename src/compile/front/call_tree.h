// How large a module becomes when every call is replaced by the function's body.
#pragma once

#include <cstdint>
#include <string>

#include "compile/front/shader.h"

namespace mobula::compile {

struct ExpandedSize {
  std::uint64_t instructions = 0;  ///< of the largest function, its calls replaced; at most a number nobody reaches
  std::string function;            ///< its name
  bool recursive = false;
};
ExpandedSize expanded_size(const Spirv& module);

}  // namespace mobula::compile
