#include "formats/dump.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/quote.h"

namespace mobula {
namespace {

constexpr std::string_view spaces = " \t\r";
/// Repeated lines are one "*": what a few bytes of text may become.
constexpr std::size_t most_repeated = std::size_t{16} << 20;
/// Bytes of one line; xxd -c allows 256.
constexpr std::size_t most_in_line = 256;

/// How the digits of one number become bytes.
enum class Order : std::uint8_t { as_written, little_endian };
struct Numbers {
  unsigned digits = 0, base = 16, bytes = 1;
  Order order = Order::as_written;
  bool prefixed = false;
};

/// Digits of one byte in a group of bytes.
constexpr unsigned digits_of_byte(unsigned base) { return base == 2 ? 8 : 2; }

/// A line with an offset: "00000010: 4d42 5332", "0000010 041115", "0x7ff0 <code+16>: 0x12345678", "000020  *".
struct DumpLine {
  std::string_view all, offset, numbers;
  bool colon = false;
};

/// A hexadecimal number without its 0x; empty if it is none, or one of more digits than a line of xxd -b has.
std::string_view digits_of(std::string_view token) {
  if (token.starts_with("0x") || token.starts_with("0X")) token.remove_prefix(2);
  const bool hex = std::all_of(token.begin(), token.end(), [](char c) { return hex_digit(c) >= 0; });
  return hex && token.size() <= most_in_line * digits_of_byte(2) ? token : std::string_view();
}

std::string_view next_token(std::string_view text, std::size_t& at) {
  const std::size_t begin = std::min(text.find_first_not_of(spaces, at), text.size());
  at = std::min(text.find_first_of(spaces, begin), text.size());
  return text.substr(begin, at - begin);
}

std::optional<DumpLine> split_dump_line(std::string_view line) {
  DumpLine result{.all = line.substr(0, line.find_last_not_of(spaces) + 1)};
  std::size_t at = 0;
  result.offset = next_token(line, at);
  if (std::size_t symbol = at; result.offset.starts_with("0x") && next_token(line, symbol).starts_with('<')) {
    // gdb: the address, and where in a symbol that is.
    const std::size_t end = line.find(">:", at);
    if (end == std::string_view::npos) return std::nullopt;
    at = end + 2;
    result.colon = true;
  } else if (result.offset.ends_with(':')) {
    result.offset.remove_suffix(1);
    result.colon = true;
  }
  const std::size_t width = digits_of(result.offset).size();
  const std::size_t least = !result.colon ? 4 : result.offset.starts_with("0x") ? 1 : 2;
  if (width < least || width > 16) return std::nullopt;
  result.numbers = result.all.substr(std::min(at, result.all.size()));
  return result;
}

std::optional<std::uint64_t> offset_value(const DumpLine& line, unsigned base) {
  std::uint64_t value = 0;
  for (const char c : digits_of(line.offset)) {
    const auto next = static_cast<unsigned>(hex_digit(c));
    if (next >= base || value > UINT64_MAX >> 5) return std::nullopt;
    value = value * base + next;
  }
  return value;
}

/// What numbers of so many digits are, as the tools write them. Nothing: no tool writes such. `prefixed`: with 0x, as
/// gdb writes them.
std::optional<Numbers> numbers_of(unsigned digits, bool colon, bool prefixed) {
  if (digits == 2) return Numbers{2, 16, 1, Order::as_written, prefixed};
  if (!colon) {
    for (const Numbers& octal : {Numbers{3, 8, 1, Order::little_endian}, Numbers{6, 8, 2, Order::little_endian},
                                 Numbers{11, 8, 4, Order::little_endian}, Numbers{22, 8, 8, Order::little_endian}})
      if (digits == octal.digits) return octal;
  }
  if (digits % 2 != 0) return std::nullopt;
  // Groups of xxd are bytes as they lie in memory, words of all other tools are the machine's numbers; how xxd groups
  // them tells, and where that does not, the characters beside them.
  const bool words = prefixed || digits == 8 || digits == 16 || (digits == 4 && !colon);
  if (!words && !colon) return std::nullopt;
  return Numbers{digits, 16, digits / 2, words ? Order::little_endian : Order::as_written, prefixed};
}

/// Groups of bytes may be longer than any number of a machine: xxd -e -g 16 writes 32 digits.
void append_number(std::vector<std::uint8_t>& bytes, std::string_view digits, const Numbers& numbers) {
  const std::size_t begin = bytes.size(), width = numbers.base == 8 ? digits.size() : digits_of_byte(numbers.base);
  for (std::size_t at = 0; at + width <= digits.size(); at += width) {
    std::uint64_t value = 0;
    for (const char c : digits.substr(at, width)) value = value * numbers.base + static_cast<unsigned>(hex_digit(c));
    for (unsigned i = numbers.base == 8 ? numbers.bytes : 1; i-- > 0;)
      bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  if (numbers.order == Order::little_endian)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end());
}

/// The characters that tools print beside the bytes.
std::string printed(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
  return text;
}

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(spaces) + 1);
}

/// Whether what stands in the line from `begin` on are these bytes as characters; blanks at the end may be lost.
bool ends_with_characters(std::string_view line, std::size_t begin, std::span<const std::uint8_t> bytes) {
  std::string characters = printed(bytes);
  characters.resize(characters.find_last_not_of(' ') + 1);
  return !characters.empty() && line.ends_with(characters) && line.size() - characters.size() >= begin - bytes.size();
}

/// The bytes of a line's numbers, and where these end.
struct LineBytes {
  std::vector<std::uint8_t> bytes;
  std::size_t end = 0;
};

/// At most `most` bytes: what stands beside the numbers may look like one.
LineBytes read_numbers(std::string_view text, const Numbers& numbers, std::size_t most) {
  LineBytes read;
  auto& [bytes, end] = read;
  for (std::size_t at = 0; bytes.size() < most;) {
    const std::string_view token = next_token(text, at), digits = digits_of(token);
    // xxd ends in a group of fewer bytes, in either order.
    const bool last_of_group =
        !numbers.prefixed && numbers.base != 8 && digits.size() % digits_of_byte(numbers.base) == 0;
    if (digits.empty() || digits.size() > numbers.digits || (digits.size() != numbers.digits && !last_of_group)) break;
    if (std::any_of(digits.begin(), digits.end(), [&](char c) { return hex_digit(c) >= int(numbers.base); })) break;
    // After a gap may stand the characters of what came before it.
    const auto begin = static_cast<std::size_t>(token.data() - text.data());
    if (end != 0 && begin > end + 1 && ends_with_characters(text, begin, bytes)) break;
    append_number(bytes, digits, numbers);
    end = at;
    if (digits.size() != numbers.digits) break;
  }
  if (bytes.size() > most) bytes.resize(most);
  return read;
}
std::vector<std::uint8_t> line_bytes(std::string_view text, const Numbers& numbers, std::size_t most) {
  return read_numbers(text, numbers, most).bytes;
}

/// Whether what follows the numbers of a line is what tools print beside them: the bytes as characters, one for each,
/// or between signs.
bool is_beside_numbers(std::string_view rest, std::span<const std::uint8_t> bytes) {
  const std::size_t gap = std::min(rest.find_first_not_of(spaces), rest.size());
  rest.remove_prefix(gap);
  if (rest.empty() || rest.front() == '|' || rest.front() == '>') return true;
  // Blanks at their ends look like the gap, or are lost.
  const std::string characters = printed(bytes);
  const std::size_t begin = std::min(characters.find_first_not_of(' '), characters.size());
  const bool same = std::string_view(characters).substr(begin, characters.find_last_not_of(' ') + 1 - begin) == rest;
  return gap >= 2 && (same || rest.size() == bytes.size());
}

/// What somebody typed, after the prompt of a debugger or a shell: "(gdb) x/8xw $pc", "$ xxd a.bin", "me@host:~$ xxd".
bool is_prompt(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
  if (line.starts_with("(gdb)") || line.starts_with("(lldb)")) return true;
  const std::size_t sign = line.find_first_of("$#%");
  if (sign == std::string_view::npos || (sign + 1 < line.size() && line[sign + 1] != ' ')) return false;
  // The characters beside a dump's numbers follow a blank.
  const std::string_view before = line.substr(0, sign);
  return before.empty() || (before.find('@') != std::string_view::npos &&
                            (before.front() == '[' || before.find(' ') == std::string_view::npos));
}

/// The lines of a text that are not blank, and not what somebody typed at a prompt.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  /// Empty at the end.
  std::string_view next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (line.find_first_not_of(spaces) != std::string_view::npos && !is_prompt(line)) return line;
    }
    return {};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_star(std::string_view text) {
  std::size_t at = 0;
  return next_token(text, at) == "*" && next_token(text, at).empty();
}

/// What the first two lines tell of a dump: its numbers, and the base of its offsets.
struct DumpShape {
  Numbers numbers;
  unsigned base = 16;
};

/// Whether the first line holds as many bytes as the offsets of both say.
bool fits(const DumpLine& first, const DumpLine& second, const Numbers& numbers, std::size_t bytes) {
  // Words may end in the middle of one, if the second line is the offset of the end.
  if (numbers.order == Order::little_endian && bytes % numbers.bytes != 0 && !second.numbers.empty()) return false;
  if (first.colon) return line_bytes(first.numbers, numbers, bytes).size() == bytes;
  // A column of words is the offsets of the others only where lines are as long as tools make them.
  const bool as_wide = digits_of(first.offset).size() == numbers.digits;
  if (as_wide && (bytes & (bytes - 1)) != 0) return false;
  const std::size_t held = line_bytes(first.numbers, numbers, most_in_line).size();
  return held == bytes || (second.numbers.empty() && held > bytes && held - bytes < numbers.bytes);
}

/// Whether the line alone tells that a tool wrote it: by characters beside the bytes, or by gdb's prefixes.
bool looks_like_tool(const DumpLine& line, const Numbers& numbers) {
  const auto [bytes, end] = read_numbers(line.numbers, numbers, most_in_line);
  const std::string_view rest = line.numbers.substr(end);
  const bool characters = rest.find_first_not_of(spaces) != std::string_view::npos && is_beside_numbers(rest, bytes);
  return !bytes.empty() && (characters || (line.offset.starts_with("0x") && numbers.prefixed));
}

/// od's characters, ">BMS2<" without the signs, where a line ends with some.
std::optional<std::string_view> between_signs(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(spaces) + 1);
  const std::size_t begin = line.find("  >");
  if (begin == std::string_view::npos || !line.ends_with('<') || line.size() < begin + 4) return std::nullopt;
  return line.substr(begin + 3, line.size() - begin - 4);
}

/// The order of bytes in a number that the characters beside them tell, on the first line where these differ. Where no
/// line has those of either order, they are of another set (xxd -E), and only xxd writes such.
std::optional<Order> order_by_characters(std::string_view text, Numbers numbers) {
  Lines lines(text);
  bool of_other_set = false;
  for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
    const auto signs = between_signs(line);
    // A line of od -A n begins with a blank and its numbers, of which the first could be an offset.
    const auto split = signs && line.starts_with(' ') ? std::nullopt : split_dump_line(line);
    if (!split && !signs) continue;
    const std::string_view all = split ? split->all : line, beside = split ? split->numbers : line;
    const auto fits_order = [&](Order order) {
      numbers.order = order;
      const std::string characters = printed(line_bytes(beside, numbers, most_in_line));
      // A blank at the end may be lost, and one at the start looks like the gap.
      return signs ? *signs == characters : all.ends_with(without_blanks_at_end(characters));
    };
    const bool tells = fits_order(Order::as_written), tells_other = fits_order(Order::little_endian);
    if (tells != tells_other) return tells ? Order::as_written : Order::little_endian;
    if (!tells && all.find_first_not_of("0123456789abcdefABCDEFxX: \t\r") == std::string_view::npos)
      return std::nullopt;  // there are no characters
    of_other_set = of_other_set || (!tells && split && split->colon && looks_like_tool(*split, numbers));
  }
  return of_other_set ? std::optional(Order::as_written) : std::nullopt;
}

/// Groups of eight digits of 0 and 1 for each byte, as xxd -b writes them, and not hexadecimal words of such digits:
/// the offset of the second line, or the characters, tell.
std::optional<Numbers> groups_of_bits(const DumpLine& first, const std::optional<DumpLine>& second) {
  std::size_t at = 0;
  const std::string_view token = next_token(first.numbers, at);
  const auto digits = static_cast<unsigned>(token.size());
  if (!first.colon || digits % digits_of_byte(2) != 0 || digits_of(token).empty() ||
      token.find_first_not_of("01") != std::string_view::npos)
    return std::nullopt;
  const Numbers bits{digits, 2, digits / digits_of_byte(2)};
  const auto begin = offset_value(first, 16), end = second ? offset_value(*second, 16) : std::nullopt;
  const std::size_t most =
      begin && end && *end > *begin ? std::min(*end - *begin, std::uint64_t{most_in_line}) : most_in_line;
  const std::vector<std::uint8_t> bytes = line_bytes(first.numbers, bits, most);
  const bool tells = (begin && end && *end - *begin == bytes.size()) || first.all.ends_with(printed(bytes));
  return tells ? std::optional(bits) : std::nullopt;
}

/// od's line without an offset and with characters: " 32534d42  >BMS2<", and the numbers of it. Any other line as it
/// is.
std::string_view without_characters(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(spaces) + 1);
  const std::size_t characters = line.find("  >");
  return line.starts_with(' ') && line.ends_with('<') ? line.substr(0, characters) : line;
}

std::optional<DumpShape> shape_of_first_lines(std::string_view text) {
  Lines lines(text);
  const std::string_view line = lines.next();
  const auto first = split_dump_line(line);
  if (!first || without_characters(line).size() < first->all.size()) return std::nullopt;
  std::size_t at = 0;
  const std::string_view token = next_token(first->numbers, at), number = digits_of(token);
  const auto numbers = numbers_of(static_cast<unsigned>(number.size()), first->colon, number.size() != token.size());
  if (number.empty() || !numbers) return std::nullopt;
  DumpShape shape{.numbers = *numbers};
  const std::string_view following = lines.next();
  const auto second = split_dump_line(following);
  if (const auto bits = groups_of_bits(*first, second)) return DumpShape{.numbers = *bits};
  if (numbers->bytes >= 2 && !numbers->prefixed)
    shape.numbers.order = order_by_characters(text, *numbers).value_or(numbers->order);
  const bool shows_widths = first->colon || digits_of(first->offset).size() != number.size();
  if (following.empty() || is_star(following) || (second && is_star(second->numbers))) {
    const bool begins = offset_value(*first, 16) == 0u || looks_like_tool(*first, shape.numbers);
    if (!shows_widths || !begins) return std::nullopt;
    shape.base = shape.numbers.base == 8 ? 8 : 16;
    return shape;
  }
  if (!second) return std::nullopt;
  // Only od counts in eights, and it writes neither a colon nor bars.
  const bool octal = !first->colon && !first->all.ends_with('|');
  const auto third = split_dump_line(lines.next());
  std::optional<DumpShape> likely;
  for (const unsigned base : {16u, 10u, 8u}) {  // the longest lines first
    if (base == 8 && !octal) continue;
    const auto begin = offset_value(*first, base), end = offset_value(*second, base);
    if (!begin || !end || *end <= *begin || *end - *begin > most_in_line) continue;
    shape.base = base;
    if (!fits(*first, *second, shape.numbers, static_cast<std::size_t>(*end - *begin))) continue;
    const auto next = third ? offset_value(*third, base) : std::nullopt;
    if (!third || (next > end && *next - *end <= *end - *begin)) return shape;
    if (!likely) likely = shape;
  }
  if (likely) return likely;
  // Both lines are of a dump, and not neighbours: the reader says so.
  shape.base = 16;
  return looks_like_tool(*first, shape.numbers) && looks_like_tool(*second, shape.numbers) ? std::optional(shape)
                                                                                           : std::nullopt;
}

/// What the first lines tell; where the very first is damaged, those below it, if they begin where it would have ended.
std::optional<DumpShape> dump_shape(std::string_view text) {
  if (const auto shape = shape_of_first_lines(text)) return shape;
  const std::size_t end_of_line = text.find('\n');
  if (end_of_line == std::string_view::npos) return std::nullopt;
  const std::string_view below = text.substr(end_of_line + 1);
  const auto shape = shape_of_first_lines(below);
  if (!shape) return std::nullopt;
  Lines lines(below);
  const auto next_offset = [&]() -> std::uint64_t {
    const auto line = split_dump_line(lines.next());
    return line ? offset_value(*line, shape->base).value_or(0) : 0;
  };
  const std::uint64_t second = next_offset(), third = next_offset();
  return second != 0 && third == 2 * second ? shape : std::nullopt;
}

/// Puts the lines of a dump together.
class DumpReader {
 public:
  DumpReader(std::string_view text, std::string_view file, DumpShape shape) : text_(text), file_(file), shape_(shape) {}

  Result<std::vector<std::uint8_t>> read() {
    Lines lines(text_);
    std::string_view line = lines.next();
    while (!line.empty() && !problem_) {
      const std::string_view following = lines.next();
      take(line, following);
      line = following;
    }
    if (repeated_ && !problem_) problem_ = repeated_without_offset(file_, text_, star_);
    if (problem_) return fail(std::move(*problem_));
    return std::move(bytes_);
  }

 private:
  void take(std::string_view line, std::string_view following) {
    if (is_star(line)) return repeat(line);
    const auto split = split_dump_line(line);
    const auto offset = split ? offset_value(*split, shape_.base) : std::nullopt;
    if (!offset) return report("FM060", line, "this is not a line of the dump", "give the dump alone");
    if (!first_) first_ = offset;
    if (!settle(*split, *offset)) return;
    if (split->numbers.find_first_not_of(spaces) == std::string_view::npos) return;  // the end
    if (is_star(split->numbers)) {  // Mesa's dumps: nothing but zeros from here on
      last_.assign(16, 0);
      return repeat(split->numbers);
    }
    auto [bytes, end] = read_numbers(split->numbers, shape_.numbers, room(*offset, following));
    if (bytes.empty())
      return report("FM060", split->numbers, "there are no numbers like those before on this line",
                    "give the dump alone");
    const std::string_view rest = split->numbers.substr(end);
    if (!is_beside_numbers(rest, bytes)) {
      std::size_t at = 0;
      const std::string_view token = next_token(rest, at);
      return report("FM060", token, quote(token) + " is not a number like those before",
                    "is the line damaged? a dump is read only if all of it can be");
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    last_ = std::move(bytes);
  }

  void repeat(std::string_view line) {
    repeated_ = true;
    star_ = line.substr(line.find('*'), 1);
  }

  /// Bytes that this line can hold: up to the offset of the next one, or as many as the last one held.
  [[nodiscard]] std::size_t room(std::uint64_t offset, std::string_view following) const {
    if (const auto next = following.empty() ? std::nullopt : split_dump_line(following)) {
      const auto end = offset_value(*next, shape_.base);
      if (end && *end > offset && *end - offset <= most_in_line) return static_cast<std::size_t>(*end - offset);
    }
    return last_.empty() ? most_in_line : last_.size();
  }

  /// Fills what a "*" left out, and takes back what rounds up to a word, so that the next byte is at `offset`.
  bool settle(const DumpLine& line, std::uint64_t offset) {
    const std::uint64_t due = *first_ + bytes_.size();
    if (repeated_ && offset > due && !last_.empty()) {
      if (offset - due > most_repeated - std::min(most_repeated, bytes_.size())) {
        report("FM061", line.offset, "the lines that are left out here are more than 16 MiB",
               "give the bytes themselves");
        return false;
      }
      for (std::uint64_t i = 0; i < offset - due; ++i) bytes_.push_back(last_[i % last_.size()]);
    } else if (offset != due) {
      const bool gap = offset > due;
      const std::uint64_t bytes = gap ? offset - due : due - offset;
      report("FM007", line.offset,
             "offset " + std::string(line.offset.substr(0, 20)) + " is not the next one: " + std::to_string(bytes) +
                 (gap ? " bytes are missing before it" : " bytes are there twice, or the lines are in another order"),
             "give one dump, all of its lines in their order");
      return false;
    }
    repeated_ = false;
    return true;
  }

  void report(std::string code, std::string_view at, std::string message, std::string hint) {
    problem_ = error_in_text(file_, text_, at, std::move(code), std::move(message), std::move(hint));
  }

  std::string_view text_, file_;
  DumpShape shape_;
  std::vector<std::uint8_t> bytes_, last_;
  std::optional<std::uint64_t> first_;
  bool repeated_ = false;
  std::string_view star_;  ///< the last one
  std::optional<Diagnostic> problem_;
};

// ------------------------------------------------------------------------------------------------ no offsets

/// Digits without a gap, of which a line holds as many as the one before: what xxd -p writes. Those of the first line,
/// and how many lines there are; nothing of any other text.
struct Unspaced {
  std::string_view first;
  std::size_t lines = 0;
};
std::optional<Unspaced> unspaced(std::string_view text) {
  Lines lines(text);
  Unspaced found;
  std::size_t last = 0;
  for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
    std::size_t at = 0;
    const std::string_view token = next_token(line, at);
    const bool hex = std::all_of(token.begin(), token.end(), [](char c) { return hex_digit(c) >= 0; });
    if (!hex || token.size() % 2 != 0 || !next_token(line, at).empty()) return std::nullopt;
    if (found.lines++ == 0) found.first = token;
    if (found.lines > 1 && (last != found.first.size() || token.size() > last)) return std::nullopt;
    last = token.size();
  }
  return found;
}

/// Eight digits are a word, sixteen may be one, and 22 after a blank are an octal one (od -A n -t o8 -w8).
bool is_unspaced(std::string_view text) {
  const auto found = unspaced(text);
  const std::size_t width = found ? found->first.size() : 0;
  const bool octal =
      width == 22 && text.starts_with(' ') && text.find_first_not_of("01234567 \t\r\n") == std::string_view::npos;
  return width > 8 && width != 16 && !octal;
}

/// The numbers that od writes without offsets (-A n), where their digits tell what they are. Its lines begin with a
/// blank. Two digits and eight are read as everywhere; four may be in either order.
std::optional<Numbers> bare_numbers(std::string_view text) {
  if (is_unspaced(text)) return Numbers{0, 16, 0, Order::as_written};
  Lines lines(text);
  const std::string_view line = lines.next(), first = without_characters(line);
  std::size_t at = 0;
  const std::string_view token = next_token(first, at);
  if (!first.starts_with(' ')) return std::nullopt;
  Numbers numbers{16, 16, 8, Order::little_endian};
  if (first.size() < line.size() && numbers_of(static_cast<unsigned>(token.size()), false, false)) {
    numbers = *numbers_of(static_cast<unsigned>(token.size()), false, false);
    if (numbers.bytes >= 2) numbers.order = order_by_characters(text, numbers).value_or(numbers.order);
  } else if (token.size() != 16 || next_token(first, at).empty()) {
    const auto octal = numbers_of(static_cast<unsigned>(token.size()), false, false);
    if (!octal || octal->base != 8) return std::nullopt;
    numbers = *octal;
  }
  return read_numbers(first, numbers, most_in_line).end == first.find_last_not_of(spaces) + 1 ? std::optional(numbers)
                                                                                              : std::nullopt;
}

Result<std::vector<std::uint8_t>> read_bare(std::string_view text, std::string_view file, const Numbers& numbers) {
  std::vector<std::uint8_t> bytes;
  Lines lines(text);
  for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
    if (is_star(line)) return fail(repeated_without_offset(file, text, line.substr(line.find('*'), 1)));
    const std::string_view written = without_characters(line);
    const std::size_t begin = bytes.size();
    for (std::size_t at = 0;;) {
      const std::string_view token = next_token(written, at);
      if (token.empty()) break;
      const Numbers whole = numbers.digits != 0 ? numbers : Numbers{static_cast<unsigned>(token.size())};
      const bool octal = whole.base != 8 || token.find_first_not_of("01234567") == std::string_view::npos;
      if (token.size() != whole.digits || digits_of(token.substr(0, 64)).empty() || !octal)
        return fail(error_in_text(file, text, token, "FM060", quote(token) + " is not a number like those before",
                                  "is the line damaged? a dump is read only if all of it can be"));
      append_number(bytes, token, whole);
    }
    // The last number is filled up with zeros; the characters beside it are not.
    const std::size_t added = bytes.size() - begin;
    if (const auto signs = between_signs(line); signs && signs->size() < added && added - signs->size() < numbers.bytes)
      bytes.resize(begin + signs->size());
  }
  return bytes;
}

// ------------------------------------------------------------------------------------------------ logs

/// A line of a driver's log: "NNN: wwwwwwww wwwwwwww wwwwwwww wwwwwwww", NNN the decimal number of the instruction.
struct LogLine {
  std::string_view index_text;
  std::uint64_t index = 0;
  std::vector<std::uint8_t> bytes;
};

std::optional<LogLine> parse_log_line(std::string_view line) {
  const auto split = split_dump_line(line);
  if (!split || !split->colon || split->offset.starts_with("0x")) return std::nullopt;
  const auto index = offset_value(*split, 10);
  if (!index) return std::nullopt;
  LogLine log{split->offset, *index, {}};
  std::size_t at = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::string_view token = next_token(split->numbers, at), digits = digits_of(token);
    if (digits.size() != 8) return std::nullopt;
    append_number(log.bytes, digits, {8, 16, 4, Order::little_endian});
  }
  if (!next_token(split->numbers, at).empty()) return std::nullopt;
  return log;
}

/// What LIMA_DEBUG=gp writes before the instructions of a program; before those of a fragment shader it is another
/// line.
constexpr std::string_view heading_of_log = "========codegen========";

/// A line before a dump, which says what it is of: Mesa's, and objdump's.
struct Heading {
  std::string_view words;
  std::string_view machine;        ///< registry name, where the heading tells
  std::optional<Numbers> numbers;  ///< that always stand below it, whatever their lines look like
};
constexpr std::array<Heading, 2> headings{
    {{"shader binary", "rogue", {}}, {"Contents of section ", {}, Numbers{8, 16, 4, Order::as_written}}}};

/// The heading that a line is, or nullptr.
const Heading* find_heading(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
  for (const Heading& each : headings)
    if (line.starts_with(each.words)) return &each;
  return nullptr;
}

/// The part of such a line after its words, without its colon.
std::string heading_name(std::string_view line, const Heading& heading) {
  std::string_view name = line.substr(line.find(heading.words) + heading.words.size());
  name = name.substr(0, name.find(':'));
  return std::string(name.substr(std::min(name.find_first_not_of(spaces), name.size())));
}

/// Of the dump that begins with this line, below a heading.
std::optional<DumpShape> shape_below(const Heading& heading, std::string_view line) {
  if (!heading.numbers) return dump_shape(line);
  const auto split = split_dump_line(line);
  return split && !split->colon ? std::optional(DumpShape{.numbers = *heading.numbers}) : std::nullopt;
}

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Diagnostic error_in_text(std::string_view file, std::string_view text, std::string_view token, std::string code,
                         std::string message, std::string hint) {
  const auto offset = static_cast<std::size_t>(token.data() - text.data());
  const std::string_view before = text.substr(0, offset);
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t line_begin = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  const std::string_view line = text.substr(line_begin, std::min(text.find('\n', offset), text.size()) - line_begin);
  Location where{.file = std::string(file),
                 .line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
                 .column = static_cast<std::uint32_t>(offset - line_begin + 1),
                 .length = static_cast<std::uint32_t>(token.size())};
  // A caret line is for people; a line of megabytes is not.
  if (line.size() <= 400) where.source_line = line;
  return {Severity::error, std::move(code), std::move(where), std::move(message), std::move(hint)};
}

Diagnostic repeated_without_offset(std::string_view file, std::string_view text, std::string_view star) {
  return error_in_text(file, text, star, "FM061", "* stands for lines like the one before, and nothing says how many",
                       "od -v and hexdump -v write all of them; with offsets, the next one says how many");
}

std::string_view first_of_words_on_lines(std::string_view text) {
  const auto found = unspaced(text);
  const bool either = found && found->first.size() == 8 && found->lines > 1 && !text.starts_with(' ');
  return either ? found->first : std::string_view();
}

bool is_dump(std::string_view text) { return dump_shape(text) || bare_numbers(text); }

Result<std::vector<std::uint8_t>> read_dump(std::string_view text, std::string_view file) {
  const auto shape = dump_shape(text);
  if (!shape)
    if (const auto numbers = bare_numbers(text)) return read_bare(text, file, *numbers);
  if (!shape) return fail("FM060", "this is not a dump of bytes with their offsets");
  return DumpReader(text, file, *shape).read();
}

bool is_log(std::string_view text) {
  const Heading* heading = nullptr;
  Lines lines(text);
  for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
    if (parse_log_line(line)) return true;
    if (const Heading* const found = find_heading(line)) heading = found;
    if (heading != nullptr && shape_below(*heading, line)) return true;
  }
  return false;
}

Result<std::vector<NumberedCode>> read_log(std::string_view text, std::string_view file) {
  std::vector<NumberedCode> programs;
  std::uint64_t expected = 0;        // number of the next instruction
  const Heading* heading = nullptr;  // of the dump that is to come
  std::string name, machine_of_log;
  Lines lines(text);
  std::string_view line = lines.next();
  while (!line.empty()) {
    if (const auto log = parse_log_line(line)) {
      if (log->index == 0) {
        programs.emplace_back().machine = std::exchange(machine_of_log, {});
        expected = 0;
      }
      if (log->index != expected)
        return fail(error_in_text(
            file, text, log->index_text, "FM007",
            "instruction " + std::string(log->index_text) + " where number " + std::to_string(expected) + " is due",
            "give the log of whole programs, each instruction in its place"));
      ++expected;
      programs.back().bytes.insert(programs.back().bytes.end(), log->bytes.begin(), log->bytes.end());
    } else if (line.starts_with(heading_of_log)) {
      machine_of_log = "utgard-gp";
    } else if (const Heading* const found = find_heading(line)) {
      heading = found;
      name = heading_name(line, *found);
    } else if (const auto shape = heading != nullptr ? shape_below(*heading, line) : std::nullopt) {
      // The dump ends where its lines do.
      const char* const begin = line.data();
      const char* end = line.data() + line.size();
      for (line = lines.next(); !line.empty() && (is_star(line) || split_dump_line(line)); line = lines.next())
        end = line.data() + line.size();
      const std::string_view dump(begin, static_cast<std::size_t>(end - begin));
      auto bytes = DumpReader(dump, {}, *shape).read();
      if (!bytes) {
        for (Diagnostic& each : bytes.error()) {
          each.where.file = file;
          each.where.line += static_cast<std::uint32_t>(std::count(text.data(), begin, '\n'));
        }
        return fail(std::move(bytes).error());
      }
      programs.push_back({std::exchange(name, {}), std::string(heading->machine), std::move(*bytes), {}});
      heading = nullptr;
      continue;
    }
    line = lines.next();
  }
  return programs;
}

}  // namespace mobula
