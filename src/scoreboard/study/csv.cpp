#include <algorithm>

#include "core/counted.h"
#include "mobula/scoreboard/sweep.h"

namespace mobula::scoreboard {

int Table::column(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

std::string print_csv(const std::vector<std::string>& row) {
  std::string text;
  for (const std::string& cell : row) {
    if (&cell != row.data()) text += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      text += cell;
      continue;
    }
    text += '"';
    for (const char letter : cell) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    text += '"';
  }
  return text + '\n';
}

std::string print_csv(const Table& table) {
  std::string text = print_csv(table.header);
  for (const auto& row : table.rows) text += print_csv(row);
  return text;
}

Result<Table> parse_csv(std::string_view file, std::string_view text, bool cut_off) {
  Table table;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  std::uint32_t line = 1;
  const auto problem = [&](std::string message) {
    return fail(Diagnostic{Severity::error,
                           "SB151",
                           {.file = std::string(file), .line = line},
                           std::move(message),
                           "a table as sweep writes it"});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      if (letter == '\n') ++line;
      if (letter != '"')
        cell += letter;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        cell += text[++i];
      else
        quoted = false;
      continue;
    }
    if (letter == '"' && cell.empty()) {
      quoted = true;
    } else if (letter == ',' || letter == '\n') {
      if (letter == '\n' && !cell.empty() && cell.back() == '\r') cell.pop_back();
      row.push_back(std::move(cell));
      cell.clear();
      if (letter == ',') continue;
      if (table.header.empty())
        table.header = std::move(row);
      else if (row.size() == table.header.size())
        table.rows.push_back(std::move(row));
      else
        return problem("the line has " + counted(row.size(), "cell") + ", the first line " +
                       std::to_string(table.header.size()));
      row.clear();
      ++line;
    } else {
      cell += letter;
    }
  }
  if (!cut_off && (quoted || !cell.empty() || !row.empty())) return problem("the last line has no end");
  if (table.header.empty() && !cut_off) return problem("there is no table");
  return table;
}

}  // namespace mobula::scoreboard
