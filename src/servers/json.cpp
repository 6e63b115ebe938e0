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
  Json value = Json::parse(text, within, false);
  if (is_too_deep) return fail("SV003", fmt::format("the JSON is nested deeper than {}", deepest));
  if (value.is_discarded()) return fail("SV003", "the content of the message is not JSON");
  return value;
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::servers
