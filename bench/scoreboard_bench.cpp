// Scoreboard speed: clocks a second on one core, with values computed and the final state compared.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {
namespace {

/// 16 units, 32 virtual registers.
Config core() {
  Config config = *find_preset("byte_lane");
  config.name = "16 units, 32 virtual registers";
  return config;
}

constexpr std::uint32_t operations = 20'000;

Workload random_workload(const char* mix_name) {
  Mix mix = *find_mix(mix_name);
  mix.widths = {10, 10, 70, 10};
  return generate(mix, operations, 1);
}

/// What a630 firmware executes for examples/stream.pm4, again and again.
Workload firmware() {
  const std::string file = MOBULA_SOURCE "/examples/scoreboard-study/firmware.sb";
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Workload workload = *parse_workload(file, text);
  const std::vector<Operation> once = workload.operations;
  while (workload.operations.size() < operations)
    workload.operations.insert(workload.operations.end(), once.begin(), once.end());
  return workload;
}

void run_clocks(benchmark::State& state, const Config& config, const Workload& workload) {
  std::uint64_t clocks = 0;
  for (auto _ : state) {
    const Result<RunResult> result = run(config, workload);
    if (!result) return state.SkipWithError(render(result.error()).c_str());
    clocks += result->clocks;
  }
  state.counters["clocks/s"] = benchmark::Counter(static_cast<double>(clocks), benchmark::Counter::kIsRate);
}

void BM_Fp(benchmark::State& state) { run_clocks(state, core(), random_workload("fp")); }
BENCHMARK(BM_Fp);

void BM_Int(benchmark::State& state) { run_clocks(state, core(), random_workload("int")); }
BENCHMARK(BM_Int);

void BM_Firmware(benchmark::State& state) { run_clocks(state, core(), firmware()); }
BENCHMARK(BM_Firmware);

void BM_Conservative(benchmark::State& state) {
  Config config = core();
  config.hazards = Hazards::conservative;
  run_clocks(state, config, random_workload("fp"));
}
BENCHMARK(BM_Conservative);

void BM_FullCascade32Units(benchmark::State& state) {
  run_clocks(state, *find_preset("seed_full4"), random_workload("fp"));
}
BENCHMARK(BM_FullCascade32Units);

}  // namespace
}  // namespace mobula::scoreboard
