#include "servers/arguments.h"

#include <fmt/format.h>

#include <limits>

namespace mobula::servers {
namespace {

Refusal wrong(std::string_view name, std::string_view allowed) {
  return {fmt::format("\"{}\" must be {}", name, allowed)};
}

const Json nothing;

}  // namespace

const Json* Arguments::find(std::string_view name) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string Arguments::text(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr || !value->is_string()) throw wrong(name, "a text");
  return value->get<std::string>();
}

std::string Arguments::text_or(std::string_view name, std::string fallback) const {
  return find(name) == nullptr ? std::move(fallback) : text(name);
}

std::int64_t Arguments::integer(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr || !value->is_number_integer() ||
      (value->is_number_unsigned() && value->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()))
    throw wrong(name, "a signed integer of 64 bits");
  return value->get<std::int64_t>();
}

std::int64_t Arguments::integer_or(std::string_view name, std::int64_t fallback) const {
  return find(name) == nullptr ? fallback : integer(name);
}

bool Arguments::flag_or(std::string_view name, bool fallback) const {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) throw wrong(name, "true or false");
  return value->get<bool>();
}

std::vector<Arguments> Arguments::list(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) throw wrong(name, "a list");
  std::vector<Arguments> all;
  for (const Json& each : *value) all.emplace_back(each);
  return all;
}

Arguments Arguments::object(std::string_view name) const {
  return find(name) == nullptr ? Arguments(nothing) : required(name);
}

Arguments Arguments::required(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr || !value->is_object()) throw wrong(name, "an object");
  return Arguments(*value);
}

}  // namespace mobula::servers
