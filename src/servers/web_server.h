// Answers a browser's requests for files that are held in memory, on this computer alone.
//
// Nothing here looks into a file system: what was not given cannot be had, whatever a path says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::servers {

class WebServer {
 public:
  /// Longer heads of requests are refused.
  static constexpr std::size_t head_limit = 8192;

  /// Contents by path: "/mobula.html". What is asked for as "/" is "/index.html", or else the only page there is.
  WebServer(std::map<std::string, std::string, std::less<>> files, std::uint16_t port);

  /// What is sent to whoever has sent these bytes, before the connection is closed; nothing while the head of the
  /// request is not complete. Only GET and HEAD are answered, of a Host that is "127.0.0.1:PORT": under any other name
  /// it is a page of somebody else that asks.
  [[nodiscard]] std::optional<std::string> answer(std::string_view received) const;

 private:
  [[nodiscard]] const std::string* content_at(std::string_view path) const;

  std::map<std::string, std::string, std::less<>> files_;
  std::string host_, start_;  ///< the path that "/" stands for; empty = none
};

}  // namespace mobula::servers
