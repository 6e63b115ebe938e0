#include <gmock/gmock.h>

#include "compile/build.h"
#include "compile/front/call_tree.h"
#include "compile/ssa/print.h"

namespace mobula::test {
namespace {

using compile::Spirv;
using testing::HasSubstr;

TEST(Glsl, TakesEveryVersion) {
  for (const char* text :
       {"void main() { gl_FragColor = vec4(1); }", "#version 100\nvoid main() { gl_FragColor = vec4(1); }",
        "#version 110\nvarying vec2 p; void main() { gl_FragColor = p.xyxy; }",
        "#version 130\nout vec4 c; void main() { c = vec4(1); }",
        "#version 300 es\nprecision mediump float; out vec4 c; void main() { c = vec4(1); }",
        "#version 310 es\nprecision mediump float; layout(location=0) out vec4 c; void main() { c = vec4(1); }",
        "#version 320 es\nprecision mediump float; out vec4 c; void main() { c = vec4(1); }",
        "#version 460\nout vec4 c; void main() { c = vec4(1); }"}) {
    const auto module = spirv_of(text);
    ASSERT_TRUE(module) << text << '\n' << errors_of(module);
    EXPECT_EQ((*module)[1], 0x00010300u);
  }
}

TEST(Glsl, TellsEveryErrorWithPlaceAndCaret) {
  const auto failed = spirv_of("#version 100\nvoid main() {\n  gl_FragColor = missing;\n  other();\n}\n");
  ASSERT_FALSE(failed);
  const std::string text = errors_of(failed);
  EXPECT_THAT(text, HasSubstr("shader:3:18: error: 'missing': undeclared identifier [CO001]\n"));
  EXPECT_THAT(text, HasSubstr("  gl_FragColor = missing;\n"));
  EXPECT_THAT(text, HasSubstr("^~~~~~~"));
  EXPECT_THAT(text, HasSubstr("shader:4:3: error: 'other'"));
  EXPECT_THAT(text, testing::Not(HasSubstr("compilation errors")));
}

TEST(Glsl, DefinesMacros) {
  const std::string text = "#version 100\nvoid main() { gl_FragColor = vec4(LEVEL); }";
  EXPECT_FALSE(spirv_of(text));
  EXPECT_TRUE(compile::glsl_to_spirv({"a", text, Stage::fragment, {{"LEVEL", "0.5"}}, {}}));
}

TEST(Glsl, IncludesWhatIsFound) {
  const std::string text = "#version 100\n#include \"level.glsl\"\nvoid main() { gl_FragColor = vec4(level()); }";
  const auto find = [](const std::string& name, const std::string& from,
                       bool quoted) -> std::optional<compile::Included> {
    EXPECT_EQ(from, "folder/a.frag");
    if (name != "level.glsl") return {};
    EXPECT_TRUE(quoted);
    return compile::Included{"folder/level.glsl", "mediump float level() { return 0.5; }"};
  };
  EXPECT_TRUE(compile::glsl_to_spirv({"folder/a.frag", text, Stage::fragment, {}, find}));
  const auto missing =
      compile::glsl_to_spirv({"folder/a.frag", "#version 100\n#include \"no.glsl\"\n", Stage::fragment, {}, find});
  EXPECT_THAT(errors_of(missing), HasSubstr("folder/a.frag:2"));
}

TEST(Glsl, TellsErrorsOfIncludedFilesThere) {
  const auto find = [](const std::string&, const std::string&, bool) {
    return std::optional(compile::Included{"lib.glsl", "\nint wrong = missing;\n"});
  };
  const auto failed = compile::glsl_to_spirv(
      {"a.frag", "#version 100\n#include \"lib.glsl\"\nvoid main() {}\n", Stage::fragment, {}, find});
  EXPECT_THAT(errors_of(failed), HasSubstr("lib.glsl:2:13: error: 'missing'"));
}

TEST(Glsl, ReplacesWhatCrashesTheLibrary) {
  const auto module = spirv_of("#version 110\nvoid main() { gl_Position = ftransform(); }", Stage::vertex);
  EXPECT_TRUE(module) << errors_of(module);
  const auto bindless = spirv_of("#version 450\n#extension GL_ARB_bindless_texture : require\nvoid main() {}");
  EXPECT_THAT(errors_of(bindless), HasSubstr("[CO003]"));
}

TEST(Glsl, KeepsLinesInNestedBlocks) {
  const auto module = spirv_of(
      "#version 100\nprecision mediump float;\nuniform float a;\nfloat f() {\n  if (a > 1.0) {\n    { return 2.0; }\n  "
      "}\n"
      "  return a;\n}\nvoid main() { gl_FragColor = vec4(f()); }\n");
  ASSERT_TRUE(module) << errors_of(module);
  EXPECT_THAT(compile::print_spirv(*module), HasSubstr("OpLine %"));
  EXPECT_TRUE(compile::optimise(*module, "shader"));
}

TEST(Glsl, KnowsStagesByName) {
  EXPECT_EQ(compile::stage_of_name("a.vert"), Stage::vertex);
  EXPECT_EQ(compile::stage_of_name("x.frag/b.comp"), Stage::compute);
  EXPECT_EQ(compile::stage_of_name("a.frag.glsl"), Stage::fragment);
  EXPECT_EQ(compile::stage_of_name("a.fragment"), Stage::unknown);
  EXPECT_EQ(compile::stage_of_name("frag"), Stage::unknown);
}

TEST(Glsl, MakesBooleansOfTheInterfaceIntegers) {
  const auto module = spirv_of(
      "#version 130\nuniform bool one; uniform bvec2 two[2]; uniform struct { bool b; float f; } s;\n"
      "void main() { gl_FragColor = vec4(one, two[1].y, s.b, s.f); }");
  ASSERT_TRUE(module) << errors_of(module);
  const std::string text = compile::print_spirv(*module);
  EXPECT_THAT(text, HasSubstr("OpINotEqual"));
  const auto program = ssa_of(
      "#version 130\nuniform struct { bool b; float f; } s;\nvoid main() { gl_FragColor = vec4(s.b, s.f, 0, 0); }");
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_THAT(ssa::print(*program), HasSubstr("  s.b: i32\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("%_ptr_UniformConstant_bool = OpTypePointer UniformConstant %bool")));
  // The library finds nothing to complain of, as it does where booleans are left.
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : *module)
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  const auto read = compile::read_spirv(bytes, "module");
  EXPECT_TRUE(read) << errors_of(read);
}

TEST(Glsl, MakesBooleansIntegersWhereverTheirTypeStands) {
  const auto program = ssa_of(
      "#version 100\nprecision mediump float;\nuniform bool f; uniform float k[3];\n"
      "void main() { gl_FragColor = vec4(k[1]); if (f) gl_FragColor.a = 1.0; }");
  EXPECT_TRUE(program) << errors_of(program);
}

std::string doubling_calls(int levels) {
  std::string text = "#version 130\nfloat f0(float x) { return x * x; }\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string below = "f" + std::to_string(i - 1);
    text += "float f" + std::to_string(i) + "(float x) { return " + below + "(x) + " + below + "(x + 1.0); }\n";
  }
  return text + "uniform float a; void main() { gl_FragColor = vec4(f" + std::to_string(levels) + "(a)); }\n";
}

TEST(Spirv, RefusesWhatCallsMakeTooLarge) {
  const auto module = spirv_of(doubling_calls(60));
  ASSERT_TRUE(module) << errors_of(module);
  EXPECT_GT(compile::expanded_size(*module).instructions, std::uint64_t{1} << 60);
  EXPECT_THAT(errors_of(compile::optimise(*module, "shader")), HasSubstr("instructions when its calls are replaced"));
  const auto small = spirv_of(doubling_calls(4));
  ASSERT_TRUE(small);
  EXPECT_TRUE(compile::optimise(*small, "shader"));
}

TEST(Spirv, IsReadAsTextAndAsBytesOfEitherOrder) {
  const auto module = spirv_of(
      "#version 310 es\nuniform highp float a; layout(location=0) out highp vec4 c; void main() { c = vec4(a); }");
  ASSERT_TRUE(module);
  const std::string text = compile::print_spirv(*module);
  EXPECT_TRUE(compile::is_spirv_text(text));
  EXPECT_FALSE(compile::is_spirv_text("#version 100\nvoid main() {}"));
  const auto assembled = compile::assemble_spirv(text, "a");
  ASSERT_TRUE(assembled) << errors_of(assembled);
  const auto instructions = [](const std::string& of) { return of.substr(of.find("OpCapability")); };
  EXPECT_EQ(instructions(compile::print_spirv(*assembled)), instructions(text));
  EXPECT_EQ((*assembled)[1], 0x00010300u);

  std::vector<std::uint8_t> little, big;
  for (const std::uint32_t word : *module)
    for (unsigned byte = 0; byte < 4; ++byte) {
      little.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
      big.push_back(static_cast<std::uint8_t>(word >> (24 - 8 * byte)));
    }
  for (const auto& bytes : {little, big}) {
    EXPECT_TRUE(compile::is_spirv_binary(bytes));
    const auto read = compile::read_spirv(bytes, "a");
    ASSERT_TRUE(read) << errors_of(read);
    EXPECT_EQ(*read, *module);
  }
}

TEST(Spirv, SaysWhatIsWrong) {
  EXPECT_THAT(errors_of(compile::assemble_spirv("OpCapability Shader\nOpNonsense\n", "a.spvasm")),
              HasSubstr("a.spvasm:2:"));
  EXPECT_THAT(errors_of(compile::assemble_spirv("OpCapability Shader\n", "a")), HasSubstr("[CO011]"));
  const std::vector<std::uint8_t> cut{3, 2, 0x23, 7, 0, 0};
  EXPECT_THAT(errors_of(compile::read_spirv(cut, "a")), HasSubstr("[CO010]"));
}

}  // namespace
}  // namespace mobula::test
