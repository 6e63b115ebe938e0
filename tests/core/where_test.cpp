// docs/where-does-x-go.md shows what is in the tree, and docs/testing.md names tests that there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "paths.h"

namespace mobula {
namespace {

std::string read(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(test::source_file(name)).rdbuf();
  return text.str();
}

/// Without spaces and line breaks, which follow from the width of lines.
std::string squeezed(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text;
}

/// True if the parts of `line` between "..." stand in the text one after the other.
bool has_line(const std::string& text, const std::string& line) {
  std::size_t at = 0;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find("...", begin), line.size());
    at = text.find(squeezed(line.substr(begin, end - begin)), at);
    if (at == std::string::npos) return false;
    begin = end + 3;
  }
  return true;
}

TEST(WhereDoesXGo, ShowsLinesOfTheTree) {
  std::istringstream page(read("docs/where-does-x-go.md"));
  bool in_diff = false;
  std::size_t checked = 0;
  std::string file, text;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      in_diff = line == "```diff";
    } else if (in_diff && line.starts_with(" ")) {
      file = line.substr(1);
      text = squeezed(read(file));
      EXPECT_FALSE(text.empty()) << file;
    } else if (in_diff && line.starts_with("+")) {
      ++checked;
      EXPECT_TRUE(has_line(text, line.substr(1))) << file << " has no " << line.substr(1);
    }
  }
  EXPECT_GT(checked, 25u);
}

/// Files named in code, one for each machine where the name has <m>.
TEST(WhereDoesXGo, NamesFilesThatExist) {
  const std::string page = read("docs/where-does-x-go.md");
  std::size_t named = 0;
  for (std::size_t begin = page.find('`'); begin != std::string::npos; begin = page.find('`', begin + 1)) {
    const std::size_t end = page.find('`', begin + 1);
    const std::string name = page.substr(begin + 1, end - begin - 1);
    begin = end;
    if (!name.starts_with("src/") && !name.starts_with("docs/") && !name.starts_with("include/")) continue;
    if (name.find_first_of("<*…") != std::string::npos) continue;
    ++named;
    EXPECT_TRUE(std::filesystem::exists(test::source_file(name))) << name;
  }
  EXPECT_GT(named, 20u);
}

/// "Suite.Name" of every test in a file, and "Suite.*".
void add_tests(const std::string& text, std::set<std::string>& names) {
  for (std::size_t at = text.find("\nTEST"); at != std::string::npos; at = text.find("\nTEST", at + 1)) {
    const std::size_t begin = text.find('(', at), comma = text.find(',', begin), end = text.find(')', comma);
    if (end == std::string::npos) return;
    const std::string suite = squeezed(text.substr(begin + 1, comma - begin - 1));
    names.insert(suite + '.' + squeezed(text.substr(comma + 1, end - comma - 1)));
    names.insert(suite + ".*");
  }
}

TEST(Testing, NamesTestsThatExist) {
  std::set<std::string> tests;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_file("tests")))
    if (entry.path().extension() == ".cpp") {
      std::ifstream file(entry.path());
      add_tests({std::istreambuf_iterator<char>(file), {}}, tests);
    }
  const std::string page = read("docs/testing.md");
  const std::size_t first = page.find("| promise |"), last = page.find("\n\n", first);
  ASSERT_NE(last, std::string::npos);
  std::size_t named = 0;
  for (std::size_t begin = page.find('`', first); begin < last; begin = page.find('`', begin + 1)) {
    const std::size_t end = page.find('`', begin + 1);
    EXPECT_TRUE(tests.contains(page.substr(begin + 1, end - begin - 1))) << page.substr(begin + 1, end - begin - 1);
    begin = end;
    ++named;
  }
  EXPECT_GT(named, 60u);
}

}  // namespace
}  // namespace mobula
