// Runs of one program by all engines.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "mobula/lab/run.h"

namespace mobula::test {

class NativeRuns {
 public:
  NativeRuns(RunInputs inputs, ImageSize size) : inputs_(std::move(inputs)), size_(size) {
    program_.machine = "midgard";
    program_.interface.stage = Stage::fragment;
  }
  NativeRuns& with_step_limit(std::uint64_t steps) {
    inputs_.limits.steps = steps;
    return *this;
  }
  NativeRuns& with(const Program& program) {
    program_ = program;
    return *this;
  }

  /// What differs between host code of each width, vector kernels and the scalar semantics; empty if nothing does. Says
  /// so, too, where there is no host code.
  [[nodiscard]] std::string difference(const ir::Program& code, bool must_be_native = true,
                                       bool* is_native = nullptr) const {
    const auto reference = run(code, Engine::reference, NativeChoice::never);
    const auto vector = run(code, Engine::simd, NativeChoice::never);
    const auto native = run(code, Engine::simd, NativeChoice::always);
    const auto narrow = run(code, Engine::simd, NativeChoice::always, 8);
    if (!reference || !vector || !native || !narrow)
      return reference && native ? "does not run" : render(native.error());
    if (is_native != nullptr) *is_native = native->native.is_used;
    if (must_be_native && !native->native.is_used) return "no host code: " + native->native.reason;
    if (std::string found = difference(*reference, *vector, "vector"); !found.empty()) return found;
    if (std::string found = difference(*reference, *native, "native"); !found.empty()) return found;
    if (!narrow->native.is_used) return {};  // the interpreter in small batches, which words what it reports otherwise
    return difference(*reference, *narrow, "native, eight lanes");
  }

  /// What differs between a picture of which bytes are kept and the bytes of its words, by any engine.
  [[nodiscard]] std::string difference_of_bytes(const ir::Program& code) const {
    const auto words = run(code, Engine::reference, NativeChoice::never);
    if (!words) return render(words.error());
    const std::vector<std::uint8_t> wanted = to_rgba8(*words->image, ColourFormat::f32);
    for (const NativeChoice native : {NativeChoice::never, NativeChoice::always}) {
      const auto bytes = run(code, Engine::simd, native, 256, PictureColours::bytes);
      if (!bytes) return render(bytes.error());
      const std::string engine = native == NativeChoice::never ? "vector" : "native";
      if (!bytes->image->colours.empty()) return engine + ": words are kept, too";
      if (bytes->image->covered != words->image->covered) return engine + ": covered";
      if (to_rgba8(*bytes->image, ColourFormat::f32) != wanted) return engine + ": bytes";
    }
    return {};
  }

 private:
  [[nodiscard]] Result<RunResult> run(const ir::Program& code, Engine engine, NativeChoice native,
                                      std::uint32_t lanes = 256, PictureColours kept = PictureColours::words) const {
    RunOptions options{.interpreter = {.engine = engine},
                       .batch_lanes = lanes,
                       .image = size_,
                       .kept_colours = kept,
                       .native = native};
    return run_program(program_, code, inputs_, options);
  }

  [[nodiscard]] static std::string difference(const RunResult& wanted, const RunResult& got, std::string_view engine) {
    const auto says = [&](const std::string& what) { return std::string(engine) + ": " + what; };
    for (std::size_t pixel = 0; pixel < wanted.image->colours.size(); ++pixel) {
      if (wanted.image->covered[pixel] != got.image->covered[pixel]) return says("covered " + std::to_string(pixel));
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t a = wanted.image->colours[pixel][i], b = got.image->colours[pixel][i];
        if (a == b) continue;
        char text[100];
        std::snprintf(text, sizeof text, "pixel %zu, component %zu: %08x should be %08x", pixel, i, b, a);
        return says(text);
      }
    }
    if (wanted.executions != got.executions) return says("executions");
    if (wanted.started != got.started || wanted.ended != got.ended || wanted.discarded != got.discarded ||
        wanted.faulted != got.faulted)
      return says("counts of threads");
    if (render(wanted.diagnostics) != render(got.diagnostics)) return says("diagnostics");
    return {};
  }

  Program program_;
  RunInputs inputs_;
  ImageSize size_;
};

}  // namespace mobula::test
