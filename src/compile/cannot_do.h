// What the machine cannot do.
#pragma once

#include <cstdint>
#include <string>

#include "mobula/isa/diagnostic.h"

namespace mobula::compile {

/// Thrown where the machine cannot do what the shader asks for: CO030.
struct CannotDo {
  Diagnostic why;
};
[[noreturn]] void cannot(std::string what, std::uint32_t line, std::string hint);

}  // namespace mobula::compile
