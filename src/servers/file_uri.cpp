#include "servers/file_uri.h"

#include <fmt/format.h>

#include <charconv>

namespace mobula::servers {
namespace {

constexpr std::string_view scheme = "file://", here = "localhost";

bool stands_for_itself(char letter) {
  constexpr std::string_view signs = "/-._~";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         signs.find(letter) != std::string_view::npos;
}

}  // namespace

std::string file_uri(std::string_view path) {
  std::string uri(scheme);
  for (const char letter : path)
    uri +=
        stands_for_itself(letter) ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  return uri;
}

std::optional<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(scheme)) return {};
  uri.remove_prefix(scheme.size());
  if (uri.starts_with(here)) uri.remove_prefix(here.size());
  if (!uri.starts_with('/')) return {};  // of another computer
  std::string path;
  for (; !uri.empty(); uri.remove_prefix(1)) {
    if (uri.front() != '%') {
      path += uri.front();
      continue;
    }
    const std::string_view digits = uri.substr(1, 2);
    unsigned letter = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), letter, 16);
    if (digits.size() != 2 || read.ec != std::errc() || read.ptr != digits.data() + 2) return {};
    path += static_cast<char>(letter);
    uri.remove_prefix(2);
  }
  return path;
}

}  // namespace mobula::servers
