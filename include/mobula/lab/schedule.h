// Scheduling: the same program in fewer words. For Utgard GP, the vertex processor of ARM Mali-200/400/450; see
// Ability::schedule.
//
// A program's words are split into the values they compute, and the values are rescheduled: moves are dropped,
// loads repeated where that is cheaper, values kept in registers or in the forwarding network, operations after a
// branch that may not be taken started before it. Results stay the same bit for bit. Facts: Utgard GP reference,
// sections 4 and 6; how it works: docs/utgard-gp-scheduling.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

struct ScheduleOptions {
  std::uint32_t effort = 20;  ///< thousands of words to try for the whole program; more is better and slower
  /// Thousands of conflicts that the exact search may spend on each question of whether a trace fits in one word fewer;
  /// 0 = no exact search.
  std::uint32_t exact = 10;
  /// Clauses that it may look at and literals that it may write down, for all questions together; none: 10000 for each
  /// of the conflicts of a question.
  std::optional<std::uint64_t> exact_steps;
  /// Values may be forwarded past a branch that is not taken, and computed before it though only needed after it;
  /// registers may be stored in the last words before a branch or join.
  bool past_branches = true;
  bool share_branch_words = true;  ///< a word that branches may do other work
  std::uint32_t vertices = 256;    ///< random inputs on which old and new program must agree; 0 = no execution
  /// Called now and then: how many of the steps that these limits allow are done. A proof ends the search sooner.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Why a trace cannot be shorter: this many words are needed for this resource alone.
struct ScheduleBound {
  std::string resource;  ///< "adders", "multipliers", "latency" ...; "search": shown by the exact search
  std::uint32_t words = 0;
};

/// A part of the program that is entered only at its start: one basic block, or several of which each follows the one
/// before it if that one's branch is not taken.
struct ScheduledTrace {
  std::uint32_t first_word = 0;  ///< in the program as it was
  std::uint32_t words_before = 0, words = 0;
  std::vector<ScheduleBound> bounds;  ///< the strictest first; of a scheduled trace never empty
  /// No schedule of the trace is shorter.
  [[nodiscard]] std::uint32_t bound() const { return bounds.empty() ? 0 : bounds.front().words; }
  [[nodiscard]] bool optimal() const { return words <= bound(); }
};

struct ScheduledProgram {
  Program program;
  std::vector<ScheduledTrace> traces;
  std::uint32_t words_before = 0, words = 0, bound = 0;
  std::uint32_t prefetch = 0;  ///< last word that loads an attribute, 0-based; what the driver's command announces
  std::uint64_t words_tried = 0;
  /// What users of the program should know: GP307 it does what no hardware is known to have done and the given program
  /// does not; a code of an error: a shorter program was given up as it did not pass the verification.
  Diagnostics remarks;
};

/// Never longer than the given program. The result has been verified: it computes the same values from the same inputs,
/// shown by symbolic execution of both and on random inputs. The same result on every machine.
///
/// Programs that store temporaries or use address registers keep every access in its place among the others, as far as
/// two of them may meet. If no schedule is found at all, or none that passes the verification, the program stays as it
/// is.
///
/// Errors: MOB003 programs of this machine cannot be scheduled; GP301 something in the program is not understood well
/// enough to be moved (unknown opcodes and selectors, values read too early or forwarded over a join, A0 used but not
/// set on every path); GP303 more than 512 words are needed.
MOBULA_API Result<ScheduledProgram> schedule(const Program& program, const ScheduleOptions& options = {});

/// Compiles a text of the expression language of docs/utgard-gp-scheduling.md. The program brings the interface the
/// text declares, with the numbers it puts in uniform memory; `words_before` is 0. Values that find no register go to
/// temporaries after those numbers; their addresses are among them. Verified against evaluating the text
/// itself on random inputs.
///
/// Errors: GP150 to GP154 in the text, all of them; GP303 as above; GP304 the result is wrong, a bug that is reported
/// instead of the result; GP306 no schedule was found.
MOBULA_API Result<ScheduledProgram> schedule_expressions(const SourceText& source, const ScheduleOptions& options = {});

}  // namespace mobula
