// How far the command is, on a terminal, once it has taken a second.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace mobula::cli {

/// Shows progress on standard error while it lives.
class ProgressDisplay {
 public:
  ProgressDisplay();
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
};

/// From here on, so much is to be done: 400 "points". Told by those who know; before that, only the time is shown.
void expect_progress(std::uint64_t total, const std::string& what);
void set_progress(std::uint64_t done);

/// One piece of work, as it goes: shows how far it is, unless it is itself one of many whose number is shown.
class ProgressOfPart {
 public:
  explicit ProgressOfPart(std::string what) : what_(std::move(what)) {}
  ~ProgressOfPart();
  ProgressOfPart(const ProgressOfPart&) = delete;
  ProgressOfPart& operator=(const ProgressOfPart&) = delete;
  void show(std::uint64_t done, std::uint64_t total);

 private:
  std::string what_;
  bool started_ = false, shown_ = false;
};

/// Makes room on the terminal for what is printed now.
void clear_progress();

}  // namespace mobula::cli
