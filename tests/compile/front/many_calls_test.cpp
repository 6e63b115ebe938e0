#include "compile/front/many_calls.h"

#include <gtest/gtest.h>

#include "compile/build.h"
#include "compile/front/words.h"

namespace mobula::test {
namespace {

using compile::Spirv;

std::size_t occurrences(const Spirv& module, spv::Op op) {
  std::size_t found = 0;
  compile::for_each_instruction(module, [&](const compile::SpirvWords& each) { found += each.op() == op ? 1 : 0; });
  return found;
}

/// Whether the library takes it.
testing::AssertionResult is_valid_module(const Spirv& module) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : module)
    for (unsigned byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  const auto read = compile::read_spirv(bytes, "a");
  return read ? testing::AssertionSuccess() : testing::AssertionFailure() << errors_of(read);
}

Spirv with_main(const std::string& body) {
  const auto module = spirv_of(
      "#version 320 es\nprecision highp float;\nuniform vec4 u; out vec4 o;\n"
      "float f(float x) { return x * u.x; }\nvoid main() {\nfloat a = u.y;\n" +
      body + "o = vec4(a);\n}\n");
  EXPECT_TRUE(module) << errors_of(module);
  return module ? *module : Spirv();
}
std::string times_over(const std::string& what, unsigned times) {
  std::string text;
  for (unsigned i = 0; i < times; ++i) text += what;
  return text;
}

TEST(ManyCalls, AreCutIntoBlocksThatBecomeOneAgain) {
  const Spirv before = with_main(times_over("a = f(a);\n", 200));
  Spirv cut = before;
  ASSERT_TRUE(compile::cut_behind_calls(cut));
  EXPECT_EQ(occurrences(cut, spv::Op::OpLabel), occurrences(before, spv::Op::OpLabel) + 3);
  EXPECT_EQ(occurrences(cut, spv::Op::OpLine), occurrences(before, spv::Op::OpLine) + 3) << "which hold within a block";
  EXPECT_TRUE(is_valid_module(cut));
  const auto optimised = compile::optimise(before, "a");
  ASSERT_TRUE(optimised) << errors_of(optimised);
  EXPECT_EQ(occurrences(*optimised, spv::Op::OpLabel), 1u);
}

TEST(ManyCalls, FewStay) {
  const Spirv before =
      with_main(times_over("a = f(a);\n", 63) + "if (u.z > 0.0) {\n" + times_over("a = f(a);\n", 63) + "}");
  Spirv cut = before;
  EXPECT_FALSE(compile::cut_behind_calls(cut));
  EXPECT_EQ(cut, before);
}

TEST(ManyCalls, PhisComeFromTheLastPiece) {
  Spirv cut = with_main("if (u.x > 0.0 && (0.0" + times_over(" + f(a)", 130) + ") > 1.0) a = 2.0;\n");
  ASSERT_GT(occurrences(cut, spv::Op::OpPhi), 0u);
  EXPECT_TRUE(compile::cut_behind_calls(cut));
  EXPECT_TRUE(is_valid_module(cut));
}

TEST(ManyCalls, HeadsOfLoopsStayWhole) {
  std::string text =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\"\n"
      "OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%type = OpTypeFunction %void\n%bool = OpTypeBool\n"
      "%true = OpConstantTrue %bool\n%f = OpFunction %void None %type\n%in = OpLabel\nOpReturn\nOpFunctionEnd\n"
      "%main = OpFunction %void None %type\n%first = OpLabel\nOpBranch %head\n%head = OpLabel\n";
  for (unsigned i = 0; i < 70; ++i) text += "%c" + std::to_string(i) + " = OpFunctionCall %void %f\n";
  text +=
      "OpLoopMerge %end %next None\nOpBranchConditional %true %next %end\n%next = OpLabel\nOpBranch %head\n"
      "%end = OpLabel\nOpReturn\nOpFunctionEnd\n";
  const auto module = compile::assemble_spirv(text, "a");
  ASSERT_TRUE(module) << errors_of(module);
  Spirv cut = *module;
  EXPECT_FALSE(compile::cut_behind_calls(cut));
}

}  // namespace
}  // namespace mobula::test
