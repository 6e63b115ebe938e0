#include "compile/front/limits.h"

#include <glslang/Public/ResourceLimits.h>

namespace mobula::compile {
namespace {

TBuiltInResource make_limits() {
  TBuiltInResource limits = *GetDefaultResources();
  // The constants that texts can ask for are those of OpenGL ES 3.2 on these machines.
  limits.maxDrawBuffers = 4;
  limits.maxVertexAttribs = 16;
  limits.maxVertexUniformVectors = limits.maxVertexUniformComponents / 4;
  limits.maxFragmentUniformVectors = limits.maxFragmentUniformComponents / 4;
  limits.maxAtomicCounterBindings = 8;
  limits.maxLights = 8;  // as few as GLSL permits: uniforms have room for all
  return limits;
}

}  // namespace

const TBuiltInResource& generous_limits() {
  static const TBuiltInResource limits = make_limits();
  return limits;
}

}  // namespace mobula::compile
