// Packets of GDB's remote protocol: "$data#checksum" with escapes, acknowledgements and the interrupt byte. Bytes in,
// packets out; nothing here knows what a packet means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mobula::servers {

/// Something that has come in whole.
struct GdbEvent {
  enum class Kind : std::uint8_t {
    packet,
    damaged,    ///< the checksum is not that of the data, or the packet is longer than allowed
    refused,    ///< the peer got our last packet damaged
    interrupt,  ///< Ctrl-C
  };
  Kind kind = Kind::packet;
  std::string data;  ///< of a packet, unescaped
};

/// Takes a stream of bytes apart, however it was cut on its way.
class GdbReader {
 public:
  /// Longest packet, escapes included.
  static constexpr std::size_t longest = 1 << 17;

  void feed(std::string_view bytes) { pending_ += bytes; }
  /// The next event; nothing until more bytes come. Acknowledgements, and bytes that begin nothing, are passed over.
  std::optional<GdbEvent> next();
  /// What has come of a packet whose end has not; empty between one packet and the next.
  [[nodiscard]] std::string_view unfinished() const { return skipping_ ? skipped_ : pending_; }

 private:
  std::string pending_, skipped_;  ///< what came and is not read yet; the beginning of what is skipped
  bool skipping_ = false;          ///< the rest of a packet that is too long
};

/// The packet that carries this data.
std::string gdb_packet(std::string_view data);

/// Two lower-case digits for each byte, and back; nothing if a character is not a digit, or one is left over.
std::string gdb_hex(std::span<const std::uint8_t> bytes);
std::string gdb_hex(std::string_view text);
std::optional<std::string> gdb_unhex(std::string_view digits);
/// A hexadecimal number without prefix, all of the text.
std::optional<std::uint64_t> gdb_number(std::string_view digits);

}  // namespace mobula::servers
