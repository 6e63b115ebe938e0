#include <gmock/gmock.h>

#include "cli/mbs.h"
#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

const std::string color = example("color.vert.bin");
/// Reference 9.1: the words that differ between the program as compiled and as linked, before linking.
constexpr const char* unlinked[] = {"478002B5", "C6462180", "4243C080"};

TEST(Relink, UndoesWhatTheDriverLinked) {
  const Folder folder;
  const std::string file = folder.file("unlinked.bin");
  const Outcome outcome = run({"relink", color, "--attribute", "0=1", "--attribute", "1=0", "--varying",
                               "gl_Position=0", "--varying", "vColor=1", "-o", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read(file).size(), read(color).size());
  const Outcome hex = run({"relink", "-m", "utgard-gp", file, "--uniform", "2=2", "--hex"});
  ASSERT_EQ(hex.status, 0) << hex.err;
  std::string upper = hex.out;
  for (char& letter : upper) letter = static_cast<char>(std::toupper(letter));
  for (const char* word : unlinked) EXPECT_THAT(upper, HasSubstr(word));
  // And back.
  const Outcome again = run({"relink", "-m", "utgard-gp", file, "--attribute", "0=1", "--attribute", "1=0", "--varying",
                             "0=1", "--varying", "1=0"});
  EXPECT_EQ(again.out, read(color));
}

TEST(Relink, HexStaysHex) {
  const std::string hex = run({"relink", color, "--attribute", "0=0", "--hex"}).out;
  const Outcome outcome = run({"relink", "-m", "utgard-gp", "-", "--varying", "0=5"}, hex);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.size(), hex.size());
  EXPECT_NE(outcome.out, hex);
  EXPECT_EQ(run({"relink", "-m", "utgard-gp", "-", "--varying", "5=0"}, outcome.out).out, hex);
}

std::string symbol(const std::string& ident, std::string name, unsigned offset) {
  name.resize((name.size() + 4) / 4 * 4);
  std::string record(20, '\0');
  record[1] = 1;
  record[2] = 4;
  record[16] = static_cast<char>(offset);
  return chunk(ident, chunk("STRI", name) + record);
}
std::string mbs1(unsigned position, unsigned color_number, const std::string& code) {
  const std::string attributes = symbol("VATT", "aPosition", 4 * position) + symbol("VATT", "aColor", 4 * color_number);
  return chunk("MBS1", chunk("CVER", word(6) + chunk("FINS", word(0) + word(7) + word(5)) +
                                         chunk("SATT", word(2) + attributes) + chunk("DBIN", code)));
}

TEST(Relink, TablesOfMbs1MoveWithTheCode) {
  const std::string code = read(color);
  const Outcome outcome =
      run({"relink", "-", "--attribute", "aPosition=1", "--attribute", "aColor=0"}, mbs1(0, 1, code));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Outcome moved = run({"relink", color, "--attribute", "0=1", "--attribute", "1=0"});
  EXPECT_EQ(outcome.out, mbs1(1, 0, moved.out));
  EXPECT_EQ(run({"check", "-"}, outcome.out).status, 0);
}

TEST(Relink, JsonSaysWhatMoved) {
  const auto results = parse_json(run({"relink", color, "--attribute", "aColor=3", "--json"}).out);
  ASSERT_EQ(results.size(), 1u);
  const auto& result = results[0]["result"];
  EXPECT_EQ(result["words_changed"], 1);
  EXPECT_EQ(result["attributes"], (nlohmann::json{{{"from", 1}, {"to", 3}}}));
  EXPECT_EQ(result["varyings"], nlohmann::json::array());
  EXPECT_EQ(result["code"], to_hex(run({"relink", color, "--attribute", "1=3"}).out));
}

TEST(Relink, TheResultRunsAsItIs) {
  const Folder folder;
  const std::string file = folder.file("moved.bin");
  const std::string inputs = folder.file(
      "inputs.json", R"({"attributes": {"aPosition": [[0.4, 0.6, 0.25, 2]], "aColor": [[0.1, 0.2, 0.3, 0.4]]}})");
  const Outcome moved = run({"relink", color, "--attribute", "0=3", "--attribute", "1=0", "--uniform", "0=10",
                             "--uniform", "1=11", "--uniform", "2=20", "-o", file});
  ASSERT_EQ(moved.status, 0) << moved.err;
  const Outcome before = run({"run", color, "--inputs", inputs}), after = run({"run", file, "--inputs", inputs});
  ASSERT_EQ(before.status, 0) << before.err;
  ASSERT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(after.out, before.out);
  EXPECT_EQ(run({"check", file}).status, 0) << "prefetch and names fit";
  // Moved back onto itself, code and side file are what they were.
  const Outcome back = run({"relink", file, "--attribute", "aPosition=0", "--attribute", "aColor=1", "--uniform",
                            "10=0", "--uniform", "11=1", "--uniform", "20=2", "-o", file});
  ASSERT_EQ(back.status, 0) << back.err;
  EXPECT_EQ(read(file), read(color));
  EXPECT_EQ(run({"run", file, "--inputs", inputs}).out, before.out);
}

TEST(Relink, AllErrorsAreReportedAndNothingIsWritten) {
  const Folder folder;
  const std::string target = folder.file("out.bin", "old");
  const Outcome outcome =
      run({"relink", color, "--attribute", "0=1", "--varying", "1=16", "--uniform", "9=3", "-o", target});
  EXPECT_EQ(outcome.status, 2);
  for (const char* code : {"GP201", "GP202", "GP204"}) EXPECT_THAT(outcome.err, HasSubstr(code));
  EXPECT_EQ(read(target), "old");
}

/// Such as inputs, which a side file of the same name would replace.
TEST(Relink, OtherFilesAreNotReplacedBySideFiles) {
  const Folder folder;
  const std::string code = folder.file("a.bin"), inputs = folder.file("a.json", R"({"threads": 2})");
  const Outcome outcome = run({"relink", color, "--attribute", "0=3", "-o", code});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(inputs + " is not a side file, and the code's side file would take its place"));
  EXPECT_FALSE(std::filesystem::exists(code));
  EXPECT_EQ(read(inputs), R"({"threads": 2})");
}

TEST(Relink, WrongUsageIsToldApart) {
  const auto usage = [](const std::vector<std::string>& more, const std::string& says) {
    std::vector<std::string> arguments{"relink", color};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << says;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  };
  usage({}, "nothing to move");
  usage({"--attribute", "0"}, "what to move");
  usage({"--attribute", "0=x"}, "what to move");
  usage({"--attribute", "0=-1"}, "what to move");
  usage({"--attribute", "0=99999999999"}, "what to move");
  usage({"--attribute", "aColour=0"}, "there is aPosition, aColor");
  usage({"--attribute", "0=1", "--attribute", "aPosition=2"}, "moved twice");
  EXPECT_EQ(run({"relink", example("checker.frag.bin"), "-m", "midgard:t860", "--attribute", "0=1"}).status, 2);
  EXPECT_EQ(run({"relink", "-m", "utgard-gp", "-", "--attribute", "0=1"}, "").status, 1) << "an empty file";
  EXPECT_EQ(run({"relink", "-m", "utgard-gp", "-", "--attribute", "0=1"}, "{ p0 = attr0 }\n").status, 2) << "text";
}

}  // namespace
}  // namespace mobula::test
