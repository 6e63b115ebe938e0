// Command streams as files: text, hexadecimal text, or words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/pm4.h"

namespace mobula::pm4 {

/// The stream in these bytes, which are what `format` or their content says. Errors name the file where they point into
/// a text.
MOBULA_API Result<Stream> read_stream(std::span<const std::uint8_t> bytes, std::string_view file,
                                      std::string_view variant = {}, std::optional<ContainerFormat> format = {});

/// Little-endian words.
MOBULA_API std::vector<std::uint8_t> to_bytes(std::span<const std::uint32_t> words);
/// The words of the ring buffer. Fails (PM009) if that is not all of the stream.
MOBULA_API Result<std::vector<std::uint8_t>> to_bytes(const Stream& stream);

}  // namespace mobula::pm4
