#include <gmock/gmock.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CoverageCommand, CountsByMachine) {
  const Outcome outcome = run({"coverage", example("checker.frag.bin"), example("waves.frag.bin"),
                               example("color.vert.bin"), example("rogue-loop.rgasm"), test_data("afuc/small.fw")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("midgard: 2 programs, 19 words\n"));
  for (const char* machine : {"afuc: 1 program, ", "rogue: 1 program, ", "utgard-gp: 1 program, 7 words\n"})
    EXPECT_THAT(outcome.out, HasSubstr(machine));
  EXPECT_THAT(outcome.out, HasSubstr(" FSINPI:3 "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("alu.control.tag"))) << "only with --fields";
}

/// Under whichever of their names a listing shows them.
TEST(CoverageCommand, AnEntryIsCountedOnce) {
  const std::string text = run({"coverage", example("checker.frag.bin")}).out;
  const std::string seen = text.substr(0, text.find("\nnot seen")), unseen = text.substr(seen.size());
  for (const char* name : {" r0-r15:", " br.write:", " FADD:"}) EXPECT_THAT(seen, HasSubstr(name));
  for (const char* name : {" r0-r15 ", " br.write ", " FADD "}) EXPECT_THAT(unseen, Not(HasSubstr(name)));
  EXPECT_EQ(seen.find(" FADD:"), seen.rfind(" FADD:"));
}

TEST(CoverageCommand, FieldsAndTheirValues) {
  const Outcome outcome = run({"coverage", "--fields", example("checker.frag.bin")});
  EXPECT_THAT(outcome.out, testing::ContainsRegex("  alu.control.tag +8 +8 +4 of 16 +seed\n"));
  const auto machine =
      parse_json(run({"coverage", "--json", example("checker.frag.bin")}).out).at(0)["result"]["machines"].at(0);
  unsigned floors = 0, sines = 0;
  for (const auto& entry : machine["entries"]) {
    if (entry["name"] == "FFLOOR") floors = entry["words"];
    if (entry["name"] == "FSINPI") sines = entry["words"];
  }
  EXPECT_GT(floors, 0u);
  EXPECT_EQ(sines, 0u) << "not in this program";
  EXPECT_THAT(outcome.out, testing::ContainsRegex("seen, each with its words\n .* LD_VARY.f32:1"));
  EXPECT_EQ(run({"coverage", "--fields", "--json", example("checker.frag.bin")}).status, 2);
}

TEST(CoverageCommand, WhatOtherProgramsDoNotTest) {
  const std::string waves = example("waves.frag.bin"), checker = example("checker.frag.bin");
  const Outcome outcome = run({"coverage", waves, example("color.vert.bin"), "--tested", checker});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t at = outcome.out.find("seen, and not tested in 9 words of 1 program\n");
  ASSERT_NE(at, std::string::npos) << outcome.out;
  const std::string missing = outcome.out.substr(at, outcome.out.find("\nfields:") - at);
  EXPECT_THAT(missing, HasSubstr(" FSINPI"));
  EXPECT_THAT(missing, Not(HasSubstr(" FADD ")));
  EXPECT_THAT(outcome.out, HasSubstr("seen, and not tested in 0 words of 0 programs\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  with values, and none of them tested\n  "));
  EXPECT_THAT(run({"coverage", waves, "--tested", waves}).out, HasSubstr("of 1 program\n \nfields"));
  EXPECT_THAT(run({"coverage", waves, "--tested", checker, "--tested", waves}).out,
              HasSubstr("of 2 programs\n \nfields"));
  EXPECT_EQ(run({"coverage", waves, "--tested", "/nonexistent"}).status, 2);
}

TEST(CoverageCommand, ValuesThatAreTested) {
  const std::string waves = example("waves.frag.bin"), checker = example("checker.frag.bin");
  EXPECT_THAT(run({"coverage", "--fields", waves, "--tested", checker}).out,
              testing::ContainsRegex("  alu.control.tag +[0-9]+ +[0-9]+ +[0-9]+ of 16 +[1-9] +seed\n"));
  const auto machine =
      parse_json(run({"coverage", "--json", waves, "--tested", checker}).out).at(0)["result"]["machines"].at(0);
  unsigned partly = 0;
  for (const auto& field : machine["fields"]) {
    EXPECT_LE(field["tested"], field["values"]);
    partly += field["tested"] > 0 && field["tested"] < field["values"];
  }
  EXPECT_GT(partly, 0u);
  for (const auto& entry : machine["entries"])
    if (entry["name"] == "FSINPI") {
      EXPECT_EQ(entry["tested"], 0u);
      EXPECT_GT(entry["words"], 0u);
    }
}

/// A bit that nobody knows is told with its place.
TEST(CoverageCommand, UnknownFieldsThatAreSet) {
  const Folder folder;
  std::string text = run({"disasm", example("checker.frag.bin")}).out;
  text.insert(text.find("{\n") + 1, " !unknown_8=1");
  const Outcome outcome = run({"coverage", folder.file("a.mdg", text)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of unknown meaning, and set 1 time: alu.control.unknown_8, first in " +
                                     folder.file("a.mdg") + " at 0x0"));
  EXPECT_THAT(run({"coverage", "/nonexistent", example("checker.frag.bin")}).out, HasSubstr("midgard: 1 program"));
  EXPECT_EQ(run({"coverage", "/nonexistent", example("checker.frag.bin")}).status, 2);
}

}  // namespace
}  // namespace mobula::test
