// The servers as processes: what is at their ends. What they answer is tested in tests/servers.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cli/servers/port.h"
#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> gdbserver(const std::vector<std::string>& more = {}) {
  return with({"gdbserver", example("checker.frag.bin"), "--inputs", example("checker.inputs.json")}, more);
}

std::string head_and(const std::string& content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
}

TEST(Servers, GdbAtStandardInput) {
  const Outcome outcome = run(gdbserver(), "+$?#3f+$D#44");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "+$T05thread:1;20:0000000000000000;#ae+$OK#9a");
  EXPECT_EQ(run(gdbserver(), "").status, 0) << "it ends with its client";
  EXPECT_EQ(run(gdbserver(), "$c#63").status, 0) << "also while the program runs";
  EXPECT_EQ(run(gdbserver(), "nonsense \x03\x03 ").status, 0);
  const Outcome half = run(gdbserver(), "+$?#3f+$m0,1");
  EXPECT_EQ(half.status, 2);
  EXPECT_THAT(half.err, HasSubstr("GDB ended in the middle of a packet: only '$m0,1' came"));
  EXPECT_THAT(half.out, HasSubstr("+$T05thread:1;")) << "what was asked before is answered";
  const Outcome endless = run(gdbserver(), '$' + std::string(std::size_t{17} << 20, 'a'));
  EXPECT_EQ(endless.status, 2);
  EXPECT_THAT(endless.err, HasSubstr("GDB ended in the middle of a packet: only '$aaaa"));
}

/// More of it is in scripts/check-servers.
TEST(Servers, RealGdb) {
  if (std::system("command -v gdb-multiarch >/dev/null") != 0) GTEST_SKIP() << "gdb-multiarch is not installed";
  const Folder folder;
  std::string server = '\'' + command_file() + '\'';
  for (const std::string& word : gdbserver()) server += " '" + word + '\'';
  folder.file("commands", "target remote | " + server + "\nstepi\nstepi\nreverse-stepi\np $r0.f[0]\nmonitor where\n");
  ASSERT_EQ(std::system(("gdb-multiarch -nx -batch -x '" + folder.file("commands") + "' >'" + folder.file("out") +
                         "' 2>&1 </dev/null")
                            .c_str()),
            0);
  EXPECT_THAT(read(std::filesystem::path(folder.file("out"))), HasSubstr("$1 = 2\nthread 0 at 0x0010: LD_VARY"));
}

TEST(Servers, GdbOnAPort) {
  const std::uint16_t port = free_port();
  Outcome outcome;
  std::thread server([&] { outcome = run(gdbserver({"--port", std::to_string(port)})); });
  const int client = client_of(port);
  const std::string_view packets = "$?#3f";
  EXPECT_EQ(send(client, packets.data(), packets.size(), 0), static_cast<ssize_t>(packets.size()));
  std::string back(35, ' ');
  for (std::size_t got = 0; got < back.size();) {
    const ssize_t bytes = recv(client, back.data() + got, back.size() - got, 0);
    if (bytes <= 0) break;
    got += static_cast<std::size_t>(bytes);
  }
  EXPECT_EQ(back, "+$T05thread:1;20:0000000000000000;#");
  close(client);  // without a word
  server.join();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "listening on 127.0.0.1:" + std::to_string(port) + "\n");
}

TEST(Servers, GdbOnAPortThatIsTaken) {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(number, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(number, 1), 0);
  ASSERT_EQ(getsockname(number, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Outcome taken = run(gdbserver({"--port", std::to_string(ntohs(address.sin_port))}));
  close(number);
  EXPECT_EQ(taken.status, 2);
  EXPECT_THAT(taken.err, HasSubstr("cannot listen on port "));
  EXPECT_EQ(run(gdbserver({"--port", "70000"})).status, 2);
}

TEST(Servers, GdbTakesWhatRunTakes) {
  EXPECT_EQ(run({"gdbserver", "-"}, "x").status, 2);
  const Outcome firmware = run({"gdbserver", "-m", "afuc:a630", example("firmware.afuc")});
  EXPECT_EQ(firmware.status, 2);
  EXPECT_THAT(firmware.err, HasSubstr("mobula debug steps firmware"));
  EXPECT_EQ(run(gdbserver({"--threads", "4", "--step-limit", "9", "--container", "raw", "--side",
                           example("checker.frag.json"), "--machine", "midgard:t860"}),
                "$qfThreadInfo#bb")
                .out,
            "+$m1,2,3,4#bb");
}

TEST(Servers, EditorsAtStandardInput) {
  const std::string hello = head_and(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
  const std::string shutdown = head_and(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})");
  const std::string exit = head_and(R"({"jsonrpc":"2.0","method":"exit"})");
  const Outcome good = run({"lsp"}, hello + shutdown + exit);
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.err, "");
  EXPECT_THAT(good.out, HasSubstr("\"hoverProvider\":true"));
  EXPECT_EQ(run({"lsp"}, hello + exit).status, 1);
  EXPECT_THAT(run({"lsp"}, hello + exit).err, HasSubstr("went away without \"shutdown\" before \"exit\"\n"));
  EXPECT_EQ(run({"lsp"}, hello).status, 1) << "without a word";
  EXPECT_THAT(run({"lsp"}, hello).err, HasSubstr("went away without \"shutdown\" and \"exit\"\n"));
  const Outcome half = run({"lsp"}, hello + shutdown.substr(0, shutdown.size() - 4));
  EXPECT_EQ(half.status, 2);
  EXPECT_THAT(half.err, HasSubstr("in the middle of a message: only 40 of its 44 bytes came [SV004]"));
  const Outcome nonsense = run({"lsp"}, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(nonsense.status, 2);
  EXPECT_THAT(nonsense.err, HasSubstr("SV001"));
}

}  // namespace
}  // namespace mobula::test
