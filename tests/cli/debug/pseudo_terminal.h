// Runs the built command at a terminal of its own, as a person who types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mobula::test {

class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(std::string_view keys);
  /// What is shown until these letters come; carriage returns are left out.
  std::string read_to(std::string_view letters);
  /// True if these letters come soon.
  bool comes(std::string_view letters);
  /// Until the command has computed for a while.
  void wait_until_busy() const;
  /// Ctrl-D to the line editor, which shows its prompt before it takes keys: what comes earlier the terminal would
  /// take.
  void end_input();
  /// For its end: the exit status; -1 and a failure if it does not end.
  int wait();

 private:
  bool read_more(int milliseconds);

  int child_ = -1, master_ = -1;
  std::string shown_;
};

}  // namespace mobula::test
