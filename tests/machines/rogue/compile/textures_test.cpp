// Textures by machine code, beside their source.
#include <gtest/gtest.h>

#include "compile/attempt.h"

namespace mobula::test {
namespace {

void expect_verified(const std::string& text, Stage stage = Stage::fragment) {
  const Attempt made = attempt(text, stage, {"rogue", ""});
  EXPECT_TRUE(made.is_verified()) << name(made.end) << ": " << made.code << ' ' << made.why << '\n' << text;
  EXPECT_GT(made.outcome.compared, 0U);
}

TEST(RogueTextures, IntegersOfEitherSignAreReadAsTheyAre) {
  for (const std::string sign : {"i", "u"})
    for (const auto& [kind, coordinate, texel] : {std::tuple{"sampler2D", "p.xy", "ivec2(p.xy)"},
                                                  {"sampler3D", "p", "ivec3(p)"},
                                                  {"sampler2DArray", "p", "ivec3(p)"}}) {
      const std::string type = sign + kind;
      const auto shader = [&](const std::string& read) {
        return "#version 300 es\nprecision highp float;\nprecision highp int;\nuniform highp " + type +
               " t;\nin vec3 p;\nout " + sign + "vec4 o;\nvoid main() { o = " + read + "; }";
      };
      expect_verified(shader(std::string("texture(t, ") + coordinate + ")"));
      expect_verified(shader(std::string("textureLod(t, ") + coordinate + ", 1.0)"));
      expect_verified(shader(std::string("texelFetch(t, ") + texel + ", 0)"));
    }
}

}  // namespace
}  // namespace mobula::test
