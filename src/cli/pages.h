// Manual pages, pages of a site and shells' completions, made from the options that there are.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mobula::cli {

struct OptionPage {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument that has none: "FILE"
  bool takes_value = false, positional = false;
  std::string text;
  std::vector<std::string> values;  ///< that there are; empty = any
};

struct CommandPage {
  std::string name;  ///< "disasm"; of the whole command "mobula"
  std::string purpose, examples;
  std::vector<OptionPage> options;
  std::vector<CommandPage> commands;
};

/// Files with their content, named as they stand in share/: "man/man1/mobula-disasm.1".
std::vector<std::pair<std::string, std::string>> shared_files(const CommandPage& root, const std::string& version);

/// The same as pages of a site, beside each other: "mobula-disasm.md".
std::vector<std::pair<std::string, std::string>> markdown_files(const CommandPage& root);

}  // namespace mobula::cli
