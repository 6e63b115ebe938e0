#include <algorithm>

#include "core/counted.h"
#include "core/quote.h"
#include "formats/dump.h"
#include "mobula/isa/formats.h"

namespace mobula {
namespace {

/// What is between numbers, comments aside: white space, and the signs of a C array.
constexpr std::string_view separators = " \t\r\n\v\f,{}";

/// Walks the numbers of a hexadecimal text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next number or other run of characters; empty at the end.
  std::string_view next() {
    skip_blank();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !at_blank()) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// Start of a comment that never ends, after next() returned empty.
  [[nodiscard]] std::optional<std::size_t> open_comment() const { return open_comment_; }

 private:
  [[nodiscard]] bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  [[nodiscard]] bool at_blank() const {
    const char c = text_[at_];
    return separators.find(c) != std::string_view::npos || c == '#' || c == ';' || looking_at("//") || looking_at("/*");
  }
  void skip_blank() {
    while (at_ < text_.size() && at_blank()) {
      if (text_[at_] == '#' || text_[at_] == ';' || looking_at("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (looking_at("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) open_comment_ = at_;
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::size_t> open_comment_;
};

struct Number {
  std::uint32_t value = 0;
  std::uint32_t digits = 0;
  bool prefixed = false;
};

std::optional<Number> parse_number(std::string_view token) {
  Number number;
  number.prefixed = token.starts_with("0x") || token.starts_with("0X");
  if (number.prefixed) token.remove_prefix(2);
  if (token.empty() || token.size() > 8) return std::nullopt;
  for (const char c : token) {
    if (hex_digit(c) < 0) return std::nullopt;
    number.value = number.value << 4 | static_cast<std::uint32_t>(hex_digit(c));
  }
  number.digits = static_cast<std::uint32_t>(token.size());
  if (!number.prefixed && number.digits != 2 && number.digits != 8) return std::nullopt;
  return number;
}

/// What is wrong with a token that is none.
std::string not_a_number(std::string_view token) {
  std::string_view digits = token;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const bool hexadecimal =
      !digits.empty() && std::ranges::all_of(digits, [](char each) { return hex_digit(each) >= 0; });
  return quote(token) + (hexadecimal ? " has " + counted(digits.size(), "digit") + ", and is neither a word nor a byte"
                                     : " is not a hexadecimal number");
}

constexpr std::string_view allowed =
    "a number is a 32-bit word (8 digits, or 0x and 1 to 8 digits) or a byte (2 digits, or 0x and 1 or 2 digits)";

Result<std::vector<std::uint8_t>> only_program(Result<std::vector<NumberedCode>> programs, std::string_view file) {
  if (!programs) return fail(std::move(programs).error());
  if (programs->size() != 1)
    return fail(Diagnostic{Severity::error,
                           "FM021",
                           {.file = std::string(file)},
                           "there are " + counted(programs->size(), "program") + " in this text",
                           "one is expected here; give it alone"});
  return std::move(programs->front().bytes);
}

}  // namespace

Result<std::vector<std::uint8_t>> read_hex(std::string_view text, std::string_view file) {
  if (is_dump(text)) return read_dump(text, file);
  if (is_log(text)) return only_program(read_log(text, file), file);
  if (is_array(text)) return only_program(read_arrays(text, file), file);
  constexpr std::size_t error_limit = 20;
  Diagnostics errors;
  std::vector<Number> numbers;
  std::string_view first_word, first_bare_byte;
  Scanner scanner(text);
  for (std::string_view token = scanner.next(); !token.empty() && errors.size() < error_limit; token = scanner.next()) {
    const std::optional<Number> number = parse_number(token);
    if (!number && token == "*") {
      errors.push_back(repeated_without_offset(file, text, token));
      continue;
    }
    if (!number) {
      errors.push_back(error_in_text(file, text, token, "FM001", not_a_number(token), std::string(allowed)));
      continue;
    }
    if (number->digits > 2 && first_word.empty()) first_word = token;
    if (number->digits == 2 && !number->prefixed && first_bare_byte.empty()) first_bare_byte = token;
    numbers.push_back(*number);
  }
  if (scanner.open_comment()) {
    errors.push_back(error_in_text(file, text, text.substr(*scanner.open_comment(), 2), "FM002",
                                   "comment is never closed", "end it with */"));
  }
  if (!first_word.empty() && !first_bare_byte.empty()) {
    errors.push_back(
        error_in_text(file, text, first_bare_byte, "FM003",
                      "byte " + quote(first_bare_byte) + " in a text of 32-bit words such as " + quote(first_word),
                      "write every number as a word of 8 digits, or every number as a byte of 2"));
  }
  if (errors.empty() && numbers.empty()) {
    errors.push_back(
        error_in_text(file, text, text.substr(0, 0), "FM004", "the text holds no number", std::string(allowed)));
  }
  if (!errors.empty()) return fail(std::move(errors));

  const std::size_t unit = first_word.empty() ? 1 : 4;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * unit);
  for (const Number& number : numbers) {
    for (std::size_t i = 0; i < unit; ++i) bytes.push_back(static_cast<std::uint8_t>(number.value >> 8 * i));
  }
  return bytes;
}

std::string write_hex(std::span<const std::uint8_t> bytes, HexUnit unit) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::size_t line = 16;
  const std::size_t group = unit == HexUnit::words && bytes.size() % 4 == 0 ? 4 : 1;
  std::string text;
  text.reserve(bytes.size() * 3 + 1);
  for (std::size_t at = 0; at < bytes.size(); at += group) {
    for (std::size_t i = group; i-- > 0;) {
      text += digits[bytes[at + i] >> 4];
      text += digits[bytes[at + i] & 15];
    }
    const std::size_t end = at + group;
    text += end % line == 0 || end == bytes.size() ? '\n' : ' ';
  }
  return text;
}

}  // namespace mobula
