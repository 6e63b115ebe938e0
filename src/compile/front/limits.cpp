#include "compile/front/limits.h"

#include <glslang/Public/ResourceLimits.h>

namespace mobula::compile {
namespace {

constexpr int vector = 4;

TBuiltInResource make_limits(int varyings) {
  TBuiltInResource limits = *GetDefaultResources();
  limits.maxDrawBuffers = 4;
  limits.maxVertexAttribs = 16;
  limits.maxVertexUniformVectors = limits.maxFragmentUniformVectors = 256;
  limits.maxVertexUniformComponents = limits.maxFragmentUniformComponents = vector * limits.maxVertexUniformVectors;
  limits.maxVaryingVectors = varyings;
  limits.maxVaryingFloats = limits.maxVaryingComponents = vector * varyings;
  limits.maxAtomicCounterBindings = 8;
  limits.maxLights = 8;  // as few as GLSL permits: uniforms have room for all
  return limits;
}

}  // namespace

const TBuiltInResource& limits_of(int version) {
  // GLSL ES 1.00 and GLSL to 1.20 ask for 8 varyings at least, later versions for up to 16.
  constexpr int last_with_few = 120;
  static const TBuiltInResource few = make_limits(12), many = make_limits(16);
  return version <= last_with_few ? few : many;
}

}  // namespace mobula::compile
