// The text form of the first tools for these GPUs (2013 to 2019): read only, so that programs published in it can be
// used. docs/midgard-lima.md describes what is understood.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::midgard {

Result<Program> parse_lima(const SourceText& source, const AssembleOptions& options);

}  // namespace mobula::midgard
