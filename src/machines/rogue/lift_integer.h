// Integer instructions of phase 0 (reference 3.5, 3.6).
#pragma once

#include "machines/rogue/lift_group.h"

namespace mobula::rogue::lifting {

/// [ui]add/mul/mad 8/16: FT0.
Operand narrow_integer(GroupContext& context, const Item& item);

struct WideResult {
  Operand low, high;  ///< FT0, FTE; `high` is none of 32-bit results
  Operand carry;      ///< all ones or 0, for tstc
};
/// add64, [us]add6432, [us]madd32, [us]madd64. `external` is the value of IS0.
WideResult wide_integer(GroupContext& context, const Item& item, Operand external);

}  // namespace mobula::rogue::lifting
