// The module that compiles shaders: its one question. What comes out is opened by the other module like any file.
#include "mobula/compile/shader.h"

#include "answers.h"
#include "mobula/lab/side_file.h"
#include "reply.h"

namespace mobula::web {
namespace {

/// "text", a shader named "file", for "machine": bytes of its code, and the side file.
Answer ask_compile(const Json& request) {
  const std::string file = given(request, "file"), text = given(request, "text");
  const auto shader =
      compile::Shader::read({.file = file, .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
  if (!shader) return refuse(shader.error());
  auto code = shader->compile(given(request, "machine"));
  if (!code) return refuse(code.error());
  Diagnostics remarks;
  if (code->schedule) remarks = code->schedule->remarks;
  Answer answer = done({{"side", write_side_file(code->program)}, {"diagnostics", to_json(remarks)}});
  answer.bytes = std::move(code->program.code);
  return answer;
}

Answer ask_targets() {
  Json names = Json::array();
  for (const std::string_view each : compile::target_machines()) names.push_back(each);
  return done({{"machines", std::move(names)}});
}

}  // namespace

Answer answer(std::string_view request, std::span<const std::uint8_t>) {
  const Json asked = Json::parse(request, nullptr, false);
  const std::string wanted = asked.is_object() ? given(asked, "ask") : std::string();
  if (wanted == "compile") return ask_compile(asked);
  if (wanted == "targets") return ask_targets();
  return refuse({{Severity::error, "", {}, "the page asked the compiler for what there is not: " + wanted, ""}});
}

}  // namespace mobula::web
