#include "machines/emulators.h"

#include "machines/afuc/emulator.h"
#include "machines/afuc/machine.h"

namespace mobula::firmware {
namespace {

struct Row {
  const Machine* machine;
  CreateEmulator emulator;
};

std::span<const Row> rows() {
  static const Row all[] = {{&afuc::machine(), afuc::create_emulator}};
  return all;
}

}  // namespace

CreateEmulator find_emulator(std::string_view machine) {
  for (const Row& row : rows())
    if (row.machine->name() == machine) return row.emulator;
  return nullptr;
}

std::vector<std::string_view> emulated_machines() {
  std::vector<std::string_view> names;
  for (const Row& row : rows()) names.push_back(row.machine->name());
  return names;
}

}  // namespace mobula::firmware
