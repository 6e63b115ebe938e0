// Messages as the Debug Adapter Protocol and the Language Server Protocol send them: a head that says how long the
// content is, an empty line, the content.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mobula/isa/result.h"

namespace mobula::servers {

/// Takes a client's bytes as they come, cut anywhere, and gives its messages. Keeps no more than one message, and what
/// was fed since the last next(). Once something was wrong it stays so: nobody knows where the next message begins.
class MessageReader {
 public:
  static constexpr std::size_t head_limit = 4096;
  static constexpr std::size_t content_limit = std::size_t{16} << 20;

  void feed(std::string_view bytes);
  /// The content of the next message; nothing while it is not complete. SV001: this is not the head of a message;
  /// SV002: the head is too long, or gives no usable length.
  Result<std::optional<std::string>> next();
  /// What there is of a message that is not complete: "12 of its 40 bytes". Empty between one message and the next.
  [[nodiscard]] std::string unfinished() const;

 private:
  Result<void> read_head();

  std::string buffer_;
  std::optional<std::size_t> length_;  ///< of the content, when the head was read
  Diagnostics broken_;
};

/// The content with its head.
std::string message_of(std::string_view content);

}  // namespace mobula::servers
