#include "servers/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace mobula::servers {
namespace {

/// How many brackets stand in each other; those in strings are none.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string && (text[i] == '[' || text[i] == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!in_string && (text[i] == ']' || text[i] == '}') && depth != 0)
      --depth;
  }
  return deepest;
}

/// The number of a character that begins here as \uXXXX.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < 6) return {};
  unsigned unit = 0;
  const auto read = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return read.ec == std::errc() && read.ptr == text.data() + 6 ? std::optional(unit) : std::nullopt;
}

bool is_high(std::optional<unsigned> unit) { return unit && *unit >> 10 == 0xD800 >> 10; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >> 10 == 0xDC00 >> 10; }

/// Halves of characters, of which UTF-16 has two, may stand alone in texts of editors. They become what stands for a
/// character that cannot be shown, as the parser takes no such text at all.
std::string with_whole_characters(std::string_view text) {
  std::string whole(text);
  for (std::size_t at = whole.find('\\'); at < whole.size(); at = whole.find('\\', at)) {
    const std::string_view rest = std::string_view(whole).substr(at);
    const auto unit = escaped_unit(rest);
    if (is_high(unit) && is_low(escaped_unit(rest.substr(6)))) {
      at += 12;
    } else if (is_high(unit) || is_low(unit)) {
      whole.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;
    }
  }
  return whole;
}

}  // namespace

/// The depth is not left to a callback of the parser: with one, a list costs the square of its length.
Result<Json> parse_json(std::string_view text) {
  constexpr std::size_t deepest = 64;
  // The library takes it for the end.
  if (text.find('\0') != std::string_view::npos) return fail("SV003", "the content of the message has a zero byte");
  if (depth_of(text) > deepest) return fail("SV003", fmt::format("the JSON is nested deeper than {}", deepest));
  try {
    return Json::parse(with_whole_characters(text));
  } catch (const Json::parse_error& wrong) {
    return fail("SV003", fmt::format("the content of the message is not JSON: it goes wrong at byte {} of {}",
                                     wrong.byte, text.size()));
  } catch (const Json::exception&) {
    return fail("SV003", "the content of the message is JSON with a number that is too large");
  }
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::servers
