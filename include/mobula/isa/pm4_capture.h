// Captures of what a driver submitted: the .rd files that freedreno and the kernel's msm driver write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/pm4.h"

namespace mobula::pm4 {

struct Capture {
  std::string gpu;  ///< a variant of machine afuc: "a630"; empty where the capture does not say, or it is unknown
  /// One per submit: an indirect buffer for each command stream, as the kernel's ring buffer has them, and the buffers
  /// that were there.
  std::vector<Stream> submits;
};

/// Whether the bytes begin as a capture does, even a compressed one.
MOBULA_API bool is_capture(std::span<const std::uint8_t> bytes);
/// PM015 to PM019: a capture that is cut short, damaged, compressed or without a command stream.
MOBULA_API Result<Capture> read_capture(std::span<const std::uint8_t> bytes, std::string_view file);

/// Whether two variants of machine afuc are of one generation, which takes the same packets. MOB002 where one is not.
MOBULA_API Result<bool> take_same_packets(std::string_view variant, std::string_view other);

/// The streams of a file for firmware that runs as this variant: the submits of a capture, or what read_stream() takes,
/// alone. PM020: a capture of another generation.
MOBULA_API Result<std::vector<Stream>> read_streams(std::span<const std::uint8_t> bytes, std::string_view file,
                                                    std::string_view variant);

/// The words in memory that packets lead to, each once and in order of address: indirect buffers, and draw states.
MOBULA_API std::vector<Buffer> reached_buffers(const Stream& stream);

}  // namespace mobula::pm4
