// Scoreboard speed: clocks a second on one core, with values computed and the final state compared.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "mobula/scoreboard/scoreboard.h"
#include "mobula/scoreboard/sweep.h"

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

// A sweep of 1,000 points: rows, units and reads of byte_lane, ten workloads.

constexpr std::array<const char*, 5> swept_rows{"8", "12", "16", "24", "32"}, swept_reads{"1", "2", "3", "4", "0"};
constexpr std::array<const char*, 4> swept_units{"4", "8", "12", "16"};
constexpr std::uint32_t swept_operations = 1'000, swept_seeds = 10;

Mix swept_mix() {
  Mix mix = *find_mix("fp");
  mix.widths = {10, 10, 70, 10};
  return mix;
}

void BM_Sweep(benchmark::State& state) {
  std::uint64_t points = 0;
  for (auto _ : state) {
    SweepOptions options;
    options.cores = {*std::ranges::find(presets(), "byte_lane", &Preset::name)};
    options.axes = {{"virtual_registers.rows", {swept_rows.begin(), swept_rows.end()}},
                    {"groups.*.units", {swept_units.begin(), swept_units.end()}},
                    {"ports.read", {swept_reads.begin(), swept_reads.end()}}};
    options.mixes = {swept_mix()};
    options.seeds = swept_seeds;
    options.operations = swept_operations;
    const Sweep sweep = *Sweep::make(std::move(options));
    std::vector<std::uint64_t> all(sweep.points());
    std::iota(all.begin(), all.end(), 0);
    for (const std::uint64_t point : sweep.in_order_of_workloads(all)) benchmark::DoNotOptimize(sweep.run(point));
    points += all.size();
  }
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(points), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Sweep)->Unit(benchmark::kMillisecond);

/// The same points, each generated and run by itself.
void BM_SweepOneByOne(benchmark::State& state) {
  std::uint64_t points = 0;
  const Mix mix = swept_mix();
  for (auto _ : state)
    for (const char* rows : swept_rows)
      for (const char* units : swept_units)
        for (const char* reads : swept_reads)
          for (std::uint64_t seed = 1; seed <= swept_seeds; ++seed, ++points) {
            Config config = core();
            config.virtual_registers.rows = static_cast<std::uint32_t>(std::atoi(rows));
            config.groups[0].units = static_cast<std::uint32_t>(std::atoi(units));
            config.ports.read = static_cast<std::uint32_t>(std::atoi(reads));
            const Result<RunResult> result = run(config, generate(mix, swept_operations, seed));
            if (!result) return state.SkipWithError(render(result.error()).c_str());
          }
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(points), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_SweepOneByOne)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula::scoreboard
