#include "compile/back_end.h"

#include <array>
#include <span>

#include "mobula/isa/machine.h"

namespace mobula {

#define MOBULA_COMPILER(folder)       \
  namespace folder {                  \
  const Machine& machine();           \
  const compile::BackEnd& back_end(); \
  }
#include "machines/compilers.inc"
#undef MOBULA_COMPILER

namespace compile {
namespace {

struct Row {
  std::string_view machine;
  const BackEnd& back_end;
};

std::span<const Row> rows() {
#define MOBULA_COMPILER(folder) Row{folder::machine().name(), folder::back_end()},
  static const std::array all{
#include "machines/compilers.inc"
  };
#undef MOBULA_COMPILER
  return all;
}

}  // namespace

const BackEnd* find_back_end(std::string_view machine) {
  for (const Row& row : rows())
    if (row.machine == machine) return &row.back_end;
  return nullptr;
}

std::vector<std::string_view> machines_with_back_ends() {
  std::vector<std::string_view> names;
  for (const Row& row : rows()) names.push_back(row.machine);
  return names;
}

bool places_positions(std::string_view machine) {
  const BackEnd* const found = find_back_end(machine);
  return found == nullptr || found->places_positions;
}
bool compares_texels(std::string_view machine) {
  const BackEnd* const found = find_back_end(machine);
  return found == nullptr || found->compares_texels;
}

}  // namespace compile
}  // namespace mobula
