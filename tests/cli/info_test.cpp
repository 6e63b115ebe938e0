#include <gtest/gtest.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

/// The small program of tests/data, as a file without a telling name.
std::string firmware(const Folder& folder) {
  const std::string file = folder.file("image.bin");
  const Outcome made = run({"asm", "-m", "afuc", test_data("afuc/small.asm"), "-o", file});
  EXPECT_EQ(made.status, 0) << made.err;
  return file;
}

TEST(Info, TellsIdProgramsAndPackets) {
  const Folder folder;
  const std::string file = firmware(folder);
  const Outcome outcome = run({"info", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("id 0x6ee, version 0x001"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("has CP_WHERE_AM_I, for a read pointer in memory: at least 0x190, or patched: no"),
            std::string::npos);
  const auto result = parse_json(run({"info", "--json", file}).out).at(0)["result"];
  EXPECT_EQ(result["chip"], "a630");
  EXPECT_EQ(result["cores"][0]["name"], "SQE");
  EXPECT_EQ(result["cores"][0]["functions"], 1);
  EXPECT_EQ(result["cores"][0]["call_depth"], 1);
  EXPECT_EQ(result["cores"][0]["packets"][0x10]["name"], "CP_NOP");
  EXPECT_EQ(result["cores"][0]["packets"].size(), 128u);
}

TEST(Info, FindsInstructionsWithAnyRegister) {
  const Folder folder;
  const std::string file = firmware(folder);
  const auto count = [&](const std::string& pattern) {
    return parse_json(run({"info", "--json", "--find", pattern, file}).out).at(0)["result"]["count"].get<int>();
  };
  EXPECT_EQ(count("mov $x, $regdata"), 2);
  EXPECT_EQ(count("mov $03, $regdata"), 1);
  EXPECT_EQ(count("mov $x, $x"), 0) << "one name is one register";
  EXPECT_EQ(count("(rep)mov $x, $x"), 1) << "(rep)mov $data, $data";
  EXPECT_EQ(count("mov $data, $y"), 2);
  EXPECT_EQ(run({"info", "--find", "mov $x, $x", file}).status, 1);
  const Outcome found = run({"info", "--find", "ushr $x, $01, 0x8", file});
  EXPECT_EQ(found.status, 0);
  EXPECT_NE(found.out.find("PKT4"), std::string::npos) << found.out;
  const Outcome wrong = run({"info", "--find", "and $x, $12", file});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("AF119"), std::string::npos) << wrong.err;
}

TEST(Info, IsForFirmware) { EXPECT_EQ(run({"info", "-m", "midgard", example("checker.frag.bin")}).status, 1); }

}  // namespace
}  // namespace mobula::test
