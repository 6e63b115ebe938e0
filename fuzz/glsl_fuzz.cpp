// Any text as GLSL: errors, or a form that every pass leaves valid and that computes the same.
// seeds: tests/data/compile/*.frag tests/data/compile/*.vert tests/data/compile/*.comp examples/*.frag
#include "fuzz/compiled.h"
#include "fuzz/target.h"

using namespace mobula;

FUZZ_TARGET(glsl_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const Stage stage = says("local_size") ? Stage::compute : says("gl_Position") ? Stage::vertex : Stage::fragment;
  fuzz::check_module(compile::glsl_to_spirv({"input", text, stage, {}, {}}));
  return 0;
}
