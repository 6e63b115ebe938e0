// Any text as GLSL: errors, or a form that every pass leaves valid and that computes the same.
// seeds: tests/data/compile/*.frag tests/data/compile/*.vert tests/data/compile/*.comp examples/*.frag
#include "fuzz/compiled.h"
#include "fuzz/target.h"

using namespace mobula;

FUZZ_TARGET(glsl_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check_module(compile::glsl_to_spirv({"input", text, fuzz::likely_stage(text), {}, {}}));
  return 0;
}
