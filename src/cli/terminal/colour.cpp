#include "cli/terminal/colour.h"

#include <algorithm>
#include <cctype>

namespace mobula::cli {
namespace {

constexpr std::string_view dim = "\x1b[2m", yellow = "\x1b[33m", cyan = "\x1b[36m", green = "\x1b[32m";
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

}  // namespace

std::string coloured_listing(std::string_view listing) {
  std::string text;
  text.reserve(2 * listing.size());
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\n'), listing.size());
    add_line(text, listing.substr(0, end));
    if (end < listing.size()) text += '\n';
    listing.remove_prefix(std::min(end + 1, listing.size()));
  }
  return text;
}

}  // namespace mobula::cli
