// Lines typed at a terminal, with editing and history where mobula was built with libedit and it is installed.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace mobula::cli {

class LinesOfTerminal;

class LineReader {
 public:
  /// The prompt goes to standard error, as results alone go to standard output.
  explicit LineReader(std::string prompt);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  /// Nothing at the end of the input. Ctrl-C gives an empty line.
  std::optional<std::string> next();

 private:
  std::unique_ptr<LinesOfTerminal> lines_;
};

}  // namespace mobula::cli
