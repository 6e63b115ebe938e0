// What the readers of workloads share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// A reader stops after so many problems of one input.
inline constexpr std::size_t most_problems = 20;

/// What is contradictory in an operation whatever core it runs on.
std::optional<std::string> inconsistency(const Operation& operation);

}  // namespace mobula::scoreboard
