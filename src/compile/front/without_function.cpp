#include "compile/front/without_function.h"

#include <utility>
#include <vector>

#include "compile/front/tokens.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

/// Of a function: where its head begins, and the braces of its body.
struct Extent {
  std::size_t head = 0, open = 0, close = 0;
};

/// Looks for one function of a text.
class BodyFinder {
 public:
  BodyFinder(std::string_view text, std::size_t place) : text_(text), place_(place), tokens_(text) { next(); }

  std::optional<Extent> find() {
    while (!token_.empty()) {
      const bool is_directive = token_ == "#" && tokens_.begins_line();
      if (is_directive && !take_directive()) return {};
      if (!is_directive) take_token();
    }
    return braces_ == 0 && found_.close != 0 ? std::optional(found_) : std::nullopt;
  }
  /// From where to where directives stand, with the white space behind them.
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& directives() const { return directives_; }

 private:
  void next() { token_ = tokens_.next(); }
  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(token_.data() - text_.data()); }

  void take_token() {
    const std::size_t here = offset();
    if (in_head_) now_.head = here;
    in_head_ = false;
    if (token_ == "{" && braces_++ == 0) {
      now_.open = here;
      is_function_ = before_ == ")";
    }
    if (token_ == "}" && braces_ > 0) --braces_;
    if (braces_ == 0 && token_ == "}" && is_function_) {
      now_.close = here;
      if (now_.open < place_ && place_ <= now_.close) found_ = now_;
    }
    // Behind the members of a structure its declaration goes on.
    in_head_ = braces_ == 0 && (token_ == ";" || (token_ == "}" && is_function_));
    before_ = token_;
    next();
  }

  /// Whether it is still known which braces belong together.
  bool take_directive() {
    const std::size_t begin = offset();
    next();
    const std::string_view name = token_;
    if (name == "line" || name == "include") return false;
    if (name.starts_with("if")) conditions_.push_back(braces_);
    if (name == "else" || name == "elif" || name == "endif") {
      if (conditions_.empty() || conditions_.back() != braces_) return false;
      if (name == "endif") conditions_.pop_back();
    }
    bool has_brace = false;
    for (; !token_.empty() && !tokens_.begins_line(); next()) has_brace = has_brace || token_ == "{" || token_ == "}";
    directives_.emplace_back(begin, offset());
    return name != "define" || !has_brace;
  }

  std::string_view text_;
  std::size_t place_;
  Tokens tokens_;
  std::string_view token_, before_;
  std::size_t braces_ = 0;               ///< that are open
  std::vector<std::size_t> conditions_;  ///< how many were open where these began
  std::vector<std::pair<std::size_t, std::size_t>> directives_;
  bool in_head_ = true;       ///< a declaration begins
  bool is_function_ = false;  ///< the braces outside all others are of one
  Extent now_, found_;
};

}  // namespace

std::optional<WithoutFunction> without_function_at(std::string_view text, std::uint32_t line, std::uint32_t column) {
  const Source source({}, text);
  if (line == 0 || line > source.line_count() || column == 0) return {};
  BodyFinder finder(text, source.line_offset(line - 1) + column - 1);
  const std::optional<Extent> function = finder.find();
  if (!function) return {};
  const auto line_at = [&](std::size_t at) { return source.locate({static_cast<std::uint32_t>(at), 1}).line; };
  WithoutFunction made{std::string(text), line_at(function->head), line_at(function->close)};
  auto directive = finder.directives().begin();
  for (std::size_t at = function->open; at <= function->close; ++at) {
    while (directive != finder.directives().end() && directive->second <= at) ++directive;
    const bool is_kept = directive != finder.directives().end() && directive->first <= at;
    if (!is_kept && text[at] != '\n' && text[at] != '\r') made.text[at] = ' ';
  }
  made.text[function->open] = ';';
  return made;
}

}  // namespace mobula::compile
