#include "servers/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "servers/messages.h"

namespace mobula::servers {
namespace {

/// A client's end of the connection.
class Client {
 public:
  Client(int input, int output) : input_(input), output_(output) {
    // A client that is gone is an error of write().
    before_ = std::signal(SIGPIPE, SIG_IGN);
  }
  ~Client() { std::signal(SIGPIPE, before_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool has_said_all() const { return has_said_all_; }
  [[nodiscard]] bool is_gone() const { return is_gone_; }

  void send(std::string_view content) {
    const std::string message = message_of(content);
    for (std::string_view rest = message; !rest.empty() && !is_gone_;) {
      const ssize_t written = ::write(output_, rest.data(), rest.size());
      if (written > 0)
        rest.remove_prefix(static_cast<std::size_t>(written));
      else if (written < 0 && errno != EINTR)
        is_gone_ = true;
    }
  }

  /// What has come; nothing if there is none, and it is not to be waited for.
  std::string_view read(bool wait) {
    pollfd wanted{.fd = input_, .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, wait ? -1 : 0) <= 0) return {};
    const ssize_t count = ::read(input_, bytes_.data(), bytes_.size());
    if (count == 0 || (count < 0 && errno != EINTR)) has_said_all_ = true;
    return {bytes_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  int input_, output_;
  bool has_said_all_ = false, is_gone_ = false;
  void (*before_)(int) = nullptr;
  std::array<char, 65536> bytes_{};
};

}  // namespace

Result<void> serve(const std::function<std::unique_ptr<MessageServer>(Send)>& start, int input, int output) {
  constexpr std::size_t most_waiting = 1000;
  Client client(input, output);
  MessageReader reader;
  const auto server = start([&](std::string_view content) { client.send(content); });
  Result<void> status;
  const auto is_listening = [&] { return status && !client.has_said_all(); };
  // What was asked before a client said all, or said nonsense, is answered; what was begun is not gone on with.
  while (!server->is_over() && !client.is_gone() && (is_listening() || server->waiting() != 0)) {
    const bool is_busy = server->work();
    if (!is_listening() || server->waiting() >= most_waiting) continue;
    reader.feed(client.read(!is_busy));
    for (;;) {
      auto message = reader.next();
      if (!message) {
        status = fail(std::move(message).error());
        break;
      }
      if (!*message) break;
      server->receive(**message);
    }
  }
  if (const std::string came = reader.unfinished(); status && client.has_said_all() && !came.empty())
    return fail("SV004", "the client ended in the middle of a message: only " + came + " came",
                "was its Content-Length right?");
  return status;
}

}  // namespace mobula::servers
