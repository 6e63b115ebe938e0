#include "machines/midgard/compile/spill.h"

#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

struct Sampling {
  const char* sampler;
  const char* read;  ///< one of many; # is its number, @ a uniform
};

const Sampling samplings[] = {
    {"samplerCube", "textureGrad(s, v.xyz * @.xyz + #.25, w.xyz * 0.1, @.yzw)"},
    {"samplerCube", "textureLod(s, v.xyz * @.xyz + #.25, w.x + #.0)"},
    {"samplerCube", "textureGather(s, v.xyz * @.xyz + #.25, 2)"},
    {"samplerCubeArray", "texture(s, v * @ + #.25)"},
    {"sampler2D", "texelFetch(s, ivec2(# & 3, k + #), k & 1)"},
};

std::string numbered(const std::string& text, unsigned number) {
  std::string made;
  for (const char letter : text)
    made += letter == '#'   ? std::to_string(number)
            : letter == '@' ? "u[" + std::to_string(number % 8) + ']'
                            : std::string(1, letter);
  return made;
}

/// Statements that sample many times, and read each result twice: from the last to the first and back.
std::string sum_of(const Sampling& sampling, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "vec4 r" + std::to_string(i) + numbered(" = " + std::string(sampling.read) + ";\n", i);
  for (unsigned i = count; i-- > 0;) text += numbered("sum = sum * @ + r#;\n", i);
  for (unsigned i = 0; i < count; ++i) text += numbered("sum = sum * @ + r#;\n", i);
  return text;
}

std::string heading(const Sampling& sampling) {
  return "#version 320 es\nprecision highp float; uniform highp " + std::string(sampling.sampler) +
         " s; uniform vec4 u[8]; uniform int k;\n";
}

class MidgardSpilledTextures : public testing::TestWithParam<const char*> {};

TEST_P(MidgardSpilledTextures, MayLiveLong) {
  for (const Sampling& sampling : samplings) {
    SCOPED_TRACE(sampling.read);
    const std::string sum = "vec4 sum = w;\n" + sum_of(sampling, 24);
    const Attempt made =
        verified(heading(sampling) + "in vec4 v, w; out vec4 o;\nvoid main() {\n" + sum + "o = sum;\n}",
                 Stage::fragment, GetParam());
    EXPECT_GT(made.program.interface.thread_local_bytes.value_or(0), 0U);
    verified(heading(sampling) + "in vec4 v, w; out vec4 o;\nvoid main() {\n" + sum + "gl_Position = sum;\n}",
             Stage::vertex, GetParam());
    verified(heading(sampling) +
                 "layout(local_size_x = 4) in; layout(std430) buffer B { vec4 v, w; vec4 o[]; };\nvoid main() {\n" +
                 sum + "o[gl_LocalInvocationIndex] = sum;\n}",
             Stage::compute, GetParam());
  }
}

TEST_P(MidgardSpilledTextures, MayLiveThroughLoops) {
  for (const Sampling& sampling : samplings)
    verified(heading(sampling) +
                 "in vec4 v, w; out vec4 o;\nvoid main() {\nvec4 sum = w;\nfor (int i = 0; i < (k & 3); ++i) {\n" +
                 sum_of(sampling, 24) + "if (sum.x > 0.5) sum *= w;\n}\no = sum;\n}",
             Stage::fragment, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Products, MidgardSpilledTextures, testing::Values("t720", "t820", "t860"),
                         [](const auto& each) { return std::string(each.param); });

/// An access of memory reaches so many bytes, which a shader's arrays have been given first.
TEST(MidgardSpill, NeedsMemoryWithinReach) {
  const Sampling& sampling = samplings[4];
  const auto text = [&](const std::string& vectors) {
    return heading(sampling) + "in vec4 v, w; out vec4 o;\nvoid main() {\nvec4 t[" + vectors +
           "]; t[k] = v; t[k + 1] = w; vec4 sum = w;\n" + sum_of(sampling, 24) + "o = sum + t[k & 1];\n}";
  };
  verified(text("8000"));
  const Attempt made = attempt(text("8190"));
  EXPECT_EQ(made.code, "CO030");
  EXPECT_NE(made.why.find("more than 16 registers at a time, and more than 131072 bytes of memory"), std::string::npos)
      << made.why;
}

}  // namespace
}  // namespace mobula::test
