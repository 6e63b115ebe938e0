#include "mobula/lab/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "core/real.h"

namespace mobula {
namespace {

enum class Operator : std::uint8_t {
  // Of two values.
  logical_or,
  logical_and,
  bit_or,
  bit_xor,
  bit_and,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  shift_left,
  shift_right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  // Of one.
  negate,
  invert,
  logical_not,
  as_int,
  as_uint,
  as_float,
  as_half,
};

struct BinaryRow {
  std::string_view spelling;
  Operator op;
  int level;  ///< higher binds tighter
};
/// Longer spellings first.
constexpr std::array<BinaryRow, 18> binary_rows{{
    {"||", Operator::logical_or, 1},
    {"&&", Operator::logical_and, 2},
    {"==", Operator::equal, 6},
    {"!=", Operator::unequal, 6},
    {"<=", Operator::less_equal, 7},
    {">=", Operator::greater_equal, 7},
    {"<<", Operator::shift_left, 8},
    {">>", Operator::shift_right, 8},
    {"|", Operator::bit_or, 3},
    {"^", Operator::bit_xor, 4},
    {"&", Operator::bit_and, 5},
    {"<", Operator::less, 7},
    {">", Operator::greater, 7},
    {"+", Operator::add, 9},
    {"-", Operator::subtract, 9},
    {"*", Operator::multiply, 10},
    {"/", Operator::divide, 10},
    {"%", Operator::remainder, 10},
}};

struct FunctionRow {
  std::string_view name;
  Operator op;
};
constexpr std::array<FunctionRow, 4> function_rows{{{"int", Operator::as_int},
                                                    {"uint", Operator::as_uint},
                                                    {"float", Operator::as_float},
                                                    {"half", Operator::as_half}}};

constexpr std::size_t longest_expression = 1000;

bool begins_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '$';
}
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Length of the name that the text begins with: "r0.x", "acc0[-1]", "a0@1", "ME:$02".
std::size_t name_length(std::string_view text) {
  const auto goes_on = [](char letter) {
    return begins_name(letter) || is_digit(letter) || letter == '.' || letter == '@' || letter == ':';
  };
  std::size_t length = 0;
  while (length < text.size()) {
    if (goes_on(text[length])) {
      ++length;
    } else if (text[length] == '[' && text.find(']', length) != std::string_view::npos) {
      length = text.find(']', length) + 1;
    } else {
      break;
    }
  }
  return length;
}

/// A whole number at the beginning of a text.
struct WholeNumber {
  std::uint64_t value = 0;
  int base = 10;
  std::size_t length = 0;
};
/// In the base that its first characters say, as in C. Nothing if there is none, or 64 bits do not hold it.
std::optional<WholeNumber> whole_number(std::string_view text) {
  const auto begins = [&](std::string_view lower, std::string_view upper) {
    return text.starts_with(lower) || text.starts_with(upper);
  };
  WholeNumber number;
  std::size_t prefix = 0;
  if (begins("0x", "0X") || begins("0b", "0B")) {
    number.base = (text[1] | 0x20) == 'x' ? 16 : 2;
    prefix = 2;
  } else if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) {
    number.base = 8;
    prefix = 1;
  }
  const char *const begin = text.data() + prefix, *const end = text.data() + text.size();
  const auto parsed = std::from_chars(begin, end, number.value, number.base);
  if (parsed.ec != std::errc()) return {};
  number.length = static_cast<std::size_t>(parsed.ptr - text.data());
  return number;
}

bool fits_int64(double number) { return number >= -0x1p63 && number < 0x1p63; }

bool is_integer(const Value& value) { return value.kind != Value::Kind::real && value.kind != Value::Kind::word; }

bool is_decimal(const Value& value) { return value.kind == Value::Kind::decimal; }

/// True where both are numbers without a fraction; see the head of expression.h.
bool meet_as_integers(const Value& a, const Value& b) {
  const bool pattern = a.kind == Value::Kind::pattern || b.kind == Value::Kind::pattern;
  const bool real = a.kind == Value::Kind::real || b.kind == Value::Kind::real;
  return !real && (pattern || (is_integer(a) && is_integer(b)));
}

Value truth(bool is_true) { return Value::integer(is_true ? 1 : 0); }

template <class Compare>
Value compared(const Value& a, const Value& b, Compare compare) {
  return truth(meet_as_integers(a, b) ? compare(a.as_integer(), b.as_integer()) : compare(a.as_real(), b.as_real()));
}

/// Integers wrap around.
template <class Compute>
Value computed(const Value& a, const Value& b, Compute compute) {
  if (!meet_as_integers(a, b)) return Value::real(compute(a.as_real(), b.as_real()));
  const auto result = static_cast<std::int64_t>(
      compute(static_cast<std::uint64_t>(a.as_integer()), static_cast<std::uint64_t>(b.as_integer())));
  return is_decimal(a) && is_decimal(b) ? Value::decimal(result) : Value::integer(result);
}

/// Of an integer, of its kind.
Value negated(const Value& a) {
  return computed(is_decimal(a) ? Value::decimal(0) : Value::integer(0), a, std::minus<>());
}

Result<Value> divided(const Value& a, const Value& b) {
  if (!meet_as_integers(a, b)) return Value::real(a.as_real() / b.as_real());
  if (b.as_integer() == 0) return fail("DB021", "division by zero");
  if (b.as_integer() == -1) return negated(a);
  const std::int64_t quotient = a.as_integer() / b.as_integer();
  return is_decimal(a) && is_decimal(b) ? Value::decimal(quotient) : Value::integer(quotient);
}

Result<Value> remainder_of(const Value& a, const Value& b) {
  if (b.as_integer() == 0) return fail("DB021", "division by zero");
  return Value::integer(b.as_integer() == -1 ? 0 : a.as_integer() % b.as_integer());
}

Value shifted(const Value& a, const Value& b, bool left) {
  constexpr std::int64_t most = 63;
  const std::int64_t count = b.as_integer();
  if (count < 0 || (left && count > most)) return Value::integer(0);
  if (!left) return Value::integer(a.as_integer() >> std::min(count, most));
  return Value::integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.as_integer()) << count));
}

Result<Value> combined(Operator op, const Value& a, const Value& b) {
  switch (op) {
    case Operator::logical_or:
      return truth(a.is_true() || b.is_true());
    case Operator::logical_and:
      return truth(a.is_true() && b.is_true());
    case Operator::bit_or:
      return Value::integer(a.as_integer() | b.as_integer());
    case Operator::bit_xor:
      return Value::integer(a.as_integer() ^ b.as_integer());
    case Operator::bit_and:
      return Value::integer(a.as_integer() & b.as_integer());
    case Operator::equal:
      return compared(a, b, std::equal_to<>());
    case Operator::unequal:
      return compared(a, b, std::not_equal_to<>());
    case Operator::less:
      return compared(a, b, std::less<>());
    case Operator::less_equal:
      return compared(a, b, std::less_equal<>());
    case Operator::greater:
      return compared(a, b, std::greater<>());
    case Operator::greater_equal:
      return compared(a, b, std::greater_equal<>());
    case Operator::shift_left:
    case Operator::shift_right:
      return shifted(a, b, op == Operator::shift_left);
    case Operator::add:
      return computed(a, b, std::plus<>());
    case Operator::subtract:
      return computed(a, b, std::minus<>());
    case Operator::multiply:
      return computed(a, b, std::multiplies<>());
    case Operator::divide:
      return divided(a, b);
    case Operator::remainder:
      return remainder_of(a, b);
    case Operator::negate:
    case Operator::invert:
    case Operator::logical_not:
    case Operator::as_int:
    case Operator::as_uint:
    case Operator::as_float:
    case Operator::as_half:
      break;  // of one value
  }
  return a;
}

float float_of(const Value& value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.as_integer())); }

/// The 16 low bits as binary16.
double half_of(const Value& value) {
  const auto bits = static_cast<std::uint32_t>(value.as_integer());
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 0x3FF, sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

/// As an integer of 32 bits with a sign or without: of a float the nearest one that there is.
template <class Integer>
Value as_32_bits(const Value& a) {
  using Limits = std::numeric_limits<Integer>;
  if (a.kind != Value::Kind::real) return Value::integer(static_cast<Integer>(a.bits));
  return Value::integer(std::clamp<std::int64_t>(a.as_integer(), Limits::min(), Limits::max()));
}

Value changed_by(Operator op, const Value& a) {
  switch (op) {
    case Operator::negate:
      return is_integer(a) ? negated(a) : Value::real(-a.as_real());
    case Operator::invert:
      return Value::integer(~a.as_integer());
    case Operator::logical_not:
      return truth(!a.is_true());
    case Operator::as_int:
      return as_32_bits<std::int32_t>(a);
    case Operator::as_uint:
      return as_32_bits<std::uint32_t>(a);
    case Operator::as_float:
      return Value::real(a.kind == Value::Kind::word ? float_of(a) : a.as_real());
    case Operator::as_half:
      return Value::real(half_of(a));
    case Operator::logical_or:
    case Operator::logical_and:
    case Operator::bit_or:
    case Operator::bit_xor:
    case Operator::bit_and:
    case Operator::equal:
    case Operator::unequal:
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
    case Operator::shift_left:
    case Operator::shift_right:
    case Operator::add:
    case Operator::subtract:
    case Operator::multiply:
    case Operator::divide:
    case Operator::remainder:
      break;  // of two values
  }
  return a;
}

}  // namespace

Value Value::of(std::span<const std::uint8_t> bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
  return {.kind = bytes.size() == 4 ? Kind::word : Kind::integer, .bits = static_cast<std::int64_t>(bits)};
}

double Value::as_real() const {
  switch (kind) {
    case Kind::integer:
    case Kind::decimal:
    case Kind::pattern:
      return static_cast<double>(bits);
    case Kind::real:
      return number;
    case Kind::word:
      return float_of(*this);
  }
  return 0;
}

std::int64_t Value::as_integer() const {
  if (kind != Kind::real) return bits;
  if (fits_int64(number)) return static_cast<std::int64_t>(number);
  return std::isnan(number) ? 0
         : number < 0       ? std::numeric_limits<std::int64_t>::min()
                            : std::numeric_limits<std::int64_t>::max();
}

bool Value::is_true() const { return kind == Kind::real ? number != 0 : bits != 0; }

// ------------------------------------------------------------------------------------------------ reading

/// A value, a name, the memory at an address, or an operation on one or two nodes.
struct Expression::Node {
  enum class Kind : std::uint8_t { value, name, memory, one, two } kind = Kind::value;
  Value value;
  std::string name;
  Operator op = Operator::add;
  std::shared_ptr<const Node> left, right;
};

class ExpressionParser {
 public:
  using Node = Expression::Node;
  using NodePtr = std::shared_ptr<const Node>;

  explicit ExpressionParser(std::string_view text) : text_(text), rest_(text) {}

  Result<NodePtr> run() {
    if (text_.size() > longest_expression)
      return fail("DB020", fmt::format("an expression has at most {} characters", longest_expression));
    NodePtr root = operations(0);
    skip_blanks();
    if (root == nullptr || !rest_.empty()) return wrong();
    return root;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  [[nodiscard]] std::size_t place() const { return text_.size() - rest_.size() + 1; }

  Unexpected wrong() const {
    if (unclosed_)
      return fail("DB020",
                  fmt::format("the \"(\" at character {} of the expression \"{}\" is not closed", *unclosed_, text_),
                  "with \")\"");
    return fail(
        "DB020",
        rest_.empty()
            ? fmt::format("the expression \"{}\" is not complete", text_)
            : fmt::format("\"{}\" has no meaning at character {} of the expression \"{}\"", rest_, place(), text_),
        "registers, numbers (10, 0xa, 012, 0b1010), + - * / %, comparisons, && || !, & | ^ ~ << >>, int() uint() "
        "float() half(), *ADDRESS");
  }

  /// The operator of two values that comes next, if it binds tighter than `level`.
  const BinaryRow* next_operator(int level) {
    skip_blanks();
    for (const BinaryRow& row : binary_rows)
      if (rest_.starts_with(row.spelling)) return row.level > level ? &row : nullptr;
    return nullptr;
  }

  NodePtr operations(int level) {
    NodePtr left = operand();
    while (left != nullptr) {
      const BinaryRow* row = next_operator(level);
      if (row == nullptr) return left;
      rest_.remove_prefix(row->spelling.size());
      NodePtr right = operations(row->level);
      if (right == nullptr) return nullptr;
      left = make({.kind = Node::Kind::two, .op = row->op, .left = left, .right = right});
    }
    return nullptr;
  }

  NodePtr operand() {
    skip_blanks();
    if (rest_.empty()) return nullptr;
    switch (rest_.front()) {
      case '-':
        return changed(Operator::negate);
      case '~':
        return changed(Operator::invert);
      case '!':
        return changed(Operator::logical_not);
      case '*':
        return memory();
      case '(':
        return parenthesis();
      default:
        break;
    }
    if (begins_name(rest_.front())) return name();
    return number();
  }

  NodePtr changed(Operator op) {
    rest_.remove_prefix(1);
    return of_one(op, operand());
  }

  NodePtr memory() {
    rest_.remove_prefix(1);
    NodePtr address = operand();
    if (address == nullptr) return nullptr;
    return make({.kind = Node::Kind::memory, .left = std::move(address)});
  }

  NodePtr parenthesis() {
    const std::size_t begin = place();
    rest_.remove_prefix(1);
    NodePtr inside = operations(0);
    skip_blanks();
    if (inside == nullptr) return nullptr;
    if (!rest_.starts_with(')')) {
      if (rest_.empty()) unclosed_ = begin;
      return nullptr;
    }
    rest_.remove_prefix(1);
    return inside;
  }

  NodePtr name() {
    for (const FunctionRow& row : function_rows)
      if (rest_.starts_with(row.name) && rest_.substr(row.name.size()).starts_with('(')) {
        rest_.remove_prefix(row.name.size());
        return of_one(row.op, parenthesis());
      }
    const std::size_t length = name_length(rest_);
    NodePtr node = make({.kind = Node::Kind::name, .name = std::string(rest_.substr(0, length))});
    rest_.remove_prefix(length);
    return node;
  }

  NodePtr number() {
    const std::string_view before = rest_;
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const bool has_fraction = digits < rest_.size() && (rest_[digits] == '.' || (digits != 0 && rest_[digits] == 'e'));
    const auto value = has_fraction ? real_number() : integer_number();
    // What follows at once would belong to it: 3x, 089.
    if (value && (rest_.empty() || (!begins_name(rest_.front()) && !is_digit(rest_.front()))))
      return make({.kind = Node::Kind::value, .value = *value});
    rest_ = before;
    return nullptr;
  }

  std::optional<Value> real_number() {
    double real = 0;
    const auto parsed = read_real(rest_, real);
    if (parsed.ec != std::errc()) return {};
    rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
    return Value::real(real);
  }

  std::optional<Value> integer_number() {
    const auto number = whole_number(rest_);
    if (!number) return {};
    rest_.remove_prefix(number->length);
    return Value{.kind = number->base == 10 ? Value::Kind::decimal : Value::Kind::pattern,
                 .bits = static_cast<std::int64_t>(number->value)};
  }

  static NodePtr of_one(Operator op, NodePtr of) {
    if (of == nullptr) return nullptr;
    return make({.kind = Node::Kind::one, .op = op, .left = std::move(of)});
  }
  static NodePtr make(Node node) { return std::make_shared<const Node>(std::move(node)); }

  std::string_view text_, rest_;
  std::optional<std::size_t> unclosed_;  ///< place of the innermost "(" that is open at the end
};

Result<Expression> Expression::parse(std::string_view text) {
  auto root = ExpressionParser(text).run();
  if (!root) return fail(std::move(root).error());
  Expression expression;
  expression.text_ = text;
  expression.root_ = std::move(*root);
  return expression;
}

Result<Value> Expression::evaluate(const Node& node, const Lookup& lookup, const Load& load) {
  if (node.kind == Node::Kind::value) return node.value;
  if (node.kind == Node::Kind::name) return lookup(node.name);
  auto left = evaluate(*node.left, lookup, load);
  if (!left) return left;
  if (node.kind == Node::Kind::memory) return load(static_cast<std::uint64_t>(left->as_integer()));
  if (node.kind == Node::Kind::one) return changed_by(node.op, *left);
  // What does not matter is not evaluated.
  if (node.op == Operator::logical_or && left->is_true()) return truth(true);
  if (node.op == Operator::logical_and && !left->is_true()) return truth(false);
  auto right = evaluate(*node.right, lookup, load);
  if (!right) return right;
  return combined(node.op, *left, *right);
}

Result<Value> Expression::evaluate(const Lookup& lookup, const Load& load) const {
  return evaluate(*root_, lookup, load);
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  const auto number = whole_number(text);
  if (!number || number->length != text.size()) return {};
  return number->value;
}

// ------------------------------------------------------------------------------------------------ showing

Result<std::string> format_value(const Value& value, std::string_view letter) {
  // A float in the bits that it has in a register.
  const std::int64_t bits =
      value.kind == Value::Kind::real ? std::bit_cast<std::uint32_t>(static_cast<float>(value.number)) : value.bits;
  const auto pattern = static_cast<std::uint64_t>(bits);
  if (letter == "x") return fmt::format("{:#x}", pattern);
  if (letter == "o") return fmt::format("{:#o}", pattern);
  if (letter == "t") return fmt::format("{:b}", pattern);
  if (letter == "u")
    return fmt::format("{}",
                       value.kind == Value::Kind::real ? static_cast<std::uint64_t>(value.as_integer()) : pattern);
  if (letter == "d")
    return fmt::format("{}", value.kind == Value::Kind::word ? static_cast<std::int32_t>(bits) : value.as_integer());
  if (letter == "f") return fmt::format("{:g}", is_integer(value) ? float_of(value) : value.as_real());
  if (!letter.empty())
    return fail("DB022", fmt::format("there is no format \"{}\"", letter),
                "x hexadecimal, d signed, u unsigned, o octal, t binary, f float");
  switch (value.kind) {
    case Value::Kind::integer:
    case Value::Kind::decimal:
      return fmt::format("{}", bits);
    case Value::Kind::pattern:
      return fmt::format("{:#x}", pattern);
    case Value::Kind::real:
      return fmt::format("{:g}", value.number);
    case Value::Kind::word:
      return fmt::format("{:#010x} ({:g})", pattern, value.as_real());
  }
  return std::string();
}

}  // namespace mobula
