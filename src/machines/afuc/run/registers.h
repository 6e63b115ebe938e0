// What registers of cores hold, for a person: firmware's conventions (1.3, 4.10), and what instructions make of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "machines/afuc/devices/devices.h"

namespace mobula::afuc {

/// By the positions of register_slots().
std::span<const std::string> register_names();
/// By convention; empty if there is none for this register.
std::string register_meaning(Map map, CoreKind kind, std::size_t number, std::uint32_t value);
/// As the result of an instruction: of cmp. Empty for others, and for registers that it does not write.
std::string result_meaning(Map map, std::uint32_t word, std::size_t number, std::uint32_t value);

}  // namespace mobula::afuc
