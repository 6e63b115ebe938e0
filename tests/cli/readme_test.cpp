// Every command of README.md does what it says, and its code is that of an example.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "paths.h"
#include "shell.h"

namespace mobula::test {
namespace {

/// The lines of the sh blocks that run mobula.
std::vector<std::string> commands() {
  std::istringstream readme(read(source_file("README.md")));
  std::vector<std::string> found;
  bool in_block = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("```"))
      in_block = line == "```sh";
    else if (in_block && line.find("mobula ") != std::string::npos)
      found.push_back(line);
  }
  return found;
}

TEST(Readme, EveryCommandSucceeds) {
  const Folder folder;
  // Files that commands write go to a folder of their own: the examples are linked into it.
  std::filesystem::create_directory_symlink(source_file("examples"), folder.file("examples"));
  const std::string bin = std::filesystem::path(command_file()).parent_path().string();
  const std::vector<std::string> all = commands();
  EXPECT_GT(all.size(), 12u);
  const bool compiles = run({"compile", "--help"}).status == 0;
  for (const std::string& command : all) {
    if (!compiles && command.find("ripple.frag") != std::string::npos) continue;
    const std::string line =
        "cd '" + folder.file("") + "' && PATH='" + bin + "':$PATH && set -e -o pipefail; " + command;
    folder.file("command.sh", line);
    const int status =
        std::system(("bash '" + folder.file("command.sh") + "' >'" + folder.file("out") + "' 2>&1").c_str());
    EXPECT_EQ(status, 0) << command << '\n' << read(folder.file("out"));
    EXPECT_GT(
        std::filesystem::file_size(folder.file("out")) + (command.find(" --konata ") != std::string::npos ? 1 : 0), 0u)
        << command;
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("textured.png")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("checker.perfetto")));
}

TEST(Readme, QuotesTheExampleAsItStands) {
  const std::string readme = read(source_file("README.md"));
  const std::string opening = "```cpp\n";
  ASSERT_NE(readme.find(opening), std::string::npos);
  const std::size_t begin = readme.find(opening) + opening.size();
  EXPECT_EQ(readme.substr(begin, readme.find("```", begin) - begin), read(source_file("examples/decode.cpp")));
}

}  // namespace
}  // namespace mobula::test
