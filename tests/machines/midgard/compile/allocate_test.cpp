#include "machines/midgard/compile/allocate.h"

#include "compile/random/shader.h"
#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard::AluInstruction;
using midgard::Bundle;

/// That no two values which are alive share a component is what executing the code shows.
std::string alive(unsigned count, const std::string& after) {
  std::string text =
      "#version 310 es\nprecision highp float; in vec4 a, b; uniform int n; out vec4 o;\nvoid main() {\n";
  for (unsigned i = 0; i < count; ++i) {
    const unsigned components = 1 + i % 4;
    const std::string type = components == 1 ? "float" : "vec" + std::to_string(components);
    text += type + " v" + std::to_string(i) + " = " + type + "(fract((a * " + std::to_string(i + 1) + ".25)";
    text += std::string(".xyzw").substr(0, components + 1) + "));\n";
  }
  text += "vec4 s = b;\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = 'v' + std::to_string((i * 5 + 3) % count);
    text +=
        "s = s.yzwx * 0.5; s." + std::string("xyzw").substr(0, 1 + ((i * 5 + 3) % count) % 4) + " += " + name + ";\n";
  }
  return text + "o = s;\n" + after + "}";
}

TEST(MidgardAllocate, ValuesOfAllSizesShareRegisters) {
  for (const unsigned count : {4U, 9U, 14U, 19U, 24U}) {
    const Attempt made = verified(alive(count, ""));
    EXPECT_LE(*made.program.interface.work_registers, 16U);
  }
}

TEST(MidgardAllocate, NoMoreRegistersAreUsedThanAnnounced) {
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    const Attempt made =
        attempt(random_shader(Stage::fragment, seed), Stage::fragment, {"midgard", "t860"}, {.runs = 1});
    ASSERT_EQ(made.why, "") << seed;
    const Interface& interface = made.program.interface;
    ASSERT_TRUE(interface.work_registers && interface.uniform_registers);
    EXPECT_LE(*interface.work_registers + *interface.uniform_registers, 24U);
    EXPECT_EQ(Words(made).count([&](const AluInstruction& each) {
      return Words::destination(each) < 24 && Words::destination(each) >= *interface.work_registers;
    }),
              0U)
        << seed;
  }
}

TEST(MidgardAllocate, ASmallShaderNeedsFew) {
  const Attempt made = verified("precision highp float; varying vec4 a, b; void main() { gl_FragColor = a * b; }");
  EXPECT_LE(*made.program.interface.work_registers, 4U);
}

TEST(MidgardAllocate, WhatIsWrittenBesideTheColourDoesNotMeetOtherValues) {
  verified(alive(14, "gl_FragDepth = s.x * 0.25;"));
  std::string targets = alive(14, "q = s.wzyx; r = v3 + s;");
  targets.replace(targets.find("out vec4 o;"), 11,
                  "layout(location = 0) out vec4 o; layout(location = 1) out vec4 q; layout(location = 2) out vec4 r;");
  verified(targets);
  targets.insert(targets.size() - 1, "gl_FragDepth = s.y;");
  verified(targets);
}

TEST(MidgardAllocate, RegistersThatTexturesShareWithOthersAreKeptApart) {
  for (const char* product : {"t720", "t820", "t860"})
    verified(
        "#version 310 es\nprecision highp float; uniform sampler2D t, u; in vec4 a, b; out vec4 o;"
        "void main() { vec4 s = a * b; vec4 x = texture(t, a.xy), y = texture(u, a.zw), z = texture(t, b.xy);"
        "vec4 w = texture(u, x.xy + y.zw); o = s + x * y - z + w + dFdx(a) * dFdy(b); }",
        Stage::fragment, product);
}

}  // namespace
}  // namespace mobula::test
