#include "compile/front/glsl_messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compile/front/parsing.h"
#include "compile/front/tokens.h"
#include "compile/front/unfinished.h"
#include "core/quote.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

struct Message {
  Severity severity = Severity::error;
  std::string_view file, word, text;
  std::uint32_t line = 0, column = 0;
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The column behind a file's name, where there is one.
void take_column(std::string_view& rest, Message& message) {
  if (!rest.starts_with(before_column)) return;
  rest.remove_prefix(1);
  const auto [end, _] = std::from_chars(rest.data(), rest.data() + rest.size(), message.column);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
}

/// The number of a line, where the text begins with one. What #line made less than 1 is none that is known.
bool take_line(std::string_view& rest, Message& message) {
  std::int32_t line = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
  if (error != std::errc()) return false;
  message.line = static_cast<std::uint32_t>(std::max(line, 0));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

/// "NAME:LINE: " in front of a message. Names may have colons, so the one that is known is looked for.
bool take_place(std::string_view& rest, const NamedTexts& texts, Message& message) {
  for (const auto& [name, _] : texts) {
    std::string_view after = rest;
    if (!take(after, name)) continue;
    take_column(after, message);
    if (!take(after, ":")) continue;
    if (!take_line(after, message) || !take(after, ":")) continue;
    message.file = name;
    rest = after.substr(std::min(after.size(), after.find_first_not_of(' ')));
    return true;
  }
  return false;
}

/// The same with a name or a number that #line gave, or -1 for what stands in front of the text: macros that were asked
/// for.
void take_other_place(std::string_view& rest, Message& message) {
  const std::size_t end = rest.find(": "), colon = rest.rfind(':', end - 1);
  if (end == rest.npos || end == 0 || colon == rest.npos || colon == 0) return;
  const std::string_view before = rest.substr(0, colon), name = before.substr(0, before.find(before_column)),
                         digits = rest.substr(colon + 1, end - colon - 1);
  Message told = message;
  if (std::string_view left = digits; !take_line(left, told) || !left.empty()) return;
  message.file = name == "-1" ? "-D" : name;
  message.line = name == "-1" ? 0 : told.line;
  rest.remove_prefix(end + 2);
}

/// "'word' : text", as most messages are.
void split_word(std::string_view rest, Message& message) {
  message.text = rest;
  const std::size_t end = rest.find("' : ");
  if (!rest.starts_with('\'') || end == std::string_view::npos) return;
  message.word = rest.substr(1, end - 1);
  message.text = rest.substr(end + 4);
}

/// Lines that only say that there were errors.
bool is_summary(const Message& message) {
  return message.text.find("compilation errors.") != std::string_view::npos ||
         message.text.starts_with("compilation terminated");
}

std::optional<Message> read_line(std::string_view line, const NamedTexts& texts) {
  Message message;
  if (take(line, "WARNING: "))
    message.severity = Severity::warning;
  else if (!take(line, "ERROR: "))
    return {};
  if (!take_place(line, texts, message)) take_other_place(line, message);
  split_word(line, message);
  if (is_summary(message)) return {};
  return message;
}

/// Whether `word`, which stands at `at`, is no part of a longer one.
bool is_whole(std::string_view line, std::string_view word, std::size_t at) {
  const std::size_t end = at + word.size();
  const bool begins = at == 0 || !is_word(word.front()) || !is_word(line[at - 1]);
  return begins && (end == line.size() || !is_word(word.back()) || !is_word(line[end]));
}
/// The last that begins at `from` or before.
std::size_t last_whole(std::string_view line, std::string_view word, std::size_t from) {
  std::size_t at = line.rfind(word, from);
  while (at != line.npos && !is_whole(line, word, at)) at = at == 0 ? line.npos : line.rfind(word, at - 1);
  return at;
}
/// The first that begins at `from` or behind it.
std::size_t first_whole(std::string_view line, std::string_view word, std::size_t from) {
  std::size_t at = line.find(word, from);
  while (at != line.npos && !is_whole(line, word, at)) at = line.find(word, at + 1);
  return at;
}
/// Where `word` stands in the line as a word of its own: of several the one nearest to a column, from 1, and not far
/// from it, as lines may be long. 0 is no column. Length 0 where it does not stand there.
Span find_word(std::string_view line, std::string_view word, std::size_t column) {
  constexpr std::size_t reach = 1000;
  if (word.empty()) return {};
  const std::size_t start = std::max<std::size_t>(column, 1) - 1;
  const std::size_t begin = start > reach ? start - reach : 0;
  const std::string_view part = line.substr(std::min(begin, line.size()), column == 0 ? line.npos : 2 * reach);
  const std::size_t from = start - begin, before = last_whole(part, word, from);
  const std::string_view near = before == part.npos ? part : part.substr(0, from + (from - before) + word.size() - 1);
  const std::size_t behind = first_whole(near, word, from + 1), at = behind == part.npos ? before : behind;
  if (at == part.npos) return {};
  return {static_cast<std::uint32_t>(begin + at), static_cast<std::uint32_t>(word.size())};
}

/// Where the function is named whose call has its last comma or its end at `end`, in this line or one before. Length 0
/// where another word stands there.
Span find_called(std::string_view text, std::string_view name, std::size_t end) {
  std::size_t open = end;
  for (std::size_t depth = 1; depth > 0;) {
    open = open == 0 ? text.npos : text.find_last_of("(){};", open - 1);
    if (open == text.npos || (text[open] != '(' && text[open] != ')')) return {};
    text[open] == ')' ? ++depth : --depth;
  }
  const std::size_t last = open == 0 ? text.npos : text.find_last_not_of(" \t\r\n", open - 1);
  if (last == text.npos || last + 1 < name.size()) return {};
  const std::size_t at = last + 1 - name.size();
  if (text.substr(at, name.size()) != name || !is_whole(text, name, at)) return {};
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(name.size())};
}

/// The token at a column, from 1; the first of the line where it is not known.
Span token_at(std::string_view line, std::size_t column) {
  std::size_t at = std::min(line.size(), line.find_first_not_of(" \t"));
  if (column > 0 && column <= line.size()) at = column - 1;
  std::size_t end = at;
  while (column > 0 && end < line.size() && is_word(line[end])) ++end;
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::max<std::size_t>(end - at, 1))};
}

/// Where names stand in front of a parenthesis for the first time, outside comments.
std::unordered_map<std::string_view, Span> functions_of(std::string_view text) {
  std::unordered_map<std::string_view, Span> functions;
  Tokens tokens(text);
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "(" && !before.empty() && is_word(before.front()))
      functions.try_emplace(before, Span{static_cast<std::uint32_t>(before.data() - text.data()),
                                         static_cast<std::uint32_t>(before.size())});
    before = token;
  }
  return functions;
}

/// The word at a column, from 1; empty where there is none, or the column is not known.
std::string_view word_at(std::string_view line, std::size_t column) {
  const Span span = token_at(line, column);
  const bool is_known = column > 0 && column <= line.size() && is_word(line[span.offset]);
  return is_known ? line.substr(span.offset, span.length) : std::string_view();
}
/// The directive in whose line an expression is, as far as that is known.
std::string_view condition_of(std::string_view line) {
  Tokens tokens(line);
  if (tokens.next() != "#") return "#";
  const std::string_view name = tokens.next();
  return name == "if" ? "#if" : name == "elif" ? "#elif" : "#";
}
/// The operator at a column, from 1, where it assigns: glslang calls all that writes so. "=" if the column is not
/// known.
std::string_view assignment_at(std::string_view line, std::size_t column) {
  if (column == 0 || column > line.size()) return "=";
  const std::string_view from = line.substr(column - 1);
  const std::string_view found = from.substr(0, from.find_first_not_of("+-*/%&|^<>="));
  return found.ends_with('=') ? found : std::string_view();
}

/// What is wrong with the line of a #version, where it is none that GLSL has.
std::optional<std::string> wrong_version(std::string_view line) {
  constexpr std::array<std::string_view, 14> desktop{"110", "120", "130", "140", "150", "330", "400",
                                                     "410", "420", "430", "440", "450", "460", "100"};
  constexpr std::array<std::string_view, 3> es{"300", "310", "320"};
  constexpr std::array<std::string_view, 3> profiles{"es", "core", "compatibility"};
  const auto is_one_of = [](const auto& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  Tokens tokens(line);
  if (tokens.next() != "#" || tokens.next() != "version") return {};
  const std::string_view first = tokens.next();
  const char* const end = first.data() + first.size();
  const std::string_view second = tokens.next();
  // "3.00" is several tokens, and one word.
  const bool is_whole = second.empty() || second.data() != end;
  if (!is_whole || !(is_one_of(desktop, first) || is_one_of(es, first))) {
    const std::string_view from = line.substr(static_cast<std::size_t>(first.data() - line.data()));
    const std::string_view word = from.substr(0, from.find_first_of(" \t\r"));
    return (word.empty() ? "no version stands here" : quote(word) + " is no version of GLSL") +
           "; there are 100, 110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460, 300 es, 310 es and 320 "
           "es";
  }
  if (is_one_of(es, first) && second != "es")
    return std::string(first) + " is a version of GLSL ES: " + std::string(first) + " es";
  if (!is_one_of(es, first) && second == "es") return "only 300, 310 and 320 are followed by 'es'";
  if (!second.empty() && !is_one_of(profiles, second))
    return quote(second) + " is no profile; there are 'core' and 'compatibility'";
  if (const std::string_view third = tokens.next(); !third.empty()) return "nothing stands behind " + quote(second);
  return {};
}

/// Whether a text may give its lines other numbers.
bool has_line_directive(std::string_view text) {
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word != text.npos && text.substr(word).starts_with("line")) return true;
  }
  return false;
}

/// glslang puts a blank on each side of what it joins, and of some things that are empty: "cannot convert from ' const
/// float' to", two blanks after a colon.
std::string without_double_blanks(std::string_view text) {
  std::string result;
  bool opens = true;  // what follows is the first of a text or of a quotation
  std::size_t quotes = 0;
  for (const char letter : text) {
    if (letter == ' ' && (opens || result.ends_with(' '))) continue;
    if (letter == '\'') ++quotes;
    opens = letter == '\'' && quotes % 2 == 1;
    result += letter;
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

/// The texts with their lines, which are found once.
class Texts {
 public:
  explicit Texts(const NamedTexts& texts) : texts_(texts) {
    has_other_numbers_ = std::ranges::any_of(texts, [](const auto& each) { return has_line_directive(each.second); });
  }

  [[nodiscard]] Location locate(const Message& message) {
    Location where;
    where.file = message.file;
    where.line = message.line;
    const Source* const source = find(message.file);
    if (source == nullptr || message.line == 0 || message.line > source->line_count()) return where;
    const std::uint32_t begin = source->line_offset(message.line - 1);
    const bool is_call = message.text.find("no matching overloaded function") != message.text.npos;
    if (is_call && message.column > 0)
      if (const Span name = find_called(source->text(), message.word, begin + message.column - 1); name.length != 0)
        return source->locate(name);
    const std::string_view line = source->line(message.line - 1);
    Span span = find_word(line, message.word, message.column);
    if (span.length == 0) span = token_at(line, message.column);
    return source->locate({begin + span.offset, span.length});
  }

  /// What the message means where its text ends too soon, or has a word that was not expected.
  [[nodiscard]] std::optional<Diagnostic> to_syntax_error(const Message& message) {
    const Source* const source = find(message.file);
    const std::string said = without_double_blanks(message.text);
    if (source != nullptr && message.line != 0)
      if (auto open = unfinished(said, message.line, *source))
        return Diagnostic{Severity::error, "CO001", source->locate(open->where), std::move(open->message),
                          std::move(open->hint)};
    const std::string_view line = line_of(message), word = word_at(line, message.column);
    std::string text = syntax_as_typed(said, line, word);
    if (text == said) return {};
    return Diagnostic{Severity::error, "CO001", locate(message), std::move(text), {}};
  }

  /// The line that a message is about; empty where that is not known.
  [[nodiscard]] std::string_view line_of(const Message& message) {
    const Source* const source = find(message.file);
    const bool has_line = source != nullptr && message.line != 0 && message.line <= source->line_count();
    return has_line ? source->line(message.line - 1) : std::string_view();
  }

  /// glslang does not always tell the place of what is wrong with the version.
  void place_version(Message& message) {
    if (message.line != 0 || message.text.find("version") == message.text.npos) return;
    for (const auto& [file, text] : texts_) {
      const Source* const source = find(file);
      const std::size_t at = text.find("#version");
      if (source == nullptr || at == text.npos) continue;
      const Location where = source->locate({static_cast<std::uint32_t>(at), 8});
      message.file = file;
      message.word = "#version";
      take(message.text, "#version: ");
      message.line = where.line;
      message.column = where.column;
      return;
    }
  }

  /// Where a function is first named; no place if only macros name it.
  [[nodiscard]] Location locate_function(std::string_view name) {
    for (const auto& [file, text] : texts_) {
      const auto [functions, is_new] = functions_.try_emplace(file);
      if (is_new) functions->second = functions_of(text);
      const auto found = functions->second.find(name);
      const Source* const source = found == functions->second.end() ? nullptr : find(file);
      if (source != nullptr) return source->locate(found->second);
    }
    return {};
  }

 private:
  /// Null where lines have other numbers: the one that is told is not the text's.
  const Source* find(std::string_view file) {
    const auto text = texts_.find(file);
    if (text == texts_.end() || has_other_numbers_) return nullptr;
    return &sources_.try_emplace(text->first, text->first, text->second).first->second;
  }

  const NamedTexts& texts_;
  bool has_other_numbers_ = false;
  std::map<std::string_view, Source> sources_;
  std::map<std::string_view, std::unordered_map<std::string_view, Span>> functions_;  ///< of the files that were asked
};

/// What glslang finds when all is read, without a place. `detail` is the line that follows: functions as it calls them,
/// "f(f1; calling g(f1;".
std::optional<Diagnostic> to_link_error(const Message& message, std::string_view detail, Texts& texts) {
  const auto is = [&](std::string_view text) { return message.text.find(text) != std::string_view::npos; };
  const auto name_at = [&](std::size_t at) {
    const std::string_view from = detail.substr(std::min(at, detail.size()));
    return from.substr(0, from.find('('));
  };
  if (is("Missing entry point"))
    return Diagnostic{Severity::error, "CO005", {}, "there is no function main", "a shader begins in void main()"};
  const std::string_view function = name_at(0);
  if (is("No function definition (body) found"))
    return Diagnostic{Severity::error, "CO005", texts.locate_function(function),
                      quote(function) + " is called and has no body", "define it, or include the file that does"};
  if (!is("Recursion detected")) return {};
  constexpr std::string_view calling = " calling ";
  std::string text = quote(function);
  text += " calls ";
  text += quote(name_at(std::min(detail.find(calling), detail.size()) + calling.size()));
  text += ", which leads back to it; no function of GLSL may call itself";
  return Diagnostic{Severity::error, "CO005", texts.locate_function(function), std::move(text), {}};
}

Diagnostic to_diagnostic(const Message& message, Texts& texts) {
  if (auto of_syntax = texts.to_syntax_error(message)) return std::move(*of_syntax);
  std::string text;
  // What is not a word of the text says what it is about, and is told to its end.
  if (message.word.find(' ') != std::string_view::npos) {
    text = shown(without_double_blanks(message.word));
    text += ": ";
  } else if (!message.word.empty()) {
    text = quote(message.word);
    text += ": ";
  }
  text += shown(without_double_blanks(message.text));
  if (text.ends_with("memory exhausted"))  // of the parser's stack, which is as deep as it may be
    return {Severity::error, "CO004", texts.locate(message), "blocks, statements or expressions nest too deep",
            "give parts of them names, or functions of their own"};
  if (auto wrong = wrong_version(texts.line_of(message))) text = "'#version': " + std::move(*wrong);
  return {message.severity,
          message.severity == Severity::error ? "CO001" : "CO002",
          texts.locate(message),
          std::move(text),
          {}};
}

/// Whether what a message says is often but what another error makes of the rest of its statement: what is not known is
/// taken for a number, and what is no size or argument is asked for once more.
bool may_follow(const Message& message) {
  constexpr std::array<std::string_view, 8> phrases{
      "cannot convert from",          "unexpected tokens following directive", "can't use function syntax on variable",
      "wrong operand type",           "swizzle selection out of range",        "array size required",
      "Non-L-value cannot be passed", "cannot construct with these arguments"};
  return message.word == "scalar swizzle" || std::ranges::any_of(phrases, [&](std::string_view phrase) {
           return message.text.find(phrase) != std::string_view::npos;
         });
}

bool is_of_syntax(const Message& message) { return message.text.find("syntax error") != std::string_view::npos; }

bool is_of_macro(const Message& message) { return message.text.starts_with(macro_not_replaced); }

/// Whether an error is told of what is none where it is used: glslang declares unknown words, takes them for no type,
/// and leaves out what is no token, and macros that it cannot replace.
bool is_of_unknown(const Message& message) {
  const auto is = [&](std::string_view text) { return message.text.find(text) != std::string_view::npos; };
  return is("Reserved word") || is("undeclared identifier") || is("unexpected token") || is_of_macro(message);
}

/// Whether the text is not read from there on: something goes on to its end, or glslang stops.
bool is_last_of_text(const Message& message) {
  constexpr std::array<std::string_view, 5> phrases{"End of input in", "missing #endif", arguments_without_end,
                                                    "a directive stands among its arguments",
                                                    "directive cannot be preceded by another token"};
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return message.text.find(phrase) != std::string_view::npos; });
}

/// What has been told, by what others follow from.
class Told {
 public:
  /// Whether an error, which would be told at `place`, is but what one of those before it leads to.
  [[nodiscard]] bool lead_to(const Message& message, const Location& place, std::string_view line) const {
    if (has_end_ && message.text.find("unexpected end of file") != std::string_view::npos) return true;
    if (message.column == 0) return false;
    if (message.text.starts_with("redefinition") && unknown_.contains({message.file, message.severity, message.word}))
      return true;
    const auto found = lines_.find({message.file, message.severity, message.line});
    if (found == lines_.end()) return false;
    const Line& others = found->second;
    return others.places.contains({place.line, place.column}) ||
           (is_of_syntax(message) && stands_behind_unknown(message, others, line)) ||
           (may_follow(message) && is_in_statement_with(message.column, others.columns, line));
  }

  void add(const Message& message, const Location& place) {
    has_end_ = has_end_ || is_last_of_text(message);
    Line& of_line = lines_[{message.file, message.severity, message.line}];
    of_line.places.emplace(place.line, place.column);
    if (message.column != 0) of_line.columns.insert(message.column);
    if (!is_of_unknown(message)) return;
    unknown_.emplace(message.file, message.severity, message.word);
    of_line.ends_of_unknown.push_back(place.column + message.word.size());
    of_line.has_macro = of_line.has_macro || is_of_macro(message);
  }

 private:
  struct Line {
    /// Lines and columns where something of it has been told.
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    std::set<std::uint32_t> columns;           ///< that glslang knows of it
    std::vector<std::size_t> ends_of_unknown;  ///< the columns behind words that are not known
    bool has_macro = false;                    ///< that could not be replaced
  };

  static bool stands_behind_unknown(const Message& message, const Line& others, std::string_view line) {
    return others.has_macro || std::ranges::any_of(others.ends_of_unknown, [&](std::size_t end) {
             return message.column >= end && message.column <= line.size() &&
                    line.substr(end - 1, message.column - end).find_first_not_of(" \t") == line.npos;
           });
  }
  static bool is_in_statement_with(std::uint32_t column, const std::set<std::uint32_t>& others, std::string_view line) {
    const auto ends_between = [&](std::uint32_t first, std::uint32_t last) {
      return last > line.size() || line.substr(first - 1, last - first).find_first_of(";{}") != line.npos;
    };
    const auto behind = others.lower_bound(column);
    return (behind != others.end() && !ends_between(column, *behind)) ||
           (behind != others.begin() && !ends_between(*std::prev(behind), column));
  }

  bool has_end_ = false;
  std::set<std::tuple<std::string_view, Severity, std::string_view>> unknown_;  ///< in which file, how, the word
  std::map<std::tuple<std::string_view, Severity, std::uint32_t>, Line> lines_;
};

}  // namespace

Diagnostics read_log(std::string_view log, const NamedTexts& named) {
  Diagnostics found;
  Texts texts(named);
  Told told;
  const auto take_line = [&log] {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    return line;
  };
  while (!log.empty()) {
    auto message = read_line(take_line(), named);
    if (!message) continue;
    texts.place_version(*message);
    if (!is_last_of_text(*message) && wrong_version(texts.line_of(*message))) message->word = "#version";
    if (message->word == "preprocessor evaluation") message->word = condition_of(texts.line_of(*message));
    if (message->word == "assign") message->word = assignment_at(texts.line_of(*message), message->column);
    std::string_view detail;
    if (log.starts_with("    ")) detail = take_line().substr(4);
    const Location place = texts.locate(*message);
    if (told.lead_to(*message, place, texts.line_of(*message))) continue;
    told.add(*message, place);
    auto of_linking = to_link_error(*message, detail, texts);
    found.push_back(of_linking ? std::move(*of_linking) : to_diagnostic(*message, texts));
    // Extensions that would help follow, each in a line of its own.
    for (const char* before_name = " "; log.starts_with("GL_"); before_name = ", ") {
      found.back().message += before_name;
      found.back().message += take_line();
    }
  }
  return found;
}

std::optional<SyntaxError> syntax_error_in(std::string_view log, const NamedTexts& texts) {
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    const auto message = read_line(line, texts);
    if (message && is_of_syntax(*message))
      return SyntaxError{std::string(message->file), message->line, message->column};
  }
  return {};
}

}  // namespace mobula::compile
