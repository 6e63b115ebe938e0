// What `mobula --version` prints.
#pragma once

#include <string>

namespace mobula::cli {

/// The version in the first line, then how this command was built and which of its optional parts are there.
std::string version_text();

}  // namespace mobula::cli
