#include <algorithm>
#include <array>

#include "mobula/machine.h"

namespace mobula {

#define MOBULA_MACHINE(folder) \
  namespace folder {           \
  const Machine& machine();    \
  }
#include "machines/machines.inc"
#undef MOBULA_MACHINE

std::span<const Machine* const> machines() {
#define MOBULA_MACHINE(folder) &folder::machine(),
  static const std::array all{
#include "machines/machines.inc"
  };
#undef MOBULA_MACHINE
  return all;
}

const Machine* find_machine(std::string_view name) {
  for (const Machine* machine : machines())
    if (machine->name() == name) return machine;
  return nullptr;
}

Result<MachineChoice> parse_machine(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Machine* machine = find_machine(text.substr(0, colon));
  if (machine == nullptr) {
    std::string known;
    for (const Machine* each : machines()) known += (known.empty() ? "" : ", ") + std::string(each->name());
    return fail("MOB001", "unknown machine '" + std::string(text.substr(0, colon)) + "'", "known machines: " + known);
  }
  if (colon == std::string_view::npos) return MachineChoice{machine, std::string(machine->variants().front().name)};
  const std::string_view wanted = text.substr(colon + 1);
  const auto variants = machine->variants();
  if (std::none_of(variants.begin(), variants.end(), [&](const Variant& each) { return each.name == wanted; })) {
    std::string known;
    for (const Variant& each : variants) known += (known.empty() ? "" : ", ") + std::string(each.name);
    return fail("MOB002", "unknown " + std::string(machine->name()) + " variant '" + std::string(wanted) + "'",
                "known variants: " + known);
  }
  return MachineChoice{machine, std::string(wanted)};
}

}  // namespace mobula
