// A shader all the way: from GLSL to machine code, by the rules of its machine, executed beside its source.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "compile/back_end.h"
#include "compile/front/shader.h"
#include "compile/make/make.h"
#include "compile/passes/optimize.h"
#include "compile/ssa/from_spirv.h"
#include "compile/verify/verify.h"
#include "mobula/isa/machine.h"

namespace mobula::test {

struct Attempt {
  /// Where it came to an end.
  enum class End : std::uint8_t { front, optimiser, form, back_end, check, verification, verified };
  End end = End::verified;
  std::string code, why;  ///< the rule and what is wrong; of a check the first finding
  ssa::Program form;      ///< as it comes from SPIR-V, which is what code is verified beside
  ssa::Program optimised;
  Program program;
  compile::VerifyOutcome outcome;

  [[nodiscard]] bool is_verified() const { return end == End::verified; }
};

inline std::string_view name(Attempt::End end) {
  constexpr std::string_view names[] = {"front", "optimiser", "form", "back end", "check", "verification", "verified"};
  return names[static_cast<std::size_t>(end)];
}

inline Attempt attempt(std::string_view glsl, Stage stage = Stage::fragment,
                       const compile::Target& target = {"midgard", "t860"},
                       const compile::VerifyOptions& options = {.runs = 8}, unsigned level = ssa::Effort{}.level) {
  Attempt made;
  const auto first_error = [](const Diagnostics& all) {
    const auto found = std::ranges::find(all, Severity::error, &Diagnostic::severity);
    return found == all.end() ? all.front() : *found;
  };
  const auto ends = [&](Attempt::End where, const Diagnostic& why) {
    made.end = where;
    made.code = why.code;
    made.why = why.message;
    return made;
  };
  const auto spirv =
      compile::glsl_to_spirv({"shader", glsl, stage, {}, {}, compile::find_back_end(target.machine)->limits});
  if (!spirv) return ends(Attempt::End::front, first_error(spirv.error()));
  const auto optimised = compile::optimise(*spirv, "shader");
  if (!optimised) return ends(Attempt::End::optimiser, optimised.error().front());
  auto form = ssa::from_spirv(*optimised, stage, "shader");
  if (!form) return ends(Attempt::End::form, form.error().front());
  made.form = std::move(*form);
  made.optimised = made.form;
  ssa::optimize(made.optimised, {.level = level});
  constexpr unsigned short_search = 0;
  auto code = compile::make_code(made.optimised, target, short_search);
  if (!code) return ends(Attempt::End::back_end, code.error().front());
  made.program = std::move(code->program);
  const Diagnostics findings = find_machine(target.machine)->check(made.program);
  if (!findings.empty()) return ends(Attempt::End::check, findings.front());
  const auto outcome = compile::verify(made.form, made.program, options);
  if (!outcome) return ends(Attempt::End::verification, outcome.error().front());
  made.outcome = *outcome;
  if (outcome->difference) return ends(Attempt::End::verification, compile::to_diagnostic(*outcome->difference));
  return made;
}
}  // namespace mobula::test
