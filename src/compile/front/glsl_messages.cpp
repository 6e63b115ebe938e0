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
         message.text.starts_with("compilation terminated") ||
         message.text.find("Missing entry point: Each stage requires") != std::string_view::npos;
}

std::optional<Message> read_line(std::string_view line, const NamedTexts& texts) {
  Message message;
  if (take(line, "WARNING: "))
    message.severity = Severity::warning;
  else if (!take(line, "ERROR: "))
    return {};
  take_place(line, texts, message);
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

Location locate(const Message& message, const NamedTexts& texts) {
  const auto text = texts.find(message.file);
  if (text == texts.end()) return {};
  const Source source(text->first, text->second);
  if (message.line == 0 || message.line > source.line_count()) {
    Location where;
    where.file = text->first;
    where.line = message.line;
    return where;
  }
  const std::string_view line = source.line(message.line - 1);
  Span span = find_word(line, message.word);
  if (span.length == 0) span = {static_cast<std::uint32_t>(std::min(line.size(), line.find_first_not_of(" \t"))), 1};
  return source.locate({source.line_offset(message.line - 1) + span.offset, span.length});
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
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (const auto message = read_line(log.substr(0, end), texts)) found.push_back(to_diagnostic(*message, texts));
    log.remove_prefix(std::min(log.size(), end + 1));
  }
  return found;
}

}  // namespace mobula::compile
