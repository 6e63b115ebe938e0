// What every machine shares names none of them, so that a machine is a folder of src/machines and a line there.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "paths.h"

namespace mobula {
namespace {

namespace fs = std::filesystem;

/// In any spelling, prose included; part of a longer word or not.
constexpr std::array<std::string_view, 6> names{"midgard", "utgard", "rogue", "afuc", "powervr", "adreno"};
/// Only as a word of its own, with or without a number after it: there is "normalise", too, and ARM's "malioc".
constexpr std::string_view short_name = "mali";

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

bool names_a_machine(std::string line) {
  std::ranges::transform(line, line.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (std::ranges::any_of(names, [&](std::string_view name) { return line.find(name) != std::string::npos; }))
    return true;
  for (std::size_t at = line.find(short_name); at != std::string::npos; at = line.find(short_name, at + 1)) {
    const std::size_t end = at + short_name.size();
    if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]))) return true;
  }
  return false;
}

std::vector<std::string> lines_that_name_machines(const fs::path& folder) {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (names_a_machine(line))
        found.push_back(fs::relative(entry.path(), test::source_file("src")).string() + ':' + std::to_string(number) +
                        ": " + line);
    }
  }
  return found;
}

TEST(Layering, OnlyMachinesNameMachines) {
  for (const char* folder : {"cli", "compile", "core", "execute", "firmware", "io", "ir", "jit", "laboratory",
                             "scoreboard", "servers", "timeline", "timing"}) {
    const fs::path path = fs::path(test::source_file("src")) / folder;
    ASSERT_TRUE(fs::is_directory(path)) << path;
    for (const std::string& line : lines_that_name_machines(path)) ADD_FAILURE() << line;
  }
}

TEST(Layering, KnowsANameInAnySpelling) {
  for (const char* line :
       {"program.machine == \"afuc\"", "class RogueRegisters", "// Mali-200", "mali400", "UTGARD_GP"})
    EXPECT_TRUE(names_a_machine(line)) << line;
  for (const char* line : {"normalised", "malioc (JSON)", "formality", ""}) EXPECT_FALSE(names_a_machine(line)) << line;
}

}  // namespace
}  // namespace mobula
