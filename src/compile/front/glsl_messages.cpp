#include "compile/front/glsl_messages.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "core/quote.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

struct Message {
  Severity severity = Severity::error;
  std::string_view file, word, text;
  std::uint32_t line = 0;
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "NAME:LINE: " in front of a message. Names may have colons, so the one that is known is looked for.
bool take_place(std::string_view& rest, const NamedTexts& texts, Message& message) {
  for (const auto& [name, _] : texts) {
    std::string_view after = rest;
    if (!take(after, name) || !take(after, ":")) continue;
    const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), message.line);
    if (error != std::errc() || end == after.data() + after.size() || *end != ':') continue;
    message.file = name;
    after.remove_prefix(static_cast<std::size_t>(end - after.data()) + 1);
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
  const std::string_view name = rest.substr(0, colon), digits = rest.substr(colon + 1, end - colon - 1);
  std::uint32_t line = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || stop != digits.data() + digits.size()) return;
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
  if (!take_place(line, texts, message)) take_other_place(line, message);
  split_word(line, message);
  if (is_summary(message)) return {};
  return message;
}

bool is_of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Where `word` stands in the line as a word of its own; the whole line (0) where it does not.
Span find_word(std::string_view line, std::string_view word) {
  for (std::size_t at = word.empty() ? line.npos : line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_of_word(word.front()) || !is_of_word(line[at - 1]);
    const bool ends = end == line.size() || !is_of_word(word.back()) || !is_of_word(line[end]);
    if (begins && ends) return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(word.size())};
  }
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

Location locate(const Message& message, const NamedTexts& texts) {
  Location where;
  where.file = message.file;
  where.line = message.line;
  const auto text = texts.find(message.file);
  // Where lines have other numbers, the one that is told is not the text's.
  if (text == texts.end() ||
      std::ranges::any_of(texts, [](const auto& each) { return has_line_directive(each.second); }))
    return where;
  const Source source(text->first, text->second);
  if (message.line == 0 || message.line > source.line_count()) return where;
  const std::string_view line = source.line(message.line - 1);
  Span span = find_word(line, message.word);
  if (span.length == 0) span = {static_cast<std::uint32_t>(std::min(line.size(), line.find_first_not_of(" \t"))), 1};
  return source.locate({source.line_offset(message.line - 1) + span.offset, span.length});
}

/// What glslang finds when all is read, without a place. `detail` is the line that follows: functions as it calls them,
/// "f(f1; calling g(f1;".
std::optional<Diagnostic> to_link_error(const Message& message, std::string_view detail) {
  const auto is = [&](std::string_view text) { return message.text.find(text) != std::string_view::npos; };
  const auto name_at = [&](std::size_t at) {
    const std::string_view from = detail.substr(std::min(at, detail.size()));
    return quote(from.substr(0, from.find('(')));
  };
  if (is("Missing entry point"))
    return Diagnostic{Severity::error, "CO005", {}, "there is no function main", "a shader begins in void main()"};
  if (is("No function definition (body) found"))
    return Diagnostic{Severity::error,
                      "CO005",
                      {},
                      name_at(0) + " is called and has no body",
                      "define it, or include the file that does"};
  if (!is("Recursion detected")) return {};
  constexpr std::string_view calling = " calling ";
  std::string text = name_at(0);
  text += " calls ";
  text += name_at(std::min(detail.find(calling), detail.size()) + calling.size());
  text += ", which leads back to it; no function of GLSL may call itself";
  return Diagnostic{Severity::error, "CO005", {}, std::move(text), {}};
}

Diagnostic to_diagnostic(const Message& message, const NamedTexts& texts) {
  std::string text;
  if (!message.word.empty()) {
    text = quote(message.word);
    text += ": ";
  }
  text += shown(message.text);
  while (text.ends_with(' ')) text.pop_back();
  if (text.ends_with("memory exhausted"))  // of the parser's stack, which is as deep as it may be
    return {Severity::error, "CO004", locate(message, texts), "blocks, statements or expressions nest too deep",
            "give parts of them names, or functions of their own"};
  return {message.severity,
          message.severity == Severity::error ? "CO001" : "CO002",
          locate(message, texts),
          std::move(text),
          {}};
}

}  // namespace

Diagnostics read_log(std::string_view log, const NamedTexts& texts) {
  Diagnostics found;
  const auto take_line = [&log] {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    return line;
  };
  while (!log.empty()) {
    const auto message = read_line(take_line(), texts);
    if (!message) continue;
    std::string_view detail;
    if (log.starts_with("    ")) detail = take_line().substr(4);
    auto of_linking = to_link_error(*message, detail);
    found.push_back(of_linking ? std::move(*of_linking) : to_diagnostic(*message, texts));
  }
  return found;
}

}  // namespace mobula::compile
