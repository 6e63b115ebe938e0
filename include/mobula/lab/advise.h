// Advice: which neighbouring instruction groups of a program could be one group. For PowerVR Rogue; see
// Ability::advise.
//
// A group costs the same whatever its phases hold, so fewer groups are a faster program. Facts: Rogue reference, 2 and
// 6; how it works: docs/rogue-timing.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

/// Groups that could be one.
struct GroupMerge {
  std::vector<std::uint64_t> offsets;               ///< bytes at which they begin, ascending; two or more
  std::vector<std::string> before;                  ///< their texts, one line each
  std::string after;                                ///< text of the group that does the same
  std::uint32_t bytes_before = 0, bytes_after = 0;  ///< without the padding that aligns the program's end
};

/// Groups in a row that nothing leads into or out of, in an order of their own.
struct OrderedGroups {
  std::uint64_t offset = 0;  ///< of the first one's first byte, in the program that came out
  std::uint32_t groups_before = 0, groups = 0;
  std::uint32_t bound = 0;  ///< in no order do fewer groups do the same, as far as groups are known to merge
  [[nodiscard]] bool optimal() const { return groups == bound; }
};

struct MergeAdvice {
  Program program;  ///< with all merges made
  std::vector<GroupMerge> merges;
  std::vector<OrderedGroups> parts;  ///< with `effort`, in order; groups that stand alone are in none
  std::uint32_t groups_before = 0, groups = 0;
  std::uint32_t instances = 0;  ///< random inputs on which both programs ran to their ends and did the same
  std::string not_executed;     ///< why nothing was executed; empty if something was, or it was not requested
};

struct AdviseOptions {
  std::uint32_t tasks = 32;  ///< of 32 instances with random inputs that both programs execute; 0 = no execution
  /// Groups are put in another order if more of them merge then: how many sets of groups the search looks at for each
  /// part of the program; 0 = only neighbours merge. Parts of up to 24 groups are searched to their end.
  std::uint32_t effort = 0;
};

/// Looks at groups one after the other and joins each with the next for as long as the rules of the machine allow. The
/// program keeps what it does: values that someone reads later are still written, no rule is broken that was not broken
/// before, and both programs do the same on random inputs, as far as they can be executed.
///
/// Errors: MOB003 there is no advice for this machine; RG301 the program has more than 100,000 groups; RG302 a branch
/// does not lead to a group, so that groups cannot be moved; RG304 the result is wrong, a bug that is reported instead
/// of the result.
MOBULA_API Result<MergeAdvice> advise(const Program& program, const AdviseOptions& options = {});

/// For a person; ends with a newline.
MOBULA_API std::string report(const MergeAdvice& advice);

}  // namespace mobula
