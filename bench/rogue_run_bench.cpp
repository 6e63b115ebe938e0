// Rogue programs executed and timed: groups executed by instances a second on both engines, groups read, merged and
// verified by advice, thread-cycles simulated.
#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/timing.h"
#include "rogue_loop.h"

namespace mobula {
namespace {

const Machine& rogue_machine() { return *find_machine("rogue"); }

Program assembled(std::string_view text) { return rogue_machine().assemble({"bench", text}, {}).value(); }

/// Arguments: instances.
void execute(benchmark::State& state, Engine engine) {
  const Program program = assembled(rogue_loop);
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
  const Program program = assembled(rogue_loop);
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
  const Program program = assembled(rogue_loop);
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
