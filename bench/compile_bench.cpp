// Shaders from their text to verified machine code of a Mali-T860: one of usual size, and generated ones of many lines.
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

/// Each line makes a variable of its own from the last ones, as generators write it.
std::string straight_text(std::int64_t lines) {
  std::string text =
      "#version 300 es\nprecision highp float;\nuniform vec4 u[8];\nin vec2 uv;\nout vec4 o;\nvoid main() {\n"
      "  vec4 v0 = vec4(uv, 0.0, 1.0), v1 = u[0];\n";
  for (std::int64_t i = 2; i < lines; ++i) {
    const auto name = [&](std::int64_t back) { return 'v' + std::to_string(i - back); };
    text += "  vec4 " + name(0) + " = " + name(1) + ".yzwx * u[" + std::to_string(i % 8) + "] + " + name(2) + ";\n";
  }
  return text + "  o = v" + std::to_string(lines - 1) + ";\n}\n";
}
/// A few variables that branches change.
std::string branching_text(std::int64_t lines) {
  std::string text =
      "#version 300 es\nprecision highp float;\nuniform vec4 u[8];\nin vec2 uv;\nout vec4 o;\nvoid main() {\n"
      "  vec4 a = vec4(uv, 0.0, 1.0), b = u[0];\n";
  for (std::int64_t i = 0; i < lines; ++i)
    text += i % 2 == 0 ? "  a = a.yzwx * u[" + std::to_string(i % 8) + "] + b;\n"
                       : "  if (a.x > " + std::to_string(i) + ".0) b += a; else a -= b;\n";
  return text + "  o = a + b;\n}\n";
}

void straight(benchmark::State& state) {
  compile_text(state, "straight.frag", straight_text(state.range(0)), 0);
  state.SetComplexityN(state.range(0));
}
void branching(benchmark::State& state) {
  compile_text(state, "branching.frag", branching_text(state.range(0)), 0);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(straight)
    ->RangeMultiplier(2)
    ->Range(625, 10000)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK(branching)
    ->RangeMultiplier(2)
    ->Range(625, 10000)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

}  // namespace
}  // namespace mobula
