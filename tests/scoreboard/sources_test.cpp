// Every section that the scoreboard's sources cite is a heading of docs/reference/scoreboard.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "paths.h"

namespace mobula::scoreboard {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator each(text.begin(), text.end(), expression), end; each != end; ++each)
    found.insert((*each)[1]);
  return found;
}

TEST(ScoreboardSources, EverySectionCitedIsInTheReference) {
  const std::set<std::string> headings =
      matches(text_of(test::source_file("docs/reference/scoreboard.md")), "\n#+ ([0-9]+(?:\\.[0-9]+)?) ");
  EXPECT_GT(headings.size(), 40u);
  std::set<std::string> cited;
  for (const char* folder : {"include/mobula/scoreboard", "src/scoreboard", "tests/scoreboard"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_file(folder)))
      if (entry.is_regular_file()) cited.merge(matches(text_of(entry.path()), "§([0-9]+(?:\\.[0-9]+)?)"));
  EXPECT_GT(cited.size(), 25u);
  for (const std::string& section : cited) EXPECT_TRUE(headings.contains(section)) << section;
}

}  // namespace
}  // namespace mobula::scoreboard
