// The native text of Utgard GP (docs/utgard-gp-text.md), read.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Reads the native text. Errors carry codes GP1xx; all errors are reported.
Result<Program> parse(const SourceText& source, std::string_view variant);

}  // namespace mobula::utgard_gp
