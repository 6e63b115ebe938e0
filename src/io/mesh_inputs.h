// Which attributes of a program take the data of a mesh.
#pragma once

#include <optional>
#include <string_view>

#include "io/obj.h"
#include "mobula/isa/program.h"

namespace mobula::io {

/// The input for these data if the inputs' document names none: the one that the side file marks so (`semantic`), else
/// the first one whose name says so, such as aPosition, a_normal, uv or p; without any names, attribute 0 is the
/// position, 1 the normal, 2 the texture coordinate, 3 the colour. The name or number for find_named(), empty if there
/// is none.
std::string input_for(MeshData data, const Interface& interface);

}  // namespace mobula::io
