// Wire pictures: the edges of triangles whose corners a vertex program has put on the screen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "laboratory/feeding.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Nothing covered yet.
ImageResult empty_image(ImageSize size);
/// Pixels with any values, for those who write all of them: clearing takes as long as a simple shader.
ImageResult unset_image(ImageSize size, PictureColours kept);

/// The viewport that fills an image: y upwards in clip space, row 0 at the top, depth from 0 to 1.
Viewport viewport_of(ImageSize size);

/// Lines of one pixel on black. `position` is the varying with x and y in pixels and 1/w, as drivers have vertex
/// programs make it, or in clip space, to which the viewport that fills the image is applied. `colour` is a varying
/// with red, green and blue, interpolated along a line on the screen; lines are white without one. An empty list of
/// `triangles` takes each three consecutive vertices. What lies behind the eye or beyond the image is cut off; edges of
/// vertices that are not finite or were not stored are left out.
ImageResult draw_lines(const std::vector<ThreadResult>& vertices,
                       const std::vector<std::array<std::uint32_t, 3>>& triangles, std::uint32_t position,
                       std::optional<std::uint32_t> colour, ImageSize size, Positions positions = Positions::on_screen);

}  // namespace mobula::io
