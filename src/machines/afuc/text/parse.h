// The text of firmware, read.
#pragma once

#include <string_view>

#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Reads all dialects.
Result<Program> parse(const SourceText& source, std::string_view variant);

}  // namespace mobula::afuc
