// Compiles a shader for two machines, verifies each, and prints how long the code is and what it costs.
#include <cstdio>

#include "mobula/compile/shader.h"
#include "mobula/mobula.h"

int failed(const mobula::Diagnostics& diagnostics) {
  std::fputs(mobula::render(diagnostics).c_str(), stderr);
  return 1;
}

int main() {
  const auto bytes = mobula::load_bytes("examples/torus.vert");
  if (!bytes) return failed(bytes.error());
  const auto shader = mobula::compile::Shader::read({.file = "examples/torus.vert", .bytes = *bytes});
  if (!shader) return failed(shader.error());
  for (const char* machine : {"midgard:t860", "utgard-gp:mali450"}) {
    const auto code = shader->compile(machine);
    if (!code) return failed(code.error());
    const auto outcome = shader->verify(code->program);
    if (!outcome) return failed(outcome.error());
    if (outcome->difference) return failed({mobula::compile::to_diagnostic(*outcome->difference)});
    std::printf("%s: %zu bytes, %llu numbers verified\n", machine, code->program.code.size(),
                static_cast<unsigned long long>(outcome->compared));
  }
}
