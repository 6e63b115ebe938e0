// Groups and programs beside the machine's rules: no merging breaks one that was kept before.
#pragma once

#include <string>

#include "machines/rogue/spec/codec.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// The group as a program by itself, so long as an assembler would make it.
Program alone(const Group& group);
/// Its bytes, filled up to words.
std::uint32_t unpadded(const Group& group);

/// A rule that is broken in more places than before; empty if there is none. Notes do not count.
std::string newly_broken(const Diagnostics& before, const Diagnostics& after);
/// True if one group for two breaks no rule that these keep.
bool keeps_rules(const Group& first, const Group& second, const Group& merged);

}  // namespace mobula::rogue
