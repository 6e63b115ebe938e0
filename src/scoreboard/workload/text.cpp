// The text form of workloads (§9.5): one operation a line.
//
//   line      = [operation | "reg" REGISTER "=" NUMBER] ["#" anything]
//   operation = [ID] (CLASS | FUNCTION) {field}
//   field     = "w" N | "L" N | "II" N | "d=" operands | "s=" operands | "f=" FUNCTION | "imm=" NUMBER
//             | "mem=" ADDRESS "+" BYTES | "br=taken" | "br=not" | "predicted=right" | "predicted=wrong"
//             | "if=ok" | "if=not_ok" | "trap=may" | "trap=takes" | "g=" N | "at=" N
//   operands  = REGISTER ["[" FIRST ":" END ")"] {"," ...}        REGISTER = letter and number, "F12"
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "core/counted.h"
#include "core/source.h"
#include "scoreboard/workload/workload.h"

namespace mobula::scoreboard {
namespace {

template <class Value>
std::optional<Value> word_of(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (name(static_cast<Value>(i)) == word) return static_cast<Value>(i);
  return std::nullopt;
}

/// Decimal, or hexadecimal after 0x.
std::optional<std::uint64_t> number_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool compares(const Operation& op) { return op.unit == UnitClass::branch && op.function >= Function::bgt; }
constexpr std::string_view outcome_is_compared = "br= of a branch that compares, whose outcome is what it finds";

class Parser {
 public:
  Parser(std::string_view file, std::string_view text) : source_(file, text) { workload_.name = file; }

  Result<Workload> parse() {
    for (std::size_t i = 0; i < source_.line_count() && problems_.size() < most_problems; ++i) parse_line(i);
    if (!problems_.empty()) return fail(std::move(problems_));
    return std::move(workload_);
  }

 private:
  struct Word {
    std::string_view text;
    std::uint32_t offset = 0;
  };

  void complain(const char* code, Word where, std::string message, std::string hint = {}) {
    problems_.push_back({Severity::error, code,
                         source_.locate({where.offset, static_cast<std::uint32_t>(where.text.size())}),
                         std::move(message), std::move(hint)});
  }

  /// The next word of the rest of a line, which is shortened by it; empty at the end.
  static Word take_word(Word& rest) {
    const auto is_blank = [&](std::size_t at) { return rest.text[at] == ' ' || rest.text[at] == '\t'; };
    std::size_t begin = 0;
    while (begin < rest.text.size() && is_blank(begin)) ++begin;
    std::size_t end = begin;
    while (end < rest.text.size() && !is_blank(end)) ++end;
    const Word word{rest.text.substr(begin, end - begin), rest.offset + static_cast<std::uint32_t>(begin)};
    rest = {rest.text.substr(end), rest.offset + static_cast<std::uint32_t>(end)};
    return word;
  }

  void parse_line(std::size_t index) {
    outcome_.reset();
    std::string_view line = source_.line(index);
    line = line.substr(0, line.find('#'));
    Word rest{line, source_.line_offset(index)};
    Word word = take_word(rest);
    if (word.text.empty()) return;
    if (word.text == "reg") return parse_register(rest);
    Operation op;
    op.id = static_cast<std::uint32_t>(workload_.operations.size());
    if (const auto id = number_of(word.text)) {
      if (*id > std::numeric_limits<std::uint32_t>::max())
        return complain("SB102", word, "the id has more than 32 bits");
      op.id = static_cast<std::uint32_t>(*id);
      word = take_word(rest);
    }
    if (!parse_kind(word, op)) return;
    const std::size_t problems = problems_.size();
    while (problems_.size() < most_problems && !(word = take_word(rest)).text.empty()) parse_field(word, op);
    if (problems_.size() == problems) check(Word{line, source_.line_offset(index)}, op);
  }

  bool parse_kind(Word word, Operation& op) {
    if (const auto unit = word_of<UnitClass>(word.text, unit_class_count)) {
      op.unit = *unit;
      if (*unit == UnitClass::mul) op.function = Function::mul;
      return true;
    }
    if (const auto function = word_of<Function>(word.text, function_count)) {
      op.function = *function;
      op.unit = class_of(*function);
      return true;
    }
    complain("SB103", word, "\"" + std::string(word.text) + "\" is neither a class of units nor a function",
             "classes: int fp mul div ld st br special; functions: mix add sub mul shr and or xor mov bgt blt beq bne");
    return false;
  }

  void parse_register(Word rest) {
    const std::size_t equals = rest.text.find('=');
    if (equals == std::string_view::npos) return complain("SB104", rest, "no value for the register", "reg I1 = 34");
    Word left{rest.text.substr(0, equals), rest.offset};
    Word right{rest.text.substr(equals + 1), rest.offset + static_cast<std::uint32_t>(equals + 1)};
    const Word which = take_word(left), value = take_word(right);
    const auto operand = parse_operand(which);
    if (!operand) return;
    const auto number = number_of(value.text);
    if (!number) return complain("SB104", value, "not a number of 64 bits", "reg I1 = 34");
    if (operand->bytes != RegisterBytes::whole || !take_word(left).text.empty() || !take_word(right).text.empty())
      return complain("SB104", which, "not a whole register and a number", "reg I1 = 34");
    workload_.registers.push_back({*operand, *number});
  }

  std::optional<RegisterBytes> parse_operand(Word word) {
    const auto bad = [&]() -> std::optional<RegisterBytes> {
      complain("SB105", word, "\"" + std::string(word.text) + "\" is not a register", "F12, or bytes of it: F12[0:4)");
      return std::nullopt;
    };
    std::string_view text = word.text;
    if (text.size() < 2 || text[0] < 'A' || text[0] > 'Z') return bad();
    RegisterBytes operand;
    operand.file = static_cast<std::uint8_t>(text[0] - 'A');
    operand.bytes = RegisterBytes::whole;
    const std::size_t bracket = text.find('[');
    const auto number = number_of(text.substr(1, bracket == std::string_view::npos ? bracket : bracket - 1));
    if (!number || *number > std::numeric_limits<std::uint16_t>::max()) return bad();
    operand.number = static_cast<std::uint16_t>(*number);
    if (bracket == std::string_view::npos) return operand;
    const std::size_t colon = text.find(':', bracket);
    if (colon == std::string_view::npos || text.back() != ')') return bad();
    const auto first = number_of(text.substr(bracket + 1, colon - bracket - 1));
    const auto end = number_of(text.substr(colon + 1, text.size() - colon - 2));
    if (!first || !end) return bad();
    const bool quad = *first == 0 && *end == RegisterBytes::quad;
    if ((*end > 8 && !quad) || *first >= *end) {
      complain(
          "SB106", word, "bytes [" + std::to_string(*first) + ":" + std::to_string(*end) + ") of a register",
          "first byte 0 to 7, end (which is not included) above it and up to 8; or [0:16) for a register and the next");
      return std::nullopt;
    }
    operand.first = static_cast<std::uint8_t>(*first);
    operand.bytes = static_cast<std::uint8_t>(*end - *first);
    return operand;
  }

  template <std::size_t N>
  void parse_operands(Word list, std::array<RegisterBytes, N>& operands) {
    std::size_t used = 0;
    for (std::size_t at = 0; at <= list.text.size();) {
      const std::size_t comma = std::min(list.text.find(',', at), list.text.size());
      const Word word{list.text.substr(at, comma - at), list.offset + static_cast<std::uint32_t>(at)};
      if (used == N) return complain("SB107", word, "more than " + std::to_string(N) + " operands");
      const auto operand = parse_operand(word);
      if (!operand) return;
      operands[used++] = *operand;
      at = comma + 1;
    }
  }

  /// A number of a field, within bounds.
  template <class Value>
  void parse_number(Word word, std::string_view text, std::uint64_t low, std::uint64_t high, Value& out) {
    const auto value = number_of(text);
    if (!value || *value < low || *value > high)
      return complain("SB108", word,
                      "\"" + std::string(word.text) + "\": not a number from " + std::to_string(low) + " to " +
                          std::to_string(high));
    out = static_cast<Value>(*value);
  }

  template <class Value>
  void parse_choice(Word word, std::string_view text, std::initializer_list<std::pair<std::string_view, Value>> choices,
                    Value& out) {
    std::string allowed;
    for (const auto& [choice, value] : choices) {
      if (choice == text) {
        out = value;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(choice);
    }
    complain("SB109", word, "\"" + std::string(text) + "\" is none of " + allowed);
  }

  void parse_field(Word word, Operation& op) {
    const std::size_t equals = word.text.find('=');
    if (equals == std::string_view::npos) return parse_short_field(word, op);
    const std::string_view key = word.text.substr(0, equals), value = word.text.substr(equals + 1);
    const Word value_word{value, word.offset + static_cast<std::uint32_t>(equals + 1)};
    constexpr std::uint64_t any32 = std::numeric_limits<std::uint32_t>::max();
    if (key == "d") return parse_operands(value_word, op.destinations);
    if (key == "s") return parse_operands(value_word, op.sources);
    if (key == "g") return parse_number(word, value, 0, any32, op.group);
    if (key == "at") return parse_number(word, value, 0, any32, op.location);
    if (key == "mem") return parse_memory(word, value, op);
    if (key == "br") {
      outcome_ = word;
      return parse_choice<bool>(value_word, value, {{"taken", true}, {"not", false}}, op.taken);
    }
    if (key == "predicted")
      return parse_choice<Prediction>(value_word, value, {{"right", Prediction::right}, {"wrong", Prediction::wrong}},
                                      op.prediction);
    if (key == "if")
      return parse_choice<Path>(value_word, value, {{"ok", Path::if_ok}, {"not_ok", Path::if_not_ok}}, op.path);
    if (key == "trap")
      return parse_choice<Trap>(value_word, value, {{"may", Trap::may}, {"takes", Trap::takes}}, op.trap);
    if (key == "imm") {
      op.has_immediate = true;
      return parse_number(word, value, 0, ~std::uint64_t{0}, op.immediate);
    }
    if (key == "f") {
      const auto function = word_of<Function>(value, function_count);
      if (!function) return complain("SB103", value_word, "\"" + std::string(value) + "\" is not a function");
      op.function = *function;
      return;
    }
    unknown_field(word);
  }

  void parse_short_field(Word word, Operation& op) {
    const std::string_view text = word.text;
    if (text.starts_with("II")) return parse_number(word, text.substr(2), 1, 10'000, op.interval);
    if (text.starts_with("L")) return parse_number(word, text.substr(1), 0, 10'000, op.latency);
    if (!text.starts_with("w")) return unknown_field(word);
    parse_number(word, text.substr(1), 1, 16, op.width);
    if ((op.width & (op.width - 1)) != 0) complain("SB108", word, "the width is 1, 2, 4, 8 or 16 bytes");
  }

  void unknown_field(Word word) {
    complain("SB110", word, "unknown field \"" + std::string(word.text) + "\"",
             "wN LN IIN d= s= f= imm= mem= br= predicted= if= trap= g= at=");
  }

  void parse_memory(Word word, std::string_view value, Operation& op) {
    const std::size_t plus = value.find('+');
    if (plus == std::string_view::npos) return complain("SB111", word, "not a number of bytes", "mem=0x100+4");
    parse_number(word, value.substr(0, plus), 0, ~std::uint64_t{0} - 8, op.address);
    parse_number(word, value.substr(plus + 1), 1, 16, op.memory_bytes);
  }

  void check(Word line, const Operation& op) {
    if (outcome_ && compares(op)) return complain("SB112", *outcome_, std::string(outcome_is_compared));
    if (std::optional<std::string> problem = inconsistency(op)) return complain("SB112", line, std::move(*problem));
    workload_.operations.push_back(op);
  }

  Source source_;
  Workload workload_;
  Diagnostics problems_;
  std::optional<Word> outcome_;  // br= of the line, whichever it says
};

}  // namespace

std::optional<std::string> inconsistency(const Operation& op) {
  const bool accesses = op.unit == UnitClass::load || op.unit == UnitClass::store;
  if (op.memory_bytes != 0 && !accesses) return "only ld and st have memory";
  if (op.memory_bytes == 16 && op.address > ~std::uint64_t{0} - 16) return "the access goes beyond all memory";
  if (op.memory_bytes > 8 && op.memory_bytes != 16) return "memory is accessed 1 to 8 or 16 bytes at once";
  const auto quad = [](const RegisterBytes& operand) { return operand.bytes == RegisterBytes::quad; };
  const bool quads = std::ranges::any_of(op.sources, quad) || std::ranges::any_of(op.destinations, quad);
  if (op.width != 0 && op.width != 16 && quads)
    return "an operand of 16 bytes, in an operation of " + std::to_string(op.width);
  if (op.memory_bytes != 0 && (op.memory_bytes == 16) != (quads || op.width == 16))
    return "a quad, and " + counted(op.memory_bytes, "byte") + " of memory, or the other way round";
  if (op.unit != UnitClass::branch && (op.taken || op.prediction != Prediction::none))
    return "only br is taken and predicted";
  if (op.taken && compares(op)) return std::string(outcome_is_compared);
  if (op.unit == UnitClass::branch && op.path != Path::always) return "a branch cannot be on one path of another";
  return std::nullopt;
}

Result<Workload> parse_workload(std::string_view file, std::string_view text) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max())
    return fail({Severity::error, "SB101", {.file = std::string(file)}, "the text is longer than 4 GiB", ""});
  return Parser(file, text).parse();
}

std::string print(const RegisterBytes& operand) {
  std::string text = static_cast<char>('A' + operand.file) + std::to_string(operand.number);
  if (operand.bytes != RegisterBytes::whole)
    text += "[" + std::to_string(operand.first) + ":" + std::to_string(operand.first + operand.bytes) + ")";
  return text;
}

std::string print(const Operation& op) {
  std::string text = std::to_string(op.id) + ' ' + std::string(name(op.unit));
  const auto add = [&](const char* key, const std::string& value) { text += std::string(" ") + key + value; };
  if (op.width != 0) add("w", std::to_string(op.width));
  if (op.latency != Operation::by_config) add("L", std::to_string(op.latency));
  if (op.interval != Operation::by_config) add("II", std::to_string(op.interval));
  const auto list = [&](const char* key, std::span<const RegisterBytes> operands) {
    std::string words;
    for (const RegisterBytes& operand : operands)
      if (operand.used()) words += (words.empty() ? "" : ",") + print(operand);
    if (!words.empty()) add(key, words);
  };
  list("d=", op.destinations);
  list("s=", op.sources);
  const Function usual = op.unit == UnitClass::mul ? Function::mul : Function::mix;
  if (op.function != usual) add("f=", std::string(name(op.function)));
  if (op.has_immediate) add("imm=", std::to_string(op.immediate));
  if (op.memory_bytes != 0) add("mem=", std::to_string(op.address) + '+' + std::to_string(op.memory_bytes));
  if (op.taken) add("br=", "taken");
  if (op.prediction != Prediction::none) add("predicted=", op.prediction == Prediction::right ? "right" : "wrong");
  if (op.path != Path::always) add("if=", op.path == Path::if_ok ? "ok" : "not_ok");
  if (op.trap != Trap::never) add("trap=", op.trap == Trap::may ? "may" : "takes");
  if (op.group != 0) add("g=", std::to_string(op.group));
  if (op.location != 0) add("at=", std::to_string(op.location));
  return text;
}

std::string print(const Workload& workload) {
  std::string text;
  for (const RegisterValue& initial : workload.registers)
    text += "reg " + print(initial.which) + " = " + std::to_string(initial.value) + '\n';
  for (const Operation& op : workload.operations) text += print(op) + '\n';
  return text;
}

}  // namespace mobula::scoreboard
