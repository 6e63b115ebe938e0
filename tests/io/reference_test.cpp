#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/texture.h"
#include "ir/builder.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/run.h"
#include "paths.h"
#include "trials.h"

namespace mobula {
namespace {

using ir::Operand;
using ir::Service;
using ir::Type;
using testing::HasSubstr;

/// Copies varying 0, or attribute 0 of a vertex program, to its output; discards if the first component is negative.
ir::Program copying(Service input, Service output) {
  ir::Builder code({{"r0.x", 0, 4}, {"r0.y", 4, 4}, {"r0.z", 8, 4}, {"r0.w", 12, 4}});
  const Operand r0 = Operand::state(0), zero = code.constant_u32(0);
  code.begin_block(0, 16);
  code.call({.service = input, .type = Type::f32, .count = 4, .data = r0, .args = {zero}});
  if (output == Service::fragment_out) {
    code.discard_if(code.binary(ir::Op::flt, Type::f32, r0, zero));
  }
  code.end_block();
  code.begin_block(16, 16);
  const Operand result = code.temporary(Type::i32);
  if (output == Service::fragment_out) {
    code.call({.service = output, .count = 4, .data = r0, .args = {zero, zero, zero, result}});
  } else {
    code.call({.service = output, .count = 4, .data = r0, .args = {code.constant_u32(1)}});
  }
  code.end();
  code.end_block();
  return code.finish(0);
}

Program named(std::string file, Stage stage) {
  Program program;
  program.file = std::move(file);
  program.interface.stage = stage;
  return program;
}

ReferenceReport check(const Program& program, const ir::Program& code, const std::string& text) {
  auto report = check_reference(program, code, {"ref.json", text});
  EXPECT_TRUE(report) << render(report.error());
  return report ? std::move(report).value() : ReferenceReport{};
}

std::string fragment_reference(const std::string& cases) {
  return R"({"tolerance":{"relative":0.01,"absolute":0.001},"storage_groups":[{"binaries":["other.t720"]},{"binaries":["copy.t860"]}],
             "cases":[)" +
         cases + "]}";
}
std::string fragment_case(const std::string& varying, const std::string& expected, bool discard = false) {
  return R"({"outputs":{},"storage":[{},{"varyings":{"0":)" + varying + R"(},"expected_r0":)" + expected +
         R"(,"expected_discard":)" + (discard ? "true" : "false") + "}]}";
}

TEST(Reference, ComparesFragmentsWithinTheTolerance) {
  const ir::Program code = copying(Service::varying, Service::fragment_out);
  const Program program = named("dir/copy.t860.bin", Stage::fragment);
  const ReferenceReport report = check(
      program, code,
      fragment_reference(fragment_case("[100, 0, 3, 4]", "[100.9, 0.0009, 3, 4]") + ',' +
                         fragment_case("[100, 0, 3, 4]", "[102, 0.002, 3, 4]") + ',' +
                         fragment_case("[\"nan\", \"inf\", 0, 1]", "[null, \"inf\", 0, 1]") + ',' +
                         fragment_case("[-1]", "null", true) + ',' + fragment_case("[-1]", "[1]") + ',' +
                         fragment_case("[1, \"inf\"]", "[1, 3]") + ',' + fragment_case("[1, \"nan\"]", "[1, 3]")));
  EXPECT_EQ(report.cases, 7u);
  EXPECT_EQ(report.passed, 3u);
  ASSERT_EQ(report.differences.size(), 5u);
  EXPECT_EQ(report.differences[0].case_index, 1u);
  EXPECT_EQ(report.differences[0].output, "r0");
  EXPECT_EQ(report.differences[0].component, 0u);
  EXPECT_EQ(report.differences[0].expected, 102);
  EXPECT_EQ(report.differences[0].got, 100);
  EXPECT_EQ(report.differences[0].error, 2);
  EXPECT_EQ(report.differences[1].component, 1u);
  EXPECT_EQ(report.differences[2].output, "discard");
  EXPECT_EQ(report.differences[2].got, 1);
  EXPECT_TRUE(report.diagnostics.empty()) << render(report.diagnostics);
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["passed"], 3);
  EXPECT_EQ(json["differences"][3]["got"], "inf");
}

TEST(Reference, ComparesVaryingStores) {
  const ir::Program code = copying(Service::attribute, Service::store_varying);
  Program program = named("copy", Stage::vertex);
  const auto text = [](const std::string& store) {
    return R"({"storage_groups":[{"binaries":["copy"]}],"cases":[{"storage":[{"attributes":{"0":[1,2,"ffffffff",4]},
               "expected_varying_stores":{)" +
           store + "}}]}]}";
  };
  EXPECT_EQ(check(program, code, text(R"("1":{"component":1,"name":"x","value":[2]})")).passed, 1u);
  const ReferenceReport wrong = check(program, code, text(R"("1":{"component":0,"name":"x","value":[2]})"));
  EXPECT_EQ(wrong.differences.at(0).output, "varying 1 (x)");
  const ReferenceReport absent = check(program, code, text(R"("3":{"component":0,"name":"x","value":[2, 3]})"));
  EXPECT_EQ(absent.passed, 0u);
  ASSERT_EQ(absent.differences.size(), 2u);
  EXPECT_TRUE(absent.differences[0].missing);
  program.interface.outputs = {{.name = "x", .type = "ivec4", .driver_location = 1}};
  EXPECT_EQ(check(program, code, text(R"("1":{"component":2,"name":"x","value":[-1]})")).passed, 1u);
  EXPECT_EQ(check(program, code, text("")).passed, 1u);
}

TEST(Reference, ComparesBuffers) {
  ir::Builder code({{"r0.x", 0, 4}});
  code.begin_block(0, 16);
  const Operand base = code.temporary(Type::i64), zero = code.constant_u32(0);
  code.call({.service = Service::load_uniform, .type = Type::i64, .data = base, .args = {zero}});
  const Operand next = code.binary(ir::Op::iadd, Type::i64, base, code.constant_u64(4));
  code.call({.service = Service::store_memory, .data = Operand::state(0), .args = {next}});
  code.end();
  code.end_block();
  Program program = named("c", Stage::compute);
  program.interface.system_values = {{4, 0}};
  program.interface.ssbo_blocks = {{.name = "r", .type = "float[]", .driver_location = 0},
                                   {.name = "counter0", .type = "uint[]", .driver_location = 1}};
  const ir::Program lifted = code.finish(0);
  const auto text = [](const std::string& r, int count) {
    return R"({"binaries":["c"],"cases":[{"buffers":{"groups":[1,1,1],"a":[1],"r":)" + r + R"(,"cnt0":)" +
           std::to_string(count) + "}}]}";
  };
  EXPECT_EQ(check(program, lifted, text("[0, 0]", 0)).passed, 1u);
  const ReferenceReport report = check(program, lifted, text("[1, 0]", 5));
  ASSERT_EQ(report.differences.size(), 2u);
  EXPECT_EQ(report.differences[0].output, "buffer 1 (cnt0)");
  EXPECT_EQ(report.differences[0].expected, 5);
  EXPECT_EQ(report.differences[1].output, "buffer 0 (r)");
}

TEST(Reference, FaultsFailTheirCase) {
  const ir::Program code = copying(Service::varying, Service::fragment_out);
  const ReferenceReport report =
      check(named("copy.t860", Stage::fragment), code,
            fragment_reference(R"({"storage":[{},{"expected_r0":[1],"expected_discard":false}]},)" +
                               fragment_case("[1]", "[1]")));
  EXPECT_EQ(report.cases, 2u);
  EXPECT_EQ(report.passed, 1u);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_EQ(report.diagnostics[0].message, "case 0: thread 0: the inputs give no varying 0; given: none");
}

TEST(Reference, WrongDocumentsAreRefused) {
  const ir::Program code = copying(Service::varying, Service::fragment_out);
  const auto refused = [&](const std::string& file, const std::string& text) {
    const auto report = check_reference(named(file, Stage::fragment), code, {"ref.json", text});
    EXPECT_FALSE(report) << text;
    return report ? Diagnostic{} : report.error()[0];
  };
  EXPECT_EQ(refused("copy.t860", "[]").code, "IN003");
  EXPECT_EQ(refused("copy.t860", "{").code, "IN001");
  EXPECT_EQ(refused("copy.t860", "{\"binaries\":[\"copy.t860\"]}").code, "IN003");
  EXPECT_EQ(refused("unlisted", fragment_reference("")).code, "IN014");
  EXPECT_THAT(refused("copy.t860", fragment_reference(R"({"storage":[{}]})")).message,
              HasSubstr("cases[0].storage: found an array of 1"));
  EXPECT_THAT(refused("copy.t860", fragment_reference(fragment_case("[1]", "[{}]"))).message,
              HasSubstr("expected_r0[0]: found an empty object"));
}

// ---- real programs

std::string read_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Result<Program> load(const std::filesystem::path& binary) {
  const std::string bytes = read_text(binary), json = read_text(side_file_name(binary.string()));
  const auto side = read_side_file({side_file_name(binary.string()), json});
  if (!side) return fail(side.error());
  Program program;
  program.file = binary.string();
  program.machine = side->machine;
  program.code.assign(bytes.begin(), bytes.end());
  program.interface = side->interface;
  const auto choice = parse_machine(side->machine + ':' + side->compiled_for.at(0));
  if (!choice) return fail(choice.error());
  program.variant = choice->variant;
  return program;
}

/// Every reference of a folder, for every binary it names.
void check_folder(const std::filesystem::path& folder, Engine engine, std::size_t at_least) {
  if (!std::filesystem::exists(folder / "ref")) GTEST_SKIP() << "no samples in " << folder;
  RunOptions options;
  options.interpreter.engine = engine;
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "ref")) {
    const std::string text = read_text(entry.path());
    const auto document = nlohmann::json::parse(text);
    for (const std::string name : document["binaries"]) {
      const auto program = load(folder / (name + ".bin"));
      ASSERT_TRUE(program) << render(program.error());
      const auto lifted = find_machine(program->machine)->lift(*program, {});
      ASSERT_TRUE(lifted) << name << '\n' << render(lifted.error());
      const auto report = check_reference(*program, *lifted, {entry.path().filename().string(), text}, options);
      ASSERT_TRUE(report) << render(report.error());
      EXPECT_GT(report->values, 0u) << name;
      cases += report->cases;
      EXPECT_EQ(report->passed, report->cases) << name << '\n' << render(report->diagnostics) << to_json(*report);
    }
  }
  EXPECT_GE(cases, at_least);
}

TEST(Reference, SmallMidgardCasesAgree) { check_folder(mobula::test::test_data("midgard"), Engine::simd, 16); }
TEST(Reference, MidgardSamplesAgree) { check_folder(mobula::test::sample("midgard"), Engine::simd, 500); }
TEST(Reference, MidgardSamplesAgreeOnTheReferenceEngine) {
  check_folder(mobula::test::sample("midgard"), Engine::reference, 500);
}

/// Something for everything a program may ask for.
RunInputs plenty(const Interface& interface) {
  RunInputs inputs;
  inputs.threads = interface.stage == Stage::compute ? 1 : 7;
  for (std::uint32_t number = 0; number < 16; ++number) {
    for (std::uint32_t thread = 0; thread < inputs.threads; ++thread) {
      const auto value = [&](std::uint32_t i) {
        return std::bit_cast<std::uint32_t>(std::sin(static_cast<float>(number * 28 + thread * 4 + i)) * 2);
      };
      inputs.attributes[number].push_back({value(0), value(1), value(2), value(3)});
      if (number < 8) inputs.varyings[number].push_back({value(0), value(1), value(2), value(3)});
    }
  }
  for (std::uint32_t number = 0; number < 4; ++number) {
    inputs.uniform_buffers[number] = RunWords(1024, 3);
    inputs.buffers[number] = RunWords(1024, 2);
    inputs.textures[number] =
        std::make_shared<io::Texture>(io::constant_texture({0x3E000000, 0x3F000000, 0x3F800000, 0}));
  }
  inputs.uniform_buffers.erase(interface.ubo_count.value_or(0));  // that is where the system values go
  inputs.limits.steps = 1 << 16;
  return inputs;
}

TEST(Reference, EveryMidgardSampleRunsAlikeOnBothEngines) {
  const std::filesystem::path folder = mobula::test::sample("midgard");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples in " << folder;
  std::size_t programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    if (++programs % 6 != 0 && test::sanitized) continue;
    const auto program = load(entry.path());
    ASSERT_TRUE(program) << render(program.error());
    const auto lifted = find_machine(program->machine)->lift(*program, {});
    ASSERT_TRUE(lifted) << entry.path() << '\n' << render(lifted.error());
    std::array<std::string, 2> results;
    for (const Engine engine : {Engine::simd, Engine::reference}) {
      RunOptions options;
      options.interpreter.engine = engine;
      const auto result = run_program(*program, *lifted, plenty(program->interface), options);
      ASSERT_TRUE(result) << render(result.error());
      EXPECT_FALSE(has_errors(result->diagnostics)) << entry.path() << '\n' << render(result->diagnostics);
      results[engine == Engine::simd] = to_json(*result, *program, *lifted);
    }
    EXPECT_EQ(results[0], results[1]) << entry.path();
  }
  EXPECT_GT(programs, 250u);
}

}  // namespace
}  // namespace mobula
