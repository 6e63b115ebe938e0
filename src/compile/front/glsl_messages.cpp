#include "compile/front/glsl_messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compile/front/keywords.h"
#include "compile/front/library.h"
#include "compile/front/limits.h"
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
  // What #line makes of file and line; empty and 0 where it is not known to have made something else of them.
  std::string_view other_file;
  std::uint32_t other_line = 0;
  bool has_text_place = false;  ///< file and line are those of the text, whatever #line says
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The number of a line, where the text begins with one. What #line made less than 1 is none that is known.
bool take_line(std::string_view& rest, std::uint32_t& line) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  line = static_cast<std::uint32_t>(std::max(number, 0));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

/// What stands in front of the next mark.
std::string_view take_field(std::string_view& rest) {
  const std::string_view field = rest.substr(0, rest.find(before_column));
  rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  return field;
}

/// What the parser tells of columns: "NAME", the column, the line and the name of the text itself, each with a mark
/// behind it. Behind that the line follows.
bool take_marked_place(std::string_view& rest, Message& message) {
  std::string_view after = rest;
  const std::string_view told = take_field(after);
  if (after.empty()) return false;
  std::string_view column = take_field(after), line = take_field(after);
  const std::string_view file = take_field(after);
  std::uint32_t told_line = 0;
  if (!take_line(column, message.column) || !take_line(line, message.line)) return false;
  if (!take(after, ":") || !take_line(after, told_line) || !take(after, ":")) return false;
  message.file = file;
  message.has_text_place = true;
  message.other_file = told;
  message.other_line = told_line;
  rest = after.substr(std::min(after.size(), after.find_first_not_of(' ')));
  return true;
}

/// The column behind a file's name, where there is one.
void take_column(std::string_view& rest, Message& message) {
  if (take(rest, std::string_view(&before_column, 1))) take_line(rest, message.column);
}

/// "NAME:LINE: " in front of a message. Names may have colons, so the one that is known is looked for.
bool take_place(std::string_view& rest, const NamedTexts& texts, Message& message) {
  for (const auto& [name, _] : texts) {
    std::string_view after = rest;
    if (!take(after, name)) continue;
    take_column(after, message);
    if (!take(after, ":")) continue;
    if (!take_line(after, message.line) || !take(after, ":")) continue;
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
  std::uint32_t line = 0;
  if (std::string_view left = digits; !take_line(left, line) || !left.empty()) return;
  message.file = name == "-1" ? "-D" : name;
  message.line = name == "-1" ? 0 : line;
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
  if (!take_marked_place(line, message) && !take_place(line, texts, message)) take_other_place(line, message);
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

/// The token at a column, from 1, which may be its last one, or the one behind it, where a macro is replaced; the first
/// of the line where it is not known.
Span token_at(std::string_view line, std::size_t column) {
  const bool is_known = column > 0 && column <= line.size() + 1 && !line.empty();
  std::size_t at = is_known ? std::min(column, line.size()) - 1 : std::min(line.size(), line.find_first_not_of(" \t"));
  std::size_t end = at;
  while (is_known && end < line.size() && is_word(line[end])) ++end;
  while (end > at && at > 0 && is_word(line[at - 1])) --at;
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::max<std::size_t>(end - at, 1))};
}

/// Where names stand in front of a parenthesis for the first time, outside comments.
std::unordered_map<std::string_view, Span> functions_of(std::string_view text) {
  std::unordered_map<std::string_view, Span> functions;
  Tokens tokens(text);
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "(" && !before.empty() && is_word(before.front()))
      functions.try_emplace(before, span_of(before, text));
    before = token;
  }
  return functions;
}

/// The word that begins at a column, from 1; empty where there is none, or the column is not known.
std::string_view word_at(std::string_view line, std::size_t column) {
  const Span span = token_at(line, column);
  const bool is_known = column == span.offset + 1 && is_word(line[span.offset]);
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

bool is_opaque_type(std::string_view word) {
  const bool has_integers = word.starts_with("isampler") || word.starts_with("iimage") || word.starts_with('u');
  word.remove_prefix(has_integers ? 1 : 0);
  return word.starts_with("sampler") || word.starts_with("image");
}
/// The last type of a sampler or an image that begins at a column, from 1, or in front of it; empty where there is
/// none.
std::string_view opaque_type_at(std::string_view line, std::size_t column) {
  std::string_view found;
  Tokens tokens(line);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (span_of(token, line).offset >= column) return found;
    if (is_opaque_type(token)) found = token;
  }
  return found;
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

std::string vector_of_glsl(std::string_view count, std::string_view base) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> names{
      {{"float", "vec"}, {"int", "ivec"}, {"uint", "uvec"}, {"bool", "bvec"}, {"double", "dvec"}}};
  const auto found = std::ranges::find(names, base, &std::pair<std::string_view, std::string_view>::first);
  return found == names.end() ? std::string() : std::string(found->second) + std::string(count);
}
/// `size` is "3X2": columns and rows.
std::string matrix_of_glsl(std::string_view size, std::string_view base) {
  if (base != "float" && base != "double") return {};
  std::string name = base == "double" ? "dmat" : "mat";
  name += size[0];
  return size[0] == size[2] ? name : name + 'x' + size[2];
}

/// "4-component vector of float" is "vec4": what stands in front of `phrase` and behind it becomes its name.
template <class Name>
void name_types(std::string& text, std::string_view phrase, std::size_t before, Name name_of) {
  for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
    if (at < before) continue;
    const std::string_view base = std::string_view(text).substr(at + phrase.size());
    const std::size_t length = std::min(base.size(), base.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
    const std::string name = name_of(std::string_view(text).substr(at - before, before), base.substr(0, length));
    if (!name.empty()) text.replace(at - before, before + phrase.size() + length, name);
  }
}

/// Without what stands between `open` and its `close`, and without these; to the end where the text has been cut.
void leave_out(std::string& text, std::string_view in_front, char open, char close) {
  for (std::size_t at = text.find(in_front); at != text.npos; at = text.find(in_front, at)) {
    at += in_front.size() - 1;
    std::size_t end = at;
    int depth = 0;
    for (bool is_open = true; is_open && end < text.size(); ++end) {
      depth += text[end] == open ? 1 : text[end] == close ? -1 : 0;
      is_open = depth > 0;
    }
    text.erase(at, end - at);
  }
}

/// A type without what text cannot say: "gl_FragDepth highp float FragDepth" is "highp float".
std::string type_of_glsl(std::string type) {
  leave_out(type, "structure{", '{', '}');
  leave_out(type, "block{", '{', '}');
  leave_out(type, "layout(", '(', ')');
  std::string left;
  while (!type.empty()) {
    const std::size_t end = std::min(type.find(' '), type.size());
    const std::string_view word = std::string_view(type).substr(0, end);
    const bool is_of_library = word.empty() || word == "temp" || word == "global" || word == "layout" ||
                               word == "fragColor" || word.starts_with("gl_") || (word[0] >= 'A' && word[0] <= 'Z');
    if (!is_of_library) left.append(left.empty() ? "" : " ").append(word);
    type.erase(0, end + 1);
  }
  return left;
}

/// What stands behind `begin`, up to `end`, or to the end where the text has been cut.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

/// The names of a structure's members, one behind the other, each with a blank behind it. `text` is what stands in its
/// braces, as GLSL or glslang have it: in front of commas and semicolons.
std::string members_of(std::string_view text) {
  std::string members;
  std::string_view last;
  int depth = 0;
  Tokens tokens(text);
  for (std::string_view token = tokens.next();; token = tokens.next()) {
    const bool ends = token.empty() || (depth == 0 && (token == "," || token == ";"));
    if (ends && !last.empty()) members.append(std::exchange(last, {})).append(" ");
    if (token.empty()) return members;
    const char letter = token.front();
    depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
    if (depth == 0 && is_word(letter)) last = token;
  }
}

/// The structures of texts by their members, with no name where several have the same ones.
std::map<std::string, std::string, std::less<>> structures_of(const NamedTexts& texts) {
  std::map<std::string, std::string, std::less<>> found;
  for (const auto& [_, text] : texts) {
    Tokens tokens(text);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
      if (token != "struct") continue;
      const std::string_view name = tokens.next(), brace = tokens.next();
      if (brace != "{") continue;
      const std::string_view inside = std::string_view(text).substr(span_of(brace, text).offset + 1);
      const auto [known, is_new] = found.try_emplace(members_of(inside.substr(0, inside.find('}'))), name);
      if (!is_new && known->second != name) known->second.clear();
    }
  }
  return found;
}

/// `type` with the name of the structure that `told`, which it is made of, has the members of, where one has.
std::string with_name_of_structure(std::string type, std::string_view told, const NamedTexts& texts) {
  constexpr std::string_view word = "structure", brace = "structure{";
  const std::size_t at = type.find(word), begin = told.find(brace), end = told.rfind('}');
  if (at == type.npos || begin == told.npos || end == told.npos) return type;
  const auto structures = structures_of(texts);
  const auto found = structures.find(members_of(told.substr(begin + brace.size(), end - begin - brace.size())));
  if (found != structures.end() && !found->second.empty()) type.replace(at, word.size(), found->second);
  return type;
}

/// Types as GLSL calls them, in as few words as say what is wrong with them.
std::string with_types_of_glsl(std::string text, const NamedTexts& texts) {
  name_types(text, "-component vector of ", 1, vector_of_glsl);
  name_types(text, " matrix of ", 3, matrix_of_glsl);
  const auto quoted = [&](std::string_view begin, std::string_view end) {
    const std::string_view type = between(text, begin, end);
    return '\'' + with_name_of_structure(type_of_glsl(std::string(type)), type, texts) + '\'';
  };
  constexpr std::string_view alternative = " (or there is no acceptable conversion)",
                             right = "a right operand of type '";
  if (text.starts_with("wrong operand type no operation"))
    return "wrong operand type " + quoted("takes an operand of type ", alternative);
  if (text.starts_with("wrong operand types: no operation"))
    return "wrong operand types " + quoted("left-hand operand of type '", "' and a right") + " and " +
           quoted(right, "'");
  if (text.starts_with("cannot convert from '"))
    return "cannot convert from " + quoted("from '", "' to '") + " to " + quoted("' to '", "'");
  return text;
}

/// Where glslang sees an error in a text; no text where that is not known.
struct Point {
  std::string_view text;
  std::size_t at = 0;
};

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
    const Source* const source = find(message);
    if (source == nullptr || message.line == 0 || message.line > source->line_count()) return where;
    const std::uint32_t begin = source->line_offset(message.line - 1);
    const bool is_call = message.text.find("no matching overloaded function") != message.text.npos ||
                         message.text.starts_with(no_function);
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
    const Source* const source = find(message);
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

  [[nodiscard]] const NamedTexts& named() const { return texts_; }

  /// The line that a message is about; empty where that is not known.
  [[nodiscard]] std::string_view line_of(const Message& message) {
    const Source* const source = find(message);
    const bool has_line = source != nullptr && message.line != 0 && message.line <= source->line_count();
    return has_line ? source->line(message.line - 1) : std::string_view();
  }

  /// `place` is where the message is told, for those of which glslang knows no column.
  [[nodiscard]] Point point_of(const Message& message, const Location& place) {
    const Source* const source = find(message);
    if (source == nullptr || message.line == 0 || message.line > source->line_count()) return {};
    const std::uint32_t column = message.column != 0 ? message.column : place.column;
    return {source->text(), source->line_offset(message.line - 1) + std::max(column, 1u) - 1};
  }

  /// glslang does not always tell the place of what is wrong with the version.
  void place_version(Message& message) {
    if (message.line != 0 || message.text.find("version") == message.text.npos) return;
    for (const auto& [file, text] : texts_) {
      const std::string_view directive = version_directive(text);
      if (directive.empty()) continue;
      const Location where = source_of(file).locate(span_of(directive, text));
      message.file = file;
      message.word = "#version";
      take(message.text, "#version: ");
      message.line = where.line;
      message.column = where.column;
      message.has_text_place = true;
      return;
    }
  }

  /// Where a word stands first; no place if only macros have it.
  [[nodiscard]] Location locate_word(std::string_view word) {
    if (has_other_numbers_) return {};
    for (const auto& [file, text] : texts_) {
      Tokens tokens(text);
      for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
        if (token == word) return source_of(file).locate(span_of(token, text));
    }
    return {};
  }

  /// Where a function is first named; no place if only macros name it.
  [[nodiscard]] Location locate_function(std::string_view name) {
    for (const auto& [file, text] : texts_) {
      const auto [functions, is_new] = functions_.try_emplace(file);
      if (is_new) functions->second = functions_of(text);
      const auto found = functions->second.find(name);
      if (found != functions->second.end() && !has_other_numbers_) return source_of(file).locate(found->second);
    }
    return {};
  }

 private:
  /// Null where lines have other numbers, and the one that is told may not be the text's.
  const Source* find(const Message& message) {
    if (!texts_.contains(message.file) || (has_other_numbers_ && !message.has_text_place)) return nullptr;
    return &source_of(message.file);
  }
  const Source& source_of(std::string_view file) {
    const auto text = texts_.find(file);
    return sources_.try_emplace(text->first, text->first, text->second).first->second;
  }

  const NamedTexts& texts_;
  bool has_other_numbers_ = false;
  std::map<std::string_view, Source> sources_;
  std::map<std::string_view, std::unordered_map<std::string_view, Span>> functions_;  ///< of the files that were asked
};

constexpr std::string_view linking = "Linking ";

/// "Linking fragment stage: Cannot use both gl_FragColor and gl_FragData": at the last of the names that the text has.
Diagnostic to_error_of_names(const Message& message, Texts& texts) {
  const std::string_view said = message.text.substr(std::min(message.text.find(": ") + 2, message.text.size()));
  Location where;
  Tokens tokens(said);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
    if (token.starts_with("gl_"))
      if (Location place = texts.locate_word(token); place.line != 0) where = std::move(place);
  return {Severity::error, "CO001", std::move(where), shown(without_double_blanks(said)), {}};
}

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
  if (!is("Recursion detected")) {
    if (message.text.starts_with(linking)) return to_error_of_names(message, texts);
    return {};
  }
  constexpr std::string_view calling = " calling ";
  std::string text = quote(function);
  text += " calls ";
  text += quote(name_at(std::min(detail.find(calling), detail.size()) + calling.size()));
  text += ", which leads back to it; no function of GLSL may call itself";
  return Diagnostic{Severity::error, "CO005", texts.locate_function(function), std::move(text), {}};
}

bool is_of_no_type(const Message& message) { return message.text.starts_with(no_type); }

/// The text with how much that is behind each constant of the language that stands for a limit in it. Those are the
/// same in all versions.
std::string with_limits(std::string text) {
  const TBuiltInResource& limits = limits_of(version_if_none);
  static const std::array<std::pair<std::string_view, std::string>, 6> known{
      {{"gl_MaxCombinedTextureImageUnits", std::to_string(limits.maxCombinedTextureImageUnits)},
       {"gl_MaxAtomicCounterBindings", std::to_string(limits.maxAtomicCounterBindings)},
       {"gl_MaxComputeWorkGroupSize", std::to_string(limits.maxComputeWorkGroupSizeX) + ", " +
                                          std::to_string(limits.maxComputeWorkGroupSizeY) + ", " +
                                          std::to_string(limits.maxComputeWorkGroupSizeZ)},
       {"gl_MinProgramTexelOffset", std::to_string(limits.minProgramTexelOffset)},
       {"gl_MaxProgramTexelOffset", std::to_string(limits.maxProgramTexelOffset)},
       {"too large for fragment output", "they are 0 to " + std::to_string(limits.maxDrawBuffers - 1)}}};
  for (const auto& [name, value] : known)
    if (const std::size_t at = text.find(name); at != text.npos) text.insert(at + name.size(), " (" + value + ')');
  return text;
}

/// What of GLSL for Vulkan alone there is, where a message is about that.
bool is_of_vulkan(const Message& message) {
  constexpr std::array<std::string_view, 2> names{"gl_VertexIndex", "gl_InstanceIndex"};
  constexpr std::array<std::string_view, 4> types{"texture", "sampler", "samplerShadow", "subpassInput"};
  std::string_view word = message.word;
  if (message.text.find("only allowed when using GLSL for Vulkan") != message.text.npos ||
      message.text.find("only allowed when generating SPIR-V") != message.text.npos ||
      (word.starts_with("local_size_") && word.ends_with("_id")) || std::ranges::find(names, word) != names.end())
    return true;
  if (!is_of_no_type(message)) return false;
  if (word.starts_with('i') || word.starts_with('u')) word.remove_prefix(1);
  return word.starts_with(types[0]) || std::ranges::find(types, word) != types.end();
}

constexpr std::string_view not_included = " for header name: ", no_text = "Could not process include directive";

bool is_of_missing_text(const Message& message) {
  return message.word == "#include" && message.text.starts_with(no_text);
}

/// "WHY for header name: NAME", as a sentence.
std::string text_of_inclusion(std::string_view text) {
  const std::size_t at = text.find(not_included);
  if (at == text.npos) return shown(without_double_blanks(text));
  const std::string name = quote(text.substr(at + not_included.size()));
  return text.starts_with(no_text) ? "there is no file " + name
                                   : name + " is not included: " + shown(text.substr(0, at));
}

/// What glslang calls the type that has none.
constexpr std::string_view any_opaque_type = "sampler/image";

constexpr std::string_view no_precision = "type requires declaration of default precision qualifier";

/// Of one in shared memory. "{}" needs an extension, too.
bool is_of_shared_initializer(const Message& message) {
  return message.text.starts_with("initializer can only be a null initializer");
}

/// How what a message is about may be mended, where that shows.
std::string hint_of(const Message& message) {
  if (message.text.find(no_precision) != message.text.npos)
    return message.word == any_opaque_type
               ? "its declaration may say it: mediump in front of the type"
               : "'precision mediump " + std::string(message.word) + ";' above it is for all of that type";
  if (is_of_missing_text(message)) return "mobula compile -I FOLDER names folders to look in, too";
  if (message.word == "subroutine") return "choose among functions by a uniform integer: switch, or if";
  if (is_of_vulkan(message))
    return "this is GLSL for Vulkan; SPIR-V is compiled, too, and a compiler for Vulkan makes it: glslangValidator -V";
  const bool is_no_name = message.text.starts_with("undeclared identifier") || message.text.starts_with(no_function) ||
                          message.text.starts_with("Reserved word");
  if (is_no_name) return hint_for_name(message.word);
  if (is_of_shared_initializer(message)) return "give it its value in a function, and let barrier() follow";
  return is_of_no_type(message) ? near_keyword(message.word) : std::string();
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
  text += with_limits(shown(with_types_of_glsl(without_double_blanks(message.text), texts.named())));
  if (is_of_shared_initializer(message)) text = "variables in shared memory have no initializer";
  if (message.word == "#include") text = "'#include': " + text_of_inclusion(message.text);
  if (text.ends_with("memory exhausted"))  // of the parser's stack, which is as deep as it may be
    return {Severity::error, "CO004", texts.locate(message), "blocks, statements or expressions nest too deep",
            "give parts of them names, or functions of their own; each 'else if' nests in the one before it"};
  if (auto wrong = wrong_version(texts.line_of(message))) text = "'#version': " + std::move(*wrong);
  return {message.severity, message.severity == Severity::error ? "CO001" : "CO002", texts.locate(message),
          std::move(text), hint_of(message)};
}

/// Whether what a message says is often but what another error makes of the rest of its statement: what is not known is
/// taken for a number, and what is no size or argument is asked for once more.
bool may_follow(const Message& message) {
  const bool is_of_no_name =
      message.word.empty() && message.text.find("no matching overloaded function") != std::string_view::npos;
  constexpr std::array<std::string_view, 9> phrases{"non-convertible constant type",
                                                    "cannot convert from",
                                                    "unexpected tokens following directive",
                                                    "can't use function syntax on variable",
                                                    "wrong operand type",
                                                    "swizzle selection out of range",
                                                    "array size required",
                                                    "Non-L-value cannot be passed",
                                                    "cannot construct with these arguments"};
  return is_of_no_name || message.word == "scalar swizzle" ||
         message.word.starts_with("non-constant global initializer") ||
         std::ranges::any_of(
             phrases, [&](std::string_view phrase) { return message.text.find(phrase) != std::string_view::npos; });
}

bool is_of_syntax(const Message& message) { return message.text.find("syntax error") != std::string_view::npos; }

bool is_of_macro(const Message& message) { return message.text.starts_with(macro_not_replaced); }

/// Of what stands in single quotation marks, at each of them.
constexpr std::string_view no_letters = "character literals not supported";

/// Whether something is left out whose end is not known.
bool leaves_gap(const Message& message) {
  return is_of_macro(message) || message.text.starts_with(no_quotations) || message.text.starts_with(no_letters);
}

/// Whether a number is not as numbers are written: letters of it may count as another word.
bool is_of_number(const Message& message) {
  constexpr std::array<std::string_view, 3> phrases{"bad digit in", "literal digit too large",
                                                    "bad character in float"};
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return message.text.find(phrase) != std::string_view::npos; });
}

bool is_of_directive(const Message& message) { return message.word.starts_with('#'); }

/// Whether an error is told of what is none where it is used: glslang declares unknown words, takes them for no type,
/// and leaves out what is no token, and macros that it cannot replace.
bool is_of_unknown(const Message& message) {
  const auto is = [&](std::string_view text) { return message.text.find(text) != std::string_view::npos; };
  return is("Reserved word") || is("not yet implemented") || is("undeclared identifier") || is("unexpected token") ||
         is(no_function) || leaves_gap(message) || is_of_number(message);
}

/// Whether a word is wrong by itself, whatever stands around it.
bool is_of_word(const Message& message) {
  const auto is = [&](std::string_view text) { return message.text.find(text) != std::string_view::npos; };
  return is("has this") || is("are reserved");
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
  /// Whether the same has been said of an extension: of each that is not known once is enough.
  bool of_extension(const Message& message) {
    const bool is_warning = message.severity == Severity::warning;
    return is_warning && message.text.starts_with("extension not supported") &&
           !extensions_.insert(message.text).second;
  }

  /// Whether an error, which would be told at `place`, is but what one of those before it leads to.
  [[nodiscard]] bool lead_to(const Message& message, const Location& place, std::string_view line,
                             const Point& point) const {
    if (has_end_ && message.text.find("unexpected end of file") != std::string_view::npos) return true;
    if (message.column == 0) return false;
    const bool is_again = message.text.starts_with("redefinition");
    if (is_again && unknown_.contains({message.file, message.severity, message.word})) return true;
    if (const auto found = lines_.find({message.file, message.severity, message.line}); found != lines_.end()) {
      const Line& others = found->second;
      if (others.places.contains({place.line, place.column})) return true;
      if (others.has_gap && message.text.starts_with(no_letters)) return true;  // of the other quotation mark
      if (others.has_gap && is_in_quotation_marks(message, line)) return true;
      if ((is_of_syntax(message) || is_of_no_type(message)) && stands_behind_unknown(message, others, line))
        return true;
    }
    const auto points = points_.find({message.file, message.severity});
    if (points == points_.end()) return false;
    constexpr std::string_view line_end = "\n";
    if (is_of_directive(message))
      return may_follow(message) &&
             (is_with(points->second.of_directives, point, line_end) || is_with(points->second.all, point, line_end));
    constexpr std::string_view ends = ";{}";
    if (may_follow(message)) return is_with(points->second.all, point, ends);
    // What is not known has no type that anything else could be compared with.
    const bool is_of_its_own = is_again || is_of_unknown(message) || is_of_syntax(message) || is_of_word(message);
    return !is_of_its_own && is_with(points->second.unknown, point, ends);
  }

  void add(const Message& message, const Location& place, const Point& point) {
    has_end_ = has_end_ || is_last_of_text(message);
    Line& of_line = lines_[{message.file, message.severity, message.line}];
    of_line.places.emplace(place.line, place.column);
    Points& points = points_[{message.file, message.severity}];
    const bool has_point = !point.text.empty() && (message.column != 0 || is_of_unknown(message));
    if (has_point) (is_of_directive(message) ? points.of_directives : points.all).insert(point.at);
    if (!is_of_unknown(message)) return;
    if (has_point) points.unknown.insert(point.at);
    unknown_.emplace(message.file, message.severity, message.word);
    const bool is_name = message.text.find("undeclared identifier") != std::string_view::npos;
    const std::size_t length = is_of_number(message) ? place.length : message.word.size();
    of_line.unknown.push_back({place.column, place.column + length, is_name});
    of_line.has_gap = of_line.has_gap || leaves_gap(message);
  }

 private:
  struct OfLine {
    std::size_t begin = 0, end = 0;  ///< its column and the one behind it
    bool is_name = false;            ///< which might be a type: then a name follows
  };
  struct Line {
    /// Lines and columns where something of it has been told.
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    std::vector<OfLine> unknown;
    bool has_gap = false;
  };
  /// Offsets at which glslang sees errors.
  struct Points {
    std::set<std::size_t> all, unknown, of_directives;
  };

  /// What a letter in single quotation marks is without them: a name.
  static bool is_in_quotation_marks(const Message& message, std::string_view line) {
    const std::size_t begin = message.column - 1, end = begin + message.word.size();
    return begin > 0 && end < line.size() && line[begin - 1] == '\'' && line[end] == '\'';
  }
  static bool stands_behind_unknown(const Message& message, const Line& others, std::string_view line) {
    const auto stands_behind = [&](const OfLine& unknown) {
      if (message.column <= unknown.begin || message.column > line.size()) return false;
      if (message.column < unknown.end) return true;
      const std::string_view between = line.substr(unknown.end - 1, message.column - unknown.end);
      return between.find_first_not_of(" \t") == line.npos && (!unknown.is_name || is_word(line[message.column - 1]));
    };
    return others.has_gap || std::ranges::any_of(others.unknown, stands_behind);
  }
  /// Whether one of them is there with nothing between that ends what the point is in.
  static bool is_with(const std::set<std::size_t>& others, const Point& point, std::string_view ends) {
    constexpr std::size_t reach = 4000;
    const auto ends_between = [&](std::size_t first, std::size_t last) {
      return last - first > reach || point.text.substr(first, last - first).find_first_of(ends) != point.text.npos;
    };
    if (point.text.empty()) return false;
    const auto behind = others.lower_bound(point.at);
    return (behind != others.end() && !ends_between(point.at, *behind)) ||
           (behind != others.begin() && !ends_between(*std::prev(behind), point.at));
  }

  bool has_end_ = false;
  std::set<std::string_view> extensions_;
  std::set<std::tuple<std::string_view, Severity, std::string_view>> unknown_;  ///< in which file, how, the word
  std::map<std::tuple<std::string_view, Severity, std::uint32_t>, Line> lines_;
  std::map<std::tuple<std::string_view, Severity>, Points> points_;
};

/// What glslang calls by words of its own, by those of the line.
void call_as_typed(Message& message, std::string_view line) {
  if (message.word == "preprocessor evaluation") message.word = condition_of(line);
  if (message.word == "assign") message.word = assignment_at(line, message.column);
  if (message.word == any_opaque_type)
    if (const std::string_view type = opaque_type_at(line, message.column); !type.empty()) message.word = type;
  if (is_of_shared_initializer(message)) message.word = {};  // which may stand anywhere in front of it
}

/// The place with the file and the line that #line has made of it; lines less than 1 are none, and keep their own.
void tell_as_other(Location& place, const Message& message) {
  if (message.other_file.empty() || message.other_line == 0 || place.line == 0 || place.file != message.file) return;
  place.line += message.other_line - message.line;
  place.file = message.other_file;
}

/// Of a text that is read again and again, and of directives without an end, what says so.
void keep_causes(Diagnostics& found) {
  const auto says = [](std::string_view words) {
    return [words](const Diagnostic& each) { return each.message.find(words) != each.message.npos; };
  };
  const auto is_endless = says(endless_inclusion), is_too_deep = says("maximum nesting depth exceeded");
  if (std::ranges::any_of(found, is_endless)) std::erase_if(found, std::not_fn(is_endless));
  if (std::ranges::any_of(found, is_too_deep)) std::erase_if(found, says("missing #endif"));
}

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
    call_as_typed(*message, texts.line_of(*message));
    std::string_view detail;
    if (log.starts_with("    ")) detail = take_line().substr(4);
    const Location place = texts.locate(*message);
    const Point point = texts.point_of(*message, place);
    if (told.of_extension(*message)) continue;
    if (told.lead_to(*message, place, texts.line_of(*message), point)) continue;
    told.add(*message, place, point);
    auto of_linking = to_link_error(*message, detail, texts);
    found.push_back(of_linking ? std::move(*of_linking) : to_diagnostic(*message, texts));
    tell_as_other(found.back().where, *message);
    // Extensions that would help follow, each in a line of its own.
    for (const char* before_name = " "; log.starts_with("GL_"); before_name = ", ") {
      found.back().message += before_name;
      found.back().message += take_line();
    }
  }
  keep_causes(found);
  return found;
}

bool is_of_precision(const Diagnostic& error) { return error.message.find(no_precision) != error.message.npos; }

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
