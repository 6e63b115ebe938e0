// The client of a server: whoever is at standard input and output, or the first one that comes to a port of this
// computer's own address. Nothing here blocks for ever on a client that stopped reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::cli {

class Connection {
 public:
  static Connection standard();
  /// Waits on 127.0.0.1 for one client, and says on standard error where; port 0 is any that is free.
  static Connection accept(std::uint16_t port);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;

  /// What has come, no more than a few kilobytes; empty if nothing has, and `wait` is false. Nothing: the client has
  /// gone.
  std::optional<std::string> read(bool wait);
  /// False: the client has gone, or has not read for half a minute.
  bool write(std::string_view bytes);

 private:
  Connection(int input, int output, bool owned);

  int input_, output_;
  bool owned_;
};

}  // namespace mobula::cli
