// The wire format of protocol buffers, as far as a writer of messages needs it.
// Source: protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::timeline {

/// A message under construction. Fields appear in the order of the calls; nested messages are built first, then added
/// as bytes.
class ProtobufMessage {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    raw_varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xFF);
  }
  void bytes(std::uint32_t field, std::string_view value) {
    key(field, 2);
    raw_varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const ProtobufMessage& value) { bytes(field, value.bytes_); }

  [[nodiscard]] std::string_view encoded() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void key(std::uint32_t field, std::uint32_t wire_type) { raw_varint(field << 3 | wire_type); }
  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace mobula::timeline
