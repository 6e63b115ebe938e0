// PM4 packets by the names of a variant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "machines/afuc/spec/chips.h"
#include "mobula/isa/result.h"

namespace mobula::pm4 {

/// Whose names a variant has; of an empty one the default's. MOB002: there is no such variant.
Result<afuc::Map> map_of(std::string_view variant);

/// A word as streams have it: eight digits.
std::string hex8(std::uint32_t word);

}  // namespace mobula::pm4
