// Speed of Rogue's groups in megabytes of machine code per second, over all sample binaries laid end to end.
#include <benchmark/benchmark.h>

#include "machines/rogue/spec/codec.h"
#include "mobula/isa/machine.h"
#include "samples.h"

namespace mobula {
namespace {

const Program& samples() {
  static const Program program = join_samples("rogue", "rogue");
  return program;
}

void count_code(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * samples().code.size()));
}

void decode(benchmark::State& state) {
  const auto& code = samples().code;
  for (auto _ : state)
    for (std::uint32_t offset = 0; offset < code.size();) {
      const rogue::Group group = rogue::decode_group(code, offset);
      benchmark::DoNotOptimize(&group);
      offset += group.size;
    }
  count_code(state);
}
BENCHMARK(decode);

void disassemble(benchmark::State& state) {
  const Machine* machine = find_machine("rogue");
  for (auto _ : state) {
    auto listing = machine->disassemble(samples(), {});
    benchmark::DoNotOptimize(listing.value().text.data());
  }
  count_code(state);
}
BENCHMARK(disassemble);

void assemble(benchmark::State& state) {
  const Machine* machine = find_machine("rogue");
  const auto listing = machine->disassemble(samples(), {});
  for (auto _ : state) {
    auto program = machine->assemble({"listing", listing->text}, {});
    benchmark::DoNotOptimize(program.value().code.data());
  }
  count_code(state);
}
BENCHMARK(assemble);

void check(benchmark::State& state) {
  const Machine* machine = find_machine("rogue");
  for (auto _ : state) {
    auto findings = machine->check(samples());
    benchmark::DoNotOptimize(findings.data());
  }
  count_code(state);
}
BENCHMARK(check);

}  // namespace
}  // namespace mobula
