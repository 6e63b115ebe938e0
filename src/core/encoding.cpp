#include "core/encoding.h"

#include <algorithm>
#include <string>

namespace mobula {
namespace {

bool has_utf16_mark(std::string_view bytes) { return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"); }

}  // namespace

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

bool is_utf16(std::string_view bytes) {
  constexpr std::size_t looked_at = 64;
  const std::size_t count = std::min(bytes.size() / 2 * 2, looked_at);
  const bool marked = has_utf16_mark(bytes);
  if (count < (marked ? 16 : looked_at)) return false;
  for (const std::size_t zero : {0, 1}) {
    bool all = true;
    for (std::size_t i = marked ? 2 : 0; i < count && all; i += 2) {
      const auto letter = static_cast<unsigned char>(bytes[i + 1 - zero]);
      all = bytes[i + zero] == 0 && (letter >= 0x20 ? letter < 0x7F : letter >= '\t' && letter <= '\r');
    }
    if (all) return true;
  }
  return false;
}

std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return (byte(0) >= 0x20 && byte(0) != 0x7F) || (byte(0) >= '\t' && byte(0) <= '\r') ? 1 : 0;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4) return 0;
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

namespace {

bool has_utf32_mark(std::string_view text) {
  using namespace std::literals;
  return text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv);
}

std::optional<Diagnostic> refuse_wide(std::string_view file, std::string_view text) {
  const bool is_utf32 = has_utf32_mark(text);
  if (!is_utf32 && !has_utf16_mark(text) && !is_utf16(text)) return std::nullopt;
  return Diagnostic{Severity::error,
                    "MOB012",
                    {.file = std::string(file), .line = 1, .column = 1},
                    is_utf32 ? "this is text in UTF-32" : "this is text in UTF-16",
                    std::string(is_utf32 ? utf32_hint : utf16_hint)};
}

/// Where bytes begin that are no text, if these are not. A text may have a stray control character, or comments in an
/// older encoding than UTF-8: only both together, and many of them, say that this was never text.
std::optional<std::size_t> begin_of_noise(std::string_view text) {
  constexpr std::size_t looked_at = 4096, least = 4, least_share = 8;
  text = text.substr(0, looked_at);
  std::size_t noise = 0, first = 0;
  bool has_control = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_bytes(text.substr(at));
    if (length == 0) {
      if (noise++ == 0) first = at;
      has_control = has_control || static_cast<unsigned char>(text[at]) < 0x80;
    }
    at += std::max<std::size_t>(length, 1);
  }
  if (!has_control || noise < least || noise * least_share < text.size()) return std::nullopt;
  return first;
}

Diagnostic not_text(std::string_view file, std::size_t at, std::string what) {
  return {Severity::error,
          "MOB014",
          {.file = std::string(file), .byte_offset = at},
          "this is not text: " + std::move(what),
          "is this the right file? mobula info says what a file holds"};
}

}  // namespace

std::optional<Diagnostic> refuse_noise(std::string_view file, std::string_view text) {
  if (auto other = refuse_wide(file, text)) return other;
  if (const auto noise = begin_of_noise(text))
    return not_text(file, *noise, "from here on there are control characters, and bytes that are not UTF-8");
  return std::nullopt;
}

std::optional<Diagnostic> refuse_other_than_text(std::string_view file, std::string_view text) {
  if (auto other = refuse_wide(file, text)) return other;
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return not_text(file, zero, "there is a zero byte here");
  return refuse_noise(file, text);
}

}  // namespace mobula
