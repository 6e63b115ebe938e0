#include "cli/input/other_machine.h"

#include <algorithm>

#include "core/counted.h"
#include "mobula/isa/firmware_views.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/load.h"

namespace mobula::cli {
namespace {

/// Less than that may be code of anything, and more is not looked at twice.
constexpr std::size_t least_bytes = 64, most_bytes = std::size_t{256} << 10;

std::size_t errors_in(const Machine& machine, const Program& program) {
  const Diagnostics found = machine.check(program);
  return static_cast<std::size_t>(
      std::ranges::count_if(found, [](const Diagnostic& each) { return each.severity == Severity::error; }));
}

/// Firmware has a form of its own, by which it would have been known.
bool fits(const Machine& machine, const Program& program) {
  if (machine.firmware_views() != nullptr || program.code.size() % machine.word_bytes() != 0) return false;
  CodeImage image;
  image.code = program.code;
  const Result<Program> other = load_image(std::move(image), program.file, {.machine = std::string(machine.name())});
  return other && errors_in(machine, *other) == 0;
}

}  // namespace

Diagnostics doubts(const Program& program) {
  if (program.code.size() < least_bytes || program.code.size() > most_bytes) return {};
  const std::size_t errors = errors_in(*find_machine(program.machine), program);
  if (errors == 0) return {};
  const Machine* likely = nullptr;
  for (const Machine* machine : machines()) {
    if (machine->name() == program.machine || !fits(*machine, program)) continue;
    if (likely != nullptr) return {};
    likely = machine;
  }
  if (likely == nullptr) return {};
  const std::string name(likely->name());
  return {{Severity::warning,
           "MOB016",
           {.file = program.file},
           "the rules of " + program.machine + " find " + counted(errors, "error") + " in this code, and those of " +
               name + " none: is it code of " + name + "?",
           "--machine " + name + " takes it for that; nothing in the file says which machine it is for"}};
}

}  // namespace mobula::cli
