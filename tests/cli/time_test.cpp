#include <gmock/gmock.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string program = example("checker.frag.bin"), inputs = example("checker.inputs.json");

nlohmann::json simulation_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"time", "--json", program});
  const auto results = parse_json(run(arguments).out);
  return results.size() == 1 ? results[0]["simulations"][0] : nlohmann::json();
}

TEST(Time, ReportsEstimateAndSimulation) {
  const Outcome outcome = run({"time", program});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("Mali-T860 (midgard:t860): " + program));
  EXPECT_THAT(outcome.out, HasSubstr("shortest path           7         1         0\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" cycles for 512 threads"));
  EXPECT_THAT(run({"time", "-m", "midgard:t880", program}).out, StartsWith("Mali-T880 (midgard:t880)"));
}

TEST(Time, ThreadsAndInputsDecideWhoRuns) {
  EXPECT_EQ(simulation_of({"--threads", "5"})["threads"], 5);
  EXPECT_EQ(simulation_of({"--inputs", inputs})["threads"], 1);
  EXPECT_EQ(simulation_of({"--inputs", inputs, "--threads", "6"})["threads"], 6);
  EXPECT_EQ(run({"time", program, program, "--inputs", inputs}).status, 2) << "inputs belong to one program";
}

TEST(Time, ParametersChangeTheResult) {
  EXPECT_THAT(run({"time", program, "--params"}).out, HasSubstr("alu_latency = "));
  EXPECT_EQ(run({"time", "--params", "-m", "midgard:t860"}).out, run({"time", program, "--params"}).out);
  EXPECT_THAT(run({"time", "--params"}).err, HasSubstr("give --machine"));
  EXPECT_EQ(run({"time", "-m", "midgard"}).status, 2) << "a FILE";
  EXPECT_EQ(run({"time", "-m", "midgard", "--params", "--side", "none"}).status, 2) << "a FILE";
  EXPECT_EQ(simulation_of({"--threads", "1", "--param", "alu_latency=1", "--param", "load_store_latency=1"})["cycles"],
            8);
  EXPECT_EQ(simulation_of({"--threads", "1", "--param", "alu_latency=11", "--param", "load_store_latency=1"})["cycles"],
            78);
  EXPECT_EQ(run({"time", program, "--param", "alu_latency"}).status, 2);
  EXPECT_EQ(run({"time", program, "--param", "alu_latency=fast"}).status, 2);
  EXPECT_THAT(run({"time", program, "--param", "nonsense=1"}).err, HasSubstr("TM001"));
  EXPECT_THAT(run({"time", "missing.bin", program, "--param", "nonsense"}).err, Not(HasSubstr("missing.bin")));
}

/// Each for itself, as whatever else is wrong with one of several.
TEST(Time, AParameterIsJudgedForEachFile) {
  const Outcome outcome =
      run({"time", "missing.bin", program, example("waves.frag.bin"), "--param", "alu_latency=3", "--threads", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("missing.bin"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("TM001")));
  const std::string vertex = example("torus.vert.bin");
  const Outcome mixed = run({"time", "missing.bin", vertex, program, "--param", "alu_latency=3", "--threads", "1"});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_THAT(mixed.err, HasSubstr(vertex + ": error: there is no timing parameter alu_latency"));
  EXPECT_THAT(mixed.err, HasSubstr("missing.bin"));
  EXPECT_THAT(mixed.out, HasSubstr("alu_latency = 3"));
  EXPECT_EQ(run({"time", "--together", program, program, "--param", "nonsense=1"}).out, "");
}

TEST(Time, VertexProgramsPassThreeUnits) {
  const std::string torus = example("torus.vert.bin");
  const Outcome outcome = run({"time", torus, "--threads", "10"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("Mali-400 GP (utgard-gp:mali400): " + torus));
  EXPECT_THAT(outcome.out, HasSubstr("shortest path           2        24         2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n244 cycles for 10 threads"));  // 2 + 10 * 24 + 2
  EXPECT_THAT(outcome.out, HasSubstr("mul0    mul1    acc0    acc1    cplx    pass   port0   port1"));
  EXPECT_EQ(run({"time", torus, "--format", "shader-db"}).out,
            torus + " - MESA_SHADER_VERTEX shader: 24 inst, 0 loops, 0:0 spills:fills\n");
  const Outcome inputs_given = run({"time", torus, "--inputs", example("torus.inputs.json"), "--json"});
  const auto report = parse_json(inputs_given.out)[0];
  EXPECT_EQ(schema_errors("time", report), std::vector<std::string>{});
  EXPECT_EQ(report["simulations"][0]["cycles"], 2 + 288 * 24 + 2);
  EXPECT_THAT(run({"time", torus, "--threads", "1", "--timeline"}).out, HasSubstr("load 2 attributes"));
}

TEST(Time, GroupsAreCountedWithTheirBytes) {
  const std::string loop = example("rogue-loop.rgasm");
  const Outcome outcome = run({"time", "-m", "rogue", loop, "--threads", "32", "--timeline"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("PowerVR Rogue (rogue:usc): " + loop));
  EXPECT_THAT(outcome.out, HasSubstr("shortest path          10         1         0         0\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  bytes fetched        88\nlongest path   unbounded\n"));
  EXPECT_THAT(outcome.out, HasSubstr("ISSUE_CYCLES=20 ASSUMED_STALL_CYCLES="));
  EXPECT_THAT(outcome.out, HasSubstr("\nthread 0  |IXR"));
  const auto report = parse_json(run({"time", "-m", "rogue", "--json", loop}).out)[0];
  EXPECT_EQ(schema_errors("time", report), std::vector<std::string>{});
  EXPECT_EQ(report["shaders"][0]["bytes"]["total"], 88);
}

TEST(Time, AdviceSaysWhichGroupsCouldBeOne) {
  const std::string file = example("rogue-advice.rgasm");
  const Outcome outcome = run({"time", "-m", "rogue", "--advise", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n  3 groups are 1, 34 bytes are 20\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n12 groups become 5; the program has 80 bytes then\n"));
  const auto report = parse_json(run({"time", "-m", "rogue", "--advise", "--json", file}).out)[0];
  EXPECT_EQ(schema_errors("advise", report), std::vector<std::string>{});
  EXPECT_EQ(report["result"]["merges"].size(), 4u);
  EXPECT_EQ(report["result"]["code"].get<std::string>().size() % 2, 0u);
  EXPECT_THAT(run({"time", "--advise", program}).err, HasSubstr("there is no advice for programs of midgard"));
  EXPECT_EQ(run({"time", "-m", "rogue", "--advise", file, file}).status, 2);
}

TEST(Time, WithoutAPathTheEstimateIsTheAnswer) {
  const Folder folder;
  const std::string loop = folder.file("loop.gpasm", "{ ld = u[0]; p = mov ld.x; br 0 }\n");
  const Outcome outcome = run({"time", "-m", "utgard-gp", loop, "--path", "longest"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("longest path   unbounded\n"));
  EXPECT_THAT(outcome.out, HasSubstr("note: nothing was simulated: without a run there is no longest path"));
  EXPECT_EQ(
      parse_json(run({"time", "-m", "utgard-gp", loop, "--path", "longest", "--json"}).out)[0]["simulations"].size(),
      0u);
}

TEST(Time, MaxCyclesStopsTheSimulation) {
  const nlohmann::json cut = simulation_of({"--max-cycles", "20"});
  EXPECT_EQ(cut["cycles"], 20);
  EXPECT_EQ(cut["complete"], false);
}

TEST(Time, ProgramsShareTheCoreTogether) {
  const std::string other = example("mad.comp.bin");
  const Outcome outcome = run({"time", "--together", program, other});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" a thread)\ntogether with threads of " + other + "\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" a thread)\ntogether with threads of " + program + "\n"));
  const auto results = parse_json(run({"time", "--together", program, other, "--threads", "8", "--json"}).out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(schema_errors("time", results[0]), std::vector<std::string>{});
  EXPECT_EQ(results[0]["shaders"].size(), 2u);
  ASSERT_EQ(results[0]["simulations"].size(), 2u);
  EXPECT_EQ(results[0]["simulations"][1]["together_with"], nlohmann::json{program});
  EXPECT_GT(results[0]["simulations"][0]["cycles"], simulation_of({"--threads", "8"})["cycles"]);
  EXPECT_EQ(simulation_of({"--threads", "8"})["together_with"], nlohmann::json::array());
  const Outcome timeline = run({"time", "--together", program, other, "--threads", "1", "--timeline"});
  EXPECT_THAT(timeline.out, AllOf(HasSubstr(program + " 0"), HasSubstr(other + " 0")));

  EXPECT_EQ(run({"time", "--together", program}).status, 2);
  EXPECT_EQ(run({"time", "--together", program, other, "--params"}).status, 2);
  EXPECT_EQ(run({"time", "--together", program, other, "--format", "shader-db"}).status, 2);
  EXPECT_EQ(run({"time", "--together", program, other, "--inputs", inputs}).status, 2);
  EXPECT_THAT(run({"time", "--together", example("torus.vert.bin"), example("loop.vert.bin")}).err,
              HasSubstr("[TM008]"));
  EXPECT_THAT(run({"time", "--together", program, example("loop.vert.bin")}).err, HasSubstr("[TM008]"));
}

TEST(Time, FormatsForOtherTools) {
  const Outcome line = run({"time", "--format", "shader-db", program});
  EXPECT_EQ(line.out, program +
                          " - MESA_SHADER_FRAGMENT shader: 17 inst, 9 bundles, 15 quadwords, 2 registers, 4 threads, "
                          "0 loops, 0:0 spills:fills\n");
  const nlohmann::json report =
      nlohmann::json::parse(run({"time", "--format", "offline-compiler", program, example("waves.frag.bin")}).out);
  EXPECT_EQ(report["shaders"].size(), 2u);
  EXPECT_EQ(report["shaders"][0]["variants"][0]["performance"]["pipelines"],
            (nlohmann::json{"arithmetic", "load_store", "texture"}));
  EXPECT_EQ(schema_errors("time", report), std::vector<std::string>{});
  EXPECT_EQ(run({"time", "--format", "xml", program}).status, 2);
}

TEST(Time, Timelines) {
  EXPECT_THAT(run({"time", program, "--threads", "1"}).out, Not(HasSubstr("thread 0  |")));
  EXPECT_THAT(run({"time", program, "--threads", "1", "--timeline"}).out, HasSubstr("\nthread 0  |IXXXXXXXR"));

  const Folder folder;
  const std::string konata = folder.file("a.kanata"), perfetto = folder.file("a.perfetto"),
                    events = folder.file("a.json");
  const Outcome outcome =
      run({"time", program, "--threads", "2", "--konata", konata, "--perfetto", perfetto, "--timeline-json", events});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(read(konata), StartsWith("Kanata\t0004\n"));
  EXPECT_THAT(read(perfetto), HasSubstr("FADD"));
  EXPECT_EQ(schema_errors("timeline", nlohmann::json::parse(read(events))), std::vector<std::string>{});
  EXPECT_EQ(folder.names().size(), 3u) << "no temporary file stays";
  EXPECT_EQ(run({"time", program, program, "--konata", konata}).status, 2) << "a timeline shows one program";
}

TEST(Time, PathIsTakenWithoutInputs) {
  // The long way has three words, the short one two.
  const std::string forked =
      "{\n  smul.FCMP.lt.i32 R31.w, R0.x, R0.y\n  br.cond.true L2\n}\n{\n  vadd.FADD.f32 R0, R0, R0\n}\nL2:\n{\n  "
      "vadd.FADD.f32 R0, R0, R0\n  break\n}\n";
  const auto words = [&](const std::string& path) {
    const auto results =
        parse_json(run({"time", "-m", "midgard", "--json", "--path", path, "--threads", "1", "-"}, forked).out);
    return results.size() == 1 ? results[0]["simulations"][0]["pipes"][0]["words"].get<int>() : -1;
  };
  EXPECT_EQ(words("shortest"), 2);
  EXPECT_EQ(words("longest"), 3);
  EXPECT_EQ(run({"time", program, "--path", "scenic"}).status, 2);
}

std::string own_firmware(const Folder& folder) {
  std::string file = folder.file("own.fw");
  EXPECT_EQ(run({"asm", "-m", "afuc", test_data("afuc/run.asm"), "-o", file}).status, 0);
  return file;
}
const std::string run_stream = test_data("afuc/run.pm4");

TEST(TimeFirmware, EstimatesFunctions) {
  const Folder folder;
  const Outcome outcome = run({"time", own_firmware(folder)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("         3  unbounded         3  unbounded      1  SQE CP_NOP\n"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing was simulated"));
}

/// A packet's instructions count the waitin before it and the one after it; the latter is the next one's first.
TEST(TimeFirmware, CountsWhatAStreamExecutes) {
  const Folder folder;
  const std::string file = own_firmware(folder);
  const auto ran = parse_json(run({"run", "--json", file, "--stream", run_stream}).out)[0]["result"]["streams"][0];
  std::uint64_t instructions = 0;
  for (const auto& packet : ran["packets"]) instructions += packet["instructions"].get<std::uint64_t>() - 1;
  const auto timed = parse_json(run({"time", "--json", file, "--stream", run_stream}).out)[0];
  EXPECT_EQ(schema_errors("time", timed), std::vector<std::string>{});
  EXPECT_EQ(timed["simulations"][0]["counters"]["INSTRUCTIONS"], instructions);
  EXPECT_EQ(timed["simulations"][0]["cycles"], instructions);
  EXPECT_THAT(run({"time", file, "--stream", run_stream, "--timeline"}).out, HasSubstr("CP_MEM_WRITE"));
}

/// Each file gets the instructions of its core, whichever comes first.
TEST(TimeFirmware, ThePfpFeedsTheMe) {
  const Folder folder;
  const std::string pfp = folder.file("pfp.fw"), me = folder.file("me.fw"), stream = test_data("afuc/a5xx.pm4");
  for (const auto& [name, file] : {std::pair("pfp", pfp), std::pair("me", me)})
    EXPECT_EQ(run({"asm", "-m", "afuc", test_data("afuc/") + name + ".asm", "-o", file}).status, 0);
  const auto ran = parse_json(run({"run", "--json", pfp, me, "--stream", stream}).out)[0]["result"]["streams"][0];
  std::map<std::string, std::uint64_t> instructions;
  for (const auto& packet : ran["packets"])
    instructions[packet["core"].get<std::string>()] += packet["instructions"].get<std::uint64_t>() - 1;
  ASSERT_EQ(instructions.size(), 2u);
  const auto timed = parse_json(run({"time", "--json", me, pfp, "--stream", stream}).out)[0];
  EXPECT_EQ(schema_errors("time", timed), std::vector<std::string>{});
  ASSERT_EQ(timed["simulations"].size(), 2u);
  EXPECT_EQ(timed["simulations"][0]["counters"]["INSTRUCTIONS"], instructions["ME"]);
  EXPECT_EQ(timed["simulations"][1]["counters"]["INSTRUCTIONS"], instructions["PFP"]);
  EXPECT_EQ(run({"time", me, pfp, "--timeline"}).status, 2);
  EXPECT_THAT(run({"time", pfp, pfp, "--stream", stream}).err, HasSubstr("AF114"));
}

/// One timeline for both, in which the PFP is ahead; a slower one is not.
TEST(TimeFirmware, AllCoresShareATimeline) {
  const Folder folder;
  const std::string pfp = folder.file("pfp.fw"), me = folder.file("me.fw"), konata = folder.file("both.kanata"),
                    json = folder.file("both.json"), stream = source_file("examples/documents/afuc/race.pm4");
  for (const auto& [name, file] : {std::pair("pfp", pfp), std::pair("me", me)})
    EXPECT_EQ(run({"asm", "-m", "afuc", source_file("examples/documents/afuc/") + name + ".afuc", "-o", file}).status,
              0);
  const Outcome outcome =
      run({"time", "--json", pfp, me, "--stream", stream, "--konata", konata, "--timeline-json", json});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto together = parse_json(outcome.out)[0]["together"];
  EXPECT_EQ(schema_errors("time", parse_json(outcome.out)[0]), std::vector<std::string>{});
  ASSERT_EQ(together["cores"].size(), 2u);
  EXPECT_EQ(together["cores"][0]["name"], "PFP");
  EXPECT_EQ(together["cores"][0]["instructions"], 39);
  EXPECT_EQ(together["cores"][1]["instructions"], 21);
  for (const auto& core : together["cores"])
    EXPECT_EQ(core["executing"].get<int>() + core["waiting_for_words"].get<int>() + core["waiting_for_room"].get<int>(),
              together["cycles"].get<int>());
  const auto timeline = nlohmann::json::parse(read(json));
  EXPECT_EQ(schema_errors("timeline", timeline), std::vector<std::string>{});
  EXPECT_THAT(read(konata), HasSubstr("input"));
  EXPECT_THAT(run({"time", pfp, me, "--stream", stream, "--timeline"}).out,
              AllOf(HasSubstr("\nPFP  |IR "), HasSubstr("\nME   |qqqIR "), HasSubstr("all cores together: 42 cycles")));
  const auto cut = parse_json(run({"time", "--json", pfp, me, "--stream", stream, "--max-cycles", "10"}).out)[0];
  EXPECT_EQ(cut["together"]["complete"], false);
  EXPECT_EQ(cut["together"]["cycles"], 10);
}

TEST(TimeFirmware, OptionsThatDoNothingAreRefused) {
  const Folder folder;
  const std::string file = own_firmware(folder), words = folder.file("one.hex", "00000001\n");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--threads", "2"},
                                             {"--memory", "0x5000=" + words},
                                             {"--policy", "shift=wrap"},
                                             {"--step-limit", "50"},
                                             {"--path", "longest"},
                                             {"--stream", run_stream, "--params"},
                                             {"--stream", run_stream, "--format", "shader-db"}}) {
    std::vector<std::string> all{"time", file};
    all.insert(all.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(all).status, 2) << wrong.back();
  }
}

TEST(TimeFirmware, CostsComeFromAFile) {
  const Folder folder;
  const std::string file = own_firmware(folder);
  const auto cycles = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"time", "--json", file, "--stream", run_stream};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse_json(run(arguments).out)[0]["simulations"][0]["cycles"].get<std::uint64_t>();
  };
  const std::string costs = folder.file("costs.json", R"({"waitin_cycles": 101})");
  const std::uint64_t plain = cycles({}), dear = cycles({"--costs", costs});
  EXPECT_EQ((dear - plain) % 100, 0u);
  EXPECT_GE(dear, plain + 900) << "nine packets wait";
  EXPECT_EQ(cycles({"--costs", costs, "--param", "waitin_cycles=1"}), plain);
  for (const std::string wrong : {"[1]", "{\"waitin_cycles\": -1}", "{\"waitin_cycles\"", ""}) {
    const Outcome outcome = run({"time", file, "--costs", folder.file("wrong.json", wrong)});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("[TM006]"), HasSubstr("[IN001]")));
  }
  EXPECT_THAT(run({"time", file, "--costs", folder.file("no.json", R"({"nonsense": 1})")}).err, HasSubstr("TM001"));
}

TEST(TimeFirmware, MemoryAndStreamsAreForFirmware) {
  const Folder folder;
  EXPECT_EQ(run({"time", program, "--stream", run_stream}).status, 2);
  EXPECT_EQ(run({"time", own_firmware(folder), "--inputs", inputs}).status, 2);
  const std::string words = folder.file("one.hex", "00000001\n"),
                    poll = folder.file("poll.pm4", "CP_WAIT_REG_MEM 0x5000 0x0 0x0 0x0 0x0 0x0\n");
  const Outcome done = run({"time", own_firmware(folder), "--stream", poll, "--memory", "0x5000=" + words});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(run({"time", own_firmware(folder), "--stream", poll, "--step-limit", "50"}).err, HasSubstr("stopped"));
  const Outcome stopped = run({"time", own_firmware(folder), "--stream", folder.file("zero.hex", "00000000\n")});
  EXPECT_EQ(stopped.status, 1) << "as in run";
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("error: "), HasSubstr("stopped")));
  EXPECT_THAT(stopped.out, HasSubstr("cycles")) << "what was executed until then";
}

}  // namespace
}  // namespace mobula::test
