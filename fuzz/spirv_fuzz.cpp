// Any bytes as SPIR-V, binary or text: errors, or a form that every pass leaves valid and that computes the same.
// seeds: tests/data/compile/*.spvasm tests/data/compile/*.spv
#include "fuzz/compiled.h"
#include "fuzz/target.h"

using namespace mobula;

FUZZ_TARGET(spirv_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check_module(compile::is_spirv_text(text) ? compile::assemble_spirv(text, "input")
                                                  : compile::read_spirv({data, size}, "input"));
  return 0;
}
