#include "compile/back_end.h"

#include <vector>

namespace mobula::compile {

std::span<const BackEnd* const> back_ends() {
  static const std::vector<const BackEnd*> rows;
  return rows;
}

const BackEnd* find_back_end(std::string_view machine) {
  for (const BackEnd* each : back_ends())
    if (each->machine == machine) return each;
  return nullptr;
}

}  // namespace mobula::compile
