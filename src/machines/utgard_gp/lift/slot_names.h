// What people call the results of earlier words, and the slots in which the lifter keeps them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::utgard_gp {

/// Slots that may hold `name` for a thread: acc0[-1] or a0[-1], mul0[-2], p0[-1].x ... A result has a slot of its own,
/// "a0@5" for that of word 5, or one where values of several words meet, "a0[-1]@12" before word 12; see
/// Forwarding. Arguments as for Machine::slots_meant.
std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                     std::span<const std::uint64_t> executed);

}  // namespace mobula::utgard_gp
