#include "machines/firmware.h"

#include "mobula/firmware_views.h"
#include "mobula/machine.h"

namespace mobula::firmware {
namespace {

/// Nullptr where the program is none of firmware.
const Views* views_of(const Program& program) {
  const Machine* machine = find_machine(program.machine);
  return machine == nullptr ? nullptr : machine->firmware_views();
}

}  // namespace

Unexpected other_machine(const Program& program) {
  std::string known;
  for (const Machine* machine : machines())
    if (machine->firmware_views() != nullptr) known += (known.empty() ? "" : ", ") + std::string(machine->name());
  return fail("AF160", "this is a program of " + program.machine + ", not firmware of an Adreno",
              "choose --machine " + known);
}

Result<Info> info(const Program& program) {
  const Views* views = views_of(program);
  return views == nullptr ? other_machine(program) : views->info(program);
}

Result<std::vector<Place>> find(const Program& program, std::string_view pattern) {
  const Views* views = views_of(program);
  return views == nullptr ? other_machine(program) : views->find(program, pattern);
}

Result<std::vector<Place>> instructions(const Program& program) {
  const Views* views = views_of(program);
  return views == nullptr ? other_machine(program) : views->instructions(program);
}

Result<Diff> diff(const Program& old_program, const Program& new_program) {
  const Views* views = views_of(old_program);
  if (views == nullptr) return other_machine(old_program);
  if (views_of(new_program) != views) return other_machine(new_program);
  return views->diff(old_program, new_program);
}

Result<std::vector<FlowGraph>> flow(const Program& program, const FlowSelection& selection) {
  const Views* views = views_of(program);
  return views == nullptr ? other_machine(program) : views->flow(program, selection);
}

Result<std::string> pseudo(const Program& program, const FlowSelection& selection) {
  const Views* views = views_of(program);
  return views == nullptr ? other_machine(program) : views->pseudo(program, selection);
}

}  // namespace mobula::firmware
