#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/servers/connection.h"
#include "core/quote.h"
#include "servers/web_server.h"

extern char** environ;

namespace mobula::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Files = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t most_files = 2000, most_bytes = std::size_t{256} << 20, most_clients = 64;
constexpr auto patience = std::chrono::seconds(20);

Stop cannot_read(const fs::path& place, const std::string& why) {
  return usage_error("cannot serve " + place.string() + ": " + why);
}

/// Where the package puts it, as seen from the command that runs.
fs::path installed_page() {
  std::error_code failed;
  const fs::path command = fs::read_symlink("/proc/self/exe", failed);
  const fs::path place = command.parent_path() / MOBULA_PAGE_FROM_COMMAND;
  if (!failed && fs::is_directory(place, failed)) return place;
  throw usage_error("this mobula was installed without the page",
                    "scripts/build-page makes it; then: mobula serve build/web/mobula.html");
}

std::string content_of(const fs::path& file) {
  const std::vector<std::uint8_t> bytes = read_file(file.string());
  return {bytes.begin(), bytes.end()};
}

/// What is there now, and nothing that comes later: no request reaches the file system. Links are left out, for they
/// may lead out of the folder.
Files read_files(const fs::path& place) {
  std::error_code failed;
  const fs::file_status kind = fs::status(place, failed);
  Files files;
  if (fs::is_regular_file(kind)) {
    files.emplace('/' + place.filename().string(), content_of(place));
    return files;
  }
  if (!fs::is_directory(kind)) throw cannot_read(place, "it is neither a folder nor a file");
  std::size_t bytes = 0;
  for (fs::recursive_directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed)) {
    if (!fs::is_regular_file(at->symlink_status())) continue;
    bytes += at->file_size();
    if (files.size() == most_files || bytes > most_bytes)
      throw cannot_read(place, "it holds more than " + std::to_string(most_files) + " files or " +
                                   std::to_string(most_bytes >> 20) + " MiB");
    files.emplace('/' + at->path().lexically_relative(place).generic_string(), content_of(at->path()));
  }
  if (failed) throw cannot_read(place, failed.message());
  if (files.empty()) throw cannot_read(place, "it holds no files");
  return files;
}

/// One request, and what is left of its answer.
struct Client {
  Descriptor socket;
  Clock::time_point until;
  std::string received, answer;
  std::size_t sent = 0;
  bool answered = false;
};

/// False: the client is done with.
bool take_part(Client& client, const servers::WebServer& server) {
  if (!client.answered) {
    std::array<char, 4096> piece;
    const ssize_t bytes = recv(client.socket.number(), piece.data(), piece.size(), 0);
    if (bytes < 0) return errno == EAGAIN || errno == EINTR;
    if (bytes == 0) return false;
    client.received.append(piece.data(), static_cast<std::size_t>(bytes));
    auto answer = server.answer(client.received);
    if (!answer) return true;
    client.answer = *std::move(answer);
    client.answered = true;
  }
  while (client.sent < client.answer.size()) {
    const ssize_t bytes = send(client.socket.number(), client.answer.data() + client.sent,
                               client.answer.size() - client.sent, MSG_NOSIGNAL);
    if (bytes < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<std::size_t>(bytes);
    client.until = Clock::now() + patience;
  }
  shutdown(client.socket.number(), SHUT_WR);
  return false;
}

volatile std::sig_atomic_t over = 0;
void end_serving(int) { over = 1; }

/// Ctrl-C is how this ends, not an interruption. Signals come while poll waits, and at no other time.
class EndingSignals {
 public:
  EndingSignals() {
    struct sigaction action {};
    action.sa_handler = end_serving;
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before {};
      sigaction(signal, nullptr, &before);
      if (before.sa_handler == SIG_IGN) continue;
      sigaction(signal, &action, nullptr);
      sigaddset(&ending, signal);
    }
    sigprocmask(SIG_BLOCK, &ending, &while_waiting_);
  }
  [[nodiscard]] const sigset_t& while_waiting() const { return while_waiting_; }

 private:
  sigset_t while_waiting_{};
};

/// Until a signal, or until nobody has asked for so long.
void serve_clients(const Listener& listener, const servers::WebServer& server, const EndingSignals& signals,
                   std::optional<std::uint32_t> idle) {
  std::list<Client> clients;
  Clock::time_point last = Clock::now();
  while (over == 0) {
    std::vector<pollfd> waiting;
    for (const Client& client : clients)
      waiting.push_back({client.socket.number(), static_cast<short>(client.answered ? POLLOUT : POLLIN), 0});
    if (clients.size() < most_clients) waiting.push_back({listener.socket.number(), POLLIN, 0});
    const timespec moment{.tv_sec = clients.empty() && !idle ? 3600 : 1, .tv_nsec = 0};
    const int ready = ppoll(waiting.data(), waiting.size(), &moment, &signals.while_waiting());
    if (ready < 0 && errno != EINTR)
      throw usage_error(std::string("cannot wait for requests: ") + std::strerror(errno));
    const Clock::time_point now = Clock::now();
    std::size_t at = 0;
    const bool may_accept = clients.size() < most_clients;
    for (auto client = clients.begin(); client != clients.end(); ++at) {
      const bool goes_on =
          (ready <= 0 || waiting[at].revents == 0 || take_part(*client, server)) && now < client->until;
      client = goes_on ? std::next(client) : clients.erase(client);
    }
    if (ready > 0 && may_accept && waiting[at].revents != 0) {
      const int number = accept4(listener.socket.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (number >= 0) clients.push_back({.socket = Descriptor(number), .until = now + patience});
      last = now;
    }
    if (idle && clients.empty() && now - last >= std::chrono::seconds(*idle)) return;
  }
}

/// By what desktops open addresses with; it goes on by itself.
void open_in_browser(const std::string& address, const EndingSignals& signals) {
  std::string words[] = {"xdg-open", address};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals.while_waiting());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments[0], &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    throw usage_error(std::string("cannot start xdg-open: ") + std::strerror(failed),
                      "on Debian: apt-get install xdg-utils; or open " + address + " yourself, without --open");
}

}  // namespace

Exit serve(const ServeOptions& options) {
  Files files = read_files(options.place.empty() ? installed_page() : fs::path(options.place));
  const EndingSignals signals;
  const Listener listener(options.port, static_cast<int>(most_clients));
  const servers::WebServer server(std::move(files), listener.port);
  std::signal(SIGCHLD, SIG_IGN);  // the browser's end is nothing to us
  const std::string address = "http://127.0.0.1:" + std::to_string(listener.port) + '/';
  if (options.open) open_in_browser(address, signals);
  std::fprintf(stderr, "serving at %s, until Ctrl-C\n", address.c_str());
  serve_clients(listener, server, signals, options.idle);
  return Exit::done;
}

}  // namespace mobula::cli
