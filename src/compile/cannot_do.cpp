#include "compile/cannot_do.h"

#include <utility>

namespace mobula::compile {

void cannot(std::string what, const Location& where, std::string hint) {
  throw CannotDo{{Severity::error, "CO030", where, std::move(what), std::move(hint)}};
}

void cannot(std::string what, std::uint32_t line, std::string hint) {
  Location where;
  where.line = line;
  cannot(std::move(what), where, std::move(hint));
}

}  // namespace mobula::compile
