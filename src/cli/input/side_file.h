// Side files of what subcommands write.
#pragma once

#include <string>
#include <string_view>

#include "mobula/isa/program.h"

namespace mobula::cli {

/// The side file of a program; empty if nothing is known of it but its code.
std::string side_file_of(const Program& program);
/// A Stop where there is a file of this name which is no side file: inputs of a run, say, which would be lost.
void expect_replaceable(const std::string& side_file);
/// Writes code, and beside it its side file, if there is one and the code does not go to standard output, so that it
/// runs as it is. A Stop, and nothing is written, where that would replace another file.
void write_with_side_file(const std::string& file, std::string_view code, const std::string& side_file);

}  // namespace mobula::cli
