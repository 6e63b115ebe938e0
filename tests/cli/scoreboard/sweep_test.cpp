// record, sweep, merge and plot; runs of programs of other machines.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string checker = example("checker.frag.bin"), checker_inputs = example("checker.inputs.json"),
                  afuc_data = test_data("afuc/");

std::vector<std::string> sweep(std::vector<std::string> more) {
  more.insert(more.begin(), {"scoreboard", "sweep", "--mix", "fp", "--seeds", "2", "--count", "30", "--axis",
                             "virtual_registers.rows=4,8"});
  return more;
}

TEST(ScoreboardPrograms, RunAsTheyAreRecorded) {
  const Folder folder;
  const std::string recorded = folder.file("checker.sb"), binary = folder.file("checker.sbb");
  ASSERT_EQ(run({"scoreboard", "record", checker, "--inputs", checker_inputs, "-o", recorded}).status, 0);
  ASSERT_EQ(run({"scoreboard", "record", checker, "--inputs", checker_inputs, "--binary", "-o", binary}).status, 0);
  EXPECT_THAT(read(recorded), HasSubstr("4 mul w4 d=F60[0:4) s=F0[4:8),F0[0:4) f=mix g=3 at=32\n"));
  nlohmann::json results[3];
  int i = 0;
  for (const std::string& file : {checker, recorded, binary}) {
    std::vector<std::string> command{"scoreboard", "run", "--json", file};
    if (file == checker) command.insert(command.end(), {"--inputs", checker_inputs});
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    results[i] = parse_json(outcome.out)[0]["result"];
    results[i++].erase("workload");
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_GT(results[0]["executed"], 20);
}

TEST(ScoreboardPrograms, TheThreadAndThePredictorAreChosen) {
  const auto recorded = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"scoreboard", "record", example("torus.vert.bin"), "--inputs", example("torus.inputs.json")});
    return run(more);
  };
  EXPECT_EQ(recorded({"--thread", "1"}).status, 0);
  const Outcome none = recorded({"--thread", "1000000"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no thread 1000000"));
  EXPECT_EQ(recorded({"--predictor", "backward"}).status, 0);
  EXPECT_EQ(recorded({"--predictor", "oracle"}).status, 2);
}

std::vector<std::string> firmware_command(const std::string& command, std::vector<std::string> more) {
  more.insert(more.begin(), {"scoreboard", command, "-m", "afuc:a630", example("firmware.afuc")});
  return more;
}

TEST(ScoreboardPrograms, FirmwareIsRecordedAsItHandlesAStream) {
  const Outcome outcome = run(firmware_command("record", {"--stream", example("stream.pm4")}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::string published = read(example("scoreboard-study/firmware.sb"));
  published.erase(0, published.find("\n0 ") + 1);
  EXPECT_EQ(outcome.out, published);
  for (const char* core : {"seed_full4", "seed_two_level", "byte_lane", "libresoc2020", "inorder_hazard_vector"}) {
    const Outcome ran = run(firmware_command("run", {"--json", "--stream", example("stream.pm4"), "--preset", core}));
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(parse_json(ran.out)[0]["result"]["executed"], std::ranges::count(published, '\n')) << core;
  }
}

TEST(ScoreboardPrograms, FirmwareWithoutAStreamIsItsBoot) {
  const Outcome boot = run(firmware_command("record", {}));
  ASSERT_EQ(boot.status, 0) << boot.err;
  EXPECT_THAT(boot.out, StartsWith("0 int w4 d=F1[0:4) g=3 at=8\n"));
  EXPECT_GT(std::ranges::count(boot.out, '\n'), 128) << "the packet table is loaded entry by entry";
}

TEST(ScoreboardPrograms, OfFirmwareTheThreadIsTheCore) {
  const auto recorded = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"scoreboard", "record", "-m", "afuc", afuc_data + "cores.asm", "--stream",
                               "br=" + afuc_data + "cores.pm4", "--stream", "bv=" + afuc_data + "cores-bv.pm4"});
    return run(more);
  };
  const Outcome first = recorded({}), second = recorded({"--thread", "1"}), none = recorded({"--thread", "9"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_NE(first.out, second.out);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no core 9; the firmware has 2"));
}

TEST(ScoreboardPrograms, FirmwareOfTwoFilesRunsTogether) {
  const auto recorded = [](const std::string& thread) {
    return run({"scoreboard", "record", "-m", "afuc:a530", afuc_data + "pfp.asm", afuc_data + "me.asm", "--stream",
                afuc_data + "a5xx.pm4", "--thread", thread});
  };
  const Outcome pfp = recorded("0"), me = recorded("1"), none = recorded("2");
  EXPECT_EQ(pfp.status, 0) << pfp.err;
  EXPECT_EQ(me.status, 0) << me.err;
  EXPECT_NE(pfp.out, me.out);
  EXPECT_THAT(none.err, HasSubstr("there is no core 2; the firmware has 2"));
  const Outcome shaders = run({"scoreboard", "run", checker, checker});
  EXPECT_EQ(shaders.status, 2);
  EXPECT_THAT(shaders.err, HasSubstr("only firmware runs from several files"));
}

TEST(ScoreboardPrograms, FirmwareFindsMemoryAndSweepsToo) {
  const Folder folder;
  const std::string stream = folder.file("s.pm4", "CP_INDIRECT_BUFFER 0x100000 0 1\n"),
                    memory = folder.file("m.hex", "70108000\n");
  const Outcome outcome = run(firmware_command("sweep", {"--stream", stream, "--memory", "0x100000=" + memory}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2) << outcome.out;
  EXPECT_EQ(run(firmware_command("record", {"--stream", stream})).status, 1) << "nothing is there: no packet";
}

TEST(ScoreboardPrograms, WhatFirmwareCannotDoIsAnError) {
  const Folder folder;
  const Outcome cut = run(firmware_command("record", {"--stream", folder.file("cut.hex", "48810001\n")}));
  EXPECT_EQ(cut.status, 1);
  EXPECT_THAT(cut.err, HasSubstr("[AF160]"));
  EXPECT_THAT(run(firmware_command("run", {"--step-limit", "3"})).err, HasSubstr("[AF161]"));
  EXPECT_EQ(run(firmware_command("run", {"--inputs", checker_inputs})).status, 2);
  const Outcome shader = run({"scoreboard", "run", checker, "--stream", example("stream.pm4")});
  EXPECT_EQ(shader.status, 2);
  EXPECT_THAT(shader.err, HasSubstr("--stream is for firmware, not for programs of shader cores"));
  EXPECT_EQ(run({"scoreboard", "run", example("scoreboard-worked.sb"), "--stream", "x"}).status, 2);
}

TEST(ScoreboardPrograms, WhatIsNoneIsAnError) {
  const Folder folder;
  const Outcome empty = run({"scoreboard", "run", folder.file("empty", "")});
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err, HasSubstr("[FM005]"));
  const Outcome unknown = run({"scoreboard", "run", folder.file("raw", std::string("\0\1\2\xff", 4))});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--machine"));
  const Outcome preset = run({"scoreboard", "run", checker, "--preset", "none"});
  EXPECT_THAT(preset.err, StartsWith("--preset: error:"));
  EXPECT_EQ(run({"scoreboard", "run", example("color.vert.bin")}).status, 1) << "no attributes";
}

TEST(ScoreboardRun, DrawsTheMatrices) {
  const Folder folder;
  const std::string drawing = folder.file("m.svg");
  ASSERT_EQ(run({"scoreboard", "run", example("scoreboard-worked.sb"), "--preset", "june2019", "--matrix-svg", drawing,
                 "--svg-clocks", "3"})
                .status,
            0);
  EXPECT_THAT(read(drawing), HasSubstr(">clock 3<"));
  EXPECT_THAT(read(drawing), Not(HasSubstr(">clock 4<")));
}

TEST(ScoreboardSweep, ShardsMergeToTheWhole) {
  const Folder folder;
  const std::string whole = folder.file("whole.csv"), a = folder.file("a.csv"), b = folder.file("b.csv");
  ASSERT_EQ(run(sweep({"-o", whole})).status, 0);
  ASSERT_EQ(run(sweep({"--shard", "0/2", "-o", a, "--jobs", "1"})).status, 0);
  ASSERT_EQ(run(sweep({"--shard", "1/2", "-o", b})).status, 0);
  const Outcome merged = run({"scoreboard", "merge", b, a});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.out, read(whole));
  EXPECT_EQ(run({"scoreboard", "merge", a}).status, 1);
  EXPECT_EQ(run(sweep({"--shard", "2/2"})).status, 2);
  EXPECT_EQ(parse_json(run({"scoreboard", "merge", a, b, "--json"}).out)[0]["result"]["rows"].size(), 4u);
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("whole.csv", "a.csv", "b.csv"));
}

TEST(ScoreboardSweep, GoesOnWhereItWasStopped) {
  const Folder folder;
  const std::string file = folder.file("s.csv");
  ASSERT_EQ(run(sweep({"-o", file})).status, 0);
  const std::string whole = read(file);
  // A stopped sweep leaves some rows and a piece of one. A finished row is believed, even if it says 12345 clocks.
  std::vector<std::string> lines;
  std::istringstream stream(whole);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5u);
  std::filesystem::remove(file);
  const std::size_t at = lines[1].rfind(',');
  folder.file("s.csv.part", lines[0] + '\n' + lines[1].substr(0, at) + ",12345\n" + lines[2].substr(0, 10));
  ASSERT_EQ(run(sweep({"-o", file})).status, 0);
  const std::string resumed = read(file);
  EXPECT_THAT(resumed, HasSubstr(",12345\n"));
  EXPECT_THAT(resumed, HasSubstr(lines[2] + '\n' + lines[3] + '\n' + lines[4] + '\n'));
  EXPECT_THAT(folder.names(), testing::ElementsAre("s.csv"));
  // Rows of another sweep are not believed.
  ASSERT_EQ(run(sweep({"-o", file, "--registers", "9"})).status, 0);
  EXPECT_THAT(read(file), Not(HasSubstr(",12345\n")));
}

TEST(ScoreboardSweep, EverythingCanBeAnAxis) {
  const Outcome outcome = run({"scoreboard",
                               "sweep",
                               "--json",
                               "--preset",
                               "byte_lane",
                               "--preset",
                               "libresoc2020",
                               "--axis",
                               "hazards=precise,conservative",
                               "--axis",
                               "ports.read=1,unlimited",
                               "--widths",
                               "0",
                               "0",
                               "1",
                               "1",
                               "--max-clocks",
                               "100000",
                               "--mix",
                               "int",
                               "--count",
                               "20",
                               example("scoreboard-textbook.sb")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = parse_json(outcome.out)[0]["result"]["rows"];
  ASSERT_EQ(rows.size(), 2u * 2 * 2 * 2);
  EXPECT_EQ(rows[0]["ports.read"], 1);
  EXPECT_EQ(rows[2]["ports.read"], "unlimited");
  const Outcome wrong = run({"scoreboard", "sweep", "--mix", "fp", "--axis", "rows=1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("rows"));
  const Outcome few = run({"scoreboard", "sweep", "--mix", "fp", "--axis", "virtual_registers.rows=1,32"});
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err, HasSubstr("1 of 2 points failed [SB206]"));
}

/// The core itself is a built-in one, and has no such fault.
TEST(ScoreboardSweep, FaultsOfAnAxisNameIt) {
  const auto said = [](const std::string& axis) {
    return run({"scoreboard", "sweep", "--mix", "fp", "--count", "9", "--axis", "latency.ld=1", "--axis", axis}).err;
  };
  EXPECT_THAT(said("nosuch=1"), HasSubstr("\n  hint: the axes set latency.ld=1, nosuch=1\n"));
  EXPECT_THAT(said("latency.fp=x"), HasSubstr("\n  hint: the axes set latency.ld=1, latency.fp=x\n"));
  EXPECT_THAT(run({"scoreboard", "run", example("scoreboard-worked.sb"), "--set", "R1=5"}).err,
              HasSubstr("\n  hint: it has F0..F127 of 8 bytes, I0..I127 of 8 bytes, "));
}

TEST(ScoreboardPlot, DrawsAndTabulates) {
  const Folder folder;
  const std::string table = folder.file("t.csv"), drawing = folder.file("t.svg");
  ASSERT_EQ(run(sweep({"-o", table})).status, 0);
  ASSERT_EQ(run({"scoreboard", "plot", table, "--x", "virtual_registers.rows", "--y", "clocks", "--per", "operations",
                 "--by", "core", "--where", "workload=fp", "--title", "Rows", "-o", drawing})
                .status,
            0);
  EXPECT_THAT(read(drawing), HasSubstr(">Rows<"));
  EXPECT_THAT(read(drawing), EndsWith("</svg>\n"));
  const Outcome numbers =
      run({"scoreboard", "plot", table, "--x", "virtual_registers.rows", "--y", "ipc", "--y", "clocks", "--markdown"});
  EXPECT_THAT(numbers.out, HasSubstr("| virtual_registers.rows | ipc | clocks |\n"));
  EXPECT_EQ(run({"scoreboard", "plot", table, "--x", "none", "--y", "ipc"}).status, 2);
  EXPECT_EQ(run({"scoreboard", "plot", table, "--x", "seed", "--y", "ipc", "--where", "core"}).status, 2);
}

}  // namespace
}  // namespace mobula::test
