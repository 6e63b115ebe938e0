#include "cli/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.h"

namespace mobula::cli {

std::size_t chosen_among(std::span<const std::string_view> names, std::string_view what, const std::string& value) {
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    throw usage_error(fmt::format("unknown {} \"{}\"", what, value), fmt::format("one of {}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace mobula::cli
