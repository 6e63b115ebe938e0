// Questions about shaders, where the module has their compiler. What comes out is opened like any file.
#include "laboratory.h"
#include "mobula/compile/shader.h"
#include "mobula/lab/side_file.h"

namespace mobula::web {
namespace {

/// "text", a shader named "file", for "machine": bytes of its code, and the side file.
Answer ask_compile(const Json& request, Bytes) {
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

Answer ask_targets(const Json&, Bytes) {
  Json names = Json::array();
  for (const std::string_view each : compile::target_machines()) names.push_back(each);
  return done({{"machines", std::move(names)}});
}

}  // namespace

std::span<const Question> compile_questions() {
  using Needs = Question::Needs;
  static constexpr Question all[] = {{"compile", ask_compile, Needs::nothing},
                                     {"targets", ask_targets, Needs::nothing}};
  return all;
}

}  // namespace mobula::web
