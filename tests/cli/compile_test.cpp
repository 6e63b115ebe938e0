// mobula compile, where the command was built with it.
#include <gmock/gmock.h>

#include "cli/shell.h"

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

TEST_F(Compile, TellsErrorsWithTheirPlace) {
  const Folder folder;
  const std::string shader = folder.file("a.frag", "#version 100\nvoid main() {\n  gl_FragColor = missing;\n}\n");
  const Outcome outcome = run({"compile", shader, "--emit", "ssa"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("a.frag:3:18: error: 'missing': undeclared identifier [CO001]"));
}

TEST_F(Compile, AsksForTheStage) {
  const Outcome outcome = run({"compile", "-", "--emit", "ssa"}, "void main() { gl_FragColor = vec4(1); }");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--stage vertex, fragment or compute"));
  EXPECT_EQ(run({"compile", "-", "--stage", "frag", "--emit", "ssa"}, "void main() { gl_FragColor = vec4(1); }").status,
            0);
}

TEST_F(Compile, IsJson) {
  const Outcome outcome = run({"compile", example("ripple.frag"), "--emit", "ssa", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = parse_json(outcome.out).at(0);
  EXPECT_EQ(json["result"]["emit"], "ssa");
  EXPECT_EQ(json["result"]["text"], run({"compile", example("ripple.frag"), "--emit", "ssa"}).out);
}

}  // namespace
}  // namespace mobula::test
