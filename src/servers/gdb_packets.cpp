#include "servers/gdb_packets.h"

#include <charconv>
#include <numeric>

namespace mobula::servers {
namespace {

constexpr char escape = '}';
constexpr std::string_view escaped = "$#}*";
constexpr char escape_bit = 0x20;
constexpr char interrupt_byte = 3;
constexpr std::string_view gdb_digits = "0123456789abcdef";

unsigned checksum(std::string_view data) {
  return std::accumulate(data.begin(), data.end(), 0u,
                         [](unsigned sum, char byte) { return (sum + static_cast<unsigned char>(byte)) & 0xFF; });
}

std::string unescape(std::string_view data) {
  std::string plain;
  plain.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool marked = data[i] == escape && i + 1 < data.size();
    plain += marked ? static_cast<char>(data[++i] ^ escape_bit) : data[i];
  }
  return plain;
}

}  // namespace

std::optional<GdbEvent> GdbReader::next() {
  constexpr std::size_t checksum_digits = 2, shown_of_skipped = 64;
  for (;;) {
    if (skipping_) {
      const std::size_t end = pending_.find('#');
      pending_.erase(0, end);  // all of it where the end has not come
      if (pending_.size() < 1 + checksum_digits) return {};
      pending_.erase(0, 1 + checksum_digits);
      skipping_ = false;
      skipped_.clear();
      return GdbEvent{GdbEvent::Kind::damaged, {}};
    }
    const std::size_t begin = pending_.find_first_of(std::string_view{"$-\x03"});
    pending_.erase(0, begin);
    if (pending_.empty()) return {};
    if (pending_.front() != '$') {
      const bool interrupt = pending_.front() == interrupt_byte;
      pending_.erase(0, 1);
      return GdbEvent{interrupt ? GdbEvent::Kind::interrupt : GdbEvent::Kind::refused, {}};
    }
    const std::size_t end = pending_.find('#');
    if ((end == std::string::npos ? pending_.size() : end) > longest) {
      skipping_ = true;
      skipped_ = pending_.substr(0, shown_of_skipped);
      continue;
    }
    if (end == std::string::npos || pending_.size() < end + 1 + checksum_digits) return {};
    const std::string_view data = std::string_view(pending_).substr(1, end - 1);
    const auto told = gdb_number(std::string_view(pending_).substr(end + 1, checksum_digits));
    const bool good = told && *told == checksum(data);
    GdbEvent event{good ? GdbEvent::Kind::packet : GdbEvent::Kind::damaged, good ? unescape(data) : std::string()};
    pending_.erase(0, end + 1 + checksum_digits);
    return event;
  }
}

std::string gdb_packet(std::string_view data) {
  std::string body;
  body.reserve(data.size());
  for (const char byte : data) {
    const bool special = escaped.find(byte) != std::string_view::npos;
    if (special) body += escape;
    body += special ? static_cast<char>(byte ^ escape_bit) : byte;
  }
  const unsigned sum = checksum(body);
  return '$' + body + '#' + gdb_digits[sum >> 4] + gdb_digits[sum & 15];
}

std::string gdb_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += gdb_digits[byte >> 4];
    text += gdb_digits[byte & 15];
  }
  return text;
}

std::string gdb_hex(std::string_view text) {
  return gdb_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::optional<std::string> gdb_unhex(std::string_view digits) {
  if (digits.size() % 2 != 0) return {};
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = gdb_number(digits.substr(i, 2));
    if (!byte) return {};
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::optional<std::uint64_t> gdb_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

}  // namespace mobula::servers
