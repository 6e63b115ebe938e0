// LLVM's form of a program.
#pragma once

#include <llvm-c/Core.h>

#include <string>

#include "execute/native.h"
#include "jit/shape.h"
#include "jit/vectors.h"

namespace mobula::jit {

inline constexpr const char* entry_name = "mobula_code";

/// Adds the function entry_name to the module. An empty string, or what of the program has no host code.
std::string emit(LLVMModuleRef module, const native::Request& request, const Shape& shape, Width width);

}  // namespace mobula::jit
