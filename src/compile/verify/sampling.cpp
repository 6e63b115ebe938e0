#include "compile/verify/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mobula::compile {
namespace {

using Access = ssa::TextureAccess;
using Shape = ir::Texture::Shape;

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

unsigned dimensions(Access::Shape shape) {
  if (shape == Access::Shape::d1) return 1;
  return shape == Access::Shape::d3 || shape == Access::Shape::cube ? 3 : 2;
}

Shape shape_of(Access::Shape shape) {
  if (shape == Access::Shape::d1) return Shape::d1;
  if (shape == Access::Shape::d3) return Shape::d3;
  return shape == Access::Shape::cube ? Shape::cube : Shape::d2;
}

/// OpenGL ES 3.2, table 8.18: the face that a direction points to, and where on it, from 0 to 1.
std::array<std::uint32_t, 3> face_of(const ssa::Bits& direction) {
  const float x = float_of(direction[0]), y = float_of(direction[1]), z = float_of(direction[2]);
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  std::uint32_t face = 0;
  float s = 0, t = 0, length = ax;
  if (ax >= ay && ax >= az) {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
    t = -y;
  } else if (ay >= az) {
    face = y < 0 ? 3 : 2;
    s = x;
    t = y < 0 ? -z : z;
    length = ay;
  } else {
    face = z < 0 ? 5 : 4;
    s = z < 0 ? -x : x;
    t = -y;
    length = az;
  }
  return {face, bits_of((s / length + 1) / 2), bits_of((t / length + 1) / 2)};
}

std::string size_of(const io::Texture& texture, const ssa::TextureCall& call, ssa::Bits& out) {
  const Access& access = *call.access;
  if (access.kind == Access::Kind::levels) {
    out = {texture.size.levels};
    return {};
  }
  if (access.kind == Access::Kind::lod) return "textureQueryLod";
  const std::array sides{texture.size.width, texture.size.height, texture.size.depth};
  const unsigned count = access.shape == Access::Shape::cube ? 2 : dimensions(access.shape);
  const std::uint32_t level = std::min(call.lod, 31U);
  for (unsigned i = 0; i < count; ++i) out[i] = std::max(sides[i] >> level, 1U);
  if (access.layered) out[count] = texture.size.layers;
  return {};
}

std::string sample(const io::Texture& texture, const ssa::TextureCall& call, ssa::Bits& out) {
  const Access& access = *call.access;
  if (access.multisample || access.shape == Access::Shape::buffer || access.shape == Access::Shape::rectangle)
    return "a texture of several samples, a buffer or a rectangle";
  ir::Texture op;
  op.kind = access.kind == Access::Kind::fetch    ? ir::Texture::Kind::fetch
            : access.kind == Access::Kind::gather ? ir::Texture::Kind::gather
                                                  : ir::Texture::Kind::sample;
  op.shape = shape_of(access.shape);
  op.result = static_cast<ir::Texture::Result>(texture.numbers);
  op.shadow = access.shadow;
  op.gather_component = access.component;
  op.implicit_lod = access.level != Access::Level::given && op.kind == ir::Texture::Kind::sample;
  TextureRequest request{.op = &op};
  const unsigned count = dimensions(access.shape);
  if (access.shape == Access::Shape::cube) {
    const auto is_zero = [](std::uint32_t bits) { return float_of(bits) == 0; };
    if (std::all_of(call.coordinate.begin(), call.coordinate.begin() + 3, is_zero)) {  // no direction: anything
      out.fill(std::bit_cast<std::uint32_t>(std::nanf("")));
      return {};
    }
    const auto place = face_of(call.coordinate);
    std::ranges::copy(place, request.coordinate.begin());
    if (access.shadow) request.coordinate[3] = call.reference;
  } else {
    for (unsigned i = 0; i < count; ++i) {
      request.coordinate[i] = call.coordinate[i];
      request.ddx[i] = float_of(call.ddx[i]);
      request.ddy[i] = float_of(call.ddy[i]);
    }
    if (access.shadow) request.coordinate[2] = call.reference;
  }
  if (access.layered) request.coordinate[3] = call.coordinate[count];
  request.fetch_lod = static_cast<std::int32_t>(call.lod);
  if (op.kind == ir::Texture::Kind::sample) request.lod = float_of(call.lod);
  for (unsigned i = 0; i < count; ++i) request.offset[i] = static_cast<std::int32_t>(call.offset[i]);
  static const io::Sampler sampler;
  return io::sample(texture, sampler, request, out).reason;
}

}  // namespace

ssa::TextureUnit texture_unit(const Binding& binding, const GivenInputs& given) {
  return [&](const ssa::TextureCall& call, ssa::Bits& out) -> std::string {
    const auto found = given.textures.find(binding.texture_number(call.access->texture, call.slot));
    if (found == given.textures.end()) return "a texture that the machine's program does not have";
    const bool reads = call.access->kind == Access::Kind::sample || call.access->kind == Access::Kind::fetch ||
                       call.access->kind == Access::Kind::gather;
    return reads ? sample(*found->second, call, out) : size_of(*found->second, call, out);
  };
}

}  // namespace mobula::compile
