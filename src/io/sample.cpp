#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "execute/semantics.h"
#include "io/float_bits.h"
#include "io/lane_kernels.h"
#include "io/texture.h"

namespace mobula::io {
namespace {

using Shape = ir::Texture::Shape;
using Operation = ir::Texture;
using Texel = Texture::Texel;

/// A coordinate of any size, or none, as a texel number that later sums cannot overflow.
std::int64_t to_index(double value) {
  constexpr double limit = 1e15;
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -limit, limit));
}

std::uint32_t dimensions(Shape shape) { return shape == Shape::d1 ? 1 : shape == Shape::d3 ? 3 : 2; }

std::int64_t modulo(std::int64_t value, std::int64_t size) { return (value % size + size) % size; }

/// The texel at `index`; nullopt = the border.
std::optional<std::int64_t> wrapped(Wrap wrap, std::int64_t index, std::int64_t size) {
  if (index >= 0 && index < size) return index;
  switch (wrap) {
    case Wrap::repeat:
      return modulo(index, size);
    case Wrap::clamp_to_edge:
      return index < 0 ? 0 : size - 1;
    case Wrap::mirrored_repeat: {
      const std::int64_t place = modulo(index, 2 * size);
      return place < size ? place : 2 * size - 1 - place;
    }
    case Wrap::clamp_to_border:
      return std::nullopt;
    case Wrap::mirror_clamp:
      return std::min(index < 0 ? -1 - index : index, size - 1);
  }
  return std::nullopt;
}

bool compare(Compare function, double reference, double texel) {
  switch (function) {
    case Compare::never:
      return false;
    case Compare::less:
      return reference < texel;
    case Compare::equal:
      return reference == texel;
    case Compare::less_equal:
      return reference <= texel;
    case Compare::greater:
      return reference > texel;
    case Compare::not_equal:
      return reference != texel;
    case Compare::greater_equal:
      return reference >= texel;
    case Compare::always:
      return true;
  }
  return false;
}

/// A place on a cube's face; s and t from -1 to 1.
struct CubePlace {
  std::uint32_t face = 0;
  double s = 0, t = 0;
};

/// OpenGL ES 3.2, table 8.18: which axis is major, and which signed axes s and t are, for each face.
struct CubeFace {
  std::uint8_t major, s, t;
  std::int8_t major_sign, s_sign, t_sign;
};
constexpr std::array cube_faces = {
    CubeFace{0, 2, 1, 1, -1, -1}, CubeFace{0, 2, 1, -1, 1, -1}, CubeFace{1, 0, 2, 1, 1, 1},
    CubeFace{1, 0, 2, -1, 1, -1}, CubeFace{2, 0, 1, 1, 1, -1},  CubeFace{2, 0, 1, -1, -1, -1},
};

/// The same direction, from a place that may lie beyond the edge of its face to one that does not.
CubePlace onto_face(const CubePlace& beyond) {
  const CubeFace& face = cube_faces[beyond.face];
  std::array<double, 3> direction{};
  direction[face.major] = face.major_sign;
  direction[face.s] = beyond.s * face.s_sign;
  direction[face.t] = beyond.t * face.t_sign;
  std::uint32_t major = 0;
  for (std::uint32_t axis = 1; axis < 3; ++axis) {
    if (std::abs(direction[axis]) > std::abs(direction[major])) major = axis;
  }
  const std::uint32_t found = 2 * major + (direction[major] < 0 ? 1 : 0);
  const CubeFace& other = cube_faces[found];
  const double length = std::abs(direction[major]);
  return {found, direction[other.s] * other.s_sign / length, direction[other.t] * other.t_sign / length};
}

/// One access to one texture, the level still open.
class Access {
 public:
  Access(const Texture& texture, const Sampler& sampler, const TextureRequest& request)
      : texture_(texture), sampler_(sampler), request_(request), op_(*request.op) {
    const bool cube = op_.shape == Shape::cube;
    for (std::size_t i = 0; i < dimensions(op_.shape); ++i) {
      coordinate_[i] = float_of(request.coordinate[i + (cube ? 1 : 0)]);
    }
    // Layers are rounded to the nearest and clamped; a cube's faces are the innermost part of the plane number.
    // A cube that compares has its reference in w: the number of its face counts on from layer to layer.
    const bool face_tells = cube && op_.shadow;
    const auto layer = face_tells ? static_cast<std::int64_t>(request.coordinate[0] / cube_faces.size())
                                  : to_index(std::floor(float_of(request.coordinate[3]) + 0.5));
    const auto face = face_tells ? request.coordinate[0] % std::uint32_t{cube_faces.size()}
                      : cube     ? std::min<std::uint32_t>(request.coordinate[0], 5)
                                 : 0u;
    const bool layered = texture.size.layers > 1;
    plane_ = layered ? static_cast<std::uint32_t>(std::clamp<std::int64_t>(layer, 0, texture.size.layers - 1)) : 0;
    if (cube) plane_ = plane_ * 6 + face;
    if (op_.shadow) {
      reference_ = float_of(request.coordinate[cube ? 3 : 2]);
      if (texture.normalised) reference_ = std::clamp(reference_, 0.0, 1.0);
    }
  }

  /// The levels that a sample is of: `low`, and with `part` the next one.
  struct Choice {
    std::size_t low = 0;
    double part = 0;
    Filter filter = Filter::nearest;
  };
  /// Of an access that brings a level or a bias, and the steps of its coordinates to the next pixels.
  static Choice choice(const Texture& texture, const Sampler& sampler, const Operation& op, float lod,
                       const std::array<float, 3>& ddx, const std::array<float, 3>& ddy) {
    if (!asks_for_level(texture, sampler)) return {0, 0, sampler.min};
    const double level = level_of_detail(texture, sampler, op, lod, ddx, ddy);
    const bool magnified = !(level > 0);
    const Filter filter = magnified ? sampler.mag : sampler.min;
    const auto last = static_cast<double>(texture.levels.size() - 1);
    if (magnified || sampler.mip == MipFilter::none) return {0, 0, filter};
    if (sampler.mip == MipFilter::nearest)
      return {static_cast<std::size_t>(std::clamp(std::ceil(level + 0.5) - 1, 0.0, last)), 0, filter};
    const double clamped = std::clamp(level, 0.0, last);
    const auto low = static_cast<std::size_t>(clamped);
    return {low, clamped - static_cast<double>(low), filter};
  }

  [[nodiscard]] Texel sampled() const {
    const auto [low, part, filter] = choice(texture_, sampler_, op_, request_.lod, request_.ddx, request_.ddy);
    if (part == 0) return filtered(low, filter);
    const Texel a = filtered(low, filter), b = filtered(low + 1, filter);
    if (texture_.numbers != Texture::Numbers::f32) return part < 0.5 ? a : b;
    return mixed(a, b, part);
  }
  /// A coordinate in texels.
  static double scaled(double coordinate, const Sampler& sampler, std::uint32_t size, std::int32_t offset) {
    return coordinate * (sampler.normalised ? size : 1) + offset;
  }
  static Texel mixed(const Texel& a, const Texel& b, double part) {
    Texel result;
    for (std::size_t c = 0; c < 4; ++c) result[c] = float_bits(float_of(a[c]) * (1 - part) + float_of(b[c]) * part);
    return result;
  }

  /// The four texels that a linear filter would read, in the order of textureGather: left-bottom, right-bottom,
  /// right-top, left-top, where top is the row of lower t.
  Texel gathered() {
    const auto [low, part] = footprint(0);
    (void)part;
    constexpr std::array<std::array<std::int64_t, 2>, 4> order{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    Texel result;
    for (std::size_t i = 0; i < 4; ++i) {
      const Texel found = texel(0, {low[0] + order[i][0], low[1] + order[i][1], 0});
      result[i] = op_.shadow ? float_bits(compared(found)) : found[op_.gather_component];
    }
    return result;
  }

 private:
  using Index = std::array<std::int64_t, 3>;

  static double level_of_detail(const Texture& texture, const Sampler& sampler, const Operation& op, double lod,
                                const std::array<float, 3>& ddx, const std::array<float, 3>& ddy) {
    if (op.implicit_lod || op.explicit_gradients()) {
      const Texture::Level& level = texture.levels[0];
      std::array<double, 3> size{1, 1, 1};
      if (sampler.normalised)
        size = {static_cast<double>(level.width), static_cast<double>(level.height), static_cast<double>(level.depth)};
      lod +=
          0.5 * ir::logarithm(std::max(footprint_square(op.shape, ddx, size), footprint_square(op.shape, ddy, size)));
    }
    if (!op.skip_sampler_lod) {
      lod += sampler.lod_bias;
      lod = std::min<double>(std::max<double>(lod, sampler.min_lod), sampler.max_lod);
    }
    return std::isnan(lod) ? 0 : lod;
  }
  /// The square of how many texels of the largest level one pixel step covers.
  static double footprint_square(Shape shape, const std::array<float, 3>& step, const std::array<double, 3>& size) {
    double sum = 0;
    for (std::size_t i = 0; i < dimensions(shape); ++i) {
      const double length = step[i + (shape == Shape::cube ? 1 : 0)] * size[i];
      sum += length * length;
    }
    return sum;
  }

  struct Footprint {
    Index low{};
    std::array<double, 3> part{};
  };
  [[nodiscard]] double scaled(std::size_t i, std::uint32_t size) const {
    return scaled(coordinate_[i], sampler_, size, request_.offset[i]);
  }
  [[nodiscard]] std::array<std::uint32_t, 3> sides(std::size_t level) const {
    return {texture_.levels[level].width, texture_.levels[level].height, texture_.levels[level].depth};
  }
  [[nodiscard]] Footprint footprint(std::size_t level) const {
    Footprint result;
    for (std::size_t i = 0; i < dimensions(op_.shape); ++i) {
      const double place = scaled(i, sides(level)[i]) - 0.5;
      const double low = std::floor(place);
      result.low[i] = to_index(low);
      result.part[i] = std::isfinite(place) ? place - low : 0;
    }
    return result;
  }

  [[nodiscard]] Texel filtered(std::size_t level, Filter filter) const {
    const std::uint32_t count = dimensions(op_.shape);
    if (filter == Filter::nearest || texture_.numbers != Texture::Numbers::f32) {
      Index at{};
      for (std::size_t i = 0; i < count; ++i) at[i] = to_index(std::floor(scaled(i, sides(level)[i])));
      const Texel found = texel(level, at);
      if (!op_.shadow) return found;
      const std::uint32_t result = float_bits(compared(found));
      return {result, result, result, float_bits(1)};
    }
    const Footprint place = footprint(level);
    std::array<std::array<std::int64_t, 2>, 3> at{};  // of each axis, the lower and the upper texel
    std::array<std::array<double, 2>, 3> part{};
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = {inside(level, i, place.low[i]), inside(level, i, place.low[i] + 1)};
      part[i] = {1 - place.part[i], place.part[i]};
    }
    std::array<double, 4> sum{};
    for (std::uint32_t corner = 0; corner < 1u << count; ++corner) {
      Index index{};
      double weight = 1;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t upper = corner >> i & 1;
        index[i] = at[i][upper];
        weight *= part[i][upper];
      }
      if (weight == 0) continue;  // an infinite texel that does not count must not become NaN
      const Texel& found = texel_inside(level, index);
      if (op_.shadow) {
        sum[0] += weight * compared(found);
      } else {
        for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * float_of(found[c]);
      }
    }
    if (op_.shadow) sum = {sum[0], sum[0], sum[0], 1};
    return {float_bits(sum[0]), float_bits(sum[1]), float_bits(sum[2]), float_bits(sum[3])};
  }

  [[nodiscard]] double compared(const Texel& found) const {
    return compare(sampler_.compare, reference_, float_of(found[0])) ? 1 : 0;
  }

  static constexpr std::int64_t outside = -1;
  /// The texel of an axis that an index means, or `outside`: the border. A cube's are looked at together.
  [[nodiscard]] std::int64_t inside(std::size_t level, std::size_t axis, std::int64_t index) const {
    const std::uint32_t size = sides(level)[axis];
    if (op_.shape == Shape::cube || (index >= 0 && index < size)) return index;
    return wrapped(sampler_.wrap[axis], index, size).value_or(outside);
  }
  [[nodiscard]] const Texel& texel(std::size_t level, Index at) const {
    for (std::size_t i = 0; i < dimensions(op_.shape); ++i) at[i] = inside(level, i, at[i]);
    return texel_inside(level, at);
  }
  [[nodiscard]] const Texel& texel_inside(std::size_t level, Index at) const {
    const Texture::Level& size = texture_.levels[level];
    std::uint32_t plane = plane_;
    if (op_.shape == Shape::cube) {
      plane = around_the_edge(size.width, at);
    } else if (at[0] == outside || at[1] == outside || at[2] == outside) {
      return sampler_.border;
    }
    const std::size_t slice = std::size_t{plane} * size.depth + static_cast<std::size_t>(at[2]);
    const std::size_t row = slice * size.height + static_cast<std::size_t>(at[1]);
    return texture_.texels[size.first + row * size.width + static_cast<std::size_t>(at[0])];
  }

  /// Cube maps are seamless: a texel beyond the edge is that of the neighbouring face. Returns the plane, puts `at`
  /// inside.
  [[nodiscard]] std::uint32_t around_the_edge(std::int64_t size, Index& at) const {
    if (at[0] >= 0 && at[0] < size && at[1] >= 0 && at[1] < size) return plane_;
    const auto centre = [&](std::int64_t index) {
      return (static_cast<double>(index) + 0.5) * 2 / static_cast<double>(size) - 1;
    };
    const CubePlace place = onto_face({plane_ % 6, centre(at[0]), centre(at[1])});
    const auto index = [&](double value) {
      return std::clamp<std::int64_t>(to_index(std::floor((value + 1) / 2 * static_cast<double>(size))), 0, size - 1);
    };
    at = {index(place.s), index(place.t), 0};
    return plane_ / 6 * 6 + place.face;
  }

  const Texture& texture_;
  const Sampler& sampler_;
  const TextureRequest& request_;
  const Operation& op_;
  std::array<double, 3> coordinate_{};
  double reference_ = 0;
  std::uint32_t plane_ = 0;
};

Texel fetch(const Texture& texture, const TextureRequest& request) {
  const bool cube = request.op->shape == Shape::cube;
  const auto level_number = static_cast<std::int64_t>(request.fetch_lod);
  if (level_number < 0 || level_number >= static_cast<std::int64_t>(texture.levels.size())) return {};
  const Texture::Level& level = texture.levels[static_cast<std::size_t>(level_number)];
  const std::array<std::int64_t, 3> sides{level.width, level.height, level.depth};
  std::array<std::int64_t, 3> at{};
  for (std::size_t i = 0; i < dimensions(request.op->shape); ++i) {
    at[i] = std::int64_t{static_cast<std::int32_t>(request.coordinate[i + (cube ? 1 : 0)])} + request.offset[i];
    if (at[i] < 0 || at[i] >= sides[i]) return {};
  }
  std::int64_t plane = texture.size.layers > 1 ? static_cast<std::int32_t>(request.coordinate[3]) : 0;
  if (plane < 0 || plane >= texture.size.layers) return {};
  if (cube) {
    if (request.coordinate[0] > 5) return {};
    plane = plane * 6 + request.coordinate[0];
  }
  const std::int64_t row = (plane * sides[2] + at[2]) * sides[1] + at[1];
  return texture.texels[level.first + static_cast<std::size_t>(row * sides[0] + at[0])];
}

Texel constant(const Texture& texture, const Sampler& sampler, const TextureRequest& request) {
  const Texel& texel = texture.texels[0];
  const Operation& op = *request.op;
  if (op.kind == Operation::Kind::fetch || (!op.shadow && op.kind == Operation::Kind::sample)) return texel;
  const auto all = [](std::uint32_t value) { return Texel{value, value, value, value}; };
  if (!op.shadow) return all(texel[op.gather_component]);
  const double reference = float_of(request.coordinate[op.shape == Shape::cube ? 3 : 2]);
  const bool passes =
      compare(sampler.compare, texture.normalised ? std::clamp(reference, 0.0, 1.0) : reference, float_of(texel[0]));
  Texel result = all(float_bits(passes ? 1 : 0));
  if (op.kind == Operation::Kind::sample) result[3] = float_bits(1);
  return result;
}

Fault mismatch(const Texture& texture, const TextureRequest& request) {
  constexpr std::array<std::string_view, 4> shapes{"1d", "2d", "3d", "cube"};
  constexpr std::array<std::string_view, 4> numbers{"floats", "unsigned integers", "signed integers", "integers"};
  const Operation& op = *request.op;
  const std::string number = "texture " + std::to_string(request.texture);
  if (!texture.constant && texture.size.shape != op.shape) {
    return {number + " is " + std::string(shapes[static_cast<std::size_t>(texture.size.shape)]) +
            " but the instruction takes " + std::string(shapes[static_cast<std::size_t>(op.shape)])};
  }
  const bool takes = op.result == Operation::Result::integer
                         ? texture.numbers != Texture::Numbers::f32
                         : static_cast<std::size_t>(texture.numbers) == static_cast<std::size_t>(op.result);
  if (!takes) {
    return {number + " holds " + std::string(numbers[static_cast<std::size_t>(texture.numbers)]) +
            " but the instruction takes " + std::string(numbers[static_cast<std::size_t>(op.result)])};
  }
  if (op.kind == Operation::Kind::gather && dimensions(op.shape) != 2)
    return {"only 2d and cube textures can be gathered"};
  return {};
}

Texel sample_one(const Texture& texture, const Sampler& sampler, const TextureRequest& request) {
  if (texture.constant) return constant(texture, sampler, request);
  if (request.op->kind == Operation::Kind::fetch) return fetch(texture, request);
  Access access(texture, sampler, request);
  return request.op->kind == Operation::Kind::gather ? access.gathered() : access.sampled();
}

TextureRequest request_of(const LanesTexture& lanes, std::uint32_t lane) {
  TextureRequest request{.op = lanes.op};
  for (std::size_t i = 0; i < 4; ++i) request.coordinate[i] = lanes.coordinate[i][lane];
  for (std::size_t i = 0; i < 3; ++i) {
    request.ddx[i] = float_of(lanes.ddx[i][lane]);
    request.ddy[i] = float_of(lanes.ddy[i][lane]);
    request.offset[i] = static_cast<std::int32_t>(lanes.offset[i][lane]);
  }
  if (lanes.op->kind == Operation::Kind::fetch)
    request.fetch_lod = static_cast<std::int32_t>(lanes.lod[lane]);
  else
    request.lod = float_of(lanes.lod[lane]);
  return request;
}

void give(const LanesTexture& lanes, std::uint32_t lane, const Texel& texel) {
  for (std::size_t i = 0; i < 4; ++i) lanes.out[i][lane] = texel[i];
}

/// Samples a plain texture by vector code.
class PlainLanes {
 public:
  PlainLanes(const Texture& texture, const Sampler& sampler, const LanesTexture& lanes)
      : texture_(texture), sampler_(sampler), lanes_(lanes) {
    filter_.texels = texture.texels.data();
    filter_.border = &sampler.border;
    filter_.wrap_s = sampler.wrap[0];
    filter_.wrap_t = sampler.wrap[1];
    filter_.normalised = sampler.normalised;
    levels_.has_steps = lanes.op->implicit_lod || lanes.op->explicit_gradients();
    levels_.uses_sampler_lod = !lanes.op->skip_sampler_lod;
    levels_.mip = sampler.mip;
    if (sampler.normalised) {
      levels_.width = texture.levels[0].width;
      levels_.height = texture.levels[0].height;
    }
    levels_.bias = sampler.lod_bias;
    levels_.min_lod = sampler.min_lod;
    levels_.max_lod = sampler.max_lod;
    levels_.last = static_cast<double>(texture.levels.size() - 1);
  }

  void run() {
    for (first_ = lanes_.lanes.begin; first_ < lanes_.lanes.end; first_ += texel_lanes) {
      std::uint32_t present = 0;
      for (std::uint32_t i = 0; i < texel_lanes; ++i) present |= std::uint32_t{lanes_.lanes.has(first_ + i)} << i;
      if (present != 0) run(present);
    }
  }

 private:
  using Texels = std::array<Texel, texel_lanes>;
  static constexpr auto number = [](std::uint32_t word) { return float_of(word); };

  void run(std::uint32_t present) {
    lanes_to_bring_ = static_cast<std::uint32_t>(std::bit_width(present) + 3) / 4 * 4;
    bring(lanes_.coordinate[0], number, filter_.s);
    bring(lanes_.coordinate[1], number, filter_.t);
    constexpr auto whole = [](std::uint32_t word) { return static_cast<std::int32_t>(word); };
    bring(lanes_.offset[0], whole, filter_.offset_s);
    bring(lanes_.offset[1], whole, filter_.offset_t);
    choose(present);
    Texels texels;
    std::uint32_t nans = filtered(present, 0, texels);
    std::uint32_t mixing = 0;
    for_each(present, [&](std::uint32_t i) { mixing |= std::uint32_t{choice_.part[i] != 0} << i; });
    if (mixing != 0) {
      Texels next;
      nans |= filtered(mixing, 1, next);
      for_each(mixing, [&](std::uint32_t i) { texels[i] = Access::mixed(texels[i], next[i], choice_.part[i]); });
    }
    // The bits of a NaN are those that the scalar code gives it.
    for_each(nans,
             [&](std::uint32_t i) { texels[i] = sample_one(texture_, sampler_, request_of(lanes_, first_ + i)); });
    for_each(present, [&](std::uint32_t i) { give(lanes_, first_ + i, texels[i]); });
  }

  /// The words of an operand as numbers.
  template <class Convert>
  void bring(const LaneWords& words, Convert convert, TexelNumbers& out) const {
    if (words.is_shared()) {
      out.fill(convert(words[first_]));
    } else {
      for (std::uint32_t i = 0; i < lanes_to_bring_; ++i) out[i] = convert(words.words[first_ + i]);
    }
  }

  void choose(std::uint32_t present) {
    if (!asks_for_level(texture_, sampler_)) {
      choice_.low.fill(0);
      choice_.part.fill(0);
      choice_.magnified = present;  // both filters are the same
      return;
    }
    bring(lanes_.lod, number, levels_.lod);
    if (levels_.has_steps) {
      bring(lanes_.ddx[0], number, levels_.s_along_x);
      bring(lanes_.ddx[1], number, levels_.t_along_x);
      bring(lanes_.ddy[0], number, levels_.s_along_y);
      bring(lanes_.ddy[1], number, levels_.t_along_y);
    }
    choose_levels(levels_, present, choice_);
  }

  /// Samples of the chosen level, or the next. Returns the lanes with a NaN.
  std::uint32_t filtered(std::uint32_t lanes, std::size_t next, Texels& out) {
    for_each(lanes, [&](std::uint32_t i) {
      const Texture::Level& level = texture_.levels[static_cast<std::size_t>(choice_.low[i]) + next];
      filter_.width[i] = level.width;
      filter_.height[i] = level.height;
      filter_.first[i] = static_cast<double>(level.first);
    });
    const std::uint32_t magnified = lanes & choice_.magnified, minified = lanes & ~choice_.magnified;
    const auto apply = [&](Filter filter, std::uint32_t of) -> std::uint32_t {
      if (of == 0) return 0;
      if (filter == Filter::linear) return linear_texels(filter_, of, out.data());
      nearest_texels(filter_, of, out.data());
      return 0;
    };
    if (sampler_.min == sampler_.mag) return apply(sampler_.min, lanes);
    return apply(sampler_.mag, magnified) | apply(sampler_.min, minified);
  }

  template <class Use>
  static void for_each(std::uint32_t lanes, Use use) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      use(static_cast<std::uint32_t>(std::countr_zero(left)));
  }

  const Texture& texture_;
  const Sampler& sampler_;
  const LanesTexture& lanes_;
  std::uint32_t first_ = 0, lanes_to_bring_ = 0;
  TexelLevels levels_;
  TexelChoice choice_;
  TexelFilter filter_;
};

}  // namespace

bool is_plain(const Texture& texture, const ir::Texture& op) {
  constexpr std::size_t most_texels = std::size_t{1} << 31;
  return op.kind == Operation::Kind::sample && op.shape == Shape::d2 && op.result == Operation::Result::f32 &&
         !op.shadow && !texture.constant && texture.size.shape == Shape::d2 &&
         texture.numbers == Texture::Numbers::f32 && texture.planes() == 1 && texture.texels.size() < most_texels;
}

bool asks_for_level(const Texture& texture, const Sampler& sampler) {
  return (sampler.mip != MipFilter::none && texture.levels.size() > 1) || sampler.min != sampler.mag;
}

bool sample_lanes(const Texture& texture, const Sampler& sampler, const LanesTexture& lanes) {
  if (mismatch(texture, {.op = lanes.op})) return false;
  if (is_plain(texture, *lanes.op)) {
    PlainLanes(texture, sampler, lanes).run();
    return true;
  }
  for (std::uint32_t lane = lanes.lanes.begin; lane < lanes.lanes.end; ++lane) {
    if (!lanes.lanes.has(lane)) continue;
    give(lanes, lane, sample_one(texture, sampler, request_of(lanes, lane)));
  }
  return true;
}

Fault sample(const Texture& texture, const Sampler& sampler, const TextureRequest& request,
             std::array<std::uint32_t, 4>& out) {
  if (Fault fault = mismatch(texture, request)) return fault;
  out = sample_one(texture, sampler, request);
  return {};
}

}  // namespace mobula::io
