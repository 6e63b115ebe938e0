// The commands of docs/documents/*.md, docs/tutorials/*.md, and of pages with console blocks beside them, print what
// stands after them; those of sh blocks of all pages succeed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>

#include "paths.h"
#include "shell.h"

namespace mobula::test {
namespace {

struct Shown {
  std::string command;
  std::vector<std::string> output;
  int line = 0;
};

/// The commands of the console blocks: a line that begins with "$ ", and the output up to the next one.
std::vector<Shown> shown_commands(const std::string& page) {
  std::istringstream text(page);
  std::vector<Shown> found;
  bool in_block = false;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.starts_with("```"))
      in_block = line == "```console";
    else if (in_block && line.starts_with("$ "))
      found.push_back({line.substr(2), {}, number});
    else if (in_block && !found.empty())
      found.back().output.push_back(line);
  }
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Whether `actual` is `expected`, in which a line "..." stands for any number of lines.
bool agrees(std::span<const std::string> expected, std::span<const std::string> actual) {
  if (expected.empty()) return actual.empty();
  if (expected.front() != "...")
    return !actual.empty() && expected.front() == actual.front() && agrees(expected.subspan(1), actual.subspan(1));
  for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped)
    if (agrees(expected.subspan(1), actual.subspan(skipped))) return true;
  return false;
}

std::vector<std::string> pages() {
  std::vector<std::string> names{"compile", "debugging", "rules/README"};
  for (const std::string folder : {"documents", "tutorials"})
    for (const auto& page : std::filesystem::directory_iterator(source_file("docs/" + folder)))
      if (page.path().extension() == ".md") names.push_back(folder + '/' + page.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Documents : public testing::TestWithParam<std::string> {};

TEST_P(Documents, EveryCommandPrintsWhatThePageSays) {
  const std::string page = "docs/" + GetParam() + ".md";
  const std::string bin = std::filesystem::path(command_file()).parent_path().string();
  const Folder folder;  // files that commands write stay in it; the examples are linked into it
  for (const std::string shown : {"examples", "docs"})
    std::filesystem::create_directory_symlink(source_file(shown), folder.file(shown));
  const std::vector<Shown> all = shown_commands(read(source_file(page)));
  EXPECT_FALSE(all.empty());
  const auto compiles = [](const Shown& shown) { return shown.command.find("mobula compile ") != std::string::npos; };
  if (std::ranges::any_of(all, compiles) && run({"compile", "--help"}).status != 0)
    GTEST_SKIP() << "the command is built without compilers";
  for (const Shown& shown : all) {
    const std::string script = folder.file(
        "command.sh", "cd '" + folder.file("") + "' && PATH='" + bin + "':$PATH && set -o pipefail; " + shown.command);
    const std::string out = folder.file("printed");
    ASSERT_NE(std::system(("bash '" + script + "' >'" + out + "' 2>&1").c_str()), -1);
    EXPECT_TRUE(agrees(shown.output, lines_of(read(out)))) << page << ':' << shown.line << ": " << shown.command << '\n'
                                                           << read(out);
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& page) {
  std::string name = page.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Pages, Documents, testing::ValuesIn(pages()), name_of);

// ------------------------------------------------------------------------------------------------ sh blocks

/// Lines of the blocks whose output is not shown.
std::vector<std::string> shell_lines(const std::string& page) {
  std::vector<std::string> found;
  bool in_block = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```"))
      in_block = line == "```sh";
    else if (in_block)
      found.push_back(line);
  }
  return found;
}

std::vector<std::string> pages_with_shell() {
  std::vector<std::string> names;
  const std::filesystem::path docs = source_file("docs");
  for (const auto& page : std::filesystem::recursive_directory_iterator(docs))
    if (page.path().extension() == ".md" && !shell_lines(read(page.path())).empty())
      names.push_back(std::filesystem::relative(page.path(), docs).replace_extension().string());
  std::sort(names.begin(), names.end());
  return names;
}

class ShellBlocks : public testing::TestWithParam<std::string> {};

TEST_P(ShellBlocks, EveryLineSucceeds) {
  const std::string page = "docs/" + GetParam() + ".md";
  const std::string bin = std::filesystem::path(command_file()).parent_path().string();
  const Folder folder;
  for (const std::string shown : {"examples", "docs", "tests"})
    std::filesystem::create_directory_symlink(source_file(shown), folder.file(shown));
  const bool compiles = run({"compile", "--help"}).status == 0;
  for (const std::string& line : shell_lines(read(source_file(page)))) {
    const auto has = [&line](const char* word) { return line.find(word) != std::string::npos; };
    const bool has_source = has(".frag ") || has(".vert ") || has("mobula compile ");
    if (!compiles && has_source) continue;
    const std::string script = folder.file(
        "command.sh", "cd '" + folder.file("") + "' && PATH='" + bin + "':$PATH && set -e -o pipefail; " + line);
    const std::string out = folder.file("printed");
    EXPECT_EQ(std::system(("bash '" + script + "' </dev/null >'" + out + "' 2>&1").c_str()), 0)
        << page << ": " << line << '\n'
        << read(out);
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, ShellBlocks, testing::ValuesIn(pages_with_shell()), name_of);

}  // namespace
}  // namespace mobula::test
