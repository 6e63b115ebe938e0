#include "machines/midgard/lift/vector.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

constexpr std::uint32_t face_mask = 7;

}  // namespace

CubeDescriptor cube_descriptor(ir::Builder& b, Operand x, Operand y, Operand z) {
  const auto absolute = [&](Operand value) { return b.unary(Op::fabs, Type::f32, value); };
  const auto negated = [&](Operand value) { return b.unary(Op::fneg, Type::f32, value); };
  const auto pick = [&](Operand condition, Operand then, Operand otherwise) {
    return b.ternary(Op::select, Type::i32, then, otherwise, condition);
  };
  const Operand zero = b.constant_f32(0);
  const Operand ax = absolute(x), ay = absolute(y), az = absolute(z);
  // The largest magnitude names the axis; z wins over y, and y over x, where they are equal.
  const Operand is_z = b.binary(Op::fle, Type::f32, b.binary(Op::fmax, Type::f32, ax, ay), az);
  const Operand is_y = b.binary(Op::iandnot, Type::i32, b.binary(Op::fle, Type::f32, ax, ay), is_z);
  const auto by_axis = [&](Operand of_x, Operand of_y, Operand of_z) {
    return pick(is_z, of_z, pick(is_y, of_y, of_x));
  };
  const Operand is_negative = b.binary(Op::flt, Type::f32, by_axis(x, y, z), zero);
  const auto by_sign = [&](Operand positive, Operand negative) { return pick(is_negative, negative, positive); };
  const Operand down = negated(y);
  // One after another: the order in which a call's arguments are made is the compiler's.
  const Operand s_on_z = by_sign(x, negated(x)), s_on_x = by_sign(negated(z), z);
  const Operand s = by_axis(s_on_x, x, s_on_z);
  const Operand t = by_axis(down, by_sign(z, negated(z)), down);
  const auto face_from = [&](std::uint32_t first) {
    const Operand negative = b.constant_u32(first + 1), positive = b.constant_u32(first);
    return by_sign(positive, negative);
  };
  const Operand face_on_z = face_from(4), face_on_y = face_from(2), face_on_x = face_from(0);
  const Operand face = by_axis(face_on_x, face_on_y, face_on_z);
  const Operand half_reciprocal =
      b.binary(Op::fmul, Type::f32, b.unary(Op::frcp, Type::f32, by_axis(ax, ay, az)), b.constant_f32(0.5f));
  const auto on_face = [&](Operand value) {
    return b.ternary(Op::ffma, Type::f32, value, half_reciprocal, b.constant_f32(0.5f));
  };
  const Operand clean = b.binary(Op::iandnot, Type::i32, on_face(s), b.constant_u32(face_mask));
  return {b.binary(Op::ior, Type::i32, clean, face), on_face(t)};
}

CubePlace cube_place(ir::Builder& b, const CubeDescriptor& descriptor) {
  const Operand mask = b.constant_u32(face_mask);
  return {b.binary(Op::iand, Type::i32, descriptor.s_and_face, mask),
          b.binary(Op::iandnot, Type::i32, descriptor.s_and_face, mask), descriptor.t};
}

}  // namespace mobula::midgard
