// Arguments from files: @FILE on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mobula::cli {

/// Words between blanks and line ends. Quotes, single or double, keep blanks; a backslash takes the next character as
/// it is, but not in single quotes. A Stop for misuse if a quote is not closed.
std::vector<std::string> words_of(std::string_view text, const std::string& file);
/// The arguments, with the words of FILE in the place of @FILE; FILE may name other files so. Where there is no such
/// file, the argument stays what it is: @MARKER is a register.
std::vector<std::string> with_response_files(const std::vector<std::string>& arguments);

}  // namespace mobula::cli
