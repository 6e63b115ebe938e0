#include "machines/firmware.h"

#include "machines/variants.h"
#include "mobula/isa/firmware_views.h"

namespace mobula::firmware {
namespace {

/// Errors: other_machine(), MOB002.
Result<const Views*> views_of(const Program& program) {
  const Machine* machine = find_machine(program.machine);
  const Views* views = machine == nullptr ? nullptr : machine->firmware_views();
  if (views == nullptr) return other_machine(program);
  if (auto known = check_variant(*machine, program.variant, program.file); !known) return fail(known.error());
  return views;
}

}  // namespace

Unexpected other_machine(const Program& program) {
  if (find_machine(program.machine) == nullptr) return fail(unknown_machine(program.machine));
  std::string known;
  for (const Machine* machine : machines())
    if (machine->firmware_views() != nullptr) known += (known.empty() ? "" : ", ") + std::string(machine->name());
  return fail("AF160", "this is a program of " + program.machine + ", not firmware of an Adreno",
              "choose --machine " + known);
}

Result<Info> info(const Program& program) {
  const auto views = views_of(program);
  if (!views) return fail(views.error());
  return (*views)->info(program);
}

Result<std::vector<Place>> find(const Program& program, std::string_view pattern) {
  const auto views = views_of(program);
  if (!views) return fail(views.error());
  return (*views)->find(program, pattern);
}

Result<std::vector<Place>> instructions(const Program& program) {
  const auto views = views_of(program);
  if (!views) return fail(views.error());
  return (*views)->instructions(program);
}

Result<Diff> diff(const Program& old_program, const Program& new_program) {
  const auto views = views_of(old_program), others = views_of(new_program);
  if (!views) return fail(views.error());
  if (!others) return fail(others.error());
  if (*views != *others) return other_machine(new_program);
  return (*views)->diff(old_program, new_program);
}

Result<std::vector<FlowGraph>> flow(const Program& program, const FlowSelection& selection) {
  const auto views = views_of(program);
  if (!views) return fail(views.error());
  return (*views)->flow(program, selection);
}

Result<std::string> pseudo(const Program& program, const FlowSelection& selection) {
  const auto views = views_of(program);
  if (!views) return fail(views.error());
  return (*views)->pseudo(program, selection);
}

}  // namespace mobula::firmware
