#include <gmock/gmock.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string view_firmware = test_data("afuc/view.asm");

TEST(Cfg, DrawsOneOrAllFunctions) {
  const Outcome all = run({"cfg", "-m", "afuc", view_firmware});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, StartsWith("digraph \"" + view_firmware + "\" {\n"));
  EXPECT_THAT(all.out, HasSubstr("label=\"SQE CP_WAIT_REG_MEM\""));
  EXPECT_THAT(all.out, HasSubstr("000a: brne $07, 0x0, #l10\\l000b:   sub $07, $07, 0x1\\l"));
  const Outcome one = run({"cfg", "-m", "afuc", "--packet", "CP_REG_RMW", view_firmware});
  EXPECT_THAT(one.out, Not(HasSubstr("CP_WAIT_REG_MEM")));
  EXPECT_THAT(one.out, HasSubstr("[label=\"taken\"]"));
  EXPECT_EQ(run({"cfg", "-m", "afuc", "--function", "0x10", "--core", "SQE", view_firmware}).out, one.out);
}

TEST(Cfg, Json) {
  const auto json = parse_json(run({"cfg", "--json", "-m", "afuc", "--function", "fxn56", view_firmware}).out);
  ASSERT_EQ(json.size(), 1u);
  const auto& blocks = json[0]["result"]["functions"][0]["blocks"];
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0]["lines"][2]["slot"], true);
  EXPECT_EQ(blocks[0]["edges"][0]["kind"], "taken");
  EXPECT_EQ(blocks[0]["edges"][0]["to"], "0x38");
}

TEST(Cfg, PseudoCode) {
  const Outcome outcome = run({"cfg", "--pseudo", "-m", "afuc", "--function", "fxn56", view_firmware});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("} while (!$03.b3);"));
  EXPECT_THAT(run({"cfg", "--pseudo", "-m", "afuc", view_firmware}).out, HasSubstr("CP_NOP()\n"));
}

TEST(Cfg, ProgramsOfShaderCores) {
  const Outcome outcome = run({"cfg", example("waves.frag.bin")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[label=\"taken\"]"));
  EXPECT_EQ(run({"cfg", example("torus.vert.bin")}).status, 0);
  EXPECT_EQ(run({"cfg", "--pseudo", example("waves.frag.bin")}).status, 2);
  EXPECT_EQ(run({"cfg", "--function", "x", example("waves.frag.bin")}).status, 2);
}

TEST(Cfg, SaysWhatIsNotThere) {
  const Outcome wrong = run({"cfg", "-m", "afuc", "--packet", "CP_NOPE", view_firmware});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("AF170"));
  EXPECT_EQ(run({"cfg", "-m", "afuc", "--core", "BV", view_firmware}).status, 2);
  EXPECT_EQ(run({"cfg", "-m", "afuc", "--packet", "CP_NOP", "--function", "SQE", view_firmware}).status, 2);
  EXPECT_EQ(run({"cfg", "-m", "afuc", "--pseudo", "--json", view_firmware}).status, 2);
}

}  // namespace
}  // namespace mobula::test
