#include "compile/front/unfinished.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "compile/front/tokens.h"
#include "core/quote.h"

namespace mobula::compile {
namespace {

constexpr std::string_view end_of_text = "end of file", too_soon = "the text ends too soon";
constexpr std::string_view syntax_error = "syntax error, unexpected ", expecting = ", expecting ", either = " or ";

/// What glslang calls words that are no names and no keywords.
constexpr std::array names_of_tokens =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"LEFT_PAREN", "'('"},
                                                                  {"RIGHT_PAREN", "')'"},
                                                                  {"LEFT_BRACKET", "'['"},
                                                                  {"RIGHT_BRACKET", "']'"},
                                                                  {"LEFT_BRACE", "'{'"},
                                                                  {"RIGHT_BRACE", "'}'"},
                                                                  {"DOT", "'.'"},
                                                                  {"COMMA", "','"},
                                                                  {"COLON", "':'"},
                                                                  {"SEMICOLON", "';'"},
                                                                  {"QUESTION", "'?'"},
                                                                  {"EQUAL", "'='"},
                                                                  {"BANG", "'!'"},
                                                                  {"DASH", "'-'"},
                                                                  {"TILDE", "'~'"},
                                                                  {"PLUS", "'+'"},
                                                                  {"STAR", "'*'"},
                                                                  {"SLASH", "'/'"},
                                                                  {"PERCENT", "'%'"},
                                                                  {"LEFT_ANGLE", "'<'"},
                                                                  {"RIGHT_ANGLE", "'>'"},
                                                                  {"VERTICAL_BAR", "'|'"},
                                                                  {"CARET", "'^'"},
                                                                  {"AMPERSAND", "'&'"},
                                                                  {"LEFT_OP", "'<<'"},
                                                                  {"RIGHT_OP", "'>>'"},
                                                                  {"INC_OP", "'++'"},
                                                                  {"DEC_OP", "'--'"},
                                                                  {"LE_OP", "'<='"},
                                                                  {"GE_OP", "'>='"},
                                                                  {"EQ_OP", "'=='"},
                                                                  {"NE_OP", "'!='"},
                                                                  {"AND_OP", "'&&'"},
                                                                  {"OR_OP", "'||'"},
                                                                  {"XOR_OP", "'^^'"},
                                                                  {"ADD_ASSIGN", "'+='"},
                                                                  {"SUB_ASSIGN", "'-='"},
                                                                  {"MUL_ASSIGN", "'*='"},
                                                                  {"DIV_ASSIGN", "'/='"},
                                                                  {"MOD_ASSIGN", "'%='"},
                                                                  {"LEFT_ASSIGN", "'<<='"},
                                                                  {"RIGHT_ASSIGN", "'>>='"},
                                                                  {"AND_ASSIGN", "'&='"},
                                                                  {"OR_ASSIGN", "'|='"},
                                                                  {"XOR_ASSIGN", "'^='"},
                                                                  {"HIGH_PRECISION", "'highp'"},
                                                                  {"MEDIUM_PRECISION", "'mediump'"},
                                                                  {"LOW_PRECISION", "'lowp'"},
                                                                  {"IDENTIFIER", "a name"},
                                                                  {"TYPE_NAME", "the name of a type"},
                                                                  {"INTCONSTANT", "a whole number"},
                                                                  {"UINTCONSTANT", "a whole number"},
                                                                  {"FLOATCONSTANT", "a number"},
                                                                  {"BOOLCONSTANT", "true or false"},
                                                                  {"FIELD_SELECTION", "the name of a member"}});

bool is_same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// A keyword is called by its own letters, all of them large; the line has it as it is.
std::string as_typed(std::string_view name, std::string_view line) {
  const auto known = std::ranges::find(names_of_tokens, name, &std::pair<std::string_view, std::string_view>::first);
  if (known != names_of_tokens.end()) return std::string(known->second);
  Tokens tokens(line);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
    if (is_same_but_for_case(token, name)) return quote(token);
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return quote(small);
}

std::string alternatives_as_typed(std::string_view names, std::string_view line) {
  std::string text;
  while (true) {
    const std::size_t end = names.find(either);
    text += as_typed(names.substr(0, end), line);
    if (end == names.npos) return text;
    text += either;
    names.remove_prefix(end + either.size());
  }
}

/// "INT" and "COMMA or SEMICOLON" of "syntax error, unexpected INT, expecting COMMA or SEMICOLON".
struct Surprise {
  std::string_view found, expected;
};
std::optional<Surprise> surprise(std::string_view message) {
  if (!message.starts_with(syntax_error)) return {};
  message.remove_prefix(syntax_error.size());
  const std::size_t end = message.find(expecting);
  return Surprise{message.substr(0, end), end == message.npos ? "" : message.substr(end + expecting.size())};
}

/// What a walk over a text finds: its last token, and what has been opened and not closed.
struct Walk {
  Span last;
  std::vector<Span> open_brackets, open_conditions;
};

Walk walk_over(std::string_view text) {
  constexpr std::string_view openers = "([{", closers = ")]}";
  Walk walk;
  Tokens tokens(text);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    walk.last = span_of(token, text);
    if (token == "#" && tokens.begins_line()) {
      const std::string_view directive = tokens.next();
      if (directive.starts_with("if")) walk.open_conditions.push_back(span_of(directive, text));
      if (directive == "endif" && !walk.open_conditions.empty()) walk.open_conditions.pop_back();
      if (!directive.empty()) walk.last = span_of(directive, text);
    } else if (openers.find(token) != openers.npos) {
      walk.open_brackets.push_back(walk.last);
    } else if (const std::size_t kind = closers.find(token); kind != closers.npos) {
      if (!walk.open_brackets.empty() && text[walk.open_brackets.back().offset] == openers[kind])
        walk.open_brackets.pop_back();
    }
  }
  return walk;
}

/// Where the comment begins that the text ends in.
std::optional<Span> open_comment(std::string_view text) {
  for (std::size_t at = text.find('/'); at != text.npos; at = text.find('/', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      if (end == text.npos) return Span{static_cast<std::uint32_t>(at), 2};
      at = end + 2;
    } else {
      ++at;
    }
  }
  return {};
}

bool has_token(std::string_view line, std::string_view wanted) {
  Tokens tokens(line);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
    if (token == wanted) return true;
  return false;
}

std::string line_with(const Source& source, Span where) { return std::to_string(source.locate(where).line); }

std::optional<Unfinished> ends_too_soon(const Surprise& found, std::uint32_t line, const Source& source) {
  const Walk walk = walk_over(source.text());
  const std::uint32_t last_line = walk.last.length == 0 ? 1 : source.locate(walk.last).line;
  if (line < last_line) return {};
  const bool is_own_word = found.found == "INT" || found.found == "SEMICOLON";
  if (found.found != end_of_text) {
    if (!is_own_word || line > source.line_count() + 1) return {};
    const std::string_view last = source.text(walk.last);
    const bool is_whole = last == ";" || last == "}";
    if (is_whole && line == last_line && has_token(source.line(last_line - 1), found.found == "INT" ? "int" : ";"))
      return {};  // which may be what is meant
  }
  Unfinished result{{walk.last.offset + walk.last.length, 1}, std::string(too_soon), {}};
  if (found.found == "INT" && !found.expected.empty())
    result.message += ": " + alternatives_as_typed(found.expected, {}) + " is expected";
  if (!walk.open_brackets.empty()) {
    const Span open = walk.open_brackets.back();
    result.hint = "the " + quote(source.text(open)) + " of line " + line_with(source, open) + " is not closed";
  }
  return result;
}

}  // namespace

std::optional<Unfinished> unfinished(std::string_view message, std::uint32_t line, const Source& source) {
  if (const auto found = surprise(message)) return ends_too_soon(*found, line, source);
  if (message == "missing #endif") {
    const std::vector<Span> open = walk_over(source.text()).open_conditions;
    if (!open.empty()) return Unfinished{open.back(), "this condition has no #endif", {}};
  }
  if (message == "End of input in comment")
    if (const auto open = open_comment(source.text()))
      return Unfinished{*open, "this comment has no end", "*/ ends it"};
  return {};
}

std::string syntax_as_typed(std::string_view message, std::string_view line, std::string_view word) {
  const auto found = surprise(message);
  if (!found) return std::string(message);
  const bool is_end = found->found == end_of_text;
  const std::string what = word.empty() ? as_typed(found->found, line) : quote(word);
  std::string text = is_end ? std::string(too_soon) : "unexpected " + what.substr(what.starts_with("a ") ? 2 : 0);
  if (!found->expected.empty()) text += ", where " + alternatives_as_typed(found->expected, {}) + " is expected";
  return text;
}

}  // namespace mobula::compile
