// The textures of a verification, as an evaluator reads them.
#pragma once

#include "compile/verify/inputs.h"

namespace mobula::compile {

/// Reads `given` with the default sampler, rectangles as well: that their coordinates count texels is for a sampler to
/// say. Both must outlive it. What no machine's programs do yet is refused. Integers of which nothing is promised come
/// from `seed`, floats are NaN.
ssa::TextureUnit texture_unit(const Binding& binding, const GivenInputs& given, std::uint32_t seed);
/// Reads and writes `images`, whatever they hold; both must outlive it.
ssa::ImageUnit image_unit(const Binding& binding, std::map<std::uint32_t, GivenImage>& images);

}  // namespace mobula::compile
