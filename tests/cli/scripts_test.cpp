// The scripts of the project say what they are for, and do nothing else when they are asked that; the campaign says how
// far it got.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr, testing::Not;

/// Of what the shell executes: both outputs, and the exit status.
Outcome shell(const Folder& folder, const std::string& line) {
  const std::string out = folder.file("said");
  const int status = std::system(("{ " + line + "; } >'" + out + "' 2>&1 </dev/null").c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = read(out), .err = {}};
}

std::vector<fs::path> scripts() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(source_file("scripts")))
    if (entry.is_regular_file() && access(entry.path().c_str(), X_OK) == 0) found.push_back(entry.path());
  return found;
}

TEST(Scripts, SayWhatTheyAreFor) {
  const Folder folder;
  ASSERT_GT(scripts().size(), 20u);
  for (const fs::path& script : scripts()) {
    SCOPED_TRACE(script);
    // Many build, install or fetch for minutes: those that would not look at the option are not started.
    const std::string text = read(script);
    const bool answers = text.find("/help.sh") != text.npos || text.find("script_help.answer()") != text.npos ||
                         text.find("ArgumentParser(description=__doc__") != text.npos;
    EXPECT_TRUE(answers) << "scripts/help.sh and scripts/script_help.py answer --help";
    if (!answers) continue;
    const Outcome help = shell(folder, "'" + script.string() + "' --help");
    EXPECT_EQ(help.status, 0) << help.out;
    EXPECT_THAT(help.out, HasSubstr(script.filename().string()));
    EXPECT_THAT(help.out, Not(HasSubstr("set -e")));
    EXPECT_GT(help.out.size(), 80u) << help.out;
    EXPECT_LT(help.out.size(), 4000u) << help.out;
    EXPECT_EQ(shell(folder, "'" + script.string() + "' -h").out, help.out);
  }
}

/// Hours of runs are not lost with the last one.
TEST(Scripts, ACampaignThatIsInterruptedSaysWhatItFound) {
  const Folder folder;
  const std::string work = folder.file("work"), list = folder.file("list");
  fs::create_directory(work);
  const Outcome outcome =
      shell(folder, "TMPDIR='" + work + "' '" + source_file("scripts/fuzz-command") + "' --mobula '" + command_file() +
                        "' --memory 0 --subcommands isa --runs 1000000000 --keep '" + folder.file("kept") +
                        "' --list '" + list + "' & until ls '" + work +
                        "'/*/run >/dev/null 2>&1; do sleep 0.1; done; sleep 1; kill $!; wait $!");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("fuzz-command: interrupted after "));
  EXPECT_THAT(outcome.out, HasSubstr(" runs: "));
  EXPECT_THAT(outcome.out, HasSubstr(" 0 internal errors, 0 bad\n"));
  EXPECT_TRUE(fs::exists(list));
  EXPECT_TRUE(fs::is_empty(work));
}

}  // namespace
}  // namespace mobula::test
