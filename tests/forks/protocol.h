// What a test and the server that forks for it tell each other through a socket: the size of a request and its strings;
// the number of the process, and once that has ended its status as waitpid() gives it.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>

namespace mobula::test {

/// Says to the server which of its files the socket is.
constexpr const char* variable_of_socket = "MOBULA_TEST_FORKS";

/// The strings of a request by number; behind the arguments are the variables of the environment.
struct Request {
  enum : std::size_t { folder, in, out, err, arguments_count, arguments };
};

/// False at the end of the other side.
inline bool receive(int socket, void* into, std::size_t size) {
  for (auto* at = static_cast<char*>(into); size != 0;) {
    const ssize_t got = recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}
inline bool transmit(int socket, const void* from, std::size_t size) {
  for (const auto* at = static_cast<const char*>(from); size != 0;) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace mobula::test
