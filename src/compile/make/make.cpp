#include "compile/make/make.h"

#include <array>
#include <utility>

#include "mobula/lab/advise.h"
#include "mobula/lab/laboratory.h"

namespace mobula::compile {
namespace {

/// Branches do nothing else and nothing goes past them: what machines have been seen to do.
ScheduleOptions schedule_options(unsigned effort) {
  constexpr std::array<std::uint32_t, 3> words{1, 4, 4}, conflicts{0, 0, 4};
  constexpr std::uint64_t steps = 1'000'000;  // some 40 ms
  return {.effort = words.at(effort),
          .exact = conflicts.at(effort),
          .exact_steps = steps,
          .past_branches = false,
          .share_branch_words = false};
}

/// Of the words as they are now.
void forget_before(ScheduledProgram& schedule) {
  schedule.words_before = 0;
  std::uint32_t at = 0;
  for (ScheduledTrace& trace : schedule.traces) {
    trace.words_before = 0;
    trace.first_word = at;
    at += trace.words;
  }
}

/// Without execution: whoever compiles verifies what comes out. A program that is too long for it stays as it is.
Result<MachineCode> merged(mobula::Program program, unsigned effort) {
  constexpr std::array<std::uint32_t, 3> looked_at{0, 0, 5'000};
  auto advice = advise(program, {.tasks = 0, .effort = looked_at.at(effort)});
  if (advice) return MachineCode{advice->program, {}, std::move(*advice)};
  if (advice.error().front().code == "RG301") return MachineCode{std::move(program), {}, {}};
  return fail(std::move(advice).error());
}

}  // namespace

Result<MachineCode> make_code(const ssa::Program& form, const Target& target, unsigned effort,
                              const Progress& progress) {
  auto code = find_back_end(target.machine)->compile(form, target.variant);
  if (!code) return fail(std::move(code).error());
  if (has_ability(target.machine, Ability::advise)) return merged(std::move(*code), effort);
  if (!has_ability(target.machine, Ability::schedule)) return MachineCode{std::move(*code), {}, {}};
  ScheduleOptions options = schedule_options(effort);
  options.progress = progress;
  auto shorter = schedule(*code, options);
  if (!shorter) return fail(std::move(shorter).error());
  forget_before(*shorter);
  return MachineCode{shorter->program, std::move(*shorter), {}};
}

}  // namespace mobula::compile
