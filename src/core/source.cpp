#include "core/source.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mobula {
namespace {

/// Longest part of a line a diagnostic quotes.
constexpr std::size_t quoted_bytes = 240;
/// Words longer than this are not considered misspellings.
constexpr std::size_t longest_word = 40;
constexpr unsigned most_offers = 4000;

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; }

/// Edits (insert, remove, replace, exchange of neighbours) that make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = lower(a[i]) == lower(b[j]);
      row[j + 1] = std::min({last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0 : 1)});
      if (i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

}  // namespace

Source::Source(std::string_view file, std::string_view text) : file_(file), text_(text) {
  starts_.push_back(0);
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
    starts_.push_back(static_cast<std::uint32_t>(end + 1));
  if (starts_.back() != text.size()) starts_.push_back(static_cast<std::uint32_t>(text.size()));
}

std::string_view Source::line(std::size_t index) const {
  std::string_view line = text_.substr(starts_[index], starts_[index + 1] - starts_[index]);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Location Source::locate(Span span) const {
  Location where;
  where.file = file_;
  where.length = std::max(span.length, 1u);
  if (line_count() == 0) {
    where.line = where.column = 1;
    return where;
  }
  // The end of the text belongs to the last line.
  const auto after = std::upper_bound(starts_.begin(), starts_.end() - 1, span.offset);
  const auto index = static_cast<std::size_t>(after - starts_.begin() - 1);
  const std::string_view whole = line(index);
  const std::size_t column = std::min<std::size_t>(span.offset - starts_[index], whole.size());
  where.line = static_cast<std::uint32_t>(index + 1);
  where.column = static_cast<std::uint32_t>(column + 1);
  // A caret under a line of megabytes helps nobody.
  if (column < quoted_bytes) where.source_line = whole.substr(0, quoted_bytes);
  return where;
}

Nearest::Nearest(std::string_view word) : word_(word), distance_(word.size() <= 3 ? 2 : word.size() / 3 + 2) {}

void Nearest::offer(std::string_view candidate) {
  if (word_.size() > longest_word || candidate.size() > longest_word || ++offers_ > most_offers) return;
  const std::size_t distance = edit_distance(word_, candidate);
  if (distance >= distance_) return;
  distance_ = distance;
  best_ = candidate;
}

std::string Nearest::hint() const { return best_.empty() ? std::string{} : "did you mean " + best_ + "?"; }

}  // namespace mobula
