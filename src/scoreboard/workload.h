// What the readers of workloads share.
#pragma once

#include <optional>
#include <string>

#include "mobula/scoreboard.h"

namespace mobula::scoreboard {

/// What is contradictory in an operation whatever core it runs on.
std::optional<std::string> inconsistency(const Operation& operation);

}  // namespace mobula::scoreboard
