#include "machines/midgard/compile/halves.h"

#include <cmath>

#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard::AluInstruction;
using midgard_compiler::alu_row;
using midgard_compiler::Code;
using midgard_compiler::Home;
using midgard_compiler::Source;
using midgard_compiler::Value;
using MachineInstruction = midgard_compiler::Instruction;

/// Many vectors are alive at a time.
std::string crowded(const std::string& precision, const std::string& more = "") {
  return "precision " + precision + " float; varying vec4 a, b; uniform vec4 k; " + more +
         "void main() {"
         " vec4 p = a * k, q = b + k, r = a * b, w = a - b.wzyx;"
         " vec4 x = p * q.x + r, y = q * r.x + w, z = r * w.x + p, u = w * p.x + q;"
         " gl_FragColor = x * y.wzyx + z * u.yxwz + max(x, y) * min(z, u) + (p + q.w) * (r + w.z); }";
}

bool narrows(const AluInstruction& each, midgard::Shrink half) {
  if (midgard::info(each.unit).vector) return get(each.word, midgard::vec::shrink) == static_cast<unsigned>(half);
  const auto first = half == midgard::Shrink::lower ? 0U : 4U;
  const auto component = get(each.word, midgard::scalar::component);
  return get(each.word, midgard::scalar::full) == 0 && component >= first && component < first + 4;
}
std::size_t narrowing(const Words& words) {
  return words.count([](const AluInstruction& each) {
    return narrows(each, midgard::Shrink::lower) || narrows(each, midgard::Shrink::upper);
  });
}
unsigned registers_of(const Attempt& made) { return made.program.interface.work_registers.value_or(0); }

TEST(MidgardHalves, TwoVectorsOfMediumPrecisionShareARegister) {
  for (const char* product : {"t604", "t720", "t860", "t880"}) {
    const Attempt high = verified(crowded("highp"), Stage::fragment, product);
    const Attempt medium = verified(crowded("mediump"), Stage::fragment, product);
    const Words words(medium);
    for (const midgard::Shrink half : {midgard::Shrink::lower, midgard::Shrink::upper})
      EXPECT_GT(words.count([&](const AluInstruction& each) { return narrows(each, half); }), 0U);
    EXPECT_LT(registers_of(medium), registers_of(high));
    EXPECT_LE(words.all().size(), Words(high).all().size());
  }
}

TEST(MidgardHalves, HighPrecisionHas32Bits) { EXPECT_EQ(narrowing(Words(verified(crowded("highp")))), 0U); }

TEST(MidgardHalves, InvariantOutputsAndVerticesHave32Bits) {
  ASSERT_GT(narrowing(Words(verified(crowded("mediump")))), 0U);
  EXPECT_EQ(narrowing(Words(verified(crowded("mediump", "invariant gl_FragColor; ")))), 0U);
  std::string vertex = crowded("mediump");
  vertex.replace(vertex.find("varying"), 7, "attribute");
  vertex.replace(vertex.find("gl_FragColor"), 12, "gl_Position");
  EXPECT_EQ(narrowing(Words(verified(vertex, Stage::vertex))), 0U);
}

TEST(MidgardHalves, ConstantsAreRoundedToTheOperand) {
  const auto with_constants = [](const std::string& precision) {
    const Words words(
        verified("precision " + precision + " float; varying vec4 a; void main() { gl_FragColor = a * 0.3 + 0.1; }"));
    return std::ranges::count_if(words.all(), &midgard::Bundle::has_constants);
  };
  EXPECT_GT(with_constants("highp"), 0);
  EXPECT_EQ(with_constants("mediump"), 0);
}

TEST(MidgardHalves, AMovedValueIsTheSameAsTheOneThatItComesFrom) {
  verified(
      "#version 310 es\nprecision mediump float; uniform vec4 k[2]; flat in highp int n; in vec4 a; out vec4 o;"
      "void main() { vec4 x = k[0]; if (n > 3) { x = k[1]; for (highp int i = 0; i < n; ++i) x = x.yzwx; }"
      " o = (x - k[0]) * a; }");
}

/// Code of one block that is made by hand.
struct Block {
  Code code;

  Block() { code.blocks.emplace_back(); }
  Value value(Home home = Home::work) { return code.add({.components = 4, .home = home}); }
  MachineInstruction& add(const char* name, Value result, std::initializer_list<Value> from, bool relaxed = true) {
    MachineInstruction each;
    each.op = std::ranges::find(midgard::alu_ops, std::string_view(name), &midgard::AluOp::name);
    each.result = result;
    each.mask = 15;
    each.relaxed = relaxed;
    for (std::size_t i = 0; const Value source : from) each.sources[i++] = midgard_compiler::of(source);
    if (each.op->uses_source2) std::swap(each.sources[0], each.sources[1]);
    code.blocks[0].code.push_back(each);
    return code.blocks[0].code.back();
  }
  [[nodiscard]] bool is_half(Value value) const { return code.values[value].half; }
};

TEST(MidgardHalves, WhatOnlyArithmeticMakesAndReadsHas16Bits) {
  Block block;
  const Value sum = block.value(), exact = block.value(), bits = block.value(), integer = block.value();
  block.add("fadd", sum, {sum, exact});
  block.add("fmul", exact, {sum, sum}, false);
  block.add("fadd", bits, {sum, sum});
  block.add("iand", integer, {bits, bits});
  EXPECT_TRUE(use_halves(block.code));
  EXPECT_TRUE(block.is_half(sum));
  EXPECT_FALSE(block.is_half(exact)) << "is of high precision";
  EXPECT_FALSE(block.is_half(bits)) << "is read as bits";
  EXPECT_FALSE(block.is_half(integer));
}

TEST(MidgardHalves, WhatDecidesAndWhatItIsComputedFromHas32Bits) {
  for (const char* decides : {"flt", "f2i_rtz", "ffloor"}) {
    Block block;
    const Value first = block.value(), second = block.value(), result = block.value(), other = block.value();
    block.add("fadd", first, {first, first});
    block.add("fmul", second, {first, first});
    block.add("fmul", other, {first, first});
    block.add(decides, result, {second, second});
    EXPECT_TRUE(use_halves(block.code));
    EXPECT_FALSE(block.is_half(first)) << decides;
    EXPECT_FALSE(block.is_half(second)) << decides;
    EXPECT_TRUE(block.is_half(other)) << decides;
  }
  Block block;
  const Value place = block.value(), coordinates = block.value(Home::texture_in),
              texel = block.value(Home::texture_out);
  block.add("fadd", place, {place, place});
  block.add("imov", coordinates, {place});
  MachineInstruction samples;
  samples.kind = MachineInstruction::Kind::texture;
  samples.sources[0] = midgard_compiler::of(coordinates);
  samples.result = texel;
  samples.mask = 15;
  block.code.blocks[0].code.push_back(samples);
  EXPECT_FALSE(use_halves(block.code));
  EXPECT_FALSE(block.is_half(place));
}

TEST(MidgardHalves, MovesHave16BitsWhereWhatTheyMoveHas) {
  Block block;
  const Value sum = block.value(), copy = block.value(), full = block.value(), copy_of_full = block.value();
  block.add("fadd", sum, {sum, sum});
  block.add("imov", copy, {sum}, false);
  block.add("fadd", full, {full, full}, false);
  block.add("imov", copy_of_full, {full}, false);
  EXPECT_TRUE(use_halves(block.code));
  EXPECT_TRUE(block.is_half(copy));
  EXPECT_FALSE(block.is_half(copy_of_full));
  EXPECT_EQ(block.code.blocks[0].code[1].op->name, "fmov") << "bits have one size, numbers any";
  EXPECT_EQ(block.code.blocks[0].code[3].op->name, "imov");
}

TEST(MidgardHalves, NumbersAreRoundedToTheNearest) {
  using midgard_compiler::rounded_to_half;
  const auto rounded = [](float number) {
    const auto bits = rounded_to_half(std::bit_cast<std::uint32_t>(number));
    return bits ? std::bit_cast<float>(*bits) : NAN;
  };
  EXPECT_EQ(rounded(0.5F), 0.5F);
  EXPECT_EQ(rounded(1 + 0x1p-11F), 1) << "to even";
  EXPECT_EQ(rounded(1 + 0x1p-11F + 0x1p-20F), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(-3.1F), -3.099609375F);
  EXPECT_TRUE(std::isnan(rounded(65536.0F)));
  EXPECT_TRUE(std::isnan(rounded(1e-6F)));
  EXPECT_TRUE(std::isnan(rounded(INFINITY)));
}

}  // namespace
}  // namespace mobula::test
