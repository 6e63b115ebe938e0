#include "mobula/isa/pm4_file.h"
#include "core/counted.h"
#include "core/encoding.h"

namespace mobula::pm4 {
namespace {

/// A piece of a word at the end is refused.
Result<std::vector<std::uint32_t>> to_words(std::span<const std::uint8_t> bytes) {
  if (bytes.size() % 4 != 0)
    return fail(Diagnostic{
        Severity::error,
        "PM008",
        {.byte_offset = bytes.size() / 4 * 4},
        "the file ends in the middle of a word: " + counted(bytes.size() % 4, "byte is", "bytes are") + " left",
        "a stream is 32-bit little-endian words"});
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
  return words;
}

}  // namespace

Result<Stream> read_stream(std::span<const std::uint8_t> bytes, std::string_view file, std::string_view variant,
                           std::optional<ContainerFormat> format) {
  if (bytes.empty()) return fail("FM005", "the input is empty");
  if (!format) format = detect_format(bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (format == ContainerFormat::text) {
    if (auto problem = refuse_other_than_text(file, text)) return fail(std::move(*problem));
    return assemble({file, text}, variant);
  }
  if (format == ContainerFormat::foreign) return fail(read_container(bytes, format, file).error());
  std::vector<std::uint8_t> read;
  if (format == ContainerFormat::hex) {
    auto numbers = read_hex(text, file);
    if (!numbers) return fail(std::move(numbers).error());
    read = std::move(*numbers);
    bytes = read;
  }
  auto words = to_words(bytes);
  if (!words) return fail(std::move(words).error());
  Stream stream;
  stream.ring = std::move(*words);
  return stream;
}

std::vector<std::uint8_t> to_bytes(std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * words.size());
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  return bytes;
}

Result<std::vector<std::uint8_t>> to_bytes(const Stream& stream) {
  if (!stream.memory.empty() || !stream.registers.empty())
    return fail("PM009", "the text has .at or .reg, which words alone cannot express",
                "give the text itself to mobula run --stream");
  return to_bytes(stream.ring);
}

}  // namespace mobula::pm4
