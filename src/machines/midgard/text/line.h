// Reading one line of assembly text: a cursor over its tokens, expressions, and values as bit patterns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source.h"
#include "core/token_cursor.h"
#include "mobula/isa/diagnostic.h"

namespace mobula::midgard {

__extension__ using WideInteger = __int128;

/// A number in the text. A literal remembers its spelling, so that it is rounded once, to what it is used as, and so
/// that hexadecimal spells a float's bits.
struct Value {
  bool real = false;
  WideInteger integer = 0;  ///< if not real
  double number = 0;        ///< the number in any case
  bool negative = false;    ///< a minus before a literal; tells -0
  std::string_view digits;  ///< of a literal, without the minus; empty for a computed value
};

/// Named constants of a text.
using Constants = std::map<std::string_view, Value, std::less<>>;

/// What went wrong, and the place. A text's parser stops listing errors after `limit`.
class ErrorSink {
 public:
  explicit ErrorSink(const Source& source) : source_(source) {}
  void report(Span where, std::string_view code, std::string message, std::string hint = {});
  [[nodiscard]] bool full() const { return errors_.size() >= limit; }
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  /// What was reported, in the order of the text.
  [[nodiscard]] Diagnostics take();

  static constexpr std::size_t limit = 100;

 private:
  const Source& source_;
  Diagnostics errors_;
};

/// The tokens of one line, read from left to right. The first error of a line is reported; after it the cursor has
/// failed and whoever reads on reads to no purpose, but safely.
class LineCursor : TokenCursor {
 public:
  LineCursor(const std::vector<LineToken>& tokens, const Constants& constants, ErrorSink& errors)
      : TokenCursor(tokens), constants_(constants), errors_(errors) {}

  using TokenCursor::peek;
  using TokenCursor::take;
  /// Takes the token if it is spelled so (words: letters' case aside).
  bool accept(std::string_view spelling);
  /// The same, and an error if it is not.
  bool expect(std::string_view spelling);
  [[nodiscard]] bool at_end() const { return failed_ || TokenCursor::at_end(); }

  void fail(Span where, std::string_view code, std::string message, std::string hint = {});
  void fail(const LineToken& token, std::string_view code, std::string message, std::string hint = {}) {
    fail(token.span(), code, std::move(message), std::move(hint));
  }
  /// "expected WHAT, found TOKEN" at the next token.
  void fail_expected(std::string_view what);
  [[nodiscard]] bool failed() const { return failed_; }

  /// The text of the tokens that touch one another from here on, up to one of `stops`; empty if there is none.
  Span take_run(std::string_view stops);
  [[nodiscard]] std::string_view text(Span span) const;

  /// An expression with the operators | ^ & << >> + - * / % and unary - + ~.
  Value expression();
  /// One number, name or expression in parentheses.
  Value primary();
  /// An expression that must be an integer from `lowest` to `highest`.
  std::int64_t integer(std::string_view what, std::int64_t lowest, std::int64_t highest);

 private:
  Value binary(int precedence);
  Value unary();
  Value apply(const LineToken& sign, const Value& a, const Value& b);

  const Constants& constants_;
  ErrorSink& errors_;
  int depth_ = 0;
  bool failed_ = false;
};

/// The low `width` bits of an integer that fits them signed or unsigned.
std::optional<std::uint64_t> integer_pattern(const Value& value, unsigned width);
/// A float of `width` bits: decimal numbers rounded to nearest even; a hexadecimal literal is the pattern itself.
/// Nothing if a pattern is too wide, or if a finite number would become infinite.
std::optional<std::uint64_t> float_pattern(const Value& value, unsigned width);
/// How to mend the latter.
std::string largest_float(unsigned width);

}  // namespace mobula::midgard
