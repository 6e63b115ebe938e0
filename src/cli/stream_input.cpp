#include "cli/stream_input.h"

#include <charconv>
#include <cstring>

#include "cli/input.h"
#include "mobula/formats.h"

namespace mobula::cli {
namespace {

/// Words of raw bytes; a piece of a word at the end is refused.
std::vector<std::uint32_t> to_words(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  if (bytes.size() % 4 != 0)
    throw Stop{
        Exit::negative,
        located({{Severity::error,
                  "PM008",
                  {.byte_offset = bytes.size() / 4 * 4},
                  "the file ends in the middle of a word: " + std::to_string(bytes.size() % 4) + " bytes are left",
                  "a stream is 32-bit little-endian words"}},
                file)};
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
  return words;
}

}  // namespace

pm4::Stream load_stream(const std::string& file, std::string_view variant, const std::string& container) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (bytes.empty())
    throw Stop{Exit::negative, located({{Severity::error, "FM005", {}, "the input is empty", {}}}, file)};
  const Format format = container == "raw"    ? Format::raw
                        : container == "hex"  ? Format::hex
                        : container == "text" ? Format::text
                        : container.empty()   ? detect_format(bytes)
                                            : throw usage_error("a stream is no " + container, "one of raw, hex, text");
  if (format == Format::text) return value_or_stop(pm4::assemble({file, as_text(bytes)}, variant), file);
  pm4::Stream stream;
  stream.ring = to_words(format == Format::hex ? value_or_stop(read_hex(as_text(bytes), file), file) : bytes, file);
  return stream;
}

pm4::Buffer load_memory(const std::string& setting, std::string_view variant) {
  const std::size_t equals = setting.find('=');
  std::string_view number = std::string_view(setting).substr(0, equals);
  const bool hexadecimal = number.starts_with("0x");
  if (hexadecimal) number.remove_prefix(2);
  pm4::Buffer buffer;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), buffer.address, hexadecimal ? 16 : 10);
  if (equals == std::string::npos || end.ec != std::errc() || end.ptr != number.data() + number.size() ||
      buffer.address % 4 != 0)
    throw usage_error("--memory \"" + setting + "\" is no ADDRESS=FILE",
                      "such as 0x100000=buffer.bin; an address is a multiple of 4");
  buffer.words = load_stream(setting.substr(equals + 1), variant).ring;
  return buffer;
}

}  // namespace mobula::cli
