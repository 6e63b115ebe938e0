// Exact search: is there a schedule of a trace in so many words?
//
// The question is written as a propositional formula over "this unit works on that value in this word". Operations may
// be done more than once, values moved, loaded again, and kept in registers as the machine permits; function sequences
// have the form of the reference, section 3.5. An answer `no` is a proof for the trace's value graph.
#pragma once

#include <cstdint>

#include "machines/utgard_gp/schedule/plan.h"
#include "machines/utgard_gp/schedule/sat.h"

namespace mobula::utgard_gp {

struct ExactAnswer {
  Sat::Answer answer = Sat::Answer::unknown;
  Plan plan;  ///< if yes
  std::uint64_t conflicts = 0, steps = 0;
};

/// True if the formula stays small enough to be worth trying, and the trace uses neither temporaries nor address
/// registers.
bool is_exact_possible(const Task& task, unsigned words);

/// `unknown` after so many conflicts of the solver, or once `may_go_on` says no (Sat::solve).
ExactAnswer find_exactly(
    const Task& task, unsigned words, std::uint64_t conflicts, bool share_branch_words,
    const Sat::MayGoOn& may_go_on = [](std::uint64_t) { return true; });

}  // namespace mobula::utgard_gp
