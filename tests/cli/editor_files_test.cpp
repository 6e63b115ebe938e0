// What editors colour text by is what the tables say, and what is stored is what is made of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "mobula/isa/machine.h"

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using ::testing::HasSubstr;

class EditorFiles : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(run({"pages", folder_.file("share")}).status, 0); }

  [[nodiscard]] std::string made(const std::string& name) const { return read(folder_.file("share/" + name)); }

 private:
  Folder folder_;
};

TEST_F(EditorFiles, OfVisualStudioCodeAreStoredAsTheyAreMade) {
  for (const auto& stored : std::filesystem::directory_iterator(source_file("editors/vscode/syntaxes"))) {
    const std::string name = stored.path().filename().string();
    EXPECT_EQ(read(stored.path()), made("mobula/editors/vscode/syntaxes/" + name))
        << "mobula pages FOLDER makes it anew: copy it to editors/vscode/syntaxes";
  }
}

TEST_F(EditorFiles, ThereIsOneOfEachForEveryMachine) {
  for (const Machine* machine : machines()) {
    const std::string name(machine->name());
    EXPECT_THAT(made("vim/vimfiles/syntax/" + name + ".vim"), HasSubstr("let b:current_syntax = \"" + name + "\""));
    EXPECT_THAT(made("mobula/editors/vscode/syntaxes/" + name + ".json"), HasSubstr("\"source.mobula." + name + '"'));
    EXPECT_THAT(made("vim/vimfiles/ftdetect/mobula.vim"),
                HasSubstr('*' + std::string(machine->extension()) + " setfiletype " + name));
    EXPECT_TRUE(std::filesystem::exists(source_file("editors/vscode/syntaxes/" + name + ".json"))) << name;
  }
}

TEST_F(EditorFiles, HoldEveryOperationOfTheTables) {
  for (const Machine* machine : machines()) {
    const std::string grammar = made("mobula/editors/vscode/syntaxes/" + std::string(machine->name()) + ".json");
    for (const char* title : {"ALU", "mul.op", "phase 0", "alu"})
      for (const ManualEntry& entry : machine->manual().entries) {
        if (!entry.title.starts_with(title)) continue;
        const std::string head = entry.mnemonic.substr(0, entry.mnemonic.find('.'));
        EXPECT_TRUE(std::regex_search(grammar, std::regex("[|:]" + head + "[|)]"))) << machine->name() << ' ' << head;
      }
  }
}

/// Vim, asked for the colours of lines.
TEST_F(EditorFiles, OfVimColourText) {
  if (std::system("command -v vim >/dev/null") != 0) GTEST_SKIP() << "vim is not installed";
  const Folder folder;
  ASSERT_EQ(run({"pages", folder.file("share")}).status, 0);
  struct Case {
    std::string file, line;
    int column;
    std::string group;
  };
  for (const Case& each : {Case{"a.mdg", "  vmul.FMUL.f32 R0, R1, #2.0 // twice", 3, "mobulaType"},
                           Case{"a.mdg", "  vmul.FMUL.f32 R0, R1, #2.0 // twice", 8, "mobulaStatement"},
                           Case{"a.mdg", "  vmul.FMUL.f32 R0, R1, #2.0 // twice", 17, "mobulaIdentifier"},
                           Case{"a.mdg", "  vmul.FMUL.f32 R0, R1, #2.0 // twice", 31, "mobulaComment"},
                           Case{"a.mdg", "L13:", 1, "mobulaLabel"},
                           Case{"a.afuc", "(rep)cwrite $memdata, [$00 + @REG_WRITE] ; all", 2, "mobulaSpecial"},
                           Case{"a.afuc", "(rep)cwrite $memdata, [$00 + @REG_WRITE] ; all", 6, "mobulaStatement"},
                           Case{"a.afuc", "(rep)cwrite $memdata, [$00 + @REG_WRITE] ; all", 30, "mobulaIdentifier"},
                           Case{"a.afuc", "(rep)cwrite $memdata, [$00 + @REG_WRITE] ; all", 42, "mobulaComment"},
                           Case{"a.gpasm", "{ p0 = attr0; m0 = mul p0.x, ld.y }", 20, "mobulaStatement"},
                           Case{"a.rgasm", "main { s0 = r4; p0: fmul ft0, s0, s1; w0 = r6 }", 17, "mobulaType"},
                           Case{"a.rgasm", "main { s0 = r4; p0: fmul ft0, s0, s1; w0 = r6 }", 21, "mobulaStatement"},
                           Case{"a.sb", "0 mul d=I1 s=I2,I3 # first", 3, "mobulaStatement"},
                           Case{"a.sb", "0 mul d=I1 s=I2,I3 # first", 9, "mobulaIdentifier"}}) {
    const std::string file = folder.file(each.file, each.line + '\n'), out = folder.file("group");
    const std::string script = folder.file(
        "ask.vim", "set runtimepath^=" + folder.file("share/vim/vimfiles") + "\nfiletype plugin on\nsyntax on\nedit " +
                       file + "\ncall writefile([synIDattr(synID(1, " + std::to_string(each.column) +
                       ", 1), 'name')], '" + out + "')\nquitall!\n");
    ASSERT_EQ(std::system(("vim -u NONE -N -es -S '" + script + "' </dev/null").c_str()), 0) << read(script);
    EXPECT_EQ(read(out), each.group + '\n') << each.line << " at " << each.column;
  }
}

TEST(CompilerExplorer, RunsCommandsThatPrintMachineCode) {
  std::ifstream file(source_file("editors/compiler-explorer/glsl.local.properties"));
  std::map<std::string, std::string> properties;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#')
      properties[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  EXPECT_EQ(properties["compilers"], "&mobula");
  EXPECT_TRUE(std::regex_search(run({"--version"}).out, std::regex(properties["group.mobula.versionRe"])));
  const Folder folder;
  const std::string vertex = folder.file("vertex", "attribute vec4 p; void main() { gl_Position = p * 2.0; }\n");
  const std::string fragment =
      folder.file("fragment", "precision mediump float; uniform vec4 c; void main() { gl_FragColor = c * 2.0; }\n");
  if (run({"--version"}).out.find("compiler of shaders: no") != std::string::npos) GTEST_SKIP() << "no compiler";
  std::istringstream ids(properties["group.mobula.compilers"]);
  int compilers = 0;
  for (std::string id; std::getline(ids, id, ':'); ++compilers) {
    EXPECT_EQ(properties["compiler." + id + ".exe"], "/usr/bin/mobula");
    EXPECT_NE(properties["compiler." + id + ".name"], "");
    std::istringstream options(properties["compiler." + id + ".options"]);
    std::vector<std::string> words{std::istream_iterator<std::string>(options), {}};
    // Of the name that Compiler Explorer gives to sources.
    const bool is_vertex = id.ends_with("vertex");
    std::filesystem::copy_file(is_vertex ? vertex : fragment, folder.file("example.glsl"),
                               std::filesystem::copy_options::overwrite_existing);
    words.push_back(folder.file("example.glsl"));
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << id << '\n' << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(".machine ")) << id;
  }
  EXPECT_EQ(compilers, 5);
}

}  // namespace
}  // namespace mobula::test
