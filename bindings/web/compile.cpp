// Questions about shaders, where the module has their compiler. What comes out is opened like any file.
#include <algorithm>
#include <iterator>

#include "laboratory.h"
#include "mobula/compile/shader.h"
#include "mobula/lab/side_file.h"

namespace mobula::web {
namespace {

std::optional<compile::Included> find_included(const std::string& name, const std::string&, bool) {
  const auto* const bytes = find_file(name);
  if (bytes == nullptr) return {};
  return compile::Included{name, std::string(bytes->begin(), bytes->end())};
}

/// "text", a shader named "file", for "machine".
Result<compile::Shader> shader_of(const Json& request) {
  const std::string file = given(request, "file"), text = given(request, "text");
  return compile::Shader::read({.file = file,
                                .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                                .stage = Stage::unknown,
                                .macros = {},
                                .find_included = find_included,
                                .machine = given(request, "machine")});
}

/// A shader for "machine": bytes of its code, and the side file.
Answer ask_compile(const Json& request, Bytes) {
  const auto shader = shader_of(request);
  if (!shader) return refuse(shader.error());
  auto code = shader->compile(given(request, "machine"), compile::usual_level, show_progress);
  if (!code) return refuse(code.error());
  Diagnostics remarks = shader->warnings();
  if (code->schedule) std::ranges::copy(code->schedule->remarks, std::back_inserter(remarks));
  Answer answer = done({{"side", write_side_file(code->program)}, {"diagnostics", to_json(remarks)}});
  answer.bytes = std::move(code->program.code);
  return answer;
}

/// The same, executed beside its source: what was compared, and what is wrong.
Answer ask_verify(const Json& request, Bytes) {
  const auto shader = shader_of(request);
  if (!shader) return refuse(shader.error());
  const auto code = shader->compile(given(request, "machine"), compile::usual_level, show_progress);
  if (!code) return refuse(code.error());
  compile::VerifyOptions options;
  options.stop = [&options, done = std::uint32_t{0}]() mutable {
    show_progress(done++, options.runs);
    return false;
  };
  const auto outcome = shader->verify(code->program, options);
  if (!outcome) return refuse(outcome.error());
  if (outcome->difference) return refuse({compile::to_diagnostic(*outcome->difference)});
  return done({{"runs", outcome->runs},
               {"compared", outcome->compared},
               {"open", outcome->open},
               {"diagnostics", to_json(compile::remarks_of(*outcome))}});
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
                                     {"verify", ask_verify, Needs::nothing},
                                     {"targets", ask_targets, Needs::nothing}};
  return all;
}

}  // namespace mobula::web
