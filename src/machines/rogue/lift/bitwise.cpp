#include "machines/rogue/lift/bitwise.h"

#include <array>

namespace mobula::rogue::lifting {
namespace {

class Bitwise {
 public:
  explicit Bitwise(GroupContext& context) : c_(context), b_(context.b), state_(context.state) {}

  void lift() {
    phase0();
    if (const Item& item = c_.group.item(Word::bit1))
      w0_ = show(4, logical(item));
    else
      show(4, ft_[1]);
    Operand p0;
    if (const Item& item = c_.group.item(Word::bit2)) {
      w0_ = show(5, shift2(item));
      p0 = test(item);
    }
    c_.keep(state_.w0, w0_);
    c_.keep(state_.w1, ft_[3]);
    if (c_.group.w0p) c_.write(c_.group.written[0], c_.pass, w0_);
    if (c_.group.w1p) c_.write(c_.group.written[1], c_.pass, state_.w1);
    if (!p0.is_none()) c_.keep(state_.p0, p0);
  }

 private:
  Operand number(std::uint32_t value) { return b_.constant_u32(value); }
  /// Leaves the value of a feedthrough to be seen; the group itself continues with the value.
  Operand show(unsigned feedthrough, Operand value) {
    c_.keep(state_.ft[feedthrough], value);
    return ft_[feedthrough] = value;
  }

  void phase0() {
    const Item& item = c_.group.item(Word::bit0);
    if (!item) c_.unknown("what the units of an absent phase 0 pass on is unknown; they are assumed to bypass");
    bitmask(item);
    show(2, shift1(item));
    show(3, count(item));
    w0_ = ft_[1];
  }

  void bitmask(const Item& item) {
    using does::Bitmask;
    switch (item ? item.op->does.as<Bitmask>() : Bitmask::pass) {
      case Bitmask::pass:
        show(0, c_.read(0));
        show(1, c_.read(1));
        return;
      case Bitmask::pass_immediate:
        show(0, c_.read(0));
        show(1, number(item.get(F::imm)));
        return;
      case Bitmask::mask:
        return mask();
    }
  }
  /// FT1 has as many ones as S0 says, from the bit up that S1 says.
  void mask() {
    constexpr std::uint32_t six_bits = 63;
    const Operand width = c_.i32(Op::iand, c_.read(0), number(six_bits));
    const Operand low = c_.i32(Op::iand, c_.read(1), number(six_bits));
    const Operand end = c_.i32(Op::iadd, width, low);
    show(0, c_.i32(Op::iand, c_.i32(Op::isub, end, number(1)), number(six_bits)));
    // In 64 bits, where a width of 32 does not overflow; shifts of 64 bits go by 0 to 63.
    const auto wide = [&](Operand x) { return b_.convert(Op::zext, Type::i64, Type::i32, x); };
    const Operand one = b_.constant_u64(1);
    const Operand ones = b_.binary(Op::isub, Type::i64, b_.binary(Op::ishl, Type::i64, one, wide(width)), one);
    show(1, b_.binary(Op::ishl, Type::i64, ones, wide(low)));
  }

  Operand shift1(const Item& item) {
    const Operand value = c_.read(2);
    using does::Shift1;
    switch (item ? find_op(Unit::shift1, *item.form, item.bits)->does.as<Shift1>() : Shift1::pass) {
      case Shift1::pass:
        break;
      case Shift1::interleave:
        return c_.i32(Op::ior, c_.i32(Op::ishl, spread(c_.read(1)), number(1)), spread(value));
      case Shift1::reverse:
        return reversed(value);
      case Shift1::left:
        return c_.i32(Op::ishl, value, c_.read(1));
    }
    return value;
  }

  /// Bits exchanged with their neighbours, then pairs, nibbles, bytes, halves.
  Operand reversed(Operand value) {
    Operand result = value;
    for (const auto& [mask, shift] :
         {std::pair{0x55555555u, 1u}, {0x33333333u, 2u}, {0x0F0F0F0Fu, 4u}, {0x00FF00FFu, 8u}, {0x0000FFFFu, 16u}}) {
      const Operand down = c_.i32(Op::iand, c_.i32(Op::ilsr, result, number(shift)), number(mask));
      const Operand up = c_.i32(Op::ishl, c_.i32(Op::iand, result, number(mask)), number(shift));
      result = c_.i32(Op::ior, down, up);
    }
    return result;
  }

  /// The low 16 bits at the even places.
  Operand spread(Operand value) {
    Operand result = c_.i32(Op::iand, value, number(0xFFFF));
    for (const auto& [shift, mask] :
         {std::pair{8u, 0x00FF00FFu}, {4u, 0x0F0F0F0Fu}, {2u, 0x33333333u}, {1u, 0x55555555u}})
      result = c_.i32(Op::iand, c_.i32(Op::ior, result, c_.i32(Op::ishl, result, number(shift))), number(mask));
    return result;
  }

  Operand count(const Item& item) {
    if (!item) return c_.read(2);
    const Operand value = item.get(F::count_src) == 0 ? c_.read(2) : ft_[2];
    using does::Count;
    switch (find_op(Unit::count, *item.form, item.bits)->does.as<Count>()) {
      case Count::pass:
        break;
      case Count::set_bits:
        return b_.unary(Op::ipopcnt, Type::i32, value);
      case Count::top_bit:
        return c_.i32(Op::isub, number(31), b_.unary(Op::iclz, Type::i32, value));  // 0 has 32 leading zeros: -1
    }
    return value;
  }

  Operand logical(const Item& item) {
    using does::Logical;
    const auto what = item.op->does.as<Logical>();
    if (what == Logical::pass) return ft_[1];
    Operand a = ft_[2], c = c_.read(3);
    if (item.get(F::mska) != 0) a = c_.i32(Op::iand, ft_[1], a);
    if (item.get(F::mskb) != 0) c = c_.i32(Op::iandnot, c, ft_[1]);
    switch (what) {
      case Logical::or_:
        return c_.i32(Op::ior, a, c);
      case Logical::and_:
        return c_.i32(Op::iand, a, c);
      case Logical::xor_:
        return c_.i32(Op::ixor, a, c);
      case Logical::nor:
        return c_.i32(Op::inor, a, c);
      case Logical::nand:
        return c_.i32(Op::inand, a, c);
      case Logical::xnor:
        return c_.i32(Op::inxor, a, c);
      case Logical::pass:
        break;
    }
    return ft_[1];
  }

  Operand shift2(const Item& item) {
    const Operand value = ft_[4], amount = c_.read(4);
    using does::Shift2;
    switch (item.op->does.as<Shift2>()) {
      case Shift2::left:
        return c_.i32(Op::ishl, value, amount);
      case Shift2::right:
        return c_.i32(Op::ilsr, value, amount);
      case Shift2::rotate:
        return c_.i32(Op::ior, c_.i32(Op::ishl, value, amount),
                      c_.i32(Op::ilsr, value, c_.i32(Op::isub, c_.zero(), amount)));
      case Shift2::set_or_clear:
        return c_.i32(Op::ior, c_.i32(Op::iandnot, amount, value), c_.i32(Op::iand, state_.p0, value));
      case Shift2::arithmetic_31:
        return arithmetic(value, amount, number(31));
      case Shift2::arithmetic_15:
        return arithmetic(value, amount, number(15));
      case Shift2::arithmetic_ft0:
        return arithmetic(value, amount, c_.i32(Op::iand, ft_[0], number(31)));
      case Shift2::arithmetic_ft3:
        return arithmetic(value, amount, c_.i32(Op::iand, ft_[3], number(31)));
    }
    return value;
  }

  /// Shifts right by `amount` mod 32, with the sign at bit `sign`.
  Operand arithmetic(Operand value, Operand amount, Operand sign) {
    const Operand up = c_.i32(Op::isub, number(31), sign);
    const Operand down = c_.i32(Op::iadd, up, c_.i32(Op::iand, amount, number(31)));
    return c_.i32(Op::iasr, c_.i32(Op::ishl, value, up), c_.i32(Op::imin_u, down, number(31)));
  }

  Operand test(const Item& item) {
    if (item.get(F::pwen) == 0) return {};
    const Operand tested = item.get(F::tst_src) == 0 ? ft_[5] : ft_[3];
    using does::BitTest;
    switch (find_op(Unit::bit_test, *item.form, item.bits)->does.as<BitTest>()) {
      case BitTest::zero:
        return c_.i32(Op::ieq, tested, c_.zero());
      case BitTest::not_zero:
        return c_.i32(Op::ine, tested, c_.zero());
    }
    return {};
  }

  GroupContext& c_;
  ir::Builder& b_;
  const State& state_;
  std::array<Operand, 6> ft_{};
  Operand w0_;
};

}  // namespace

void lift_bitwise(GroupContext& context) { Bitwise(context).lift(); }

}  // namespace mobula::rogue::lifting
