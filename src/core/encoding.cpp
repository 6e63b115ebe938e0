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

std::optional<Diagnostic> refuse_utf16(std::string_view file, std::string_view text) {
  if (!has_utf16_mark(text) && !is_utf16(text)) return std::nullopt;
  return Diagnostic{Severity::error,
                    "MOB012",
                    {.file = std::string(file), .line = 1, .column = 1},
                    "this is text in UTF-16",
                    std::string(utf16_hint)};
}

std::optional<Diagnostic> refuse_other_than_text(std::string_view file, std::string_view text) {
  if (auto other = refuse_utf16(file, text)) return other;
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  return Diagnostic{Severity::error,
                    "MOB014",
                    {.file = std::string(file), .byte_offset = zero},
                    "this is not text: there is a byte of zero here",
                    "is this the right file? mobula info says what a file holds"};
}

}  // namespace mobula
