// Lists that SPIR-V has no room for: the words of an instruction are counted in 16 bits.
#pragma once

#include <optional>

#include "mobula/isa/diagnostic.h"

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// CO020 at the first array of constants, constructor or `switch` of which glslang would make an instruction that is
/// too long: it does not look, and the module is broken.
std::optional<Diagnostic> refuse_long_lists(glslang::TIntermediate& shader);

}  // namespace mobula::compile
