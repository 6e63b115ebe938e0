// The folders of src: each belongs to one library, each source is listed once, and includes point down only.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "paths.h"

namespace mobula {
namespace {

namespace fs = std::filesystem;

fs::path src() { return test::source_file("src"); }

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> files_of_src() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(src()))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), src()));
  return files;
}

/// What the lists of sources say.
struct Lists {
  std::map<std::string, std::set<std::string>> libraries;  ///< of each folder, in the words of paths below src
  std::map<std::string, int> sources;                      ///< how often each is listed

  Lists() {
    for (const fs::path& file : files_of_src())
      if (file.filename() == "CMakeLists.txt") read(file);
  }

 private:
  void read(const fs::path& list) {
    static const std::regex call(R"(\n *mobula_folder\((\S+)\s+(\S+)(?:\s+COLD)?([^)]*)\))");
    const std::string text = '\n' + text_of(src() / list);
    for (std::sregex_iterator each(text.begin(), text.end(), call), end; each != end; ++each) {
      const fs::path folder = (list.parent_path() / (*each)[2].str()).lexically_normal();
      std::string name = folder.generic_string();
      if (name.ends_with('/')) name.pop_back();
      libraries[name].insert((*each)[1]);
      std::istringstream names((*each)[3]);
      for (std::string source; names >> source;) ++sources[name + '/' + source];
    }
  }
};

const Lists& lists() {
  static const Lists the_lists;
  return the_lists;
}

TEST(Folders, BelongToOneLibrary) {
  ASSERT_GT(lists().libraries.size(), 30u);
  for (const auto& [folder, libraries] : lists().libraries) EXPECT_EQ(libraries.size(), 1u) << folder;
}

TEST(Folders, ListEverySourceOnce) {
  std::set<std::string> files;
  for (const fs::path& file : files_of_src())
    if (file.extension() == ".cpp") files.insert(file.generic_string());
  for (const std::string& file : files)
    EXPECT_EQ(lists().sources.contains(file) ? lists().sources.at(file) : 0, 1) << file;
  for (const auto& [source, count] : lists().sources) EXPECT_TRUE(files.contains(source)) << source;
}

// ------------------------------------------------------------------------------------------------ includes

struct Include {
  fs::path from;     ///< file below src
  std::string what;  ///< as it is written
};

std::vector<Include> includes() {
  constexpr std::string_view directive = "#include \"";
  std::vector<Include> all;
  for (const fs::path& file : files_of_src()) {
    std::ifstream text(src() / file);
    for (std::string line; std::getline(text, line);)
      if (line.starts_with(directive))
        all.push_back({file, line.substr(directive.size(), line.rfind('"') - directive.size())});
  }
  return all;
}

std::string folder_of(const fs::path& file) { return file.parent_path().generic_string(); }

/// The library of a file below src or of a public header.
std::string library_of(const std::string& file) {
  const auto found = lists().libraries.find(folder_of(file));
  if (found != lists().libraries.end()) return *found->second.begin();
  if (file.starts_with("mobula/compile/")) return "mobula-compile";
  return file.starts_with("mobula/lab/") || file.starts_with("mobula/scoreboard/") ? "mobula-lab" : "mobula-isa";
}

/// The machine that a file belongs to; empty where it belongs to all.
std::string machine_of(const std::string& file) {
  static const std::regex place("machines/([a-z_0-9]+)/.*");
  std::smatch match;
  return std::regex_match(file, match, place) ? match[1].str() : "";
}

/// True for the tables of a machine.
bool is_spec(const std::string& file) { return !machine_of(file).empty() && folder_of(file).ends_with("/spec"); }

/// Libraries, and the command last: each may include those in front of it.
bool points_up(const Include& include) {
  constexpr std::array<std::string_view, 6> order{"mobula-isa",     "mobula-lab", "mobula-compile",
                                                  "mobula-servers", "mobula-cli", "mobula-jit"};
  const auto height = [&](const std::string& file) { return std::ranges::find(order, library_of(file)); };
  return height(include.from.generic_string()) < height(include.what);
}
bool leaves_machine(const Include& include) {
  const std::string from = machine_of(include.from.generic_string()), to = machine_of(include.what);
  return !from.empty() && !to.empty() && from != to;
}
bool leaves_spec(const Include& include) {
  return is_spec(include.from.generic_string()) && !machine_of(include.what).empty() && !is_spec(include.what);
}

TEST(Folders, IncludeNothingAboveThem) {
  const std::vector<Include> all = includes();
  ASSERT_GT(all.size(), 1000u);
  for (const Include& include : all) {
    EXPECT_FALSE(points_up(include)) << include.from << " includes " << include.what << " of "
                                     << library_of(include.what);
    EXPECT_FALSE(leaves_machine(include)) << include.from << " includes " << include.what << " of another machine";
    EXPECT_FALSE(leaves_spec(include)) << include.from << " includes " << include.what << ", which reads spec";
  }
}

TEST(Folders, KnowWhatPointsUp) {
  EXPECT_TRUE(points_up({"core/lexer.cpp", "mobula/lab/run.h"}));
  EXPECT_TRUE(points_up({"machines/afuc/lift/lift.cpp", "machines/afuc/run/emulator.h"}));
  EXPECT_TRUE(points_up({"execute/debugger.cpp", "servers/messages.h"}));
  EXPECT_TRUE(points_up({"servers/messages.cpp", "cli/command.h"}));
  EXPECT_TRUE(points_up({"io/load.cpp", "mobula/compile/shader.h"}));
  EXPECT_TRUE(points_up({"machines/midgard/run/feeding.cpp", "machines/midgard/compile/back_end.h"}));
  EXPECT_TRUE(points_up({"cli/run/run.cpp", "jit/shape.h"}));
  EXPECT_FALSE(points_up({"jit/emit.cpp", "execute/native.h"}));
  EXPECT_FALSE(points_up({"machines/afuc/run/emulator.cpp", "execute/processor.h"}));
  EXPECT_FALSE(points_up({"servers/messages.cpp", "mobula/lab/debugger.h"}));
  EXPECT_FALSE(points_up({"cli/debug/debug.cpp", "servers/messages.h"}));
  EXPECT_TRUE(leaves_machine({"machines/afuc/lift/lift.cpp", "machines/rogue/spec/spec.h"}));
  EXPECT_TRUE(leaves_spec({"machines/rogue/spec/flow.cpp", "machines/rogue/text/print.h"}));
  EXPECT_FALSE(leaves_spec({"machines/rogue/text/print.cpp", "machines/rogue/spec/spec.h"}));
}

}  // namespace
}  // namespace mobula
