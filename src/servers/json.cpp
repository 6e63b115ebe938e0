#include "servers/json.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

/// The depth is not left to a callback of the parser: with one, a list costs the square of its length.
Result<Json> parse_json(std::string_view text) {
  constexpr std::size_t deepest = 64;
  // The library takes it for the end.
  if (text.find('\0') != std::string_view::npos) return fail("SV003", "the content of the message has a zero byte");
  if (depth_of(text) > deepest) return fail("SV003", fmt::format("the JSON is nested deeper than {}", deepest));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& wrong) {
    return fail("SV003", fmt::format("the content of the message is not JSON: it goes wrong at byte {} of {}",
                                     wrong.byte, text.size()));
  } catch (const Json::exception&) {
    return fail("SV003", "the content of the message is JSON with a number that is too large");
  }
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::servers
