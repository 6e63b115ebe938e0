// Side files of what subcommands write.
#pragma once

#include <string>

#include "mobula/isa/program.h"

namespace mobula::cli {

/// The side file of a program; empty if nothing is known of it but its code.
std::string side_file_of(const Program& program);
/// Puts the side file of a program beside its code, so that it runs as it is; nothing is written beside standard
/// output, or if nothing is known of the program but its code.
void write_side_file_beside(const std::string& code_file, const Program& program);

}  // namespace mobula::cli
