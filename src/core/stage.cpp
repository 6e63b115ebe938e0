#include <array>

#include "mobula/isa/program.h"

namespace mobula {

std::string_view name(Stage stage) {
  constexpr std::array<std::string_view, 4> names{"unknown", "vertex", "fragment", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

}  // namespace mobula
