#include "machines/rogue/lift/pack.h"
#include "core/counted.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace mobula::rogue::lifting {
namespace {

enum class Numbers : std::uint8_t {
  none,
  unsigned_integer,  ///< scaled: 0..1
  signed_integer,    ///< scaled: -1..1
  symmetric,         ///< scaled: (2 c + 1) / (2^bits - 1), as OpenGL once had it
  excess,            ///< a signed integer plus half of the codes
  small_float,       ///< unsigned, 5 bits of exponent
  half,
  whole,  ///< 32-bit float
};

struct Component {
  Numbers numbers = Numbers::none;
  std::uint8_t low = 0, bits = 0;
};

struct Format {
  std::uint8_t code = 0;
  std::uint8_t count = 0;
  std::array<Component, 6> components{};
};

constexpr Format even(unsigned code, Numbers numbers, unsigned bits) {
  Format format{.code = static_cast<std::uint8_t>(code), .count = static_cast<std::uint8_t>(32 / bits)};
  for (std::size_t i = 0; i < format.count; ++i)
    format.components[i] = {numbers, static_cast<std::uint8_t>(i * bits), static_cast<std::uint8_t>(bits)};
  return format;
}
/// Components from bit 0 up.
template <std::size_t count>
constexpr Format uneven(unsigned code, Numbers numbers, const unsigned (&widths)[count]) {
  Format format{.code = static_cast<std::uint8_t>(code), .count = count};
  unsigned low = 0;
  for (std::size_t i = 0; i < count; ++i) {
    format.components[i] = {numbers, static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(widths[i])};
    low += widths[i];
  }
  return format;
}

// The order of components from bit 0 is that of Mesa's tables. Of f32_mask there is a name only.
constexpr std::array formats{
    even(0, Numbers::unsigned_integer, 8),
    even(1, Numbers::signed_integer, 8),
    even(2, Numbers::excess, 8),
    even(3, Numbers::unsigned_integer, 16),
    even(4, Numbers::signed_integer, 16),
    even(5, Numbers::excess, 16),
    even(6, Numbers::unsigned_integer, 32),
    even(7, Numbers::signed_integer, 32),
    uneven(8, Numbers::unsigned_integer, {10, 10, 10, 2}),
    uneven(9, Numbers::signed_integer, {10, 10, 10, 2}),
    uneven(10, Numbers::unsigned_integer, {11, 11, 10}),
    uneven(11, Numbers::signed_integer, {11, 11, 10}),
    uneven(12, Numbers::small_float, {11, 11, 10}),
    even(14, Numbers::half, 16),
    even(15, Numbers::whole, 32),
    uneven(17, Numbers::unsigned_integer, {5, 6, 5, 5, 6, 5}),
    uneven(18, Numbers::unsigned_integer, {24, 8}),
    uneven(19, Numbers::unsigned_integer, {8, 24}),
    Format{.code = 21,
           .count = 4,
           .components = {{{Numbers::unsigned_integer, 0, 2},
                           {Numbers::small_float, 2, 10},
                           {Numbers::small_float, 12, 10},
                           {Numbers::small_float, 22, 10}}}},
    even(22, Numbers::symmetric, 8),
    even(23, Numbers::symmetric, 16),
};
constexpr unsigned coverage_format = 16, zero_format = 30, one_format = 31;
/// Formats whose names are all that is known of them.
bool is_named_only(unsigned code) { return code == 2 || code == 5 || code == 21; }

const Format* find_format(unsigned code) {
  for (const Format& each : formats)
    if (each.code == code) return &each;
  return nullptr;
}

std::uint32_t ones_of(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

/// A component as a number computes in doubles, so that 32-bit integers are exact.
class Converter {
 public:
  Converter(GroupContext& context, const Component& component, bool is_scaled, Round round)
      : context_(context), b_(context.b), component_(component), is_scaled_(is_scaled), round_(round) {}

  Operand to_bits(Operand value) {
    switch (component_.numbers) {
      case Numbers::whole:
        return value;
      case Numbers::half:
        return b_.convert(Op::zext, Type::i32, Type::i16, b_.convert(Op::f2f, Type::f16, Type::f32, value, round_));
      case Numbers::small_float:
        return small_float_bits(value);
      case Numbers::none:  // of components that a format does not have
      case Numbers::unsigned_integer:
      case Numbers::signed_integer:
      case Numbers::symmetric:
      case Numbers::excess:
        break;
    }
    return integer_bits(value);
  }

  Operand to_number(Operand bits) {
    switch (component_.numbers) {
      case Numbers::whole:
        return bits;
      case Numbers::half:
        return b_.convert(Op::f2f, Type::f32, Type::f16, bits);
      case Numbers::small_float:
        return b_.convert(Op::f2f, Type::f32, Type::f16, context_.i32(Op::ishl, bits, b_.constant_u32(dropped_bits())));
      case Numbers::none:
      case Numbers::unsigned_integer:
      case Numbers::signed_integer:
      case Numbers::symmetric:
      case Numbers::excess:
        break;
    }
    return integer_number(bits);
  }

 private:
  [[nodiscard]] bool is_signed() const { return component_.numbers != Numbers::unsigned_integer; }
  [[nodiscard]] double greatest() const { return std::ldexp(1.0, component_.bits - (is_signed() ? 1 : 0)) - 1; }
  [[nodiscard]] unsigned dropped_bits() const { return 15u - component_.bits; }  // mantissa bits fewer than a half's
  Operand number(double value) { return b_.constant_u64(std::bit_cast<std::uint64_t>(value)); }
  Operand f64(Op op, Operand x, Operand y) { return b_.binary(op, Type::f64, x, y); }

  /// Rounds towards zero; what is negative becomes 0.
  Operand small_float_bits(Operand value) {
    const Operand half = b_.convert(Op::f2f, Type::f16, Type::f32, value, Round::zero);
    const Operand bits = b_.convert(Op::zext, Type::i32, Type::i16, half);
    const Operand is_negative = b_.binary(Op::flt, Type::f32, value, context_.zero());
    const Operand kept =
        context_.i32(Op::ilsr, context_.i32(Op::iand, bits, b_.constant_u32(0x7FFF)), b_.constant_u32(dropped_bits()));
    return context_.choose(is_negative, context_.zero(), kept);
  }

  Operand integer_bits(Operand value) {
    Operand scaled = b_.convert(Op::f2f, Type::f64, Type::f32, value);
    if (is_scaled_) {
      const Op clamp = is_signed() ? Op::fclamp_signed : Op::fclamp_unit;
      // NaN becomes 0, which only the unsigned clamp does.
      const Operand is_number = b_.binary(Op::feq, Type::f64, scaled, scaled);
      scaled = b_.ternary(Op::select, Type::i64, b_.unary(clamp, Type::f64, scaled), number(0), is_number);
      if (component_.numbers == Numbers::symmetric)
        scaled =
            f64(Op::fmul, f64(Op::fadd, f64(Op::fmul, scaled, number(2 * greatest() + 1)), number(-1)), number(0.5));
      else
        scaled = f64(Op::fmul, scaled, number(greatest()));
    }
    const double least = is_signed() ? -greatest() - 1 : 0;
    scaled = f64(Op::fmax, f64(Op::fmin, scaled, number(greatest())), number(least));
    const Operand whole = b_.convert(is_signed() ? Op::f2i : Op::f2u, Type::i32, Type::f64, scaled, round_);
    const Operand bits = context_.i32(Op::iand, whole, b_.constant_u32(ones_of(component_.bits)));
    return component_.numbers == Numbers::excess ? half_on(bits) : bits;
  }

  /// Adds or takes off half of the codes.
  Operand half_on(Operand bits) { return context_.i32(Op::ixor, bits, b_.constant_u32(1u << (component_.bits - 1u))); }

  Operand integer_number(Operand bits) {
    const unsigned unused = 32u - component_.bits;
    if (component_.numbers == Numbers::excess) bits = half_on(bits);
    Operand integer = bits;
    if (is_signed() && unused != 0)
      integer = context_.i32(Op::iasr, context_.i32(Op::ishl, bits, b_.constant_u32(unused)), b_.constant_u32(unused));
    if (!is_scaled_) return b_.convert(is_signed() ? Op::i2f : Op::u2f, Type::f32, Type::i32, integer, round_);
    Operand wide = b_.convert(is_signed() ? Op::i2f : Op::u2f, Type::f64, Type::i32, integer);
    // In doubles the reciprocal's error is far below the last place of a float.
    const auto divided = [&](Operand x, double by) {
      const Operand quotient = f64(Op::fmul, x, number(1 / by));
      return b_.convert(Op::f2f, Type::f32, Type::f64, quotient);
    };
    if (component_.numbers == Numbers::symmetric)
      return divided(f64(Op::fadd, f64(Op::fmul, wide, number(2)), number(1)), 2 * greatest() + 1);
    if (is_signed()) wide = f64(Op::fmax, wide, number(-greatest()));
    return divided(wide, greatest());
  }

  GroupContext& context_;
  ir::Builder& b_;
  const Component& component_;
  const bool is_scaled_;
  const Round round_;
};

bool is_scalable(const Component& component) {
  return component.numbers == Numbers::unsigned_integer || component.numbers == Numbers::signed_integer ||
         component.numbers == Numbers::symmetric || component.numbers == Numbers::excess;
}

/// The mask of a pixel's only sample, by its alpha.
Operand coverage(GroupContext& context, Operand alpha) {
  context.unknown("which alpha covers the only sample of a pixel is not published: 0.5 and more");
  const Operand covers = context.b.binary(Op::fle, Type::f32, context.b.constant_f32(0.5f), alpha);
  return context.i32(Op::iand, covers, context.b.constant_u32(1));
}

}  // namespace

Operand pack(GroupContext& context, const Item& item, Operand value, Operand packed) {
  const unsigned code = item.get(F::pck_format);
  if (code == zero_format) return context.zero();
  if (code == one_format) return context.b.constant_f32(1);
  if (code == coverage_format) return coverage(context, value);
  const Format& format = *find_format(code);
  const Component& component = format.components[context.pass];
  if (is_named_only(code)) context.unknown("the format is assumed to be what its name suggests");
  if (format.count > 1) context.inferred("components are assumed to fill a word from bit 0, those not packed to be 0");
  const Round round = item.get(F::rtz) != 0 ? Round::zero : Round::even;
  const Operand bits = Converter(context, component, item.get(F::scale) != 0, round).to_bits(value);
  const Operand placed = component.low == 0 ? bits : context.i32(Op::ishl, bits, context.b.constant_u32(component.low));
  return context.pass == 0 ? placed : context.i32(Op::ior, packed, placed);
}

Operand unpack(GroupContext& context, const Item& item, Operand word) {
  const unsigned code = item.get(F::pck_format);
  if (code == zero_format) return context.zero();
  if (code == one_format) return context.b.constant_f32(1);
  if (is_named_only(code)) context.unknown("the format is assumed to be what its name suggests");
  return unpack(context, code, item.get(F::elem) + context.pass, item.get(F::scale_rtz) != 0, word);
}

Operand unpack(GroupContext& context, unsigned code, unsigned element, bool flag, Operand word) {
  const Component& component = find_format(code)->components[element];
  const bool scalable = is_scalable(component);
  const Operand shifted =
      component.low == 0 ? word : context.i32(Op::ilsr, word, context.b.constant_u32(component.low));
  const Operand bits = context.i32(Op::iand, shifted, context.b.constant_u32(ones_of(component.bits)));
  return Converter(context, component, scalable && flag, !scalable && flag ? Round::zero : Round::even).to_number(bits);
}

std::vector<Operand> in_halves(GroupContext& context, std::span<const Operand> values) {
  ir::Builder& b = context.b;
  context.inferred("where 16-bit results go is not published; see the policy f16_words");
  const auto half = [&](Operand value) {
    return b.convert(Op::zext, Type::i32, Type::i16, b.convert(Op::f2f, Type::f16, Type::f32, value));
  };
  std::vector<Operand> words;
  const bool pairs = context.settings.is(PolicyId::f16_words, "pairs");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (pairs && i % 2 != 0)
      words.back() = context.i32(Op::ior, words.back(), context.i32(Op::ishl, half(values[i]), b.constant_u32(16)));
    else
      words.push_back(half(values[i]));
  }
  return words;
}

std::string format_fault(const Group& group, const Item& item, const Settings& settings) {
  const unsigned code = item.get(F::pck_format);
  if (code == zero_format || code == one_format) return {};
  std::string name = std::to_string(code);
  for (const FieldValue& known : value::pck_format)
    if (known.value == code) name = known.name;
  if (item.get(F::prog) != 0) return "the format word of pck.prog is not published";
  const bool packs = item.op->has(gathers);
  if (code == coverage_format && packs && group.repeat == 1) {
    if (settings.is(PolicyId::coverage, "trap")) return "masks of coverage are not published; see the policy coverage";
    return {};
  }
  const Format* format = find_format(code);
  if (format != nullptr && is_named_only(code) && settings.is(PolicyId::named_formats, "trap"))
    return "the format " + name + " is not published; see the policy named_formats";
  if (format == nullptr) return "the format " + name + " is not published";
  const unsigned last = item.get(F::elem) + group.repeat - 1u;
  if (last >= format->count)
    return "the format " + name + " has " + counted(format->count, "component") + ", but component " +
           std::to_string(last) + " is used";
  return {};
}

}  // namespace mobula::rogue::lifting
