// The native text of Rogue (docs/rogue-text.md), read. The style of the Instruction Set Reference is accepted, too.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

/// Reads text. Errors carry codes RG1xx, or RG0xx where a rule of the machine forbids a group; all are reported.
MOBULA_INTERNAL Result<Program> parse(const SourceText& source, std::string_view variant);

}  // namespace mobula::rogue
