#include <gtest/gtest.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Diff, AFixOfOneInstructionIsPlainThoughAllAddressesMoved) {
  const Folder folder;
  const std::string text = read(test_data("afuc/small.asm"));
  const std::string before = folder.file("old.asm", text);
  const std::string after =
      folder.file("new.asm", replaced(text, "mov $03, $data\n", "mov $03, $data\nand $03, $03, 0x3\n"));
  const Outcome outcome = run({"diff", "-m", "afuc", before, after});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("changed SQE CP_MEM_WRITE"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("and $03, $03, 0x3"), std::string::npos);
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  EXPECT_EQ(result["changed"], 1);
  EXPECT_EQ(result["added"], 0);
  EXPECT_EQ(result["removed"], 0);
  unsigned differing = 0;
  for (const auto& function : result["functions"])
    for (const auto& line : function["lines"]) differing += line["kind"] != "same";
  EXPECT_EQ(differing, 1u);
}

/// A fix that many functions got is told once, whatever their destinations.
TEST(Diff, OneInstructionForAnotherInManyFunctions) {
  const Folder folder;
  const std::string head = "[016ee001]\n[#jumptbl]\nwaitin\nmov $01, $data\n", end = "jumptbl:\n.jumptbl\n";
  const auto firmware = [&](const std::string& mask) {
    return head + "CP_NOP:\nnop\nand $02, $12, " + mask + "\nwaitin\nmov $01, $data\nCP_MEM_WRITE:\nand $03, $12, " +
           mask + "\nor $03, $03, 0x1\nwaitin\nmov $01, $data\n" + end;
  };
  const std::string before = folder.file("old.asm", firmware("0x3")), after = folder.file("new.asm", firmware("0x7"));
  const std::string out = run({"diff", "-m", "afuc", before, after}).out;
  EXPECT_NE(out.find("2 times  and $x, $12, 0x3  ->  and $x, $12, 0x7\n           in SQE CP_NOP, SQE CP_MEM_WRITE\n"),
            std::string::npos)
      << out;
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  ASSERT_EQ(result["replacements"].size(), 1u);
  EXPECT_EQ(result["replacements"][0]["places"].size(), 2u);
}

TEST(Diff, FunctionsThatCameAndWent) {
  const Folder folder;
  const std::string text = read(test_data("afuc/small.asm"));
  const std::string before = folder.file("old.asm", text);
  const std::string after = folder.file(
      "new.asm",
      replaced(text, "CP_NOP:\n", "CP_WAIT_FOR_IDLE:\nmov $addr, 0x80 << 24\nwaitin\nmov $01, $data\nCP_NOP:\n"));
  EXPECT_NE(run({"diff", "-m", "afuc", before, after}).out.find("added SQE CP_WAIT_FOR_IDLE, 3 words"),
            std::string::npos);
  EXPECT_NE(run({"diff", "-m", "afuc", after, before}).out.find("removed SQE CP_WAIT_FOR_IDLE, 3 words"),
            std::string::npos);
}

TEST(Diff, TheSameIsTheSame) {
  const std::string file = test_data("afuc/several.asm");
  const Outcome outcome = run({"diff", "-m", "afuc", file, file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find(" 0 changed, 0 were added, 0 removed"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace mobula::test
