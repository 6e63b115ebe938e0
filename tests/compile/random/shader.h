// Random shaders: GLSL ES 3.10 that compiles, ends, and does not ask for what GLSL leaves undefined.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mobula/isa/program.h"

namespace mobula::test {

/// A number below `count`, however it is chosen.
using Choose = std::function<std::uint32_t(std::uint32_t count)>;

/// Every choice that a shader is made of is one of `choose`; with zeros it comes to an end.
std::string random_shader(Stage stage, const Choose& choose);
/// With choices by chance: the same ones for the same seed.
std::string random_shader(Stage stage, std::uint64_t seed);

}  // namespace mobula::test
