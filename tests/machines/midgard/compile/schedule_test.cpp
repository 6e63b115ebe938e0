#include "machines/midgard/compile/schedule.h"

#include <bit>
#include <limits>

#include "compile/random/shader.h"
#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard::AluInstruction;
using midgard::AluOp;
using midgard::Bundle;
using midgard_compiler::alu_row;
using midgard_compiler::Source;

Source constant_of(std::array<std::uint32_t, 4> bits) {
  Source source;
  source.kind = Source::Kind::constant;
  source.bits = bits;
  return source;
}
Source constant_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return constant_of({bits, bits, bits, bits});
}

TEST(MidgardSchedule, ConstantsOfSixteenBitsAreInline) {
  const AluOp* op = alu_row("fadd");
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of(1.0F), 15), 0x3C00);
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of(-0.5F), 15), 0xB800);
  EXPECT_FALSE(midgard_compiler::inline_constant(op, constant_of(0.1F), 15)) << "a half is not exact";
  EXPECT_FALSE(midgard_compiler::inline_constant(op, constant_of(65536.0F), 15)) << "a half reaches 65504";
  EXPECT_FALSE(midgard_compiler::inline_constant(op, constant_of(0x1p-20F), 15))
      << "halves without exponent are not used";
  const Source two = constant_of({0x3F800000, 0x40000000, 0, 0});
  EXPECT_FALSE(midgard_compiler::inline_constant(op, two, 3)) << "there is one for all lanes";
  EXPECT_EQ(midgard_compiler::inline_constant(op, two, 2), 0x4000) << "the other lanes are not read";
  op = alu_row("iadd");
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of({7, 7, 7, 7}), 15), 7);
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of({~0U, ~0U, ~0U, ~0U}), 15), 0xFFFF);
  EXPECT_FALSE(midgard_compiler::inline_constant(op, constant_of({32768, 32768, 32768, 32768}), 15));
}

TEST(MidgardSchedule, MovesTakeNumbersOfEitherKind) {
  const AluOp* op = alu_row("imov");
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of({12, 12, 12, 12}), 1), 12);
  EXPECT_EQ(op, alu_row("imov"));
  EXPECT_EQ(midgard_compiler::inline_constant(op, constant_of(2.0F), 1), 0x4000);
  EXPECT_EQ(op, alu_row("fmov"));
}

/// Later in its block what it tests is written once more, in the same register.
TEST(MidgardSchedule, ADiscardTestsWhatWasThere) {
  const Attempt made = attempt(
      "#version 310 es\nprecision highp float; uniform float s; uniform int n; out float o; void main() {"
      "float v = s; o = -2.0; for (int k = 0; k < n; ++k) { if (v > 0.5) discard; v += o - 5.0; o -= v; o -= v; } }",
      Stage::fragment, {"midgard", "t860"}, {.runs = 32});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

TEST(MidgardSchedule, StoresStayOnTheirSideOfADiscard) {
  const Attempt made = attempt(
      "#version 310 es\nprecision highp float; uniform float s; out vec4 o; layout(std430) buffer S { int a[3]; };"
      "void main() { a[0] = 5; if (s > 0.5) discard; a[1] = 7; if (s < 0.0) discard; a[2] = 9; o = vec4(1.0); }",
      Stage::fragment, {"midgard", "t860"}, {.runs = 32});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

TEST(MidgardSchedule, AWordHasTwoStages) {
  const Words words(
      verified("#version 310 es\nprecision highp float; in vec4 a, b, c; out vec4 o;"
               "void main() { o = a * b + c; }"));
  EXPECT_TRUE(std::ranges::any_of(words.all(), [](const Bundle& bundle) {
    const AluInstruction *product = bundle.find(midgard::Unit::vmul), *sum = bundle.find(midgard::Unit::vadd);
    return product != nullptr && sum != nullptr && Words::is(*product, "fmul") && Words::is(*sum, "fadd");
  }));
}

TEST(MidgardSchedule, WhatDoesNotNeedEachOtherSharesAWord) {
  const Words words(
      verified("#version 310 es\nprecision highp float; in vec4 a, b; out vec4 o;"
               "void main() { float x = a.x * b.x, y = a.y + b.y; o = vec4(a.xy * b.zw, x, y); }"));
  const auto arithmetic =
      std::ranges::count_if(words.all(), [](const Bundle& bundle) { return bundle.form == Bundle::Form::alu; });
  EXPECT_LE(arithmetic, 4) << "one for the colour, one to write it, one to write it again";
}

TEST(MidgardSchedule, MoreConstantsThanOneWordHoldsAreParted) {
  verified(
      "#version 310 es\nprecision highp float; in vec4 a; out vec4 o;"
      "void main() { o = fract(a * vec4(0.1, 0.2, 0.3, 0.4) + vec4(1.1, 2.2, 3.3, 4.4)) + vec4(0.7, 0.6, 0.11, 0.12);"
      "o = mix(vec4(0.123, 0.234, 0.345, 0.456), vec4(9.1, 8.1, 7.1, 6.1), lessThan(o, vec4(0.51, 0.52, 0.53, 0.54))); "
      "}");
  // Both factors of a product.
  verified(
      "precision highp float; varying float b; void main() { vec4 t = vec4(0, 0, 0, 1); t.z = b;"
      "gl_FragColor = mat4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) * t; }");
}

/// Units in their order, each once, and one condition.
TEST(MidgardSchedule, ColoursOfSeveralTexturesAreMadeBeforeTheyAreWritten) {
  // Results of textures have two registers.
  verified(
      "precision highp float; varying vec4 a; uniform sampler2D t; void main() { gl_FragColor ="
      " vec4(texture2D(t, a.xy).w, texture2D(t, a.yx).z, texture2D(t, a.zy).y, texture2D(t, a.xw).x); }");
}

/// `count` lines; # is the number of the line, @ a component.
std::string lines_of(unsigned count, const std::string& line) {
  std::string text = "#version 310 es\nprecision highp float; in vec4 v; uniform vec4 u[8]; out vec4 o;\nvoid main() {";
  text += "float s = 0.0; vec4 q = u[7];\n";
  for (unsigned i = 0; i < count; ++i)
    for (const char letter : line + '\n')
      text += letter == '#'   ? std::to_string(i)
              : letter == '@' ? std::string(1, "xyzw"[i % 4])
                              : std::string(1, letter);
  return text + "o = q + s; }";
}

/// Where sums are as long as the shader, what they add can all be made at once, and need not be.
TEST(MidgardSchedule, TermsOfLongSumsAreMadeWhereTheyAreAdded) {
  for (const char* const line :
       {"s += v.x * #.5; q += u[0].y * v.yzwx * #.25;", "s += dot(v.xyz * #.5, u[1].xyz); q.zw += s * v.xy * #.25;",
        "s += sqrt(v.x * #.5) * v.y; q.@ += u[2].y * exp2(v.@ * #.5);"}) {
    const Attempt made = attempt(lines_of(150, line), Stage::fragment, {"midgard", "t860"}, {.runs = 2});
    ASSERT_TRUE(made.is_verified()) << made.why;
    EXPECT_EQ(made.program.interface.thread_local_bytes.value_or(0), 0U) << line;
    EXPECT_LE(*made.program.interface.work_registers, 10U) << line;
  }
}

/// A vector that is doubled `times`, then stored; the word that stores it comes after the others.
void double_and_store(midgard_compiler::Code& code, unsigned times) {
  using midgard_compiler::Instruction;
  using midgard_compiler::of;
  midgard_compiler::Value last = code.add({.components = 4});
  auto& block = code.blocks.back().code;
  block.push_back(midgard_compiler::copy_of(constant_of(1.0F), last, 15, 0));
  for (unsigned i = 0; i <= times; ++i) {
    const bool is_stored = i == times;
    Instruction doubles;
    doubles.op = alu_row("fadd");
    doubles.sources = {of(last), of(last), {}, {}};
    doubles.result = last = code.add(
        {.components = 4, .home = is_stored ? midgard_compiler::Home::load_store : midgard_compiler::Home::work});
    doubles.mask = 15;
    block.push_back(doubles);
  }
  Instruction stores;
  stores.kind = Instruction::Kind::load_store;
  stores.memory = midgard_compiler::memory_row("st_128");
  stores.sources[0] = of(last);
  stores.stored = 15;
  stores.is_store = true;
  block.push_back(stores);
}

/// The words of the first block that instructions of one kind are in, in the order of the source.
std::vector<std::size_t> words_of(const midgard_compiler::Code& code, const midgard_compiler::Schedule& schedule,
                                  midgard_compiler::Instruction::Kind kind) {
  const auto& all = code.blocks.front().code;
  std::vector<std::size_t> places;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto has = [&](const midgard_compiler::UnitWork& work) { return work.instruction == i; };
    for (std::size_t word = 0; word < schedule.blocks.front().size(); ++word)
      if (all[i].kind == kind && (std::ranges::any_of(schedule.blocks.front()[word].units, has) ||
                                  std::ranges::any_of(schedule.blocks.front()[word].accesses, has)))
        places.push_back(word);
  }
  return places;
}

TEST(MidgardSchedule, OrderIsKeptWhereItIsAskedFor) {
  using midgard_compiler::Order;
  using Kind = midgard_compiler::Instruction::Kind;
  midgard_compiler::Code code;
  code.blocks.emplace_back();
  for (const unsigned times : {7U, 2U, 5U, 1U}) double_and_store(code, times);
  const auto in_order = [&](Order order, Kind kind) {
    const auto made = midgard_compiler::schedule(code, midgard_compiler::analyse(code), {.order = order}, false);
    EXPECT_TRUE(made.has_value());
    return made && std::ranges::is_sorted(words_of(code, *made, kind));
  };
  EXPECT_FALSE(in_order(Order::free, Kind::load_store));
  EXPECT_TRUE(in_order(Order::of_few, Kind::load_store));
  EXPECT_FALSE(in_order(Order::of_few, Kind::alu));
  EXPECT_TRUE(in_order(Order::of_all, Kind::load_store));
  EXPECT_TRUE(in_order(Order::of_all, Kind::alu));
}

TEST(MidgardSchedule, WordsAreWhole) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string text = random_shader(Stage::fragment, seed);
    const Attempt made = attempt(text, Stage::fragment, {"midgard", "t860"}, {.runs = 1});
    ASSERT_EQ(made.why, "") << text;
    const Words words(made);
    for (const Bundle& bundle : words.all()) {
      ASSERT_NE(bundle.form, Bundle::Form::raw) << text;
      unsigned conditions = 0;
      int last = -1;
      for (const AluInstruction& each : bundle.alu_instructions()) {
        EXPECT_GT(static_cast<int>(each.unit), last);
        last = static_cast<int>(each.unit);
        conditions += Words::destination(each) == 31 ? 1 : 0;
      }
      EXPECT_LE(conditions, 1U) << text;
    }
  }
}

}  // namespace
}  // namespace mobula::test
