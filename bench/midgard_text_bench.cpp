// Speed of Midgard text in megabytes of machine code per second, over all sample binaries laid end to end.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "machines/midgard/codec.h"
#include "mobula/machine.h"

namespace mobula {
namespace {

const Program& samples() {
  static const Program program = [] {
    Program all;
    all.machine = "midgard";
    all.variant = "t860";
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(MOBULA_SAMPLES "/midgard"))
      if (entry.path().extension() == ".bin") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream in(file, std::ios::binary);
      all.code.insert(all.code.end(), std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }();
  return program;
}

void count_code(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * samples().code.size()));
}

void decode(benchmark::State& state) {
  const auto& code = samples().code;
  const auto count = static_cast<std::uint32_t>(code.size() / midgard::quadword_bytes);
  for (auto _ : state)
    for (std::uint32_t position = 0; position < count;) {
      const midgard::Bundle bundle = midgard::decode_bundle(code, position);
      benchmark::DoNotOptimize(&bundle);
      position += bundle.quadword_count;
    }
  count_code(state);
}
BENCHMARK(decode);

void disassemble(benchmark::State& state) {
  const Machine* machine = find_machine("midgard");
  for (auto _ : state) {
    auto listing = machine->disassemble(samples(), {});
    benchmark::DoNotOptimize(listing.value().text.data());
  }
  count_code(state);
}
BENCHMARK(disassemble);

}  // namespace
}  // namespace mobula
