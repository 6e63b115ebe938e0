#include <array>

#include "mobula/isa/machine.h"

namespace mobula {

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 6> names{"seed", "binaries", "driver", "document", "inferred", "unknown"};
  return names[static_cast<std::size_t>(status)];
}

}  // namespace mobula
