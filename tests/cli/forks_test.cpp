#include "forks/client.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

/// An environment for the loader makes a test start the command itself.
const std::vector<std::string> by_exec{"LD_BIND_NOW=1"};

TEST(Forks, GiveWhatExecGives) {
  const Folder folder;
  const std::string lines = "step\nprint\nquit\n", checker = example("checker.frag.bin");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"disasm", checker}, {"disasm", "nowhere"}, {"--nothing"}, {}, {"debug", checker}}) {
    const Outcome forked = run(words, lines, {"CLICOLOR_FORCE=1", "COLUMNS=70"});
    const Outcome started = run(words, lines, with({"CLICOLOR_FORCE=1", "COLUMNS=70"}, by_exec));
    EXPECT_EQ(forked.status, started.status);
    EXPECT_EQ(forked.out, started.out);
    EXPECT_EQ(forked.err, started.err);
  }
}

TEST(Forks, AreUsed) {
  if (std::getenv("MOBULA_COMMAND") != nullptr) GTEST_SKIP() << "a command of another build is started by exec";
  const Folder folder;
  const std::string out = folder.file("out");
  const auto start = [&](std::vector<std::string> environment) {
    return run_forked({{command_file(), "--version"}, std::move(environment), "/dev/null", out, folder.file("err")},
                      [](pid_t) {});
  };
  EXPECT_EQ(start({}), 0);
  EXPECT_NE(read(out).find("mobula 0"), std::string::npos);
  EXPECT_FALSE(start(by_exec));
}

}  // namespace
}  // namespace mobula::test
