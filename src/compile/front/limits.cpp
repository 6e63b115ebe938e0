#include "compile/front/limits.h"

#include <glslang/Public/ResourceLimits.h>

namespace mobula::compile {

TBuiltInResource limits_of(const Limits& machine) {
  constexpr int vector = 4;
  TBuiltInResource limits = *GetDefaultResources();
  limits.maxDrawBuffers = 4;
  limits.maxVertexAttribs = 16;
  limits.maxVertexUniformVectors = limits.maxFragmentUniformVectors = 256;
  limits.maxVertexUniformComponents = limits.maxFragmentUniformComponents = vector * limits.maxVertexUniformVectors;
  limits.maxVaryingVectors = limits.maxVertexOutputVectors = machine.varyings;
  limits.maxVaryingFloats = limits.maxVaryingComponents = limits.maxVertexOutputComponents = vector * machine.varyings;
  limits.maxVertexTextureImageUnits = machine.vertex_textures;
  limits.maxAtomicCounterBindings = 8;
  limits.maxLights = 8;  // as few as GLSL permits: uniforms have room for all
  return limits;
}

const TBuiltInResource& limits_of(int version) {
  // GLSL ES 1.00 and GLSL to 1.20 ask for 8 varyings at least and no textures of vertices, later versions for up to 16.
  constexpr int last_with_few = 120;
  static const TBuiltInResource few = limits_of({.varyings = 12, .vertex_textures = 0}), many = limits_of(Limits());
  return version <= last_with_few ? few : many;
}

}  // namespace mobula::compile
