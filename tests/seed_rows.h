// Rows of tables with the status seed, and the words of the founding document that they rest on (tests/data/seed).
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::test {

struct SeedRow {
  std::string name;  ///< with the section that it cites
  std::string says;
  std::string words;  ///< the document's
};

inline std::string seed_row(std::string_view name, std::string_view source, std::string_view says) {
  return std::string(name) + " (" + std::string(source) + "): " + std::string(says);
}

/// Of fields what they are, without the list of their values; of entries the first line.
inline std::set<std::string> seed_rows(const Manual& manual) {
  std::set<std::string> rows;
  for (const ManualFormat& format : manual.formats)
    for (const ExplainedField& field : format.fields)
      if (field.status == Status::seed)
        rows.insert(seed_row(field.name, field.source, field.meaning.substr(0, field.meaning.find(": "))));
  for (const ManualEntry& entry : manual.entries) {
    if (entry.status != Status::seed) continue;
    std::string first = entry.body.substr(0, entry.body.find('\n'));
    if (first.ends_with('.')) first.pop_back();
    rows.insert(seed_row(entry.mnemonic, entry.source, first));
  }
  return rows;
}

/// The lines of tests/data/seed/MACHINE.tsv: name and section, what the row says, the document's words.
inline std::vector<SeedRow> rows_held_to_the_document(const std::string& machine) {
  std::ifstream file(test_data("seed/" + machine + ".tsv"));
  std::vector<SeedRow> rows;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    rows.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return rows;
}

inline std::set<std::string> names_of(const std::vector<SeedRow>& rows) {
  std::set<std::string> names;
  for (const SeedRow& row : rows) names.insert(row.name + ": " + row.says);
  return names;
}

/// One blank for each run of white space, and lower case: lines of documents break anywhere.
inline std::string on_one_line(std::string_view text) {
  std::string line;
  for (const unsigned char letter : text)
    if (std::isspace(letter) == 0)
      line += static_cast<char>(std::tolower(letter));
    else if (!line.ends_with(' '))
      line += ' ';
  return line;
}

/// A document beside the samples; empty where it is missing.
inline std::string founding_document(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(sample("../seeds/" + name)).rdbuf();
  return on_one_line(text.str());
}

}  // namespace mobula::test
