#include "mobula/isa/program_diff.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/variants.h"
#include "mobula/isa/machine.h"

namespace mobula {
namespace {

/// Programs that differ in more words than these are not the same program; what is left of them is not compared.
constexpr std::ptrdiff_t most_differences = 2000;

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

/// What a side file calls things is told in comments, and does nothing.
std::string without_comments(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    const std::string_view line = lines.substr(0, end);
    const std::size_t comment = line.find("//");
    text += line.substr(0, comment);
    if (comment != std::string_view::npos && line.back() == '\n') text += '\n';
    lines.remove_prefix(end);
  }
  return text;
}

Result<std::vector<DiffWord>> words_of(const Program& program) {
  const Machine* const machine = find_machine(program.machine);
  if (machine == nullptr) return fail(unknown_machine(program.machine));
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
    words.push_back({word.byte_offset,
                     one_line(without_comments(text.substr(word.text_begin, word.text_end - word.text_begin))),
                     {},
                     {}});
  }
  for (DiffWord& word : words) take_targets(word, labels);
  return words;
}

/// For each old word the new one that it has become: the longest common subsequence of shapes, by the greedy way of
/// Myers.
class Alignment {
 public:
  Alignment(const std::vector<DiffWord>& before, const std::vector<DiffWord>& after)
      : before_(before), after_(after), match_(before.size()) {}

  std::vector<std::optional<std::size_t>> align() {
    std::size_t old_end = before_.size(), new_end = after_.size();
    while (begin_ < std::min(old_end, new_end) && same(begin_, begin_)) {
      match_[begin_] = begin_;
      ++begin_;
    }
    while (old_end > begin_ && new_end > begin_ && same(old_end - 1, new_end - 1)) {
      --new_end;
      match_[--old_end] = new_end;
    }
    olds_ = static_cast<std::ptrdiff_t>(old_end - begin_);
    news_ = static_cast<std::ptrdiff_t>(new_end - begin_);
    const auto most = std::min<std::ptrdiff_t>(olds_ + news_, most_differences);
    for (std::ptrdiff_t differences = 0; differences <= most; ++differences) {
      if (!reach(differences)) continue;
      go_back(differences);
      break;
    }
    return std::move(match_);
  }

 private:
  [[nodiscard]] bool same(std::size_t old_word, std::size_t new_word) const {
    return before_[old_word].shape == after_[new_word].shape;
  }
  /// The words at these distances from the first that differs.
  [[nodiscard]] bool same_at(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return same(begin_ + static_cast<std::size_t>(x), begin_ + static_cast<std::size_t>(y));
  }

  /// How many old words that many differences lead past on a diagonal, old minus new; -1: they do not lead there.
  [[nodiscard]] std::ptrdiff_t reached(std::ptrdiff_t differences, std::ptrdiff_t diagonal) const {
    if (differences < 0 || diagonal < -differences || diagonal > differences) return -1;
    return reached_[static_cast<std::size_t>(differences)][static_cast<std::size_t>(diagonal + differences)];
  }
  /// Whether the way to a diagonal ends with a new word, not with an old one.
  [[nodiscard]] bool takes_new_word(std::ptrdiff_t differences, std::ptrdiff_t diagonal) const {
    if (diagonal == -differences) return true;
    return diagonal != differences && reached(differences - 1, diagonal - 1) < reached(differences - 1, diagonal + 1);
  }
  /// Where a way to a diagonal comes to with its last difference, before the words that are the same.
  [[nodiscard]] std::ptrdiff_t start(std::ptrdiff_t differences, std::ptrdiff_t diagonal) const {
    if (differences == 0) return 0;
    return takes_new_word(differences, diagonal) ? reached(differences - 1, diagonal + 1)
                                                 : reached(differences - 1, diagonal - 1) + 1;
  }

  /// Goes as far as one difference more leads; true at the end of both programs.
  bool reach(std::ptrdiff_t differences) {
    std::vector<std::ptrdiff_t> row(static_cast<std::size_t>(2 * differences + 1), -1);
    bool at_end = false;
    for (std::ptrdiff_t diagonal = -differences; diagonal <= differences; diagonal += 2) {
      std::ptrdiff_t x = start(differences, diagonal), y = x - diagonal;
      for (; x < olds_ && y >= 0 && y < news_ && same_at(x, y); ++y) ++x;
      row[static_cast<std::size_t>(diagonal + differences)] = x;
      at_end = at_end || (x == olds_ && y == news_);
    }
    reached_.push_back(std::move(row));
    return at_end;
  }

  /// From the end the way that was found, and the words on it that are the same.
  void go_back(std::ptrdiff_t differences) {
    std::ptrdiff_t x = olds_, y = news_;
    for (; differences >= 0; --differences) {
      const std::ptrdiff_t diagonal = x - y, from = start(differences, diagonal);
      while (x > from) {
        --y;
        match_[begin_ + static_cast<std::size_t>(--x)] = begin_ + static_cast<std::size_t>(y);
      }
      if (differences != 0) --(takes_new_word(differences, diagonal) ? y : x);
    }
  }

  const std::vector<DiffWord>& before_;
  const std::vector<DiffWord>& after_;
  std::vector<std::optional<std::size_t>> match_;
  std::size_t begin_ = 0;                             ///< of what is between the same start and the same end
  std::ptrdiff_t olds_ = 0, news_ = 0;                ///< words there
  std::vector<std::vector<std::ptrdiff_t>> reached_;  ///< by differences and diagonal
};

}  // namespace

Result<ProgramDiff> diff(const Program& before, const Program& after) {
  if (before.machine != after.machine)
    return fail("MOB009", "one program is for " + before.machine + ", the other for " + after.machine,
                "compare programs of one machine");
  const auto olds = words_of(before), news = words_of(after);
  if (!olds) return fail(olds.error());
  if (!news) return fail(news.error());
  const auto match = Alignment(*olds, *news).align();
  const auto leads_alike = [&](const DiffWord& old, const DiffWord& now) {
    for (std::size_t i = 0; i < old.targets.size(); ++i)
      if (match[old.targets[i]] != now.targets[i]) return false;
    return true;
  };
  ProgramDiff result;
  std::size_t next = 0;
  const auto add = [&](ProgramDiffLine::Kind kind, const DiffWord& word) {
    result.lines.push_back({kind, word.byte_offset, word.text});
    switch (kind) {
      case ProgramDiffLine::Kind::same:
        ++result.same;
        break;
      case ProgramDiffLine::Kind::removed:
        ++result.removed;
        break;
      case ProgramDiffLine::Kind::added:
        ++result.added;
        break;
    }
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
  std::string text = counted(diff.same, "word is", "words are") + " the same, " + std::to_string(diff.added) +
                     " added, " + std::to_string(diff.removed) + " removed\n";
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
