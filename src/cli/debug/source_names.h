// What the names of a shader's source stand for where its program is debugged: what the inputs give, since registers
// hold it only here and there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/run/input.h"

namespace mobula::cli {

/// The value of an input or a uniform for a thread, "0.25 0.5": of one vector or number that is given. None of others.
std::optional<std::string> value_of_source_name(const Prepared& prepared, std::string_view name, std::uint32_t thread);

/// What to do about a name that has none, where it is one of the source, and which have one; empty where the program's
/// names are not known.
std::string hint_of_source_names(const Prepared& prepared, std::string_view name, std::uint32_t thread);

}  // namespace mobula::cli
