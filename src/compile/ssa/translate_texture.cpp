#include <array>

#include "compile/ssa/translate.h"

namespace mobula::ssa {
namespace {

using Kind = SpirvType::Kind;
using Access = TextureAccess;

Access::Shape shape_of(spv::Dim dim) {
  switch (dim) {
    case spv::Dim::Dim1D:
      return Access::Shape::d1;
    case spv::Dim::Dim3D:
      return Access::Shape::d3;
    case spv::Dim::Cube:
      return Access::Shape::cube;
    case spv::Dim::Rect:
      return Access::Shape::rectangle;
    case spv::Dim::Buffer:
      return Access::Shape::buffer;
    default:
      return Access::Shape::d2;
  }
}

/// Components of a coordinate without layer, reference and divisor.
unsigned dimensions(Access::Shape shape) {
  switch (shape) {
    case Access::Shape::d1:
    case Access::Shape::buffer:
      return 1;
    case Access::Shape::d3:
    case Access::Shape::cube:
      return 3;
    default:
      return 2;
  }
}

}  // namespace

Resource& Translator::resource(Id id) {
  const auto found = resources_.find(id);
  if (found == resources_.end())
    module_.refuse("a texture that is chosen at run time by its value is not supported", line_);
  return found->second;
}

TextureAccess Translator::access_of(const Resource& from) {
  const SpirvType* type = &module_.type(from.type);
  if (type->kind == Kind::combined) type = &module_.type(type->element);
  Access access;
  access.shape = shape_of(type->dim);
  access.layered = type->layered;
  access.multisample = type->multisample;
  access.texture = from.texture;
  access.sampler = from.sampler;
  access.slot = from.slot;
  return access;
}

Value Translator::add_access(Op op, Type type, const TextureAccess& access, Values operands) {
  const auto number = static_cast<std::uint32_t>(out_.accesses.size());
  out_.accesses.push_back(access);
  return make(op, type, std::move(operands), {number});
}

void Translator::finish_access(Words each, const TextureAccess& access, Values operands) {
  set(each, add_access(Op::texture, result_type(each), access, std::move(operands)));
}

/// The optional operands of an image instruction: a mask, and one for each bit.
void Translator::add_operands(TextureAccess& access, Values& operands, std::span<const std::uint32_t> words,
                              Words each) {
  if (words.empty()) return;
  std::size_t next = 1;
  const auto take = [&](std::int8_t& place) {
    place = static_cast<std::int8_t>(operands.size());
    operands.push_back(value(words[next++]));
  };
  for (std::uint32_t bit = 1; bit != 0 && bit <= words[0]; bit <<= 1) {
    if ((words[0] & bit) == 0) continue;
    switch (static_cast<spv::ImageOperandsMask>(bit)) {
      case spv::ImageOperandsMask::Bias:
        access.level = Access::Level::bias;
        take(access.lod);
        break;
      case spv::ImageOperandsMask::Lod:
        access.level = Access::Level::given;
        take(access.lod);
        break;
      case spv::ImageOperandsMask::Grad:
        access.level = Access::Level::gradients;
        take(access.ddx);
        take(access.ddy);
        break;
      case spv::ImageOperandsMask::ConstOffset:
      case spv::ImageOperandsMask::Offset:
        take(access.offset);
        break;
      case spv::ImageOperandsMask::Sample:
        take(access.sample);
        break;
      case spv::ImageOperandsMask::NonPrivateTexel:
      case spv::ImageOperandsMask::VolatileTexel:
      case spv::ImageOperandsMask::SignExtend:
      case spv::ImageOperandsMask::ZeroExtend:
        break;
      default:
        refuse_op(each);
    }
  }
}

void Translator::sample(Words each, bool shadow, bool projected) {
  const Resource& from = resource(each[3]);
  Access access = access_of(from);
  access.shadow = shadow;
  Value coordinate = value(each[4]);
  const unsigned size = dimensions(access.shape) + (access.layered ? 1 : 0);
  Value reference = shadow ? value(each[5]) : none;
  if (projected) {
    const Value divisor = swizzle(coordinate, type_of(coordinate).components - 1);
    const auto divided = [&](Value a) {
      return make(Op::fdiv, type_of(a), {a, splat(divisor, type_of(a).components)});
    };
    Values parts;
    for (unsigned i = 0; i < size; ++i) parts.push_back(swizzle(coordinate, i));
    coordinate = divided(compose(parts));
    if (shadow) reference = divided(reference);
  } else if (type_of(coordinate).components > size) {
    Values parts;
    for (unsigned i = 0; i < size; ++i) parts.push_back(swizzle(coordinate, i));
    coordinate = compose(parts);
  }
  Values operands{coordinate};
  access.coordinate = 0;
  if (reference != none) {
    access.reference = static_cast<std::int8_t>(operands.size());
    operands.push_back(reference);
  }
  if (from.index != none) {
    access.index = static_cast<std::int8_t>(operands.size());
    operands.push_back(from.index);
  }
  add_operands(access, operands, each.words.subspan(shadow ? 6 : 5), each);
  finish_access(each, access, std::move(operands));
}

void Translator::query(Words each) {
  const Resource& from = resource(each[3]);
  Access access = access_of(from);
  Values operands;
  if (from.index != none) {
    access.index = 0;
    operands.push_back(from.index);
  }
  access.kind = each.op() == spv::Op::OpImageQueryLevels ? Access::Kind::levels
                : each.op() == spv::Op::OpImageQueryLod  ? Access::Kind::lod
                                                         : Access::Kind::size;
  if (each.size() > 4) {
    (access.kind == Access::Kind::lod ? access.coordinate : access.lod) = static_cast<std::int8_t>(operands.size());
    operands.push_back(value(each[4]));
  }
  finish_access(each, access, std::move(operands));
}

/// Of a storage image; what is there already are operands of its instruction, too.
TextureAccess Translator::texel_access(const Resource& image, Value at, Values& operands) {
  Access access = access_of(image);
  access.kind = Access::Kind::texel;
  access.coordinate = static_cast<std::int8_t>(operands.size());
  operands.push_back(at);
  if (image.index != none) {
    access.index = static_cast<std::int8_t>(operands.size());
    operands.push_back(image.index);
  }
  return access;
}

void Translator::point_at_texel(Words each) {
  if (!places_.contains(each[3])) module_.refuse("a pointer that is made at run time is not supported", line_);
  const Place& place = places_.at(each[3]);
  texels_[each[2]] = {{place.type, place.variable, place.variable, place.at, place.added}, value(each[4])};
}

void Translator::load_texel(Words each) {
  Values operands;
  const Access access = texel_access(resource(each[3]), value(each[4]), operands);
  set(each, add_access(Op::image_load, result_type(each), access, std::move(operands)));
}

void Translator::store_texel(Words each) {
  Values operands{value(each[3])};
  const Access access = texel_access(resource(each[1]), value(each[2]), operands);
  add_access(Op::image_store, {}, access, std::move(operands));
}

bool Translator::translate_texture(Words each) {
  switch (each.op()) {
    case spv::Op::OpImageTexelPointer:
      point_at_texel(each);
      return true;
    case spv::Op::OpImageRead:
      load_texel(each);
      return true;
    case spv::Op::OpImageWrite:
      store_texel(each);
      return true;
    case spv::Op::OpSampledImage: {
      Resource both = resource(each[3]);
      both.sampler = resource(each[4]).texture;
      resources_[each[2]] = both;
      return true;
    }
    case spv::Op::OpImage:
      resources_[each[2]] = resource(each[3]);
      return true;
    case spv::Op::OpImageSampleImplicitLod:
    case spv::Op::OpImageSampleExplicitLod:
      sample(each, false, false);
      return true;
    case spv::Op::OpImageSampleDrefImplicitLod:
    case spv::Op::OpImageSampleDrefExplicitLod:
      sample(each, true, false);
      return true;
    case spv::Op::OpImageSampleProjImplicitLod:
    case spv::Op::OpImageSampleProjExplicitLod:
      sample(each, false, true);
      return true;
    case spv::Op::OpImageSampleProjDrefImplicitLod:
    case spv::Op::OpImageSampleProjDrefExplicitLod:
      sample(each, true, true);
      return true;
    case spv::Op::OpImageFetch: {
      sample(each, false, false);
      out_.accesses.back().kind = Access::Kind::fetch;
      return true;
    }
    case spv::Op::OpImageGather: {
      // Its component stands where the reference of a shadow access does.
      const auto component = module_.constant(each[5]);
      if (!component) module_.refuse("textureGather with a component that is not a constant is not supported", line_);
      sample_gather(each, false, static_cast<std::uint8_t>(*component & 3));
      return true;
    }
    case spv::Op::OpImageDrefGather:
      sample_gather(each, true);
      return true;
    case spv::Op::OpImageQuerySize:
    case spv::Op::OpImageQuerySizeLod:
    case spv::Op::OpImageQueryLevels:
    case spv::Op::OpImageQueryLod:
      query(each);
      return true;
    default:
      return false;
  }
}

void Translator::sample_gather(Words each, bool shadow, std::uint8_t component) {
  const Resource& from = resource(each[3]);
  Access access = access_of(from);
  access.kind = Access::Kind::gather;
  access.shadow = shadow;
  access.component = component;
  Values operands{value(each[4])};
  access.coordinate = 0;
  if (shadow) {
    access.reference = 1;
    operands.push_back(value(each[5]));
  }
  if (from.index != none) {
    access.index = static_cast<std::int8_t>(operands.size());
    operands.push_back(from.index);
  }
  const auto options = each.words.subspan(6);
  if (!options.empty() && options[0] == static_cast<std::uint32_t>(spv::ImageOperandsMask::ConstOffsets))
    return gather_one_each(each, access, operands, leaves(options[1]));
  add_operands(access, operands, options, each);
  finish_access(each, access, std::move(operands));
}

/// With four offsets: of each the texel that stands last, which is that of the lower coordinates.
void Translator::gather_one_each(Words each, TextureAccess access, const Values& operands, const Values& offsets) {
  access.offset = static_cast<std::int8_t>(operands.size());
  Values texels;
  for (const Value offset : offsets) {
    Values with_offset = operands;
    with_offset.push_back(offset);
    texels.push_back(swizzle(add_access(Op::texture, result_type(each), access, std::move(with_offset)), 3));
  }
  set(each, compose(texels));
}

}  // namespace mobula::ssa
