// The client of a server: whoever is at standard input and output, or the first one that comes to a port of this
// computer's own address. Nothing here blocks for ever on a client that stopped reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::cli {

/// A socket that is closed with it.
class Descriptor {
 public:
  /// A Stop for a number below 0, with what errno says.
  explicit Descriptor(int number);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Listens on 127.0.0.1.
struct Listener {
  /// Port 0 is any that is free.
  explicit Listener(std::uint16_t wanted, int waiting);
  Descriptor socket;
  std::uint16_t port = 0;  ///< that it is
};

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
