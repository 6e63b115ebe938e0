// Speed of Midgard text in megabytes of machine code per second, over all sample binaries laid end to end.
#include <benchmark/benchmark.h>

#include "machines/midgard/spec/codec.h"
#include "mobula/isa/machine.h"
#include "samples.h"

namespace mobula {
namespace {

const Program& samples() {
  static const Program program = join_samples("midgard", "midgard", "t860");
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
