// Expressions over what a debugged program holds: "r0.x > 2", "int(r1.y) & 0xff", "m0[-1] * 2", "*0x1000 + 1".
//
// A register of four bytes, or such a word of memory, does not say what it holds. Beside a decimal number, or another
// register, it is a float; beside a number that is not decimal, and for & | ^ ~ << >> %, it is its bits; int(), uint(),
// float() and half() choose.
//
// Integers have 64 bits. int() and uint() have 32, as in GLSL: of a float the integer towards zero, and the nearest one
// where 32 bits do not hold that; of what has more bits, the lower 32.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mobula/export.h"
#include "mobula/isa/result.h"

namespace mobula {

/// What an expression gives.
struct MOBULA_API Value {
  enum class Kind : std::uint8_t {
    integer,
    decimal,  ///< an integer written in decimal, or computed of such: beside a register it is a float
    pattern,  ///< an integer written in another base: what it meets is taken as bits
    real,
    word,  ///< four bytes that may be a float
  };
  Kind kind = Kind::integer;
  std::int64_t bits = 0;  ///< unless it is real
  double number = 0;      ///< if it is real

  /// Of the bytes of a register, little-endian, eight at most.
  static Value of(std::span<const std::uint8_t> bytes);
  static Value integer(std::int64_t value) { return {.bits = value}; }
  static Value decimal(std::int64_t value) { return {.kind = Kind::decimal, .bits = value}; }
  static Value real(double value) { return {.kind = Kind::real, .number = value}; }

  [[nodiscard]] double as_real() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] bool is_true() const;
};

class MOBULA_API Expression {
 public:
  /// What a name stands for: anything beginning with a letter, _ or $.
  using Lookup = std::function<Result<Value>(std::string_view name)>;
  /// What "*" gives: the four bytes of memory at an address.
  using Load = std::function<Result<Value>(std::uint64_t address)>;

  /// DB020: not an expression; says where reading it failed.
  static Result<Expression> parse(std::string_view text);
  /// Errors are those of the lookup and of the load, and DB021: division by zero.
  [[nodiscard]] Result<Value> evaluate(const Lookup& lookup, const Load& load) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Node;
  friend class ExpressionParser;
  static Result<Value> evaluate(const Node& node, const Lookup& lookup, const Load& load);

  std::string text_;
  std::shared_ptr<const Node> root_;
};

/// A whole number as in C, and with "0b" as well: 10, 0xa, 012, 0b1010; nullopt unless the whole text is a number.
MOBULA_API std::optional<std::uint64_t> read_number(std::string_view text);

/// The value formatted as the letter says: x hexadecimal, d and u integers, o octal, t binary, f float. Without one as
/// its kind suggests. DB022: there is no such letter.
MOBULA_API Result<std::string> format_value(const Value& value, std::string_view letter = {});

}  // namespace mobula
