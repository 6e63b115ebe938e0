#include "core/lexer.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "core/real.h"

namespace mobula {
namespace {

using Kind = LineToken::Kind;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_word_start(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '$';
}
bool is_word_part(char letter) { return is_word_start(letter) || is_digit(letter); }

std::size_t end_of_word(std::string_view line, std::size_t at) {
  while (at < line.size() && is_word_part(line[at])) ++at;
  return at;
}

std::size_t end_of_number(std::string_view line, std::size_t begin) {
  std::size_t at = end_of_word(line, begin);
  const bool digits_only = std::all_of(line.begin() + static_cast<std::ptrdiff_t>(begin),
                                       line.begin() + static_cast<std::ptrdiff_t>(at), is_digit);
  if (digits_only && at + 1 < line.size() && line[at] == '.' && is_digit(line[at + 1])) at = end_of_word(line, at + 1);
  // "1e-5": the sign belongs to the number if digits, perhaps with a point, precede the e.
  const bool exponent = (line[at - 1] == 'e' || line[at - 1] == 'E') && at + 1 < line.size() &&
                        (line[at] == '-' || line[at] == '+') && is_digit(line[at + 1]);
  if (!exponent) return at;
  for (std::size_t i = begin; i + 1 < at; ++i)
    if (!is_digit(line[i]) && line[i] != '.') return at;
  return end_of_word(line, at + 1);
}

template <class Float>
bool parse_float(std::string_view text, Float& value) {
  const char* end = text.data() + text.size();
  if (text.empty() || !is_digit(text.front())) return false;
  const auto [stop, error] = read_real(text, value);
  if (stop != end) return false;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say on which side; only a negative exponent makes a number too small.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos ? text[exponent + 1] == '-' : text.front() == '0';
    value = tiny ? Float{0} : std::numeric_limits<Float>::infinity();
    return true;
  }
  return error == std::errc{};
}

}  // namespace

void lex_line(const Source& source, std::size_t index, std::vector<LineToken>& tokens, Comments comments) {
  tokens.clear();
  const std::string_view line = source.line(index);
  const std::uint32_t base = source.line_offset(index);
  std::size_t at = 0;
  const auto push = [&](Kind kind, std::size_t end) {
    tokens.push_back({kind, line.substr(at, end - at), static_cast<std::uint32_t>(base + at)});
    at = end;
  };
  while (at < line.size()) {
    const char letter = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (letter == ' ' || letter == '\t') {
      ++at;
    } else if ((letter == ';' && comments == Comments::semicolons) || (letter == '/' && next == '/')) {
      break;
    } else if (is_word_start(letter)) {
      push(Kind::word, end_of_word(line, at));
    } else if (is_digit(letter)) {
      push(Kind::number, end_of_number(line, at));
    } else if ((letter == '<' && next == '<') || (letter == '>' && next == '>') || (letter == '-' && next == '>')) {
      push(Kind::sign, at + 2);
    } else {
      push(letter > ' ' && letter < 127 ? Kind::sign : Kind::bad, at + 1);
    }
  }
  at = std::min(at, line.size());
  tokens.push_back({Kind::end, line.substr(at, 0), static_cast<std::uint32_t>(base + at)});
}

bool parse_integer(std::string_view text, std::uint64_t& value) {
  std::uint64_t base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 32);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 10;
    if (base != 10) text.remove_prefix(2);
  }
  if (text.empty() || text.front() == '_' || text.back() == '_') return false;
  std::uint64_t result = 0;
  for (const char letter : text) {
    if (letter == '_') continue;
    const char low = static_cast<char>(letter | 32);
    const std::uint64_t digit = is_digit(letter)           ? static_cast<std::uint64_t>(letter - '0')
                                : low >= 'a' && low <= 'f' ? static_cast<std::uint64_t>(low - 'a' + 10)
                                                           : 16;
    if (digit >= base || result > (~std::uint64_t{0} - digit) / base) return false;
    result = result * base + digit;
  }
  value = result;
  return true;
}

bool parse_real(std::string_view text, float& value) { return parse_float(text, value); }
bool parse_real(std::string_view text, double& value) { return parse_float(text, value); }

}  // namespace mobula
