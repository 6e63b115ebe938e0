// Traces, doubts and times as a user of the library has them: public headers alone.
#include "mobula/lab/tracer.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"
#include "mobula/lab/fidelity.h"
#include "mobula/lab/timing.h"

namespace mobula {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Lifted {
  Program program;
  ir::Program code;
};
Lifted lift(std::string_view machine_name, std::string_view text) {
  const Machine& machine = *find_machine(machine_name);
  auto program = machine.assemble({"t", text}, {});
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  auto code = machine.lift(*program, {});
  EXPECT_TRUE(code) << (code ? "" : render(code.error()));
  return {std::move(*program), std::move(*code)};
}
Lifted doubling() {
  return lift("midgard", "{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n{\n  vmul.FMUL.f32 R0.x, R0.x, #2.0\n}\n");
}

TEST(Tracer, TellsWhatEachWordChanged) {
  const Lifted doubled = doubling();
  RunInputs inputs;
  inputs.threads = 2;
  const auto traced = trace_program(doubled.program, doubled.code, inputs, {}, 1);
  ASSERT_TRUE(traced);
  ASSERT_THAT(traced->steps, SizeIs(2));
  EXPECT_EQ(traced->steps[1].thread, 1u);
  EXPECT_EQ(traced->result.ended, 2u);
  const std::string text = report(doubled.program, traced->steps);
  EXPECT_THAT(text, HasSubstr("step 0 thread 1 0x0000 vmul.FMUL.f32 R0.x"));
  EXPECT_THAT(text, HasSubstr("    r0.x = 0x41400000 (12)\n"));
}

TEST(Fidelity, DoubtsExecutedWordsAlone) {
  Lifted doubled = doubling();
  doubled.code.blocks[1].fidelity = Status::unknown;
  doubled.code.notes.push_back({.block = 1, .text = "nobody knows"});
  const auto result = run_program(doubled.program, doubled.code, {});
  ASSERT_TRUE(result);
  const std::vector<ExecutionDoubt> list = execution_doubts(doubled.code, *result);
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].address, doubled.code.blocks[1].address);
  EXPECT_FALSE(is_exact(doubled.code, *result));
  EXPECT_THAT(report(list), HasSubstr("unknown: nobody knows\n"));
  EXPECT_THAT(execution_doubts(doubled.code, {}), IsEmpty());
}

TEST(Fidelity, WhatNothingHasWrittenIsNotExact) {
  const Lifted undefined = lift("midgard", "{\n  vmul.FMUL.f32 R0.x, R1.x, #3.0\n}\n");
  RunOptions strict;
  strict.interpreter.strict = true;
  const auto result = run_program(undefined.program, undefined.code, {}, strict);
  ASSERT_TRUE(result);
  EXPECT_FALSE(is_exact(undefined.code, *result));
}

TEST(Time, IsEstimateAndSimulationOfWhatRan) {
  const Lifted doubled = doubling();
  const auto executed = executed_paths(doubled.program, doubled.code, {});
  ASSERT_TRUE(executed);
  EXPECT_EQ(executed->result.ended, 1u);
  EXPECT_THAT(executed->result.threads, IsEmpty()) << "nobody asks what they output";
  SimulationRequest request;
  request.paths = &executed->paths;
  const auto timing = time_program(doubled.program, request);
  ASSERT_TRUE(timing);
  ASSERT_TRUE(timing->simulation);
  EXPECT_EQ(timing->simulation->threads, 1u);
  EXPECT_THAT(report(*timing), HasSubstr("cycles"));
  EXPECT_THAT(parameter_table(find_timing_model("midgard")->parameters("")), HasSubstr(" = "));
  EXPECT_THAT(shader_db_entry("a", Stage::fragment, timing->estimate), HasSubstr("a - MESA_SHADER_FRAGMENT shader: "));
}

}  // namespace
}  // namespace mobula
