// What editors colour assembly text by, made from the machines' tables.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mobula::cli {

/// Files with their content, named as they stand in share/: Vim's, and grammars of Visual Studio Code.
std::vector<std::pair<std::string, std::string>> editor_files();

}  // namespace mobula::cli
