// JSON of a client: read within limits, written whatever bytes strings hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "mobula/isa/result.h"

namespace mobula::servers {

using Json = nlohmann::ordered_json;

/// SV003: this is no JSON, or it is nested too deeply.
Result<Json> parse_json(std::string_view text);
std::string dump_json(const Json& value);

}  // namespace mobula::servers
