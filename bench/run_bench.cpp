// Whole runs, from prepared inputs to colours or varyings, on one OS thread and on two: pixels a second of pictures,
// vertices a second of a mesh.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "mobula/lab/run.h"

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

Program load_program(const std::string& name, const Machine& machine) {
  const auto side = read_side_file({name, read_text(MOBULA_SOURCE "/examples/" + name + ".json")});
  Program program;
  program.machine = machine.name();
  program.code = read_example(name + ".bin").value();
  program.interface = side.value().interface;
  machine.complete(program.interface);
  return program;
}
Result<RunInputs> load_inputs(const std::string& name, const Interface& interface) {
  const std::string file = name.substr(0, name.find('.')) + ".inputs.json";
  return read_run_inputs({file, read_text(MOBULA_SOURCE "/examples/" + file)}, interface, read_example);
}

void picture(benchmark::State& state, const std::string& name) {
  const Machine& machine = *find_machine("midgard");
  Program program = load_program(name, machine);
  program.variant = "t860";
  const auto inputs = load_inputs(name, program.interface);
  const auto lifted = machine.lift(program, {});
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

/// The torus 64 times over: a vertex of 24 words that loads two attributes and stores two varyings.
void vertices(benchmark::State& state) {
  const Machine& machine = *find_machine("utgard-gp");
  const Program program = load_program("torus.vert", machine);
  auto inputs = load_inputs("torus.vert", program.interface);
  const auto lifted = machine.lift(program, {});
  if (!inputs || !lifted) return state.SkipWithError("the example cannot be read");
  constexpr std::uint32_t copies = 64;
  for (auto& [number, values] : inputs->attributes) {
    const std::vector<RunVec4> once = values;
    for (std::uint32_t i = 1; i < copies; ++i) values.insert(values.end(), once.begin(), once.end());
  }
  inputs->threads *= copies;
  RunOptions options;
  options.os_threads = static_cast<unsigned>(state.range(0));
  if (state.range(1) != 0) options.interpreter.engine = Engine::reference;
  std::int64_t count = 0;
  for (auto _ : state) {
    const auto result = run_program(program, *lifted, *inputs, options);
    if (!result || has_errors(result->diagnostics)) return state.SkipWithError("the run failed");
    count += static_cast<std::int64_t>(result->started);
  }
  state.SetItemsProcessed(count);
}
BENCHMARK(vertices)->Args({1, 0})->Args({2, 0})->Args({1, 1})->ArgNames({"os_threads", "reference"})->UseRealTime();

}  // namespace
}  // namespace mobula
