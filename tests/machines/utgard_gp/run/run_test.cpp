// Whole programs, fed as the command feeds them: side file, inputs, results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "machines/utgard_gp/lift/lift.h"
#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/words.h"
#include "mobula/lab/run.h"
#include "paths.h"

namespace mobula::utgard_gp {
namespace {

using testing::HasSubstr;

Program with_interface(std::vector<std::uint8_t> code, std::string_view side = "{}") {
  Program program;
  program.file = "test";
  program.machine = "utgard-gp";
  program.code = std::move(code);
  auto read = read_side_file({"test.json", side});
  EXPECT_TRUE(read) << render(read.error());
  if (read) program.interface = read->interface;
  machine().complete(program.interface);
  return program;
}
Program assembled_with(std::string_view text, std::string_view side = "{}") {
  auto program = parse({"test", text}, "");
  EXPECT_TRUE(program) << render(program.error());
  return with_interface(program ? program->code : std::vector<std::uint8_t>(), side);
}

RunResult run(const Program& program, std::string_view inputs, const RunOptions& options = {}) {
  const auto no_files = [](const std::string&) -> Result<std::vector<std::uint8_t>> { return fail("T1", "no files"); };
  auto read = read_run_inputs({"in.json", inputs}, program.interface, no_files);
  EXPECT_TRUE(read) << render(read.error());
  auto lifted = lift(program, {});
  EXPECT_TRUE(lifted) << render(lifted.error());
  if (!read || !lifted) return {};
  auto result = run_program(program, *lifted, *read, options);
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : RunResult{};
}

/// NaN where nothing was stored.
std::array<float, 4> varying(const ThreadResult& vertex, std::uint32_t number) {
  std::array<float, 4> values{NAN, NAN, NAN, NAN};
  for (const VaryingOutput& output : vertex.varyings)
    for (std::size_t i = 0; i < 4 && output.number == number; ++i)
      if ((output.stored >> i & 1) != 0) values[i] = std::bit_cast<float>(output.value[i]);
  return values;
}
using Floats = std::array<float, 4>;

/// 9.1 as ARM's compiler names its uniforms.
constexpr std::string_view side_a = R"({"machine": "utgard-gp",
  "inputs": [{"name": "aPosition", "type": "vec4", "driver_location": 0},
             {"name": "aColor", "type": "vec4", "driver_location": 1}],
  "outputs": [{"name": "vColor", "type": "vec4", "driver_location": 0},
              {"name": "gl_Position", "type": "vec4", "driver_location": 1}],
  "uniforms": [{"name": "gl_mali_ViewportTransform", "type": "vec4[2]", "driver_location": 0}],
  "constant_vec4_base": 2, "constants": [-1e10, 1e10, 0, 0]})";

TEST(GpRun, ArmsProgramGetsItsViewportAndConstants) {
  const Program program = with_interface(program_a(), side_a);
  const RunResult result = run(program, R"({"viewport": {"scale": [400, -240, 0.5], "offset": [400, 240, 0.5]},
    "attributes": {"aPosition": [[0.4, 0.6, 0.25, 2], [0, 0, 0, 0]], "aColor": [0.1, 0.2, 0.3, 0.4]}})");
  EXPECT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
  ASSERT_EQ(result.threads.size(), 2u);
  EXPECT_EQ(varying(result.threads[0], 0), (Floats{0.1F, 0.2F, 0.3F, 0.4F}));
  EXPECT_EQ(varying(result.threads[0], 1), (Floats{480, 168, 0.5625F, 0.5F}));
  EXPECT_EQ(varying(result.threads[1], 1)[3], 1e10F);  // 1/0, clamped
}

TEST(GpRun, UniformMemoryMayBeGivenWhole) {
  const RunResult result = run(with_interface(program_b()), R"({
    "uniforms_vec4": [[400, -240, 0.5, 1], [400, 240, 0.5, 0], [1, 0, 0, 0]],
    "attributes": {"0": [[-0.375, 0.625, -0.1], [-0.375, -0.625, -0.1], [0.375, -0.625, -0.1]]}})");
  EXPECT_EQ(varying(result.threads[0], 0), (Floats{250, 90, 0.45F, 1}));
  EXPECT_EQ(varying(result.threads[1], 0), (Floats{250, 390, 0.45F, 1}));
  EXPECT_EQ(varying(result.threads[2], 0), (Floats{550, 390, 0.45F, 1}));
}

TEST(GpRun, MesasLoopTakesAsManyTurnsAsItsAttributeSays) {
  const RunResult result = run(with_interface(program_c(), R"({"viewport_vec4_base": 0, "constant_vec4_base": 2,
    "constants_hex": ["0x00000000", "0x00000000", "0x3fc00000", "0x3f800000", "0x3f800000", "0x3f800000"],
    "gl_pos_idx": 0, "inputs": [{"name": "pos", "type": "vec4", "driver_location": 0},
                                {"name": "cnt", "type": "float", "driver_location": 1}]})"),
                               R"({"attributes": {"pos": [0.5, 0.5, 0, 2], "cnt": [[0], [1], [3], [7.9]]}})");
  const std::array<float, 4> sums{0, 1.5F, 4.5F, 10.5F};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(varying(result.threads[i], 1), (Floats{sums[i], sums[i], sums[i], 1}));
    EXPECT_EQ(varying(result.threads[i], 0), (Floats{160, 120, 0.5F, 0.5F}));
  }
  std::uint64_t words = 0;
  for (const std::uint64_t lanes : result.executions) words += lanes;
  EXPECT_EQ(words, 4u * (4 + 6 + 7) + 9u * (0 + 1 + 3 + 7));
}

constexpr std::string_view temporary = R"(
{ ld = u[1]; c = setA0 ld.x; a0 = mov ld.y; st0 t[A0].x = a0 }
{} {} {}
{ ld = u[6]; a0 = mov ld.x; st0 v0.x = a0 }
)";

TEST(GpRun, TemporariesLieInTheVertexsOwnUniformMemory) {
  const Program program = assembled_with(temporary);
  const RunResult result = run(program, R"({"threads": 300, "uniforms_vec4": [[0], [6, 42]]})");
  EXPECT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
  EXPECT_EQ(varying(result.threads[299], 0)[0], 42);
  const RunResult outside = run(program, R"({"uniforms_vec4": [[0], [100000, 42]]})");
  ASSERT_EQ(outside.diagnostics.size(), 1u);
  EXPECT_THAT(outside.diagnostics[0].message, HasSubstr("byte 1600000 of the thread's own"));
}

TEST(GpRun, AddressRegistersAddToUniformAddresses) {
  const Program program =
      assembled_with("{ ld = u[0]; c = setA1 ld.x }\n{} {} {}\n{ ld = u[1+A1]; a0 = mov ld.y; st0 v3.y = a0 }");
  EXPECT_EQ(varying(run(program, R"({"uniforms_vec4": [[2], [0], [0], [0, 7]]})").threads[0], 3)[1], 7);
  const RunResult outside = run(program, R"({"uniforms_vec4": [[5]]})");
  ASSERT_EQ(outside.diagnostics.size(), 1u);
  EXPECT_EQ(outside.diagnostics[0].code, "RN013");
}

TEST(GpRun, MissingUniformsAndAttributesAreNamed) {
  const RunResult missing = run(with_interface(program_a(), side_a), R"({"attributes": {"aPosition": [1, 1, 1, 1]}})");
  ASSERT_EQ(missing.diagnostics.size(), 1u);
  EXPECT_THAT(missing.diagnostics[0].message, HasSubstr("no attribute 1 (aColor)"));
  const RunResult bare = run(with_interface(program_b()), R"({"attributes": {"0": [1]}})");
  ASSERT_EQ(bare.diagnostics.size(), 1u);
  EXPECT_EQ(bare.diagnostics[0].code, "RN013");
  EXPECT_EQ(bare.diagnostics[0].message,
            "the program reads u[0], u[1], u[2], which nothing provides: uniform memory is all 0");
  const RunResult short_of =
      run(with_interface(program_b()), R"({"attributes": {"0": [1]}, "uniforms_vec4": [[1], [2]]})");
  EXPECT_THAT(short_of.diagnostics.at(0).message,
              HasSubstr("the program reads u[2], which nothing provides: uniform memory ends with u[1]"));
}

/// A text's numbers need not fill their last vec4.
TEST(GpRun, AVec4GivenInPartIsNotMissing) {
  const Program program =
      assembled_with("{ ld = u[1]; a0 = mov ld.x; st0 v2.y = a0 }", R"({"constant_vec4_base": 1, "constants": [7]})");
  const RunResult result = run(program, "{}");
  EXPECT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
  EXPECT_EQ(varying(result.threads[0], 2)[1], 7);
}

TEST(GpRun, ComponentsThatNothingStoredAreNull) {
  const Program program = assembled_with("{ ld = u[0]; a0 = mov ld.x; st0 v2.y = a0 }");
  const RunResult result = run(program, R"({"uniforms_vec4": [[3]]})");
  const auto json = nlohmann::json::parse(to_json(result, program, *lift(program, {})));
  EXPECT_EQ(json["outputs"][0]["varyings"][0]["value"].dump(), "[null,3.0]");
  EXPECT_EQ(json["outputs"][0]["varyings"][0]["bits"].dump(), R"([null,"40400000"])");
}

TEST(GpRun, AnImageShowsTheTrianglesOfTheVertices) {
  RunOptions options;
  options.image = ImageSize{4, 4};
  const RunResult result = run(with_interface(program_a(), side_a), R"({"line_colour": "vColor", "attributes": {
    "aPosition": [[-1, 1, 0, 1], [1, 1, 0, 1], [-1, -1, 0, 1]], "aColor": [0.5, 0, 0, 1]}})",
                               options);
  ASSERT_TRUE(result.image);
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) text += result.image->covered[i] ? '#' : '.';
  EXPECT_EQ(text, "#####.#.##..#...");
  EXPECT_EQ(to_rgba8(*result.image, ColourFormat::f32)[0], 128);
  EXPECT_EQ(to_rgba8(*result.image, ColourFormat::f32)[5 * 4 + 3], 255);
}

TEST(GpRun, ImagesNeedAPositionAndVerticesThatExist) {
  const Program program = with_interface(program_b());
  const auto lifted = lift(program, {});
  RunOptions options;
  options.image = ImageSize{4, 4};
  const auto nothing = run_program(program, *lifted, {}, options);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error()[0].code, "RN001");
  RunInputs inputs;
  inputs.triangles = {{0, 0, 1}};
  const Program placed = with_interface(program_b(), R"({"gl_pos_idx": 0})");
  const auto beyond = run_program(placed, *lifted, inputs, options);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error()[0].code, "RN009");
}

// ---- samples

std::string read_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Every reference of the samples, once from its images of memory and once from the values by name.
TEST(GpRunSamples, ReproduceTheirReferences) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  std::size_t references = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "ref")) {
    const std::string text = read_text(entry.path());
    const nlohmann::json reference = nlohmann::json::parse(text);
    const std::string name = reference["binaries"][0];
    const std::string code = read_text(folder / (name + ".bin"));
    Program program = with_interface({code.begin(), code.end()}, read_text(folder / (name + ".json")));
    program.file = name + ".bin";
    const auto lifted = lift(program, {});
    ASSERT_TRUE(lifted) << name;
    const auto report = check_reference(program, *lifted, {"ref.json", text});
    ASSERT_TRUE(report) << render(report.error());
    EXPECT_EQ(report->passed, reference["cases"].size()) << name;
    EXPECT_GT(report->values, 4 * report->cases) << name;
    ++references;

    for (const nlohmann::json& each : reference["cases"]) {
      nlohmann::json inputs{{"attributes", each["attributes"]}, {"uniforms", each["uniforms"]}};
      for (auto at = inputs["attributes"].begin(); at != inputs["attributes"].end();)
        at = testing::Value(program.interface.inputs, testing::Contains(testing::Field(&Variable::name, at.key())))
                 ? std::next(at)
                 : inputs["attributes"].erase(at);
      for (auto at = inputs["uniforms"].begin(); at != inputs["uniforms"].end();)
        at = testing::Value(program.interface.uniforms, testing::Contains(testing::Field(&Variable::name, at.key())))
                 ? std::next(at)
                 : inputs["uniforms"].erase(at);
      RunResult by_name = run(program, inputs.dump());
      const auto image = nlohmann::json{{"uniforms_vec4", each["storage"][0]["uniforms_vec4"]},
                                        {"attributes", each["storage"][0]["attributes"]}};
      const RunResult by_image = run(program, image.dump());
      ASSERT_EQ(by_name.threads[0].varyings.size(), by_image.threads[0].varyings.size()) << name;
      for (std::size_t i = 0; i < by_name.threads[0].varyings.size(); ++i)
        EXPECT_EQ(by_name.threads[0].varyings[i].value, by_image.threads[0].varyings[i].value) << name;
    }
  }
  EXPECT_EQ(references, 11u);
}

}  // namespace
}  // namespace mobula::utgard_gp
