// The text of firmware, read.
#pragma once

#include <string_view>

#include "machines/afuc/spec/names.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Reads all dialects, whatever the options' syntax. `names` says whose names of control registers the text has.
Result<Program> parse(const SourceText& source, const AssembleOptions& options, Names names = Names::any);

}  // namespace mobula::afuc
