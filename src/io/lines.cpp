#include "io/lines.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "io/float_bits.h"

namespace mobula::io {
namespace {

/// A corner in homogeneous pixels, x/w and y/w on the screen, with its colour; a line's points are linear between two.
struct LineEnd {
  double x = 0, y = 0, w = 1;
  std::array<double, 3> colour{1, 1, 1};
};

/// The weights sum to 1; both are asked for, as one may be too near to 1 to be told from it.
LineEnd weighted(const LineEnd& a, double weight_a, const LineEnd& b, double weight_b) {
  const auto mix = [&](double from, double to) { return from * weight_a + to * weight_b; };
  LineEnd result{mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), {}};
  for (std::size_t i = 0; i < 3; ++i) result.colour[i] = mix(a.colour[i], b.colour[i]);
  return result;
}

const VaryingOutput* find(const ThreadResult& vertex, std::uint32_t number) {
  const auto found = std::lower_bound(vertex.varyings.begin(), vertex.varyings.end(), number,
                                      [](const VaryingOutput& each, std::uint32_t at) { return each.number < at; });
  return found == vertex.varyings.end() || found->number != number ? nullptr : &*found;
}

/// Homogeneous pixels of a position.
LineEnd pixels_of(const VaryingOutput& place, ImageSize size, Positions positions) {
  constexpr unsigned fourth_bit = 8;
  const bool has_w = (place.stored & fourth_bit) != 0;
  const double x = float_of(place.value[0]), y = float_of(place.value[1]), fourth = float_of(place.value[3]);
  if (positions == Positions::on_screen) {
    const double w = has_w ? 1.0 / fourth : 1;
    return {x * w, y * w, w};
  }
  const double w = has_w ? fourth : 1;
  const Viewport viewport = viewport_of(size);
  return {x * viewport.scale[0] + w * viewport.offset[0], y * viewport.scale[1] + w * viewport.offset[1], w};
}

/// Nothing if the vertex has no place on the screen.
std::optional<LineEnd> line_end_of(const ThreadResult& vertex, std::uint32_t position,
                                   std::optional<std::uint32_t> colour, ImageSize size, Positions positions) {
  constexpr unsigned x_and_y = 3;
  const VaryingOutput* const place = find(vertex, position);
  if (place == nullptr || (place->stored & x_and_y) != x_and_y) return std::nullopt;
  LineEnd corner = pixels_of(*place, size, positions);
  const double w = corner.w;
  if (!std::isfinite(corner.x) || !std::isfinite(corner.y) || !std::isfinite(w) || w == 0) return std::nullopt;
  if (const VaryingOutput* const shade = colour ? find(vertex, *colour) : nullptr)
    for (std::size_t i = 0; i < 3; ++i) corner.colour[i] = float_of(shade->value[i]);
  return corner;
}

/// The part of a line where `inside`, a linear function, is not negative; false if there is none.
template <class Inside>
bool cut(LineEnd& a, LineEnd& b, Inside inside) {
  const double at_a = inside(a), at_b = inside(b);
  if (at_a < 0 && at_b < 0) return false;
  if (at_a < 0 || at_b < 0) {
    const double difference = at_a - at_b;
    (at_a < 0 ? a : b) = weighted(a, -at_b / difference, b, at_a / difference);
  }
  return true;
}

class Painter {
 public:
  explicit Painter(ImageSize size) : image_(empty_image(size)) { image_.background = {0, 0, 0, 255}; }

  void line(LineEnd a, LineEnd b) {
    const double width = image_.size.width, height = image_.size.height;
    // In front of the eye, and by enough that the division below stays harmless; then within the image.
    const double nearest = std::max(std::abs(a.w), std::abs(b.w)) * 1e-6;
    const bool visible = cut(a, b, [&](const LineEnd& at) { return at.w - nearest; }) &&
                         cut(a, b, [](const LineEnd& at) { return at.x; }) &&
                         cut(a, b, [](const LineEnd& at) { return at.y; }) &&
                         cut(a, b, [&](const LineEnd& at) { return width * at.w - at.x; }) &&
                         cut(a, b, [&](const LineEnd& at) { return height * at.w - at.y; });
    if (!visible) return;
    for (LineEnd* corner : {&a, &b}) {
      corner->x /= corner->w;
      corner->y /= corner->w;
    }
    // From left (or top) to right (or bottom), so that an edge has the same pixels from both its triangles.
    const bool flat = std::abs(b.x - a.x) >= std::abs(b.y - a.y);
    double LineEnd::*along = flat ? &LineEnd::x : &LineEnd::y;
    if (a.*along > b.*along) std::swap(a, b);
    const double length = b.*along - a.*along;
    const auto first = static_cast<std::int64_t>(std::floor(a.*along)), last = static_cast<std::int64_t>(b.*along);
    for (std::int64_t at = first; at <= last; ++at) {
      const double t = length > 0 ? std::clamp((static_cast<double>(at) + 0.5 - a.*along) / length, 0.0, 1.0) : 0;
      LineEnd point = weighted(a, 1 - t, b, t);
      point.*along = static_cast<double>(at);
      put(point);
    }
  }
  ImageResult take() { return std::move(image_); }

 private:
  void put(const LineEnd& point) {
    const auto last = [](std::uint32_t size) { return static_cast<double>(size) - 1; };
    const auto x = static_cast<std::size_t>(std::clamp(std::floor(point.x), 0.0, last(image_.size.width)));
    const auto y = static_cast<std::size_t>(std::clamp(std::floor(point.y), 0.0, last(image_.size.height)));
    const std::size_t pixel = y * image_.size.width + x;
    image_.covered[pixel] = true;
    RunVec4& colour = image_.colours[pixel];
    for (std::size_t i = 0; i < 3; ++i) colour[i] = std::bit_cast<std::uint32_t>(static_cast<float>(point.colour[i]));
    colour[3] = std::bit_cast<std::uint32_t>(1.0f);
  }

  ImageResult image_;
};

}  // namespace

Viewport viewport_of(ImageSize size) {
  const float x = static_cast<float>(size.width) / 2, y = static_cast<float>(size.height) / 2;
  return {.scale = {x, -y, 0.5f}, .offset = {x, y, 0.5f}};
}

ImageResult draw_lines(const std::vector<ThreadResult>& vertices,
                       const std::vector<std::array<std::uint32_t, 3>>& triangles, std::uint32_t position,
                       std::optional<std::uint32_t> colour, ImageSize size, Positions positions) {
  std::vector<std::optional<LineEnd>> corners;
  corners.reserve(vertices.size());
  for (const ThreadResult& vertex : vertices) corners.push_back(line_end_of(vertex, position, colour, size, positions));
  Painter painter(size);
  const auto edge = [&](std::size_t from, std::size_t to) {
    if (corners[from] && corners[to]) painter.line(*corners[from], *corners[to]);
  };
  const auto outline = [&](std::size_t a, std::size_t b, std::size_t c) {
    edge(a, b);
    edge(b, c);
    edge(c, a);
  };
  for (const auto& triangle : triangles) outline(triangle[0], triangle[1], triangle[2]);
  if (triangles.empty())
    for (std::size_t first = 0; first + 2 < corners.size(); first += 3) outline(first, first + 1, first + 2);
  return painter.take();
}

}  // namespace mobula::io
