// Ports of this computer's own address, for tests of servers.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace mobula::test {

/// A number that was free a moment ago.
inline std::uint16_t free_port() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(number, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(number, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(number);
  return ntohs(address.sin_port);
}

/// A client that comes as soon as somebody listens.
inline int client_of(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int attempt = 0; attempt < 2000; ++attempt) {
    const int number = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return number;
    close(number);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "nobody listens";
  return -1;
}

}  // namespace mobula::test
