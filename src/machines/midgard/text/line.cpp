#include "machines/midgard/text/line.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/quote.h"
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;

/// Parentheses and minus signs within one another; deeper is hostile.
constexpr int deepest = 64;

constexpr WideInteger lowest_integer = std::numeric_limits<std::int64_t>::min();
constexpr WideInteger highest_integer = std::numeric_limits<std::uint64_t>::max();

/// Binding strength of a binary operator; 0 for anything else.
int precedence_of(const LineToken& token) {
  if (token.kind != TokenKind::sign) return 0;
  if (token.text == "<<" || token.text == ">>") return 4;
  if (token.text.size() != 1) return 0;
  switch (token.text[0]) {
    case '|':
      return 1;
    case '^':
      return 2;
    case '&':
      return 3;
    case '+':
    case '-':
      return 5;
    case '*':
    case '/':
    case '%':
      return 6;
    default:
      return 0;
  }
}

bool is_hexadecimal(std::string_view digits) {
  return digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

Value computed(WideInteger integer) {
  Value value;
  value.integer = integer;
  value.number = static_cast<double>(integer);
  return value;
}

Value computed(double number) {
  Value value;
  value.real = true;
  value.number = number;
  return value;
}

}  // namespace

void ErrorSink::report(Span where, std::string_view code, std::string message, std::string hint) {
  if (full()) return;
  errors_.push_back({Severity::error, std::string(code), source_.locate(where), std::move(message), std::move(hint)});
  if (full())
    errors_.push_back({Severity::note, "MD116", source_.locate(where), "too many errors; the rest is not read", {}});
}

Diagnostics ErrorSink::take() {
  std::sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column, b.severity) < std::tie(b.where.line, b.where.column, a.severity);
  });
  return std::move(errors_);
}

bool LineCursor::accept(std::string_view spelling) {
  if (peek().kind == TokenKind::end || !same_word(peek().text, spelling)) return false;
  take();
  return true;
}

bool LineCursor::expect(std::string_view spelling) {
  if (accept(spelling)) return true;
  fail_expected("'" + std::string(spelling) + "'");
  return false;
}

void LineCursor::fail(Span where, std::string_view code, std::string message, std::string hint) {
  if (!failed_) errors_.report(where, code, std::move(message), std::move(hint));
  failed_ = true;
}

void LineCursor::fail_expected(std::string_view what) {
  const LineToken& token = peek();
  fail(token, "MD101", "expected " + std::string(what) + found());
}

Span LineCursor::take_run(std::string_view stops) {
  Span run{peek().offset, 0};
  while (peek().kind != TokenKind::end && run.offset + run.length == peek().offset &&
         (peek().kind != TokenKind::sign || peek().text.size() != 1 ||
          stops.find(peek().text[0]) == std::string_view::npos))
    run.length += static_cast<std::uint32_t>(take().text.size());
  return run;
}

std::string_view LineCursor::text(Span span) const {
  // Tokens are pieces of one text, so a run can be told from any of them.
  const LineToken& here = peek();
  return {here.text.data() + (static_cast<std::ptrdiff_t>(span.offset) - static_cast<std::ptrdiff_t>(here.offset)),
          span.length};
}

Value LineCursor::expression() { return binary(1); }

Value LineCursor::binary(int precedence) {
  Value left = unary();
  while (!failed_) {
    const LineToken& sign = peek();
    const int strength = precedence_of(sign);
    if (strength < precedence) break;
    take();
    const Value right = binary(strength + 1);
    if (failed_) break;
    left = apply(sign, left, right);
  }
  return left;
}

Value LineCursor::unary() {
  const LineToken& sign = peek();
  if (!sign.is("-") && !sign.is("~") && !sign.is("+")) return primary();
  if (depth_ >= deepest) {
    fail(sign, "MD106", "this expression is nested too deeply");
    return {};
  }
  take();
  ++depth_;
  Value value = unary();
  --depth_;
  if (failed_ || sign.is("+")) return value;
  if (sign.is("~")) {
    if (value.real) fail(sign, "MD106", "~ needs an integer");
    return computed(~value.integer);
  }
  value.integer = -value.integer;
  value.number = -value.number;
  value.negative = !value.negative;
  if (value.integer < lowest_integer) {
    // As a literal above 64 bits it can still be a float.
    if (value.digits.empty()) fail(sign, "MD107", "this number does not fit in 64 bits");
    value.real = true;
  }
  return value;
}

Value LineCursor::primary() {
  const LineToken& token = peek();
  Value value;
  if (token.kind == TokenKind::number) {
    take();
    std::uint64_t integer = 0;
    if (parse_integer(token.text, integer)) {
      value = computed(WideInteger{integer});
    } else if (double number = 0; parse_real(token.text, number)) {
      value = computed(number);
    } else {
      fail(token, "MD106", quote(token.text) + " is not a number",
           "numbers are decimal, 0x hexadecimal, 0b binary, 0o octal, or like 1.5e-3; integers fit in 64 bits");
    }
    value.digits = token.text;
    return value;
  }
  if (token.kind == TokenKind::word) {
    take();
    if (same_word(token.text, "inf")) return computed(std::numeric_limits<double>::infinity());
    if (same_word(token.text, "nan")) return computed(std::numeric_limits<double>::quiet_NaN());
    if (const auto found = constants_.find(token.text); found != constants_.end()) return found->second;
    Nearest nearest(token.text);
    for (const auto& entry : constants_) nearest.offer(entry.first);
    fail(token, "MD108", "there is no constant " + quote(token.text),
         nearest.best().empty() ? "constants are defined by .equ NAME VALUE, above their first use" : nearest.hint());
    return value;
  }
  if (token.is("(")) {
    if (depth_ >= deepest) {
      fail(token, "MD106", "this expression is nested too deeply");
      return {};
    }
    take();
    ++depth_;
    value = expression();
    --depth_;
    expect(")");
    return value;
  }
  fail_expected("a number");
  return value;
}

Value LineCursor::apply(const LineToken& sign, const Value& a, const Value& b) {
  const char letter = sign.text[0];
  const bool arithmetic = letter == '+' || letter == '-' || letter == '*' || letter == '/';
  if (a.real || b.real) {
    if (!arithmetic) {
      fail(sign, "MD106", quote(sign.text) + " needs integers on both sides");
      return {};
    }
    return computed(letter == '+'   ? a.number + b.number
                    : letter == '-' ? a.number - b.number
                    : letter == '*' ? a.number * b.number
                                    : a.number / b.number);
  }
  WideInteger result = 0;
  bool overflow = false;
  switch (letter) {
    case '|':
      result = a.integer | b.integer;
      break;
    case '^':
      result = a.integer ^ b.integer;
      break;
    case '&':
      result = a.integer & b.integer;
      break;
    case '+':
      result = a.integer + b.integer;
      break;
    case '-':
      result = a.integer - b.integer;
      break;
    case '*':
      overflow = __builtin_mul_overflow(a.integer, b.integer, &result);
      break;
    case '/':
    case '%':
      if (b.integer == 0) {
        fail(sign, "MD106", "division by zero");
        return {};
      }
      result = letter == '/' ? a.integer / b.integer : a.integer % b.integer;
      break;
    default:  // << >>
      if (b.integer < 0 || b.integer > 63) {
        fail(sign, "MD106", "a shift amount is from 0 to 63");
        return {};
      }
      result = letter == '<' ? a.integer * (WideInteger{1} << b.integer) : a.integer >> b.integer;
  }
  if (overflow || result < lowest_integer || result > highest_integer) {
    fail(sign, "MD107", "this number does not fit in 64 bits");
    return {};
  }
  return computed(result);
}

std::int64_t LineCursor::integer(std::string_view what, std::int64_t lowest, std::int64_t highest) {
  const LineToken& first = peek();
  const Value value = expression();
  if (failed_) return lowest;
  if (value.real || value.integer < lowest || value.integer > highest) {
    fail(first, "MD107",
         std::string(what) + " must be an integer from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return lowest;
  }
  return static_cast<std::int64_t>(value.integer);
}

std::optional<std::uint64_t> integer_pattern(const Value& value, unsigned width) {
  const WideInteger span = WideInteger{1} << width;
  if (value.real || value.integer < -(span >> 1) || value.integer >= span) return std::nullopt;
  return static_cast<std::uint64_t>(value.integer) & low_mask(width);
}

std::optional<std::uint64_t> float_pattern(const Value& value, unsigned width) {
  if (is_hexadecimal(value.digits) && !value.negative) return integer_pattern(value, width);
  // A decimal literal is rounded once, from its digits.
  const std::uint64_t sign = value.negative ? std::uint64_t{1} << (width - 1) : 0;
  const auto finite = [&](std::uint64_t pattern) {
    return pattern == infinity_pattern(width) ? std::nullopt : std::optional(sign | pattern);
  };
  if (float single = 0; width == 32 && !value.digits.empty() && parse_real(value.digits, single))
    return finite(std::bit_cast<std::uint32_t>(single));
  if (double number = 0; !value.digits.empty() && parse_real(value.digits, number))
    return finite(real_pattern(number, width));
  const std::uint64_t pattern = real_pattern(value.number, width);
  if (std::isfinite(value.number) && (pattern & low_mask(width - 1)) == infinity_pattern(width)) return std::nullopt;
  return pattern;
}

std::string largest_float(unsigned width) {
  std::array<char, 32> room{};
  char* const end = put_real(room.data(), width, infinity_pattern(width) - 1);
  return "the largest " + std::to_string(width) + "-bit float is " + std::string(room.data(), end) +
         "; infinity is written inf";
}

}  // namespace mobula::midgard
