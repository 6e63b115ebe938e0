// GLSL token by token, before its preprocessor.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/source.h"

namespace mobula::compile {

inline bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Takes tokens from the front of a text, without comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; empty at the end.
  std::string_view next() {
    begins_line_ = at_start_;
    skip();
    at_start_ = false;
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string_view token = rest_.substr(0, std::max<std::size_t>(length, 1));
    rest_.remove_prefix(token.size());
    return token;
  }
  /// Whether the token before which next() stopped is the first of its line.
  [[nodiscard]] bool begins_line() const { return begins_line_; }

 private:
  void skip() {
    while (!rest_.empty()) {
      if (rest_.starts_with("\\\n")) {
        rest_.remove_prefix(2);
      } else if (rest_.starts_with("\\\r\n")) {
        rest_.remove_prefix(3);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 2);
      } else if (std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
        begins_line_ = begins_line_ || rest_.front() == '\n';
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
  bool at_start_ = true, begins_line_ = true;
};

/// Where a token of a text stands in it.
inline Span span_of(std::string_view token, std::string_view text) {
  return {static_cast<std::uint32_t>(token.data() - text.data()), static_cast<std::uint32_t>(token.size())};
}

/// The first "#version" of a text, as it stands there; empty if there is none.
inline std::string_view version_directive(std::string_view text) {
  Tokens tokens(text);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token != "#" || !tokens.begins_line()) continue;
    if (const std::string_view name = tokens.next(); name == "version")
      return {token.data(), static_cast<std::size_t>(name.data() + name.size() - token.data())};
  }
  return {};
}

/// Whether a text may give its lines other numbers.
inline bool has_line_directive(std::string_view text) {
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word != text.npos && text.substr(word).starts_with("line")) return true;
  }
  return false;
}

/// Tells the lines of tokens of a text, from 1. It goes on from each to the next.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : counted_(text.data()) {}

  std::size_t of(std::string_view token) {
    line_ += static_cast<std::size_t>(std::count(counted_, token.data(), '\n'));
    counted_ = token.data();
    return line_;
  }

 private:
  const char* counted_;
  std::size_t line_ = 1;
};

/// The words of a text where they are declared: for the first time outside of braces and parentheses; those that are
/// never there, for the first time.
class FirstWords {
 public:
  explicit FirstWords(std::string_view text) {
    std::size_t depth = 0;
    Tokens tokens(text);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
      if (token == "{" || token == "(") ++depth;
      if ((token == "}" || token == ")") && depth > 0) --depth;
      if (!is_word(token.front())) continue;
      const First first{token, depth == 0};
      const auto [known, is_new] = words_.try_emplace(token, first);
      if (!is_new && first.is_outside && !known->second.is_outside) known->second = first;
    }
  }
  /// As it stands in the text; empty where it is not there.
  [[nodiscard]] std::string_view find(std::string_view word) const {
    const auto found = words_.find(word);
    return found == words_.end() ? std::string_view() : found->second.word;
  }
  /// Whether that is outside of braces and parentheses.
  [[nodiscard]] bool is_outside(std::string_view word) const {
    const auto found = words_.find(word);
    return found != words_.end() && found->second.is_outside;
  }

 private:
  struct First {
    std::string_view word;
    bool is_outside = false;
  };
  std::unordered_map<std::string_view, First> words_;
};

}  // namespace mobula::compile
