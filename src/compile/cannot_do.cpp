#include "compile/cannot_do.h"

#include <utility>

namespace mobula::compile {

void cannot(std::string what, std::uint32_t line, std::string hint) {
  Diagnostic error{Severity::error, "CO030", {}, std::move(what), std::move(hint)};
  error.where.line = line;
  throw CannotDo{std::move(error)};
}

}  // namespace mobula::compile
