// What answers are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "answers.h"
#include "mobula/isa/diagnostic.h"

namespace mobula::web {

using Json = nlohmann::ordered_json;
using Bytes = std::span<const std::uint8_t>;

Answer refuse(const Diagnostics& diagnostics);
Answer done(Json json);
Json to_json(const Diagnostics& diagnostics);
/// A member of a request that is a text; empty if it is not there.
std::string given(const Json& request, const char* member);

}  // namespace mobula::web
