// The textures of a verification, as an evaluator reads them.
#pragma once

#include "compile/verify/inputs.h"

namespace mobula::compile {

/// Reads `given` with the default sampler; both must outlive it. What no machine's programs do yet is refused.
ssa::TextureUnit texture_unit(const Binding& binding, const GivenInputs& given);

}  // namespace mobula::compile
