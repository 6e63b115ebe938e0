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

/// What is given beside the program, before it is known. The file is read this once, as it may be a pipe; without one
/// it is an empty document, whose warnings say what is missing.
struct ReadInputs {
  std::string file;
  std::vector<std::uint8_t> text;
  Policies policies;
};
/// A Stop for inputs that are no JSON, where the program is a shader: what is wrong with them whatever it declares is
/// told before it is compiled, which may take long.
ReadInputs read_given(const FeedOptions& feed, const InputOptions& input, const std::string& file,
                      const std::vector<std::uint8_t>& bytes);

/// Reads everything; options given on the command line win over the inputs' document.
Prepared prepare(const InputOptions& input, const FeedOptions& feed);
/// The same for a file that has been read.
Prepared prepare(const InputOptions& input, const FeedOptions& feed, const std::string& file,
                 const std::vector<std::uint8_t>& bytes);
/// The same for a program that has been loaded.
Prepared prepare(Program program, const FeedOptions& feed, const ReadInputs& given);

}  // namespace mobula::cli
