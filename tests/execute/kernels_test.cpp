// Every kernel of every instruction set at hand against the scalar semantics.
#include "execute/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "execute/interpreter_group.h"
#include "execute/semantics.h"
#include "paths.h"

namespace mobula::ir {
namespace {

const std::vector<std::uint64_t>& interesting(Type type) {
  static const std::array<std::vector<std::uint64_t>, 7> values = [] {
    std::array<std::vector<std::uint64_t>, 7> all;
    for (const Type integer : {Type::i8, Type::i16, Type::i32, Type::i64}) {
      const std::uint32_t bits = bits_of(integer);
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits);
      auto& list = all[static_cast<std::size_t>(integer)];
      for (const std::uint64_t value : {0u, 1u, 2u, 3u, 5u, 7u, 8u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 100u}) {
        list.push_back(value & ones);
        list.push_back(~value & ones);
        list.push_back(((ones >> 1) - value) & ones);
        list.push_back(((ones >> 1) + 1 + value) & ones);
      }
      list.push_back(ones / 3);
      list.push_back(0xFFFF & ones);
      list.push_back(0x10000 & ones);
    }
    const auto add_signed = [](std::vector<std::uint64_t>& list, std::uint64_t sign,
                               std::initializer_list<std::uint64_t> bits) {
      for (const std::uint64_t value : bits) {
        list.push_back(value);
        list.push_back(value | sign);
      }
    };
    // Zero, least and greatest denormal and normal numbers, around 1 and the halves, around integer ranges, infinity,
    // NaNs.
    add_signed(all[static_cast<std::size_t>(Type::f16)], 0x8000,
               {0x0000, 0x0001, 0x03FF, 0x0400, 0x0401, 0x3400, 0x37FF, 0x3800, 0x3801, 0x3BFF, 0x3C00,
                0x3C01, 0x3E00, 0x4000, 0x4100, 0x4248, 0x57F0, 0x57F8, 0x5800, 0x5BF8, 0x5BFC, 0x6400,
                0x77FF, 0x7800, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7D55, 0x7E00, 0x7FFF});
    add_signed(
        all[static_cast<std::size_t>(Type::f32)], 0x80000000,
        {0x00000000, 0x00000001, 0x00000002, 0x007FFFFF, 0x00800000, 0x00800001, 0x33000000, 0x33000001, 0x33800000,
         0x387FC000, 0x387FE000, 0x38800000, 0x3EFFFFFF, 0x3F000000, 0x3F000001, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
         0x3FC00000, 0x40000000, 0x40200000, 0x40490FDB, 0x42FE0000, 0x42FF0000, 0x43000000, 0x437F0000, 0x437F8000,
         0x46FFFE00, 0x46FFFF00, 0x47000000, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x477FFF80, 0x47800000, 0x4AFFFFFF,
         0x4B000000, 0x4B000001, 0x4B7FFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x5F000000, 0x7E800000,
         0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FABCDEF, 0x7FC00000, 0x7FFFFFFF});
    add_signed(all[static_cast<std::size_t>(Type::f64)], std::uint64_t{1} << 63,
               {0, 1, 0x3FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000});
    return all;
  }();
  return values[static_cast<std::size_t>(type)];
}

bool is_well_typed(Op op, Type type, Type from) {
  const char types = info(op).types;
  if (types == 'I' && is_float(type)) return false;
  if (types == 'F' && !is_float(type)) return false;
  if (!is_conversion(op)) return type == from;
  switch (op) {
    case Op::f2f:
      return is_float(from) && from != type;
    case Op::f2i:
    case Op::f2u:
      return is_float(from);
    case Op::i2f:
    case Op::u2f:
      return !is_float(from);
    case Op::sext:
    case Op::zext:
      return !is_float(from) && bytes_of(from) < bytes_of(type);
    default:
      return !is_float(from) && bytes_of(from) > bytes_of(type);
  }
}

bool is_rounded(Op op) {
  switch (op) {
    case Op::fadd:
    case Op::fmul:
    case Op::ffma:
    case Op::fround:
    case Op::f2f:
    case Op::f2i:
    case Op::f2u:
    case Op::i2f:
    case Op::u2f:
      return true;
    default:
      return false;
  }
}

std::string text(const Operation& operation) {
  return std::string(info(operation.op).name) + " " + std::string(name(operation.type)) + " from " +
         std::string(name(operation.from)) + " " + std::string(name(operation.round));
}

/// Well typed operations that compute a value from their own lane.
std::vector<Operation> value_operations() {
  std::vector<Operation> operations;
  constexpr std::array types{Type::i8, Type::i16, Type::i32, Type::i64, Type::f16, Type::f32, Type::f64};
  for (std::uint32_t op = 0; op < static_cast<std::uint32_t>(Op::barrier); ++op) {
    for (const Type type : types) {
      for (const Type from : types) {
        if (!is_well_typed(static_cast<Op>(op), type, from)) continue;
        for (const Round round : {Round::even, Round::zero, Round::down, Round::up}) {
          if (round != Round::even && !is_rounded(static_cast<Op>(op))) continue;
          operations.push_back({.op = static_cast<Op>(op), .type = type, .from = from, .round = round});
        }
      }
    }
  }
  return operations;
}

/// A value of the type: interesting, near one half (so that sums cancel and products round in every way) or any.
std::uint64_t draw(Type type, std::mt19937& random) {
  const auto& list = interesting(type);
  const std::uint64_t bits = random() | std::uint64_t{random()} << 32;
  switch (random() % 4) {
    case 0:
      return list[random() % list.size()];
    case 1:
      if (type == Type::f32) return (bits & 0x80FFFFFF) | 0x3F000000;
      if (type == Type::f16) return (bits & 0x87FF) | 0x3800;
      [[fallthrough]];
    default:
      return bits & (~std::uint64_t{0} >> (64 - bits_of(type)));
  }
}

// State of the tests: two words for each of four operands, the destination and three sources.
constexpr std::uint32_t state_words = 8;

std::uint64_t read(const Planes& state, std::uint32_t lane, const Operation& operation, std::size_t source) {
  return state.read(lane, operation.src[source].byte(), bytes_of(source_type(operation)));
}

/// Sources for all lanes: all pairs of interesting values, then random ones. A lone narrow source takes every value.
Planes draw_state(const Operation& operation, std::uint32_t lanes, std::mt19937& random) {
  Planes state;
  state.assign(state_words, lanes, 0);
  std::generate_n(state.plane(0), state_words * lanes, [&] { return static_cast<std::uint32_t>(random()); });
  const Type type = source_type(operation);
  const auto& list = interesting(type);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::array<std::uint64_t, 3> values{draw(type, random), draw(type, random), draw(type, random)};
    if (info(operation.op).sources == 1 && bits_of(type) <= 16) {
      values[0] = lane;
    } else if (lane < list.size() * list.size()) {
      values[0] = list[lane % list.size()];
      values[1] = list[lane / list.size()];
    }
    for (std::size_t i = 0; i < 3; ++i) state.write(lane, operation.src[i].byte(), bytes_of(type), values[i]);
  }
  return state;
}

BoundOperation bind(const Operation& operation, Planes& state) {
  const auto shift = [](Operand operand) { return static_cast<std::uint8_t>(8 * (operand.byte() % 4)); };
  const auto bits = [](Type type) { return static_cast<std::uint8_t>(std::min(bits_of(type), 32u)); };
  BoundOperation bound{.dst = state.plane(operation.dst.byte() / 4),
                       .dst_pitch = state.padded_lanes(),
                       .dst_shift = shift(operation.dst),
                       .dst_bits = bits(result_type(operation))};
  for (std::size_t i = 0; i < 3; ++i) {
    bound.src[i] = {.words = state.plane(operation.src[i].byte() / 4),
                    .keep = ~0u,
                    .pitch = state.padded_lanes(),
                    .shift = shift(operation.src[i]),
                    .bits = bits(source_type(operation))};
  }
  return bound;
}

/// Runs the kernel on random state and compares all of it with what the scalar semantics make of it.
void compare(const Operation& operation, const Kernel& kernel, std::uint32_t lanes, bool masked, std::mt19937& random) {
  const Planes before = draw_state(operation, lanes, random);
  AlignedWords mask(lanes, 0);
  std::generate_n(mask.data(), lanes, [&] { return random() % 3 != 0 ? ~0u : 0; });
  const LaneRange range =
      masked ? LaneRange{lane_padding, lanes - lane_padding, mask.data()} : LaneRange{0, lanes, nullptr};

  Planes after = before;
  const BoundOperation bound = bind(operation, after);
  (masked ? kernel.masked : kernel.full)(&bound, 1, range);

  Planes expected = before;
  for (std::uint32_t lane = range.begin; lane < range.end; ++lane) {
    if (masked && mask[lane] == 0) continue;
    const std::uint64_t result = evaluate(operation, read(before, lane, operation, 0), read(before, lane, operation, 1),
                                          read(before, lane, operation, 2));
    expected.write(lane, operation.dst.byte(), bytes_of(result_type(operation)), result);
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t byte = 0; byte < 4 * state_words; byte += 8) {
      if (after.read(lane, byte, 8) == expected.read(lane, byte, 8)) continue;
      FAIL() << text(operation) << (masked ? " masked" : " full") << std::hex << " at lane 0x" << lane << ", byte "
             << byte << " of the state: a=0x" << read(before, lane, operation, 0) << " b=0x"
             << read(before, lane, operation, 1) << " c=0x" << read(before, lane, operation, 2) << " gives 0x"
             << after.read(lane, byte, 8) << " instead of 0x" << expected.read(lane, byte, 8);
    }
  }
}

/// Each instruction set the processor has.
class Kernels : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { force_kernel_target(GetParam()); }
  void TearDown() override { force_kernel_target(0); }
};
INSTANTIATE_TEST_SUITE_P(Targets, Kernels, testing::ValuesIn(kernel_targets()),
                         [](const auto& target) { return std::string(kernel_target_name(target.param)); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Kernels);

TEST_P(Kernels, AgreeWithTheScalarSemantics) {
  std::mt19937 random(1);
  for (Operation operation : value_operations()) {
    // Narrow elements in different bytes of their words; the destination once over a source.
    const std::uint32_t source_bytes = bytes_of(source_type(operation)),
                        result_bytes = bytes_of(result_type(operation));
    for (std::size_t i = 0; i < 3; ++i) {
      operation.src[i] = Operand::state(static_cast<std::uint32_t>(8 * (i + 1) + (3 - i) * source_bytes % 4));
    }
    operation.dst = Operand::state(result_bytes % 4);
    if (const Kernel kernel = find_kernel(operation)) {
      const std::uint32_t lanes = test::whole() ? 4096 : 512;
      compare(operation, kernel, info(operation.op).sources == 1 && source_bytes == 2 ? 65536 : lanes, false, random);
      operation.dst = Operand::state(8);
      compare(operation, kernel, lanes / 4, true, random);
    }
  }
}

TEST_P(Kernels, ExistForWhatShadersDoMost) {
  for (const Op op :
       {Op::mov, Op::select, Op::fadd, Op::fmul, Op::fmin, Op::fmax, Op::fneg, Op::fabs, Op::fclamp_pos,
        Op::fclamp_signed, Op::fclamp_unit, Op::flt, Op::fle, Op::feq, Op::fne, Op::frcp, Op::fsqrt, Op::frsqrt}) {
    EXPECT_TRUE(find_kernel({.op = op, .type = Type::f32, .from = Type::f32})) << info(op).name;
  }
  for (std::uint32_t op = 0; op <= static_cast<std::uint32_t>(Op::ile_u); ++op) {
    for (const Type type : {Type::i8, Type::i16, Type::i32}) {
      EXPECT_TRUE(find_kernel({.op = static_cast<Op>(op), .type = type, .from = type}))
          << info(static_cast<Op>(op)).name;
    }
  }
}

TEST_P(Kernels, TakeDifferencesInsideQuads) {
  std::mt19937 random(1);
  for (const Op op : {Op::ddx, Op::ddy, Op::quad_first}) {
    for (const Type type : {Type::f16, Type::f32}) {
      const Operation operation{.op = op,
                                .type = type,
                                .dst = Operand::state(0),
                                .src = {Operand::state(8), Operand::state(16), Operand::state(24)}};
      const Kernel kernel = find_quad_kernel(operation);
      if (!kernel) continue;
      const Operation add{.op = Op::fadd, .type = type};
      const std::uint64_t sign = std::uint64_t{1} << (bits_of(type) - 1);
      Planes state = draw_state(operation, 4096, random);
      const Planes before = state;
      AlignedWords mask(4096, 0);
      std::generate_n(mask.data(), 4096, [&] { return random() % 5 != 0 ? ~0u : 0; });
      const BoundOperation bound = bind(operation, state);
      kernel.masked(&bound, 1, {0, 4096, mask.data()});
      for (std::uint32_t lane = 0; lane < 4096; ++lane) {
        const auto value = [&](std::uint32_t from) { return before.read(from, 8, bytes_of(type)); };
        const std::uint32_t first = op == Op::ddx ? lane & ~1u : lane & ~2u,
                            second = op == Op::ddx ? lane | 1 : lane | 2;
        std::uint64_t expected =
            mask[first] != 0 && mask[second] != 0 ? evaluate(add, value(second), value(first) ^ sign, 0) : 0;
        if (op == Op::quad_first) expected = value(mask[lane & ~3u] != 0 ? lane & ~3u : lane);
        if (mask[lane] == 0) expected = before.read(lane, 0, bytes_of(type));
        ASSERT_EQ(state.read(lane, 0, bytes_of(type)), expected) << text(operation) << " lane " << lane;
      }
    }
  }
}

TEST_P(Kernels, WriteWordsAndCountsOfTheLanesInTheMask) {
  AlignedWords mask(32, 0), words(32, 1), from(32, ~0u);
  std::vector<std::uint64_t> counts(32, 5);
  for (std::uint32_t lane = 0; lane < 32; lane += 3) mask[lane] = ~0u;
  const LaneRange range{16, 32, mask.data()};
  set_words(words.data(), range, 9);
  add_counts(counts.data(), range, std::uint64_t{1} << 33);
  remove_lanes(from.data(), range);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const bool is_in = lane >= 16 && lane % 3 == 0;
    EXPECT_EQ(words[lane], is_in ? 9u : 1u) << lane;
    EXPECT_EQ(counts[lane], is_in ? (std::uint64_t{1} << 33) + 5 : 5u) << lane;
    EXPECT_EQ(from[lane], is_in ? 0 : ~0u) << lane;
  }
}

TEST_P(Kernels, RunSeveralOperationsInOrder) {
  // The second adds what the first has made.
  Planes state;
  state.assign(state_words, 64, 3);
  const Operation first{.op = Op::iadd, .dst = Operand::state(0), .src = {Operand::state(4), Operand::state(8)}};
  const Operation second{.op = Op::iadd, .dst = Operand::state(4), .src = {Operand::state(0), Operand::state(8)}};
  const std::array bound{bind(first, state), bind(second, state)};
  find_kernel(first).full(bound.data(), bound.size(), {0, 64, nullptr});
  EXPECT_EQ(state.read(63, 0, 4), 6u);
  EXPECT_EQ(state.read(63, 4, 4), 9u);
}

TEST_P(Kernels, TakeConstantsFromOneRow) {
  Planes state;
  state.assign(state_words, 64, 5);
  AlignedWords row(2 * lane_padding, 7);
  const Operation operation{
      .op = Op::iadd, .type = Type::i64, .dst = Operand::state(0), .src = {Operand::state(8), Operand::state(0)}};
  BoundOperation bound = bind(operation, state);
  bound.src[1] = {.words = row.data(), .keep = 0, .pitch = lane_padding};
  find_kernel(operation).full(&bound, 1, {0, 64, nullptr});
  for (std::uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(state.read(lane, 0, 8), 0x0000000C0000000Cu);
}

TEST_P(Kernels, SelectLanesByTheLowestBitOfTheCondition) {
  Planes state;
  state.assign(1, 64, 0);
  for (std::uint32_t lane = 0; lane < 64; ++lane) state.write(lane, 0, 4, lane % 3 == 0 ? 0x10000 : 0xFFFEFFFF);
  AlignedWords mask(64, ~0u), taken(64, 1);
  mask[3] = 0;
  const BoundSource condition{.words = state.plane(0), .keep = ~0u, .pitch = 64, .shift = 16, .bits = 16};
  EXPECT_EQ(select_lanes(condition, {0, 64, mask.data()}, taken.data()), 21u);
  for (std::uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(taken[lane], lane % 3 == 0 && lane != 3 ? ~0u : 0u) << lane;
}

TEST_P(Kernels, FindTheLowestPosition) {
  AlignedWords positions(64, ~0u), mask(64, 1);
  positions[17] = 5;
  positions[18] = 4;
  positions[40] = 4;
  positions[41] = 0x80000000;
  const LowestLanes found = find_lowest(positions.data(), 64, mask.data());
  EXPECT_EQ(found.lowest, 4u);
  EXPECT_EQ(found.next, 5u);
  EXPECT_EQ(found.count, 2u);
  EXPECT_EQ(found.range.begin, 16u);
  EXPECT_EQ(found.range.end, 48u);
  for (std::uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(mask[lane], lane == 18 || lane == 40 ? ~0u : 0u) << lane;
}

TEST(KernelsAnywhere, AreNotFoundForElementsThatStraddleWords) {
  EXPECT_FALSE(find_kernel({.op = Op::mov, .dst = Operand::state(2), .src = {Operand::state(8)}}));
  EXPECT_FALSE(find_kernel({.op = Op::mov, .type = Type::i16, .dst = Operand::state(0), .src = {Operand::state(3)}}));
}

}  // namespace
}  // namespace mobula::ir
