#include "mobula/isa/program_diff.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/hexadecimal.h"
#include "mobula/isa/machine.h"

namespace mobula {
namespace {

/// Programs that differ in more words than these are not the same program; what is left of them is not compared.
constexpr std::size_t most_differences = 4000;

/// A word as it is compared: its text without the names of labels, and the words that those names mean.
struct DiffWord {
  std::uint64_t byte_offset = 0;
  std::string text, shape;
  std::vector<std::size_t> targets;
};

bool is_label_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// Labels that stand in a piece of text: "L12:" at the start of a line.
void find_labels(std::string_view text, std::size_t word, std::map<std::string, std::size_t, std::less<>>& labels) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    for (;;) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      std::size_t length = 0;
      while (length < line.size() && is_label_character(line[length])) ++length;
      if (length == 0 || length == line.size() || line[length] != ':') break;
      labels.emplace(line.substr(0, length), word);
      line.remove_prefix(length + 1);
    }
  }
}

/// Replaces the names of labels by a sign, and notes what they mean.
void take_targets(DiffWord& word, const std::map<std::string, std::size_t, std::less<>>& labels) {
  const std::string_view text = word.text;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_label_character(text[end])) ++end;
    const auto label = end == at ? labels.end() : labels.find(text.substr(at, end - at));
    if (label != labels.end()) {
      word.shape += '@';
      if (end == text.size() || text[end] != ':') word.targets.push_back(label->second);
    } else {
      word.shape.append(text, at, std::max(end, at + 1) - at);
    }
    at = std::max(end, at + 1);
  }
}

Result<std::vector<DiffWord>> words_of(const Program& program) {
  const Machine* const machine = find_machine(program.machine);
  if (machine == nullptr) return fail("MOB001", "unknown machine '" + program.machine + "'");
  const auto listing = machine->disassemble(program, {.words = true});
  if (!listing) return fail(listing.error());
  std::vector<DiffWord> words;
  std::map<std::string, std::size_t, std::less<>> labels;
  const std::string_view text = listing->text;
  std::size_t end = 0;
  for (const Listing::Word& word : listing->words) {
    // A label stands before its word, or in the word's own lines.
    find_labels(text.substr(end, word.text_end - end), words.size(), labels);
    end = word.text_end;
    words.push_back(
        {word.byte_offset, one_line(text.substr(word.text_begin, word.text_end - word.text_begin)), {}, {}});
  }
  for (DiffWord& word : words) take_targets(word, labels);
  return words;
}

/// For each old word the new one that it has become: the longest common subsequence of shapes, by the greedy way of
/// Myers.
std::vector<std::optional<std::size_t>> matches(const std::vector<DiffWord>& before,
                                                const std::vector<DiffWord>& after) {
  std::vector<std::optional<std::size_t>> result(before.size());
  const auto same = [&](std::size_t i, std::size_t k) { return before[i].shape == after[k].shape; };
  std::size_t begin = 0, old_end = before.size(), new_end = after.size();
  for (; begin < std::min(old_end, new_end) && same(begin, begin); ++begin) result[begin] = begin;
  for (; old_end > begin && new_end > begin && same(old_end - 1, new_end - 1); --old_end, --new_end)
    result[old_end - 1] = new_end - 1;

  // reached[d][k + d]: how far in the old words d differences lead on diagonal k, old minus new.
  const auto olds = static_cast<std::ptrdiff_t>(old_end - begin), news = static_cast<std::ptrdiff_t>(new_end - begin);
  std::vector<std::vector<std::ptrdiff_t>> reached;
  for (std::ptrdiff_t d = 0; d <= std::min<std::ptrdiff_t>(olds + news, most_differences); ++d) {
    std::vector<std::ptrdiff_t>& row = reached.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = 0;
      if (d != 0) {
        const std::vector<std::ptrdiff_t>& last = reached[static_cast<std::size_t>(d - 1)];
        const auto at = [&](std::ptrdiff_t diagonal) {
          const std::ptrdiff_t index = diagonal + d - 1;
          return index < 0 || index > 2 * (d - 1) ? std::ptrdiff_t{-1} : last[static_cast<std::size_t>(index)];
        };
        x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      }
      std::ptrdiff_t y = x - k;
      while (x < olds && y >= 0 && y < news &&
             same(begin + static_cast<std::size_t>(x), begin + static_cast<std::size_t>(y)))
        ++x, ++y;
      row[static_cast<std::size_t>(k + d)] = x;
      if (x < olds || y < news) continue;
      // Back along the way.
      for (std::ptrdiff_t step = d; step >= 0; --step) {
        std::ptrdiff_t from = 0, diagonal = x - y;
        if (step != 0) {
          const std::vector<std::ptrdiff_t>& last = reached[static_cast<std::size_t>(step - 1)];
          const auto at = [&](std::ptrdiff_t wanted) {
            const std::ptrdiff_t index = wanted + step - 1;
            return index < 0 || index > 2 * (step - 1) ? std::ptrdiff_t{-1} : last[static_cast<std::size_t>(index)];
          };
          const bool down = diagonal == -step || (diagonal != step && at(diagonal - 1) < at(diagonal + 1));
          from = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
          while (x > from) --x, --y, result[begin + static_cast<std::size_t>(x)] = begin + static_cast<std::size_t>(y);
          if (down)
            --y;
          else
            --x;
          continue;
        }
        while (x > 0 && y > 0)
          --x, --y, result[begin + static_cast<std::size_t>(x)] = begin + static_cast<std::size_t>(y);
      }
      return result;
    }
  }
  return result;
}

}  // namespace

Result<ProgramDiff> diff(const Program& before, const Program& after) {
  if (before.machine != after.machine)
    return fail("MOB009", "one program is for " + before.machine + ", the other for " + after.machine,
                "compare programs of one machine");
  const auto olds = words_of(before), news = words_of(after);
  if (!olds) return fail(olds.error());
  if (!news) return fail(news.error());
  const auto match = matches(*olds, *news);
  const auto leads_alike = [&](const DiffWord& old, const DiffWord& now) {
    for (std::size_t i = 0; i < old.targets.size(); ++i)
      if (match[old.targets[i]] != now.targets[i]) return false;
    return true;
  };
  ProgramDiff result;
  std::size_t next = 0;
  const auto add = [&](ProgramDiffLine::Kind kind, const DiffWord& word) {
    result.lines.push_back({kind, word.byte_offset, word.text});
    ++(kind == ProgramDiffLine::Kind::same    ? result.same
       : kind == ProgramDiffLine::Kind::added ? result.added
                                              : result.removed);
  };
  for (std::size_t i = 0; i < olds->size(); ++i) {
    const DiffWord& old = (*olds)[i];
    if (!match[i]) {
      add(ProgramDiffLine::Kind::removed, old);
      continue;
    }
    while (next < *match[i]) add(ProgramDiffLine::Kind::added, (*news)[next++]);
    const DiffWord& now = (*news)[next++];
    if (leads_alike(old, now)) {
      add(ProgramDiffLine::Kind::same, now);
    } else {
      add(ProgramDiffLine::Kind::removed, old);
      add(ProgramDiffLine::Kind::added, now);
    }
  }
  while (next < news->size()) add(ProgramDiffLine::Kind::added, (*news)[next++]);
  return result;
}

std::string report(const ProgramDiff& diff, std::size_t context) {
  std::vector<bool> shown(diff.lines.size());
  for (std::size_t i = 0; i < diff.lines.size(); ++i) {
    if (diff.lines[i].kind == ProgramDiffLine::Kind::same) continue;
    const std::size_t begin = i - std::min(i, context), end = std::min(diff.lines.size(), i + context + 1);
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(begin), shown.begin() + static_cast<std::ptrdiff_t>(end),
              true);
  }
  std::string text = std::to_string(diff.same) + (diff.same == 1 ? " word is" : " words are") + " the same, " +
                     std::to_string(diff.added) + " added, " + std::to_string(diff.removed) + " removed\n";
  for (std::size_t i = 0; i < diff.lines.size(); ++i) {
    if (!shown[i]) continue;
    if (i == 0 || !shown[i - 1]) text += "    ...\n";
    const ProgramDiffLine& line = diff.lines[i];
    text += "  ";
    text += " -+"[static_cast<std::size_t>(line.kind)];
    text += ' ' + hexadecimal(line.byte_offset, 4) + "  " + line.text + '\n';
  }
  return text;
}

}  // namespace mobula
