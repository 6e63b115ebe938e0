// Public functions return their errors: nothing a caller can give them throws or aborts.
#include <gmock/gmock.h>

#include "mobula/isa/firmware_info.h"
#include "mobula/isa/flow.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/mbs1.h"
#include "mobula/isa/relink.h"
#include "mobula/lab/laboratory.h"
#include "mobula/lab/run.h"
#include "mobula/lab/schedule.h"
#include "mobula/lab/timing.h"
#include "mobula/lab/tracer.h"

namespace mobula {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "none" : result.error().front().code;
}
/// Two multiplications of Midgard.
Program program() {
  return find_machine("midgard")->assemble({"t", "{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n"}, {}).value();
}
ir::Program lifted() { return find_machine("midgard")->lift(program(), {}).value(); }

TEST(PublicErrors, AnUnknownVariantIsOneEverywhere) {
  for (const Machine* machine : machines()) {
    Program unknown;
    unknown.file = "here";
    unknown.machine = machine->name();
    unknown.variant = "t9000";
    unknown.code.resize(64);
    const std::string name(machine->name());
    const auto listing = machine->disassemble(unknown, {});
    EXPECT_EQ(code_of(listing), "MOB002") << name;
    EXPECT_EQ(listing.error().front().message, "unknown " + name + " variant 't9000'");
    EXPECT_EQ(listing.error().front().where.file, "here");
    EXPECT_THAT(listing.error().front().hint, HasSubstr(std::string(machine->variants().front().name)));
    EXPECT_EQ(listing.error().front().hint, parse_machine(name + ":t9000").error().front().hint);
    EXPECT_EQ(code_of(machine->assemble({"here", ""}, {.syntax = {}, .variant = "t9000"})), "MOB002") << name;
    EXPECT_EQ(machine->check(unknown).at(0).code, "MOB002") << name;
    EXPECT_EQ(machine->explain(unknown).at(0).diagnostics.at(0).code, "MOB002") << name;
    EXPECT_EQ(code_of(machine->lift(unknown, {})), "MOB002") << name;
    const TimingModel& model = *find_timing_model(name);
    EXPECT_EQ(code_of(model.estimate(unknown, {})), "MOB002") << name;
    EXPECT_EQ(code_of(model.simulate(unknown, {})), "MOB002") << name;
    EXPECT_THAT(model.parameters("t9000"), IsEmpty()) << name;
    EXPECT_EQ(code_of(firmware::info(unknown)), has_ability(name, Ability::firmware) ? "MOB002" : "AF160") << name;
    unknown.variant.clear();
    EXPECT_TRUE(machine->disassemble(unknown, {})) << name;
  }
}

TEST(PublicErrors, AProgramOfAnotherMachineIsTakenNowhere) {
  for (const Machine* machine : machines()) {
    const std::string name(machine->name());
    Program others;
    others.machine = name == "rogue" ? "midgard" : "rogue";
    others.code.resize(64);
    EXPECT_EQ(code_of(machine->disassemble(others, {})), "MOB013") << name;
    EXPECT_EQ(machine->check(others).at(0).code, "MOB013") << name;
    EXPECT_EQ(machine->explain(others).at(0).diagnostics.at(0).code, "MOB013") << name;
    EXPECT_EQ(code_of(machine->lift(others, {})), "MOB013") << name;
    const TimingModel& model = *find_timing_model(name);
    EXPECT_EQ(code_of(model.estimate(others, {})), "MOB013") << name;
    EXPECT_EQ(code_of(model.simulate(others, {})), "MOB013") << name;
    others.machine.clear();
    EXPECT_TRUE(machine->disassemble(others, {})) << name;
  }
}

TEST(PublicErrors, UnknownNamesOfMachines) {
  for (const std::string_view name : {"", "z80", "midgard ", "midgard:", "midgard:t860:"}) {
    EXPECT_FALSE(parse_machine(name)) << name;
    EXPECT_EQ(find_machine(name), nullptr);
    EXPECT_EQ(find_timing_model(name), nullptr);
    EXPECT_FALSE(has_ability(name, Ability::relink));
  }
  Program nobodys = program();
  nobodys.machine = "z80";
  EXPECT_EQ(code_of(schedule(nobodys)), "MOB001");
  EXPECT_EQ(code_of(relink(nobodys, {})), "MOB001");
  EXPECT_EQ(code_of(firmware::info(nobodys)), "MOB001");
  EXPECT_EQ(parse_machine("midgrad").error().front().hint,
            "did you mean midgard? known machines: midgard, utgard-gp, rogue, afuc");
  EXPECT_EQ(code_of(relink_mbs1(nobodys.code, nobodys, {})), code_of(mbs1::read(nobodys.code)));
  EXPECT_EQ(code_of(time_program(nobodys)), "MOB001");
  const auto lacking = schedule(program());
  EXPECT_EQ(lacking.error().front().message, "programs of midgard cannot be scheduled");
  EXPECT_EQ(lacking.error().front().hint, "programs of utgard-gp can");
}

TEST(PublicErrors, UnknownSyntaxesAndPolicies) {
  for (const Machine* machine : machines()) {
    Program nops;
    nops.machine = machine->name();
    nops.code.resize(64);
    EXPECT_FALSE(machine->disassemble(nops, {.syntax = "runes"})) << machine->name();
    EXPECT_FALSE(machine->assemble({"", ""}, {.syntax = "runes", .variant = {}})) << machine->name();
    EXPECT_FALSE(machine->lift(nops, {{"mood", "good"}})) << machine->name();
    for (const Policy& policy : machine->policies())
      EXPECT_FALSE(machine->lift(nops, {{std::string(policy.name), "runes"}})) << machine->name() << policy.name;
  }
}

TEST(PublicErrors, EmptyAndTruncatedPrograms) {
  for (const Machine* machine : machines())
    for (const std::size_t bytes : {0, 1, 3, 7, 15, 17}) {
      Program piece;
      piece.machine = machine->name();
      piece.code.resize(bytes);
      for (const std::uint64_t entry : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        piece.entry = entry;
        piece.labels = {{"nowhere", entry}};
        (void)machine->disassemble(piece, {.bytes = true, .words = true});
        (void)machine->check(piece);
        (void)machine->explain(piece);
        const auto code = machine->lift(piece, {});
        if (code) (void)run_program(piece, *code, {});
        (void)find_timing_model(machine->name())->estimate(piece, {});
        (void)find_timing_model(machine->name())->simulate(piece, {});
        (void)schedule(piece);
        (void)relink(piece, {.attributes = {{0, 99}}, .varyings = {}, .uniforms = {}});
      }
    }
}

TEST(PublicErrors, InputsThatNameFilesWithoutAReader) {
  const auto refused = read_run_inputs({"in.json", R"({"textures": {"0": {"file": "a.png"}}})"}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(render(refused.error()), HasSubstr("IN018"));
  EXPECT_TRUE(read_run_inputs({"in.json", "{}"}, {}));
  EXPECT_FALSE(read_run_inputs({"in.json", R"({"mesh": "a.obj"})"}, {}));
}

TEST(PublicErrors, InputsWithoutValues) {
  const Program midgard = program();
  const ir::Program code = lifted();
  const auto refused = [&](auto change) {
    RunInputs inputs;
    change(inputs);
    return code_of(run_program(midgard, code, inputs));
  };
  EXPECT_EQ(refused([](RunInputs& in) { in.attributes[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.varyings[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.tile[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.textures[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.samplers[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.images[0]; }), "RN015");
  EXPECT_EQ(refused([](RunInputs& in) { in.uniforms.push_back({.first = ~0u, .values = {1}}); }), "RN004");
  EXPECT_EQ(refused([](RunInputs& in) { in.slots["r99"] = 1; }), "RN007");
  EXPECT_EQ(refused([](RunInputs& in) { in.local_size = {~0u, ~0u, ~0u}; }), "RN003");
  EXPECT_EQ(refused([](RunInputs& in) { in.groups = {~0u, ~0u, ~0u}; }), "RN003");
  EXPECT_EQ(refused([](RunInputs& in) { in.local_size = {0, 1, 1}; }), "none");
  EXPECT_EQ(refused([](RunInputs& in) { in.threads = 0; }), "none");
  EXPECT_EQ(refused([](RunInputs& in) { in.threads = ~0u; }), "RN003");
}

TEST(PublicErrors, InterfacesThatAskForTooMuch) {
  Program greedy = program();
  greedy.interface.constants = {{.word = ~0u, .bits = 1}};
  EXPECT_EQ(code_of(run_program(greedy, lifted(), {})), "RN004");
  greedy.interface.constants.clear();
  greedy.interface.viewport_vec4 = ~0u;
  EXPECT_EQ(code_of(run_program(greedy, lifted(), {})), "RN004");
  greedy.interface.viewport_vec4.reset();
  greedy.interface.thread_local_bytes = ~0u;
  EXPECT_EQ(code_of(run_program(greedy, lifted(), {})), "RN004");
}

TEST(PublicErrors, MicroOperationsThatAreNotWellFormed) {
  ir::Program broken = lifted();
  broken.blocks.front().next = 99;
  EXPECT_EQ(code_of(run_program(program(), broken, {})), "RN016");
  EXPECT_EQ(code_of(trace_program(program(), broken, {})), "RN016");
  EXPECT_EQ(code_of(executed_paths(program(), broken, {})), "RN016");
}

TEST(PublicErrors, GraphsOfWhatDoesNotFitTogether) {
  ir::Program broken = lifted();
  Listing listing = find_machine("midgard")->disassemble(program(), {.words = true}).value();
  EXPECT_THAT(flow_graph(broken, listing, "f").blocks, testing::SizeIs(1));
  listing.text = "cut";
  EXPECT_EQ(flow_graph(broken, listing, "f").blocks.at(0).lines.at(0).text, "");
  broken.entry = 99;
  EXPECT_THAT(flow_graph(broken, listing, "f").blocks, IsEmpty());
  EXPECT_EQ(ScheduledTrace{}.bound(), 0u);
}

TEST(PublicErrors, BatchesAndLanesThatAreNotThere) {
  const Program midgard = program();
  const ir::Program code = lifted();
  auto run = Run::prepare(midgard, code, {}, {});
  ASSERT_TRUE(run);
  Run::Batch beyond = run->start(99);
  Interpreter& nobody = beyond.interpreter();
  nobody.run();
  EXPECT_EQ(nobody.lanes(), 0u);
  EXPECT_EQ(beyond.input(0), std::nullopt);
  EXPECT_EQ(nobody.state(3), LaneState::ended);
  EXPECT_EQ(nobody.steps(3), 0u);
  EXPECT_EQ(nobody.block(3), std::nullopt);
  EXPECT_EQ(nobody.thread(3).index, 0u);
  nobody.write_u32(3, 0, 1);
  nobody.unblock(3);
  EXPECT_EQ(nobody.read_u32(3, 0), 0u);
  run->finish(beyond);
  Run::Batch batch = run->start(0);
  std::vector<std::uint8_t> bytes(8, 1);
  batch.interpreter().write(0, code.state_bytes - 4, bytes);
  batch.interpreter().broadcast_u32(code.state_bytes, 1);
  batch.interpreter().read(0, ~0u, bytes);
  EXPECT_THAT(bytes, Each(0));
  RunOptions many;
  many.os_threads = 200;
  many.batch_lanes = 0;
  EXPECT_TRUE(run_program(midgard, code, {}, many));
}

TEST(PublicErrors, PicturesWithoutPixels) {
  EXPECT_EQ(code_of(to_png({}, ColourFormat::f32)), "TX003");
  ImageResult image;
  image.size = {2, 2};
  EXPECT_THAT(to_rgba8(image, ColourFormat::f32), testing::SizeIs(16));
  image.size = {~0u, ~0u};
  EXPECT_EQ(code_of(to_png(image, ColourFormat::f16)), "TX003");
}

TEST(PublicErrors, ParametersPathsAndThreadsOfTiming) {
  const Program midgard = program();
  const TimingModel& model = *find_timing_model("midgard");
  EXPECT_EQ(code_of(model.estimate(midgard, {{"luck", 1}})), "TM001");
  const std::vector<TimingParameter> rows = model.parameters("");
  for (const TimingParameter& row : rows) {
    SimulationRequest request;
    request.parameters[std::string(row.name)] = ~std::uint64_t{0};
    EXPECT_EQ(code_of(model.simulate(midgard, request)), row.maximum == ~std::uint64_t{0} ? "none" : "TM002")
        << row.name;
  }
  EXPECT_EQ(timing_parameter(rows, "luck"), 0u);
  EXPECT_EQ(timing_parameter({}, "luck"), 0u);
  SimulationRequest crowd;
  crowd.threads = ~0u;
  EXPECT_EQ(code_of(model.simulate(midgard, crowd)), "TM007");
  ThreadPaths paths;
  EXPECT_EQ(paths.path_id(7), 0u);
  EXPECT_THAT(paths.addresses(7), IsEmpty());
  SimulationRequest nothing;
  nothing.paths = &paths;
  EXPECT_EQ(code_of(model.simulate(midgard, nothing)), "none");
  paths.step(std::vector<std::uint32_t>{0}, 0x1000);
  EXPECT_EQ(code_of(model.simulate(midgard, nothing)), "TM005");
  EXPECT_EQ(path_cycles(3, {.count = 0}), 0);
  EXPECT_EQ(total_cycles(3, {.count = 0}), 0);
  EXPECT_EQ(code_of(read_costs({"c", "[1]"})), "TM006");
  EXPECT_EQ(code_of(read_costs({"c", R"({"a": -1})"})), "TM006");
  EXPECT_THAT(timing_json({}, {}), HasSubstr("mobula/time"));
  EXPECT_THAT(report(Estimate{}), testing::Not(IsEmpty()));
}

TEST(PublicErrors, TimelinesThatNobodyListensTo) {
  TimelineFork fork({nullptr});
  fork.begin({});
  fork.on({});
  fork.end(1);
  for (auto* make : {json_timeline, konata_timeline, perfetto_timeline}) {
    const auto sink = make({});
    sink->begin({});
    sink->on({.thread = 9, .word = 9, .unit = 9});
    sink->end(1);
  }
}

TEST(PublicErrors, TextsBeginWithMarksOfByteOrder) {
  for (const Machine* machine : machines()) {
    EXPECT_TRUE(machine->assemble({"t", "\xEF\xBB\xBF\n"}, {})) << machine->name();
    EXPECT_EQ(code_of(machine->assemble({"t", std::string_view("\xFF\xFEn\0", 4)}, {})), "MOB012");
  }
}

TEST(PublicErrors, ContainersWithoutCode) {
  EXPECT_EQ(code_of(select_image({}, Stage::unknown)), "FM022");
  EXPECT_EQ(code_of(select_image({}, Stage::vertex, 3)), "FM020");
  for (const ContainerFormat format : {ContainerFormat::raw, ContainerFormat::hex, ContainerFormat::mbs,
                                       ContainerFormat::text, ContainerFormat::fw, ContainerFormat::elf})
    (void)read_container({}, format);
  EXPECT_FALSE(mbs1::read({}));
  EXPECT_FALSE(mbs1::vertex_shader({}));
  mbs1::Chunk empty;
  EXPECT_FALSE(mbs1::replace_code(empty, {}));
  mbs1::renumber(empty, "none", {{0, ~0u}});
  EXPECT_EQ(empty.find("none"), nullptr);
  EXPECT_THAT(empty.bytes(), IsEmpty());
}

}  // namespace
}  // namespace mobula
