// Scoreboard speed: clocks a second on one core, with values computed and the final state compared.
#include <benchmark/benchmark.h>

#include "mobula/scoreboard.h"

namespace mobula::scoreboard {
namespace {

/// 16 units, 32 virtual registers.
Config core() {
  Config config = *find_preset("byte_lane");
  config.name = "16 units, 32 virtual registers";
  return config;
}

void run_clocks(benchmark::State& state, const Config& config, const char* mix_name) {
  Mix mix = *find_mix(mix_name);
  mix.widths = {10, 10, 70, 10};
  const Workload workload = generate(mix, 20'000, 1);
  std::uint64_t clocks = 0;
  for (auto _ : state) {
    const Result<RunResult> result = run(config, workload);
    if (!result) return state.SkipWithError(render(result.error()).c_str());
    clocks += result->clocks;
  }
  state.counters["clocks/s"] = benchmark::Counter(static_cast<double>(clocks), benchmark::Counter::kIsRate);
}

void BM_Fp(benchmark::State& state) { run_clocks(state, core(), "fp"); }
BENCHMARK(BM_Fp);

void BM_Int(benchmark::State& state) { run_clocks(state, core(), "int"); }
BENCHMARK(BM_Int);

void BM_Conservative(benchmark::State& state) {
  Config config = core();
  config.hazards = Hazards::conservative;
  run_clocks(state, config, "fp");
}
BENCHMARK(BM_Conservative);

void BM_FullCascade32Units(benchmark::State& state) { run_clocks(state, *find_preset("seed_full4"), "fp"); }
BENCHMARK(BM_FullCascade32Units);

}  // namespace
}  // namespace mobula::scoreboard
