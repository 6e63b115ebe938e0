#include <gmock/gmock.h>

#include "cli/shell.h"
#include "mobula/isa/machine.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

TEST(Ir, LiveShowsWhatEachWordReadsWritesAndKeeps) {
  const Outcome outcome = run({"ir", "--live", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0x20:\n  reads  r0.xyz\n  writes r0.xy TMP0.xy\n  live   r0.xy\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nlive after the words:\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  r0.x  0x0 to 0x"));
  EXPECT_THAT(outcome.out, HasSubstr("  r  4 live in 1 register after 0x60\n"));
}

TEST(Ir, LiveIsJsonForEveryMachine) {
  const Folder folder;
  const std::string group = folder.file("loop.bin");
  ASSERT_EQ(run({"asm", "-m", "rogue", example("rogue-loop.rgasm"), "-o", group}).status, 0);
  const std::vector<std::vector<std::string>> programs{
      {example("checker.frag.bin")}, {example("loop.vert.bin")}, {group, "-m", "rogue"}};
  for (const std::vector<std::string>& program : programs) {
    const Outcome outcome = run(with({"ir", "--live", "--json"}, program));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto result = parse_json(outcome.out).at(0)["result"];
    EXPECT_GT(result["words"].size(), 2u);
    EXPECT_FALSE(result["ranges"].empty());
    for (const auto& [bank, most] : result["most"].items())
      EXPECT_LE(most["registers"].get<int>(), most["slots"].get<int>()) << bank;
  }
}

Program repeated_checker(std::size_t bytes) {
  const std::string once = read(example("checker.frag.bin"));
  Program program;
  program.machine = "midgard";
  program.variant = "t860";
  while (program.code.size() < bytes) program.code.insert(program.code.end(), once.begin(), once.end());
  program.code.resize(program.code.size() - 16);  // its last branch leads nowhere
  return program;
}

std::string stored(const Folder& folder, const Program& program) {
  return folder.file("large.bin", {reinterpret_cast<const char*>(program.code.data()), program.code.size()});
}

TEST(Ir, PiecesAreTheProgram) {
  const Folder folder;
  Program program = repeated_checker(400 << 10);
  const ir::Program whole = find_machine("midgard")->lift(program, {}).value();
  const std::vector<std::string> words{"ir", "-m", "midgard:t860", "--side", "none", stored(folder, program)};
  EXPECT_TRUE(run(words).out == ir::print(whole));
  const auto rows = parse_json(run(with(words, {"--json"})).out).at(0)["result"]["blocks"];
  ASSERT_EQ(rows.size(), whole.blocks.size());
  bool same = true;
  for (std::uint32_t i = 0; i < whole.blocks.size(); ++i)
    same = same && rows[i]["text"] == ir::print(whole, i) && rows[i]["fidelity"] == name(whole.blocks[i].fidelity) &&
           rows[i]["bytes"] == whole.blocks[i].bytes;
  EXPECT_TRUE(same);
}

/// Of programs without code, and of those that are entered where nothing is, a block behind the program says so.
TEST(Ir, PiecesHaveTheBlockOfAWrongEntry) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{480}, std::size_t{100} << 10}) {
    Program program = repeated_checker(bytes + 16);
    if (bytes == 0) program.code.clear();
    for (const std::uint64_t entry : {std::uint64_t{0}, std::uint64_t{32}, std::uint64_t{8}, std::uint64_t{1} << 30}) {
      program.entry = entry;
      const auto pieces = find_machine("midgard")->lift_in_pieces(program, {}).value().value();
      std::string text;
      while (const auto piece = pieces()) {
        const LiftedPiece lifted = piece();
        text += ir::print(lifted.program, lifted.first, lifted.end);
      }
      EXPECT_EQ(text, ir::print(find_machine("midgard")->lift(program, {}).value())) << bytes << ' ' << entry;
    }
  }
}

TEST(Ir, OfWhatIsNoCodeIsNoSuccess) {
  const Folder folder;
  const Outcome outcome =
      run({"ir", "-m", "rogue", "--container", "raw", folder.file("none.bin", std::string(64, 'C'))});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("are not code of rogue, from here on [FM057]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("trap"), std::string::npos);
  EXPECT_EQ(run({"ir", example("rogue-loop.rgasm")}).status, 0);
}

}  // namespace
}  // namespace mobula::test
