#include "mobula/isa/diagnostic.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/hexadecimal.h"
#include "core/quote.h"

namespace mobula {
namespace {

/// What one column of a source line shows, and the bytes that it stands for.
struct Column {
  std::string_view shown;
  std::size_t end = 0;
};

/// A character each. Tabs are kept; what would steer the terminal, and what is no character, is a '?' a byte, but for
/// the controls of UTF-8, of two.
std::vector<Column> columns_of(std::string_view line) {
  std::vector<Column> columns;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = printable_bytes(line.substr(at));
    const bool is_shown = length != 0 || line[at] == '\t';
    const bool is_pair = length == 0 && line[at] == '\xC2' && at + 1 < line.size() && !begins_character(line[at + 1]);
    const std::size_t bytes = is_pair ? 2 : std::max<std::size_t>(length, 1);
    columns.push_back({is_shown ? line.substr(at, bytes) : "?", at + bytes});
    at += bytes;
  }
  return columns;
}

/// As the caret stands. A line that is not at hand has its bytes counted.
std::uint32_t shown_column(const Location& where) {
  if (where.column > where.source_line.size() + 1) return where.column;
  return static_cast<std::uint32_t>(
             columns_of(std::string_view(where.source_line).substr(0, where.column - 1)).size()) +
         1;
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
/// Of a long line, what is around the caret: a file must not be able to fill the terminal, nor to steer it.
std::string caret(const Location& where) {
  constexpr std::size_t widest = 120, before_caret = 40;
  if (where.source_line.empty() || where.column == 0) return {};
  const std::vector<Column> columns = columns_of(where.source_line);
  const auto column_of = [&](std::size_t byte) {
    return static_cast<std::size_t>(std::ranges::upper_bound(columns, byte, {}, &Column::end) - columns.begin());
  };
  const std::size_t marked = column_of(where.column - 1);
  const std::size_t after = std::max(marked + 1, column_of(where.column - 1 + std::max(where.length, 1U) - 1) + 1);
  std::size_t first = 0, last = columns.size();
  if (columns.size() > widest) {
    first = std::min(marked - std::min(marked, before_caret), columns.size() - widest);
    last = first + widest;
  }
  const std::string_view cut_off = first == 0 ? "" : "...";
  std::string text = "  ", marks = "  ";
  text += cut_off;
  marks.append(cut_off.size(), ' ');
  for (std::size_t i = first; i < last; ++i) text += columns[i].shown;
  if (last != columns.size()) text += "...";
  for (std::size_t i = first; i < marked; ++i) marks += columns[i].shown == "\t" ? '\t' : ' ';
  marks += '^';
  marks.append(std::max(std::min(after, last), marked + 1) - marked - 1, '~');
  return text + '\n' + marks + '\n';
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
