// Ctrl-C, SIGTERM and a closed terminal end the command with status 2 and leave nothing unfinished behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace mobula::cli {

/// From here on.
void handle_interrupts();

/// While it lives, the command ends with an error when it has used that much more of the processor, or what the shell
/// allows if that is less.
class ProcessorTime {
 public:
  explicit ProcessorTime(unsigned seconds);
  ~ProcessorTime();
  ProcessorTime(const ProcessorTime&) = delete;
  ProcessorTime& operator=(const ProcessorTime&) = delete;

 private:
  std::uint64_t before_ = 0;
};

/// A file or folder that goes if the command is interrupted while this lives.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::string path_;
  std::atomic<const char*>* place_ = nullptr;
};

/// The program that is ended, too; 0 = none.
void set_child(int process);

}  // namespace mobula::cli
