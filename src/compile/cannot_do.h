// How back ends refuse what their machine cannot do.
#pragma once

#include <cstdint>
#include <string>

#include "mobula/isa/diagnostic.h"

namespace mobula::compile {

/// Thrown inside of a back end, which returns it: CO030.
struct CannotDo {
  Diagnostic why;
};
/// `line` of the source; 0 = not known.
[[noreturn]] void cannot(std::string what, std::uint32_t line, std::string hint);
/// `where` is that of a declaration.
[[noreturn]] void cannot(std::string what, const Location& where, std::string hint);

}  // namespace mobula::compile
