#include "servers/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/quote.h"
#include "servers/head.h"

namespace mobula::servers {
namespace {

Unexpected not_a_head(std::string_view found) {
  return fail("SV001", quote(found) + " is not the head of a message",
              "a head is \"Content-Length: N\", where N is the number of bytes after the empty line; lines end with "
              "a carriage return and a line feed");
}

bool is_head_byte(char letter) { return letter == '\r' || letter == '\n' || (letter >= ' ' && letter <= '~'); }

bool has_bare_line_feed(std::string_view head) {
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1))
    if (at == 0 || head[at - 1] != '\r') return true;
  return false;
}

/// The number of bytes that the lines of a head announce.
Result<std::size_t> announced_length(std::string_view head) {
  std::optional<std::size_t> length;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find(line_end));
    head.remove_prefix(std::min(head.size(), line.size() + line_end.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return not_a_head(line);
    if (!same_name(line.substr(0, colon), "Content-Length")) continue;
    const std::string_view digits = trimmed(line.substr(colon + 1));
    std::size_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (length || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
      return fail("SV002", fmt::format("\"{}\" gives no usable length", line.substr(0, 80)),
                  "one decimal number of bytes");
    if (value > MessageReader::content_limit)
      return fail("SV002", fmt::format("a message of {} bytes is too long; at most {} are taken", value,
                                       MessageReader::content_limit));
    length = value;
  }
  if (!length) return fail("SV002", "the head of a message gives no Content-Length");
  return *length;
}

}  // namespace

std::string MessageReader::unfinished() const {
  if (length_) return fmt::format("{} of its {} bytes", buffer_.size(), *length_);
  return buffer_.empty() ? std::string() : quote(buffer_) + " of its head";
}

void MessageReader::feed(std::string_view bytes) {
  if (broken_.empty()) buffer_ += bytes;
}

Result<void> MessageReader::read_head() {
  const std::string_view start = std::string_view(buffer_).substr(0, head_limit + head_end.size());
  const std::size_t end = start.find(head_end);
  const std::string_view head = start.substr(0, end);
  // Nonsense is refused when it comes, not when there is enough of it.
  if (!std::ranges::all_of(head, is_head_byte) || has_bare_line_feed(head)) return not_a_head(head);
  if (end == std::string_view::npos) {
    if (buffer_.size() <= head_limit) return {};
    return fail("SV002", fmt::format("the head of a message is longer than {} bytes", head_limit));
  }
  const auto length = announced_length(head);
  if (!length) return fail(length.error());
  length_ = *length;
  buffer_.erase(0, end + head_end.size());
  return {};
}

Result<std::optional<std::string>> MessageReader::next() {
  if (broken_.empty() && !length_ && !buffer_.empty()) {
    if (auto read = read_head(); !read) {
      broken_ = read.error();
      buffer_ = {};
    }
  }
  if (!broken_.empty()) return fail(broken_);
  if (!length_ || buffer_.size() < *length_) return std::optional<std::string>();
  std::optional<std::string> content = buffer_.substr(0, *length_);
  buffer_.erase(0, *length_);
  length_.reset();
  return content;
}

std::string message_of(std::string_view content) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

}  // namespace mobula::servers
