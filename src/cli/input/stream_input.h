// Command streams from files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "mobula/isa/pm4.h"

namespace mobula::cli {

/// A stream as words (raw or hexadecimal) or as text; `container` is raw, hex, text or empty = by content. A broken one
/// is a Stop with this status.
pm4::Stream load_stream(std::span<const std::uint8_t> bytes, const std::string& file, std::string_view variant,
                        const std::string& container, Exit status);
/// The streams of a file that follow each other: one, or the submits of a capture. It is always an option's.
std::vector<pm4::Stream> load_streams(const std::string& file, std::string_view variant);
/// Memory of "ADDRESS=FILE" each, as --memory gives it: no word is given two values.
std::vector<pm4::Buffer> load_memory(const std::vector<std::string>& settings, std::string_view variant);

}  // namespace mobula::cli
