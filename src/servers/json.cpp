#include "servers/json.h"

#include <fmt/format.h>

namespace mobula::servers {

Result<Json> parse_json(std::string_view text) {
  constexpr int deepest = 64;
  bool is_too_deep = false;
  const auto within = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep |= depth > deepest;
    return !is_too_deep;
  };
  try {
    Json value = Json::parse(text, within);
    if (!is_too_deep) return value;
    return fail("SV003", fmt::format("the JSON is nested deeper than {}", deepest));
  } catch (const Json::parse_error& wrong) {
    return fail("SV003", fmt::format("the content of the message is not JSON: it goes wrong at byte {} of {}",
                                     wrong.byte, text.size()));
  } catch (const Json::exception&) {
    return fail("SV003", "the content of the message is JSON with a number that is too large");
  }
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::servers
