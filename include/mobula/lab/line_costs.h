// What each line of the source costs that a program was compiled from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

/// The words that a line was compiled to.
struct LineCost {
  std::uint32_t line = 0;  ///< 0: of no line, such as writing what comes out
  std::uint64_t words = 0, instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> by_pipe;  ///< words: "arithmetic"
};
/// By line. A word is that of the line whose code begins with it or last before it (Program::lines). Errors: those of
/// lift() and estimate(). Precondition: the machine has a timing model.
MOBULA_API Result<std::vector<LineCost>> line_costs(const Program& program);

/// A table beside the lines of the source.
MOBULA_API std::string line_cost_table(const std::vector<LineCost>& costs, std::string_view source);

}  // namespace mobula
