// Which line of a source the words of a scheduled program come from.
#pragma once

#include <span>
#include <vector>

#include "machines/utgard_gp/schedule/graph.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

/// Lines of the words of `after`, by the values that they make: each has the line of the word of `before` that makes it
/// first, and a word with values of several lines has the last of them. Words that make nothing go with the word in
/// front. Precondition: the two have the same traces, and their values are of the same Values.
std::vector<SourceLine> follow_lines(const Flow& before, std::span<const SourceLine> lines, const Flow& after);

}  // namespace mobula::utgard_gp
