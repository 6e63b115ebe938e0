// Explained words as text.
#pragma once

#include <string>

#include "mobula/export.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// The word, and a line for each field: bits, name, value, meaning, and how well it is known. Ends with a newline.
MOBULA_API std::string report(const ExplainedWord& word);

}  // namespace mobula
