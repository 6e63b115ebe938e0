// Every operation of ops.inc on numbers whose result is known, corners among them.
#include "compile/evaluate/operations.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace mobula::test {
namespace {

using ssa::Op;

/// A scalar operand or result: the kind of its number says how it is written.
struct Number {
  std::uint32_t bits;
  ssa::Base base;
  Number(double value)
      : bits(std::bit_cast<std::uint32_t>(static_cast<float>(value))), base(ssa::Base::real) {}  // NOLINT
  Number(int value) : bits(static_cast<std::uint32_t>(value)), base(ssa::Base::integer) {}       // NOLINT
  Number(unsigned value) : bits(value), base(ssa::Base::integer) {}                              // NOLINT
  Number(bool value) : bits(value ? 1 : 0), base(ssa::Base::boolean) {}                          // NOLINT
};

struct Known {
  Op op;
  std::vector<Number> operands;
  Number result;
};

const double inf = INFINITY, nan = NAN;

const std::vector<Known>& known() {
  static const std::vector<Known> all{
      {Op::fneg, {0.0}, -0.0},
      {Op::fabs, {-2.5}, 2.5},
      {Op::fsign, {-3.0}, -1.0},
      {Op::fsign, {0.0}, 0.0},
      {Op::ffloor, {-0.5}, -1.0},
      {Op::fceil, {1.25}, 2.0},
      {Op::ftrunc, {-1.75}, -1.0},
      {Op::fround, {2.5}, 2.0},
      {Op::fadd, {1.0, 0x1p-24}, 1.0},
      {Op::fsub, {1.0, 3.0}, -2.0},
      {Op::fmul, {0x1p-149, 0.5}, 0.0},
      {Op::fdiv, {1.0, 0.0}, inf},
      {Op::frcp, {-4.0}, -0.25},
      {Op::frcp, {-0.0}, -inf},
      {Op::fmod, {-1.5, 4.0}, 2.5},
      {Op::frem, {-1.5, 4.0}, -1.5},
      {Op::ffma, {3.0, 4.0, 5.0}, 17.0},
      {Op::fmin, {1.0, 2.0}, 1.0},
      {Op::fmin, {nan, 2.0}, 2.0},
      {Op::fmax, {1.0, 2.0}, 2.0},
      {Op::fdot, {3.0, 4.0}, 12.0},
      {Op::fsqrt, {2.25}, 1.5},
      {Op::frsqrt, {4.0}, 0.5},
      {Op::fexp, {0.0}, 1.0},
      {Op::fexp2, {-3.0}, 0.125},
      {Op::flog, {1.0}, 0.0},
      {Op::flog2, {8.0}, 3.0},
      {Op::fpow, {2.0, 10.0}, 1024.0},
      {Op::fsin, {0.5}, 0.479425538604203},
      {Op::fcos, {0.5}, 0.8775825618903728},
      {Op::fsinpi, {0.25}, 0.7071067811865476},
      {Op::fsinpi, {-1.0}, 0.0},
      {Op::fsinpi, {0x1p24 + 2.0}, 0.0},
      {Op::fcospi, {0.5}, 0.0},
      {Op::fcospi, {-1.0}, -1.0},
      {Op::fcospi, {4.25}, 0.7071067811865476},
      {Op::ftan, {0.5}, 0.5463024898437905},
      {Op::fasin, {0.5}, 0.5235987755982989},
      {Op::facos, {0.5}, 1.0471975511965979},
      {Op::fatan, {0.5}, 0.4636476090008061},
      {Op::fatan2, {1.0, -1.0}, 2.356194490192345},
      {Op::fsinh, {0.5}, 0.5210953054937474},
      {Op::fcosh, {0.5}, 1.1276259652063807},
      {Op::ftanh, {0.5}, 0.46211715726000975},
      {Op::fasinh, {0.5}, 0.48121182505960347},
      {Op::facosh, {1.5}, 0.9624236501192069},
      {Op::fatanh, {0.5}, 0.5493061443340549},
      {Op::fmantissa, {-6.0}, -0.75},
      {Op::fexponent, {-6.0}, 3},
      {Op::fexponent, {inf}, 0},
      {Op::fscale, {0.75, 3}, 6.0},
      {Op::ineg, {5}, -5},
      {Op::iabs, {-5}, 5},
      {Op::isign, {-5}, -1},
      {Op::iadd, {0x7FFFFFFF, 1}, 0x80000000U},
      {Op::isub, {1, 2}, -1},
      {Op::imul, {0x10001, 0x10001}, 0x20001},
      {Op::imulhi_s, {-1, 2}, -1},
      {Op::imulhi_u, {-1, 2}, 1},
      {Op::idiv_s, {-7, 2}, -3},
      {Op::idiv_s, {0x80000000U, -1}, 0x80000000U},
      {Op::idiv_s, {5, 0}, 0},
      {Op::idiv_u, {-1, 2}, 0x7FFFFFFF},
      {Op::irem_s, {-7, 3}, -1},
      {Op::imod_s, {-7, 3}, 2},
      {Op::irem_u, {7, 4}, 3},
      {Op::imin_s, {-1, 1}, -1},
      {Op::imin_u, {-1, 1}, 1},
      {Op::imax_s, {-1, 1}, 1},
      {Op::imax_u, {-1, 1}, -1},
      {Op::iand, {12, 10}, 8},
      {Op::ior, {12, 10}, 14},
      {Op::ixor, {12, 10}, 6},
      {Op::inot, {0}, -1},
      {Op::ishl, {1, 33}, 2},
      {Op::ishr_s, {-8, 1}, -4},
      {Op::ishr_u, {-8, 1}, 0x7FFFFFFC},
      {Op::ibits_s, {0xF0, 4, 4}, -1},
      {Op::ibits_u, {0xF0, 4, 4}, 15},
      {Op::ibits_u, {-1, 0, 0}, 0},
      {Op::ibits_put, {0, 5, 4, 4}, 0x50},
      {Op::ibits_put, {7, -1, 0, 32}, -1},
      {Op::ireverse, {1}, 0x80000000U},
      {Op::icount, {0xFF}, 8},
      {Op::iclz, {1}, 31},
      {Op::iclz, {-1}, 0},
      {Op::iclz, {0}, 32},
      {Op::ilowest, {8}, 3},
      {Op::ilowest, {0}, -1},
      {Op::ihighest_s, {-2}, 0},
      {Op::ihighest_u, {-2}, 31},
      {Op::f_to_s, {-1.75}, -1},
      {Op::f_to_s, {1e20}, 0x7FFFFFFF},
      {Op::f_to_u, {-1.0}, 0},
      {Op::s_to_f, {-1}, -1.0},
      {Op::u_to_f, {-1}, 4294967296.0},
      {Op::f_bits, {1.0}, 0x3F800000},
      {Op::f_of_bits, {0x40000000}, 2.0},
      {Op::f_half, {1.0 + 0x1p-11}, 1.0},
      {Op::f_half, {65520.0}, inf},
      {Op::f_half, {-0.0}, -0.0},
      {Op::f_half, {0x1p-25}, 0.0},
      {Op::unpack_half_low, {0x3C000001}, 0x1p-24},
      {Op::unpack_half_high, {0x3C000001}, 1.0},
      {Op::feq, {nan, nan}, false},
      {Op::fne, {nan, nan}, true},
      {Op::flt, {1.0, 2.0}, true},
      {Op::fle, {2.0, 2.0}, true},
      {Op::fis_nan, {nan}, true},
      {Op::fis_inf, {-inf}, true},
      {Op::ieq, {3, 3}, true},
      {Op::ine, {3, 3}, false},
      {Op::ilt_s, {-1, 1}, true},
      {Op::ilt_u, {-1, 1}, false},
      {Op::ile_s, {1, 1}, true},
      {Op::ile_u, {-1, 1}, false},
      {Op::band, {true, false}, false},
      {Op::bor, {true, false}, true},
      {Op::bxor, {true, true}, false},
      {Op::bnot, {true}, false},
      {Op::bany, {true}, true},
      {Op::ball, {false}, false},
      {Op::select, {true, 1.0, 2.0}, 1.0},
  };
  return all;
}

TEST(Operations, ComputeWhatIsKnown) {
  for (const Known& each : known()) {
    ssa::Instruction instruction;
    instruction.op = each.op;
    instruction.type = {each.result.base};
    std::vector<ssa::Bits> operands;
    std::vector<ssa::Type> types;
    for (const Number& operand : each.operands) {
      operands.push_back({operand.bits});
      types.push_back({operand.base});
    }
    EXPECT_EQ(ssa::compute(instruction, operands, types)[0], each.result.bits) << ssa::name(each.op);
  }
}

TEST(Operations, AreAllKnown) {
  std::set<Op> tested{Op::pack_half, Op::ddx, Op::ddy};  // below, and with quads
  for (const Known& each : known()) tested.insert(each.op);
  for (int i = 0; i < static_cast<int>(Op::constant); ++i)
    EXPECT_TRUE(tested.contains(static_cast<Op>(i))) << ssa::name(static_cast<Op>(i));
}

TEST(Operations, SayWhetherTheirIntegersHaveASign) {
  for (int i = 0; i < static_cast<int>(Op::constant); ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(ssa::is_unsigned(op), ssa::name(op).ends_with("_u") || op == Op::u_to_f) << ssa::name(op);
  }
}

ssa::Bits on_vectors(Op op, ssa::Type type, std::vector<ssa::Bits> operands, std::vector<ssa::Type> types,
                     std::array<std::uint32_t, 4> data = {}) {
  ssa::Instruction each;
  each.op = op;
  each.type = type;
  each.data = data;
  return ssa::compute(each, operands, types);
}

TEST(Operations, WorkOnVectors) {
  const ssa::Type i1{ssa::Base::integer, 1}, i2{ssa::Base::integer, 2}, i3{ssa::Base::integer, 3},
      f2{ssa::Base::real, 2};
  EXPECT_EQ(on_vectors(Op::compose, i3, {{1, 2}, {3}}, {i2, i1}), (ssa::Bits{1, 2, 3}));
  EXPECT_EQ(on_vectors(Op::swizzle, i3, {{1, 2}}, {i2}, {1, 0, 1}), (ssa::Bits{2, 1, 2}));
  EXPECT_EQ(on_vectors(Op::extract, i1, {{1, 2}, {1}}, {i2, i1}), (ssa::Bits{2}));
  EXPECT_EQ(on_vectors(Op::extract, i1, {{1, 2}, {2}}, {i2, i1}), (ssa::Bits{0}));
  EXPECT_EQ(on_vectors(Op::insert, i2, {{1, 2}, {9}, {0}}, {i2, i1, i1}), (ssa::Bits{9, 2}));
  EXPECT_EQ(on_vectors(Op::insert, i2, {{1, 2}, {9}, {7}}, {i2, i1, i1}), (ssa::Bits{1, 2}));
  EXPECT_EQ(on_vectors(Op::iadd, i2, {{1, 2}, {10, 20}}, {i2, i2}), (ssa::Bits{11, 22}));
  EXPECT_EQ(on_vectors(Op::pack_half, i1, {{0x3F800000, 0xC0000000}}, {f2}), (ssa::Bits{0xC0003C00}));
}

}  // namespace
}  // namespace mobula::test
