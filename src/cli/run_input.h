// What run, debug and time need before they can execute: the program, its micro-operations, and what it is fed with.
#pragma once

#include "cli/command.h"
#include "mobula/machine.h"
#include "mobula/run.h"

namespace mobula::cli {

struct Prepared {
  Program program;
  ir::Program lifted;
  RunInputs inputs;
};

/// Reads everything; options given on the command line win over the inputs' document.
Prepared prepare(const InputOptions& input, const FeedOptions& feed);
/// The same for a file that has been read.
Prepared prepare(const InputOptions& input, const FeedOptions& feed, const std::string& file,
                 const std::vector<std::uint8_t>& bytes);

/// The value of a slot as a person reads it: "0x3f800000 (1)".
std::string slot_text(const ir::Slot& slot, std::span<const std::uint8_t> bytes);

/// A program's words as single lines of text, by address.
class WordTexts {
 public:
  explicit WordTexts(const Program& program);
  /// Empty where no word starts.
  [[nodiscard]] std::string_view at(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::string> texts_;
};

}  // namespace mobula::cli
