// Firmware as a program of a user's has it: by public headers alone.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "mobula/isa/machine.h"
#include "mobula/isa/pm4.h"
#include "mobula/lab/firmware_report.h"
#include "mobula/lab/firmware_run.h"
#include "mobula/lab/laboratory.h"
#include "mobula/scoreboard/trace.h"
#include "paths.h"
#include "timeline/contract.h"

namespace mobula::firmware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

std::string text_of(const std::string& file) {
  std::ifstream in(test::source_file(file));
  return {std::istreambuf_iterator<char>(in), {}};
}

Program assembled(const std::string& file, std::string_view machine = "afuc") {
  return find_machine(machine)->assemble({file, text_of(file)}, {}).value();
}
Program own_firmware() { return assembled("examples/firmware.afuc"); }

StreamInput stream_of(std::string_view text) { return {0, "test.pm4", pm4::assemble({"test.pm4", text}).value()}; }

/// What `mobula run --stream --coverage --profile`, and --collapsed after it, say of firmware.
Result<std::string> run_firmware(const Program& image, const StreamInput& input) {
  EmulatorOptions options;
  options.profile = true;
  const auto emulator = switch_on({&image, 1}, options);
  if (!emulator) return fail(emulator.error());
  Emulator& machine = **emulator;
  if (!machine.boot()) return fail(complaints(machine.cores()));
  std::string text;
  for (const CoreReport& core : machine.cores()) text += report(core);
  const auto round = process(machine, {&input, 1});
  if (!round) return fail(round.error());
  text += report(machine, *round);
  text += report(coverage_of(machine, {&*round, 1}));
  text += report(profile_of(machine, {&image, 1}, {&*round, 1}));
  text += collapsed(machine.profile());
  return text + render(complaints(*round));
}

TEST(Firmware, AShortProgramRunsItAndReports) {
  const auto text = run_firmware(own_firmware(), stream_of("pkt4 0x8100 0x11\nCP_MEM_WRITE 0x30000 0x1 0xdead\n"));
  ASSERT_TRUE(text) << render(text.error());
  EXPECT_THAT(*text, StartsWith("SQE: idle at word 0x"));
  EXPECT_THAT(*text, HasSubstr("packet PKT4 48810001, 5 instructions\n  register 0x8100"));
  EXPECT_THAT(*text, HasSubstr("  memory 0x100030000 = 0xdead\n"));
  EXPECT_THAT(*text, HasSubstr(" words executed\n  PKT4 0x"));
  EXPECT_THAT(*text, HasSubstr("never run: UNKN0 UNKN1 IN_IB_END CP_NOP "));
  EXPECT_THAT(*text, HasSubstr("  SQE;CP_MEM_WRITE\n"));
  EXPECT_THAT(*text, HasSubstr("\nSQE;PKT4 4\n"));
}

TEST(Firmware, ValuesSayWhatTheTextsSay) {
  const Program image = own_firmware();
  EmulatorOptions options;
  options.profile = true;
  const auto emulator = switch_on({&image, 1}, options).value();
  ASSERT_TRUE(emulator->boot());
  const StreamInput input = stream_of("pkt4 0x8100 0x11\npkt4 0x8101 0x12\n");
  const Round round = process(*emulator, {&input, 1}).value();
  EXPECT_TRUE(round.report.ok);
  EXPECT_THAT(complaints(round), SizeIs(0));
  EXPECT_EQ(emulator->read_register(0x8101), 0x12u);

  const Profile profile = profile_of(*emulator, {&image, 1}, {&round, 1});
  ASSERT_THAT(profile.packets, SizeIs(1));
  EXPECT_EQ(profile.packets[0].runs, 2u);
  EXPECT_EQ(profile.packets[0].spent.register_writes, 2u);
  Spent by_stack, by_line;
  for (const ProfileRow& row : profile.stacks) by_stack += row.spent;
  for (const Profile::Line& line : profile.lines) by_line += line.spent;
  EXPECT_EQ(by_stack, by_line);
  for (std::size_t i = 1; i < profile.lines.size(); ++i)
    EXPECT_GE(profile.lines[i - 1].spent.instructions, profile.lines[i].spent.instructions);

  const Coverage coverage = coverage_of(*emulator, {&round, 1});
  ASSERT_THAT(coverage.cores, SizeIs(1));
  ASSERT_THAT(coverage.cores[0].handlers, SizeIs(1));
  EXPECT_EQ(coverage.cores[0].handlers[0].packet, "PKT4");
  EXPECT_EQ(coverage.cores[0].executions[coverage.cores[0].handlers[0].handler], 2u);
}

TEST(Firmware, AStreamThatIsCutShortIsAComplaint) {
  const Program image = own_firmware();
  const auto emulator = switch_on({&image, 1}).value();
  emulator->boot();
  const StreamInput input{0, "cut.bin", {.ring = {0x48810001}, .memory = {}, .registers = {}}};
  const Diagnostics found = complaints(process(*emulator, {&input, 1}).value());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].code, "AF160");
  EXPECT_EQ(found[0].where.file, "");
  EXPECT_THAT(stops(emulator->cores()), SizeIs(1));
}

/// The code of the only error; empty if there is none.
template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "" : result.error().at(0).code;
}

TEST(Firmware, WhatCannotBeSwitchedOnIsAnError) {
  EXPECT_EQ(code_of(switch_on({})), "AF110");
  const Program image = own_firmware(), shader = assembled("examples/brighten.frag.mdg", "midgard");
  EXPECT_EQ(code_of(switch_on({&shader, 1})), "MOB003");
  const Program both[] = {image, shader};
  EXPECT_EQ(code_of(switch_on(both)), "AF167");
  EmulatorOptions options;
  options.chip = "a999";
  EXPECT_EQ(code_of(switch_on({&image, 1}, options)), "AF165");
  options.chip = "auto";
  EXPECT_EQ(code_of(switch_on({&image, 1}, options)), "");
  EXPECT_EQ(code_of(PathRecorder::create({&shader, 1})), "AF160");
}

TEST(Firmware, CoresThatAreNotThereDoNothing) {
  const Program image = own_firmware();
  const auto emulator = switch_on({&image, 1}).value();
  emulator->boot();
  StreamInput input = stream_of("CP_NOP\n");
  input.core = 1;
  EXPECT_EQ(code_of(process(*emulator, {&input, 1})), "AF166");
  EXPECT_THAT(emulator->executions(1), SizeIs(0));
  EXPECT_THAT(emulator->spent(1), SizeIs(0));
  const Round nothing = process(*emulator, {}).value();
  EXPECT_TRUE(nothing.report.ok);
  EXPECT_THAT(complaints(nothing), SizeIs(0));
}

TEST(Firmware, MemoryBeyondTheLimitIsAnErrorOfItsStream) {
  const Program image = own_firmware();
  EmulatorOptions options;
  options.memory_bytes = 1 << 14;
  const auto emulator = switch_on({&image, 1}, options).value();
  emulator->boot();
  std::string text = "CP_NOP\n";
  for (unsigned page = 0; page < 8; ++page) text += ".at 0x" + std::to_string(page + 1) + "00000\nCP_NOP\n";
  const StreamInput input = stream_of(text);
  const auto round = process(*emulator, {&input, 1});
  ASSERT_EQ(code_of(round), "AF115");
  EXPECT_EQ(round.error()[0].where.file, "test.pm4");
}

TEST(Firmware, PathsAreThoseAfterTheBoot) {
  const Program image = own_firmware();
  PathRecorder recorder = PathRecorder::create({&image, 1}).value();
  EmulatorOptions options;
  options.profile = true;
  options.on_instruction = [&](const firmware::Executed& done) { recorder.step(done.core, done.word); };
  const auto emulator = switch_on({&image, 1}, options).value();
  emulator->boot();
  recorder.begin(emulator->cores());
  const StreamInput input = stream_of("pkt4 0x8100 0x11\n");
  ASSERT_TRUE(process(*emulator, {&input, 1}));
  const std::vector<ThreadPaths> paths = recorder.take();
  ASSERT_THAT(paths, SizeIs(1));
  ASSERT_EQ(paths[0].threads(), 1u);
  // The word at which the boot waited, the one that takes the header, and the packet's own two; after a zero word.
  EXPECT_THAT(paths[0].addresses(paths[0].path_id(0)), ElementsAre(4 * 0x19, 4 * 0x1A, 4 * 0x21, 4 * 0x22));
}

TEST(Firmware, OfTwoImagesTheSecondIsFedByTheFirst) {
  const Program images[] = {
      find_machine("afuc")->assemble({"pfp", text_of("tests/data/afuc/pfp.asm")}, {{}, "a530"}).value(),
      find_machine("afuc")->assemble({"me", text_of("tests/data/afuc/me.asm")}, {{}, "a530"}).value()};
  const auto cores = switch_on(images).value()->cores();
  ASSERT_THAT(cores, SizeIs(2));
  EXPECT_EQ(cores[0].fed_by, "");
  EXPECT_EQ(cores[1].fed_by, "PFP");
}

TEST(Firmware, AFeedIsRunTimedAndRecorded) {
  const Program image = own_firmware();
  const Feed feed{.memory = {{0x40000, {7}}}, .rounds = {{stream_of("pkt4 0x8100 0x11\n")}, {stream_of("CP_NOP\n")}}};

  const FirmwareRun done = run({&image, 1}, feed, {.trace = true}).value();
  EXPECT_THAT(done.diagnostics, SizeIs(0));
  EXPECT_THAT(done.booted, SizeIs(1));
  ASSERT_THAT(done.rounds, SizeIs(2));
  EXPECT_EQ(done.emulator->read_register(0x8100), 0x11u);
  EXPECT_EQ(done.emulator->read_memory(0x40000), 7u);
  ASSERT_THAT(done.traces, SizeIs(2));
  EXPECT_THAT(done.traces[0], SizeIs(4));
  EXPECT_THAT(run({&image, 1}, {}, {.trace = true}).value().traces, SizeIs(1)) << "the boot";

  const TimedStreams timed = time_streams({&image, 1}, feed, {}, nullptr, 100'000).value();
  EXPECT_THAT(timed.diagnostics, SizeIs(0));
  EXPECT_EQ(timed.paths[0].addresses(timed.paths[0].path_id(0)).size(), timed.joint.cycles());

  const auto boot = scoreboard::record_firmware({&image, 1}, {}, 0).value();
  const auto recorded = scoreboard::record_firmware({&image, 1}, feed, 0).value();
  EXPECT_LT(recorded.operations.size(), boot.operations.size()) << "without the boot";
  EXPECT_EQ(code_of(scoreboard::record_firmware({&image, 1}, feed, 1)), "AF166");
}

TEST(Firmware, ARunEndsWhereSomethingIsWrongAndSaysWhere) {
  const Program image = own_firmware();
  const StreamInput cut{0, "cut.bin", {.ring = {0x48810001}, .memory = {}, .registers = {}}};
  const Feed feed{.rounds = {{cut}, {stream_of("CP_NOP\n")}}};
  const FirmwareRun done = run({&image, 1}, feed).value();
  EXPECT_THAT(done.rounds, SizeIs(1));
  ASSERT_FALSE(done.diagnostics.empty());
  EXPECT_EQ(done.diagnostics[0].where.file, "cut.bin");
  EXPECT_EQ(time_streams({&image, 1}, feed, {}, nullptr, 1000).value().diagnostics.at(0).where.file, "cut.bin");
  EXPECT_EQ(code_of(scoreboard::record_firmware({&image, 1}, feed, 0)), "AF160");
  EXPECT_EQ(code_of(run({}, feed)), "AF110");

  EmulatorOptions options;
  options.packet_instructions = 20;
  const FirmwareRun stuck = run({&image, 1}, feed, {.emulator = options}).value();
  EXPECT_THAT(stuck.rounds, SizeIs(0)) << "it has not booted";
  EXPECT_EQ(stuck.diagnostics.at(0).code, "AF161");
  EXPECT_EQ(stops(stuck.booted).at(0).code, "AF161");
  EXPECT_EQ(code_of(time_streams({&image, 1}, feed, options, nullptr, 1000)), "AF161");
}

TEST(Firmware, StreamsForDifferentCoresAreOneRound) {
  std::vector<CoreReport> cores(3);
  cores[2].name = "ME";
  cores[2].fed_by = "PFP";
  const auto rounds_of = [&](const std::vector<std::size_t>& wanted) {
    std::vector<StreamInput> streams;
    for (const std::size_t core : wanted) streams.push_back({core, std::to_string(streams.size()), {}});
    return in_rounds(std::move(streams), cores);
  };
  std::vector<std::size_t> sizes;
  const auto rounds = rounds_of({0, 1, 1, 0, 0}).value();
  for (const auto& round : rounds) sizes.push_back(round.size());
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
  EXPECT_EQ(code_of(rounds_of({0, 3})), "AF166");
  EXPECT_THAT(rounds_of({2}).error().at(0).message, HasSubstr("the ME gets its packets from the PFP"));
}

TEST(Firmware, RegistersHaveNames) {
  const Program image = own_firmware();
  const auto emulator = switch_on({&image, 1}).value();
  EXPECT_EQ(emulator->register_named("CP_SCRATCH[2]").value(), 0x885u);
  EXPECT_EQ(emulator->register_named("CP_RB_BASE+0x1").value(), 0x801u);
  EXPECT_EQ(code_of(emulator->register_named("CP_NOTHING")), "PM004");
  EXPECT_EQ(code_of(emulator->register_named("CP_RB_BASE 1 ; 2")), "PM004");
  EXPECT_EQ(emulator->control_named("@IB1_BASE+1").value(), 0x11u);
  EXPECT_EQ(emulator->control_named("IB1_BASE").value(), 0x10u);
  EXPECT_EQ(code_of(emulator->control_named("IB1_BAS")), "AF128");
  EXPECT_EQ(code_of(emulator->control_named("IB1_BASE+x")), "AF128");
  EXPECT_EQ(code_of(emulator->control_named("MARKER")), "AF136");
}

TEST(Firmware, ImagesOfDifferentGenerationsDoNotRunTogether) {
  const Program pfp = find_machine("afuc")->assemble({"pfp", text_of("tests/data/afuc/pfp.asm")}, {{}, "a530"}).value();
  const Program first[] = {pfp, own_firmware()}, second[] = {own_firmware(), pfp};
  EXPECT_EQ(code_of(switch_on(first)), "AF167");
  EXPECT_EQ(code_of(switch_on(second)), "AF167");
}

TEST(Firmware, MachinesWithAnEmulatorHaveViewsToo) {
  for (const Machine* machine : machines())
    EXPECT_EQ(machine->firmware_views() != nullptr, has_ability(machine->name(), Ability::firmware)) << machine->name();
}

TEST(Firmware, AllCoresTogetherKeepTheTimelinesContract) {
  const std::vector<Program> both{assembled("examples/documents/afuc/pfp.afuc"),
                                  assembled("examples/documents/afuc/me.afuc")};
  std::string words = "CP_MEM_WRITE 0x20000 0";
  for (int i = 0; i < 100; ++i) words += " 1";
  for (const auto& [name, cycles] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"alu_cycles", 1}, {"alu_cycles", 7}, {"branch_cycles", 0}, {"control_cycles", 13}}) {
    TimelineContract contract;
    JointTiming joint = JointTiming::create(both, &contract, 100'000).value();
    EmulatorOptions options;
    options.costs = {{name, cycles}};
    options.on_instruction = [&](const Executed& done) { joint.step(done); };
    options.on_wait = [&](const Waiting& waiting) { joint.wait(waiting); };
    const auto emulator = switch_on(both, options).value();
    ASSERT_TRUE(emulator->boot());
    joint.begin(emulator->cores());
    const StreamInput input =
        stream_of(words + "\n" + text_of("examples/documents/afuc/race.pm4") + ".ring\n" + words + "\n");
    ASSERT_TRUE(process(*emulator, {&input, 1}).value().report.ok);
    joint.end();
    EXPECT_THAT(contract.broken(), SizeIs(0)) << name << ' ' << cycles << ": " << contract.broken().front();
    for (const JointTiming::Core& core : joint.cores())
      EXPECT_EQ(core.executing + core.waiting_for_words + core.waiting_for_room, joint.cycles()) << core.name;
    EXPECT_THAT(report(joint), HasSubstr("all cores together: "));
  }
}

}  // namespace
}  // namespace mobula::firmware
