#include <gmock/gmock.h>

#include "compile/build.h"
#include "compile/front/call_tree.h"
#include "compile/ssa/print.h"

namespace mobula::test {
namespace {

using compile::Spirv;
using testing::HasSubstr;

/// `text`, `count` times.
std::string times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

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

/// glslang's log has lines only.
TEST(Glsl, PointsAtTheWordThatIsWrongWhereTheLineHasSeveral) {
  const auto told = [](const std::string& statements) {
    return errors_of(
        spirv_of("#version 300 es\nprecision mediump float; out vec4 o; uniform vec4 u;\nvoid f(out float x) "
                 "{ x = 1.0; }\nvoid main() {\n" +
                 statements + "\n}\n"));
  };
  EXPECT_THAT(told("int o = 1, p = 2; int q = 1.0;"), HasSubstr("shader:5:25: error: '=': cannot convert"));
  EXPECT_THAT(told("o = u; o.x = 2.0; u = o; o += vec3(1);"),
              testing::AllOf(HasSubstr("shader:5:21: error: '=': l-value required \"u\""),
                             HasSubstr("shader:5:28: error: '+=': cannot convert")));
  EXPECT_THAT(told("o = vec4(1.0; o = u;"), HasSubstr("shader:5:13: error: unexpected ';', where ')'"));
  EXPECT_THAT(told("o = u; int foo bar;"), HasSubstr("shader:5:16: error: unexpected 'bar', where"));
  EXPECT_THAT(told("\n#define MAX 3\nint MAX = 4;"), HasSubstr("shader:7:5: error: unexpected whole number, where"));
  EXPECT_THAT(told("\n#define END }\no = u END"), HasSubstr("shader:7:7: error: unexpected '}', where"));
  EXPECT_THAT(told("o = u; f(u.x);"), HasSubstr("shader:5:12: error: l-value required \"u\""));
  EXPECT_THAT(errors_of(spirv_of("#version 310 es\nvoid f() {} void main() { float a[2]; a[5]; a[3]; }")),
              testing::AllOf(HasSubstr("shader:2:40:"), HasSubstr("shader:2:46:")));
  EXPECT_THAT(errors_of(spirv_of("\n#version 999\nvoid main() {}")),
              HasSubstr("shader:2:1: error: '#version': '999' is no"));
}

/// Where a comment has no end, the last token has no place.
TEST(Glsl, TellsErrorsInFrontOfACommentWithoutEnd) {
  const std::string text = errors_of(spirv_of("#version ] 300 es /*\nprecision mediump float;\nvoid main() { }"));
  EXPECT_THAT(text, HasSubstr("shader:1:19: error: this comment has no end"));
  EXPECT_THAT(text, HasSubstr("shader:1:1: error: '#version': ']' is no version of GLSL"));
}

TEST(Glsl, NamesExtensionsThatWouldHelp) {
  EXPECT_THAT(errors_of(spirv_of("#version 310 es\nuniform highp vec4 i; out highp vec4 o; void main() { o = fma(i, i, "
                                 "i); }")),
              HasSubstr("include: GL_EXT_gpu_shader5, GL_OES_gpu_shader5"));
}

/// What follows from an error is not told; what stands behind it is.
TEST(Glsl, TellsEachErrorOnce) {
  const auto count = [](const std::string& statements) {
    const std::string text = errors_of(
        spirv_of("#version 300 es\nprecision mediump float; out vec4 o; void main() {\n" + statements + "\n}\n"));
    std::size_t found = 0;
    for (std::size_t at = text.find("error: "); at != text.npos; at = text.find("error: ", at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("vec3 a = vec3(1.0, 2.0);"), 1);
  EXPECT_EQ(count("o = undefined;"), 1);
  EXPECT_EQ(count("gl_Nothing = o;"), 1);
  EXPECT_EQ(count("o = undefined; o = vec3(1.0);"), 2);
  EXPECT_EQ(count("o = vec4(one, two, three, 1.0);"), 3);
  EXPECT_EQ(count("o = vec3(1.0); o = vec3(1.0);"), 2);
  EXPECT_EQ(count("o = vec4(1.0, vec3(2.0), 0.0).xyzw;"), 1);
  EXPECT_EQ(count("float f = o.q.x.x;"), 1);
  EXPECT_EQ(count("float f = 1.0; f.x = 2.0; f.x = 3.0;"), 2);
  EXPECT_EQ(count("int class = 1; float f = 1; o = missing;"), 3) << "behind a reserved word, too";
  EXPECT_EQ(count("if (missing > 1) o.x = 1.0;"), 1);
  EXPECT_EQ(count("int a = a;"), 1) << "which is declared behind its value";
  EXPECT_EQ(count("o.x = later;\nfloat later = 1.0, later;"), 1) << "glslang takes the first for a declaration";
  EXPECT_EQ(count("float a, a;"), 1);
  EXPECT_EQ(count("missing a;"), 1);
  EXPECT_EQ(count("missing = 1.0; float a b;"), 2);
  EXPECT_EQ(count("goto a;"), 1);
  EXPECT_EQ(count("long a; unsigned int b;"), 1) << "which the parser does not come to";
  EXPECT_EQ(count("float a = 1.0 @ 2.0; o = missing;"), 1) << "which the parser does not come to";
  EXPECT_EQ(count("o = @missing;"), 2);
  EXPECT_EQ(count("\n#define F(a, b) a + b\no.x = F(1.0);"), 1);
  EXPECT_EQ(count("float a; a.length();"), 1);
  EXPECT_EQ(count("float a[0], b[1.0]; float c[-1];"), 3);
  EXPECT_EQ(count("modf(1.0, 2.0);"), 1);
  EXPECT_EQ(count("struct S { int a; vec2 b; }; S s = S(1.0, vec2(1));"), 1);
  EXPECT_EQ(count("missing[0] = 1.0;"), 1);
  EXPECT_EQ(count("o = mix(o, missing.xyzw,\n  vec4(1.0)) + vec3(1.0);"), 1) << "also in another line";
  EXPECT_EQ(count("o = sin(missing(1.0));"), 1) << "a call";
  EXPECT_EQ(count("o = missing(other(1.0), third);"), 3);
  EXPECT_EQ(count("if (missing > 1.0) { o = vec3(1.0); }"), 2) << "of a statement within";
  EXPECT_EQ(count("o.missing();"), 1);
  EXPECT_EQ(count("o.x = missing\n"), 2) << "what lacks behind it is no part of its name";
  EXPECT_EQ(count("o.x = \"a\"; float a;"), 1);
  EXPECT_EQ(count("o.x = sizeof(o);"), 1);
  EXPECT_EQ(count("o.x = '1';"), 1);
  EXPECT_EQ(count("int a = 0xG;"), 1);
  EXPECT_EQ(count("const vec4 a = vec4(1.0, 2.0);"), 1);
  EXPECT_EQ(count("const int a = 1.0;"), 1);
  EXPECT_EQ(count("o = vec4{1.0};"), 1);
  EXPECT_EQ(count("\n#if (1\n#endif\n#if 1)\n#endif\nfloat a = vec2(1.0);"), 3) << "directives end with their lines";
}

TEST(Glsl, TellsErrorsOfGlobalInitializersOnce) {
  const auto told = [](const std::string& declaration) {
    return errors_of(spirv_of("#version 300 es\nprecision mediump float;\n" + declaration + "\nvoid main() { }\n"));
  };
  EXPECT_EQ(
      told("float a = missing;"),
      "shader:3:11: error: 'missing': undeclared identifier [CO001]\n  float a = missing;\n            ^~~~~~~\n");
  EXPECT_THAT(told("float a = missing(1.0);"),
              testing::StartsWith("shader:3:11: error: 'missing': there is no function "
                                  "of this name [CO001]"));
  EXPECT_THAT(told("float a = missing(1.0);"), testing::Not(HasSubstr("non-constant")));
  EXPECT_THAT(told("uniform float u; float a = u;"), HasSubstr("3:24: error: non-constant global initializer"));
}

TEST(Glsl, TellsWhatStandsInPlaceOfNamesThatAShaderLacks) {
  const auto told = [](const std::string& version, const std::string& statement, Stage stage = Stage::fragment) {
    return errors_of(spirv_of("#version " + version + "\nvoid main() {\n" + statement + "\n}\n", stage));
  };
  EXPECT_THAT(told("310 es", "gl_FragColor;"), HasSubstr("\n  hint: this version has outputs that a shader declares"));
  EXPECT_THAT(told("310 es", "texture2DLod(1.0);"), HasSubstr("\n  hint: this version has 'textureLod'"));
  EXPECT_THAT(told("310 es", "gl_FragCoord;", Stage::vertex), HasSubstr("\n  hint: fragment shaders have it\n"));
  EXPECT_THAT(told("310 es", "dFdx(1.0);", Stage::vertex), HasSubstr("\n  hint: fragment shaders have it, of"));
  EXPECT_THAT(told("300 es", "barrier();"), HasSubstr("\n  hint: compute shaders have it, from GLSL ES 3.10"));
  EXPECT_THAT(told("310 es", "varying int a;"), HasSubstr("\n  hint: this version has 'out' in vertex shaders"));
  EXPECT_THAT(told("310 es", "lost;"), testing::Not(HasSubstr("hint")));
}

TEST(Glsl, TellsTypesAsGlslCallsThem) {
  const auto told = [](const std::string& statement) {
    return errors_of(spirv_of("#version 400\nvoid main() {\n" + statement + "\n}\n"));
  };
  EXPECT_THAT(told("vec4 a = 1.0;"), HasSubstr("cannot convert from 'const float' to 'vec4'"));
  EXPECT_THAT(told("ivec2 a = uvec3(1);"), HasSubstr("cannot convert from 'const uvec3' to 'ivec2'"));
  EXPECT_THAT(told("bvec2 a = dvec3(1);"), HasSubstr("cannot convert from 'const dvec3' to 'bvec2'"));
  EXPECT_THAT(told("mat2 a; mat3x2 b = a;"), HasSubstr("cannot convert from 'mat2' to 'mat3x2'"));
  EXPECT_THAT(told("mat3 m; m * vec2(1.0);"), HasSubstr("wrong operand types 'mat3' and 'const vec2'"));
}

TEST(Glsl, TellsWhyATextIsNotIncluded) {
  const std::string text = "#version 310 es\n#include \"lost.glsl\"\nvoid main() { }\n";
  const auto nothing = [](const std::string&, const std::string&, bool) { return std::optional<compile::Included>(); };
  EXPECT_THAT(errors_of(compile::glsl_to_spirv({"shader", text, Stage::fragment, {}, nothing})),
              testing::StartsWith("shader:2:1: error: '#include': there is no file 'lost.glsl' [CO001]\n"));
  const auto itself = [](const std::string& name, const std::string&, bool) {
    return std::optional<compile::Included>({name, "#include \"lost.glsl\"\n"});
  };
  EXPECT_THAT(errors_of(compile::glsl_to_spirv({"shader", text, Stage::fragment, {}, itself})),
              HasSubstr("'#include': 'lost.glsl' is not included: files include each other more than 64 deep [CO001]"));
}

TEST(Glsl, TellsNothingThatComesOfEndlessTexts) {
  const std::string text = "#version 300 es\n#include \"shader\"\nout highp vec4 o;\nvoid main() { o = vec4(1); }\n";
  const auto itself = [&](const std::string& name, const std::string&, bool) {
    return std::optional<compile::Included>({name, text});
  };
  const std::string told = errors_of(compile::glsl_to_spirv({"shader", text, Stage::fragment, {}, itself}));
  EXPECT_THAT(told, HasSubstr("files include each other more than 64 deep"));
  EXPECT_EQ(told.find("error:"), told.rfind("error:")) << told;
  std::string deep = "#version 300 es\n";
  for (const char* line : {"#if 1\n", "#endif\n"})
    for (int i = 0; i < 70; ++i) deep += line;
  const std::string nested = errors_of(spirv_of(deep + "void main() { }\n"));
  EXPECT_THAT(nested, HasSubstr("'#if': maximum nesting depth exceeded"));
  EXPECT_EQ(nested.find("error:"), nested.rfind("error:")) << nested;
}

TEST(Glsl, TellsOfALetterInQuotationMarksOnce) {
  EXPECT_EQ(errors_of(spirv_of("#version 310 es\nvoid main() { int a = 'b'; }\n")),
            "shader:2:23: error: ''': character literals not supported [CO001]\n"
            "  void main() { int a = 'b'; }\n                        ^\n");
}

TEST(Glsl, TellsWhichIndicesThereAre) {
  const auto told = [](const std::string& version, const std::string& statement) {
    return errors_of(spirv_of("#version " + version + "\nvoid main() {\n" + statement + "\n}\n"));
  };
  EXPECT_EQ(told("100", "gl_FragData[7] = vec4(1.0);"),
            "shader:3:12: error: '[': there is no 7; indices are 0 to 3, as gl_MaxDrawBuffers is 4 [CO001]\n  "
            "gl_FragData[7] = vec4(1.0);\n"
            "             ^\n");
  EXPECT_THAT(told("300 es", "highp float a[2]; a[-1];"), HasSubstr("there is no -1; indices are 0 to 1"));
  EXPECT_THAT(told("300 es", "highp float a[2]; a[4294967295u];"), HasSubstr("there is no 4294967295;"));
  EXPECT_THAT(told("300 es", "highp mat3x2 m; m[3];"), HasSubstr("there is no 3; indices are 0 to 2"));
  EXPECT_THAT(told("300 es", "highp mat3x2 m; m[2][2];"), HasSubstr("there is no 2; indices are 0 to 1"));
  EXPECT_THAT(told("300 es", "const highp vec3 v = vec3(1.0); v[4] + v[1];"), HasSubstr("there is no 4; "));
  EXPECT_THAT(told("110", "gl_TexCoord[99];"),
              HasSubstr("there is no 99; indices are 0 to 31, as gl_MaxTextureCoords is 32"));
  EXPECT_EQ(told("110", "gl_TexCoord[31];"), "");
  EXPECT_EQ(told("300 es", "highp mat3x2 m; m[2][1]; highp float a[2]; a[1]; a[0u];"), "");
}

TEST(Glsl, TellsHowLargeLimitsAre) {
  const auto told = [](const std::string& declaration, Stage stage = Stage::fragment) {
    return errors_of(
        spirv_of("#version 310 es\nprecision mediump float;\n" + declaration + "\nvoid main() { }\n", stage));
  };
  EXPECT_THAT(told("layout(binding = 99) uniform sampler2D s;"),
              HasSubstr("not less than gl_MaxCombinedTextureImageUnits (80) [CO001]"));
  EXPECT_THAT(told("layout(location = 4) out vec4 c;"), HasSubstr("too large for fragment output (they are 0 to 3)"));
  EXPECT_THAT(told("layout(local_size_x = 2000) in;", Stage::compute),
              HasSubstr("see gl_MaxComputeWorkGroupSize (1024, 1024, 64)"));
}

TEST(Glsl, TellsOfNamesWhereTypesStand) {
  const auto told = [](const std::string& declaration) {
    return errors_of(spirv_of("#version 300 es\nprecision mediump float;\n" + declaration + "\nvoid main() { }\n"));
  };
  EXPECT_EQ(told("uniform sampler9D s;"),
            "shader:3:9: error: 'sampler9D': is neither a type nor a keyword [CO001]\n  uniform sampler9D s;\n"
            "          ^~~~~~~~~\n  hint: did you mean sampler2D?\n");
  for (const char* const declaration :
       {"vec5 a;", "const vec5 a = vec5(1.0);", "void f(vec5 a) { }", "void f(float b, vec5 a);", "in vec5 a;",
        "struct S { vec5 a; };", "uniform B { vec5 a; };", "vec5 f();", "uniform highp vec5 a;"})
    EXPECT_THAT(told(declaration), HasSubstr("'vec5': is neither a type nor a keyword")) << declaration;
  EXPECT_THAT(told("varing vec2 a;"), HasSubstr("did you mean varying?"));
  EXPECT_THAT(errors_of(spirv_of("#version 110\nuniform highp vec4 a;\nvoid main() { }\n", Stage::vertex)),
              HasSubstr("hint: it is a keyword of other versions of GLSL"));
  for (const char* const other : {"float a b;", "float a, b c;", "struct S { float a; } s t;", "vec2 a[2] b;"})
    EXPECT_THAT(told(other), testing::AllOf(HasSubstr("unexpected '"), testing::Not(HasSubstr("neither")))) << other;
}

/// An #else without an #if does not leave out what stands behind it.
TEST(Glsl, TellsOfBranchesThatBelongToNoCondition) {
  const auto told = [](const std::string& text) {
    return errors_of(spirv_of("#version 300 es\nprecision mediump float; out vec4 o;\n" + text));
  };
  EXPECT_EQ(told("#else\nfloat a;\n#else\n#endif\n#if 1\n#endif\nvoid main() { o = vec4(a); }\n"),
            "shader:3:1: error: '#else': there is no #if that this belongs to [CO001]\n  #else\n  ^~~~~\n");
  EXPECT_EQ(told("float a;\n#endif\nvoid main() { o = vec4(a); }\n#endif\n"),
            "shader:4:1: error: '#endif': there is no #if that this belongs to [CO001]\n  #endif\n  ^~~~~~\n"
            "shader:6:1: error: '#endif': there is no #if that this belongs to [CO001]\n  #endif\n  ^~~~~~\n");
  EXPECT_EQ(told("#elif 1\n#endif\nvoid main() { o = vec4(lost); }\n"),
            "shader:3:1: error: '#elif': there is no #if that this belongs to [CO001]\n  #elif 1\n  ^~~~~\n"
            "shader:5:24: error: 'lost': undeclared identifier [CO001]\n  void main() { o = vec4(lost); }\n"
            "                         ^~~~\n");
}

/// GLSL ES 3.00, section 3.2: either character ends a line, and both together are one end.
TEST(Glsl, EndsLinesWithEitherCharacter) {
  for (const char* const end : {"\n", "\r", "\r\n", "\n\r"}) {
    std::string text =
        "#version 300 es|precision mediump float;|out vec4 o; // lost|#define A \\|missing||void main() "
        "{|  o = A;|}|";
    for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|')) text.replace(at, 1, end);
    EXPECT_EQ(errors_of(spirv_of(text)),
              "shader:8:7: error: 'missing': undeclared identifier [CO001]\n    o = A;\n        ^\n")
        << testing::PrintToString(end);
  }
}

TEST(Glsl, TellsLettersBeyondAsciiAsTheyAre) {
  const auto told = [](const std::string& text) {
    return errors_of(spirv_of("#version 300 es\nprecision mediump float; out vec4 o; // ä\n" + text));
  };
  EXPECT_EQ(told("/* ü */ void main() { o = lost; }\n"),
            "shader:3:27: error: 'lost': undeclared identifier [CO001]\n  /* ü */ void main() { o = lost; }\n"
            "                            ^~~~\n");
  EXPECT_EQ(told("float größe = 1.0;\nvoid main() { o = vec4(1.0); }\n"),
            "shader:3:9: error: 'öß': unexpected token; only comments have letters beyond ASCII [CO001]\n"
            "  float größe = 1.0;\n          ^~\n");
  EXPECT_EQ(told("#define A ä\nvoid main() { o = vec4(1.0); A }\n"),
            "shader:4:30: error: unexpected token; only comments have letters beyond ASCII [CO001]\n"
            "  void main() { o = vec4(1.0); A }\n                               ^\n");
}

TEST(Glsl, TellsWhereTheVersionLacksSomething) {
  for (const char* const version : {"100", "110"})
    EXPECT_EQ(
        errors_of(spirv_of("#version " + std::string(version) + "\nvoid main() { gl_FragColor = vec4(1.0f); }\n")),
        "shader:2:35: error: floating-point suffix: not supported for this version or the enabled extensions "
        "[CO001]\n  void main() { gl_FragColor = vec4(1.0f); }\n                                    ^\n");
  EXPECT_EQ(errors_of(spirv_of("#version 100\nvoid main() {\n  gl_FragColor = vec4(1.0);\n  gl_FragData[0] = "
                               "vec4(1.0);\n}\n")),
            "shader:4:3: error: Cannot use both gl_FragColor and gl_FragData [CO001]\n"
            "    gl_FragData[0] = vec4(1.0);\n    ^~~~~~~~~~~\n");
}

TEST(Glsl, TellsWhatBecomesOfGlslForVulkan) {
  constexpr const char* hint = "hint: this is GLSL for Vulkan; SPIR-V is compiled, too";
  for (const char* const declaration :
       {"layout(push_constant) uniform B { vec4 c; } b;", "layout(set = 1, binding = 0) uniform sampler2D s;",
        "uniform texture2D t;", "uniform utexture2DArray t;", "uniform sampler s;", "uniform subpassInput s;",
        "layout(constant_id = 1) const int n = 3;", "int n = gl_VertexIndex;"})
    EXPECT_THAT(errors_of(spirv_of("#version 450\n" + std::string(declaration) + "\nvoid main() { }\n", Stage::vertex)),
                HasSubstr(hint))
        << declaration;
  for (const char* const size : {"local_size_x_id = 0", "local_size_x = 2, local_size_z_id = 1"})
    EXPECT_THAT(
        errors_of(spirv_of("#version 450\nlayout(" + std::string(size) + ") in;\nvoid main() { }\n", Stage::compute)),
        HasSubstr(hint))
        << size;
}

/// GLSL 1.10 and 1.20, sections 4.3.4 and 4.3.6.
TEST(Glsl, PassesFloatsAloneInItsFirstVersions) {
  const std::string uses = " a; uniform int u; int twice(in int x) { return 2 * x; }\nvoid main() { gl_Position = ";
  const auto errors = [&](const std::string& declaration, Stage stage = Stage::vertex) {
    const std::string text = stage == Stage::vertex ? uses + "vec4(float(twice(u))); }\n" : " a;\nvoid main() { }\n";
    return errors_of(spirv_of("#version 120\n" + declaration + text, stage));
  };
  const std::string rule = ": before GLSL 1.30 only floats, their vectors and matrices are passed to a stage [CO001]\n";
  for (const char* const type : {"int", "ivec3", "bool"}) {
    EXPECT_THAT(errors("attribute " + std::string(type)), HasSubstr("2:1: error: 'attribute'" + rule)) << type;
    EXPECT_THAT(errors("varying " + std::string(type)), HasSubstr("2:1: error: 'varying'" + rule)) << type;
    EXPECT_THAT(errors("varying " + std::string(type), Stage::fragment), HasSubstr("'varying'" + rule)) << type;
  }
  for (const char* const type : {"float", "vec2", "mat3"}) {
    EXPECT_EQ(errors("attribute " + std::string(type)), "") << type;
    EXPECT_EQ(errors("varying " + std::string(type)), "") << type;
  }
}

TEST(Glsl, TellsWhatIsThereInsteadOfSubroutines) {
  const std::string errors =
      errors_of(spirv_of("#version 400\nsubroutine float Kind(float x);\nsubroutine uniform Kind kind;\n"
                         "void main() { gl_Position = vec4(kind(1.0)); }\n",
                         Stage::vertex));
  EXPECT_THAT(errors, HasSubstr("hint: choose among functions by a uniform integer: switch, or if"));
  EXPECT_THAT(errors, Not(HasSubstr("'Kind'")));
}

/// GLSL 1.10, section 5.9: equality is of all types but arrays.
TEST(Glsl, ComparesStructuresWithArraysInItsFirstVersion) {
  const auto told = [](const std::string& version, const std::string& statement) {
    return errors_of(spirv_of("#version " + version + "\n" + (version == "100" ? "precision mediump float;\n" : "") +
                              "struct S { float f[2]; };\nvoid main() { S a, b; float c[2], d[2]; " + statement +
                              " }\n"));
  };
  for (const char* const statement : {"bool e = a == b;", "bool e = a != b;", "a = b;"}) {
    EXPECT_EQ(told("110", statement), "") << statement;
    EXPECT_NE(told("100", statement), "") << statement;
  }
  EXPECT_NE(told("110", "bool e = c == d;"), "");
  EXPECT_NE(told("110", "c = d;"), "");
}

/// Where each is compared with all before it, or looked for from the beginning of the text or of its line, this takes
/// longer than a test may.
TEST(Glsl, TellsManyErrorsInTime) {
  constexpr std::size_t count = 50'000;
  const std::string begin = "#version 300 es\nprecision mediump float;\n";
  std::string declarations, names;
  for (std::size_t i = 0; i < count; ++i) {
    declarations += "flat uniform float f" + std::to_string(i) + ";\n";
    names += "missing" + std::to_string(i) + ";\n";
  }
  for (const std::string& text :
       {"void main() {\n" + names + "}\n", "void main() {\n" + times(count, "gl_Position = vec2(1);\n") + "}\n",
        "void main() {\n" + times(count, "gl_Position = vec2(1);") + "}\n",
        "void main() {\n" + times(count, "int class;") + "}\n", declarations + "void main() { }\n"}) {
    const auto failed = spirv_of(begin + text, Stage::vertex);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().size(), count) << text.substr(0, 80);
  }
}

TEST(Glsl, TellsOfTheEndAfterOtherErrors) {
  const auto told = [](const std::string& text) {
    return errors_of(spirv_of("#version 300 es\nprecision mediump float; out vec4 o;\nvoid main() {\n" + text));
  };
  EXPECT_EQ(told("  o = missing;\n  if (o.x > 1.0) {\n}\n"),
            "shader:4:7: error: 'missing': undeclared identifier [CO001]\n"
            "    o = missing;\n        ^~~~~~~\n"
            "shader:6:2: error: the text ends too soon [CO001]\n"
            "  }\n   ^\n"
            "  hint: the '{' of line 3 is not closed\n");
  for (const char* const end : {"/* }", "#if 1\n}", "#define F(a) a\no.x = F(1.0; }"})
    EXPECT_THAT(told("  o = missing;\n" + std::string(end) + "\n"),
                testing::AllOf(HasSubstr("'missing'"), testing::Not(HasSubstr("too soon"))))
        << end << ": which goes on to there";
}

/// A word that the grammar does not have at its place ends the reading: the other functions are read without this one.
TEST(Glsl, TellsErrorsBehindAFunctionThatIsNotRead) {
  const auto places = [](const std::string& text) {
    std::string all;
    const auto failed = spirv_of("#version 300 es\nprecision mediump float; out vec4 o;\n" + text);
    if (failed) return std::string("taken");
    for (const Diagnostic& each : failed.error())
      all += std::to_string(each.where.line) + ':' + std::to_string(each.where.column) + ' ';
    return all;
  };
  const std::string rest =
      "void main() {\n  o = missing;\n  o.x = f(1.0, 2.0) +;\n  lost;\n}\nvoid g() {\n  int a = 1.0;\n}\n";
  EXPECT_EQ(places("float f(float x) {\n  before;\n  return x x;\n  behind;\n}\n" + rest),
            "4:3 5:12 9:7 10:9 10:22 14:9 ")
      << "its call, and what is in front of the second one, too";
  EXPECT_EQ(
      places("float f(float x);\nfloat f(float x)\n{ if (x > 1.0) { return x x; } else { return 1.0; } }\n" + rest),
      "5:27 7:7 8:9 8:22 12:9 ");
  EXPECT_EQ(
      places("float f(float x) {\n#define N 2\n  /* } */ return x x; // }\n#if N > 1\n }\n#else\n }\n#endif\n" + rest),
      "5:20 ")
      << "a brace in each branch";
  EXPECT_EQ(
      places("float f(float x) {\n #define N 2\n  /* } */ return x x; // }\n#if N > 1\n { }\n#else\n { }\n#endif\n}\n" +
             rest + "int n = N;\n"),
      "5:20 13:7 14:9 14:22 18:9 ")
      << "what it defines stays";
  EXPECT_EQ(places("#define BEGIN {\nfloat f(float x) { if (x > 1.0) BEGIN x x; } }\n" + rest), "4:41 ")
      << "which is not known to end there";
  EXPECT_EQ(places("float f(float x) { return x x; }\n#line 7\n" + rest), "3:29 ");
  EXPECT_EQ(places("float f(float x) { if (x > 1.0) { return x x; }\n" + rest), "3:44 ") << "whose end is not known";
  EXPECT_EQ(places("struct S { float a; } s; float f(float x) { return x x; }\nfloat a b;\n" + rest), "3:54 4:9 ")
      << "in no function";
  EXPECT_EQ(places("float f(float x) {\n  return x\n}\n" + rest), "5:1 7:7 8:9 8:22 12:9 ")
      << "its own end is the word that was not expected";
  std::string functions;
  for (int i = 0; i < 40; ++i) functions += "void f" + std::to_string(i) + "() { 1 2; }\n";
  EXPECT_EQ(std::ranges::count(places(functions), ' '), 17) << "as many are read without";
}

TEST(Glsl, TellsRulesOfDeclarationsBesideErrorsOfOtherLines) {
  const auto told = [](const std::string& declaration, const std::string& text = "void main() {\n  missing;\n}\n") {
    return errors_of(spirv_of("#version 310 es\nprecision mediump float;\n" + declaration + text));
  };
  EXPECT_EQ(told("flat uniform float f;\n"),
            "shader:5:3: error: 'missing': undeclared identifier [CO001]\n"
            "    missing;\n    ^~~~~~~\n"
            "shader:3:20: error: 'f': only inputs and outputs are interpolated, and this is a uniform [CO001]\n"
            "  flat uniform float f;\n                     ^\n");
  EXPECT_THAT(told("uniform highp writeonly image2D i;\n", "void main( {\n}\n"), HasSubstr("'i': an image says"));
  EXPECT_THAT(told("layout(rgba17) uniform highp writeonly image2D i;\n"), testing::Not(HasSubstr("'i': an image")))
      << "whose line says something that is no format";
  EXPECT_THAT(told("#error\nflat uniform float f;\n"), testing::Not(HasSubstr("'f'")));
}

/// glslang computes only some built-in functions of constants by itself. Sizes of arrays show the values.
TEST(Glsl, ComputesConstantsThatTheLibraryDoesNot) {
  const auto told = [](const std::string& size, const std::string& declarations = "") {
    return errors_of(spirv_of(
        "#version 320 es\nprecision highp float; out vec4 o; uniform float u;\n"
        "float f(const float p) { return p; }\n" +
        declarations + "\nvoid main() { float a[" + size + "]; float[4] b = a; o = vec4(u, b[0], f(1.0), 1.0); }\n"));
  };
  for (const char* four : {"bitCount(0x1110) + 1",
                           "bitCount(ivec2(7, 15)).y",
                           "findLSB(16)",
                           "findMSB(31u)",
                           "findMSB(-17)",
                           "int(bitfieldReverse(0x20000000u))",
                           "bitfieldExtract(0x47, 4, 3) + 8",
                           "int(bitfieldExtract(0x47u, 4, 3))",
                           "bitfieldExtract(-4, 0, 31) & 7",
                           "bitfieldInsert(0, 5, 0, 2) * 4",
                           "mix(1, 4, true)",
                           "mix(ivec2(1, 4), ivec2(2, 3), bvec2(true, false)).y",
                           "int(ldexp(1.0, 2))",
                           "int(ldexp(vec2(1.0, 0.5), ivec2(3, 3)).y)",
                           "int(fma(1.5, 2.0, 1.0))",
                           "int(sinh(2.2))",
                           "int(cosh(2.1))",
                           "int(tanh(20.0) * 4.0)",
                           "int(asinh(28.0))",
                           "int(acosh(28.0))",
                           "int(atanh(0.5) * 8.0)",
                           "floatBitsToInt(2.0) >> 28",
                           "int(floatBitsToUint(vec2(1.0, 2.0)).y >> 28)",
                           "int(intBitsToFloat(0x40800000))",
                           "int(uintBitsToFloat(0x40800000u))",
                           "int(determinant(mat2(2.0)))",
                           "int(determinant(mat3(1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, -2.0, 0.0)))",
                           "int(inverse(mat4(0.25))[3][3])",
                           "int(inverse(mat2(2.0, 1.0, 7.0, 4.0))[0][0])",
                           "int(transpose(mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))[0][1])",
                           "int(packUnorm4x8(vec4(0.0157, 0.0, 0.0, 0.0)))",
                           "int(packUnorm2x16(vec2(0.0, 1.0)) >> 30) + 1",
                           "int(packSnorm2x16(vec2(0.0, -1.0)) >> 29)",
                           "int(packSnorm4x8(vec4(0.0, 0.0, 0.0, -1.0)) >> 29)",
                           "int(unpackSnorm4x8(0x817F007Fu).x - unpackSnorm4x8(0x817F007Fu).w) * 2",
                           "int(unpackUnorm4x8(0xFFu).x) * 4",
                           "int(unpackSnorm2x16(0x7FFFu).x) * 4",
                           "int(unpackUnorm2x16(0xFFFFu).x) * 4",
                           "int(packHalf2x16(vec2(0.0, 2.0)) >> 28)",
                           "int(unpackHalf2x16(0x44000000u).y)",
                           "int((vec2(1.0) == vec2(1.0)) == true) * 4",
                           "int((vec2(1.0) != vec2(2.0)) == true) * 4"})
    EXPECT_EQ(told(four), "") << four;
  EXPECT_EQ(told("n", "const int n = int(sinh(2.2)); float of_the_file[n]; const float c = tanh(float(n));"), "");
  EXPECT_EQ(told("4",
                 "struct S { float f; }; const S s = S(sinh(1.0)); const mat2 m[2] = mat2[](mat2(s.f), "
                 "transpose(mat2(1.0))); float v = m[1][0].x;"),
            "");
  EXPECT_THAT(told("bitCount(15) + 1"), HasSubstr("5-element array")) << "which is no array of four";
  for (const char* variable : {"int(sinh(u))", "int(f(sinh(2.2)))", "bitCount(int(u))", "mix(1, 4, u == 1.0)"})
    EXPECT_THAT(told(variable), HasSubstr("array size must be a constant")) << variable;
  EXPECT_THAT(told("4", "const float a = sinh(1.0); void g() { a = 2.0; }"), HasSubstr("can't modify a const"));
  EXPECT_THAT(told("4", "const float a = sinh(u);"), HasSubstr("must be constant"));
}

/// They may be of a label, in a macro, or in another file.
TEST(Glsl, ComputesConstantsWhereverTheyStand) {
  const std::string begin = "#version 310 es\nprecision highp float; out vec4 o; uniform int u;\n";
  EXPECT_TRUE(spirv_of(begin + "void main() { switch (u) { case bitCount(7): o.x = 1.0; break; default: break; } }"));
  EXPECT_FALSE(spirv_of(begin + "void main() { switch (u) { case bitCount(7): break; case findLSB(8): break; } }"));
  EXPECT_TRUE(spirv_of(begin + "#define N findMSB(8)\nconst int n = N; float a[n]; void main() { o.x = a[n - 1]; }"));
}

/// GLSL ES 1.00, 5.10; 3.00, 12.43; GLSL 1.30, 4.3.3; 4.50, 4.3.3. Of sizes piglit has that they are none.
TEST(Glsl, TakesSequencesForConstantsInEarlyVersionsOnly) {
  const auto taken = [](const char* version, const std::string& declaration) {
    return spirv_of(std::string("#version ") + version + "\n" + declaration + "\nvoid main() { }", Stage::vertex)
        .has_value();
  };
  for (const char* const declaration :
       {"uniform float a[(1, 2)];", "const float c = 3.0 + (1.0, 2.0);", "const float c = cos((1.0, 2.0, 3.0));",
        "const float c = 2.0; const float d = (vec2(0.0), c);"}) {
    EXPECT_TRUE(taken("100", declaration)) << declaration;
    EXPECT_FALSE(taken("300 es", declaration)) << declaration;
    EXPECT_TRUE(taken("110", declaration)) << declaration;
    const bool is_size = std::string_view(declaration).find('[') != std::string_view::npos;
    for (const char* const version : {"120", "130"}) EXPECT_EQ(taken(version, declaration), !is_size) << declaration;
  }
  for (const char* const version : {"120", "130", "450"})
    EXPECT_FALSE(taken(version, "const int n = 1; float a[2], b[n + (5, 3)];")) << version;
  EXPECT_TRUE(taken("120", "const int n = (5, 3); float a[n], b[3]; float c = b[(1, 2)]; float d[2];"));
  EXPECT_TRUE(taken("100", "float f = (1.0, 3.0);"));
  EXPECT_FALSE(taken("100", "uniform int u; const int c = (u, 2);"));
  EXPECT_FALSE(taken("100", "uniform int u; const int c = (2, u);"));
  EXPECT_FALSE(taken("120", "uniform float a[(5, 3)];"));
  EXPECT_TRUE(taken("100", "uniform float a[(1, 2)]; float f() { return a[1]; }"));
  EXPECT_FALSE(taken("100", "uniform float a[(1, 2)]; float f() { return a[2]; }"));
}

TEST(Glsl, TakesSamplersForNoOperands) {
  const std::string begin =
      "uniform sampler2D s, t;\nstruct S { sampler2D s; float f; };\nuniform S a, b;\n"
      "uniform bool c;\nvoid main() {\n";
  for (const std::string version : {"#version 100\n", "#version 130\n", "#version 300 es\n"})
    for (const auto& [sign, use] : {std::pair{":", "(c ? a : b).f;"},
                                    {":", "c ? s : t;"},
                                    {",", "(a, b).f;"},
                                    {",", "(a, 1.0);"},
                                    {",", "s, t;"}})
      EXPECT_THAT(errors_of(spirv_of(version + begin + use + "\n}\n")),
                  HasSubstr(std::string("error: '") + sign + "': wrong operand types"))
          << version << use;
  EXPECT_TRUE(spirv_of("#version 130\n" + begin + "float f = (c ? a.f : b.f) + (a.f, b.f);\n}\n"));
}

/// GLSL 1.10 and GLSL ES 1.00, 5.9: operands "of any type other than an array".
TEST(Glsl, ChoosesBetweenArraysWhereAVersionHasThemAsValues) {
  const auto told = [](const std::string& version) {
    return errors_of(spirv_of("#version " + version + "\nuniform bool c; int a[2], b[2];\nstruct S { int i; } s, t;\n" +
                              "void main() {\n  (c ? s : t).i;\n  (c ? a : b)[1];\n}\n"));
  };
  for (const char* const version : {"100", "110"})
    EXPECT_THAT(told(version), testing::StartsWith("shader:6:10: error: ':': wrong operand types")) << version;
  for (const char* const version : {"120", "130", "450", "300 es"}) EXPECT_EQ(told(version), "") << version;
  EXPECT_TRUE(
      spirv_of("#version 110\n#extension GL_3DL_array_objects : enable\nuniform bool c; int a[2], b[2];\n"
               "void main() { (c ? a : b)[1]; }\n"));
}

/// GLSL 1.40 has it without determinant().
TEST(Glsl, InvertsMatricesFrom140On) {
  const auto taken = [](const char* version, const std::string& declarations, const char* value) {
    return spirv_of(std::string("#version ") + version + "\nuniform mat2 m; uniform mat3 n; uniform mat4 o;\n" +
                        declarations + "\nvoid main() { gl_Position = vec4(" + value + "); }",
                    Stage::vertex)
        .has_value();
  };
  for (const char* const value : {"inverse(m)", "inverse(n)[0], 1.0", "inverse(o)[0]", "inverse(inverse(m) * 2.0)"}) {
    EXPECT_FALSE(taken("130", "", value)) << value;
    EXPECT_TRUE(taken("140", "", value)) << value;
    EXPECT_TRUE(taken("150", "", value)) << value;
  }
  EXPECT_FALSE(taken("140", "", "determinant(m)"));
  EXPECT_FALSE(taken("140", "", "inverse(1.0)"));
  EXPECT_FALSE(taken("140", "", "inverse(mat2x3(1.0)[0], 1.0)"));
  EXPECT_TRUE(taken("140", "float inverse(mat2 a) { return a[0].x; }", "inverse(m)")) << "which hides the other";
  EXPECT_TRUE(taken("140", "float inverse(vec2 a) { return a.x; }", "inverse(m)[0].x, inverse(vec2(1.0)), 0.0, 1.0"));
  EXPECT_FALSE(taken("140", "float inverse;", "inverse(m)"));
  EXPECT_TRUE(taken("140", "const mat2 c = inverse(mat2(2.0));", "c"));
}

TEST(Glsl, RefusesWhatEsForbidsAndTheLibraryTakes) {
  const auto told = [](const std::string& declarations, const std::string& statements, Stage stage = Stage::fragment,
                       const char* version = "310 es") {
    return errors_of(spirv_of(std::string("#version ") + version + "\nprecision highp float;\n" + declarations +
                                  "\nvoid main() {\n" + statements + "\n}\n",
                              stage));
  };
  EXPECT_THAT(told("", "switch (1) { case 0u: break; }"),
              HasSubstr("shader:5:14: error: 'case': the label's type is not that of the switch expression"));
  EXPECT_EQ(told("uniform uint u;", "switch (u) { case 0u: break; }"), "");
  EXPECT_THAT(told("", "switch (1) { case 5: break; case -2: break;\ncase 5: break; }"),
              HasSubstr("shader:6:1: error: 'case': duplicated value"));
  EXPECT_THAT(told("", "switch (1) { default: break;\ndefault: break; }"),
              HasSubstr("shader:6:1: error: 'default': duplicate label"));
  EXPECT_EQ(told("",
                 "switch (1) { case 5: switch (2) { case 5: break; } break; case 6: break; }"
                 "switch (1) { case 5: break; case 6: break; }"),
            "");
  EXPECT_THAT(told("", "switch /* a */ ((1)) { int x; case 0: break; }"),
              HasSubstr("shader:5:24: error: 'int': nothing may stand in front of the first label"));
  EXPECT_EQ(told("", "switch (1) { case 0: int x; break; }"), "");
  for (const char* how : {"flat", "smooth", "centroid"})
    EXPECT_THAT(told(std::string(how) + " uniform float f;", ""),
                testing::AllOf(testing::StartsWith("shader:3:"), HasSubstr("'f': only inputs and outputs")))
        << how;
  EXPECT_THAT(told("#define FLAT flat\nstruct S { float f; };\nFLAT uniform float f;", ""),
              HasSubstr("shader:5:20: error: 'f': only inputs and outputs"))
      << "where it is declared, not the member in front of it";
  EXPECT_EQ(told("flat in float f; centroid in vec2 g; uniform float h;", ""), "");
  EXPECT_THAT(told("", "", Stage::compute), HasSubstr("how large its workgroups are"));
  EXPECT_EQ(told("layout(local_size_x = 1) in;", "", Stage::compute), "");
  EXPECT_EQ(
      told("layout(local_size_x = 4) in; layout(local_size_y = 1) layout(local_size_x = 4) in;", "", Stage::compute),
      "");
  for (const char* other : {"layout(local_size_y = 2, local_size_x = 4) in;", "layout(local_size_z = 1) in;"})
    EXPECT_THAT(told(std::string("layout(local_size_x = 4) in;") + other, "", Stage::compute),
                HasSubstr("is 1 where it is left out"))
        << other;
  for (const std::string use : {"const uint n = gl_WorkGroupSize.x;", "uint f() { return gl_WorkGroupSize.x; }"}) {
    EXPECT_THAT(told(use + "layout(local_size_x = 2) in;", "", Stage::compute),
                HasSubstr("'gl_WorkGroupSize': is used"));
    EXPECT_EQ(told("layout(local_size_x = 2) in;" + use, "", Stage::compute), "");
  }
  EXPECT_THAT(told("layout(local_size_x = 1) in; flat shared int a;", "", Stage::compute),
              HasSubstr("'a': only inputs"));
  EXPECT_THAT(told("layout(local_size_x = 1) in; uniform sampler2D s;", "texture(s, vec2(0), 1.0);", Stage::compute),
              HasSubstr("'texture': compute shaders"));
  EXPECT_EQ(
      told("layout(local_size_x = 1) in; uniform mediump sampler2DShadow s;", "texture(s, vec3(0));", Stage::compute),
      "");
  EXPECT_EQ(
      told("writeonly buffer B { float a[]; }; void f(out float x) { x = 1.0; }", "a[1] = 1.0; f(a[0]); a.length();"),
      "");
  EXPECT_EQ(told("struct S { float a; }; S f(inout S s) { return s; } layout(r32f) uniform highp image2D i;\n"
                 "layout(binding = 0, offset = 4) uniform atomic_uint c; layout(location = 15) in vec4 v;\n"
                 "coherent buffer B { float b; }; flat in int n;",
                 "S s; f(s); b += float(n);"),
            "");
  EXPECT_EQ(told("layout(location = 12) in mat4 m;", "gl_Position = m[0];", Stage::vertex), "");
  EXPECT_EQ(told("in highp vec4 a; layout(location = 0) out highp vec4 b; uniform mat2 c; layout(std140) uniform B { "
                 "layout(row_major) mat2 d; };",
                 "", Stage::fragment, "300 es"),
            "");
  EXPECT_EQ(
      told("", "\n#if 0\nswitch (1) { int a; case 0: break; }\n#endif\n#define S {\nswitch (1) S case 0: break; }"), "")
      << "which the preprocessor leaves out";
  EXPECT_EQ(told("", "switch (1) { case 0u: break; }", Stage::fragment, "450"), "") << "of which desktop GLSL is free";
}

/// GLSL 4.30, 3.6: a keyword with compute shaders.
TEST(Glsl, TakesSharedAsANameWhereItIsNoKeyword) {
  const std::string text =
      "\nstruct S { float shared; };\nvoid main() { float shared = 1.0; S s = S(shared); s.shared; }\n";
  for (const char* const version : {"140", "150", "330", "420", "300 es"}) {
    const auto taken = spirv_of("#version " + std::string(version) + "\nprecision highp float;" + text);
    EXPECT_TRUE(taken) << version << errors_of(taken);
  }
  for (const char* const version : {"430", "460", "310 es", "420\n#extension GL_ARB_compute_shader : enable"})
    EXPECT_FALSE(spirv_of("#version " + std::string(version) + "\nprecision highp float;" + text)) << version;
}

TEST(Glsl, TakesTheExtensionForSeveralColours) {
  const std::string directives =
      "#ifdef GL_EXT_draw_buffers\n#extension GL_EXT_draw_buffers : require\n#else\n#error none\n#endif\n";
  for (const std::string version : {"", "#version 100\n", "// no #version\n"})
    EXPECT_EQ(
        errors_of(spirv_of(version + directives + "precision highp float;\nvoid main() { gl_FragData[1] = vec4(1); }\n",
                           Stage::fragment)),
        "")
        << version;
  EXPECT_THAT(errors_of(spirv_of("#version 300 es\n#extension GL_EXT_draw_buffers : require\nvoid main() {}\n",
                                 Stage::fragment)),
              HasSubstr("not supported"));
}

TEST(Glsl, RefusesMembersThatAListDeclaresTwice) {
  for (const char* const version : {"100", "300 es", "330", "450"})
    EXPECT_THAT(errors_of(spirv_of("#version " + std::string(version) +
                                   "\nprecision highp float;\nstruct S { float a, b,\n a; };\nvoid main() { }\n")),
                HasSubstr("shader:4:2: error: "))
        << version;
}

/// The body of a `do` is a scope, also without braces.
TEST(Glsl, EndsTheScopeOfABodyBeforeTheCondition) {
  const auto told = [](const std::string& statement, const std::string& version) {
    return errors_of(spirv_of("#version " + version + "\nvoid main() {\n  int a = 0;\n" + statement + "\n}\n"));
  };
  for (const char* const version : {"100", "300 es", "310 es", "330"}) {
    EXPECT_EQ(told("do int b = 1; while (b > 0);", version),
              "shader:4:22: error: 'b': undeclared identifier [CO001]\n"
              "  do int b = 1; while (b > 0);\n"
              "                       ^\n")
        << version;
    for (const char* const wrong :
         {"do { int b = 1; } while (b > 0);", "do struct S { int b; } s; while (s.b > 0);",
          "do do int b = 1; while (b > 0); while (a > 0);", "do do int b = 1; while (a > 0); while (b > 0);",
          "do if (a > 0) int b = 1; while (b > 0);", "do while (a > 1) int b = 1; while (b > 0);"})
      EXPECT_THAT(told(wrong, version), HasSubstr("undeclared identifier")) << version << ' ' << wrong;
    for (const char* const right :
         {"do int a = 1; while (a > 0);", "do int b = 1; while (a > 0); int b;", "do ; while (a > 0);",
          "do a++; while (a < 3); do --a; while (a > 0);", "do while (a > 1) int b = 1; while (a > 0);",
          "do do int b = 1; while (a > 0); while (a > 1);", "do struct S { int b; } s; while (a > 0);",
          "do { int a = 1; int b; } while (a > 0);", "do for (; a < 1; ++a) int b; while (a > 0); a = 2;",
          "do if (a > 0) int b; else int c; while (a > 0);"})
      EXPECT_EQ(told(right, version), "") << version << ' ' << right;
  }
}

/// All versions let both sides be of any one type.
TEST(Glsl, ChoosesBetweenCallsThatReturnNothing) {
  const std::string functions =
      "\nprecision highp float; uniform float u; float a = 1.0;\nvoid twice() { a *= 2.0; }\nvoid more() { a += 5.0; "
      "}\n";
  for (const char* const version : {"100", "130", "300 es", "310 es", "320 es", "330", "450"}) {
    const std::string begin = "#version " + std::string(version) + functions;
    const std::string end = " gl_PointSize = a; gl_Position = vec4(a); }";
    for (const auto& [statement, result] :
         {std::pair{"true ? twice() : more();", "2"}, std::pair{"false ? twice() : more();", "6"},
          std::pair{"(true ? twice() : more()), more();", "7"},
          std::pair{"for (int i = 0; i < 2; i < 1 ? twice() : more()) ++i;", "11"}}) {
      const auto made = ssa_of(begin + "void main() { " + statement + end, Stage::vertex);
      ASSERT_TRUE(made) << version << errors_of(made);
      EXPECT_THAT(ssa::print(optimized(*made)), HasSubstr("constant.f32 " + std::string(result) + "\n"))
          << version << ' ' << statement;
    }
    EXPECT_TRUE(spirv_of(begin + "void main() { u > 0.0 ? twice() : u > 1.0 ? more() : twice();" + end, Stage::vertex));
    for (const auto& [statement, where] : {std::pair{"u > 0.0 ? twice() : 1.0;", "5:33: error: ':'"},
                                           std::pair{"a = u > 0.0 ? twice() : more();", "5:17: error: '='"},
                                           std::pair{"twice() ? a : u;", "5:23: error: boolean"}})
      EXPECT_THAT(errors_of(spirv_of(begin + "void main() { " + statement + end, Stage::vertex)), HasSubstr(where))
          << version << ' ' << statement;
  }
}

TEST(Glsl, RefusesWhatNoVariableOrCallShows) {
  const auto told = [](const std::string& declaration, const std::string& version) {
    return errors_of(
        spirv_of("#version " + version + "\nprecision mediump float;\n" + declaration + "\nvoid main() { }\n"));
  };
  for (const char* const version : {"100", "300 es", "310 es", "450"}) {
    EXPECT_THAT(told("sampler2D f();", version), testing::StartsWith("shader:3:11: error: 'f': a function returns no"))
        << version;
    EXPECT_THAT(told("struct S { sampler2D a; }; S f();", version), HasSubstr("3:30: error: 'f': a function"))
        << version;
    EXPECT_EQ(told("struct S { sampler2D a; }; float f(S a, sampler2D b);", version), "") << version;
  }
  for (const char* const version : {"310 es", "450"})
    for (const char* const word : {"struct S { int a;", "uniform struct {"})
      EXPECT_THAT(told(std::string(word) + " atomic_uint b[2]; } s;", version),
                  HasSubstr("error: 'atomic_uint': structures have no atomic counters"))
          << version;
  EXPECT_THAT(told("struct S { int a;\n  highp image2D b; };", "310 es"),
              testing::StartsWith("shader:4:9: error: structures have no images"));
  EXPECT_EQ(told("struct S { image2D b; };", "450"), "") << "GLSL has them";
  EXPECT_EQ(told("struct S { int a; }; layout(binding = 0) uniform atomic_uint b; layout(r32f) uniform highp image2D "
                 "c; float f(S a, highp image2D b, atomic_uint c) { return 1.0; }",
                 "310 es"),
            "");
}

/// A second body, and one that returns another type, are wrong by themselves, and not what they return.
TEST(Glsl, TellsOfFunctionsThatAreDefinedTwiceOnce) {
  const std::string begin = "#version 300 es\nprecision mediump float;\n";
  EXPECT_EQ(errors_of(spirv_of(begin + "float f() { return 1.0; }\nfloat f() { return 2.0; }\nvoid main() { }\n")),
            "shader:4:7: error: 'f': function already has a body [CO001]\n  float f() { return 2.0; }\n        ^\n");
  for (const char* const before : {"float f();\n", "float f() { return 1.0; }\n"})
    EXPECT_EQ(errors_of(spirv_of(begin + before + "vec2 f() { return vec2(1.0); }\nvoid main() { }\n")),
              "shader:4:6: error: 'f': overloaded functions must have the same return type [CO001]\n"
              "  vec2 f() { return vec2(1.0); }\n       ^\n");
  EXPECT_THAT(errors_of(spirv_of(begin + "float f() { return 1.0; }\nfloat f() { return 1; }\nvoid main() { }\n")),
              testing::AllOf(HasSubstr("already has a body"), HasSubstr("shader:4:13: error: 'return'")))
      << "which is wrong by its own head";
}

TEST(Glsl, HasTextureFunctionsOfTheCompatibilityProfileThere) {
  const auto told = [](const std::string& version, const std::string& call) {
    return errors_of(spirv_of("#version " + version +
                                  "\nuniform sampler2D s; uniform samplerCube c;\nvoid main() { vec4 colour = " + call +
                                  "; }\n",
                              Stage::fragment));
  };
  for (const char* const call : {"texture2D(s, vec2(0))", "texture2DProj(s, vec3(1))", "textureCube(c, vec3(1))"}) {
    for (const char* const version : {"110", "130", "140", "150 compatibility", "330 compatibility"})
      EXPECT_EQ(told(version, call), "") << version << call;
    for (const char* const version : {"150", "330 core", "410"})
      EXPECT_THAT(told(version, call), testing::HasSubstr("only the compatibility profile has this"))
          << version << call;
    EXPECT_THAT(told("420", call), testing::HasSubstr("3:29: error: 'texture")) << call;
  }
}

TEST(Glsl, SaysThatATextOfDesktopGlslLacksItsVersion) {
  const std::string body = "varying vec4 p;\nvoid main() { p = gl_Vertex; gl_Position = ftransform(); }\n";
  EXPECT_THAT(errors_of(spirv_of(body, Stage::vertex)),
              testing::HasSubstr("hint: a text without #version is GLSL ES 1.00; '#version 110'"));
  EXPECT_THAT(errors_of(spirv_of("#version 100\n" + body, Stage::vertex)), testing::Not(testing::HasSubstr("hint")));
  EXPECT_THAT(errors_of(spirv_of("void main() { missing; }\n", Stage::vertex)),
              testing::Not(testing::HasSubstr("hint")));
}

TEST(Glsl, SaysWhatStatesAPrecision) {
  const std::string body = "varying vec2 p;\nvoid main() { gl_FragColor = p.xyxy; }\n";
  EXPECT_THAT(errors_of(spirv_of("#version 100\n" + body, Stage::fragment)),
              testing::EndsWith("hint: 'precision mediump float;' above it is for all of that type\n"));
  EXPECT_THAT(errors_of(spirv_of(body, Stage::fragment)),
              testing::HasSubstr("for all of that type; or a text without #version is GLSL ES 1.00; '#version 110'"));
}

TEST(Glsl, HasFixedFunctionsInEarlyVersionsOrOnDemand) {
  const auto told = [](const std::string& version, const std::string& value) {
    return errors_of(
        spirv_of("#version " + version + "\nvoid main() { gl_Position = " + value + "; }\n", Stage::vertex));
  };
  const std::string require = "\n#extension GL_ARB_compatibility : require",
                    if_there = "\n#ifdef GL_ARB_compatibility\n#extension GL_ARB_compatibility : enable\n#endif";
  for (const char* const value :
       {"gl_Vertex", "vec4(gl_Normal, 1.0)", "gl_MultiTexCoord7", "gl_Color", "gl_FrontColor", "gl_BackSecondaryColor",
        "gl_TexCoord[0]", "gl_ClipVertex", "vec4(gl_FogCoord)", "vec4(gl_Fog.density)", "vec4(gl_Point.size)",
        "gl_LightSource[0].diffuse", "gl_FrontMaterial.ambient", "gl_EyePlaneS[0]", "gl_ModelViewMatrix[0]",
        "gl_ProjectionMatrixInverse[0]", "gl_TextureMatrix[0][0]", "ftransform()"}) {
    for (const std::string& version :
         {std::string("110"), std::string("130"), "140" + require, "140" + if_there, std::string("150 compatibility")})
      EXPECT_EQ(told(version, value), "") << version;
    for (const std::string& version :
         {std::string("140"), "140" + require + "\n#extension GL_ARB_compatibility : disable", std::string("150")})
      EXPECT_THAT(told(version, value), testing::ContainsRegex(": error: '(gl_|ftransform)"))
          << version << ' ' << value;
  }
  EXPECT_THAT(told("140", "gl_Vertex"),
              testing::StartsWith("shader:2:29: error: 'gl_Vertex': GLSL 1.40 has this only with #extension GL_ARB_"));
  EXPECT_EQ(told("330", "gl_Vertex"),
            "shader:2:29: error: 'gl_Vertex': only the compatibility profile has this [CO001]\n"
            "  void main() { gl_Position = gl_Vertex; }\n                              ^~~~~~~~~\n");
  for (const char* const constant : {"gl_MaxLights", "gl_MaxClipPlanes", "gl_MaxTextureCoords", "gl_MaxTextureUnits"}) {
    const std::string value = "vec4(" + std::string(constant) + ")";
    for (const std::string& version :
         {std::string("110"), std::string("130"), "140" + require, std::string("150 compatibility")})
      EXPECT_EQ(told(version, value), "") << version << ' ' << value;
    for (const char* const version : {"150", "330", "460"})
      EXPECT_THAT(told(version, value), HasSubstr("only the compatibility profile")) << version << ' ' << value;
    const bool is_left = constant == std::string_view("gl_MaxTextureUnits");  // which GLSL 1.40 has in its list
    EXPECT_EQ(told("140", value) == "", is_left) << value;
  }
  for (const char* const value : {"vec4(gl_VertexID, gl_InstanceID, gl_PointSize, gl_DepthRange.near)", "gl_Position"})
    EXPECT_EQ(told("140", value), "");
  EXPECT_TRUE(
      spirv_of("#version 140\nvoid main() { gl_FragColor = vec4(gl_FragCoord.x, gl_PointCoord, gl_FrontFacing); }"));
  const auto own = spirv_of(
      "#version 300 es\nhighp float ftransform() { return 1.0; }\nvoid main() { gl_Position = vec4(ftransform()); }",
      Stage::vertex);
  EXPECT_TRUE(own) << errors_of(own);
}

/// GLSL ES 1.00, 3.7; 3.00, 3.8.
TEST(Glsl, TakesWordsThatAVersionDoesNotReserve) {
  const auto told = [](const std::string& version, const std::string& word) {
    return errors_of(spirv_of("#version " + version + "\nprecision mediump float;\nstruct S { int " + word +
                              "; };\nfloat f(int " + word + ") { return float(" + word +
                              "); }\nvoid main() {\n  int a, " + word + " = 1; S s = S(" + word + "); s." + word +
                              " += f(" + word + ") > 0.0 ? 1 : 2;\n  { struct " + word + " { int a; }; " + word +
                              " b = " + word + "(a); a = b.a; }\n}\n"));
  };
  for (const char* const word :
       {"dmat2", "dmat4x3", "samplerCubeArray", "usamplerCubeArray", "image2DRect", "uimage2DRect", "image2DMS",
        "imageCubeArray", "int64_t", "f16vec2", "samplerExternalOES", "nonprivate", "devicecoherent", "pervertexNV",
        "texture2D", "subpassInput", "buffer"}) {
    EXPECT_EQ(told("100", word), "") << word;
    EXPECT_EQ(told("300 es", word), "") << word;
  }
  EXPECT_EQ(told("460", "pervertexNV"), "");
  for (const char* const word : {"case", "common", "partition", "active", "filter"}) {
    EXPECT_EQ(told("100", word), "") << word;
    EXPECT_NE(told("300 es", word), "") << word;
    EXPECT_NE(told("130", word), "") << word;
    EXPECT_TRUE(spirv_of("#version 120\nvoid main() { int " + std::string(word) + "; }")) << word;
  }
  for (const char* const word : {"image1DShadow", "image2DShadow", "image1DArrayShadow", "image2DArrayShadow"}) {
    EXPECT_THAT(told("300 es", word), HasSubstr("Reserved word.")) << word;
    EXPECT_EQ(told("100", word), "") << word;
  }
  // Keywords of GLSL 4.00 and 4.20, which no version before those reserves.
  for (const char* const word : {"samplerCubeArray", "samplerCubeArrayShadow", "isamplerCubeArray", "usamplerCubeArray",
                                 "image2DRect", "iimage2DRect", "uimage2DRect"}) {
    EXPECT_TRUE(spirv_of("#version 120\nvoid main() { int " + std::string(word) + "; }")) << word;
    for (const char* const version : {"130", "140", "150", "330"}) EXPECT_EQ(told(version, word), "") << word;
    EXPECT_NE(told("420", word), "") << word;
  }
  EXPECT_NE(told("400", "samplerCubeArray"), "");
  EXPECT_EQ(told("410", "image2DRect"), "");
  EXPECT_EQ(told("320 es", "nonprivate"), "");
  EXPECT_TRUE(spirv_of("#version 450\nvoid main() { int nonprivate = 1; }"));
  for (const char* const word : {"dmat2", "samplerCubeArray", "image2DRect"})
    EXPECT_NE(told("320 es", word), "") << word;
  const auto named =
      spirv_of("#version 300 es\nuniform highp float dmat2; out highp float o; void main() { o = dmat2; }");
  ASSERT_TRUE(named);
  EXPECT_THAT(compile::print_spirv(*named), HasSubstr("OpName %dmat2 \"dmat2\""));
}

/// By the lists of keywords of GLSL ES 3.10 and 3.20.
TEST(Glsl, ReservesWordsUntilAVersionHasThem) {
  const auto told = [](const std::string& version, const std::string& word) {
    return errors_of(spirv_of("#version " + version + "\nvoid main() { int " + word + " = 1; }\n"));
  };
  for (const char* const word :
       {"patch", "sample", "precise", "samplerCubeArray", "samplerCubeArrayShadow", "isamplerCubeArray",
        "usamplerCubeArray", "imageCubeArray", "iimageCubeArray", "uimageCubeArray", "samplerBuffer", "isamplerBuffer",
        "usamplerBuffer", "imageBuffer", "iimageBuffer", "uimageBuffer", "sampler2DMSArray", "isampler2DMSArray",
        "usampler2DMSArray"}) {
    EXPECT_THAT(told("310 es", word), HasSubstr("Reserved word.")) << word;
    EXPECT_THAT(told("320 es", word), HasSubstr(": error: unexpected")) << word;
  }
  for (const char* const word : {"noperspective", "subroutine", "resource", "double", "dmat2", "dmat4x3", "sampler1D",
                                 "sampler1DArray", "usampler1DArray", "sampler2DRect", "image1D", "image1DArray",
                                 "image2DRect", "image2DMS", "uimage2DMS", "image2DMSArray", "uimage2DMSArray"})
    for (const char* const version : {"310 es", "320 es"})
      EXPECT_THAT(told(version, word), HasSubstr("Reserved word.")) << version << ' ' << word;
  for (const char* const word : {"image1DShadow", "image2DArrayShadow", "texture2D", "row_major", "packed"})
    for (const char* const version : {"310 es", "320 es"}) EXPECT_EQ(told(version, word), "") << word;
}

/// By the lists of reserved words of GLSL 1.20, 1.30, 4.10 and 4.20.
TEST(Glsl, ReservesWordsOfDesktopUntilAVersionHasThem) {
  const auto told = [](const char* version, const std::string& statement) {
    return errors_of(
        spirv_of(std::string("#version ") + version + "\nvoid main() {\n" + statement + "\n}\n", Stage::vertex));
  };
  for (const std::string word : {"lowp", "mediump", "highp", "precision"}) {
    EXPECT_EQ(told("110", "int " + word + ";"), "") << word;
    EXPECT_THAT(told("120", "int " + word + ";"), HasSubstr("shader:3:5: error: '" + word + "': Reserved word."));
  }
  EXPECT_EQ(told("120", "highp float a;"),
            "shader:3:1: error: 'highp': Reserved word. [CO001]\n  highp float a;\n  ^~~~~\n");
  EXPECT_EQ(told("130", "precision highp float; lowp float a;"), "");
  for (const std::string word : {"image1DShadow", "image2DShadow", "image1DArrayShadow", "image2DArrayShadow"}) {
    for (const char* const version : {"120", "420", "460"}) EXPECT_EQ(told(version, "int " + word + ";"), "") << word;
    for (const char* const version : {"130", "150", "410"})
      EXPECT_THAT(told(version, "int " + word + ";"), HasSubstr("Reserved word.")) << version << ' ' << word;
  }
  for (const std::string word : {"samplerBuffer", "row_major"}) {
    EXPECT_EQ(told("120", "int " + word + ";"), "") << word;
    EXPECT_THAT(told("130", "int " + word + ";"), HasSubstr("Reserved word.")) << word;
  }
  const std::string buffer = "uniform samplerBuffer s;\nvoid main() { }\n";
  EXPECT_EQ(errors_of(spirv_of("#version 130\n" + buffer)),
            "shader:2:9: error: 'samplerBuffer': Reserved word. [CO001]\n  uniform samplerBuffer s;\n          "
            "^~~~~~~~~~~~~\n");
  EXPECT_TRUE(spirv_of("#version 140\n" + buffer));
  EXPECT_TRUE(spirv_of("#version 140\nlayout(row_major) uniform B { mat4 m; };\nvoid main() { }\n"));
}

/// Which have them before a version does.
TEST(Glsl, HasKeywordsByExtensions) {
  const auto declared = [](const std::string& version, const std::string& extension, const std::string& declaration) {
    return errors_of(spirv_of("#version " + version + "\n#extension " + extension + " : require\n" + declaration +
                              "\nvoid main() { }\n"));
  };
  EXPECT_EQ(declared("310 es", "GL_EXT_texture_cube_map_array",
                     "uniform highp samplerCubeArray s; layout(r32f) uniform highp imageCubeArray i;"),
            "");
  EXPECT_EQ(declared("310 es", "GL_OES_texture_buffer", "uniform highp usamplerBuffer s;"), "");
  EXPECT_EQ(declared("310 es", "GL_OES_texture_storage_multisample_2d_array", "uniform highp sampler2DMSArray s;"), "");
  EXPECT_EQ(declared("310 es", "GL_EXT_gpu_shader5", "precise highp float a;"), "");
  EXPECT_EQ(declared("310 es", "GL_OES_shader_multisample_interpolation", "sample in highp float a;"), "");
  EXPECT_EQ(declared("130", "GL_ARB_texture_cube_map_array", "uniform samplerCubeArrayShadow s;"), "");
  EXPECT_EQ(declared("330", "GL_ARB_shader_image_load_store", "layout(r32i) uniform iimage2DRect i;"), "");
  EXPECT_EQ(errors_of(spirv_of("#version 310 es\nuniform highp sampler1DArray s;\nvoid main() { }\n")),
            "shader:2:15: error: 'sampler1DArray': Reserved word. [CO001]\n"
            "  uniform highp sampler1DArray s;\n                ^~~~~~~~~~~~~~\n");
}

/// The extension gives GLSL from 1.10 on what 1.40 has.
TEST(Glsl, HasLayoutsOfUniformBlocksByTheirExtension) {
  const auto told = [](const std::string& version, const std::string& text) {
    return errors_of(spirv_of("#version " + version + "\n#extension GL_ARB_uniform_buffer_object : enable\n" + text));
  };
  for (const char* const version : {"110", "120", "130"}) {
    for (const char* const layout : {"std140", "packed", "shared", "std140, row_major", "column_major"})
      EXPECT_EQ(told(version, "layout(" + std::string(layout) + ") uniform B { mat4 c; };\n" +
                                  "void main() { gl_FragColor = c[0]; }\n"),
                "")
          << version << ' ' << layout;
    EXPECT_EQ(told(version,
                   "layout(row_major) uniform; uniform B { layout(column_major) mat4 c; } b;\n"
                   "void main() { gl_FragColor = b.c[0]; }\n"),
              "")
        << version;
  }
  EXPECT_THAT(told("130", "float row_major, packed;\nvoid main() { }\n"),
              testing::AllOf(HasSubstr("'row_major': Reserved"), HasSubstr("'packed': Reserved")));
  EXPECT_EQ(errors_of(spirv_of("#version 120\nfloat layout(float a) { return a; }\n"
                               "void main() { gl_FragColor = vec4(layout(1.0)); }\n")),
            "")
      << "a name without the extension";
}

/// By the lists of built-in constants of GLSL 1.30 to 4.50 and GLSL ES 3.10 and 3.20, and by the extensions' texts.
TEST(Glsl, HasConstantsFromTheVersionOnThatIntroducedThem) {
  const auto told = [](const std::string& version, const std::string& constant) {
    return errors_of(spirv_of("#version " + version + "\nvoid main() { int n = int(" + constant + "); }\n"));
  };
  const auto with = [](const std::string& version, const std::string& extension) {
    return version + "\n#extension " + extension + " : require";
  };
  struct Case {
    const char *constant, *before, *from, *extension;
  };
  for (const Case& each : {Case{"gl_MaxPatchVertices", "150", "400", "GL_ARB_tessellation_shader"},
                           {"gl_MaxTessGenLevel", "330", "400", "GL_ARB_tessellation_shader"},
                           {"gl_MaxTessControlInputComponents", "310 es", "320 es", "GL_EXT_tessellation_shader"},
                           {"gl_MaxPatchVertices", "310 es", "320 es", "GL_OES_tessellation_shader"},
                           {"gl_MaxGeometryOutputVertices", "310 es", "320 es", "GL_OES_geometry_shader"},
                           {"gl_MaxGeometryImageUniforms", "310 es", "320 es", "GL_EXT_geometry_shader"},
                           {"gl_MaxImageUnits", "130", "420", "GL_ARB_shader_image_load_store"},
                           {"gl_MaxImageSamples", "410", "420", "GL_ARB_shader_image_load_store"},
                           {"gl_MaxVertexImageUniforms", "330", "420", "GL_ARB_shader_image_load_store"},
                           {"gl_MaxTessControlImageUniforms", "400", "420", "GL_ARB_shader_image_load_store"},
                           {"gl_MaxComputeWorkGroupCount.x", "420", "430", "GL_ARB_compute_shader"},
                           {"gl_MaxComputeImageUniforms", "420", "430", "GL_ARB_compute_shader"},
                           {"gl_MaxViewports", "400", "410", "GL_ARB_viewport_array"},
                           {"gl_MinProgramTexelOffset", "130", "420", "GL_ARB_shading_language_420pack"},
                           {"gl_MaxProgramTexelOffset", "410", "420", "GL_ARB_shading_language_420pack"},
                           {"gl_MaxSamples", "310 es", "320 es", "GL_OES_sample_variables"}}) {
    EXPECT_THAT(told(each.before, each.constant),
                testing::AllOf(HasSubstr("has this from "), HasSubstr(each.extension)))
        << each.before << ' ' << each.constant;
    EXPECT_EQ(told(each.from, each.constant), "") << each.from;
    EXPECT_EQ(told(with(each.before, each.extension), each.constant), "") << each.before;
  }
  EXPECT_EQ(told("330", "gl_MaxPatchVertices"),
            "shader:2:27: error: 'gl_MaxPatchVertices': GLSL has this from 4.00 on, or with GL_ARB_tessellation_shader "
            "[CO001]\n  void main() { int n = int(gl_MaxPatchVertices); }\n                            "
            "^~~~~~~~~~~~~~~~~~~\n");
  EXPECT_THAT(told("310 es", "gl_MaxPatchVertices"),
              HasSubstr("GLSL ES has this from 3.20 on, or with GL_EXT_tessellation_shader, or with GL_OES_"));
  for (const char* const constant : {"gl_MaxGeometryInputComponents", "gl_MaxDrawBuffers", "gl_MaxClipDistances"})
    EXPECT_EQ(told("150", constant), "");
  for (const char* const constant :
       {"gl_MaxImageUnits", "gl_MaxComputeWorkGroupSize.x", "gl_MinProgramTexelOffset", "gl_MaxVertexImageUniforms"})
    EXPECT_EQ(told("310 es", constant), "");
}

TEST(Glsl, TellsMemoryQualifiersOfABlockOnceAMember) {
  EXPECT_THAT(
      errors_of(spirv_of("#version 310 es\nreadonly uniform B {\n  highp float a;\n};\nvoid main() { }\n")),
      testing::AllOf(testing::StartsWith("shader:3:15: error: 'a': only images"), testing::Not(HasSubstr("anon"))));
}

TEST(Glsl, CallsBlocksWithoutInstanceNamesByTheirOwn) {
  EXPECT_EQ(
      errors_of(spirv_of("#version 310 es\n\nlayout(binding = 99) buffer B { highp float a; };\nvoid main() { }\n")),
      "shader:3:29: error: 'B': bindings of blocks end at 71 [CO001]\n"
      "  layout(binding = 99) buffer B { highp float a; };\n                              ^\n");
}

TEST(Glsl, ComparesMembersOfBlocksWithFunctionsBeforeThem) {
  EXPECT_THAT(
      errors_of(spirv_of("#version 300 es\nvoid f() { }\nuniform B {\n  highp float a, f;\n};\nvoid main() { }\n")),
      HasSubstr("shader:4:18: error: 'f': is the name of a function, too"));
}

TEST(Glsl, DistinguishesLettersOfLayoutsInEs) {
  const std::string text = "\nlayout(Std140) uniform B { highp float a; };\nvoid main() { }\n";
  EXPECT_EQ(errors_of(spirv_of("#version 300 es" + text)),
            "shader:2:8: error: 'Std140': the names of layouts have small letters [CO001]\n"
            "  layout(Std140) uniform B { highp float a; };\n         ^~~~~~\n");
  EXPECT_TRUE(spirv_of("#version 450" + text));
  EXPECT_THAT(
      errors_of(spirv_of("#version 310 es\nconst int N = 1;\nlayout(location = N) in highp float a;\nvoid main() { }")),
      testing::Not(HasSubstr("small letters")));
}

TEST(Glsl, TellsWhichTypesHaveAPrecision) {
  for (const char* const type : {"vec2", "ivec4", "mat3", "mat2x4"})
    EXPECT_EQ(errors_of(spirv_of(std::string("#version 300 es\nprecision mediump ") + type + ";\nvoid main() { }\n")),
              std::string("shader:2:1: error: 'precision': vectors and matrices have the precision of float or int "
                          "[CO001]\n  precision mediump ") +
                  type + ";\n  ^~~~~~~~~\n");
}

TEST(Glsl, TellsErrorsWithoutDoubleBlanks) {
  const std::string text = errors_of(spirv_of("#version 100\nvoid main() {\n  int a = 1.5;\n  a = ;\n}\n"));
  EXPECT_THAT(text, HasSubstr("error: '=': cannot convert from 'const float' to 'mediump int'"));
  EXPECT_THAT(text, HasSubstr("error: unexpected ';'"));
  EXPECT_THAT(
      errors_of(spirv_of("#version 300 es\nstruct S { int a; int b; };\nvoid main() { int a = int(S(1, 2)); }")),
      testing::Not(HasSubstr("  int")));
}

TEST(Glsl, CallsWordsAsTheyAreTyped) {
  const auto told = [](const std::string& line) {
    return errors_of(spirv_of("#version 310 es\nprecision mediump float;\nvoid main() {\n" + line + "\n}\n"));
  };
  EXPECT_THAT(told("float x int y;"),
              HasSubstr("shader:4:9: error: unexpected 'int', where ',' or ';' is expected [CO001]"));
  EXPECT_THAT(told("float x = 1.0 .5;"), HasSubstr("unexpected number, where"));
  EXPECT_THAT(told("float sampler2D;"), HasSubstr("unexpected 'sampler2D', where"));
  EXPECT_THAT(told("float x = y.;"), HasSubstr("unexpected ';', where a name is expected"));
  EXPECT_THAT(told("#line 70\nfloat x int y;"), HasSubstr("shader:70:9: error: unexpected 'int'"))
      << "places of no text";
}

TEST(Glsl, TellsOfEveryCallInALine) {
  const std::string text = errors_of(
      spirv_of("#version 450\nvoid f(float x) {}\nvoid main() {\n  f(1.0, 2.0); f(); f(3.0, 4.0); sin(1, 2, 3);\n}\n"));
  for (const char* const place : {"4:3: error: 'f'", "4:16: error: 'f'", "4:21: error: 'f'", "4:34: error: 'sin'"})
    EXPECT_THAT(text, HasSubstr(place));
  const std::string nested = errors_of(spirv_of(
      "#version 450\nfloat f(float x) { return x; }\nvoid main() {\n  f(f(f(1, 2), (f(1))) + f (), f(3, 4));\n}\n"));
  for (const char* const place :
       {"4:3: error: 'f'", "4:5: error: 'f'", "4:7: error: 'f'", "4:26: error: 'f'", "4:32: error: 'f'"})
    EXPECT_THAT(nested, HasSubstr(place));
  EXPECT_THAT(nested, testing::Not(HasSubstr("4:17: error")));
  EXPECT_THAT(
      errors_of(spirv_of("#version 450\nfloat f(float x) { return x; }\nvoid main() {\n  f(\n 1, f(1)) + f(2);\n}\n")),
      testing::StartsWith("shader:4:3: error: 'f'"))
      << "which is named in an earlier line";
}

/// glslang puts "int;" on a line of its own behind the text.
TEST(Glsl, TellsWhereATextEndsTooSoon) {
  const auto told = [](const std::string& text) { return errors_of(spirv_of("#version 100\n" + text)); };
  for (const char* more : {"", "\n", " // done\n\n\n"}) {
    EXPECT_THAT(
        told("void main() {\n  gl_FragColor = vec4(1.0)" + std::string(more)),
        testing::AllOf(HasSubstr("shader:3:27: error: the text ends too soon: ',' or ';' is expected [CO001]\n"),
                       HasSubstr("hint: the '{' of line 2 is not closed\n")))
        << more;
    EXPECT_THAT(told("void main() {\n  gl_FragColor = vec4(1.0);" + std::string(more)),
                HasSubstr("shader:3:28: error: the text ends too soon [CO001]\n"))
        << more;
    EXPECT_THAT(told("void main() {\n  int x = 1 + (2" + std::string(more)),
                HasSubstr("the '(' of line 3 is not closed"))
        << more;
  }
  EXPECT_THAT(told("void main() {}\nvoid f("), HasSubstr("shader:3:8: error: the text ends too soon [CO001]\n"));
  EXPECT_THAT(told("void main() {}\n  #ifdef A\n#if 1\n#endif\n#else\n"),
              HasSubstr("shader:3:4: error: this condition has no #endif [CO001]\n"));
  EXPECT_THAT(told("void main() {} // /*\n/* */ /* x\n\n"),
              HasSubstr("shader:3:7: error: this comment has no end [CO001]\n"));
  EXPECT_THAT(told("void main() { int a int b; }"), testing::Not(HasSubstr("ends too soon")))
      << "the line has that word itself";
}

/// OpenGL ES 3.2, tables 21.39 to 21.44, say how many there are at least.
TEST(Glsl, HasAsManyOfEverythingAsVersionsOfGlslAskFor) {
  EXPECT_TRUE(
      spirv_of("#version 310 es\nprecision highp float; out vec4 o; void main() {\n"
               "float a[(gl_MaxVertexUniformVectors >= 256 && gl_MaxFragmentUniformVectors >= 224\n"
               "    && gl_MaxVertexOutputVectors >= 16 && gl_MaxFragmentInputVectors >= 15)\n"
               "  ? 1 : -1]; a[0] = 1.0; o = vec4(a[0]); }\n"));
  EXPECT_TRUE(
      spirv_of("#version 130\nout vec4 o; void main() {\n"
               "float a[(gl_MaxVaryingComponents >= 64 && gl_MaxVaryingFloats >= 64 &&\n"
               "    gl_MaxVertexUniformComponents >= 1024 && gl_MaxFragmentUniformComponents >= 1024)\n"
               "  ? 1 : -1]; a[0] = 1.0; o = vec4(a[0]); }\n"));
  EXPECT_TRUE(
      spirv_of("#version 450\nout vec4 o; void main() {\n"
               "float a[(gl_MaxVaryingVectors >= 15 && gl_MaxVertexUniformVectors >= 256) ? 1 : -1];\n"
               "a[0] = 1.0; o = vec4(a[0]); }\n"));
}

TEST(Glsl, DefinesMacros) {
  const std::string text = "#version 100\nvoid main() { gl_FragColor = vec4(LEVEL); }";
  EXPECT_FALSE(spirv_of(text));
  EXPECT_TRUE(compile::glsl_to_spirv({"a", text, Stage::fragment, {{"LEVEL", "0.5"}}, {}}));
}

/// As C++98, 16.3, has it; glslang would leave them out with no more than a warning.
TEST(Glsl, DefinesMacrosWhoseValueFollowsWithoutASpace) {
  const std::string text =
      "\n# define/**/A-1.0\n#define B.5 // and more\n#define C;\n#define D(x) x\n#define E//none\n"
      "precision mediump float;\nfloat f = 2.0 A C\nvoid main() { f = 1.0 E + B + D(2.0); }\n";
  for (const std::string version : {"100", "130", "300 es", "450"}) {
    const auto taken = spirv_of("#version " + version + text);
    EXPECT_TRUE(taken) << version << errors_of(taken);
  }
  const auto wrong =
      spirv_of("#version 450\n#define A+1\n#define A+2\nint n[A == 1 ? 1 : -1];\nvoid main() {\n lost; }\n");
  EXPECT_THAT(errors_of(wrong), testing::AllOf(HasSubstr("shader:3:1: error: '#define': Macro redefined; different "
                                                         "substitutions: A [CO001]\n  #define A+2\n"),
                                               HasSubstr("shader:6:2: error: 'lost'")))
      << "the text is shown as it is";
  const auto find = [](const std::string&, const std::string&, bool) {
    return std::optional(compile::Included{"a.glsl", "\f#define A+1.0\v\n"});
  };
  const auto included =
      compile::glsl_to_spirv({"a.frag",
                              "#version 100\n#include \"a.glsl\"\nvoid main() { gl_FragColor = vec4(A); }\n",
                              Stage::fragment,
                              {},
                              find});
  EXPECT_TRUE(included) << errors_of(included);
}

TEST(Glsl, DefinesWhatTheLanguageDoes) {
  for (const std::string version : {"100", "110", "150", "300 es", "460"})
    for (const std::string macro : {"__VERSION__", "__LINE__", "__FILE__"}) {
      const auto made = spirv_of("#version " + version + "\n#if !defined " + macro + " || !defined(" + macro +
                                 ")\n#error a\n#endif\n#ifndef " + macro + "\n#error b\n#endif\n#ifdef " + macro +
                                 "\n#else\n#error c\n#endif\nvoid main() { int a = " + macro + "; }");
      EXPECT_TRUE(made) << errors_of(made);
    }
  EXPECT_TRUE(spirv_of("#version 300 es\n#if __VERSION__ != 300 || __LINE__ != 2\n#error\n#endif\nvoid main() { }"));
  for (const char* const version : {"100", "300 es", "310 es"})
    EXPECT_TRUE(spirv_of(std::string("#version ") + version + "\n#if !defined GL_ES || !GL_ES\n#error\n#endif\n" +
                         "void main() { }"));
  EXPECT_TRUE(spirv_of("#version 450\n#ifdef GL_ES\n#error\n#endif\nvoid main() { }"));
  EXPECT_FALSE(spirv_of("#version 300 es\n#undef __LINE__\nvoid main() { }"));
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

/// glslang ends the process on these.
TEST(Glsl, TellsOfTextsThatTheLibraryDoesNotSurvive) {
  EXPECT_THAT(errors_of(spirv_of("#version 300 es\nprecision mediump float;\nstruct S { mat2 m; };\nvoid main() {\n"
                                 "  vec2 v;\n  S s = v ? S(mat2(1.0)) : (v ? S(mat2(2.0)) : S(mat2(3.0)));\n}\n")),
              HasSubstr("shader:6:11: error: boolean expression expected"));
  for (const char* const call : {"atomicAdd(a + 1, 1)", "atomicCompSwap(-a, 1, 2)", "atomicMin(max(a, 1) + a, 1)"})
    EXPECT_THAT(
        errors_of(spirv_of("#version 310 es\nbuffer B { int a; };\nvoid main() {\n  " + std::string(call) + ";\n}\n")),
        HasSubstr("shader:4:3: error: 'atomic"));
}

TEST(Glsl, ForgetsWhatAnUnfinishedTextEndedIn) {
  ASSERT_FALSE(spirv_of("#version 300 es\nvoid main( { {\n"));
  const auto taken = spirv_of(
      "#version 300 es\n#extension all : warn\nprecision mediump float;\nstruct S { float a; } s;\nvoid main() { }\n");
  EXPECT_TRUE(taken) << errors_of(taken);
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

/// A fragment shader that shows `value`; `more` stands before its main function in the third line.
std::string showing(const std::string& value, const std::string& more = {}) {
  return "#version 100\nuniform mediump float a;\n" + more + "void main() { gl_FragColor = vec4(" + value + "); }\n";
}

/// M60, of `base` 2^60 times.
std::string doubling_macros(const std::string& base) {
  std::string text = "#define M0 " + base + '\n';
  for (int i = 1; i <= 60; ++i) {
    const std::string below = std::to_string(i - 1);
    text += "#define M" + std::to_string(i) + " M" + below + " M" + below + '\n';
  }
  return text;
}

TEST(Glsl, TakesLongExpressionsAndDeepTypes) {
  EXPECT_TRUE(ssa_of(showing("a" + times(20'000, "+a"))));
  EXPECT_TRUE(spirv_of(showing("a", "#if " + times(100'000, "!") + "1\n#endif\n")));
  std::string structures = "struct S0 { mediump float x; };\n";
  for (int i = 1; i < 2'000; ++i)
    structures += "struct S" + std::to_string(i) + " { S" + std::to_string(i - 1) + " x; };\n";
  EXPECT_TRUE(ssa_of(showing("s" + times(2'000, ".x"), structures + "uniform S1999 s;\n")));
}

TEST(Glsl, RefusesWhatNestsTooDeep) {
  for (const std::string& text : {showing("a", "#if " + times(100'000, "(") + "1" + times(100'000, ")") + "\n#endif\n"),
                                  showing(times(100'000, "(") + "a" + times(100'000, ")")),
                                  showing(times(20'000, "F(") + "a" + times(20'000, ")"), "#define F(x) x\n")}) {
    const std::string errors = errors_of(spirv_of(text));
    EXPECT_THAT(errors, HasSubstr("parentheses nest more than 1000 deep here")) << text.substr(0, 80);
    EXPECT_THAT(errors, HasSubstr("[CO004]"));
    EXPECT_THAT(errors, testing::ContainsRegex("shader:[34]:[0-9]+: error"));
  }
  EXPECT_TRUE(spirv_of(showing(times(900, "(") + "a" + times(900, ")"))));
  for (const std::string& text : {showing(times(20'000, "a > 0.0 ? a : ") + "a"), showing(times(100'000, "- ") + "a"),
                                  showing("a", "void f() " + times(50'000, "{") + times(50'000, "}"))})
    EXPECT_THAT(errors_of(spirv_of(text)), HasSubstr("nest too deep [CO004]"));
}

TEST(Glsl, RefusesMacrosThatDoubleWithoutEnd) {
  for (const std::string& text :
       {showing("M60", doubling_macros("a")), showing("a M60", doubling_macros("")),
        showing("a", doubling_macros("1") + "#if M60\n#endif\n"),
        showing("M60(a)", "#define M0(x) x+x\n" + doubling_macros("") + "#define M60(x) M59\n"),
        showing(times(40, "F(") + "a" + times(40, ")"), "#define F(x) x+x\n"),
        showing("M60", "/* */ #\\\ndefine X\n" + doubling_macros("a"))}) {
    const std::string errors = errors_of(spirv_of(text));
    EXPECT_THAT(errors, HasSubstr("error: the shader has more than 500000 tokens here, once macros are replaced"));
    EXPECT_THAT(errors, HasSubstr("[CO004]")) << text;
  }
  EXPECT_THAT(errors_of(spirv_of(showing("M60", doubling_macros("a")))), HasSubstr("shader:64:35: error"));
  EXPECT_THAT(errors_of(spirv_of(showing("a" + times(300'000, "+a")))), HasSubstr("[CO004]"));
  EXPECT_TRUE(spirv_of(showing("A", "#define B A\n#define A a\n#define F(x) ((x) * (x))\n")));
  EXPECT_TRUE(spirv_of(showing("F(F(F(a)))", "#define F(x) ((x) * (x))\n")));
}

TEST(Glsl, CountsWhatIsIncluded) {
  const auto find = [](const std::string&, const std::string&, bool) {
    return std::optional(compile::Included{"lib.glsl", doubling_macros("a") + "\nfloat f() { return M60; }\n"});
  };
  const auto failed = compile::glsl_to_spirv(
      {"a.frag", "#version 100\n#include \"lib.glsl\"\nvoid main() {}\n", Stage::fragment, {}, find});
  EXPECT_THAT(errors_of(failed), HasSubstr("lib.glsl:63:20: error: the shader has more than 500000 tokens"));
}

TEST(Glsl, LetsErrorsOutOfItsStack) {
  const auto find = [](const std::string&, const std::string&, bool) -> std::optional<compile::Included> {
    throw std::runtime_error("unreadable");
  };
  EXPECT_THROW(static_cast<void>(compile::glsl_to_spirv(
                   {"a.frag", "#version 100\n#include \"b\"\nvoid main() {}\n", Stage::fragment, {}, find})),
               std::runtime_error);
}

TEST(Glsl, SaysWhatLacksInTheWholeText) {
  for (const char* text : {"", "#version 100\n", "#version 100\nint minor() { return 1; }\n"})
    EXPECT_THAT(errors_of(spirv_of(text)),
                testing::AllOf(HasSubstr("shader: error: there is no function main [CO005]"), HasSubstr("void main()")))
        << text;
  EXPECT_THAT(errors_of(spirv_of(showing("wave(a)", "mediump float wave(mediump float x);\n"))),
              HasSubstr("shader:3:15: error: 'wave' is called and has no body [CO005]"));
  EXPECT_THAT(errors_of(spirv_of(showing("f(a)",
                                         "precision mediump float; float g(float x); float f(float x) { return g(x); } "
                                         "float g(float x) { return f(x); }\n"))),
              testing::ContainsRegex("shader:3:[0-9]+: error: '[fg]' calls '[fg]', which leads back to it"));
  EXPECT_THAT(
      errors_of(spirv_of(showing("wave(a)", "// wave(x)\n/* wave(y) */ mediump float wave\n(mediump float x);\n"))),
      HasSubstr("shader:4:29: error: 'wave' is called"));
}

TEST(Glsl, RefusesBlocksWithNamesOfFunctions) {
  const auto errors = [](const std::string& text) {
    return errors_of(spirv_of(text + "precision highp float;\nout vec4 c;\nvoid main() { c = b.a; }\n"));
  };
  EXPECT_THAT(errors("#version 310 es\nuniform sin { highp vec4 a; } b;\n"),
              HasSubstr("shader:2:9: error: 'sin' is the name of a block and of a function [CO001]"));
  EXPECT_THAT(errors("#version 310 es\nvoid f() {}\nuniform f { highp vec4 a; } b;\n"),
              HasSubstr("shader:3:9: error: 'f'"));
  EXPECT_THAT(errors("#version 310 es\nuniform f { highp vec4 a; } b;\nvoid f() {}\n"),
              HasSubstr("shader:3:6: error: 'f'"));
  EXPECT_EQ(errors("#version 450\nuniform sin { vec4 a; } b;\n"), "") << "which hides that of the language";
  EXPECT_EQ(errors("#version 310 es\nuniform barrier { highp vec4 a; } b;\n"), "") << "only compute shaders have one";
}

TEST(Glsl, TellsPlacesAsLineDirectivesDo) {
  const auto errors = [](const std::string& directive) {
    return errors_of(spirv_of("#version 450\n" + directive + "\nout vec4 c; void main() {\n  c = lost;\n}\n// last\n"));
  };
  // The number is the directive's, and the line that of the text.
  const std::string rest = "7: error: 'lost': undeclared identifier [CO001]\n    c = lost;\n        ^~~~\n";
  EXPECT_EQ(errors("#line 5"), "shader:6:" + rest);
  EXPECT_EQ(errors("#line 5\n#line 90"), "shader:91:" + rest) << "the second one counts";
  EXPECT_EQ(errors("#line \\\n5"), "shader:6:" + rest) << "which goes on in another line";
  EXPECT_EQ(errors(" # line 2 7"), "7:3:" + rest);
  EXPECT_EQ(errors("#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 2 \"other.glsl\""),
            "other.glsl:3:" + rest);
  EXPECT_EQ(errors_of(spirv_of("#version 450\nout vec4 c;\nvoid f() { lost; }\n#line 70\nvoid main() {\n  c = lost;\n"
                               "}\n#line 1\n")),
            "shader:3:12: error: 'lost': undeclared identifier [CO001]\n  void f() { lost; }\n             ^~~~\n"
            "shader:71:" +
                rest)
      << "what is in front of it, too";
  EXPECT_EQ(errors_of(spirv_of("#version 450\n#line 70\nout vec4 c;\nvoid main() { c = lost.xyzw + vec3(1); }\n")),
            "shader:71:19: error: 'lost': undeclared identifier [CO001]\n  void main() { c = lost.xyzw + vec3(1); }\n"
            "                    ^~~~\n")
      << "and nothing that follows from it";
  EXPECT_THAT(errors("// of a line"), HasSubstr("shader:4:7: error: 'lost': undeclared"));
  EXPECT_EQ(errors("#line -4"), "shader:4:" + rest) << "which is no line, so it counts as none";
  for (const char* const version : {"100", "300 es", "310 es"}) {
    const std::string begin = std::string("#version ") + version + "\n", end = "#line 7 \"a\"\nvoid main() { }\n";
    EXPECT_EQ(
        errors_of(spirv_of(begin + end)),
        "shader:2:1: error: '#line': has numbers only in GLSL ES, of a line and of a text; a name needs #extension "
        "GL_GOOGLE_cpp_style_line_directive : enable [CO001]\n  #line 7 \"a\"\n  ^~~~~\n")
        << version;
    EXPECT_TRUE(spirv_of(begin + "#extension GL_GOOGLE_cpp_style_line_directive : enable\n" + end)) << version;
  }
  EXPECT_TRUE(spirv_of("#version 450\n#line 7 \"a\"\nvoid main() { }\n"));
  EXPECT_TRUE(spirv_of("#version 300 es\n#if 0\n#line 7 \"a\"\n#endif\n#line 7 2\nvoid main() { }\n"));
}

/// glslang has read the end of the line where something lacks in it, and tells of the next one.
TEST(Glsl, TellsErrorsOfDirectivesWhereTheyStand) {
  const auto told = [](const std::string& directive, const std::string& version = "300 es") {
    return errors_of(spirv_of("#version " + version + "\n" + directive + "\nvoid main() { }\n"));
  };
  const auto count = [](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = text.find("error: "); at != text.npos; at = text.find("error: ", at + 1)) ++found;
    return found;
  };
  for (const auto& [directive, begin] :
       {std::pair{"#if\n#endif", "shader:2:1: error: '#if': bad expression [CO001]\n  #if\n"},
        {"#if 1.0\n#endif", "shader:2:1: error: '#if': bad expression"},
        {"#if 0\n#elif 1 +\n#endif", "shader:3:1: error: '#elif': bad expression"},
        {"#ifdef\n#endif", "shader:2:1: error: '#ifdef': must be followed by macro name"},
        {"#ifndef\n#endif", "shader:2:1: error: '#ifndef': must be"},
        {"#undef", "shader:2:1: error: '#undef': must be"},
        {"#define", "shader:2:1: error: '#define': must be"},
        {"#define F(a", "shader:2:1: error: '#define': missing parenthesis"},
        {"#extension GL_a", "shader:2:1: error: '#extension': ':' missing"},
        {"#error", "shader:2:1: error: '#error': "},
        {"#if F(1\n#endif", "shader:2:5: error: 'F': is no macro, and GLSL ES does not take it for 0"},
        {"#line", "shader:2:1: error: '#line': "},
        {"#line 1 2 3", "shader:2:1: error: '#line': unexpected tokens"},
        {"#line 1.5", "shader:2:1: error: '#line': has numbers, of a line and of a text"},
        {"int a; #if 1", "shader:2:8: error: '#': preprocessor directive cannot be preceded"}}) {
    EXPECT_THAT(told(directive), testing::StartsWith(begin));
    EXPECT_EQ(count(told(directive)), 1) << directive;
  }
  for (const char* const version : {"100", "300 es", "330", "450"}) {
    for (const char* const wrong : {"#line lost", "#line 3 lost", "#line LOST", "#line F(lost)"})
      EXPECT_THAT(told("#define F(a) a\n#define LOST\n#undef LOST\n" + std::string(wrong), version),
                  testing::ContainsRegex("shader:5:[79]: error: '(lost|LOST)': is no macro; #line has numbers"))
          << version << wrong;
    EXPECT_EQ(told("#define F(a) a\n#define N 3\n#line F(N) __LINE__ // of lines\n", version), "") << version;
  }
}

TEST(Glsl, TellsOfMacrosWhereTheyCannotBeReplaced) {
  const auto told = [](const std::string& text) {
    return errors_of(spirv_of("#version 450\n#define F(a, b) a + b\nvoid main() {\n  float a = " + text + ";\n}\n"));
  };
  EXPECT_EQ(told("F(1.0)"),
            "shader:4:13: error: 'F': the macro cannot be replaced here: it has more parameters [CO001]\n"
            "    float a = F(1.0);\n              ^\n");
  EXPECT_THAT(told("F(1.0, 2.0, 3.0)"), testing::StartsWith("shader:4:13: error: 'F': the macro cannot be replaced "
                                                            "here: it has fewer parameters"));
  EXPECT_THAT(told("1.0 + F(1.0"),
              testing::StartsWith("shader:4:19: error: 'F': the macro cannot be replaced here: its "
                                  "arguments do not end"));
  EXPECT_EQ(
      told("F(1.0,\n#define G\n2.0)"),
      "shader:5:1: error: 'F': the macro cannot be replaced here: a directive stands among its arguments [CO001]\n"
      "  #define G\n  ^\n");
}

TEST(Glsl, TellsWhichVersionsThereAre) {
  const auto told = [](const std::string& version) { return errors_of(spirv_of(version + "\nvoid main() { }\n")); };
  const std::string all =
      " is no version of GLSL; there are 100, 110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460, 300 es, "
      "310 es and 320 es [CO001]\n  ";
  for (const std::string word : {"foo", "999", "3.00", "310es", "ES"})
    EXPECT_EQ(told("#version " + word + " es"),
              "shader:1:1: error: '#version': '" + word + "'" + all + "#version " + word + " es\n  ^~~~~~~~\n");
  EXPECT_EQ(told("# version 99"), "shader:1:1: error: '#version': '99'" + all + "# version 99\n  ^\n");
  for (const auto& [version, message] :
       {std::pair{"#version", "no version stands here; there are 100, 110"},
        {"#version 300", "300 is a version of GLSL ES: 300 es"},
        {"#version 310 core", "310 is a version of GLSL ES: 310 es"},
        {"#version 100 es", "only 300, 310 and 320 are followed by 'es'"},
        {"#version 330 foo", "'foo' is no profile; there are 'core' and 'compatibility'"},
        {"#version 300 es es", "nothing stands behind 'es'"},
        {"#version 120 core", "versions before 150 do not allow a profile token"}})
    EXPECT_THAT(told(version), testing::MatchesRegex("shader:1:1: error: '#version': " + std::string(message) +
                                                     ".*CO001..  #version.*.  \\^~~~~~~~."));
}

TEST(Glsl, TellsErrorsOfMacrosThatAreAskedFor) {
  const auto failed = compile::glsl_to_spirv({"a.frag", showing("a"), Stage::fragment, {{"A", "1"}, {"A", "2"}}, {}});
  EXPECT_THAT(errors_of(failed), testing::StartsWith("-D: error: "));
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

TEST(Glsl, RefusesWorkgroupsOfTooManyThreads) {
  const auto told = [](const std::string& version, const std::string& layouts) {
    return errors_of(spirv_of("#version " + version + "\n" + layouts + "\nvoid main() {}\n", Stage::compute));
  };
  EXPECT_EQ(told("310 es", "layout(local_size_x = 32, local_size_y = 32) in;"), "");
  EXPECT_THAT(told("310 es", "  layout(local_size_x = 1024, local_size_y = 8) in;"),
              testing::StartsWith("shader:2:3: error: 'layout': a workgroup has 1024 threads at most, and this one has "
                                  "1024 x 8 x 1 = 8192 [CO001]\n"));
  EXPECT_THAT(told("430", "layout(local_size_x = 64) in;\nlayout(local_size_y = 32) in;"),
              testing::StartsWith("shader:3:1: error: 'layout': a workgroup has 1024 threads at most"));
  EXPECT_THAT(told("310 es", "layout(local_size_x = 2000) in;"),
              testing::AllOf(HasSubstr("gl_MaxComputeWorkGroupSize"), testing::Not(HasSubstr("at most"))));
}

TEST(Glsl, NamesTheTypeThatHasNoPrecision) {
  const auto told = [](const std::string& declaration) {
    return errors_of(spirv_of("#version 310 es\nprecision mediump float;\n" + declaration +
                              "\nout vec4 c; void main() { c = vec4(0); }\n"));
  };
  EXPECT_THAT(told("uniform sampler3D t;"),
              testing::AllOf(testing::StartsWith("shader:3:9: error: 'sampler3D': type requires"),
                             HasSubstr("hint: 'precision mediump sampler3D;' above it is for all of that type")));
  EXPECT_THAT(told("layout(rgba8, binding = 0) readonly uniform image2D t;"),
              HasSubstr("'precision mediump image2D;'"));
  EXPECT_THAT(
      told("void f(sampler2D t, usampler3D u) {}"),
      testing::AllOf(HasSubstr("shader:3:21: error: 'usampler3D'"), HasSubstr("'precision mediump usampler3D;'")));
  EXPECT_THAT(told("struct S { isampler2D t; };"), HasSubstr("'precision mediump isampler2D;'"));
}

TEST(Glsl, SaysThatSharedVariablesHaveNoInitializer) {
  EXPECT_THAT(errors_of(spirv_of("#version 310 es\nlayout(local_size_x = 1) in;\nshared int x = 3; shared int y;\nvoid "
                                 "main() { y = x; }\n",
                                 Stage::compute)),
              testing::AllOf(
                  testing::StartsWith("shader:3:12: error: variables in shared memory have no initializer [CO001]\n"),
                  HasSubstr("hint: give it its value in a function")));
}

TEST(Glsl, KnowsWhatIsInABlockWhoseNameIsTaken) {
  const auto errors_in = [](const std::string& second, const std::string& value) {
    const auto failed = spirv_of("#version 310 es\nprecision mediump float;\nuniform U { vec4 a; };\nuniform U " +
                                 second + ";\nout vec4 c; void main() { c = " + value + "; c += " + value + "; }\n");
    EXPECT_THAT(errors_of(failed), HasSubstr("shader:4:9: error: 'U': Cannot reuse block name"));
    return failed ? 0 : failed.error().size();
  };
  EXPECT_EQ(errors_in("{ vec4 b; }", "a + b"), 1u);
  EXPECT_EQ(errors_in("{ vec4 b; } other", "a + other.b"), 1u);
  EXPECT_EQ(errors_in("{ vec4 b; } others[2]", "a + others[1].b"), 1u);
  EXPECT_EQ(errors_in("{ vec4 b; }", "a + d"), 2u);
}

TEST(Glsl, TellsTypesInFewWords) {
  const auto told = [](const std::string& statement) {
    return errors_of(
        spirv_of("#version 310 es\nprecision mediump float;\nstruct S { int a; vec4 b[3], d; };\nuniform B { vec4 "
                 "q; } block;\nout vec4 c;\nvoid main() { bool b; S s; " +
                 statement + " }\n"));
  };
  EXPECT_THAT(told("int x = s;"), HasSubstr("'=': cannot convert from 'S' to 'mediump int' [CO001]"));
  EXPECT_THAT(told("c = block;"), HasSubstr("'=': cannot convert from 'uniform block' to 'out mediump vec4' [CO001]"));
  EXPECT_THAT(told("gl_FragDepth = 1;"), HasSubstr("'=': cannot convert from 'const int' to 'highp float' [CO001]"));
  EXPECT_THAT(told("b++;"), HasSubstr("'++': wrong operand type 'bool' [CO001]"));
  EXPECT_THAT(told("c = -s;"), HasSubstr("'-': wrong operand type 'S' [CO001]"));
  EXPECT_THAT(told("c = s + 1;"), HasSubstr("'+': wrong operand types 'S' and 'const int' [CO001]"));
  EXPECT_THAT(told("struct T { int x; S y; } t; s = t;"), HasSubstr("'=': cannot convert from 'T' to 'S' [CO001]"));
  EXPECT_THAT(told("struct T { int a; float b, d; } t; s = t;"),
              HasSubstr("'=': cannot convert from 'structure' to 'structure' [CO001]"));
}

TEST(Glsl, RefusesLayoutsThatCodeWouldHaveToFollow) {
  const std::string body = "out vec4 c;\nvoid main() { c = gl_FragCoord; }\n";
  EXPECT_EQ(errors_of(spirv_of("#version 150\nlayout(origin_upper_left) in vec4 gl_FragCoord;\n" + body)), "");
  EXPECT_THAT(errors_of(spirv_of(
                  "#version 150\nlayout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\n" + body)),
              testing::AllOf(
                  testing::StartsWith("shader:2:27: error: layout(pixel_center_integer) is not supported: the centre "
                                      "of a pixel is at a half [CO020]\n"),
                  HasSubstr("hint: leave it out, and subtract 0.5 from gl_FragCoord.xy")));
  EXPECT_THAT(errors_of(spirv_of("#version 450\n#extension GL_ARB_post_depth_coverage : require\n"
                                 "layout(post_depth_coverage) in;\n" +
                                 body)),
              testing::StartsWith("shader:3:8: error: layout(post_depth_coverage) is not supported: "));
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
