// "mobula serve" as a process; what it answers is tested in tests/servers.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cli/servers/port.h"
#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The command while it serves, which ends by itself.
class Serving {
 public:
  explicit Serving(const std::string& place, std::vector<std::string> more = {"--idle", "1"})
      : port_(free_port()), command_([this, place, more = std::move(more)] {
          outcome_ = run(with({"serve", place, "--port", std::to_string(port_)}, more));
        }) {}
  ~Serving() {
    if (command_.joinable()) command_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// All that comes back for these bytes.
  [[nodiscard]] std::string say(const std::string& bytes) const {
    const int client = client_of(port_);
    EXPECT_EQ(send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    std::string back(1 << 16, ' ');
    std::string all;
    for (ssize_t got = 0; (got = recv(client, back.data(), back.size(), 0)) > 0;)
      all.append(back, 0, static_cast<std::size_t>(got));
    close(client);
    return all;
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    return say("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n");
  }
  /// Waits for its end.
  const Outcome& end() {
    command_.join();
    return outcome_;
  }

 private:
  std::uint16_t port_;
  Outcome outcome_;
  std::thread command_;
};

TEST(Serve, GivesAFolderAndNothingAroundIt) {
  const Folder folder;
  std::filesystem::create_directories(folder.file("site/deep"));
  folder.file("secret.txt", "secret");
  folder.file("site/index.html", std::string(3'000'000, 'x'));
  folder.file("site/deep/a.txt", "deep");
  std::filesystem::create_symlink("../secret.txt", folder.file("site/link.txt"));
  std::filesystem::create_directory_symlink("..", folder.file("site/up"));
  Serving serving(folder.file("site"));
  EXPECT_THAT(serving.get("/"),
              testing::AllOf(StartsWith("HTTP/1.1 200 OK"), testing::SizeIs(testing::Gt(3'000'000u))));
  EXPECT_THAT(serving.get("/deep/a.txt"), HasSubstr("\r\n\r\ndeep"));
  for (const char* path :
       {"/link.txt", "/up/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/deep/../../secret.txt"})
    EXPECT_THAT(serving.get(path), StartsWith("HTTP/1.1 404 ")) << path;
  folder.file("site/late.txt", "late");
  EXPECT_THAT(serving.get("/late.txt"), StartsWith("HTTP/1.1 404 ")) << "it serves what was there when it started";
  EXPECT_THAT(serving.say("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), StartsWith("HTTP/1.1 421 "));
  EXPECT_EQ(serving.say(std::string("\0\0\0\r\n\r\n", 7)).substr(0, 13), "HTTP/1.1 400 ");
  const Outcome& outcome = serving.end();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "serving at http://127.0.0.1:" + std::to_string(serving.port()) + "/, until Ctrl-C\n");
}

TEST(Serve, AnswersOthersWhileOneIsSlow) {
  const Folder folder;
  Serving serving(folder.file("a.html", "page"));
  const int slow = client_of(serving.port());
  EXPECT_EQ(send(slow, "GET ", 4, 0), 4);
  const int gone = client_of(serving.port());
  close(gone);
  EXPECT_THAT(serving.get("/"), HasSubstr("\r\n\r\npage"));
  EXPECT_THAT(serving.get("/a.html"), HasSubstr("\r\n\r\npage"));
  close(slow);
  EXPECT_EQ(serving.end().status, 0);
}

TEST(Serve, IsReachedOnTheLoopbackAddressAlone) {
  const Folder folder;
  Serving serving(folder.file("a.html", "page"));
  close(client_of(serving.port()));
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(serving.port());
  address.sin_addr.s_addr = htonl(0x7F000002);  // 127.0.0.2, which a server of all addresses would have
  EXPECT_NE(connect(other, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(other);
  EXPECT_EQ(serving.end().status, 0);
}

TEST(Serve, EndsOnASignal) {
  const Folder folder;
  const std::string page = folder.file("a.html", "page");
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::uint16_t port = free_port();
    const Outcome outcome = signalled({"serve", page, "--port", std::to_string(port), "--idle", "60"}, signal,
                                      [&] { close(client_of(port)); });
    EXPECT_EQ(outcome.status, 0) << signal;
    EXPECT_THAT(outcome.err, testing::EndsWith("until Ctrl-C\n")) << signal;
  }
}

TEST(Serve, SaysWhatItCannotServe) {
  const Folder folder;
  const Outcome none = run({"serve", folder.file("none")});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("it is neither a folder nor a file"));
  std::filesystem::create_directory(folder.file("empty"));
  EXPECT_THAT(run({"serve", folder.file("empty")}).err, HasSubstr("it holds no files"));
  const Outcome missing = run({"serve"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("scripts/build-page makes it"));
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Outcome busy = run({"serve", folder.file("a.html", "page"), "--port", std::to_string(ntohs(address.sin_port))});
  close(taken);
  EXPECT_EQ(busy.status, 2);
  EXPECT_THAT(busy.err, HasSubstr("cannot listen on port "));
}

TEST(Serve, OpensTheBrowserWhenAsked) {
  const Folder folder;
  const std::string page = folder.file("a.html", "page"), opened = folder.file("opened");
  const std::string browser = folder.file("xdg-open", "#!/bin/sh\nprintf %s \"$1\" > '" + opened + "'\n");
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  const std::string path = "PATH=" + folder.file("") + ":" + std::getenv("PATH");
  EXPECT_EQ(run({"serve", page, "--port", "0", "--idle", "1"}, {}, {path}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(opened));
  const Outcome asked = run({"serve", page, "--port", "0", "--idle", "1", "--open"}, {}, {path});
  EXPECT_EQ(asked.status, 0);
  EXPECT_EQ("serving at " + read(std::filesystem::path(opened)) + ", until Ctrl-C\n", asked.err);
}

}  // namespace
}  // namespace mobula::test
