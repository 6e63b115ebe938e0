// What every subcommand that reads programs makes of its inputs.
#include <gmock/gmock.h>

#include "cli/mbs.h"
#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// An MBS2 of a vertex and a fragment program.
std::string container() {
  const auto shader = [](const std::string& stage, const std::string& name) {
    return chunk(stage, chunk("CMMN", chunk("OBJC", read(example(name)))));
  };
  return chunk("MBS2", std::string(4, '\0') + shader("VERT", "light.vert.bin") + shader("FRAG", "checker.frag.bin"));
}

std::string code_of(const Outcome& outcome) {
  const auto results = parse_json(outcome.out);
  if (results.size() != 1) return "none: " + outcome.err;
  std::string bytes;
  for (const auto& word : results[0]["result"]["words"]) bytes += word["bytes"].get<std::string>();
  return bytes;
}

TEST(Input, HexadecimalTextIsTakenWhereverBytesAre) {
  const std::string code = to_hex(read(example("checker.frag.bin")));
  std::string bytes;
  for (std::size_t i = 0; i < code.size(); i += 2) bytes += "0x" + code.substr(i, 2) + (i % 32 == 30 ? "\n" : ", ");
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, bytes)), code);
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, read(example("checker.frag.bin")))), code);
}

TEST(Input, ContainerOverridesWhatTheContentTells) {
  const std::string text = "00000008 00000000 00000000 00000000\n";
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, text)), "08000000000000000000000000000000");
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "--container", "raw", "-"}, text)), to_hex(text));
  EXPECT_EQ(run({"disasm", "-m", "midgard", "--container", "mbs", "-"}, text).status, 1);
  EXPECT_EQ(run({"disasm", "-m", "midgard", "--container", "zip", "-"}, text).status, 2);
}

TEST(Input, ContainersOfSeveralProgramsNeedAChoice) {
  const Folder folder;
  const std::string file = folder.file("both.mbs", container());
  const std::string vertex = to_hex(read(example("light.vert.bin"))),
                    fragment = to_hex(read(example("checker.frag.bin")));
  const Outcome unclear = run({"disasm", "--json", file});
  EXPECT_EQ(unclear.status, 2);
  EXPECT_THAT(unclear.err, HasSubstr("fragment"));
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "vertex", file})), vertex);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "fragment", file})), fragment);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--index", "0", file})), vertex);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--index", "1", file})), fragment);
  EXPECT_EQ(run({"disasm", "--index", "2", file}).status, 2);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "frag", file})), fragment);
  EXPECT_EQ(run({"disasm", "--stage", "compute", file}).status, 2);
  EXPECT_EQ(run({"disasm", "--stage", "pixel", file}).status, 2);
}

TEST(Input, SideFileBesideTheProgramIsRead) {
  const Folder folder;
  const std::string program = folder.file("a.bin", read(example("checker.frag.bin")));
  EXPECT_EQ(run({"disasm", program}).status, 2) << "nothing tells the machine";
  const std::string side = folder.file("a.json", read(example("checker.frag.json")));
  EXPECT_THAT(run({"disasm", program}).out, HasSubstr("\n.uniforms 1\n"));
  EXPECT_THAT(run({"disasm", "--side", "none", "-m", "midgard", program}).out, Not(HasSubstr(".uniforms")));

  const std::string other = folder.file("b.bin", read(example("checker.frag.bin")));
  EXPECT_EQ(run({"disasm", "--side", side, other}).out, run({"disasm", program}).out);
  EXPECT_EQ(run({"disasm", "--side", folder.file("c.json"), other}).status, 2);
}

TEST(Input, BrokenSideFileIsNamed) {
  const Folder folder;
  const std::string program = folder.file("a.bin", read(example("checker.frag.bin")));
  folder.file("a.json", "{\"stage\": 7}");
  const Outcome outcome = run({"disasm", "-m", "midgard", program});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr(folder.file("a.json")));
}

TEST(Input, ASideFileOfAnotherMachineIsRefused) {
  const Outcome outcome = run({"check", "-m", "utgard-gp", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("its side file is for midgard, not for utgard-gp"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("--side none"));
  EXPECT_NE(run({"check", "-m", "utgard-gp", "--side", "none", example("checker.frag.bin")}).status, 2);
}

}  // namespace
}  // namespace mobula::test
