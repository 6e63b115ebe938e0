// Listings with colours, for a terminal: disassembly, fields, micro-operations, changes, a debugger's answers.
#pragma once

#include <string>
#include <string_view>

namespace mobula::cli {

// The text itself stays what it is, and so does all of it where `file`, in which it goes, is not standard output or
// that is to have no colours (--color).

/// Comments dim, labels yellow, directives cyan, numbers green.
std::string listing_for(const std::string& file, std::string listing);
/// Lines that were removed, "  - ", red, and those that were added, "  + ", green; others as in a listing.
std::string changes_for(const std::string& file, std::string changes);

}  // namespace mobula::cli
