#include "compile/verify/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mobula::compile {
namespace {

using Access = ssa::TextureAccess;
using Shape = ir::Texture::Shape;

constexpr std::uint32_t faces = 6;  // of a cube

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

unsigned dimensions(Access::Shape shape) {
  if (shape == Access::Shape::d1 || shape == Access::Shape::buffer) return 1;
  return shape == Access::Shape::d3 || shape == Access::Shape::cube ? 3 : 2;
}

Shape shape_of(Access::Shape shape) {
  if (shape == Access::Shape::d1 || shape == Access::Shape::buffer) return Shape::d1;
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

/// Of any size, and none a hint at another one, so that nothing computed from them looks as if it were certain.
ssa::Bits any_integers(Random& random) {
  constexpr std::uint32_t bits = 32;
  ssa::Bits all{};
  for (std::uint32_t& each : all) {
    const auto number = static_cast<std::int32_t>(random.next() >> bits);
    each = static_cast<std::uint32_t>(number >> random.below(bits));
  }
  return all;
}

/// OpenGL ES 3.2, 11.1.3.4: of a level that the texture does not have, anything.
std::string size_of(const io::Texture& texture, const ssa::TextureCall& call, Random& random, ssa::Bits& out) {
  const Access& access = *call.access;
  if (access.kind == Access::Kind::levels) {
    out = {texture.size.levels};
    return {};
  }
  if (access.kind == Access::Kind::lod) return "the machine decides what textureQueryLod gives";
  if (call.lod >= texture.size.levels) {
    out = any_integers(random);
    return {};
  }
  const std::array sides{texture.size.width, texture.size.height, texture.size.depth};
  const unsigned count = access.shape == Access::Shape::cube ? 2 : dimensions(access.shape);
  for (unsigned i = 0; i < count; ++i) out[i] = std::max(sides[i] >> call.lod, 1U);
  if (access.layered) out[count] = texture.size.layers;
  return {};
}

/// OpenGL ES 3.2, 8.14.1: the logarithm of how many texels of a face the longer difference covers.
float level_on_cube(const ssa::TextureCall& call, std::uint32_t side) {
  const std::uint32_t axis = face_of(call.coordinate)[0] / 2;
  const double along = float_of(call.coordinate[axis]);
  const auto square = [&](const ssa::Bits& difference) {
    double sum = 0;
    for (unsigned i = 0; i < 3; ++i) {  // the derivative of a quotient
      const double step = (float_of(difference[i]) * along -
                           static_cast<double>(float_of(call.coordinate[i])) * float_of(difference[axis])) /
                          (along * along) * side / 2;
      sum += step * step;
    }
    return sum;
  };
  return static_cast<float>(std::log2(std::max(square(call.ddx), square(call.ddy))) / 2);
}

void size_of(const io::StorageImage& image, const ssa::TextureCall& call, ssa::Bits& out) {
  const bool cube = call.access->shape == Access::Shape::cube;
  const unsigned count = cube ? 2 : dimensions(call.access->shape);
  std::copy_n(image.size.begin(), count + (call.access->layered ? 1 : 0), out.begin());
  if (cube && call.access->layered) out[2] /= faces;
}

/// Of a direction to an edge of a cube, or to nowhere, the machine chooses the face.
bool is_on_one_face(const ssa::Bits& direction) {
  std::array<float, 3> sizes{};
  for (unsigned i = 0; i < 3; ++i) sizes[i] = std::fabs(float_of(direction[i]));
  return std::ranges::count(sizes, *std::ranges::max_element(sizes)) == 1;
}

/// What no number leads to, the machine chooses.
bool is_somewhere(const ssa::TextureCall& call) {
  const unsigned count = dimensions(call.access->shape);
  return call.access->kind == Access::Kind::fetch ||
         std::all_of(call.coordinate.begin(), call.coordinate.begin() + count,
                     [](std::uint32_t bits) { return std::isfinite(float_of(bits)); });
}

/// OpenGL ES 3.2, table 21.40: of offsets that are farther, what is gathered is undefined.
bool is_near_enough(const ssa::TextureCall& call) {
  constexpr std::int32_t least = -8, most = 7;
  return call.access->kind != Access::Kind::gather || std::ranges::all_of(call.offset, [](std::uint32_t offset) {
           const auto number = static_cast<std::int32_t>(offset);
           return number >= least && number <= most;
         });
}

/// More than any texture has are as many as it has.
std::uint32_t layer_of(float number) {
  constexpr float most = 65535;
  return number > 0 ? static_cast<std::uint32_t>(std::floor(std::min(number, most) + 0.5)) : 0;
}

/// Where texels of a filter compare in different ways, and it is compared what the filter makes of them, OpenGL ES
/// 3.2, 8.20.1, leaves it to the machine how many count.
bool is_divided(float result) { return result > 0 && result < 1; }

std::string sample(const io::Texture& texture, const ssa::TextureCall& call, Random& random, ssa::Bits& out) {
  const Access& access = *call.access;
  ir::Texture op;
  op.kind = access.kind == Access::Kind::fetch    ? ir::Texture::Kind::fetch
            : access.kind == Access::Kind::gather ? ir::Texture::Kind::gather
                                                  : ir::Texture::Kind::sample;
  op.shape = shape_of(access.shape);
  op.result = static_cast<ir::Texture::Result>(texture.numbers);
  op.shadow = access.shadow;
  op.gather_component = access.component;
  const bool is_cube = access.shape == Access::Shape::cube, has_gradients = access.level == Access::Level::gradients;
  op.implicit_lod =
      access.level != Access::Level::given && op.kind == ir::Texture::Kind::sample && !(is_cube && has_gradients);
  TextureRequest request{.op = &op};
  const unsigned count = dimensions(access.shape);
  if (!is_somewhere(call) || !is_near_enough(call) || (is_cube && !is_on_one_face(call.coordinate))) {
    if (texture.numbers == io::Texture::Numbers::f32)
      out.fill(bits_of(std::nanf("")));
    else
      out = any_integers(random);
    return {};
  }
  if (is_cube) {
    const auto place = face_of(call.coordinate);
    std::ranges::copy(place, request.coordinate.begin());
    if (access.shadow) request.coordinate[3] = call.reference;
  } else {
    const std::array sides{texture.size.width, texture.size.height, texture.size.depth};
    for (unsigned i = 0; i < count; ++i) {
      // what a machine makes a level of beforehand is texels, whatever the sampler
      const bool is_texels = access.shape == Access::Shape::rectangle && has_gradients;
      const float whole = is_texels ? static_cast<float>(sides[i]) : 1;
      request.coordinate[i] = call.coordinate[i];
      request.ddx[i] = float_of(call.ddx[i]) / whole;
      request.ddy[i] = float_of(call.ddy[i]) / whole;
    }
    if (access.shadow) request.coordinate[2] = call.reference;
  }
  if (access.layered && is_cube && access.shadow)
    request.coordinate[0] += faces * layer_of(float_of(call.coordinate[count]));
  else if (access.layered)
    request.coordinate[3] = call.coordinate[count];
  request.fetch_lod = static_cast<std::int32_t>(call.lod);
  if (op.kind == ir::Texture::Kind::sample) request.lod = float_of(call.lod);
  if (is_cube && has_gradients) request.lod = level_on_cube(call, texture.size.width);
  for (unsigned i = 0; i < count; ++i) request.offset[i] = static_cast<std::int32_t>(call.offset[i]);
  static const io::Sampler sampler;
  return io::sample(texture, sampler, request, out).reason;
}

}  // namespace

ssa::TextureUnit texture_unit(const Binding& binding, const GivenInputs& given, std::uint32_t seed) {
  return [&, random = Random(seed)](const ssa::TextureCall& call, ssa::Bits& out) mutable -> std::string {
    const std::uint32_t number = binding.texture_number(call.access->texture, call.slot);
    if (const auto image = given.images.find(number);
        image != given.images.end() && binding.form().variables[call.access->texture].storage == ssa::Storage::image) {
      size_of(*image->second.image, call, out);
      return {};
    }
    const auto found = given.textures.find(number);
    if (found == given.textures.end()) return "the source reads a texture that its code does not have";
    const bool reads = call.access->kind == Access::Kind::sample || call.access->kind == Access::Kind::fetch ||
                       call.access->kind == Access::Kind::gather;
    if (!reads) return size_of(*found->second, call, random, out);
    std::string fault = sample(*found->second, call, random, out);
    if (call.access->shadow && !binding.compares_texels() && is_divided(float_of(out[0])))
      out.fill(bits_of(std::nanf("")));
    return fault;
  };
}

/// OpenGL ES 3.2, 8.22: loads outside of the image give 0, stores there do nothing.
ssa::ImageUnit image_unit(const Binding& binding, std::map<std::uint32_t, GivenImage>& images) {
  return [&](ssa::TexelCall& call, ssa::Bits& texel) -> std::string {
    const auto found = images.find(binding.texture_number(call.access->texture, call.slot));
    if (found == images.end()) return "the source has an image that its code does not have";
    const io::StorageImage& image = *found->second.image;
    const auto address =
        image.address_of({static_cast<std::int32_t>(call.coordinate[0]), static_cast<std::int32_t>(call.coordinate[1]),
                          static_cast<std::int32_t>(call.coordinate[2])});
    if (!call.stores) texel = {};
    call.is_outside = !address;
    if (call.is_outside) return {};
    std::uint8_t* const at = found->second.bytes.data() + (*address - image.address);
    if (!call.stores) {
      texel = io::decode_texel(*image.format, at);
      return {};
    }
    return io::encode_texel(*image.format, texel, at) ? ""
                                                      : "the source stores an integer that its image has no room for";
  };
}

}  // namespace mobula::compile
