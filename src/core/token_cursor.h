// Reading tokens from left to right, as every assembler does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/lexer.h"
#include "core/quote.h"

namespace mobula {

/// The last token is an `end`; it is peeked at and taken any number of times and never passed.
class TokenCursor {
 public:
  TokenCursor() = default;
  explicit TokenCursor(std::span<const LineToken> tokens) { start(tokens); }
  /// At least one token; they outlive the cursor.
  void start(std::span<const LineToken> tokens) {
    tokens_ = tokens;
    next_ = 0;
  }

  [[nodiscard]] const LineToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const LineToken& take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  /// Takes the token if it is spelled exactly so.
  bool accept(std::string_view spelling) {
    if (!peek().is(spelling)) return false;
    take();
    return true;
  }
  [[nodiscard]] bool at_end() const { return peek().kind == LineToken::Kind::end; }

  /// The token that was taken last; the first one if none was.
  [[nodiscard]] const LineToken& previous() const { return tokens_[next_ == 0 ? 0 : next_ - 1]; }
  /// Puts the token that was taken last back.
  void step_back() { --next_; }
  /// How many tokens were taken.
  [[nodiscard]] std::size_t position() const { return next_; }

  /// The end of a message: ", found 'x'" or ", found the end of the line".
  [[nodiscard]] std::string found() const {
    return at_end() ? std::string(", found the end of the line") : ", found " + quote(peek().text);
  }

 private:
  std::span<const LineToken> tokens_;
  std::size_t next_ = 0;
};

}  // namespace mobula
