// Small vectors of operands, and what load/store and texture instructions have in common: swizzles, write masks, cube
// descriptors.
#pragma once

#include <array>

#include "machines/midgard/lift/bundle.h"

namespace mobula::midgard {

/// Selector `lane` of a packed 4 x 2 bit swizzle.
constexpr unsigned selected(unsigned swizzle, unsigned lane) { return swizzle >> (2 * lane) & 3; }

using Vector = std::array<ir::Operand, 4>;

/// The private encoding of a cube descriptor (2.9: the hardware's is unpublished): two words, the place on the face as
/// f32 in [0, 1], the lowest three bits of the first being the number of the face.
struct CubeDescriptor {
  ir::Operand s_and_face, t;
};
/// Of a direction in f32. Faces +x -x +y -y +z -z are 0 to 5, as in OpenGL.
CubeDescriptor cube_descriptor(ir::Builder& b, ir::Operand x, ir::Operand y, ir::Operand z);
struct CubePlace {
  ir::Operand face, s, t;
};
CubePlace cube_place(ir::Builder& b, const CubeDescriptor& descriptor);

}  // namespace mobula::midgard
