#include <gmock/gmock.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string firmware_file(const std::string& name) { return test_data("afuc/") + name; }

/// The small firmware as an image.
std::string image(const Folder& folder) {
  std::string file = folder.file("own.fw");
  EXPECT_EQ(run({"asm", "-m", "afuc", firmware_file("run.asm"), "-o", file}).status, 0);
  return file;
}

TEST(RunFirmware, BootsAndShowsThePacketTable) {
  const Folder folder;
  const Outcome outcome = run({"run", image(folder)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("SQE: idle at word 0x0018 after "));
  EXPECT_THAT(outcome.out, HasSubstr(" CP_NOP\n"));
}

TEST(RunFirmware, AssemblyRunsWithoutAnImage) {
  EXPECT_EQ(run({"run", "-m", "afuc", firmware_file("run.asm")}).status, 0);
}

TEST(RunFirmware, ProcessesAStream) {
  const Folder folder;
  const Outcome outcome = run({"run", image(folder), "--stream", firmware_file("run.pm4")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("packet PKT4 48810001, 5 instructions\n  register 0x8100"));
  EXPECT_THAT(outcome.out, HasSubstr("  memory 0x100030000 = 0xdead\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" at level 2"));
}

TEST(RunFirmware, StreamsFollowEachOther) {
  const Folder folder;
  const std::string first = folder.file("1.pm4", "pkt4 0x8100 0x1\n"), second = folder.file("2.hex", "70108000\n");
  const auto json = parse_json(run({"run", "--json", image(folder), "--stream", first, "--stream", second}).out);
  ASSERT_EQ(json.size(), 1u);
  ASSERT_EQ(json[0]["result"]["streams"].size(), 2u);
  EXPECT_EQ(json[0]["result"]["streams"][0]["events"][1]["kind"], "gpu_write");
  EXPECT_EQ(json[0]["result"]["streams"][1]["packets"][0]["name"], "CP_NOP");
}

TEST(RunFirmware, StreamsThatAreCutShortAreErrors) {
  const Folder folder;
  const std::string stream = folder.file("1.hex", "48810001\n");
  const Outcome outcome = run({"run", image(folder), "--stream", stream});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr(stream));
  EXPECT_THAT(outcome.err, HasSubstr("ends in the middle of packet PKT4"));
}

TEST(RunFirmware, PollingForEverIsAnError) {
  const Folder folder;
  const std::string stream = folder.file("1.pm4", "CP_WAIT_REG_MEM 0x4000 0 0 0 0 0\n");
  const Outcome outcome = run({"run", image(folder), "--step-limit", "5000", "--stream", stream});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("within 5000 instructions, in packet CP_WAIT_REG_MEM"));
}

TEST(RunFirmware, MemoryComesFromFiles) {
  const Folder folder;
  const std::string stream = folder.file("1.pm4", "CP_WAIT_REG_MEM 0x4000 0 0 0 0 0\n"),
                    one = folder.file("1.hex", "00000001\n");
  EXPECT_EQ(run({"run", image(folder), "--memory", "0x4000=" + one, "--stream", stream}).status, 0);
}

TEST(RunFirmware, AllEventsShowReadsAndControlRegisters) {
  const Folder folder;
  const std::string stream = folder.file("1.pm4", "CP_INDIRECT_BUFFER 0x1000 0 1\n\n.at 0x1000\nCP_NOP\n");
  EXPECT_THAT(run({"run", image(folder), "--stream", stream}).out, testing::Not(HasSubstr("control")));
  EXPECT_THAT(run({"run", image(folder), "--all-events", "--stream", stream}).out,
              HasSubstr("control 0x10 IB1_BASE = 0x1000"));
}

TEST(RunFirmware, CoverageNamesThePacketsThatRan) {
  const Folder folder;
  const std::string stream = folder.file("1.pm4", "CP_NOP\n");
  const std::string out = run({"run", image(folder), "--coverage", "--stream", stream}).out;
  EXPECT_THAT(out, HasSubstr("words executed\n"));
  EXPECT_THAT(out, HasSubstr("  CP_NOP 0x"));
  EXPECT_THAT(out, testing::Not(HasSubstr("CP_MEM_WRITE 0x")));
  EXPECT_THAT(out, testing::ContainsRegex("never run:.* CP_MEM_WRITE"));
  EXPECT_THAT(out, testing::Not(testing::ContainsRegex("never run:.* CP_NOP")));
  const auto json = parse_json(run({"run", "--json", image(folder), "--coverage"}).out);
  EXPECT_EQ(json[0]["result"]["coverage"][0]["executed"][0]["executions"], 1);
}

TEST(RunFirmware, ProfileTellsWhatPacketsAndFunctionsSpent) {
  const Folder folder;
  const std::string code = folder.file("a.asm",
                                       "[016ee001]\n[01000000]\nmov $02, #handler\nmov $03, 0x10\n"
                                       "cwrite $03, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
                                       "cwrite $02, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
                                       "handler:\ncall #twice\nnop\nstore $00, [$00 + 0x100]\nwaitin\nmov $01, $data\n"
                                       "twice:\ncall #leaf\nnop\ncall #leaf\nnop\nret\nnop\nleaf:\nret\nnop\n");
  const std::string stream = folder.file("1.pm4", "CP_NOP\n");
  const std::string lines = run({"run", "-m", "afuc", code, "--stream", stream, "--collapsed"}).out;
  EXPECT_THAT(lines, HasSubstr("SQE;CP_NOP;fxn13;fxn19 4\n")) << lines;
  EXPECT_THAT(lines, HasSubstr("SQE;CP_NOP;fxn13 6\n")) << "its own slots and those of the returns to it";
  const auto json = parse_json(run({"run", "--json", "-m", "afuc", code, "--stream", stream, "--profile"}).out);
  std::uint64_t writes = 0;
  for (const auto& row : json[0]["result"]["profile"])
    if (row["stack"].size() == 2 && row["stack"][1] == "CP_NOP") writes += row["memory_writes"].get<std::uint64_t>();
  EXPECT_EQ(writes, 1u);
  const std::string text = run({"run", "-m", "afuc", code, "--stream", stream, "--profile"}).out;
  EXPECT_THAT(text, HasSubstr("SQE;CP_NOP;fxn13\n"));
  EXPECT_THAT(text, HasSubstr("SQE 0x0013  fxn19                    ret\n"));
  EXPECT_THAT(text,
              HasSubstr("           1      0       0            0        1               0        0  SQE 0x000a"));
  const auto& result = json[0]["result"];
  ASSERT_EQ(result["profile_packets"].size(), 1u);
  EXPECT_EQ(result["profile_packets"][0]["runs"], 1);
  EXPECT_EQ(result["profile_packets"][0]["memory_writes"], 1);
  EXPECT_EQ(result["profile_packets"][0]["waits"], 0);
  EXPECT_EQ(result["profile_functions"][0]["name"], "fxn13");
  EXPECT_EQ(result["profile_functions"][0]["self"]["instructions"], 6);
  EXPECT_EQ(result["profile_functions"][0]["total"]["instructions"], 10);
  for (const auto& line : result["profile_lines"])
    if (line["word"] == "0x13") {
      EXPECT_EQ(line["instructions"], 2);
    }
}

TEST(RunFirmware, ProfileCountsWaitsAndTrafficByPacketFunctionAndLine) {
  const Folder folder;
  const std::string code = folder.file("a.asm",
                                       "[016dd001]\n[01000000]\nmov $02, #handler\nmov $03, 0x10\n"
                                       "cwrite $03, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
                                       "cwrite $02, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
                                       "handler:\ncall #both\nmov $addr, 0x84 << 24\nwaitin\nmov $01, $data\n"
                                       "both:\nmov $addr, 0x1c\nmov $data, 0x1\nmov $addr, 0x80 << 24\n"
                                       "(rep)store $data, [$02 + 0x4]!\nload $03, [$02 + 0x0]\nret\nnop\n");
  const std::string stream = folder.file("1.pm4", "CP_NOP 1 2 3\nCP_NOP\n");
  const auto json = parse_json(run({"run", "--json", "-m", "afuc", code, "--stream", stream, "--profile"}).out);
  const auto& result = json[0]["result"];
  const auto spent = [](const auto& row) {
    std::vector<std::uint64_t> counts;
    for (const char* what : {"waits", "stream_words", "memory_reads", "memory_writes", "register_reads"})
      counts.push_back(row[what].template get<std::uint64_t>());
    counts.push_back(row["register_writes"].template get<std::uint64_t>());
    return counts;
  };
  using testing::ElementsAre;
  EXPECT_EQ(result["profile_packets"][0]["runs"], 2);
  EXPECT_THAT(spent(result["profile_packets"][0]), ElementsAre(6, 5, 2, 3, 0, 2));
  EXPECT_THAT(spent(result["profile_functions"][0]["total"]), ElementsAre(6, 3, 2, 3, 0, 2))
      << "the call's delay slot waits for it, the headers are the packet's";
  std::size_t seen = 0;
  for (const auto& line : result["profile_lines"]) {
    const std::string text = line["text"];
    ++seen;
    if (text == "mov $addr, 0x84 << 24" || text == "mov $addr, 0x80 << 24") {
      EXPECT_THAT(spent(line), ElementsAre(2, 0, 0, 0, 0, 0)) << text;
    } else if (text == "mov $data, 0x1") {
      EXPECT_THAT(spent(line), ElementsAre(2, 0, 0, 0, 0, 2)) << "until the GPU is idle";
    } else if (text.starts_with("(rep)store")) {
      EXPECT_EQ(line["instructions"], 3);
      EXPECT_THAT(spent(line), ElementsAre(0, 3, 0, 3, 0, 0));
    } else if (text.starts_with("load")) {
      EXPECT_THAT(spent(line), ElementsAre(0, 0, 2, 0, 0, 0));
    } else if (text == "mov $01, $data") {
      EXPECT_THAT(spent(line), testing::Contains(1)) << "one header each";
    } else {
      --seen;
    }
  }
  EXPECT_EQ(seen, 7u);
}

TEST(RunFirmware, CoresTakeStreamsOfTheirOwnAtTheSameTime) {
  const std::string br = "br=" + firmware_file("cores.pm4"), bv = "BV=" + firmware_file("cores-bv.pm4");
  const Outcome both = run({"run", "-m", "afuc", firmware_file("cores.asm"), "--stream", br, "--stream", bv});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("BV   register 0x8101"));
  EXPECT_THAT(both.out, HasSubstr("BR   register 0x8102"));
  const auto json =
      parse_json(run({"run", "-m", "afuc", firmware_file("cores.asm"), "--json", "--stream", br, "--stream", bv}).out);
  ASSERT_EQ(json[0]["result"]["streams"].size(), 1u);
  EXPECT_EQ(json[0]["result"]["streams"][0]["inputs"][1]["core"], "BV");
  const Outcome alone = run({"run", "-m", "afuc", firmware_file("cores.asm"), "--step-limit", "5000", "--stream", br});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err, HasSubstr("BR at word"));
  EXPECT_THAT(run({"run", "-m", "afuc", firmware_file("cores.asm"), "--stream", "lpac=x"}).err,
              HasSubstr("it has BR, BV"));
}

TEST(RunFirmware, ThePfpFeedsTheMe) {
  const Folder folder;
  const std::string pfp = folder.file("pfp.fw"), me = folder.file("me.fw");
  EXPECT_EQ(run({"asm", "-m", "afuc", firmware_file("pfp.asm"), "-o", pfp}).status, 0);
  EXPECT_EQ(run({"asm", "-m", "afuc", firmware_file("me.asm"), "-o", me}).status, 0);
  const Outcome outcome = run({"run", pfp, me, "--stream", firmware_file("a5xx.pm4")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("PFP   to the ME: 0x48810002\n"));
  EXPECT_THAT(outcome.out, HasSubstr("ME   memory 0x30000 = 0x12\n"));
  EXPECT_EQ(run({"run", pfp, me, "--stream", "me=" + firmware_file("a5xx.pm4")}).status, 2)
      << "its words come from the PFP";
}

TEST(RunFirmware, InterruptsAndCountersAreShown) {
  const Outcome outcome =
      run({"run", "-m", "afuc", firmware_file("hardware.asm"), "--stream", firmware_file("hardware.pm4")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  interrupted at word 0x"));
  EXPECT_THAT(outcome.out, HasSubstr("SQE counter NUM_PREEMPTIONS: 1, 0 instructions\n"));
  const auto json = parse_json(
      run({"run", "-m", "afuc", firmware_file("hardware.asm"), "--json", "--stream", firmware_file("hardware.pm4")})
          .out);
  EXPECT_EQ(json[0]["result"]["streams"][0]["counters"][0]["count"], 1);
}

TEST(RunFirmware, EmptyStreamsAreErrors) {
  const Folder folder;
  const Outcome outcome = run({"run", image(folder), "--stream", folder.file("empty.pm4", "")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("[FM005]"));
}

TEST(RunFirmware, FidelityNamesWhatIsNotExact) {
  const Folder folder;
  // Two branches in a row, a word with reserved bits, and a register that images alone tell of.
  const std::string file = folder.file("a.asm",
                                       "[016ee001]\n[#jumptbl]\nmov $02, 0x20\ncwrite $00, [$00 + 0x060]\n"
                                       "load $03, [$02 + 0x0], 0x1\ncread $03, [$00 + 0x0b1]\nwaitin\nmov $01, $data\n"
                                       "CP_NOP:\n(rep)mov $00, $data\nwaitin\nmov $01, $data\njumptbl:\n.jumptbl\n");
  const Outcome shown = run({"run", "-m", "afuc:a630", file, "--fidelity"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("fidelity: 1 executed words and 1 used control registers rest on facts"),
                               HasSubstr("inferred: bits 13:12 are read as a size\n"),
                               HasSubstr("SQE control 0x0b1 COPROCESSOR_LOCK  inferred: what the register does")));
  EXPECT_EQ(run({"run", "-m", "afuc:a630", file, "--strict"}).status, 4);
  const auto json = parse_json(run({"run", "-m", "afuc:a630", file, "--fidelity", "--json"}).out).at(0);
  EXPECT_EQ(schema_errors("run-firmware", json), std::vector<std::string>{});
  EXPECT_EQ(json["result"]["fidelity"].size(), 2u);

  const Outcome exact = run({"run", image(folder), "--strict", "--fidelity"});
  EXPECT_EQ(exact.status, 0) << exact.out;
  EXPECT_THAT(exact.out, HasSubstr("fidelity: every executed word and used control register rests on exact facts\n"));
}

TEST(RunFirmware, TheTraceOfABootThatFailsIsShown) {
  const Folder folder;
  const std::string file = folder.file("a.asm", "[016ee001]\n[01000000]\nmov $02, 0x7\n[fbadc0de]\n");
  const std::vector<std::string> command{
      "run", "-m", "afuc:a630", file, "--trace", "--stream", firmware_file("run.pm4")};
  const Outcome text = run(command);
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, HasSubstr("$02 = 0x7\n"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const auto json = parse_json(run(as_json).out).at(0);
  EXPECT_EQ(schema_errors("run-firmware", json), std::vector<std::string>{});
  EXPECT_EQ(json["result"]["trace"].size(), 4u) << "with the word that stopped it";
}

TEST(RunFirmware, NamesOfThePfpAreNotShownForTheMe) {
  // The same word; what the program asks for at its start tells which of the two it is.
  const auto listing = [](const char* base) {
    return run({"disasm", "-m", "afuc:a530", "-"},
               run({"asm", "-m", "afuc:a530", "-", "--hex"},
                   "[005ff001]\n[00000000]\nmov $05, " + std::string(base) + "\ncwrite $02, [$00 + 0x013]\n")
                   .out)
        .out;
  };
  EXPECT_THAT(listing("0x835"), HasSubstr("cwrite $02, [$00 + @REG_READ_ADDR]"));
  EXPECT_THAT(listing("0x838"), HasSubstr("cwrite $02, [$00 + 0x013]"));
}

TEST(RunFirmware, ShaderOptionsAreRefused) {
  const Folder folder;
  EXPECT_EQ(run({"run", image(folder), "--image", "4x4"}).status, 2);
  EXPECT_EQ(run({"run", example("checker.frag.bin"), example("waves.frag.bin")}).status, 2);
}

}  // namespace
}  // namespace mobula::test
