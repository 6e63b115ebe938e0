#include "compile/back_end.h"

#include "compile/midgard/back_end.h"
#include "compile/rogue/back_end.h"
#include "compile/utgard_gp/back_end.h"

namespace mobula::compile {

std::span<const BackEnd* const> back_ends() {
  static constexpr BackEnd midgard{.machine = "midgard", .compile = [](const ssa::Program& form, const Target& target) {
                                     return midgard_compiler::compile(form, target.variant);
                                   }};
  static constexpr BackEnd utgard_gp{.machine = "utgard-gp",
                                     .compile = [](const ssa::Program& form, const Target& target) {
                                       return utgard_gp_compiler::compile(form, target.variant);
                                     }};
  static constexpr BackEnd rogue{
      .machine = "rogue",
      .compile = [](const ssa::Program& form,
                    const Target& target) { return rogue_compiler::compile(form, target.variant); },
      .places_positions = false};
  static constexpr const BackEnd* rows[] = {&midgard, &utgard_gp, &rogue};
  return rows;
}

const BackEnd* find_back_end(std::string_view machine) {
  for (const BackEnd* each : back_ends())
    if (each->machine == machine) return each;
  return nullptr;
}

bool places_positions(std::string_view machine) {
  const BackEnd* const found = find_back_end(machine);
  return found == nullptr || found->places_positions;
}

}  // namespace mobula::compile
