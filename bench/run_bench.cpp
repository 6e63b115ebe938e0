// Pictures: pixels a second of whole runs, from prepared inputs to colours, on one OS thread and on two.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "mobula/run.h"

namespace mobula {
namespace {

std::string read_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Result<std::vector<std::uint8_t>> read_example(const std::string& name) {
  const std::string bytes = read_text(MOBULA_SOURCE "/examples/" + name);
  return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
}

void picture(benchmark::State& state, const std::string& name) {
  const std::string base = MOBULA_SOURCE "/examples/" + name;
  const auto side = read_side_file({name, read_text(base + ".json")});
  Program program;
  program.variant = "t860";
  program.code = read_example(name + ".bin").value();
  program.interface = side.value().interface;
  const std::string inputs_name = name.substr(0, name.find('.')) + ".inputs.json";
  const auto inputs = read_run_inputs({inputs_name, read_text(MOBULA_SOURCE "/examples/" + inputs_name)},
                                      program.interface, read_example);
  const auto lifted = find_machine("midgard")->lift(program, {});
  if (!inputs || !lifted) return state.SkipWithError("the example cannot be read");
  RunOptions options;
  options.image = ImageSize{256, 256};
  options.os_threads = static_cast<unsigned>(state.range(0));
  std::int64_t pixels = 0;
  for (auto _ : state) {
    const auto result = run_program(program, *lifted, *inputs, options);
    if (!result || has_errors(result->diagnostics)) return state.SkipWithError("the run failed");
    pixels += static_cast<std::int64_t>(result->started);
  }
  state.SetItemsProcessed(pixels);
}
BENCHMARK_CAPTURE(picture, checker, "checker.frag")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(picture, waves, "waves.frag")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(picture, textured, "textured.frag")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace mobula
