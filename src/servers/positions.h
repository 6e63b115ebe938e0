// Places in a text: byte offsets here, lines and characters there, in the units that a client counts in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mobula::servers {

enum class PositionEncoding : std::uint8_t { utf8, utf16, utf32 };

/// As of the Language Server Protocol: both count from 0.
struct Position {
  std::uint64_t line = 0, character = 0;
  auto operator<=>(const Position&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
};

/// An index of a text's lines, which end in "\n", "\r\n" or "\r". The text, UTF-8, must outlive it.
class Positions {
 public:
  Positions(std::string_view text, PositionEncoding encoding);

  /// A character after the end of its line is that end, one inside a letter is where the letter begins. Nothing: there
  /// is no such line.
  [[nodiscard]] std::optional<std::size_t> offset(Position position) const;
  /// Of an offset up to the text's size.
  [[nodiscard]] Position at(std::size_t offset) const;
  [[nodiscard]] Position end() const { return at(text_.size()); }
  /// A line without its end; empty if there is no such line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  [[nodiscard]] std::size_t line_begin(std::size_t number) const { return starts_[number]; }
  [[nodiscard]] std::size_t lines() const { return starts_.size(); }

 private:
  /// Units that the letter beginning with this byte counts.
  [[nodiscard]] std::uint64_t units(unsigned char first) const;

  std::string_view text_;
  PositionEncoding encoding_;
  std::vector<std::size_t> starts_;
};

}  // namespace mobula::servers
