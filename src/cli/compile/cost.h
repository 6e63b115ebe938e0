// What each line of a shader's source costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/output.h"
#include "mobula/isa/program.h"

namespace mobula::cli {

/// The words that a line was compiled to.
struct LineCost {
  std::uint32_t line = 0;  ///< 0: of no line, such as writing what comes out
  std::uint64_t words = 0, instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> by_pipe;  ///< words: "arithmetic"
};
/// By line. A word is that of the line whose code begins with it or last before it.
std::vector<LineCost> costs_of(const Program& program);

/// A table beside the lines of the source.
std::string cost_table(const std::vector<LineCost>& costs, std::string_view source);
Json to_json(const std::vector<LineCost>& costs);

}  // namespace mobula::cli
