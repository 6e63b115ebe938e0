// A text without one of its functions, so that what is wrong with the others can be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::compile {

/// A text in which a function has no body, on the same lines with the same directives.
struct WithoutFunction {
  std::string text;
  std::uint32_t first_line = 0, last_line = 0;  ///< of the function
};

/// The text without the body of the function that holds a place, of which line and column count from 1: its head
/// declares it. Nothing where the place is in none, or where it is not known where bodies end or which line is meant: a
/// macro or a condition has one brace of a pair, a brace is not closed, or there is an #include or a #line.
std::optional<WithoutFunction> without_function_at(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace mobula::compile
