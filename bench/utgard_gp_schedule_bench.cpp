// Words of Utgard GP programs scheduled a second, over all samples: with the heuristic alone and with the exact search.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "mobula/lab/schedule.h"

namespace mobula {
namespace {

const std::vector<Program>& samples() {
  static const std::vector<Program> programs = [] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(MOBULA_SAMPLES "/utgard-gp"))
      if (entry.path().extension() == ".bin") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Program> all;
    for (const auto& file : files) {
      std::ifstream in(file, std::ios::binary);
      all.emplace_back();
      all.back().machine = "utgard-gp";
      all.back().code.assign(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }();
  return programs;
}

/// Arguments: effort, exact, vertices.
void schedule_samples(benchmark::State& state) {
  std::int64_t before = 0, after = 0;
  for (auto _ : state) {
    before = after = 0;
    for (const Program& program : samples()) {
      const auto scheduled = schedule(program, {.effort = static_cast<std::uint32_t>(state.range(0)),
                                                .exact = static_cast<std::uint32_t>(state.range(1)),
                                                .vertices = static_cast<std::uint32_t>(state.range(2))});
      if (!scheduled) return state.SkipWithError("a sample cannot be scheduled");
      before += scheduled->words_before;
      after += scheduled->words;
    }
  }
  state.SetItemsProcessed(state.iterations() * before);
  state.counters["words"] = static_cast<double>(after);
}
BENCHMARK(schedule_samples)->Args({1, 0, 0})->Args({1, 0, 256})->Args({1, 1, 256})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula
