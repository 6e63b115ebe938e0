// Samples of textures of two dimensions, as LLVM's instructions: the steps of src/io/sample.cpp, each as there.
#pragma once

#include <array>

#include "jit/vectors.h"

namespace mobula::jit {

/// Where lanes sample, in binary32. What is not there is null.
struct SampledPlace {
  std::array<Value, 2> coordinate{};
  std::array<Value, 2> offset{};                     ///< i32
  Value lod = nullptr;                               ///< level, or what is added to it
  std::array<Value, 2> along_row{}, along_column{};  ///< steps of the coordinates to the next pixels
};

/// Lanes whose coordinates are small enough for sampled(); NaNs are not.
Value are_small(const Vectors& v, const std::array<Value, 2>& coordinate);

/// The four components of all lanes, whose coordinates must be small, in binary32. `texture` points to a
/// native::PlainTexture, `scratch` to native::scratch_bytes.
std::array<Value, 4> sampled(const Vectors& v, const native::Sampling& how, Value texture, Value scratch,
                             const SampledPlace& place);

}  // namespace mobula::jit
