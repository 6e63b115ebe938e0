// What shaders may use, as glslang asks for it.
#pragma once

struct TBuiltInResource;

namespace mobula::compile {

/// More than any of the machines has: what a machine lacks is said by its own compiler, with the machine's name.
const TBuiltInResource& generous_limits();

}  // namespace mobula::compile
