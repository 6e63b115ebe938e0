#include <spirv/unified1/GLSL.std.450.h>

#include <array>
#include <numbers>
#include <optional>

#include "compile/ssa/translate.h"

namespace mobula::ssa {
namespace {

/// Functions that are one operation, component by component.
std::optional<Op> plain_function(std::uint32_t function) {
  switch (function) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
      return Op::fround;
    case GLSLstd450Trunc:
      return Op::ftrunc;
    case GLSLstd450FAbs:
      return Op::fabs;
    case GLSLstd450SAbs:
      return Op::iabs;
    case GLSLstd450FSign:
      return Op::fsign;
    case GLSLstd450SSign:
      return Op::isign;
    case GLSLstd450Floor:
      return Op::ffloor;
    case GLSLstd450Ceil:
      return Op::fceil;
    case GLSLstd450Sin:
      return Op::fsin;
    case GLSLstd450Cos:
      return Op::fcos;
    case GLSLstd450Tan:
      return Op::ftan;
    case GLSLstd450Asin:
      return Op::fasin;
    case GLSLstd450Acos:
      return Op::facos;
    case GLSLstd450Atan:
      return Op::fatan;
    case GLSLstd450Atan2:
      return Op::fatan2;
    case GLSLstd450Sinh:
      return Op::fsinh;
    case GLSLstd450Cosh:
      return Op::fcosh;
    case GLSLstd450Tanh:
      return Op::ftanh;
    case GLSLstd450Asinh:
      return Op::fasinh;
    case GLSLstd450Acosh:
      return Op::facosh;
    case GLSLstd450Atanh:
      return Op::fatanh;
    case GLSLstd450Pow:
      return Op::fpow;
    case GLSLstd450Exp:
      return Op::fexp;
    case GLSLstd450Log:
      return Op::flog;
    case GLSLstd450Exp2:
      return Op::fexp2;
    case GLSLstd450Log2:
      return Op::flog2;
    case GLSLstd450Sqrt:
      return Op::fsqrt;
    case GLSLstd450InverseSqrt:
      return Op::frsqrt;
    case GLSLstd450FMin:
    case GLSLstd450NMin:
      return Op::fmin;
    case GLSLstd450FMax:
    case GLSLstd450NMax:
      return Op::fmax;
    case GLSLstd450UMin:
      return Op::imin_u;
    case GLSLstd450SMin:
      return Op::imin_s;
    case GLSLstd450UMax:
      return Op::imax_u;
    case GLSLstd450SMax:
      return Op::imax_s;
    case GLSLstd450Fma:
      return Op::ffma;
    case GLSLstd450Ldexp:
      return Op::fscale;
    case GLSLstd450FindILsb:
      return Op::ilowest;
    case GLSLstd450FindSMsb:
      return Op::ihighest_s;
    case GLSLstd450FindUMsb:
      return Op::ihighest_u;
    default:
      return {};
  }
}

}  // namespace

void Translator::translate_function(Words each) {
  const std::uint32_t function = each[4];
  if (const auto op = plain_function(function)) {
    Values operands;
    for (std::size_t i = 5; i < each.size(); ++i) operands.push_back(value(each[i]));
    set(each, make(*op, result_type(each), std::move(operands)));
    return;
  }
  if (translate_geometry(function, each) || translate_packing(function, each) || translate_clamping(function, each))
    return;
  static_cast<void>(result_type(each));  // refuses numbers of other sizes, which is why some functions are not there
  module_.refuse("function " + std::to_string(function) + " of GLSL.std.450 is not supported", line_);
}

bool Translator::translate_clamping(std::uint32_t function, Words each) {
  const auto clamp = [&](Op least, Op most) {
    const Type type = result_type(each);
    set(each, make(least, type, {make(most, type, {value(each[5]), value(each[6])}), value(each[7])}));
    return true;
  };
  switch (function) {
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
      return clamp(Op::fmin, Op::fmax);
    case GLSLstd450UClamp:
      return clamp(Op::imin_u, Op::imax_u);
    case GLSLstd450SClamp:
      return clamp(Op::imin_s, Op::imax_s);
    case GLSLstd450InterpolateAtCentroid:
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset:
      interpolate(function, each);
      return true;
    default:
      break;
  }
  const bool relaxed = module_.decorations(each[2]).relaxed;
  const auto type_like = [&](Value a) { return Type{type_of(a).base, type_of(a).components, relaxed}; };
  const auto unary = [&](Op op, Value a) { return make(op, type_like(a), {a}); };
  // Operands in braces are made from left to right, which those of a call need not be.
  const auto binary = [&](Op op, const std::array<Value, 2>& of) { return make(op, type_like(of[0]), {of[0], of[1]}); };
  const auto number = [&](float each_component, Value like) { return real(each_component, type_of(like).components); };
  if (function == GLSLstd450Modf || function == GLSLstd450Frexp) {
    if (!places_.contains(each[6])) module_.refuse("a pointer that is made at run time is not supported", line_);
    const Value a = value(each[5]);
    const Value whole = function == GLSLstd450Modf ? unary(Op::ftrunc, a)
                                                   : make(Op::fexponent, {Base::integer, type_of(a).components}, {a});
    store_to(places_.at(each[6]), std::array{whole});
    set(each, function == GLSLstd450Modf ? binary(Op::fsub, {a, whole}) : unary(Op::fmantissa, a));
    return true;
  }
  if (function == GLSLstd450ModfStruct || function == GLSLstd450FrexpStruct) {
    const Value a = value(each[5]);
    if (function == GLSLstd450ModfStruct) {
      const Value whole = unary(Op::ftrunc, a);
      set_leaves(each, {binary(Op::fsub, {a, whole}), whole});
    } else {
      set_leaves(each, {unary(Op::fmantissa, a), make(Op::fexponent, {Base::integer, type_of(a).components}, {a})});
    }
    return true;
  }
  Value made = none;
  const Value a = value(each[5]);
  switch (function) {
    case GLSLstd450Fract:
      made = binary(Op::fsub, {a, unary(Op::ffloor, a)});
      break;
    case GLSLstd450Radians:
      made = binary(Op::fmul, {a, number(std::numbers::pi_v<float> / 180, a)});
      break;
    case GLSLstd450Degrees:
      made = binary(Op::fmul, {a, number(180 / std::numbers::pi_v<float>, a)});
      break;
    case GLSLstd450FMix: {
      const Value b = value(each[6]), t = value(each[7]);
      made = binary(Op::fadd, {binary(Op::fmul, {a, binary(Op::fsub, {number(1, t), t})}), binary(Op::fmul, {b, t})});
      break;
    }
    case GLSLstd450Step: {
      const Value x = value(each[6]);
      made = make(Op::select, type_like(x), {compare(Op::flt, x, a, false), number(0, x), number(1, x)});
      break;
    }
    case GLSLstd450SmoothStep: {
      const Value high = value(each[6]), x = value(each[7]);
      const Value part = binary(Op::fdiv, {binary(Op::fsub, {x, a}), binary(Op::fsub, {high, a})});
      const Value t = binary(Op::fmin, {binary(Op::fmax, {part, number(0, x)}), number(1, x)});
      made = binary(Op::fmul,
                    {binary(Op::fmul, {t, t}), binary(Op::fsub, {number(3, x), binary(Op::fmul, {number(2, x), t})})});
      break;
    }
    default:
      return false;
  }
  set(each, made);
  return true;
}

/// Varyings are as they are at the centre, which is where a pixel of one sample has its sample and its centroid.
/// Elsewhere they are what the differences make of that.
void Translator::interpolate(std::uint32_t function, Words each) {
  if (!places_.contains(each[5])) module_.refuse("a pointer that is made at run time is not supported", line_);
  const Value centre = load_from(places_.at(each[5])).front();
  if (function != GLSLstd450InterpolateAtOffset) return set(each, centre);
  const Type type = type_of(centre);
  const auto step = [&](Op difference, std::uint32_t axis) {
    const Value slope = make(difference, type, {centre});
    return scale(slope, swizzle(value(each[6]), axis));
  };
  const Value across = make(Op::fadd, type, {centre, step(Op::ddx, 0)});
  set(each, make(Op::fadd, type, {across, step(Op::ddy, 1)}));
}

bool Translator::translate_geometry(std::uint32_t function, Words each) {
  const auto binary = [&](Op op, const std::array<Value, 2>& of) { return make(op, type_of(of[0]), {of[0], of[1]}); };
  const auto unary = [&](Op op, Value a) { return make(op, type_of(a), {a}); };
  const auto length = [&](Value a) {
    return type_of(a).components == 1 ? unary(Op::fabs, a) : unary(Op::fsqrt, dot(a, a));
  };
  const auto rotated = [&](Value a, bool left) {
    return make(Op::swizzle, type_of(a), {a},
                left ? std::array<std::uint32_t, 4>{1, 2, 0} : std::array<std::uint32_t, 4>{2, 0, 1});
  };
  switch (function) {
    case GLSLstd450Length:
      set(each, length(value(each[5])));
      return true;
    case GLSLstd450Distance:
      set(each, length(binary(Op::fsub, {value(each[5]), value(each[6])})));
      return true;
    case GLSLstd450Normalize: {
      const Value a = value(each[5]);
      set(each, type_of(a).components == 1 ? unary(Op::fsign, a) : scale(a, unary(Op::frsqrt, dot(a, a))));
      return true;
    }
    case GLSLstd450Cross: {
      const Value a = value(each[5]), b = value(each[6]);
      set(each, binary(Op::fsub, {binary(Op::fmul, {rotated(a, true), rotated(b, false)}),
                                  binary(Op::fmul, {rotated(a, false), rotated(b, true)})}));
      return true;
    }
    case GLSLstd450FaceForward: {
      const Value n = value(each[5]), incident = value(each[6]), reference = value(each[7]);
      const Value angle = dot(reference, incident);
      const Value faces = compare(Op::flt, angle, real(0), false);
      set(each, make(Op::select, type_of(n), {splat(faces, type_of(n).components), n, unary(Op::fneg, n)}));
      return true;
    }
    case GLSLstd450Reflect: {
      const Value i = value(each[5]), n = value(each[6]);
      const Value twice = binary(Op::fmul, {real(2), dot(n, i)});
      set(each, binary(Op::fsub, {i, scale(n, twice)}));
      return true;
    }
    case GLSLstd450Refract: {
      const Value i = value(each[5]), n = value(each[6]), eta = value(each[7]);
      const Value cosine = dot(n, i);
      const Value sine = binary(Op::fsub, {real(1), binary(Op::fmul, {cosine, cosine})});
      const Value k = binary(Op::fsub, {real(1), binary(Op::fmul, {binary(Op::fmul, {eta, eta}), sine})});
      const Value none_left = compare(Op::flt, k, real(0), false);
      const Value along = binary(Op::fadd, {binary(Op::fmul, {eta, cosine}), unary(Op::fsqrt, k)});
      const Value bent = binary(Op::fsub, {scale(i, eta), scale(n, along)});
      const std::uint8_t size = type_of(i).components;
      set(each, make(Op::select, type_of(i), {splat(none_left, size), real(0, size), bent}));
      return true;
    }
    case GLSLstd450Determinant:
      set(each, determinant(leaves(each[5])));
      return true;
    case GLSLstd450MatrixInverse:
      set_leaves(each, inverse(leaves(each[5])));
      return true;
    default:
      return false;
  }
}

// ------------------------------------------------------------------------------------------------ matrices

namespace {

using Numbers = std::vector<std::vector<Value>>;  ///< by column and row

/// The same without a column and a row.
Numbers without(const Numbers& m, std::size_t column, std::size_t row) {
  Numbers rest;
  for (std::size_t c = 0; c < m.size(); ++c) {
    if (c == column) continue;
    rest.push_back(m[c]);
    rest.back().erase(rest.back().begin() + static_cast<std::ptrdiff_t>(row));
  }
  return rest;
}

}  // namespace

Numbers Translator::numbers_of(const Values& matrix) {
  Numbers m;
  for (const Value column : matrix) {
    m.emplace_back();
    for (std::uint32_t row = 0; row < matrix.size(); ++row) m.back().push_back(swizzle(column, row));
  }
  return m;
}

/// By the first column.
Value Translator::determinant_of(const Numbers& m) {
  const Type type{Base::real};
  if (m.size() == 1) return m[0][0];
  Value sum = none;
  for (std::size_t row = 0; row < m.size(); ++row) {
    const Value part = make(Op::fmul, type, {m[0][row], determinant_of(without(m, 0, row))});
    sum = sum == none ? part : make(row % 2 == 1 ? Op::fsub : Op::fadd, type, {sum, part});
  }
  return sum;
}

Value Translator::determinant(const Values& matrix) { return determinant_of(numbers_of(matrix)); }

std::vector<Value> Translator::inverse(const Values& matrix) {
  const Type type{Base::real};
  const Numbers m = numbers_of(matrix);
  const Value whole = determinant_of(m);
  Values columns;
  for (std::size_t column = 0; column < m.size(); ++column) {
    Values parts;
    for (std::size_t row = 0; row < m.size(); ++row) {
      const Value minor = determinant_of(without(m, row, column));
      const Value signed_minor = (row + column) % 2 == 1 ? make(Op::fneg, type, {minor}) : minor;
      parts.push_back(make(Op::fdiv, type, {signed_minor, whole}));
    }
    columns.push_back(compose(parts));
  }
  return columns;
}

// ------------------------------------------------------------------------------------------------ packing

namespace {

struct Packing {
  unsigned count, bits;
  bool is_signed;
  [[nodiscard]] float greatest() const { return static_cast<float>((1u << (bits - (is_signed ? 1 : 0))) - 1); }
};
std::optional<Packing> packing_of(std::uint32_t function) {
  switch (function) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450UnpackSnorm4x8:
      return Packing{4, 8, true};
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
      return Packing{4, 8, false};
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450UnpackSnorm2x16:
      return Packing{2, 16, true};
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
      return Packing{2, 16, false};
    default:
      return {};
  }
}

}  // namespace

bool Translator::translate_packing(std::uint32_t function, Words each) {
  if (function == GLSLstd450PackHalf2x16) {
    set(each, make(Op::pack_half, {Base::integer}, {value(each[5])}));
    return true;
  }
  if (function == GLSLstd450UnpackHalf2x16) {
    const Type type{Base::real};
    set(each, compose({make(Op::unpack_half_low, type, {value(each[5])}),
                       make(Op::unpack_half_high, type, {value(each[5])})}));
    return true;
  }
  const auto form = packing_of(function);
  if (!form) return false;
  const auto count = static_cast<std::uint8_t>(form->count);
  const Type real_type{Base::real, count}, integer_type{Base::integer, count}, word{Base::integer};
  const Value greatest = real(form->greatest(), count), least = real(form->is_signed ? -1.F : 0.F, count);
  const bool packs = type_of(value(each[5])).base == Base::real;
  if (packs) {
    const Value clamped =
        make(Op::fmin, real_type, {make(Op::fmax, real_type, {value(each[5]), least}), real(1, count)});
    const Value rounded = make(Op::fround, real_type, {make(Op::fmul, real_type, {clamped, greatest})});
    const Value numbers = make(form->is_signed ? Op::f_to_s : Op::f_to_u, integer_type, {rounded});
    Value packed = integer(0);
    for (unsigned i = 0; i < form->count; ++i)
      packed = make(Op::ibits_put, word, {packed, swizzle(numbers, i), integer(i * form->bits), integer(form->bits)});
    set(each, packed);
    return true;
  }
  Values parts;
  for (unsigned i = 0; i < form->count; ++i)
    parts.push_back(make(form->is_signed ? Op::ibits_s : Op::ibits_u, word,
                         {value(each[5]), integer(i * form->bits), integer(form->bits)}));
  const Value numbers = make(form->is_signed ? Op::s_to_f : Op::u_to_f, real_type, {compose(parts)});
  const Value divided = make(Op::fdiv, real_type, {numbers, greatest});
  set(each, form->is_signed ? make(Op::fmin, real_type, {make(Op::fmax, real_type, {divided, least}), real(1, count)})
                            : divided);
  return true;
}

}  // namespace mobula::ssa
