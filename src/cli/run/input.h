// What run, debug and time need before they can execute: the program, its micro-operations, and what it is fed with.
#pragma once

#include "cli/command.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/run.h"

namespace mobula::cli {

struct Prepared {
  Program program;
  ir::Program lifted;
  RunInputs inputs;
};

/// A Stop for inputs that are no JSON, where the program is a shader: what is wrong with them whatever it declares is
/// told before it is compiled, which may take long.
void expect_readable(const FeedOptions& feed, const InputOptions& input, const std::string& file,
                     const std::vector<std::uint8_t>& bytes);
/// Reads everything; options given on the command line win over the inputs' document.
Prepared prepare(const InputOptions& input, const FeedOptions& feed);
/// The same for a file that has been read.
Prepared prepare(const InputOptions& input, const FeedOptions& feed, const std::string& file,
                 const std::vector<std::uint8_t>& bytes);

}  // namespace mobula::cli
