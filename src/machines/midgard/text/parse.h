// The machine's own text form ("mdg"): parser. The grammar is docs/midgard-text.md.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// Reads what print_mdg writes, and what people write with labels, constants and expressions.
Result<Program> parse_mdg(const SourceText& source, const AssembleOptions& options);

}  // namespace mobula::midgard
