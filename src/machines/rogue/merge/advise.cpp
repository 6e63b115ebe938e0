#include <algorithm>
#include <array>
#include <map>

#include "core/listing_pieces.h"
#include "core/source_lines.h"
#include "machines/rogue/check/check.h"
#include "machines/rogue/merge/advise.h"
#include "machines/rogue/merge/live.h"
#include "machines/rogue/merge/merge.h"
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

constexpr std::size_t most_groups = 5000;

/// The group as a program by itself, so long as an assembler would make it.
Program alone(const Group& group) {
  const std::array extents{Extent{content_bytes(group), true, group.ends()}};
  const unsigned words = default_sizes(extents).front() / 2;
  Program program;
  encode_content(group, words, program.code);
  append_padding(content_bytes(group), words, program.code);
  return program;
}

std::uint32_t unpadded(const Group& group) { return (content_bytes(group) + 1) / 2 * 2; }

/// Broken rules by code; notes are left out.
std::map<std::string, std::size_t> broken(const Diagnostics& findings) {
  std::map<std::string, std::size_t> codes;
  for (const Diagnostic& each : findings)
    if (each.severity != Severity::note) ++codes[each.code];
  return codes;
}

/// A rule that is broken in more places than before; empty if there is none.
std::string newly_broken(const Diagnostics& before, const Diagnostics& after) {
  const auto known = broken(before);
  for (const auto& [code, count] : broken(after)) {
    const auto found = known.find(code);
    if (found == known.end() || found->second < count) return code;
  }
  return {};
}

/// One group, or several that become one.
struct Joined {
  std::size_t first = 0, count = 1;
  Group group;
};

/// Groups that others than the one in front lead to.
std::vector<bool> leaders(const Program& program, std::span<const Group> groups) {
  const Labels labels(groups);
  std::vector<bool> result(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    result[i] = labels.labelled(i) || groups[i].offset == program.entry || (i != 0 && exits_of(groups[i - 1]).calls);
  return result;
}

bool keeps_rules(const Joined& joined, const Group& next, const Group& merged) {
  Diagnostics before = check_groups(alone(joined.group));
  for (Diagnostic& each : check_groups(alone(next))) before.push_back(std::move(each));
  return newly_broken(before, check_groups(alone(merged))).empty();
}

/// True if a last group that begins here can be brought to a multiple of 8: groups in front of it grow; bytes that are
/// none, and groups without machine code, do not.
bool may_be_aligned(std::size_t first, std::span<const Group> groups) {
  if (groups[first].offset % granule_bytes == 0) return true;
  return std::any_of(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(first),
                     [](const Group& group) { return !group.raw() && !group.modelled.present; });
}

/// What begins at one group: the group, it and the next in one, it and the next two, for as long as that goes.
std::vector<Joined> joined_from(std::size_t first, std::span<const Group> groups, std::span<const RegisterSet> live,
                                const std::vector<bool>& leads) {
  std::vector<Joined> all{{first, 1, groups[first]}};
  for (std::size_t i = first + 1; i < groups.size() && !leads[i]; ++i) {
    const Joined& last = all.back();
    const auto merged = merge(last.group, groups[i], ~live[i]);
    if (!merged || unpadded(*merged) > unpadded(last.group) + unpadded(groups[i]) ||
        !keeps_rules(last, groups[i], *merged) || (i + 1 == groups.size() && !may_be_aligned(first, groups)))
      break;
    all.push_back({first, last.count + 1, *merged});
  }
  return all;
}

/// The fewest groups, and of those the fewest bytes, that the program's groups can become.
std::vector<Joined> join(const Program& program, std::span<const Group> groups) {
  const std::vector<RegisterSet> live = live_behind(groups);
  const std::vector<bool> leads = leaders(program, groups);
  struct Cost {
    std::size_t groups = 0, bytes = 0;
    bool operator<(const Cost& other) const {
      return groups != other.groups ? groups < other.groups : bytes < other.bytes;
    }
  };
  std::vector<Cost> costs(groups.size() + 1);  // of what begins at each group
  std::vector<Joined> chosen(groups.size());
  for (std::size_t i = groups.size(); i-- > 0;) {
    bool is_first = true;
    for (const Joined& each : joined_from(i, groups, live, leads)) {
      const Cost& rest = costs[i + each.count];
      const Cost cost{rest.groups + 1, rest.bytes + unpadded(each.group)};
      if (is_first || cost < costs[i]) {
        costs[i] = cost;
        chosen[i] = each;
      }
      is_first = false;
    }
  }
  std::vector<Joined> all;
  for (std::size_t i = 0; i < groups.size(); i += all.back().count) all.push_back(chosen[i]);
  return all;
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
    const auto line = source_line(lines, groups[all[i].first + all[i].count - 1].offset);
    if (line && (result.empty() || result.back().line != *line)) result.push_back({made[i].offset, *line});
  }
  return result;
}

/// Branches are labels in text, so they find their groups wherever those come to stand.
Result<MergeAdvice> rewrite(const Program& program, std::span<const Group> groups, std::span<const Joined> all) {
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
    text += lines(joined.first).label;
    if (joined.count == 1) {
      text += all.size() < groups.size() ? unforced(lines(joined.first).group) : std::string(lines(joined.first).group);
      continue;
    }
    GroupMerge merge{.after = text_of(joined.group), .bytes_after = unpadded(joined.group)};
    for (std::size_t i = joined.first; i < joined.first + joined.count; ++i) {
      merge.offsets.push_back(groups[i].offset);
      merge.before.push_back(one_line(lines(i).group));
      merge.bytes_before += unpadded(groups[i]);
    }
    text += merge.after;
    merge.after = one_line(merge.after);
    advice.merges.push_back(std::move(merge));
  }
  auto assembled = parse({program.file, text}, program.variant);
  if (!assembled) return fail("RG304", "the merged program cannot be assembled: " + assembled.error().front().message);
  advice.program = std::move(*assembled);
  advice.program.interface = program.interface;
  advice.program.lines = lines_of(program.lines, groups, all, decode(advice.program));
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
  auto advice = rewrite(program, groups, join(program, groups));
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
