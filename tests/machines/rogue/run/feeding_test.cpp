#include <gmock/gmock.h>

#include <bit>

#include "mobula/isa/machine.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

class Feeding : public testing::Test {
 protected:
  /// Runs a program that puts its results out as varying 0.
  RunResult run(const std::string& text, RunInputs inputs, Stage stage, RunOptions options = {}) {
    const Machine& rogue = *find_machine("rogue");
    auto program = rogue.assemble({"t", text}, {});
    EXPECT_TRUE(program) << (program ? std::string() : render(program.error()));
    program->interface.stage = stage;
    const auto lifted = rogue.lift(*program, inputs.policies);
    EXPECT_TRUE(lifted);
    auto result = run_program(*program, *lifted, inputs, options);
    EXPECT_TRUE(result);
    EXPECT_FALSE(has_errors(result->diagnostics)) << render(result->diagnostics);
    return std::move(*result);
  }
  static std::string put_out(const std::string& reg, unsigned address) {
    return "main { s0 = " + reg + "; is0 = s0; is4 = fte; be: uvsw.write w0, " + std::to_string(address) + " }\n";
  }
  static std::string put_out_special(const std::string& reg, unsigned address) {
    return "main { s1 = " + reg + "; is0 = s1; is4 = fte; be: uvsw.write w0, " + std::to_string(address) + " }\n";
  }
};

TEST_F(Feeding, AttributesFillVertexInputsTheHighestLast) {
  RunInputs inputs{.threads = 2};
  inputs.attributes[3] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  inputs.attributes[5] = {{9, 9, 9, 9}};
  const RunResult result =
      run(put_out("vi3", 0) + put_out("vi4", 1) + put_out("vi5", 2) + "nop.end", inputs, Stage::vertex);
  EXPECT_EQ(result.threads.at(0).varyings[0].value, (RunVec4{1, 2, 9, 0}));
  EXPECT_EQ(result.threads.at(1).varyings[0].value, (RunVec4{5, 6, 9, 0}));
}

TEST_F(Feeding, UniformsFillSharedRegisters) {
  RunInputs inputs;
  inputs.uniform_buffers[0] = {10, 11, 12};
  const RunResult result =
      run(put_out("sh0", 0) + put_out("sh2", 1) + put_out("sh3", 2) + "nop.end", inputs, Stage::vertex);
  EXPECT_EQ(result.threads.at(0).varyings[0].value, (RunVec4{10, 12, 0, 0})) << "the buffer has three words";
}

TEST_F(Feeding, VaryingsAreConstantPlanes) {
  RunInputs inputs;
  inputs.varyings[1] = {{bits(2), bits(3), 0, 0}};
  const RunResult result =
      run("fitr.pixel r0, drc0, cf4, 2\nctrl { wdf drc0 }\n" + put_out("r0", 0) + put_out("r1", 1) + "nop.end", inputs,
          Stage::fragment);
  EXPECT_EQ(result.threads.at(0).varyings[0].value, (RunVec4{bits(2), bits(3), 0, 0}));
}

TEST_F(Feeding, CornersArePlanesOverThePicture) {
  RunInputs inputs{.policies = {{"pixel_output", "f32"}}};
  inputs.corners[0] = {RunVec4{bits(0)}, RunVec4{bits(4)}, RunVec4{bits(8)}, RunVec4{bits(12)}};
  const RunResult result =
      run("fitr.pixel r0, drc0, cf0, 1\nctrl { wdf drc0 }\n"
          "main olchk end { s0 = r0; is4 = ft0; p0: mbyp ft0, s0; w0 = po0 }",
          inputs, Stage::fragment, {.image = ImageSize{4, 4}});
  ASSERT_TRUE(result.image);
  EXPECT_EQ(result.image->colours.at(0)[0], bits(0.5f + 1));
  EXPECT_EQ(result.image->colours.at(3)[0], bits(3.5f + 1));
  EXPECT_EQ(result.image->colours.at(12)[0], bits(0.5f + 7));
}

TEST_F(Feeding, BuiltInInputsAreFoundByTheirNames) {
  const Machine& rogue = *find_machine("rogue");
  auto program = rogue.assemble({"t", put_out("vi4", 0) + put_out("vi8", 1) + "nop.end"}, {});
  ASSERT_TRUE(program);
  program->interface.stage = Stage::vertex;
  program->interface.inputs = {{"gl_VertexID", "int", 0, 4, 0, ""}, {"gl_InstanceID", "int", 0, 8, 0, ""}};
  RunInputs inputs{.threads = 2};
  inputs.identities = {{.vertex = 7, .instance = 3}, {.vertex = 8, .instance = 4}};
  const auto vertices = run_program(*program, *rogue.lift(*program, {}), inputs);
  ASSERT_TRUE(vertices);
  EXPECT_EQ(vertices->threads.at(1).varyings[0].value, (RunVec4{8, 4, 0, 0}));

  program = rogue.assemble({"t", "fitr.pixel r0, drc0, cf12, 1\nctrl { wdf drc0 }\n" + put_out("r0", 0) +
                                     put_out_special("sr44", 1) + "nop.end"},
                           {});
  ASSERT_TRUE(program);
  program->interface.stage = Stage::fragment;
  program->interface.inputs = {{"gl_FragCoord", "vec4", 0, 0, 0, ""}, {"gl_FrontFacing", "bool", 0, 4, 0, ""}};
  inputs = {};
  inputs.varyings[4] = {{0, 0, 0, 0}};
  const auto fragment = run_program(*program, *rogue.lift(*program, {}), inputs);
  ASSERT_TRUE(fragment);
  EXPECT_EQ(fragment->threads.at(0).varyings[0].value, (RunVec4{bits(1), 1, 0, 0})) << "1/w, and away from the eye";
}

TEST_F(Feeding, InputsThatNothingGivesAreWarnedOf) {
  const Machine& rogue = *find_machine("rogue");
  auto program = rogue.assemble({"t", put_out("vi4", 0) + "nop.end"}, {});
  ASSERT_TRUE(program);
  program->interface.stage = Stage::vertex;
  program->interface.inputs = {
      {"gl_VertexID", "int", 0, 0, 0, ""}, {"p", "vec4", 0, 4, 0, ""}, {"unread", "vec4", 0, -1, 0, ""}};
  const auto messages = [&](const RunInputs& inputs, const RunOptions& options = {}) {
    const auto result = run_program(*program, *rogue.lift(*program, {}), inputs, options);
    return result ? render(result->diagnostics) : "refused";
  };
  RunInputs inputs;
  EXPECT_EQ(messages(inputs),
            "t: warning: the inputs give no attribute 4 (p); it is 0 [RN012]\n  hint: give it under attributes\n");
  inputs.attributes[4] = {{1, 2, 3, 4}};
  EXPECT_EQ(messages(inputs), "");
  program->interface.stage = Stage::fragment;
  EXPECT_THAT(messages({}), testing::HasSubstr("no varying 4 (p)"));
  inputs = {};
  inputs.corners[4] = {RunVec4{1}, RunVec4{2}, RunVec4{3}, RunVec4{4}};
  EXPECT_THAT(messages(inputs), testing::HasSubstr("the first is p [RN020]")) << "they are of a picture";
  const RunOptions picture{.image = ImageSize{2, 2}};
  inputs.corners[4] = {RunVec4{bits(1)}, RunVec4{bits(2)}, RunVec4{bits(3)}, RunVec4{bits(4)}};
  EXPECT_THAT(messages(inputs, picture), testing::Not(testing::HasSubstr("RN021")));
  inputs.corners[4][3] = RunVec4{bits(5)};
  EXPECT_THAT(messages(inputs, picture), testing::HasSubstr("the corners of p are on no plane"));
}

TEST_F(Feeding, SpecialRegistersKnowWhoTheyBelongTo) {
  RunInputs inputs{.threads = 34};
  const RunResult result = run(put_out_special("sr51", 0) + put_out_special("sr47", 1) + put_out_special("sr97", 2) +
                                   put_out_special("sr63", 3) + "nop.end",
                               inputs, Stage::vertex);
  EXPECT_EQ(result.threads.at(33).varyings[0].value, (RunVec4{1, 1, bits(0.5f), 1}));
}

TEST_F(Feeding, StrictRunsFindOnlyWhatNobodyGave) {
  RunInputs inputs;
  inputs.attributes[0] = {{1, 2, 3, 4}};
  RunOptions options{.interpreter = {.engine = Engine::reference, .strict = true}};
  const RunResult result = run("(ignorepe) ctrl { cndst always, i0, sc0, 1 }\n" + put_out("vi0", 0) + put_out("r7", 1) +
                                   "ctrl { wdf drc0 }\nnop.end",
                               inputs, Stage::vertex, options);
  std::string undefined;
  for (const Diagnostic& each : result.diagnostics) undefined += each.message + '\n';
  EXPECT_THAT(undefined, testing::HasSubstr("r7"));
  EXPECT_THAT(undefined, testing::Not(testing::HasSubstr("vi0")));
  EXPECT_THAT(undefined, testing::Not(testing::HasSubstr("masked")));
}

}  // namespace
}  // namespace mobula
