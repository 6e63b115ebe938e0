#include "cli/servers/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cli/command.h"

namespace mobula::cli {
namespace {

/// A pipe or socket that poll() calls writable takes this much without blocking.
constexpr std::size_t piece_bytes = 4096;
constexpr int patience_ms = 30'000;

}  // namespace

Descriptor::Descriptor(int number) : number_(number) {
  if (number < 0) throw usage_error(std::string("cannot listen: ") + std::strerror(errno));
}
Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Listener::Listener(std::uint16_t wanted, int waiting) : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int reuse = 1;
  setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(wanted);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(socket.number(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(socket.number(), waiting) != 0 ||
      getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw usage_error("cannot listen on port " + std::to_string(wanted) + ": " + std::strerror(errno),
                      "--port 0 takes any that is free");
  port = ntohs(address.sin_port);
}

Connection::Connection(int input, int output, bool owned) : input_(input), output_(output), owned_(owned) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that leaves is an answer, not our end
}

Connection::Connection(Connection&& other) noexcept
    : input_(other.input_), output_(other.output_), owned_(std::exchange(other.owned_, false)) {}

Connection::~Connection() {
  if (owned_) close(input_);
}

Connection Connection::standard() { return {STDIN_FILENO, STDOUT_FILENO, false}; }

Connection Connection::accept(std::uint16_t port) {
  const Listener listener(port, 1);
  std::fprintf(stderr, "listening on 127.0.0.1:%d\n", listener.port);
  int client = -1;
  do client = accept4(listener.socket.number(), nullptr, nullptr, SOCK_CLOEXEC);
  while (client < 0 && errno == EINTR);
  if (client < 0) throw usage_error(std::string("no client came: ") + std::strerror(errno));
  return {client, client, true};
}

std::optional<std::string> Connection::read(bool wait) {
  pollfd waiting{input_, POLLIN, 0};
  const int ready = poll(&waiting, 1, wait ? -1 : 0);
  if (ready < 0 && errno != EINTR) return {};
  if (ready <= 0) return std::string();
  std::array<char, piece_bytes> piece;
  const ssize_t bytes = ::read(input_, piece.data(), piece.size());
  if (bytes < 0 && errno == EINTR) return std::string();
  if (bytes <= 0) return {};
  return std::string(piece.data(), static_cast<std::size_t>(bytes));
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd waiting{output_, POLLOUT, 0};
    const int ready = poll(&waiting, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t written = ::write(output_, bytes.data(), std::min(bytes.size(), piece_bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace mobula::cli
