// Decimal numbers with a fraction or an exponent.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace mobula {

/// The number that a text begins with: digits with at most one point, and an exponent that has digits.
inline std::string_view leading_real(std::string_view text) {
  const auto digits = [&](std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  const std::size_t begin = text.starts_with('-') ? 1 : 0, point = digits(begin);
  std::size_t end = point < text.size() && text[point] == '.' ? digits(point + 1) : point;
  if (end - begin == (end == point ? 0 : 1)) return {};
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t sign = end + 1;
    const bool is_signed = sign < text.size() && (text[sign] == '-' || text[sign] == '+');
    const std::size_t exponent = is_signed ? sign + 1 : sign;
    if (digits(exponent) > exponent) end = digits(exponent);
  }
  return text.substr(0, end);
}

/// As std::from_chars, of numbers; "inf" and "nan" are none. For a C++ library whose from_chars knows whole numbers
/// only, as that of the page.
template <class Float>
std::from_chars_result read_real_by_strtod(std::string_view text, Float& value) {
  const std::string number(leading_real(text));
  if (number.empty()) return {text.data(), std::errc::invalid_argument};
  const char* const stop = text.data() + number.size();
  Float read = 0;
  if constexpr (sizeof(Float) == sizeof(float))
    read = std::strtof(number.c_str(), nullptr);
  else
    read = std::strtod(number.c_str(), nullptr);
  const bool has_value = number.find_first_of("123456789") < number.find_first_of("eE");
  if (std::isinf(read) || (read == 0 && has_value)) return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}

/// As std::from_chars.
template <class Float>
std::from_chars_result read_real(std::string_view text, Float& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(text.data(), text.data() + text.size(), value);
#else
  return read_real_by_strtod(text, value);
#endif
}

}  // namespace mobula
