// One client, at two file descriptors: its messages to a server, and what that sends to it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "mobula/isa/result.h"

namespace mobula::servers {

/// What answers messages. It runs in one thread: everything is done in receive() and work().
class MessageServer {
 public:
  virtual ~MessageServer() = default;
  /// The content of a message. Kept for work(), so that a later one can take it back.
  virtual void receive(std::string_view content) = 0;
  /// Answers a message, or goes on for a while with what was begun. False: there is nothing to do until a message
  /// comes.
  virtual bool work() = 0;
  /// Messages that wait for work().
  [[nodiscard]] virtual std::size_t waiting() const = 0;
  /// True when nothing more will be answered.
  [[nodiscard]] virtual bool is_over() const = 0;
};

/// Sends the content of a message.
using Send = std::function<void(std::string_view content)>;

/// Serves until the server is over, or the client is gone. An error says what the client sent that was no message, or
/// SV004 that it ended inside one; the client has left then, as far as the server knows. A client that reads nothing is
/// waited for, and nothing more is read from it.
Result<void> serve(const std::function<std::unique_ptr<MessageServer>(Send)>& start, int input, int output);

}  // namespace mobula::servers
