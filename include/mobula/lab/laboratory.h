// What the laboratory can do only with the programs of some machines, and what the command's help says about machines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// Abilities that only some machines have.
enum class Ability : std::uint8_t {
  schedule,  ///< mobula/lab/schedule.h
  relink,    ///< mobula/isa/relink.h
  advise,    ///< mobula/lab/advise.h
  firmware,  ///< its programs run on command streams instead of inputs
};
MOBULA_API bool has_ability(std::string_view machine, Ability ability);
/// The machines that have it, by name, in the order of docs and listings.
MOBULA_API std::vector<std::string_view> machines_with(Ability ability);
/// Says that a machine does not have it (MOB003), and which do.
MOBULA_API Diagnostic lacks_ability(std::string_view machine, Ability ability);

/// What the machines say about one topic of the command's help, "disasm examples", in the order of docs and listings;
/// empty if none says anything.
MOBULA_API std::string help_text(std::string_view topic);

}  // namespace mobula
