// Where the tests find files. Absolute folders are compiled into paths.cpp alone: a compiler cache knows all other
// files of the tests again wherever the project lies.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace mobula::test {

std::string source_file(std::string_view name);  ///< of the project: "docs/ir.md"
std::string test_data(std::string_view name);    ///< of tests/data
std::string sample(std::string_view name);       ///< of the folder of sample binaries, which may be missing
std::string command_file();                      ///< mobula
std::string isa_library_file();

/// Whether MOBULA_WHOLE asks for all of what takes minutes, and not for a sample of it.
bool whole();

/// The first words of the headings below the title of docs/reference/NAME.md: "4.6", "V-07".
std::set<std::string> reference_sections(std::string_view name);

}  // namespace mobula::test
