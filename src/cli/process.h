// Other programs, started without a shell, and folders for what they write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/interrupt.h"

namespace mobula::cli {

/// A folder of its own that is removed at the end, with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
  std::optional<Unfinished> unfinished_;
};

/// A program that runs, fed through its standard input; what it prints goes to a file.
class Process {
 public:
  /// `words` are the program, found by PATH, and its arguments. `package` is what Debian calls it: a Stop names it
  /// where the program is missing.
  Process(const std::vector<std::string>& words, const std::string& output, const std::string& package);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// False once the program reads no more.
  bool feed(std::string_view bytes);
  /// Ends its input and waits for it: the exit status, or -1 if a signal ended it.
  int wait();

 private:
  int child_ = -1;
  int input_ = -1;
};

/// What a tool's end is told with: the last of what it printed into `output`. No bug of ours.
Stop failed_tool(const std::string& tool, std::string what, const std::string& output);
/// Runs a program to its end; such a Stop if it fails.
void run_tool(const std::vector<std::string>& words, const std::string& output, const std::string& package);

}  // namespace mobula::cli
