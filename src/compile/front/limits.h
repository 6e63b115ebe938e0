// What shaders may use, as glslang asks for it.
#pragma once

#include <cstdint>

struct TBuiltInResource;

namespace mobula::compile {

/// GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS: what OpenGL 4.3 asks for at least. No version of GLSL has a constant for it.
inline constexpr std::uint64_t most_threads_of_group = 1024;

/// Of a version of GLSL. A text is read once for all machines: constants that it can ask for are what each of them
/// takes, as far as the version lets them be that small. What may be used is not limited by them: what a machine lacks
/// is said by its own compiler, with the machine's name.
const TBuiltInResource& limits_of(int version);

}  // namespace mobula::compile
