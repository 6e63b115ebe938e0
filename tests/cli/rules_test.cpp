// Every rule of the machines' pages has a program in docs/rules that breaks it, and no other rule of its machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "paths.h"
#include "shell.h"

namespace mobula::test {
namespace {

constexpr std::array machines_with_rules{"midgard", "utgard-gp", "rogue", "afuc"};

/// Codes of the rows of docs/MACHINE-rules.md.
std::set<std::string> codes_of_page(const std::string& machine) {
  std::istringstream page(read(source_file("docs/" + machine + "-rules.md")));
  std::set<std::string> codes;
  for (std::string line; std::getline(page, line);)
    if (std::smatch found; std::regex_search(line, found, std::regex(R"(^\| ([A-Z]{2}\d{3}) \|)")))
      codes.insert(found[1]);
  return codes;
}

/// Programs by the name that they have without an extension.
std::map<std::string, std::filesystem::path> breaking_programs() {
  std::map<std::string, std::filesystem::path> found;
  for (const auto& file : std::filesystem::directory_iterator(source_file("docs/rules"))) {
    const std::string extension = file.path().extension().string();
    if (extension == ".json" || extension == ".md") continue;
    EXPECT_TRUE(found.emplace(file.path().stem().string(), file.path()).second) << file.path();
  }
  return found;
}

TEST(Rules, EachIsBrokenByItsProgramAlone) {
  const Folder folder;
  std::map<std::string, std::filesystem::path> all = breaking_programs();
  for (const std::string machine : machines_with_rules) {
    const std::set<std::string> codes = codes_of_page(machine);
    ASSERT_GT(codes.size(), 30u) << machine;
    for (const std::string& code : codes) {
      const auto program = all.extract(code);
      ASSERT_FALSE(program.empty()) << "docs/rules has no program that breaks " << code;
      std::string file = program.mapped().string();
      if (program.mapped().extension() == ".sh") {  // what is too long to store
        ASSERT_EQ(std::system(("sh '" + file + "' >'" + folder.file(code) + "'").c_str()), 0);
        file = folder.file(code);
      }
      std::vector<std::string> arguments{"check", "-m", machine, file};
      const std::filesystem::path side = source_file("docs/rules/" + code + ".json");
      if (std::filesystem::exists(side)) arguments = with(arguments, {"--side", side.string()});
      const std::string said = run(arguments).err;
      // What the bytes are comes with codes of its own; rules begin with the machine's letters. Notes follow from
      // errors.
      const std::regex finding(": (error|warning|note): .*\\[(" + code.substr(0, 2) + "\\d{3})\\]");
      std::set<std::string> broken;
      for (std::sregex_iterator at(said.begin(), said.end(), finding), end; at != end; ++at)
        if ((*at)[1] != "note" || (*at)[2] == code) broken.insert((*at)[2]);
      EXPECT_THAT(broken, testing::ElementsAre(code)) << said;
    }
  }
  for (const auto& [name, file] : all) ADD_FAILURE() << file << " is for no rule";
}

}  // namespace
}  // namespace mobula::test
