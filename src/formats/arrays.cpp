#include <array>
#include <cstdint>
#include <utility>

#include "core/counted.h"
#include "core/quote.h"
#include "formats/dump.h"

namespace mobula {
namespace {

constexpr std::size_t looked_at = std::size_t{1} << 20;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The words and signs of a text in C, without comments and preprocessor lines; but a line that chooses what is
/// compiled, or brings more of it, is a word of its own: "#if 0".
class CTokens {
 public:
  explicit CTokens(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip_blank();
    const std::size_t begin = at_;
    if (at_ == text_.size()) return {};
    if (text_[at_] == '"' || text_[at_] == '\'') {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
    } else if (text_[at_] == '#' && is_choice(rest_of_line())) {
      at_ += rest_of_line().size();
    } else if (is_name_character(text_[at_])) {
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  /// Start of a comment that never ends, after next() returned empty.
  [[nodiscard]] std::optional<std::size_t> open_comment() const { return open_comment_; }

 private:
  static bool is_choice(std::string_view line) {
    if (!line.starts_with('#')) return false;
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    return line.starts_with("if") || line.starts_with("el") || line.starts_with("endif") || line.starts_with("include");
  }
  [[nodiscard]] std::string_view rest_of_line() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  [[nodiscard]] bool at_text(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_blank() {
    while (at_ < text_.size()) {
      const bool line_begins = at_ == 0 || text_[at_ - 1] == '\n';
      if (line_begins && is_choice(rest_of_line())) return;
      if (at_text("//") || (line_begins && text_[at_] == '#')) {
        at_ += rest_of_line().size();
      } else if (at_text("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) open_comment_ = at_;
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (std::string_view(" \t\r\n\v\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::size_t> open_comment_;
};

/// Bytes of an element by the words of its type; nothing for words that are not types of whole numbers.
std::optional<unsigned> element_bytes(std::string_view word) {
  struct Row {
    std::string_view word;
    unsigned bytes;
  };
  static constexpr std::array rows = std::to_array<Row>({
      {"char", 1},     {"uint8_t", 1}, {"int8_t", 1},   {"u8", 1},      {"__u8", 1},     {"byte", 1},
      {"BYTE", 1},     {"GLubyte", 1}, {"uchar", 1},    {"short", 2},   {"uint16_t", 2}, {"int16_t", 2},
      {"u16", 2},      {"__u16", 2},   {"ushort", 2},   {"WORD", 2},    {"int", 4},      {"unsigned", 4},
      {"uint32_t", 4}, {"int32_t", 4}, {"u32", 4},      {"__u32", 4},   {"uint", 4},     {"GLuint", 4},
      {"DWORD", 4},    {"long", 8},    {"uint64_t", 8}, {"int64_t", 8}, {"u64", 8},      {"__u64", 8},
  });
  for (const Row& row : rows)
    if (row.word == word) return row.bytes;
  return std::nullopt;
}

bool is_number_macro(std::string_view word) {
  return word.ends_with("_C") && (word.starts_with("UINT") || word.starts_with("INT"));
}

/// What makes a number of another one beside it, and does not change it: "UINT32_C(0x10)", "(uint32_t)0x10".
bool is_around_number(std::string_view word) {
  return word == "(" || word == ")" || word == "const" || is_number_macro(word) || element_bytes(word);
}

/// A declaration up to the "{" of its values.
struct Declaration {
  std::string_view name;   ///< of the variable
  unsigned bytes = 0;      ///< of an element; 0: no known type
  unsigned longs = 0;      ///< how often its type says long
  bool array = false;      ///< a "[" or a "<" belongs to it
  bool named = false;      ///< its "[" has come: no later word is the name
  bool in_angles = false;  ///< between the "<" and the ">" of a template
  bool of_c = false;       ///< its type is none of GLSL
  /// Elements, the product of the numbers in brackets; nothing where one of them is left out or no plain number.
  std::optional<std::uint64_t> size = 1;
  bool size_said = false;
};

/// A number as C writes it, whatever letters end it.
std::optional<std::uint64_t> c_number(std::string_view token) {
  while (!token.empty() && std::string_view("uUlL").find(token.back()) != std::string_view::npos)
    token.remove_suffix(1);
  unsigned base = 10;
  if (token.starts_with("0x") || token.starts_with("0X")) {
    base = 16;
    token.remove_prefix(2);
  } else if (token.starts_with("0b") || token.starts_with("0B")) {
    base = 2;
    token.remove_prefix(2);
  } else if (token.size() > 1 && token.front() == '0') {
    base = 8;
  }
  if (token.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : token) {
    const int digit = hex_digit(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) return std::nullopt;
    if (value > (UINT64_MAX - static_cast<unsigned>(digit)) / base) return std::nullopt;
    value = value * base + static_cast<unsigned>(digit);
  }
  return value;
}

/// Walks declarations. After next() returned true the tokens stand at the first value of an array.
class Declarations {
 public:
  explicit Declarations(std::string_view text) : tokens_(text) {}

  bool next() {
    // "uint32_t a[1] = {1}, b[1] = {2};": the type is said once.
    declaration_ =
        token_ == "," ? Declaration{.bytes = declaration_.bytes, .longs = declaration_.longs} : Declaration();
    for (std::string_view token = take(); !token.empty(); token = take()) {
      if (token[0] == '#') continue;  // which array is compiled: all are shown
      if (token == ";" || token == "}") {
        declaration_ = {};
      } else if (token == "[" || (token == "," && declaration_.in_angles)) {
        declaration_.array = true;
        declaration_.named = declaration_.named || token == "[";
        read_size();
      } else if (token == "," && declaration_.array) {
        declaration_.size.reset();  // of arrays in an array
      } else if (token == "<" || token == ">") {
        declaration_.array = true;
        declaration_.in_angles = token == "<";
      } else if (token == "{") {
        first_ = take();
        for (; first_ == "{"; first_ = take()) ++depth_;
        const bool cast = first_ == "(";
        if (cast) first_ = take();
        const bool number = !first_.empty() && (first_ == "-" || (first_[0] >= '0' && first_[0] <= '9') ||
                                                is_number_macro(first_) || (cast && element_bytes(first_).has_value()));
        if (declaration_.array && declaration_.bytes != 0 && number) return true;
        declaration_ = {};
        depth_ = 0;
      } else if (const auto bytes = element_bytes(token)) {
        // "unsigned char" and "unsigned long" are what their second word says.
        declaration_.bytes = declaration_.bytes == 0 || token != "int" ? *bytes : declaration_.bytes;
        declaration_.longs += token == "long" ? 1 : 0;
        declaration_.of_c = declaration_.of_c || (token != "int" && token != "uint");
      } else if (!declaration_.named && is_name_character(token[0]) && !(token[0] >= '0' && token[0] <= '9')) {
        declaration_.name = token;
      }
    }
    return false;
  }
  [[nodiscard]] const Declaration& declaration() const { return declaration_; }

  /// The values up to the "}" that closes the array: calls `visit` with each token, and gives whether it is closed.
  template <class Visit>
  bool values(Visit visit) {
    std::size_t depth = depth_ + 1;
    depth_ = 0;
    for (std::string_view token = first_; !token.empty(); token = take()) {
      if (token == "{") {
        ++depth;
      } else if (token == "}") {
        if (--depth == 0) return true;
      } else if (token != "," && !visit(token)) {
        return true;
      }
    }
    return false;
  }
  /// What stands after the "}" of an array and cannot: more values. Empty if there is nothing wrong.
  std::string_view surplus() {
    std::string_view token = take();
    if (token == ",") {
      again_ = take();
      token = again_;
      token_ = ",";
    } else {
      again_ = token;
    }
    return !token.empty() && token[0] >= '0' && token[0] <= '9' ? token : std::string_view();
  }
  [[nodiscard]] std::optional<std::size_t> open_comment() const { return tokens_.open_comment(); }

 private:
  std::string_view take() {
    if (!again_.empty()) return token_ = std::exchange(again_, {});
    return token_ = tokens_.next();
  }
  /// The number after "[", or after the "," of std::array.
  void read_size() {
    const std::string_view number = take(), end = take();
    const auto size = c_number(number);
    const bool plain = size && (end == "]" || end == ">");
    declaration_.size_said = true;
    if (plain && declaration_.size && *size <= UINT32_MAX && *declaration_.size <= UINT32_MAX)
      *declaration_.size *= *size;
    else
      declaration_.size.reset();
    declaration_.in_angles = declaration_.in_angles && end != ">";
    // What is not a plain number ends at its bracket.
    for (std::string_view token = end; number != "]" && !token.empty() && token != "]" && token != ">" && token != "{";)
      token = take();
    if (number == "]") again_ = end;
  }

  CTokens tokens_;
  std::string_view token_, again_;  ///< the last one taken; one to be taken again
  Declaration declaration_;
  std::string_view first_;
  std::size_t depth_ = 0;
};

/// Calls report() where a variable "NAME_len", as xxd -i writes it, is not how many bytes the array NAME has.
template <class Report>
void hold_to_lengths(const std::vector<NumberedCode>& programs, std::string_view text, Report report) {
  constexpr std::string_view ending = "_len";
  const auto hold = [&](std::string_view variable, std::uint64_t length) {
    for (const NumberedCode& code : programs)
      if (code.name == variable.substr(0, variable.size() - ending.size()) && code.bytes.size() != length)
        report(variable, "FM065",
               quote(variable) + " is " + std::to_string(length) + ", and " + quote(code.name) + " has " +
                   counted(code.bytes.size(), "byte"),
               code.bytes.size() < length ? "is a part missing?" : "correct the number");
  };
  CTokens tokens(text);
  std::string_view name, sign;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (sign == "=" && name.ends_with(ending))
      if (const auto length = c_number(token)) hold(name, *length);
    name = std::exchange(sign, token);
  }
}

}  // namespace

bool is_array(std::string_view text) {
  text = text.substr(0, looked_at);
  return text.find('{') != std::string_view::npos && Declarations(text).next();
}

bool is_array_of_c(std::string_view text) {
  Declarations declarations(text.substr(0, looked_at));
  return declarations.next() && declarations.declaration().of_c;
}

Result<std::vector<NumberedCode>> read_arrays(std::string_view text, std::string_view file) {
  constexpr std::size_t error_limit = 20;
  std::vector<NumberedCode> programs;
  Diagnostics errors;
  const auto report = [&](std::string_view token, std::string code, std::string message, std::string hint) {
    errors.push_back(error_in_text(file, text, token, std::move(code), std::move(message), std::move(hint)));
    return errors.size() < error_limit;
  };
  Declarations declarations(text);
  while (errors.size() < error_limit && declarations.next()) {
    const Declaration declaration = declarations.declaration();
    NumberedCode& code = programs.emplace_back(NumberedCode{std::string(declaration.name), {}, {}, {}});
    const unsigned bytes = declaration.bytes;
    std::string_view minus;  // where a number comes next
    const bool closed = declarations.values([&](std::string_view token) {
      if (is_around_number(token)) return true;
      if (token == "-" && minus.empty()) {
        minus = token;
        return true;
      }
      const bool is_negative = !std::exchange(minus, {}).empty();
      const auto value = c_number(token);
      if (!value)
        return report(token, "FM001", quote(token) + " is not a whole number", "an array of code holds numbers");
      const std::uint64_t most =
          (is_negative ? std::uint64_t{1} << (8 * bytes - 1) : ~std::uint64_t{0} >> (64 - 8 * bytes));
      if (*value > most)
        return report(token, "FM062",
                      quote((is_negative ? "-" : "") + std::string(token)) + " does not fit in the " +
                          counted(bytes, "byte") + " of an element of " + quote(declaration.name),
                      "correct the number, or the type of the array");
      const std::uint64_t bits = is_negative ? ~*value + 1 : *value;
      for (unsigned i = 0; i < bytes; ++i) code.bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
      return true;
    });
    if (!closed) {
      if (!declarations.open_comment())
        report(declaration.name, "FM063", "the array " + quote(declaration.name) + " does not end", "end it with }");
      continue;
    }
    if (!minus.empty()) report(minus, "FM001", "no number follows this -", "an array of code holds numbers");
    if (const std::string_view surplus = declarations.surplus(); !surplus.empty())
      report(surplus, "FM064", "there are more numbers after the } of " + quote(declaration.name),
             "an array has one pair of { } around all of its values");
    if (declaration.longs == 1) {
      code.remarks.push_back(error_in_text(
          file, text, declaration.name, "FM066",
          "the elements of " + quote(declaration.name) + " are taken to have 8 bytes, as a long has on 64-bit Linux",
          "on Windows and 32-bit systems it has 4; uint32_t and uint64_t say which"));
      code.remarks.back().severity = Severity::warning;
    }
    const std::size_t elements = code.bytes.size() / bytes;
    if (declaration.array && declaration.size && declaration.size_said && *declaration.size != elements &&
        errors.empty())
      report(declaration.name, "FM065",
             quote(declaration.name) + " has " + std::to_string(*declaration.size) +
                 " elements by its declaration, and " + std::to_string(elements) + " values",
             *declaration.size > elements ? "is a part missing? write zeros where zeros are meant"
                                          : "correct the number in [ ], or leave it out");
  }
  if (declarations.open_comment())
    report(text.substr(*declarations.open_comment(), 2), "FM002", "comment is never closed", "end it with */");
  if (errors.empty()) hold_to_lengths(programs, text, report);
  if (!errors.empty()) return fail(std::move(errors));
  return programs;
}

}  // namespace mobula
