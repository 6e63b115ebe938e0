// Compiles and verifies, with mobula::compile.
#include "mobula/compile/shader.h"

#include <string_view>

bool compiles();

bool compiles() {
  constexpr std::string_view text = "void main() { gl_Position = vec4(1.0); }";
  const auto shader = mobula::compile::Shader::read(
      {.file = "one.vert", .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
  const auto code = shader->compile("utgard-gp");
  return code && !shader->verify(code->program)->difference;
}
