// Rogue programs executed and timed: groups executed by instances a second on both engines, groups read, merged and
// verified by advice, thread-cycles simulated.
#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/timing.h"

namespace mobula {
namespace {

const Machine& rogue_machine() { return *find_machine("rogue"); }

/// A loop as a compiler makes it: masks, a test, float and integer groups; every instance goes around 64 times.
constexpr std::string_view loop_text = R"(
       (ignorepe) ctrl { cndst always, i0, sc0, 1 }
       mov r2, sc0
       (ignorepe) ctrl { cndst always, i0, i0, 2 }
       ctrl { br.allinst after }
 body: fmad r3, r3, sc75, sc64
       fmul r4, r3, r3
       fadd r5, r4, r3
       fmad.sat r6, r5, r4, r3
       umadd32 r2, r2, sc1, sc1
       main { s0 = r2; s3 = vi0; is1 = ft0; is2 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: tste.u32 ftt, p0, is1, is2 }
       mov r7, sc2
       (ignorepe) ctrl { cndsm p0, i0, i0, r7 }
       (ignorepe) ctrl { cndend i0, i0, 1 }
       (ignorepe) ctrl { cndst always, i0, i0, 1 }
       (ignorepe) ctrl { cndlt always, i0, p0, i0, 2 }
       if(p0) ctrl { br body }
after: nop.end)";

Program assembled(std::string_view text) { return rogue_machine().assemble({"bench", text}, {}).value(); }

/// Arguments: instances.
void execute(benchmark::State& state, Engine engine) {
  const Program program = assembled(loop_text);
  const auto lifted = rogue_machine().lift(program, {});
  Environment environment;
  Interpreter interpreter(*lifted, environment, {.engine = engine});
  const std::vector<Thread> threads(static_cast<std::size_t>(state.range(0)));
  const std::uint32_t turns = lifted->find_slot("vi0")->byte, masked = lifted->find_slot("masked")->byte;
  std::int64_t executed = 0;
  for (auto _ : state) {
    interpreter.start(threads);
    interpreter.broadcast_u32(turns, 64);
    interpreter.broadcast_u32(masked, 0);
    interpreter.run();
    if (!interpreter.faults().empty()) return state.SkipWithError("the loop stops");
    for (const std::uint64_t count : interpreter.executions()) executed += static_cast<std::int64_t>(count);
  }
  state.SetItemsProcessed(executed);
}
void simd_groups(benchmark::State& state) { execute(state, Engine::simd); }
void reference_groups(benchmark::State& state) { execute(state, Engine::reference); }
BENCHMARK(simd_groups)->Arg(32)->Arg(256);
BENCHMARK(reference_groups)->Arg(32);

/// Arguments: tasks that verify the advice.
void advise_groups(benchmark::State& state) {
  const Program program = assembled(loop_text);
  std::int64_t groups = 0;
  for (auto _ : state) {
    const auto advice = advise(program, {.tasks = static_cast<std::uint32_t>(state.range(0))});
    if (!advice) return state.SkipWithError("no advice");
    groups += advice->groups_before;
  }
  state.SetItemsProcessed(groups);
}
BENCHMARK(advise_groups)->Arg(0)->Arg(8)->Unit(benchmark::kMillisecond);

/// Thread-cycles of tasks that wait for each other.
void simulate_cycles(benchmark::State& state) {
  const Program program = assembled(loop_text);
  const TimingModel* model = find_timing_model("rogue");
  SimulationRequest request;
  request.threads = 24 * 32;
  std::int64_t cycles = 0;
  for (auto _ : state) {
    const auto report = model->simulate(program, request);
    if (!report) return state.SkipWithError("it cannot be simulated");
    cycles += static_cast<std::int64_t>(report->resident);
  }
  state.SetItemsProcessed(cycles);
}
BENCHMARK(simulate_cycles)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mobula
