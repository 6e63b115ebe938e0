#include "machines/rogue/lift/cube.h"

namespace mobula::rogue::lifting {
namespace {

using Vector = std::array<Operand, 3>;

/// OpenGL ES 3.2, table 8.18.
class Face {
 public:
  Face(GroupContext& context, const Vector& direction) : c_(context), direction_(direction) {
    ir::Builder& b = c_.b;
    Vector size;
    for (unsigned i = 0; i < size.size(); ++i) size[i] = b.unary(Op::fabs, Type::f32, direction[i]);
    const auto reaches = [&](unsigned axis, unsigned other) {
      return b.binary(Op::fle, Type::f32, size[other], size[axis]);
    };
    const Operand beyond_y = reaches(0, 1), beyond_z = reaches(0, 2);
    is_x_ = c_.i32(Op::iand, beyond_y, beyond_z);
    is_y_ = reaches(1, 2);
    is_negative_ = b.binary(Op::flt, Type::f32, by_axis(direction), b.constant_f32(0));
    inverse_ = b.unary(Op::frcp, Type::f32, by_axis(size));
  }

  Operand number() {
    ir::Builder& b = c_.b;
    const Operand positive = by_axis({b.constant_u32(0), b.constant_u32(2), b.constant_u32(4)});
    return c_.i32(Op::isub, positive, is_negative_);  // all ones are -1
  }
  /// Where a direction meets the face, from 0 to 1.
  Operand s() { return on_face(across(direction_)); }
  Operand t() { return on_face(down(direction_)); }
  /// How s and t differ where the direction differs by `step`: the derivative of a quotient.
  Operand step_of_s(const Vector& step) { return step_on_face(across(direction_), across(step), step); }
  Operand step_of_t(const Vector& step) { return step_on_face(down(direction_), down(step), step); }

 private:
  Operand by_axis(const Vector& of) { return c_.choose(is_x_, of[0], c_.choose(is_y_, of[1], of[2])); }
  Operand negated_if_positive(Operand value) {
    return c_.choose(is_negative_, value, c_.b.unary(Op::fneg, Type::f32, value));
  }
  Operand negated_if_negative(Operand value) {
    return c_.choose(is_negative_, c_.b.unary(Op::fneg, Type::f32, value), value);
  }
  Operand across(const Vector& of) {
    const Operand on_x = negated_if_positive(of[2]), on_z = negated_if_negative(of[0]);
    return by_axis({on_x, of[0], on_z});
  }
  Operand down(const Vector& of) {
    const Operand down = c_.b.unary(Op::fneg, Type::f32, of[1]), on_y = negated_if_negative(of[2]);
    return by_axis({down, on_y, down});
  }
  Operand on_face(Operand value) {
    ir::Builder& b = c_.b;
    const Operand half = b.constant_f32(0.5F);
    return b.ternary(Op::ffma, Type::f32, b.binary(Op::fmul, Type::f32, value, inverse_), half, half);
  }
  Operand step_on_face(Operand value, Operand its_step, const Vector& step) {
    ir::Builder& b = c_.b;
    const Operand place = b.unary(Op::fneg, Type::f32, b.binary(Op::fmul, Type::f32, value, inverse_));
    const Operand along = negated_if_negative(by_axis(step));
    const Operand left = b.ternary(Op::ffma, Type::f32, place, along, its_step);
    const Operand twice = b.binary(Op::fmul, Type::f32, left, inverse_);
    return b.binary(Op::fmul, Type::f32, twice, b.constant_f32(0.5F));
  }

  GroupContext& c_;
  const Vector direction_;
  Operand is_x_, is_y_, is_negative_, inverse_;
};

}  // namespace

void place_on_cube(GroupContext& context, ir::Texture& texture) {
  context.inferred("a sample of three coordinates is assumed to take them as a direction where the texture is a cube");
  Face face(context, {texture.coordinate[0], texture.coordinate[1], texture.coordinate[2]});
  texture.shape = ir::Texture::Shape::cube;
  texture.coordinate[0] = face.number();
  texture.coordinate[1] = face.s();
  texture.coordinate[2] = face.t();
  for (Vector* const step : {&texture.ddx, &texture.ddy}) {
    if (step->front().is_none()) continue;
    const Operand s = face.step_of_s(*step), t = face.step_of_t(*step);
    *step = {context.zero(), s, t};
  }
}

}  // namespace mobula::rogue::lifting
