#include "machines/midgard/lift/texture.h"

#include <bit>

#include "machines/midgard/lift/state.h"
#include "machines/midgard/lift/vector.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Texture;
using ir::Type;

/// tex::mode.
constexpr unsigned mode_normal = 1, mode_shadow = 5, mode_gather_shadow = 6, mode_gather_x = 8, mode_gather_w = 11,
                   mode_ddx = 0, mode_ddy = 1;
/// tex::sampler_type.
constexpr unsigned type_none = 0, type_float = 1, type_unsigned = 2;

constexpr bool is_gather(unsigned mode) {
  return mode == mode_gather_shadow || (mode >= mode_gather_x && mode <= mode_gather_w);
}
constexpr bool is_shadow(unsigned mode) { return mode == mode_shadow || mode == mode_gather_shadow; }

/// A register of 32- or 16-bit components: where they start and how wide they are.
struct Components {
  std::uint32_t byte = 0;
  bool full = false;
  [[nodiscard]] Operand at(unsigned component) const { return Operand::state(byte + component * (full ? 4 : 2)); }
};

class TextureLifter {
 public:
  explicit TextureLifter(const BundleContext& context) : context_(context), b_(context.builder) {}

  [[nodiscard]] std::string fault() const;
  void lift();

 private:
  [[nodiscard]] unsigned field(const Field& f) const { return static_cast<unsigned>(get(context_.bundle.word, f)); }
  [[nodiscard]] bool flag(const Field& f) const { return field(f) != 0; }
  [[nodiscard]] std::string describe() const { return std::string(find_tex_op(op_)->mnemonic); }
  [[nodiscard]] Components input(bool full, bool select, bool upper) const;
  [[nodiscard]] Components coordinates() const {
    return input(flag(tex::in_full), flag(tex::in_select), flag(tex::in_upper));
  }
  [[nodiscard]] Operand raw_coordinate(unsigned lane) const {
    return coordinates().at(selected(field(tex::in_swizzle), lane));
  }

  void look_up();
  void copy();
  void differentiate();
  void make_gradient();

  Operand as_float(const Components& from, unsigned component);
  Operand as_integer(const Components& from, unsigned component);
  Operand float_coordinate(unsigned lane);
  void set_coordinates(Texture& texture);
  void set_lod(Texture& texture);
  void set_offset(Texture& texture);
  Operand scalar_register(const Field& where, bool is_integer);
  Operand number(const Field& where, const Field& is_register);
  [[nodiscard]] bool has_implicit_lod() const;

  [[nodiscard]] std::uint32_t destination(unsigned lane) const;
  void write(const Vector& result, Type type);
  void note_doubts() const;

  const BundleContext& context_;
  ir::Builder& b_;
  TexMeaning op_ = static_cast<TexMeaning>(field(tex::op));
  unsigned mode_ = field(tex::mode);
};

// ------------------------------------------------------------------------------------------------ faults

std::string TextureLifter::fault() const {
  if (find_tex_op(op_) == nullptr)
    return invalid_encoding("texture operation " + std::to_string(opcode_of(op_)) + " is unassigned");
  if (context_.bundle.tag == tag_barrier && op_ != TexMeaning::barrier) {
    return invalid_encoding("a bundle with the tag of barriers holds " + describe());
  }
  const auto bad_mode = [&] {
    return invalid_encoding(describe() + ": mode " + std::to_string(mode_) + " is unassigned");
  };
  if (op_ == TexMeaning::fetch && mode_ != mode_normal) return bad_mode();
  if (is_lookup(op_) && mode_ != mode_normal && !is_shadow(mode_) && !is_gather(mode_)) return bad_mode();
  constexpr unsigned cube = 0;
  const bool has_descriptor = is_lookup(op_) && op_ != TexMeaning::fetch && field(tex::format_) == cube;
  if (has_descriptor && !flag(tex::in_full)) {
    return invalid_encoding(describe() + ": a cube descriptor is not made of 16-bit components");
  }
  if (op_ == TexMeaning::derivative && mode_ != mode_ddx && mode_ != mode_ddy) return bad_mode();
  return {};
}

// ------------------------------------------------------------------------------------------------ operations

void TextureLifter::lift() {
  b_.rests_on(find_tex_op(op_)->fact.status);
  note_doubts();
  switch (op_) {
    case TexMeaning::barrier:
      if (context_.bundle.tag == tag_barrier) b_.barrier();
      return;
    case TexMeaning::move:
      return copy();
    case TexMeaning::derivative:
      return differentiate();
    case TexMeaning::gradient_of_coordinates:
    case TexMeaning::gradient_of_derivatives:
      return make_gradient();
    case TexMeaning::sample:
    case TexMeaning::gradient:
    case TexMeaning::fetch:
      return look_up();
  }
}

void TextureLifter::look_up() {
  constexpr Texture::Shape shapes[] = {Texture::Shape::cube, Texture::Shape::d1, Texture::Shape::d2,
                                       Texture::Shape::d3};
  const unsigned sampler_type = field(tex::sampler_type);
  Texture texture;
  texture.kind = op_ == TexMeaning::fetch ? Texture::Kind::fetch
                 : is_gather(mode_)       ? Texture::Kind::gather
                                          : Texture::Kind::sample;
  texture.shape = shapes[field(tex::format_)];
  texture.result = sampler_type == type_unsigned  ? Texture::Result::u32
                   : sampler_type > type_unsigned ? Texture::Result::i32
                                                  : Texture::Result::f32;
  texture.shadow = is_shadow(mode_);
  texture.implicit_lod = has_implicit_lod();
  texture.skip_sampler_lod = op_ == TexMeaning::gradient && context_.product.broken_lod;
  if (mode_ >= mode_gather_x) texture.gather_component = static_cast<std::uint8_t>(mode_ - mode_gather_x);
  set_coordinates(texture);
  set_lod(texture);
  set_offset(texture);
  texture.texture = number(tex::texture, tex::texture_register);
  texture.sampler = number(tex::sampler, tex::sampler_register);
  if (field(tex::mask) == 0) return;
  const Type type = texture.result == Texture::Result::f32 ? Type::f32 : Type::i32;
  const Operand texel = b_.temporary(type, 4);
  b_.texture(texture, texel);
  write({texel, texel.plus(4), texel.plus(8), texel.plus(12)}, type);
}

/// Differences between the threads of a quad exist for texture bundles with quad synchronisation (2.1, 3.9).
bool TextureLifter::has_implicit_lod() const {
  const Stage stage = context_.interface.stage;
  return op_ == TexMeaning::sample && !is_gather(mode_) && context_.bundle.tag == tag_texture &&
         (stage == Stage::fragment || stage == Stage::unknown);
}

/// Copies keep their bits unless they change size.
void TextureLifter::copy() {
  const bool is_float = field(tex::sampler_type) == type_float;
  Vector result;
  for (unsigned lane = 0; lane < 4; ++lane) {
    const unsigned component = selected(field(tex::in_swizzle), lane);
    result[lane] = is_float ? as_float(coordinates(), component) : as_integer(coordinates(), component);
  }
  write(result, is_float ? Type::f32 : Type::i32);
}

void TextureLifter::differentiate() {
  const Op op = mode_ == mode_ddx ? Op::ddx : Op::ddy;
  Vector result;
  for (unsigned lane = 0; lane < 4; ++lane) {
    if ((field(tex::mask) >> lane & 1) == 0) continue;
    Operand& value = result[selected(field(tex::swizzle), lane)];
    if (value.is_none()) value = b_.unary(op, Type::f32, float_coordinate(selected(field(tex::swizzle), lane)));
  }
  write(result, Type::f32);
}

/// The private encoding of a gradient descriptor: every word is the LOD of a texture one texel wide, so that a later
/// lookup takes it for its LOD. Derivatives come as d/dx in x y and d/dy in z w.
void TextureLifter::make_gradient() {
  std::array<Operand, 4> d;
  for (unsigned i = 0; i < 4; ++i) {
    if (op_ == TexMeaning::gradient_of_derivatives) {
      d[i] = float_coordinate(i);
    } else {
      d[i] = b_.unary(i < 2 ? Op::ddx : Op::ddy, Type::f32, float_coordinate(i & 1));
    }
  }
  const auto squared_length = [&](Operand x, Operand y) {
    return b_.ternary(Op::ffma, Type::f32, x, x, b_.binary(Op::fmul, Type::f32, y, y));
  };
  const Operand vertical = squared_length(d[2], d[3]), horizontal = squared_length(d[0], d[1]);
  const Operand longest = b_.binary(Op::fmax, Type::f32, horizontal, vertical);
  const Operand lod = b_.binary(Op::fmul, Type::f32, b_.unary(Op::flog2, Type::f32, longest), b_.constant_f32(0.5f));
  write({lod, lod, lod, lod}, Type::f32);
}

// ------------------------------------------------------------------------------------------------ operands

Components TextureLifter::input(bool full, bool select, bool upper) const {
  const std::uint32_t base = state::texture_inputs(context_.product) + (select ? state::register_bytes : 0);
  return {.byte = base + (!full && upper ? 8 : 0), .full = full};
}

Operand TextureLifter::as_float(const Components& from, unsigned component) {
  const Operand value = from.at(component);
  return from.full ? value : b_.convert(Op::f2f, Type::f32, Type::f16, value);
}

Operand TextureLifter::as_integer(const Components& from, unsigned component) {
  const Operand value = from.at(component);
  return from.full ? value : b_.convert(Op::sext, Type::i32, Type::i16, value);
}

Operand TextureLifter::float_coordinate(unsigned lane) {
  return as_float(coordinates(), selected(field(tex::in_swizzle), lane));
}

/// A cube descriptor is two 32-bit words in x and y (2.9), which is why a cube's reference or layer moves on to w.
void TextureLifter::set_coordinates(Texture& texture) {
  const bool is_fetch = texture.kind == Texture::Kind::fetch;
  for (unsigned lane = 0; lane < 4; ++lane) {
    const unsigned component = selected(field(tex::in_swizzle), lane);
    texture.coordinate[lane] = is_fetch ? as_integer(coordinates(), component) : as_float(coordinates(), component);
  }
  if (texture.shape != Texture::Shape::cube || is_fetch) return;
  const CubePlace place = cube_place(b_, {raw_coordinate(0), raw_coordinate(1)});
  if (!texture.shadow) {
    texture.coordinate = {place.face, place.s, place.t, texture.coordinate[3]};
    return;
  }
  // The face counts on from layer to layer. Of a texture that is no array the layer is whatever stands there, and does
  // not count.
  constexpr std::uint32_t faces = 6;
  constexpr float most_layers = 65535;
  const Operand from_zero =
      b_.binary(Op::fmin, Type::f32, b_.binary(Op::fmax, Type::f32, texture.coordinate[3], b_.constant_f32(0)),
                b_.constant_f32(most_layers));
  const Operand layer = b_.convert(Op::f2u, Type::i32, Type::f32,
                                   b_.binary(Op::fadd, Type::f32, from_zero, b_.constant_f32(0.5F)), ir::Round::down);
  const Operand face =
      b_.binary(Op::iadd, Type::i32, b_.binary(Op::imul, Type::i32, layer, b_.constant_u32(faces)), place.face);
  texture.coordinate = {face, place.s, place.t, texture.coordinate[2]};
}

/// A component of an input register that the low byte of `where` selects (2.9).
Operand TextureLifter::scalar_register(const Field& where, bool is_integer) {
  const std::uint64_t bits = field(where);
  const Components from =
      input(get(bits, texselect::full) != 0, get(bits, texselect::select) != 0, get(bits, texselect::upper) != 0);
  const auto component = static_cast<unsigned>(get(bits, texselect::component));
  return is_integer ? as_integer(from, component) : as_float(from, component);
}

void TextureLifter::set_lod(Texture& texture) {
  const bool is_fetch = texture.kind == Texture::Kind::fetch;
  if (flag(tex::lod_register)) {
    texture.lod = scalar_register(tex::lod_fraction, is_fetch);
  } else if (is_fetch) {
    texture.lod = b_.constant_u32(field(tex::lod_fraction));
  } else {
    const auto whole = static_cast<float>(get_signed(context_.bundle.word, tex::lod_integer));
    texture.lod = b_.constant_f32(whole + static_cast<float>(field(tex::lod_fraction)) / 256);
  }
}

void TextureLifter::set_offset(Texture& texture) {
  const std::uint64_t bits = field(tex::offset);
  if (flag(tex::offset_register)) {
    const Components from = input(get(bits, texoffsetreg::full) != 0, get(bits, texoffsetreg::select) != 0,
                                  get(bits, texoffsetreg::upper) != 0);
    const auto swizzle = static_cast<unsigned>(get(bits, texoffsetreg::swizzle));
    for (unsigned i = 0; i < 3; ++i) texture.offset[i] = as_integer(from, selected(swizzle, i));
  } else if (bits != 0) {
    constexpr const Field* axes[] = {&texoffset::x, &texoffset::y, &texoffset::z};
    for (unsigned i = 0; i < 3; ++i) {
      texture.offset[i] = b_.constant(Type::i32, static_cast<std::uint64_t>(get_signed(bits, *axes[i])));
    }
  }
}

Operand TextureLifter::number(const Field& where, const Field& is_register) {
  if (!flag(is_register)) return b_.constant_u32(field(where));
  const std::uint64_t bits = field(where);
  const Components from =
      input(get(bits, texselect::full) != 0, get(bits, texselect::select) != 0, get(bits, texselect::upper) != 0);
  const Operand value = from.at(static_cast<unsigned>(get(bits, texselect::component)));
  return from.full ? value : b_.convert(Op::zext, Type::i32, Type::i16, value);
}

// ------------------------------------------------------------------------------------------------ results (4.6)

std::uint32_t TextureLifter::destination(unsigned lane) const {
  const std::uint32_t base =
      state::texture_results(context_.product) + (flag(tex::out_select) ? state::register_bytes : 0);
  if (flag(tex::out_full)) return base + 4 * lane;
  return base + (flag(tex::out_upper) ? 8 : 0) + 2 * lane;
}

/// Modifier, then size, then swizzle under the mask. All values are made before the first is written: where registers
/// alias, results may overwrite what they come from.
void TextureLifter::write(const Vector& result, Type type) {
  constexpr Op clamps[] = {Op::mov, Op::fclamp_pos, Op::fclamp_signed, Op::fclamp_unit};
  const bool is_float = ir::is_float(type), is_full = flag(tex::out_full);
  const Op clamp = is_float ? clamps[field(tex::outmod)] : Op::mov;
  const Type stored = is_full ? Type::i32 : Type::i16;
  Vector made;
  for (unsigned lane = 0; lane < 4; ++lane) {
    if ((field(tex::mask) >> lane & 1) == 0) continue;
    const unsigned from = selected(field(tex::swizzle), lane);
    if (!made[from].is_none()) continue;
    Operand value = clamp == Op::mov ? result[from] : b_.unary(clamp, type, result[from]);
    if (!is_full) value = is_float ? b_.convert(Op::f2f, Type::f16, type, value) : value;
    made[from] = b_.unary(Op::mov, stored, value);
  }
  for (unsigned lane = 0; lane < 4; ++lane) {
    if ((field(tex::mask) >> lane & 1) == 0) continue;
    b_.emit(Op::mov, stored, Operand::state(destination(lane)), made[selected(field(tex::swizzle), lane)]);
  }
}

// ------------------------------------------------------------------------------------------------ what it rests on

void TextureLifter::note_doubts() const {
  const std::string what = describe();
  if (op_ == TexMeaning::gradient_of_coordinates || op_ == TexMeaning::gradient_of_derivatives) {
    context_.unknown(what + ": the layout of gradient descriptors is unpublished; a LOD is used instead");
  }
  if (is_lookup(op_)) {
    if (field(tex::format_) == 0 && op_ != TexMeaning::fetch) {
      context_.unknown(what + ": the layout of cube descriptors is unpublished");
    }
    if (op_ == TexMeaning::sample && !has_implicit_lod()) context_.inferred(what + " without a quad: LOD 0 plus bias");
    if (is_gather(mode_)) context_.inferred(what + ": the order of gathered texels is OpenGL's");
    if (field(tex::sampler_type) == type_none) context_.unknown(what + ": sampler type 0 is treated as float");
    const bool has_upper_offset = !flag(tex::offset_register) && (field(tex::offset) & 0x888) != 0;
    if (op_ != TexMeaning::fetch && has_upper_offset)
      context_.unknown(what + ": immediate offsets from 8 on are treated as negative");
  }
  if (op_ == TexMeaning::move && flag(tex::in_full) != flag(tex::out_full) && field(tex::sampler_type) == type_none) {
    context_.unknown(what + ": how it changes size is unpublished; integers are extended or cut");
  }
  if (op_ == TexMeaning::derivative && std::popcount(field(tex::mask)) > 2) {
    context_.inferred(what + " of more than two components");
  }
  if (field(tex::exec) == 0) context_.unknown(what + ": partial execution 0 is reserved");
}

}  // namespace

std::string texture_fault(const BundleContext& context) { return TextureLifter(context).fault(); }
void lift_texture(const BundleContext& context) { TextureLifter(context).lift(); }

}  // namespace mobula::midgard
