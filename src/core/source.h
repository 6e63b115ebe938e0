// A source text and the places in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// A piece of a text: byte offset and length.
struct Span {
  std::uint32_t offset = 0, length = 0;
};

/// A text input with an index of its lines. Lines end in "\n" or "\r\n". The text must outlive the source.
class Source {
 public:
  /// Texts up to 4 GiB - 1; the caller refuses longer ones.
  MOBULA_INTERNAL Source(std::string_view file, std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const { return text_.substr(span.offset, span.length); }
  /// Number of lines; a last line without an end counts if it is not empty.
  [[nodiscard]] std::size_t line_count() const { return starts_.size() - 1; }
  /// Line `index` (from 0) without its end.
  [[nodiscard]] MOBULA_INTERNAL std::string_view line(std::size_t index) const;
  /// Offset of the first byte of a line.
  [[nodiscard]] std::uint32_t line_offset(std::size_t index) const { return starts_[index]; }
  /// The place as a diagnostic shows it. A long line is cut to the neighbourhood of the span.
  [[nodiscard]] MOBULA_INTERNAL Location locate(Span span) const;

 private:
  std::string_view file_, text_;
  std::vector<std::uint32_t> starts_;  // of each line, and the end of the text
};

/// Of all candidates offered the one fewest edits away from `word`, letters' case aside. After some thousands it no
/// longer looks, so that many wrong words among many names cost little.
class Nearest {
 public:
  MOBULA_INTERNAL explicit Nearest(std::string_view word);
  MOBULA_INTERNAL void offer(std::string_view candidate);
  /// Empty if none is near enough to be meant.
  [[nodiscard]] std::string_view best() const { return best_; }
  /// "did you mean X?", or nothing.
  [[nodiscard]] MOBULA_INTERNAL std::string hint() const;

 private:
  std::string word_;
  std::string best_;
  std::size_t distance_;
  unsigned offers_ = 0;
};

}  // namespace mobula
