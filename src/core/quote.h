// What messages show of an input.
#pragma once

#include <string>
#include <string_view>

namespace mobula {

/// The text between apostrophes: at most its first 40 bytes, "..." for the rest, bytes that do not print as \xNN.
std::string quote(std::string_view text);

}  // namespace mobula
