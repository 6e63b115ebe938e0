// Speed of Utgard GP text in megabytes of machine code per second, over all sample binaries laid end to end, and of the
// checker over the first 8 KiB of them, which is as much as the machine holds.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/text/items.h"
#include "mobula/isa/machine.h"
#include "samples.h"

namespace mobula {
namespace {

const Program& samples() {
  static const Program program = join_samples("utgard-gp", "utgard-gp");
  return program;
}

void count_code(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * samples().code.size()));
}

void decode(benchmark::State& state) {
  const auto& code = samples().code;
  const std::uint32_t count = utgard_gp::word_count(code);
  for (auto _ : state)
    for (std::uint32_t i = 0; i < count; ++i)
      utgard_gp::each_item(utgard_gp::load_word(code, i),
                           [](const utgard_gp::Item& item) { benchmark::DoNotOptimize(&item); });
  count_code(state);
}
BENCHMARK(decode);

void disassemble(benchmark::State& state, std::string_view syntax) {
  const Machine* machine = find_machine("utgard-gp");
  DisassembleOptions options;
  options.syntax = syntax;
  for (auto _ : state) {
    auto listing = machine->disassemble(samples(), options);
    benchmark::DoNotOptimize(listing.value().text.data());
  }
  count_code(state);
}
BENCHMARK_CAPTURE(disassemble, gpasm, "gpasm");
BENCHMARK_CAPTURE(disassemble, mesa, "mesa");
BENCHMARK_CAPTURE(disassemble, ogt, "ogt");

void check(benchmark::State& state) {
  const Machine* machine = find_machine("utgard-gp");
  Program program = samples();
  program.code.resize(std::min<std::size_t>(program.code.size(), 8192));
  for (auto _ : state) {
    auto findings = machine->check(program);
    benchmark::DoNotOptimize(findings.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * program.code.size()));
}
BENCHMARK(check);

}  // namespace
}  // namespace mobula
