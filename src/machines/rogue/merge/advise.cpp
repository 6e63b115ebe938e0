#include <algorithm>
#include <iterator>
#include <optional>

#include "core/listing_pieces.h"
#include "core/source_lines.h"
#include "machines/rogue/check/check.h"
#include "machines/rogue/merge/advise.h"
#include "machines/rogue/merge/live.h"
#include "machines/rogue/merge/merge.h"
#include "machines/rogue/merge/order.h"
#include "machines/rogue/merge/rules.h"
#include "machines/rogue/merge/verify.h"
#include "machines/rogue/spec/flow.h"
#include "machines/rogue/spec/layout.h"
#include "machines/rogue/text/parse.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"
#include "mobula/isa/machine.h"
#include "timeline/output.h"

namespace mobula::rogue {
namespace {

constexpr std::size_t most_groups = 100'000;

/// One group, or several that become one.
struct Joined {
  std::vector<std::size_t> members;
  Group group;
  std::optional<std::size_t> label;  ///< what leads to this group leads to it
  bool is_renamed = false;           ///< it may have other registers
};

struct Joining {
  std::vector<Joined> groups;
  struct Part {
    std::size_t first = 0;  ///< of `groups`
    std::uint32_t before = 0, groups = 0, bound = 0;
  };
  std::vector<Part> parts;  ///< those that were put in order
};

/// Groups that others than the one in front lead to.
std::vector<bool> leaders(const Program& program, std::span<const Group> groups) {
  const Labels labels(groups);
  std::vector<bool> result(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    result[i] = labels.labelled(i) || groups[i].offset == program.entry || (i != 0 && exits_of(groups[i - 1]).calls);
  return result;
}

/// True if a last group that begins here can be brought to a multiple of 8: groups in front of it grow; bytes that are
/// none, and groups without machine code, do not.
bool may_be_aligned(std::size_t first, std::span<const Group> groups) {
  if (groups[first].offset % granule_bytes == 0) return true;
  return std::any_of(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(first),
                     [](const Group& group) { return !group.raw() && !group.modelled.present; });
}

/// What begins at one group: the group, it and the next in one, it and the next two, for as long as that goes.
std::vector<Joined> joined_from(std::size_t first, std::size_t end, std::span<const Group> groups,
                                std::span<const RegisterSet> live, const std::vector<bool>& leads) {
  std::vector<Joined> all{{{first}, groups[first], first}};
  for (std::size_t i = first + 1; i < end && !leads[i]; ++i) {
    const Joined& last = all.back();
    const auto merged = merge(last.group, groups[i], ~live[i]);
    if (!merged || unpadded(*merged) > unpadded(last.group) + unpadded(groups[i]) ||
        !keeps_rules(last.group, groups[i], *merged) || (i + 1 == groups.size() && !may_be_aligned(first, groups)))
      break;
    Joined more{last.members, *merged, first};
    more.members.push_back(i);
    all.push_back(std::move(more));
  }
  return all;
}

/// The fewest groups, and of those the fewest bytes, that groups from `first` on can become where they are.
void join_neighbours(std::size_t first, std::size_t end, std::span<const Group> groups,
                     std::span<const RegisterSet> live, const std::vector<bool>& leads, std::vector<Joined>& all) {
  struct Cost {
    std::size_t groups = 0, bytes = 0;
    bool operator<(const Cost& other) const {
      return groups != other.groups ? groups < other.groups : bytes < other.bytes;
    }
  };
  std::vector<Cost> costs(end - first + 1);  // of what begins at each group
  std::vector<Joined> chosen(end - first);
  for (std::size_t i = end; i-- > first;) {
    bool is_first = true;
    for (Joined& each : joined_from(i, end, groups, live, leads)) {
      const Cost& rest = costs[i - first + each.members.size()];
      const Cost cost{rest.groups + 1, rest.bytes + unpadded(each.group)};
      if (is_first || cost < costs[i - first]) {
        costs[i - first] = cost;
        chosen[i - first] = std::move(each);
      }
      is_first = false;
    }
  }
  for (std::size_t i = first; i < end; i += all.back().members.size()) all.push_back(std::move(chosen[i - first]));
}

/// How many temporaries an order may take without fewer tasks fitting beside each other: registers are given out in
/// eights, and 24 of an instance cost nothing (reference 6).
unsigned most_temporaries(std::span<const Group> groups) {
  constexpr unsigned granule = 8, free = 24;
  unsigned temporaries = 0, inputs = 0;
  for (const Group& group : groups) {
    if (group.raw()) continue;
    const Access access = access_of(group);
    const RegisterSet all = access.reads | access.writes | access.late_reads | access.late_writes;
    for (unsigned position = 0; position < tracked_count; ++position) {
      if (!all.test(position)) continue;
      const Register reg = tracked_register(position);
      if (reg.bank == Bank::temporary) temporaries = std::max(temporaries, reg.index + 1U);
      if (reg.bank == Bank::vertex_input) inputs = std::max(inputs, reg.index + 1U);
    }
  }
  const auto rounded = [](unsigned count) { return (count + granule - 1) / granule * granule; };
  const unsigned beside = free - std::min(free, rounded(inputs));
  return std::min(std::max(rounded(temporaries), beside), temporary_count);
}

Joining join(const Program& program, std::span<const Group> groups, std::uint32_t effort) {
  const std::vector<RegisterSet> live = live_behind(groups);
  const std::vector<bool> leads = leaders(program, groups);
  Joining made;
  if (effort == 0) {
    join_neighbours(0, groups.size(), groups, live, leads, made.groups);
    return made;
  }
  const unsigned limit = most_temporaries(groups);
  Merger merger;
  std::size_t next = 0;
  for (const Region& region : find_regions(groups, leads, live)) {
    join_neighbours(next, region.first, groups, live, leads, made.groups);
    next = region.first + region.members.size();
    const bool joins_last = next < groups.size() || may_be_aligned(region.first, groups);
    const OrderedRegion ordered = order(groups, region, live[next - 1], limit, effort, joins_last, merger);
    Joining::Part part{made.groups.size(), static_cast<std::uint32_t>(region.members.size())};
    std::vector<Joined> neighbours;
    join_neighbours(region.first, next, groups, live, leads, neighbours);
    const bool is_fewer = !ordered.groups.empty() && ordered.groups.size() < neighbours.size();
    for (std::size_t i = 0; is_fewer && i < ordered.groups.size(); ++i) {
      const OpenGroup& each = ordered.groups[i];
      Joined joined{{}, each.group, {}, true};
      for (const std::uint32_t member : each.members) joined.members.push_back(region.first + member);
      if (i == 0) joined.label = region.first;
      made.groups.push_back(std::move(joined));
    }
    if (!is_fewer) std::ranges::move(neighbours, std::back_inserter(made.groups));
    part.groups = static_cast<std::uint32_t>(made.groups.size() - part.first);
    part.bound = ordered.bound;
    made.parts.push_back(part);
  }
  join_neighbours(next, groups.size(), groups, live, leads, made.groups);
  return made;
}

std::string text_of(const Group& group) {
  const Program program = alone(group);
  return joined(in_pieces(program, print, {})).text;
}

/// The lines of a group's text from its label, if it has one, to its end.
struct Lines {
  std::string_view label, group;
};
Lines split_label(std::string_view lines) {
  const std::size_t label = lines.find(":\n");
  return label == std::string_view::npos ? Lines{{}, lines}
                                         : Lines{lines.substr(0, label + 2), lines.substr(label + 2)};
}

/// The text of a group without what forces its length or padding: other groups will come before it.
std::string unforced(std::string_view group) {
  std::string text(group);
  const auto erase = [&](std::size_t begin, std::size_t end) {
    if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end - begin);
  };
  if (const std::size_t length = text.find(" len="); length < text.find('{'))
    erase(length, text.find_first_of(" {", length + 1));
  if (const std::size_t padding = text.find("; pad="); padding != std::string::npos)
    erase(padding, text.find_first_of(" ;", padding + 2));
  return text;
}

/// Each group made of several is of the line of the last.
std::vector<SourceLine> lines_of(std::span<const SourceLine> lines, std::span<const Group> groups,
                                 std::span<const Joined> all, std::span<const Group> made) {
  std::vector<SourceLine> result;
  for (std::size_t i = 0; i < std::min(all.size(), made.size()); ++i) {
    const auto line = source_line(lines, groups[all[i].members.back()].offset);
    if (line && (result.empty() || result.back().line != *line)) result.push_back({made[i].offset, *line});
  }
  return result;
}

/// Branches are labels in text, so they find their groups wherever those come to stand.
Result<MergeAdvice> rewrite(const Program& program, std::span<const Group> groups, const Joining& joining) {
  const std::vector<Joined>& all = joining.groups;
  const auto listing = find_machine("rogue")->disassemble(program, {.words = true});
  if (!listing) return fail(listing.error());
  const auto lines = [&](std::size_t i) {
    const Listing::Word& word = listing->words[i];
    return split_label(std::string_view(listing->text).substr(word.text_begin, word.text_end - word.text_begin));
  };
  MergeAdvice advice;
  advice.groups_before = static_cast<std::uint32_t>(groups.size());
  advice.groups = static_cast<std::uint32_t>(all.size());
  std::string text = listing->text.substr(0, listing->words.empty() ? 0 : listing->words.front().text_begin);
  for (const Joined& joined : all) {
    if (joined.label) text += lines(*joined.label).label;
    if (joined.members.size() == 1 && !joined.is_renamed) {
      const std::string_view group = lines(joined.members.front()).group;
      text += all.size() < groups.size() ? unforced(group) : std::string(group);
      continue;
    }
    std::string now = text_of(joined.group);
    text += now;
    if (joined.members.size() == 1) continue;
    GroupMerge merge{.after = one_line(now), .bytes_after = unpadded(joined.group)};
    for (const std::size_t i : joined.members) {
      merge.offsets.push_back(groups[i].offset);
      merge.before.push_back(one_line(lines(i).group));
      merge.bytes_before += unpadded(groups[i]);
    }
    advice.merges.push_back(std::move(merge));
  }
  auto assembled = parse({program.file, text}, program.variant);
  if (!assembled) return fail("RG304", "the merged program cannot be assembled: " + assembled.error().front().message);
  advice.program = std::move(*assembled);
  advice.program.interface = program.interface;
  advice.program.labels.clear();  // they are numbers of the groups before, and listings count those that there are now
  const std::vector<Group> made = decode(advice.program);
  advice.program.lines = lines_of(program.lines, groups, all, made);
  for (const Joining::Part& each : joining.parts)
    advice.parts.push_back({made[each.first].offset, each.before, each.groups, each.bound});
  return advice;
}

}  // namespace

Result<MergeAdvice> advise(const Program& program, const AdviseOptions& options) {
  const std::vector<Group> groups = decode(program);
  if (groups.size() > most_groups)
    return fail("RG301",
                "the program has " + std::to_string(groups.size()) + " groups; advice is for up to " +
                    std::to_string(most_groups),
                "take a part of it");
  const Diagnostics findings = check(program);
  for (const Diagnostic& each : findings)
    if (each.code == "RG045")
      return fail("RG302", "a branch does not lead to a group, so groups cannot be moved: " + each.message);
  auto advice = rewrite(program, groups, join(program, groups, options.effort));
  if (!advice) return advice;
  if (const std::string code = newly_broken(findings, check(advice->program)); !code.empty())
    return fail("RG304", "the merged program breaks the rule " + code + ", which the given one keeps",
                "this is a bug: please report the program");
  if (options.tasks == 0 || advice->merges.empty()) return advice;
  Comparison comparison = compare(program, advice->program, options.tasks);
  if (!comparison.difference.empty())
    return fail("RG304", "the merged program does something else: " + comparison.difference,
                "this is a bug: please report the program");
  advice->instances = comparison.instances;
  advice->not_executed = std::move(comparison.obstacle);
  return advice;
}

}  // namespace mobula::rogue
