// How the pixels hold the colours of a fragment shader.
#pragma once

#include <span>

#include "compile/ssa/ssa.h"
#include "io/texture.h"
#include "mobula/compile/shader.h"

namespace mobula::compile {

/// Gives the colours of a program their formats (ssa::Slot::format). Errors: CO017, all of them.
Diagnostics set_pixel_formats(ssa::Program& program, std::span<const PixelFormat> formats);

bool has_pixel_formats(const ssa::Program& program);

/// A colour as it is when its pixel has been stored and read again; numbers that are not finite stay. Precondition: the
/// format is one of pixel_formats().
io::Texel stored_colour(const io::TexelFormat& format, const io::Texel& colour);

/// Numbers of a colour that its pixel holds: all of them, or as many as the format has.
unsigned stored_components(const ssa::Slot& colour);

}  // namespace mobula::compile
