// What the rows of virtual registers are called.
#pragma once

#include <string>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// "3", or with a table for each file "F.3".
inline std::string row_name(const Config& config, std::size_t row) {
  if (!config.virtual_registers.per_file) return std::to_string(row);
  const char letter = static_cast<char>('A' + row / config.virtual_registers.rows);
  return letter + ('.' + std::to_string(row % config.virtual_registers.rows));
}

}  // namespace mobula::scoreboard
