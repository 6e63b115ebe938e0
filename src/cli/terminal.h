// What is said to the person at the terminal: diagnostics on standard error, with colours where they are wanted.
#pragma once

#include <string>

#include "mobula/isa/diagnostic.h"

namespace mobula::cli {

/// Of the --color option: "always", "never", or "auto": on a terminal, unless NO_COLOR is set.
void set_colour(const std::string& choice);

/// Renders to standard error.
void print(const Diagnostics& diagnostics);

}  // namespace mobula::cli
