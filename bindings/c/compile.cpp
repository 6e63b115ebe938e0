// Shaders to programs.
#include "handles.h"
#ifdef MOBULA_COMPILE
#include "mobula/compile/shader.h"
#endif

using namespace mobula;

#ifdef MOBULA_COMPILE
namespace {

/// Machine code that was found to compute what its source says; what is doubtful goes among its remarks.
Result<Program> compiled(const compile::ShaderSource& source, const mobula_compile_options& options) {
  const auto shader = compile::Shader::read(source);
  if (!shader) return fail(shader.error());
  const unsigned level = options.effort == MOBULA_USUAL_EFFORT ? compile::usual_level : unsigned(options.effort) - 1;
  auto code = shader->compile(c::text_or_empty(options.machine), level);
  if (!code) return fail(std::move(code).error());
  compile::VerifyOptions verify;
  if (options.runs != 0) verify.runs = options.runs;
  const auto outcome = shader->verify(code->program, verify);
  if (!outcome) return fail(outcome.error());
  if (outcome->difference) return fail(compile::to_diagnostic(*outcome->difference));
  code->program.remarks = shader->remarks_on(*outcome);
  return std::move(code->program);
}

}  // namespace
#endif

mobula_status mobula_compile(const void* source, size_t source_size, const mobula_compile_options* options,
                             mobula_program** program, mobula_diagnostics** diagnostics) {
  if (source == nullptr || options == nullptr || c::lack_size(options)) return c::misused(program, diagnostics);
  const mobula_compile_options chosen = c::read(options);
  if (chosen.effort < MOBULA_USUAL_EFFORT || chosen.effort > MOBULA_MOST_EFFORT)
    return c::misused(program, diagnostics);
#ifdef MOBULA_COMPILE
  if (chosen.runs > compile::most_verify_runs) return c::misused(program, diagnostics);
  return c::making(program, diagnostics, [&] {
    return c::handle_of(compiled({.file = chosen.file == nullptr ? "shader.frag" : chosen.file,
                                  .bytes = {static_cast<const std::uint8_t*>(source), source_size},
                                  .machine = std::string(c::text_or_empty(chosen.machine))},
                                 chosen),
                        diagnostics);
  });
#else
  (void)source_size;
  if (program != nullptr) *program = nullptr;
  if (diagnostics != nullptr) *diagnostics = nullptr;
  return MOBULA_UNSUPPORTED;
#endif
}
