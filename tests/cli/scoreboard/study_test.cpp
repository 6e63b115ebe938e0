// The study's script runs, and the page has what it finds.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

/// Runs experiments with two seeds a mix; nothing is written outside the folder.
void study(const Folder& folder, const std::string& experiments) {
  const std::string line = "'" + source_file("scripts/scoreboard-study") + "' '" + command_file() + "' '" +
                           folder.file("study") + "' 2 " + experiments + " >'" + folder.file("out") + "' 2>&1";
  EXPECT_EQ(std::system(line.c_str()), 0) << read(folder.file("out"));
}

TEST(ScoreboardStudy, ThePageShowsWhatTheProgramsDo) {
  const Folder folder;
  std::vector<std::string> tables{"units16-against", "threads-lock", "threads-byte"};
  if (whole()) tables.emplace_back("spilling");
  study(folder, whole() ? "units16 threads spilling" : "units16 threads");
  const std::string page = read(source_file("docs/scoreboard-study.md"));
  // These tables are of programs, not of mixes, so that two seeds find what thirty do.
  for (const std::string& table : tables) {
    const std::string found = read(folder.file("study/" + table + ".md"));
    EXPECT_GT(found.size(), 200u);
    EXPECT_THAT(page, testing::HasSubstr("<!-- " + table + " -->\n" + found));
  }
}

TEST(ScoreboardStudy, EveryTableOfThePageIsMade) {
  const std::string page = read(source_file("docs/scoreboard-study.md"));
  std::size_t tables = 0;
  for (std::size_t at = page.find("<!-- "); at != std::string::npos; at = page.find("<!-- ", at + 1)) {
    const std::size_t end = page.find(" -->\n", at);
    const std::string name = page.substr(at + 5, end - at - 5);
    if (name.find(' ') != std::string::npos) continue;  // a sentence
    EXPECT_EQ(page.substr(end + 5, 2), "| ") << name;
    ++tables;
  }
  EXPECT_EQ(tables, 30u);
}

}  // namespace
}  // namespace mobula::test
