#include "mobula/isa/diagnostic.h"

#include <algorithm>
#include <array>

#include "core/hexadecimal.h"
#include "core/quote.h"

namespace mobula {
namespace {

/// As the caret stands, in characters. A line that is not at hand has its bytes counted.
std::uint32_t shown_column(const Location& where) {
  if (where.column > where.source_line.size() + 1) return where.column;
  const auto before = std::string_view(where.source_line).substr(0, where.column - 1);
  return static_cast<std::uint32_t>(std::ranges::count_if(before, begins_character)) + 1;
}

std::string place(const Location& where) {
  constexpr std::size_t longest_name = 1024;  // a path that people copy is whole
  std::string text = where.file.empty() ? "input" : shown(where.file, longest_name);
  if (where.line != 0) {
    text += ':' + std::to_string(where.line);
    if (where.column != 0) text += ':' + std::to_string(shown_column(where));
  } else if (where.byte_offset) {
    text += ':' + hexadecimal(*where.byte_offset);
    if (where.bit_width != 0) {
      text += " bit" + std::string(where.bit_width == 1 ? " " : "s ") + std::to_string(where.bit_low);
      if (where.bit_width > 1) text += '-' + std::to_string(where.bit_low + where.bit_width - 1);
    }
  }
  return text;
}

/// The source line and, under it, the caret, below the character; tabs are kept so that the caret stays in its column.
/// Other control characters are shown as '?': a file must not be able to steer the terminal.
std::string caret(const Location& where) {
  if (where.source_line.empty() || where.column == 0) return {};
  std::string text = "  ";
  for (std::size_t i = 0; i < where.source_line.size(); ++i) {
    const char letter = where.source_line[i];
    const auto next = static_cast<unsigned char>(i + 1 < where.source_line.size() ? where.source_line[i + 1] : '\xFF');
    const bool control = static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
    const bool in_utf8 = letter == '\xC2' && next < 0xA0;  // both of its bytes are shown as '?', too
    if (in_utf8) text += '?', ++i;
    text += in_utf8 || (control && letter != '\t') ? '?' : letter;
  }
  text += "\n  ";
  const std::size_t indent = std::min<std::size_t>(where.column - 1, where.source_line.size());
  const std::string_view line = where.source_line;
  for (const char letter : line.substr(0, indent))
    if (begins_character(letter)) text += letter == '\t' ? '\t' : ' ';
  text += '^';
  const std::string_view marked = line.substr(indent, std::max<std::uint32_t>(where.length, 1));
  text.append(
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::ranges::count_if(marked, begins_character), 1)) - 1, '~');
  return text + '\n';
}

}  // namespace

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& entry) { return entry.severity == Severity::error; });
}

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

std::string render(const Diagnostic& diagnostic, bool colour) {
  constexpr std::array<std::string_view, 3> colours{"\x1b[36m", "\x1b[35m", "\x1b[31m"};
  const std::string_view on = colour ? colours[static_cast<std::size_t>(diagnostic.severity)] : std::string_view{};
  const std::string_view off = colour ? "\x1b[0m" : "";
  std::string text = place(diagnostic.where) + ": ";
  constexpr std::size_t longest_message = 4096;  // most are a line; some list what there is
  text.append(on).append(name(diagnostic.severity)).append(off) += ": " + shown(diagnostic.message, longest_message);
  if (!diagnostic.code.empty()) text += " [" + diagnostic.code + "]";
  text += '\n' + caret(diagnostic.where);
  if (!diagnostic.hint.empty()) text += "  hint: " + shown(diagnostic.hint, longest_message) + '\n';
  return text;
}

std::string render(const Diagnostics& diagnostics, bool colour) {
  std::string text;
  for (const Diagnostic& entry : diagnostics) text += render(entry, colour);
  return text;
}

}  // namespace mobula
