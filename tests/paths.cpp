#include "paths.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mobula::test {
namespace {

/// What was loaded before this program for its libraries' sake is not for the programs that it starts.
const bool starts_programs_alone = unsetenv("LD_PRELOAD") == 0;

}  // namespace

std::string source_file(std::string_view name) { return MOBULA_SOURCE "/" + std::string(name); }
std::string test_data(std::string_view name) { return MOBULA_SOURCE "/tests/data/" + std::string(name); }
std::string sample(std::string_view name) { return MOBULA_SAMPLES "/" + std::string(name); }
std::string command_file() {
  const char* other_build = std::getenv("MOBULA_COMMAND");
  return other_build != nullptr ? other_build : MOBULA_COMMAND;
}
std::string isa_library_file() { return MOBULA_ISA_LIBRARY; }

bool whole() { return std::getenv("MOBULA_WHOLE") != nullptr; }

std::set<std::string> reference_sections(std::string_view name) {
  std::ifstream page(source_file("docs/reference/" + std::string(name) + ".md"));
  std::set<std::string> sections;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("##")) continue;
    std::istringstream words(line);
    std::string marks, first;
    words >> marks >> first;
    sections.insert(first);
  }
  return sections;
}

}  // namespace mobula::test
