// Listings with colours, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace mobula::cli {

/// Comments dim, labels yellow, directives cyan, numbers green; the text itself stays what it is.
std::string coloured_listing(std::string_view listing);

}  // namespace mobula::cli
