// What Rogue or its compiler does not do: CO030 with the line and what to do instead.
#include <gtest/gtest.h>

#include "compile/attempt.h"

namespace mobula::test {
namespace {

struct Refusal {
  const char *text, *why;
  std::uint32_t line;
  Stage stage = Stage::fragment;
};

TEST(RogueRefusals, SayWhatWhereAndWhatHelps) {
  const Refusal all[] = {
      {"#version 320 es\nlayout(local_size_x = 8) in;\nlayout(r32ui) uniform highp uimage2D i;\nvoid main() "
       "{\n  imageAtomicAdd(i, ivec2(0), 1u);\n}",
       "an atomic operation on an image", 5, Stage::compute},
      {"#version 300 es\nprecision highp float;\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 "
       "b;\nlayout(location = 2) out vec4 c;\nvoid main() { a = b = c = vec4(1.0); }",
       "the colours need 12 words, and a pixel has 8", 0},
      {"#version 450\nlayout(location = 0, component = 1) out vec3 a;\nlayout(location = 0) out float b;\nvoid main() "
       "{ a "
       "= vec3(1.0); b = 0.5; }",
       "outputs that share location 0, by component or by index, are not supported", 0},
      {"#version 450\nout vec4 o;\nvoid main() { o = vec4(gl_PrimitiveID); }", "gl_PrimitiveID is not supported", 0},
      {"#version 450\nvoid main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; }",
       "gl_ClipDistance[0] is not supported", 0, Stage::vertex},
      {"#version 300 es\nprecision highp float;\nuniform vec4 u[520];\nuniform int i;\nout vec4 o;\nvoid main() { o = "
       "u[i]; }",
       "need 2081 words, and there are 2048", 0},
      {"#version 300 es\nprecision highp float;\nuniform int n;\nout vec4 o;\nvoid main() { float a[4097]; for (int i "
       "= "
       "0; i < 4097; ++i) a[i] = float(i); o = vec4(a[n & 4095]); }",
       "the array a needs 4097 words, and there are 4096", 0},
  };
  for (const Refusal& each : all) {
    SCOPED_TRACE(each.why);
    const auto spirv = compile::optimise(*compile::glsl_to_spirv({"shader", each.text, each.stage, {}, {}}), "shader");
    ASSERT_TRUE(spirv);
    const auto form = ssa::from_spirv(*spirv, each.stage, "shader");
    ASSERT_TRUE(form);
    const auto program = compile::find_back_end("rogue")->compile(*form, "");
    ASSERT_FALSE(program);
    const Diagnostic& why = program.error().front();
    EXPECT_EQ(why.code, "CO030");
    EXPECT_NE(why.message.find(each.why), std::string::npos) << why.message;
    EXPECT_EQ(why.where.line, each.line);
    EXPECT_NE(why.hint, "");
  }
}

}  // namespace
}  // namespace mobula::test
