// Shaders of usual size from their text to verified machine code of a Mali-T860. Generated ones of many lines:
// scripts/compile-growth.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "mobula/compile/shader.h"

namespace mobula {
namespace {

constexpr std::string_view target = "midgard:t860";

compile::ShaderSource source_of(const std::string& file, const std::string& text) {
  return {.file = file, .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}};
}

/// From text to code, which is done on a thread of its own; `runs` inputs are verified afterwards.
void compile_text(benchmark::State& state, const std::string& file, const std::string& text, std::uint32_t runs) {
  for (auto _ : state) {
    const auto shader = compile::Shader::read(source_of(file, text));
    if (!shader) return state.SkipWithError("the shader is refused");
    const auto code = shader->compile(target);
    if (!code) return state.SkipWithError("the shader does not compile");
    if (runs == 0) continue;
    const auto outcome = shader->verify(code->program, {.runs = runs, .seed = 1, .stop = {}});
    if (!outcome || outcome->difference) return state.SkipWithError("the code differs");
  }
}

void example(benchmark::State& state, const std::string& file, std::uint32_t runs) {
  std::ostringstream text;
  text << std::ifstream(MOBULA_SOURCE "/examples/" + file).rdbuf();
  compile_text(state, file, text.str(), runs);
}
BENCHMARK_CAPTURE(example, ripple, "ripple.frag", 0)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(example, ripple_verified, "ripple.frag", 16)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(example, torus, "torus.vert", 0)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(example, torus_verified, "torus.vert", 16)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula
