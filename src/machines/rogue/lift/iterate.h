// Iterators: values of coefficient sets at the position of a pixel (reference 3.9, 3.10, 5.7).
#pragma once

#include <string>
#include <vector>

#include "machines/rogue/lift/backend.h"

namespace mobula::rogue::lifting {

/// fitr, fitrp.
void lift_fitr(GroupContext& context, const Item& item);
/// ditr.
void lift_ditr(GroupContext& context, const Item& item);

/// The first `count` values that a ditr or itrsmp takes.
std::vector<Operand> iterated(GroupContext& context, const Item& item, unsigned count);

/// Why an iteration cannot be executed; empty if it can.
std::string iterate_fault(const Group& group, const Item& item, const State& state);

}  // namespace mobula::rogue::lifting
