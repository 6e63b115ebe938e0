// Tokens of assembly text, one line at a time. What a token means is the machine's business: "12AB" is one number token
// whether the parser wants hexadecimal digits or finds it malformed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/source.h"

namespace mobula {

struct LineToken {
  enum class Kind : std::uint8_t {
    word,    ///< letter, "_" or "$", then letters, digits, "_", "$"
    number,  ///< digit, then letters, digits, "_"; one "." between digits; a sign after the "e" of a decimal exponent
    sign,    ///< "<<", ">>", "->", or one other printable character
    bad,     ///< a byte that starts nothing: control characters, bytes above 126
    end,     ///< end of the line; empty
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t offset = 0;  ///< of its first byte in the source

  [[nodiscard]] Span span() const { return {offset, static_cast<std::uint32_t>(text.size())}; }
  /// True for a sign or word spelled exactly so.
  [[nodiscard]] bool is(std::string_view spelling) const { return text == spelling && kind != Kind::end; }
  /// True if no space lies between this token and the next.
  [[nodiscard]] bool touches(const LineToken& next) const { return offset + text.size() == next.offset; }
};

/// What begins a comment: "//" always, ";" where a machine does not use it otherwise.
enum class Comments : std::uint8_t { semicolons, slashes_only };

/// Replaces `tokens` by those of one line; the last is always an `end`.
MOBULA_INTERNAL void lex_line(const Source& source, std::size_t line, std::vector<LineToken>& tokens,
                              Comments comments = Comments::semicolons);

/// Value of a number token that is an integer: decimal, 0x, 0b, 0o, "_" between digits. False if it is none or exceeds
/// 64 bits.
MOBULA_INTERNAL bool parse_integer(std::string_view text, std::uint64_t& value);
/// Value of a number token that is a decimal integer or float, to nearest even. False if it is none; overflow is
/// infinity.
MOBULA_INTERNAL bool parse_real(std::string_view text, float& value);
bool parse_real(std::string_view text, double& value);

}  // namespace mobula
