#include "cli/terminal/colour.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/terminal/terminal.h"

namespace mobula::cli {
namespace {

constexpr std::string_view dim = "\x1b[2m", yellow = "\x1b[33m", cyan = "\x1b[36m", green = "\x1b[32m",
                           red = "\x1b[31m";
constexpr std::string_view plain = "\x1b[0m";

bool in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}
bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

void add(std::string& text, std::string_view colour, std::string_view piece) {
  if (piece.empty()) return;
  text.append(colour).append(piece).append(plain);
}

/// Where a line's comment begins. A semicolon within a line separates items unless a tab precedes it.
std::size_t comment_of(std::string_view line) {
  const std::size_t slashes = std::min(line.find("//"), line.size());
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  if (first < line.size() && line[first] == ';') return first;
  return std::min(slashes, line.find("\t;"));
}

/// Numbers that are no part of a name.
void add_code(std::string& text, std::string_view code) {
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at;
    if (is_digit(code[at])) {
      while (end < code.size() && (in_word(code[end]) || code[end] == '.')) ++end;
      add(text, green, code.substr(at, end - at));
    } else {
      while (end < code.size() && in_word(code[end])) ++end;
      end = std::max(end, at + 1);
      text += code.substr(at, end - at);
    }
    at = end;
  }
}

void add_line(std::string& text, std::string_view line) {
  const std::size_t comment = comment_of(line);
  const std::string_view code = line.substr(0, comment);
  const std::size_t word = std::min(code.find_first_not_of(" \t"), code.size());
  std::size_t end = word;
  while (end < code.size() && in_word(code[end])) ++end;
  if (word < code.size() && code[word] == '.') {
    add(text, cyan, code);
  } else if (word == 0 && end != 0 && end < code.size() && code[end] == ':') {
    add(text, yellow, code.substr(0, end + 1));
    add_code(text, code.substr(end + 1));
  } else {
    add_code(text, code);
  }
  add(text, dim, line.substr(comment));
}

void add_change(std::string& text, std::string_view line) {
  if (line.starts_with("  - "))
    add(text, red, line);
  else if (line.starts_with("  + "))
    add(text, green, line);
  else
    add_line(text, line);
}

std::string painted(const std::string& file, std::string plain_text, void (*paint)(std::string&, std::string_view)) {
  if (file != "-" || !colours_output()) return plain_text;
  std::string text;
  text.reserve(2 * plain_text.size());
  for (std::string_view rest = plain_text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    paint(text, rest.substr(0, end));
    if (end < rest.size()) text += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace

std::string listing_for(const std::string& file, std::string listing) {
  return painted(file, std::move(listing), add_line);
}

std::string changes_for(const std::string& file, std::string changes) {
  return painted(file, std::move(changes), add_change);
}

}  // namespace mobula::cli
