// mobula dap as a process; what it answers is tested in tests/servers.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

std::string framed(const std::string& content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
}

TEST(DapCommand, AnswersUntilItIsToldToEnd) {
  const Outcome outcome = run({"dap"}, framed(R"({"seq":1,"type":"request","command":"initialize"})") +
                                           framed(R"({"seq":2,"type":"request","command":"disconnect"})") +
                                           framed(R"({"seq":3,"type":"request","command":"threads"})"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"request_seq\":1"));
  EXPECT_THAT(outcome.out, HasSubstr("\"command\":\"disconnect\"}"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("\"command\":\"threads\"")));
}

TEST(DapCommand, EndsWithItsClient) {
  const Outcome outcome = run({"dap"}, framed(R"({"seq":1,"type":"request","command":"initialize"})") + "Content-Le");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("the client ended in the middle of a message: only 'Content-Le' of its head came [SV004]"));
  EXPECT_THAT(outcome.out, HasSubstr("\"request_seq\":1"));
  EXPECT_EQ(run({"dap"}, framed(R"({"seq":1,"type":"request","command":"initialize"})")).status, 0);
}

TEST(DapCommand, RefusesWhatIsNoMessage) {
  const Outcome outcome = run({"dap"}, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("'GET / HTTP/1.1' is not the head of a message [SV001]"));
  const Outcome later =
      run({"dap"}, framed(R"({"seq":1,"type":"request","command":"initialize"})") + "nonsense\r\n\r\n");
  EXPECT_EQ(later.status, 2);
  EXPECT_THAT(later.out, HasSubstr("\"request_seq\":1")) << "what was asked before is answered";
}

/// The lines of the source are those that it stands at.
TEST(DapCommand, DebugsSourcesOfShaders) {
  if (run({"compile", "--help"}).status != 0) GTEST_SKIP() << "built without the compiler";
  const auto launched = [](const std::string& more) {
    return run({"dap"}, framed(R"({"seq":1,"type":"request","command":"initialize"})") +
                            framed(R"({"seq":2,"type":"request","command":"launch","arguments":{"program":")" +
                                   example("ripple.frag") + '"' + more + "}}") +
                            framed(R"({"seq":3,"type":"request","command":"configurationDone"})") +
                            framed(R"({"seq":4,"type":"request","command":"stackTrace","arguments":{"threadId":1}})") +
                            framed(R"({"seq":5,"type":"request","command":"disconnect"})"))
        .out;
  };
  const std::string out = launched(R"(,"machine":"midgard","inputs":")" + example("ripple.inputs.json") + '"');
  EXPECT_THAT(out, testing::ContainsRegex("\"line\":[1-9].*\"path\":\"[^\"]*ripple.frag\""));
  EXPECT_THAT(launched(""), HasSubstr("ripple.frag is the source of a shader, which is compiled for a machine"));
  EXPECT_THAT(launched(R"(,"machine":"afuc")"), HasSubstr("there is no compiler for afuc"));
}

TEST(DapCommand, IsUnderstoodByARealClient) {
  const std::filesystem::path clients =
      source_file("build/check-servers/node_modules/@vscode/debugadapter-testsupport");
  if (!std::filesystem::exists(clients) || std::system("command -v node >/dev/null") != 0)
    GTEST_SKIP() << "scripts/check-servers was not run here before: it fetches the client";
  const Folder folder;
  const std::string out = folder.file("out");
  const int status = std::system(
      ("'" + source_file("scripts/check-servers") + "' '" + command_file() + "' >'" + out + "' 2>&1").c_str());
  EXPECT_EQ(status, 0) << read(out);
}

}  // namespace
}  // namespace mobula::test
