// What shaders may use, as glslang asks for it.
#pragma once

#include <cstdint>

struct TBuiltInResource;

namespace mobula::compile {

/// GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS: what OpenGL 4.3 asks for at least. No version of GLSL has a constant for it.
inline constexpr std::uint64_t most_threads_of_group = 1024;

/// How much a machine has of what constants of GLSL tell.
struct Limits {
  int varyings = 16;  ///< vectors
  int vertex_textures = 32;
};
TBuiltInResource limits_of(const Limits& machine);

/// Where no machine is known: what each of them has, as far as the version lets it be that small. What may be used is
/// not limited by them: what a machine lacks is said by its own compiler, with the machine's name.
const TBuiltInResource& limits_of(int version);

}  // namespace mobula::compile
