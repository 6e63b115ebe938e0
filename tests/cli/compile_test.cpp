// mobula compile, where the command was built with it.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "cli/shell.h"
#include "mobula/lab/run.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

class Compile : public testing::Test {
 protected:
  void SetUp() override {
    if (run({"compile", "--help"}).status != 0) GTEST_SKIP() << "built without the compiler of shaders";
  }
};

TEST_F(Compile, ShowsTheFormThatIsCompiledFrom) {
  const Outcome outcome = run({"compile", example("ripple.frag"), "--emit", "ssa"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("stage fragment\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  colours[1]: f32x3~\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  discard\n"));
}

TEST_F(Compile, TakesItsOwnSpirv) {
  const Folder folder;
  const std::string module = folder.file("ripple.spvasm");
  ASSERT_EQ(run({"compile", example("ripple.frag"), "--emit", "spirv", "-o", module}).status, 0);
  const Outcome direct = run({"compile", example("ripple.frag"), "--emit", "ssa"});
  const Outcome again = run({"compile", module, "--emit", "ssa"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out.substr(0, again.out.find("b0:")), direct.out.substr(0, direct.out.find("b0:")));
  const Outcome macro = run({"compile", module, "--emit", "ssa", "-D", "A=1"});
  EXPECT_EQ(macro.status, 2);
  EXPECT_THAT(macro.err, HasSubstr("-D and -I act on GLSL"));
}

TEST_F(Compile, ConstantsTellWhatItsMachineHas) {
  const Folder folder;
  const std::string shader = folder.file("a.vert",
                                         "varying vec2 v; void main() { gl_Position = vec4(1.0);\n"
                                         "v = vec2(gl_MaxVertexTextureImageUnits, gl_MaxVaryingVectors); }\n");
  EXPECT_THAT(run({"run", shader, "-m", "midgard"}).out, HasSubstr("(v) = 32.0 16.0\n"));
  EXPECT_THAT(run({"run", shader, "-m", "utgard-gp"}).out, HasSubstr("(v) = 0.0 12.0\n"));
  const std::string code = folder.file("a.bin");
  EXPECT_EQ(run({"compile", shader, "-m", "midgard", "-o", code}).status, 0);
  EXPECT_THAT(run({"run", code}).out, HasSubstr("(v) = 32.0 16.0\n"));
}

TEST_F(Compile, WarnsOfWhatItCompiles) {
  const Folder folder;
  const std::string shader = folder.file("a.frag",
                                         "#version 100\n#extension GL_SOME_extension : enable\n"
                                         "#extension GL_SOME_extension : enable\n"
                                         "void main() { gl_FragColor = vec4(1.0); }\n");
  const std::string warning = "a.frag:2:1: warning: '#extension': extension not supported: GL_SOME_extension [CO002]\n";
  for (const Outcome& outcome :
       {run({"compile", shader, "--emit", "ssa"}), run({"compile", shader, "--emit", "asm", "-m", "midgard"})}) {
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr(warning));
  }
  EXPECT_THAT(run({"stat", shader, "-m", "midgard"}).err, HasSubstr(warning));
  const Outcome refused = run({"compile", shader, "--emit", "asm", "-m", "utgard-gp"});
  EXPECT_EQ(refused.status, 1) << "by the machine";
  EXPECT_THAT(refused.err, HasSubstr(warning));
  const auto json = parse_json(run({"compile", shader, "--emit", "ssa", "--json"}).out).at(0)["result"];
  ASSERT_EQ(json["diagnostics"].size(), 1);
  EXPECT_EQ(json["diagnostics"][0]["code"], "CO002");
  EXPECT_EQ(json["diagnostics"][0]["where"]["line"], 2);
  const auto plain = parse_json(run({"compile", example("ripple.frag"), "--emit", "ssa", "--json"}).out).at(0);
  EXPECT_FALSE(plain["result"].contains("diagnostics"));
}

TEST_F(Compile, DefinesAndIncludes) {
  const Folder folder;
  const std::string shader = folder.file(
      "a.frag", "#version 100\n#include \"b.glsl\"\nvoid main() { gl_FragColor = vec4(level() * FACTOR); }\n");
  std::filesystem::create_directory(folder.file("more"));
  folder.file("more/b.glsl", "mediump float level() { return 0.25; }\n");
  const Outcome lost = run({"compile", shader, "--emit", "ssa", "-D", "FACTOR=2.0"});
  EXPECT_EQ(lost.status, 1);
  EXPECT_THAT(lost.err, HasSubstr("a.frag:2:"));
  const Outcome found = run({"compile", shader, "--emit", "ssa", "-DFACTOR=2.0", "-I", folder.file("more")});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("0.5"));
  EXPECT_EQ(run({"compile", shader, "--emit", "ssa", "-D", "2=1"}).status, 2);
}

TEST_F(Compile, LinksAVertexAndAFragmentShader) {
  const Folder folder;
  const std::string vertex =
      folder.file("a.vert", "#version 300 es\nout vec2 p;\nvoid main() { p = vec2(0.5); gl_Position = vec4(0.0); }\n");
  const auto fragment = [&](const std::string& input) {
    return folder.file("a.frag", "#version 300 es\nprecision highp float;\nin " + input +
                                     ";\nout vec4 c;\nvoid main() { c = vec4(p, 0.0, 1.0).xyzw; }\n");
  };
  const auto linked = [&](const std::string& input) {
    return run({"compile", vertex, fragment(input), "--link", "--emit", "ssa"});
  };
  EXPECT_EQ(linked("vec2 p").status, 0) << linked("vec2 p").err;
  const Outcome outcome = linked("mediump float unread; flat in vec2 p");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("a.frag:3:39: error: 'p' is flat here, and smooth in the vertex shader [CO016]\n"
                                     "  in mediump float unread; flat in vec2 p;\n"
                                     "                                        ^\n"));
  EXPECT_EQ(run({"compile", vertex, folder.file("a.frag"), "--emit", "ssa"}).status, 0) << "which are not linked";
  EXPECT_EQ(run({"compile", vertex, "--link", "--emit", "ssa"}).status, 2);
  EXPECT_EQ(run({"compile", vertex, vertex, "--link", "--emit", "ssa"}).status, 2);
  EXPECT_THAT(run({"compile", vertex, folder.file("b.vert"), "--link", "-m", "midgard"}).err,
              HasSubstr("--link takes one vertex shader and one fragment shader"));
}

/// What would change nothing is refused, and how code is written as text is no form of a source.
TEST_F(Compile, OptionsHaveAnEffect) {
  const std::string shader = example("ripple.frag");
  EXPECT_THAT(run({"compile", shader, "-m", "midgard", "--verify", "0", "--verify-steps", "5", "--json"}).err,
              HasSubstr("--verify-steps and --verify 0 do not go together"));
  EXPECT_THAT(run({"compile", shader, "--emit", "spirv", "--pixel-format", "r8_unorm"}).err,
              HasSubstr("--pixel-format and --emit spirv do not go together"));
  const auto listing = [&](const std::string& file) {
    return run({"disasm", file, "-m", "midgard:t860", "--syntax", "mesa"});
  };
  const Folder folder;
  ASSERT_EQ(run({"compile", shader, "-m", "midgard:t860", "-o", folder.file("a.bin")}).status, 0);
  EXPECT_EQ(listing(shader).out, listing(folder.file("a.bin")).out) << listing(shader).err;
}

TEST_F(Compile, JsonSaysWhyNothingWasVerified) {
  const Folder folder;
  const std::string long_loop =
      folder.file("a.frag",
                  "#version 300 es\nprecision highp float;\nuniform float f;\nout vec4 c;\nvoid main() {\n"
                  "  float b = f;\n  for (int i = 0; i < 1000000; ++i) b += sin(b);\n  c = vec4(b);\n}\n");
  const Outcome outcome = run({"compile", long_loop, "-m", "midgard", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out).at(0)["result"]["diagnostics"][0]["code"], "VF003");
}

/// The side file says at least which machine and stage it is, and one of an earlier program does not stay.
TEST_F(Compile, EveryProgramHasASideFile) {
  const Folder folder;
  const std::string full = folder.file("a.frag", "uniform lowp vec4 u; void main() { gl_FragColor = u; }\n"),
                    empty = folder.file("b.frag", "void main() { discard; }\n"),
                    vertex = folder.file("c.vert", "void main() {}\n"), code = folder.file("a.bin", "");
  ASSERT_EQ(run({"compile", full, "-m", "rogue", "-o", code}).status, 0);
  ASSERT_EQ(run({"compile", empty, "-m", "rogue", "-o", code}).status, 0);
  const Outcome discards = run({"run", code});
  EXPECT_THAT(discards.out, HasSubstr("1 discarded"));
  EXPECT_EQ(discards.err, "");
  ASSERT_EQ(run({"compile", vertex, "-m", "utgard-gp", "-o", code}).status, 0);
  EXPECT_THAT(run({"info", code}).out, HasSubstr("utgard-gp"));
}

TEST_F(Compile, ResultsOfRunsHaveTheNamesOfGlsl) {
  const Folder folder;
  const std::string shader =
      folder.file("a.vert",
                  "#version 330\nout mat2 m[2];\n"
                  "void main() { m[0] = mat2(1.0); m[1] = mat2(2.0); gl_Position = vec4(1.0); }\n");
  for (const char* const machine : {"midgard", "rogue", "utgard-gp"}) {
    const Outcome outcome = run({"run", shader, "-m", machine});
    EXPECT_THAT(outcome.out, HasSubstr("(m[0][1]) = 0.0 1.0")) << machine;
    EXPECT_THAT(outcome.out, HasSubstr("(m[1][0]) = 2.0 0.0")) << machine;
  }
}

TEST_F(Compile, PicturesShowRenderTarget0) {
  const Folder folder;
  const std::string head = "#version 300 es\nprecision highp float;\nlayout(location = 0) out highp ",
                    two = folder.file("a.frag", head +
                                                    "vec4 a;\nlayout(location = 1) out vec4 b;\n"
                                                    "void main() { b = vec4(1.0); a = vec4(0.2, 0.4, 0.6, 1.0); }\n"),
                    whole = folder.file("b.frag", head + "ivec4 a;\nvoid main() { a = ivec4(1); }\n"),
                    picture = folder.file("a.ppm", "");
  std::vector<std::string> engines{"reference", "vector"};
  if (has_native()) engines.push_back("native");
  for (const char* const machine : {"midgard:t860", "rogue"}) {
    for (const std::string& engine : engines) {
      const Outcome outcome = run({"run", two, "-m", machine, "--image", "3x1", "--engine", engine, "-o", picture});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(read(picture),
                "P6\n3 1\n255\n3f\x99"
                "3f\x99"
                "3f\x99")
          << machine << ' ' << engine;
    }
    const Outcome refused = run({"run", whole, "-m", machine, "--image", "3x1", "-o", picture});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("the colour a consists of integers, of which no picture is made"));
  }
  EXPECT_THAT(run({"run", two, "-m", "rogue", "-o", picture}).err, HasSubstr("this run makes none"));
}

/// What only a picture has is said to count for nothing without one; a varying has as many components as its type.
TEST_F(Compile, RunsOfVaryingsSayWhatCounts) {
  const Folder folder;
  const std::string fragment = folder.file("a.frag", "varying lowp float v; void main() { gl_FragColor = vec4(v); }\n"),
                    vertex =
                        folder.file("b.vert", "varying float v; void main() { v = 5.0; gl_Position = vec4(1.0); }\n"),
                    inputs = folder.file("in.json", R"({"corners": {"v": [[1], [2], [3], [4]]}})");
  for (const char* const machine : {"midgard", "rogue"}) {
    EXPECT_THAT(run({"run", fragment, "-m", machine, "--inputs", inputs}).err, HasSubstr("the first is v [RN020]"));
    EXPECT_THAT(
        run({"run", fragment, "-m", machine, "--inputs", inputs, "--image", "2x2", "-o", folder.file("a.png", "")}).err,
        Not(HasSubstr("RN020")));
    EXPECT_THAT(run({"run", vertex, "-m", machine}).out, HasSubstr("(v) = 5.0\n")) << machine;
  }
}

/// Displacements that a memory word of Midgard has no room for.
TEST_F(Compile, ReachesFarPlaces) {
  const Folder folder;
  const std::string local =
      "#version 300 es\nin float i; out float y;\nvoid main() {\n  float a[9000];\n  a[8200] = 3.0; a[int(i) & 4095] = "
      "1.0;\n"
      "  y = a[8200] + a[int(i) & 4095] + a[(int(i) & 15) + 8195];\n  gl_Position = vec4(y);\n}\n";
  const std::string shared =
      "#version 310 es\nlayout(local_size_x = 4) in;\nshared float s[50000];\nlayout(std430) buffer B { float r[4]; "
      "};\n"
      "void main() {\n  uint i = gl_LocalInvocationID.x;\n  s[40000u + i] = float(i); s[49999] = 2.0;\n  barrier();\n"
      "  r[i] = s[40003u - i] + s[49999];\n}\n";
  const std::string buffers =
      "#version 310 es\nlayout(local_size_x = 4) in;\nlayout(std140) uniform U { vec4 u[4000]; };\n"
      "layout(std430) buffer B { float r[60000]; };\nvoid main() {\n  uint i = gl_LocalInvocationID.x;\n"
      "  r[50000u + i] = u[3500].x + u[2500u + i].y; r[59999] = u[3999].w;\n}\n";
  for (const auto& [name, text] : {std::pair("a.vert", local), {"b.comp", shared}, {"c.comp", buffers}})
    for (const char* const machine : {"midgard:t600", "midgard:t860"}) {
      const Outcome outcome = run({"compile", folder.file(name, text), "-m", machine, "-o", folder.file("a.bin", "")});
      EXPECT_EQ(outcome.status, 0) << name << ' ' << machine << '\n' << outcome.err;
    }
}

/// Of which an instruction of SPIR-V has no room for all words.
TEST_F(Compile, RefusesListsThatAreTooLong) {
  const Folder folder;
  std::string array = "#version 300 es\nin float i; out float y;\nconst float t[65534] = float[](", cases;
  for (int k = 0; k < 65534; ++k) array += k == 0 ? "0." : ",0.";
  array += ");\nvoid main() { y = t[int(i)]; gl_Position = vec4(y); }\n";
  for (int k = 0; k < 32767; ++k) cases += "case " + std::to_string(k) + ":\n";
  const std::string choice =
      "#version 300 es\nflat in int i; out mediump vec4 c;\nvoid main() { c = vec4(0.0);\nswitch (i) {\n" + cases +
      "c = vec4(1.0); } }\n";
  for (const auto& [name, text] : {std::pair("a.vert", array), {"b.frag", choice}}) {
    const Outcome outcome = run({"compile", folder.file(name, text), "-m", "midgard", "--emit", "asm"});
    EXPECT_EQ(outcome.status, 1) << name;
    EXPECT_THAT(outcome.err, HasSubstr("[CO020]"));
    EXPECT_THAT(outcome.err, HasSubstr(std::string(name) + ':'));
  }
}

/// Whatever the inputs give of them is written over what the declaration says.
TEST_F(Compile, UniformsBeginAsDeclared) {
  const Folder folder;
  const std::string shader =
      folder.file("a.vert",
                  "#version 120\nuniform vec2 scale = vec2(8.0, -2.5);\nuniform mat2 turn = mat2(1.0, 2.0, 3.0, 4.0);\n"
                  "uniform int count = -3;\nuniform bool on = true;\nuniform float weights[2] = float[2](0.5, 0.25);\n"
                  "varying vec4 a, b;\nvoid main() {\n  gl_Position = vec4(0.0);\n  a = vec4(turn * scale, count, on ? "
                  "1.0 : 0.0);\n"
                  "  b = vec4(weights[0], weights[1], scale);\n}\n");
  for (const char* const machine : {"midgard", "rogue", "utgard-gp"}) {
    const std::string code = folder.file("a.bin", ""),
                      inputs = folder.file("in.json", R"({"uniforms": {"on": false, "weights": [2]}})");
    ASSERT_EQ(run({"compile", shader, "-m", machine, "-o", code}).status, 0) << machine;
    const Outcome alone = run({"run", code, "-m", machine});
    EXPECT_THAT(alone.out, HasSubstr("(a) = 0.5 6.0 -3.0 1.0")) << machine;
    EXPECT_THAT(alone.out, HasSubstr("(b) = 0.5 0.25 8.0 -2.5")) << machine;
    EXPECT_THAT(alone.err, Not(HasSubstr("IN016"))) << machine;
    EXPECT_THAT(run({"info", code}).out, HasSubstr("vec2 scale (has initial values)")) << machine;
    const Outcome given = run({"run", code, "-m", machine, "--inputs", inputs});
    EXPECT_THAT(given.out, HasSubstr("(a) = 0.5 6.0 -3.0 0.0")) << machine;
    EXPECT_THAT(given.out, HasSubstr("(b) = 2.0 0.25 8.0 -2.5")) << machine;
  }
}

TEST_F(Compile, PacksColoursIntoPixels) {
  const Folder folder;
  const std::string shader = folder.file("a.frag",
                                         "#version 300 es\nprecision highp float;\nlayout(location = 0) out vec4 a;\n"
                                         "layout(location = 1) out vec4 b;\nlayout(location = 2) out vec4 c;\n"
                                         "uniform vec4 u;\nvoid main() { a = u; b = u * 0.5; c = u * 0.25; }\n");
  const auto compiled = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"compile", shader, "-m", "rogue", "-o", folder.file("a.bin")});
    return run(options);
  };
  const Outcome wide = compiled({});
  EXPECT_EQ(wide.status, 1);
  EXPECT_THAT(wide.err, HasSubstr("the colours need 12 words, and a pixel has 8"));
  const Outcome packed = compiled({"--pixel-format", "rgba16_unorm", "--pixel-format", "b=rgba8_unorm"});
  ASSERT_EQ(packed.status, 0) << packed.err;
  EXPECT_THAT(run({"info", folder.file("a.bin")}).out, HasSubstr("vec4 b (as rgba8_unorm)"));
  const std::string inputs = folder.file("inputs.json", R"({"uniforms": {"u": [0.2, 0.5, 1, 7]}})");
  const Outcome result = run({"run", folder.file("a.bin"), "-m", "rogue", "--inputs", inputs});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("colour (a) = 0.2 0.5000076 1.0 1.0")) << "of 65535: 13107, 32768";
  EXPECT_THAT(result.out, HasSubstr("colour (b) = 0.101960786 0.2509804 0.5019608 1.0")) << "of 255: 26, 64, 128";
  EXPECT_THAT(result.out, HasSubstr("colour (c) = 0.050003815 0.1250019 0.2500038 1.0"));
  for (const auto& [format, message] : {std::pair("rgba9", "there is no format of pixels \"rgba9\""),
                                        {"d=rgba8_unorm", "there is no colour d"},
                                        {"=rgba8_unorm", "--pixel-format has no name before ="}}) {
    const Outcome refused = compiled({"--pixel-format", format});
    EXPECT_NE(refused.status, 0) << format;
    EXPECT_THAT(refused.err, HasSubstr(message));
  }
  EXPECT_EQ(compiled({"--pixel-format", "rgba8_unorm", "--pixel-format", "rg8_unorm"}).status, 2) << "given twice";
  EXPECT_THAT(run({"compile", shader, "-m", "midgard", "--pixel-format", "rgba8_unorm", "--emit", "asm"}).err,
              HasSubstr("programs of midgard pack no colours"));
  const std::string vertex = folder.file("a.vert", "void main() { gl_Position = vec4(0.0); }\n");
  EXPECT_EQ(run({"compile", vertex, shader, "-m", "rogue", "--pixel-format", "rgba8_unorm", "--emit", "asm"}).status,
            0);
  const std::string module = folder.file("b.spvasm");
  ASSERT_EQ(run({"compile", shader, "--emit", "spirv", "-o", module}).status, 0);
  const std::string both =
      run({"compile", shader, module, "-m", "rogue", "--pixel-format", "rgba8_unorm", "--emit", "asm"}).out;
  EXPECT_NE(both.find("pck.scale.u8888", both.rfind(".machine")), std::string::npos) << "of the module, too\n" << both;
  EXPECT_THAT(run({"compile", vertex, "-m", "rogue", "--pixel-format", "rgba8_unorm", "--emit", "asm"}).err,
              HasSubstr("only the colours of fragment shaders have formats of pixels"));
}

TEST_F(Compile, WritesLoopsOutAtLevel2) {
  const Folder folder;
  const std::string shader = folder.file(
      "a.frag",
      "#version 300 es\nprecision highp float;\nin vec4 v;\nout vec4 c;\nvoid main() {\n  c = v;\n  for (int i = 0; i "
      "< 3; ++i) c += sin(c);\n}\n");
  EXPECT_THAT(run({"compile", shader, "--emit", "ssa", "-O1"}).out, HasSubstr("turns at"));
  const Outcome outcome = run({"compile", shader, "--emit", "ssa", "-O2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("turns at")));
}

TEST_F(Compile, TellsErrorsWithTheirPlace) {
  const Folder folder;
  const std::string shader = folder.file("a.frag", "#version 100\nvoid main() {\n  gl_FragColor = missing;\n}\n");
  const Outcome outcome = run({"compile", shader, "--emit", "ssa"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("a.frag:3:18: error: 'missing': undeclared identifier [CO001]"));
}

TEST_F(Compile, TakesMarksOfByteOrder) {
  const Folder folder;
  const std::string text = "#version 100\n#include \"b.glsl\"\nvoid main() { gl_FragColor = vec4(one()); }\n";
  folder.file("b.glsl", "\xEF\xBB\xBFmediump float one() { return 1.0; }\n");
  const Outcome outcome = run({"compile", folder.file("a.frag", "\xEF\xBB\xBF" + text), "--emit", "ssa"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::string wide = "\xFF\xFE";
  for (const char each : text) (wide += each) += '\0';
  const Outcome refused = run({"compile", folder.file("w.frag", wide), "--emit", "ssa"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("w.frag:1:1: error: this is text in UTF-16 [MOB012]"));
  std::string wider = wide.substr(0, 2) + std::string(2, '\0');
  for (const char each : text) (wider += each) += std::string(3, '\0');
  EXPECT_THAT(run({"compile", folder.file("v.frag", wider), "--emit", "ssa"}).err,
              HasSubstr("text in UTF-32 [MOB012]\n  hint: iconv -f UTF-32"));
}

TEST_F(Compile, RefusesMacrosOfSeveralLines) {
  for (const char* macro : {"A=1\nvoid main() {}", "A=1\\"}) {
    const Outcome outcome = run({"compile", example("ripple.frag"), "--emit", "ssa", "-D", macro});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("the value that -D gives to A is not one line"));
  }
}

TEST_F(Compile, EndsWithAnErrorWhatTakesTooLong) {
  const Folder folder;
  std::string text = "#version 100\nprecision mediump float;\nstruct S0 { float x, y; };\n", parts;
  for (int i = 1; i < 40; ++i) {
    const std::string below = std::to_string(i - 1);
    text += "struct S" + std::to_string(i) + " { S" + below + " x, y; };\n";
    parts += ".x";
  }
  const std::string shader =
      folder.file("a.frag", text + "uniform S39 s;\nvoid main() { gl_FragColor = vec4(s" + parts + ".x); }\n");
  const Outcome outcome = with_processor_seconds(1, {"compile", shader, "--emit", "ssa"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error: this takes more processor time than it may"));
}

TEST_F(Compile, TakesLongExpressionsAndRefusesDoublingMacros) {
  const Folder folder;
  std::string sum = "level", macros = "#define M0 level\n";
  for (int i = 0; i < 20'000; ++i) sum += "+level";
  for (int i = 1; i <= 60; ++i) {
    const std::string below = std::to_string(i - 1);
    macros += "#define M" + std::to_string(i) + " M" + below + "+M" + below + '\n';
  }
  const std::string begin = "#version 100\nuniform mediump float level;\n";
  const std::string end = "); }\n", main = "void main() { gl_FragColor = vec4(";
  const Outcome taken = run({"compile", folder.file("sum.frag", begin + main + sum + end), "--emit", "ssa"});
  EXPECT_EQ(taken.status, 0) << taken.err;
  const Outcome refused = run({"compile", folder.file("m.frag", begin + macros + main + "M60" + end), "--emit", "ssa"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("m.frag:64:35: error: the shader has more than 500000 tokens here"));
}

TEST_F(Compile, AsksForTheStage) {
  const Outcome outcome = run({"compile", "-", "--emit", "ssa"}, "void main() { gl_FragColor = vec4(1); }");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--stage vertex, fragment or compute"));
  EXPECT_EQ(run({"compile", "-", "--stage", "frag", "--emit", "ssa"}, "void main() { gl_FragColor = vec4(1); }").status,
            0);
}

TEST_F(Compile, NamesStagesThatItDoesNotTake) {
  const Folder folder;
  for (const auto& [ending, stage] : {std::pair("geom", "a geometry shader"),
                                      {"tesc", "a tessellation control shader"},
                                      {"tese", "a tessellation evaluation shader"}}) {
    const std::string file = folder.file(std::string("a.") + ending, "#version 310 es\nvoid main() {}\n");
    const Outcome outcome = run({"run", file, "-m", "midgard"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(file + " is " + stage + ", of a stage that is not compiled"));
  }
}

TEST_F(Compile, IsJson) {
  const Outcome outcome = run({"compile", example("ripple.frag"), "--emit", "ssa", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = parse_json(outcome.out).at(0);
  EXPECT_EQ(json["result"]["emit"], "ssa");
  EXPECT_EQ(json["result"]["text"], run({"compile", example("ripple.frag"), "--emit", "ssa"}).out);
}

const std::vector<std::string> t860{"-m", "midgard:t860"};

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Compile, WritesCodeThatRunsByNames) {
  const Folder folder;
  const std::string code = folder.file("ripple.bin");
  const Outcome written = run({"compile", example("ripple.frag"), "-m", "midgard:t860", "-o", code});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "");
  const std::vector<std::string> inputs{"--inputs", example("ripple.inputs.json"), "--json"};
  const Outcome of_code = run(std::vector<std::string>{"run", code} + inputs);
  ASSERT_EQ(of_code.status, 0) << of_code.err;
  const Outcome of_source = run(std::vector<std::string>{"run", example("ripple.frag")} + t860 + inputs);
  ASSERT_EQ(of_source.status, 0) << of_source.err;
  EXPECT_EQ(parse_json(of_code.out).at(0)["result"], parse_json(of_source.out).at(0)["result"]);
}

TEST_F(Compile, ShowsTheCodeAsText) {
  const Outcome text = run(std::vector<std::string>{"compile", example("ripple.frag"), "--emit", "asm"} + t860);
  ASSERT_EQ(text.status, 0) << text.err;
  const Outcome code = run(std::vector<std::string>{"compile", example("ripple.frag"), "--json"} + t860);
  ASSERT_EQ(code.status, 0) << code.err;
  const auto json = parse_json(code.out).at(0)["result"];
  EXPECT_EQ(json["emit"], "bin");
  EXPECT_EQ(json["verified"]["runs"], 16);
  EXPECT_GT(json["verified"]["compared"], 0);
  EXPECT_EQ(parse_json(code.out).at(0)["input"]["bytes"], std::filesystem::file_size(example("ripple.frag")));
  const Outcome again = run({"asm", "-", "--json"}, text.out);
  EXPECT_EQ(parse_json(again.out).at(0)["result"]["code"], json["code"]) << again.err;
  const Outcome lifted = run(std::vector<std::string>{"compile", example("ripple.frag"), "--emit", "ir"} + t860);
  EXPECT_EQ(lifted.status, 0) << lifted.err;
  EXPECT_EQ(lifted.out, run(std::vector<std::string>{"ir", example("ripple.frag")} + t860).out);
  const Outcome unverified =
      run(std::vector<std::string>{"compile", example("ripple.frag"), "--json", "--no-verify"} + t860);
  EXPECT_EQ(parse_json(unverified.out).at(0)["result"]["verified"], nullptr);
  EXPECT_EQ(parse_json(unverified.out).at(0)["result"]["code"], json["code"]);
}

TEST_F(Compile, JsonGoesBesideTheCode) {
  const Folder folder;
  const std::string code = folder.file("code.bin"), alone = folder.file("alone.bin");
  const std::vector<std::string> command = std::vector<std::string>{"compile", example("ripple.frag")} + t860;
  const Outcome told = run(command + std::vector<std::string>{"--json", "-o", code});
  EXPECT_EQ(told.out, run(command + std::vector<std::string>{"--json"}).out);
  ASSERT_EQ(run(command + std::vector<std::string>{"-o", alone}).status, 0);
  for (const char* ending : {".bin", ".json"})
    EXPECT_EQ(read(std::filesystem::path(folder.file(std::string("code") + ending))),
              read(std::filesystem::path(folder.file(std::string("alone") + ending))));
  const Outcome several = run(std::vector<std::string>{"compile", example("ripple.frag"), example("torus.vert"),
                                                       "--json", "-o", folder.file("none")} +
                              t860);
  EXPECT_EQ(several.status, 2);
  EXPECT_THAT(several.err, HasSubstr("the code of 2 files goes into a folder"));
}

TEST_F(Compile, InterpolatesWithoutPerspectiveWhereItIsTold) {
  const Folder folder;
  const std::string text =
      "#version 330\nnoperspective in vec2 a; in vec2 b; out vec4 o;\nvoid main() { o = vec4(a, b); }\n";
  const std::string shader = folder.file("a.frag", text),
                    plain = folder.file("b.frag", text.substr(0, 13) + text.substr(27));
  const auto code = [&](const std::string& file, const char* machine) {
    return run({"compile", file, "-m", machine, "--emit", "asm"}).out;
  };
  EXPECT_THAT(code(shader, "midgard:t860"), HasSubstr("LD_VARY.f32.noperspective R0.xy~~"));
  EXPECT_THAT(code(plain, "midgard:t860"), Not(HasSubstr("noperspective")));
  EXPECT_THAT(code(shader, "rogue"), testing::ContainsRegex("be: fitr.pixel .*, 2 "));
  EXPECT_THAT(code(plain, "rogue"), Not(HasSubstr("fitr.pixel")));
}

TEST_F(Compile, BuffersEndBeforeTheirArrays) {
  const Folder folder;
  const std::string shader = folder.file("a.comp",
                                         "#version 430\nlayout(local_size_x = 1) in;\n"
                                         "layout(std430, binding = 0) buffer A { int r; };\n"
                                         "layout(std430, binding = 1) buffer B { vec4 head[2]; float tail[]; };\n"
                                         "void main() { r = tail.length(); }\n");
  for (const auto& [words, length] : {std::pair{4, 0}, {8, 0}, {9, 1}, {12, 4}}) {
    const std::string inputs =
        folder.file("in.json", nlohmann::json{{"buffers", {{"A", {9}}, {"B", std::vector<int>(words)}}}}.dump());
    for (const char* machine : {"midgard:t860", "rogue"})
      EXPECT_THAT(run({"run", shader, "-m", machine, "--inputs", inputs}).out,
                  HasSubstr("(A) = " + std::to_string(length)))
          << machine << ' ' << words;
  }
}

TEST_F(Compile, ExplainsWhatLinesCost) {
  const std::vector<std::string> command =
      std::vector<std::string>{"compile", example("ripple.frag"), "--explain-cost"} + t860;
  const Outcome table = run(command);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, testing::StartsWith(" line  words instr.  arithmetic  load_store     texture  source\n"));
  EXPECT_THAT(table.out, HasSubstr("  height += sin(distance_to_centre"));
  const Folder folder;
  const std::string code = folder.file("code.bin"), alone = folder.file("alone.bin");
  EXPECT_EQ(run(command + std::vector<std::string>{"-o", code}).out, table.out) << "the code goes there, not the table";
  ASSERT_EQ(run(std::vector<std::string>{"compile", example("ripple.frag"), "-o", alone} + t860).status, 0);
  EXPECT_EQ(read(std::filesystem::path(code)), read(std::filesystem::path(alone)));
  EXPECT_TRUE(std::filesystem::exists(folder.file("code.json")));
  const auto json = parse_json(run(command + std::vector<std::string>{"--json"}).out).at(0)["result"];
  std::uint64_t words = 0;
  for (const auto& line : json["lines"]) words += line["words"].get<std::uint64_t>();
  const auto stat =
      parse_json(run(std::vector<std::string>{"stat", example("ripple.frag"), "--json"} + t860).out).at(0);
  EXPECT_EQ(stat["result"]["programs"][0]["figures"]["words"], words);
}

/// Inputs of a run often have the name of the shader.
TEST_F(Compile, ReplacesSideFilesOnly) {
  const Folder folder;
  const std::string code = folder.file("a.bin"), inputs = folder.file("a.json", "{}");
  const std::vector<std::string> command{"compile", example("ripple.frag"), "-m", "midgard:t860", "-o", code};
  const Outcome refused = run(command);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr(inputs + " is not a side file, and the code's side file would take its place"));
  EXPECT_FALSE(std::filesystem::exists(code));
  EXPECT_EQ(read(inputs), "{}");
  std::filesystem::remove(inputs);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(command).status, 0) << "the second time over a side file";
  EXPECT_EQ(run({"check", code}).status, 0);
}

TEST_F(Compile, AsksForAMachineThatHasACompiler) {
  const Outcome none = run({"compile", example("ripple.frag")});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("add -m MACHINE"));
  const Outcome other = run({"compile", example("ripple.frag"), "-m", "afuc"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("there is no compiler for afuc"));
  EXPECT_THAT(other.err, HasSubstr("machines with one: midgard"));
  for (const char* command : {"run", "time", "debug", "stat", "check", "disasm", "ir", "coverage", "info"})
    EXPECT_EQ(run({command, example("ripple.frag"), "-m", "afuc"}).err, other.err) << command;
  const Outcome reads = run({"run", example("ripple.frag")});
  EXPECT_EQ(reads.status, 2);
  EXPECT_THAT(reads.err, HasSubstr("is the source of a shader, which is compiled for a machine"));
  EXPECT_THAT(reads.err, HasSubstr("add -m MACHINE, one of midgard"));
  EXPECT_EQ(run({"compile", example("ripple.frag"), "--emit", "asm"}).status, 2);
  EXPECT_EQ(run(std::vector<std::string>{"compile", example("ripple.frag"), "--emit", "ssa"} + t860).status, 2);
}

/// Every subcommand that takes a program takes its source.
TEST_F(Compile, IsDoneOnTheWay) {
  const Folder folder;
  const std::string shader = example("ripple.frag"), module = folder.file("ripple.spvasm");
  ASSERT_EQ(run({"compile", shader, "--emit", "spirv", "-o", module}).status, 0);
  const std::string inputs = example("ripple.inputs.json");
  for (const std::string& file : {shader, module})
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"disasm", file},
             {"check", file},
             {"stat", file},
             {"time", file},
             {"cfg", file},
             {"ir", file},
             {"coverage", file},
             {"diff", file, shader},
             {"info", file},
             {"run", file, "--inputs", inputs},
             {"run", file, "--inputs", inputs, "--image", "8x8", "-o", folder.file("a.png")},
             {"time", file, "--inputs", inputs}}) {
      const Outcome outcome = run(command + t860);
      EXPECT_EQ(outcome.status, 0) << testing::PrintToString(command) << outcome.err;
    }
  EXPECT_EQ(run({"check", shader, "-m", "midgard:all"}).status, 0);
  const Outcome stepped =
      run(std::vector<std::string>{"debug", shader, "--inputs", inputs} + t860, "break :17\ncontinue\nnext-line\n");
  EXPECT_EQ(stepped.status, 0) << stepped.err;
  EXPECT_THAT(stepped.out, HasSubstr("\n  17: height += sin(distance_to_centre"));
  EXPECT_THAT(stepped.out, HasSubstr("\n  18: gl_FragColor = "));
  const auto disassembled = [&](const std::string& level) {
    return run(std::vector<std::string>{"disasm", shader, level} + t860).out;
  };
  EXPECT_NE(disassembled("-O0"), disassembled("-O2"));
  EXPECT_EQ(disassembled("-O2"), run(std::vector<std::string>{"disasm", shader} + t860).out);
  const Outcome refused = run({"stat", example("checker.frag.bin"), "-O1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--optimize is for GLSL and SPIR-V, which are compiled"));
  EXPECT_EQ(run(std::vector<std::string>{"asm", shader} + t860).status, 2);
  EXPECT_EQ(run(std::vector<std::string>{"run", shader, "--index", "0"} + t860).status, 2);
}

const std::vector<std::string> mali450{"-m", "utgard-gp:mali450"};

TEST_F(Compile, SaysHowFewGroupsThereCouldBe) {
  const Folder folder;
  const std::string code = folder.file("gradient.bin"), shader = example("gradient.frag");
  const std::vector<std::string> rogue{"-m", "rogue"};
  const Outcome written = run(std::vector<std::string>{"compile", shader, "-o", code} + rogue);
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.err, testing::MatchesRegex(
                               ".*gradient.frag: note: [0-9]+ groups, [0-9]+ before merging; optimal \\[RG300\\]\n"));
  const auto json = parse_json(run(std::vector<std::string>{"compile", shader, "--json"} + rogue).out).at(0)["result"];
  const auto& merging = json["merging"];
  EXPECT_EQ(merging["parts"].size(), 1);
  EXPECT_EQ(merging["bound"], merging["groups"]);
  EXPECT_LT(merging["groups"], merging["groups_before"]);
  EXPECT_TRUE(merging["parts"][0]["optimal"].get<bool>());
  // without the search there are neighbours only
  const Outcome first = run(std::vector<std::string>{"compile", shader, "-o", code, "-O1"} + rogue);
  EXPECT_EQ(first.err, "");
}

TEST_F(Compile, SchedulesWhereTheMachineHasAScheduler) {
  const Folder folder;
  const std::string code = folder.file("torus.bin"), shader = example("torus.vert");
  const Outcome written = run(std::vector<std::string>{"compile", shader, "-o", code} + mali450);
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(written.err, testing::MatchesRegex(".*torus.vert: note: ([0-9]+) words; (optimal|at least [0-9]+); "
                                                 "prefetch [0-9]+ \\[GP300\\]\n.*trace of word 0: .*"));
  const auto json =
      parse_json(run(std::vector<std::string>{"compile", shader, "--json"} + mali450).out).at(0)["result"];
  const auto words = json["schedule"]["words"].get<std::size_t>();
  EXPECT_EQ(json["code"].get<std::string>().size(), 32 * words);
  EXPECT_EQ(json["schedule"]["traces"].size(), 1);
  EXPECT_LE(json["schedule"]["bound"], words);
  EXPECT_GT(json["verified"]["compared"], 0);
  EXPECT_EQ(read(code).size(), 16 * words);
  EXPECT_EQ(run({"check", "--json", code}).status, 0);
  // longer is looked for fewer words
  const auto first =
      parse_json(run(std::vector<std::string>{"compile", shader, "--json", "-O0"} + mali450).out).at(0)["result"];
  EXPECT_GE(first["schedule"]["words"], words);
  const std::vector<std::string> inputs{"--inputs", example("torus.inputs.json"), "--image", "32x32", "-o"};
  for (const std::string& file : {code, shader, example("torus.vert.bin")}) {
    const Outcome drawn =
        run(std::vector<std::string>{"run", file} + inputs + std::vector<std::string>{folder.file("a.png")} +
            (file == shader ? mali450 : std::vector<std::string>{}));
    EXPECT_EQ(drawn.status, 0) << drawn.err;
  }
}

TEST_F(Compile, ExplainsWhatLinesOfScheduledCodeCost) {
  const Outcome table = run(std::vector<std::string>{"compile", example("torus.vert"), "--explain-cost"} + mali450);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("  gl_Position = uMvp"));
  EXPECT_THAT(table.out, HasSubstr("  vColour = vec4("));
}

TEST_F(Compile, IsDoneOnTheWayForEveryMachine) {
  const std::string shader = example("torus.vert"), inputs = example("torus.inputs.json");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"disasm", shader},
                                             {"check", shader},
                                             {"stat", shader},
                                             {"time", shader},
                                             {"cfg", shader},
                                             {"ir", shader},
                                             {"coverage", shader},
                                             {"diff", shader, shader},
                                             {"info", shader},
                                             {"schedule", shader, "--text"},
                                             {"time", shader, "--inputs", inputs}}) {
    const Outcome outcome = run(command + mali450);
    EXPECT_EQ(outcome.status, 0) << testing::PrintToString(command) << outcome.err;
  }
  const Outcome stepped =
      run(std::vector<std::string>{"debug", shader, "--inputs", inputs} + mali450, "break :12\ncontinue\n");
  EXPECT_EQ(stepped.status, 0) << stepped.err;
  EXPECT_THAT(stepped.out, HasSubstr("\n  12: vColour = vec4("));
  const Outcome compared = run({"stat", shader, "-m", "midgard:t860,utgard-gp"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("torus.vert (midgard:t860)\n"));
  EXPECT_THAT(compared.out, HasSubstr("torus.vert (utgard-gp:mali400)\n"));
}

TEST_F(Compile, TakesArraysOfNumbersInShadersForWhatTheyAre) {
  const Folder folder;
  const std::string constants = "void main() { const uint k[2] = {1u, 2u}; c = vec4(k[int(gl_FragCoord.x) & 1]); }\n";
  const std::string named = folder.file("a.frag", "out vec4 c; " + constants),
                    told = folder.file("a.txt", "#version 450\nout vec4 c;\n" + constants),
                    condition = folder.file("b.frag",
                                            "#version 310 es\nprecision highp float;\nuniform int b[2]; out vec4 c;\n"
                                            "void main() { c = vec4(2); if (uint(b[1]) < 2u) { --c.x; } }\n");
  for (const std::string machine : {"midgard", "rogue"}) {
    EXPECT_THAT(run({"run", named, "-m", machine}).err, HasSubstr("[CO001]")) << "GLSL 1.10 has no such lists";
    const Outcome of_text = run({"run", told, "-m", machine, "--stage", "fragment"});
    EXPECT_THAT(of_text.out, HasSubstr(" = 1.0 1.0 1.0 1.0\n")) << machine << of_text.err;
    const Outcome of_condition = run({"run", condition, "-m", machine});
    EXPECT_THAT(of_condition.out, HasSubstr(" = 1.0 2.0 2.0 2.0\n")) << machine << of_condition.err;
  }
  const std::string array = folder.file("a.c", "const unsigned char code[] = {0x1, 0x2};\n");
  EXPECT_THAT(run({"info", array}).out, HasSubstr("code"));
}

TEST_F(Compile, BlocksThatAreNotReadMayBeGiven) {
  const Folder folder;
  const std::string shader = folder.file("a.frag",
                                         "#version 310 es\nprecision highp float;\nout vec4 c;\n"
                                         "layout(std140) uniform B { float x; };\n"
                                         "layout(std430) buffer C { float y; } several[2];\n"
                                         "void main() { c = vec4(several[1].y); }\n"),
                    inputs =
                        folder.file("a.json", R"({"ubos": {"B": {"x": 1}}, "buffers": {"C[0]": [3], "C[1]": [4]}})"),
                    wrong = folder.file("b.json", R"({"buffers": {"C[2]": [3]}})");
  for (const std::string machine : {"midgard", "rogue"})
    for (const std::string level : {"0", "2"}) {
      const Outcome outcome = run({"run", shader, "-m", machine, "-O", level, "--inputs", inputs});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr(" = 4.0 4.0 4.0 4.0\n"));
      EXPECT_THAT(run({"run", shader, "-m", machine, "-O", level, "--inputs", wrong}).err, HasSubstr("[IN005]"));
    }
}

TEST_F(Compile, WhatGlslItselfDeclaresHasAValue) {
  const Folder folder;
  const std::string sample =
                        folder.file("a.frag",
                                    "#version 320 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = "
                                    "vec4(gl_SampleMaskIn[0], gl_SampleID, gl_SamplePosition.x, gl_NumSamples); }"),
                    range = folder.file("b.frag",
                                        "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = "
                                        "vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0); }"),
                    place = folder.file("c.frag",
                                        "#version 300 es\nprecision highp float;\nout vec4 c;\n"
                                        "void main() { c = gl_FragCoord; }"),
                    far = folder.file("b.json", R"({"uniforms": {"gl_DepthRange.far": 0.5}})"),
                    there = folder.file("c.json", R"({"varyings": {"gl_FragCoord": [3.5, 4.5, 0.25, 0.5]}})");
  for (const std::string machine : {"midgard", "rogue"}) {
    const Outcome outcome = run({"run", sample, "-m", machine});
    EXPECT_THAT(outcome.out, HasSubstr(" = 1.0 0.0 0.5 1.0\n")) << machine << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(run({"run", range, "-m", machine}).out, HasSubstr(" = 0.0 1.0 1.0 1.0\n"));
    EXPECT_THAT(run({"run", range, "-m", machine, "--inputs", far}).out, HasSubstr(" = 0.0 0.5 1.0 1.0\n"));
    EXPECT_THAT(run({"run", place, "-m", machine, "--inputs", there}).out, HasSubstr(" = 3.5 4.5 0.25 0.5\n"));
  }
}

TEST_F(Compile, EveryVectorOfAnOutputHasAName) {
  const Folder folder;
  const std::string shader = folder.file("a.vert",
                                         "#version 300 es\nflat out int a[2]; out mat2 m;\nvoid main() { a[0] = 1; "
                                         "a[1] = 2; m = mat2(4, 5, 6, 7); gl_Position = vec4(0, 0, 0, 1); }\n");
  for (const std::string machine : {"midgard", "rogue"}) {
    const Outcome outcome = run({"run", shader, "-m", machine});
    EXPECT_THAT(outcome.out, HasSubstr("(a[1]) = 2")) << machine << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("(m[1]) = 6.0 7.0")) << machine;
    EXPECT_THAT(run({"run", shader, "-m", machine, "--json"}).out, HasSubstr(R"("name":"m[1]")")) << machine;
  }
}

/// A boolean of a block is any number but 0, also within a structure that is compared, chosen or put together.
TEST_F(Compile, BooleansOfBlocksAreTrueWhateverTheirNumber) {
  const Folder folder;
  const std::string head =
                        "#version 310 es\nlayout(local_size_x = 1) in;\nstruct S { bool b; bvec2 c; bool d[2]; };\n"
                        "struct T { S s; int i; };\nlayout(std430) buffer A { S p[2], q; T t; int o; };\n"
                        "S same(S x) { return x; }\n",
                    given = folder.file("a.json", R"({"buffers": {"A": {"p[0].b": 1, "p[0].c": [1, 2], "p[0].d": [3, 0],
    "p[1].b": 2, "p[1].c": [4, 1], "p[1].d": [1, 0], "q.b": 0, "q.c": [4, 1], "q.d": [1, 0], "o": 1}}})");
  for (const auto& [body, result] :
       {std::pair{"o = int(p[0] == p[1]) + 2 * int(p[0] != q);", 3},
        std::pair{"o = int((o == 1 ? p[0] : q) == p[1]);", 1},
        std::pair{"S x = p[1]; o = int(x == p[0]) + 2 * int(same(p[0]) == x);", 3},
        std::pair{"S x, y; o = int((x = p[0]) == (y = p[1])) + 2 * int((y = x = p[0]) == p[1]);", 3},
        std::pair{"S x; t = T((x = p[0]), 4); o = int((o == 1 ? (x = p[1]) : x) == t.s) + t.i;", 5},
        std::pair{"t = T(p[0], 4); o = int(t.s == p[1]) + t.i;", 5},
        std::pair{"S x[2] = S[2](p[1], q); o = int(x == S[2](p[0], q)) + 2 * int((o++, p[1]) == p[0]);", 3}}) {
    const std::string shader = folder.file("a.comp", head + "void main() { " + body + " }\n");
    for (const std::string machine : {"midgard", "rogue"}) {
      const Outcome outcome = run({"run", shader, "-m", machine, "--inputs", given});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr(" " + std::to_string(result) + "\n1 thread")) << machine << body;
    }
  }
}

TEST_F(Compile, InputsAreReadBeforeAShaderIsCompiledForThem) {
  const Folder folder;
  const std::string shader = folder.file("a.frag", "no shader"), inputs = folder.file("in.json", "{\"threads\": 4,}");
  for (const char* subcommand : {"run", "time", "debug"}) {
    const Outcome outcome = run({subcommand, shader, "-m", "midgard", "--inputs", inputs});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(StartsWith(inputs + ":1:"), HasSubstr("[IN001]"), Not(HasSubstr("[CO001]"))));
  }
  const Outcome picture = run({"run", shader, "-m", "midgard", "--image", "4", "-o", "a.png"});
  EXPECT_THAT(picture.err, HasSubstr("is not a size"));
}

TEST_F(Compile, DepthsAndTheComponentsOfColoursAreShown) {
  const Folder folder;
  const std::string head = "#version 310 es\nprecision highp float;\nuniform float u;\n";
  const std::string depth = folder.file("d.frag", head + "void main() { gl_FragDepth = u; }\n");
  const std::string both = folder.file("b.frag", head + R"(layout(location = 0) out vec4 c0;
layout(location = 1) out ivec2 c1;
void main() { c0 = vec4(u); c1 = ivec2(-3, 3); gl_FragDepth = u; }
)");
  const std::string inputs = folder.file("in.json", R"({"uniforms": {"u": 0.25}})");
  for (const char* const machine : {"midgard:t860", "rogue"}) {
    const auto outcome = [&](const char* subcommand, const std::string& file, std::vector<std::string> more) {
      more.insert(more.begin(), {subcommand, file, "-m", machine});
      return run(more);
    };
    EXPECT_THAT(outcome("run", both, {"--inputs", inputs}).out,
                HasSubstr("  colour (c0) = 0.25 0.25 0.25 0.25\n  colour (c1) = -3 3\n  gl_FragDepth = 0.25\n"))
        << machine;
    EXPECT_THAT(outcome("run", depth, {"--inputs", inputs}).out, HasSubstr("  gl_FragDepth = 0.25\n1 thread"))
        << machine;
    const auto result = parse_json(outcome("run", both, {"--inputs", inputs, "--json"}).out).at(0)["result"];
    const auto& colour = result["outputs"][0]["colours"][1];
    EXPECT_EQ(colour["depth"], "3e800000") << machine;
    EXPECT_EQ(colour["depth_value"], 0.25) << machine;
    EXPECT_EQ(colour["components"], 2) << machine;
    const auto alone = parse_json(outcome("run", depth, {"--inputs", inputs, "--json"}).out).at(0)["result"];
    EXPECT_FALSE(alone["outputs"][0]["colours"][0].contains("name")) << machine << ": the depth is no colour";
    EXPECT_THAT(outcome("info", both, {}).out, HasSubstr("float gl_FragDepth\n")) << machine;
  }
}

TEST_F(Compile, LabelsOfADebuggedShaderAreThoseOfItsListing) {
  const Folder folder;
  const std::string shader = folder.file("a.frag", R"(#version 310 es
precision highp float;
uniform int n;
uniform float u;
layout(location = 0) out vec4 colour;
void main() {
  float s = 0.0;
  for (int i = 0; i < n; ++i) s = sin(s) * u + s;
  colour = vec4(s);
}
)");
  const std::string script = folder.file("script", "info labels\n");
  for (const char* const machine : {"midgard:t860", "rogue"}) {
    std::istringstream listing(run({"disasm", shader, "-m", machine}).out);
    std::string labels;
    for (std::string line; std::getline(listing, line);)
      if (line.starts_with('L') && line.ends_with(':')) labels += line.substr(0, line.size() - 1) + ' ';
    std::istringstream told(run({"debug", shader, "-m", machine, "-x", script}).out);
    std::string found;
    for (std::string line; std::getline(told, line);)
      if (const std::size_t name = line.find(" L"); line.starts_with("0x")) found += line.substr(name + 1) + ' ';
    EXPECT_NE(labels, "") << machine;
    EXPECT_EQ(found, labels) << machine;
  }
}

TEST_F(Compile, InputsForAShaderMayComeThroughAPipe) {
  const Folder folder;
  const std::string shader = folder.file("a.frag", R"(#version 310 es
precision highp float;
uniform float u;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(u); }
)");
  const std::string script = folder.file("script", "run\n");
  for (const std::vector<std::string>& subcommand :
       {std::vector<std::string>{"run"}, {"time"}, {"debug", "-x", script}}) {
    const Outcome outcome = run_behind_pipe(with(subcommand, {shader, "-m", "midgard:t860", "--inputs", "/dev/stdin"}),
                                            R"({"uniforms": {"u": 0.5}})");
    EXPECT_EQ(outcome.status, 0) << subcommand.front() << outcome.err;
    EXPECT_EQ(outcome.err, "") << subcommand.front();
  }
}

TEST_F(Compile, SaysWhatAMachineCannotDo) {
  const Outcome refused = run({"compile", example("ripple.frag"), "-m", "utgard-gp"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("Utgard GP computes vertices and nothing else [CO030]"));
}

TEST_F(Compile, SaysWhatABinaryIs) {
  const Folder folder;
  for (const char* name : {"picture", "picture.frag"}) {
    write(folder.file(name), read(example("bricks.png")));
    const Outcome outcome = run({"compile", "-m", "midgard", folder.file(name)});
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_THAT(outcome.err, HasSubstr("this is a PNG picture, not the source of a shader [FM050]")) << name;
  }
}

}  // namespace
}  // namespace mobula::test
