// Integer instructions of phase 0 (reference 3.5, 3.6).
#pragma once

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

// [ui]add/mul/mad 8/16: FT0.
Operand narrow_sum(GroupContext& context, const Item& item);
Operand narrow_product(GroupContext& context, const Item& item);
Operand narrow_multiply_add(GroupContext& context, const Item& item);

struct WideResult {
  Operand low, high;  ///< FT0, FTE; `high` is none of 32-bit results
  Operand carry;      ///< all ones or 0, for tstc
};
WideResult add_word_to_pair(GroupContext& context, const Item& item);
WideResult multiply_add_word(GroupContext& context, const Item& item);
// `external` is the value of IS0.
WideResult add_pairs(GroupContext& context, const Item& item, Operand external);
WideResult multiply_add_pair(GroupContext& context, const Item& item, Operand external);

}  // namespace mobula::rogue::lifting
