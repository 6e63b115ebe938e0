#include "cli/debug/pseudo_terminal.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "paths.h"

namespace mobula::test {
namespace {

// Milliseconds.
constexpr int patience = 20'000;
constexpr int soon = 2'000;

}  // namespace

Terminal::Terminal(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{command_file()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  winsize size{.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
  child_ = forkpty(&master_, nullptr, nullptr, &size);
  if (child_ == 0) {
    setenv("TERM", "vt100", 1);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
}

Terminal::~Terminal() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(master_);
}

void Terminal::type(std::string_view keys) {
  EXPECT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

bool Terminal::read_more(int milliseconds) {
  pollfd wanted{.fd = master_, .events = POLLIN, .revents = 0};
  if (poll(&wanted, 1, milliseconds) <= 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(master_, bytes.data(), bytes.size());
  for (ssize_t i = 0; i < count; ++i)
    if (bytes[static_cast<std::size_t>(i)] != '\r') shown_ += bytes[static_cast<std::size_t>(i)];
  return count > 0;
}

std::string Terminal::read_to(std::string_view letters) {
  std::size_t found = std::string::npos;
  while ((found = shown_.find(letters)) == std::string::npos)
    if (!read_more(patience)) {
      ADD_FAILURE() << '"' << letters << "\" does not come after:\n" << shown_;
      return shown_;
    }
  const std::string before = shown_.substr(0, found);
  shown_.erase(0, found + letters.size());
  return before;
}

bool Terminal::comes(std::string_view letters) {
  while (shown_.find(letters) == std::string::npos)
    if (!read_more(soon)) return false;
  return true;
}

void Terminal::wait_until_busy() const {
  // Field 14 of /proc/PID/stat: clock ticks in user mode.
  const auto ticks = [&] {
    std::ifstream file("/proc/" + std::to_string(child_) + "/stat");
    std::string field;
    for (int i = 0; i < 14; ++i) file >> field;
    return std::atoi(field.c_str());
  };
  constexpr int enough = 5;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
  for (const int before = ticks(); ticks() < before + enough && std::chrono::steady_clock::now() < end;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void Terminal::end_input() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(soon);
  termios mode{};
  while (tcgetattr(master_, &mode) == 0 && (mode.c_lflag & ICANON) != 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  type("\x04");
}

int Terminal::wait() {
  while (read_more(patience)) {
  }
  int state = 0;
  for (int left = patience; waitpid(child_, &state, WNOHANG) == 0; left -= 10) {
    if (left <= 0) {
      ADD_FAILURE() << "does not end after:\n" << shown_;
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  child_ = -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

}  // namespace mobula::test
