// Ctrl-C, SIGTERM and a closed terminal end the command with status 2 and leave nothing unfinished behind.
#pragma once

#include <atomic>
#include <string>

namespace mobula::cli {

/// From here on.
void handle_interrupts();

/// Ends the command with an error when it has used that much of the processor, or what the shell allows if that is
/// less.
void limit_processor_time(unsigned seconds);

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
