// Two groups in one: what the first of two neighbours does and what the second does, in a single group.
#pragma once

#include <optional>

#include "core/export.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// The shortest group that does what `first` does and then what `second` does; nothing if no group can, or if it is not
/// known to. `dead` are registers whose values nobody needs after `second`: they may be left unwritten, all others are
/// written as before. Its offset and its size are open.
///
/// Values that `second` reads and `first` writes are handed over by feedthroughs, where a copy or a selector takes
/// them. Groups that repeat are merged if they repeat as often and their passes do not touch each other's registers.
/// Nothing is proposed that rests on unpublished behaviour: indexed operands, `atom`, results of one instance that
/// another one sees.
MOBULA_INTERNAL std::optional<Group> merge(const Group& first, const Group& second, const RegisterSet& dead);

/// The shortest forms of header and maps for the registers that the group holds; nothing if it does not fit.
MOBULA_INTERNAL std::optional<Group> fitted(Group group);

/// merge() for two groups of the ALU; conditions and flags have been compared.
std::optional<Group> merge_main(const Group& first, const Group& second, const RegisterSet& dead);
std::optional<Group> merge_bitwise(const Group& first, const Group& second, const RegisterSet& dead);

/// True if the register need not be written.
inline bool is_dead(const Register& reg, const RegisterSet& dead) {
  const int position = tracked(reg);
  return position >= 0 && dead.test(static_cast<std::size_t>(position));
}

}  // namespace mobula::rogue
