#include "cli/terminal/interrupt.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

#include "cli/command.h"

namespace mobula::cli {
namespace {

constexpr std::string_view farewell =
    "mobula: error: interrupted\n"
    "  hint: files named by -o and others are complete or as they were; run it again: a sweep into a file "
    "continues where it stopped\n";

constexpr std::string_view too_long =
    "mobula: error: this takes more processor time than it may\n"
    "  hint: a smaller or less nested input takes less; ulimit -t shows a limit of the shell's\n";

/// What a signal handler may read; there are never more outputs at once.
std::array<std::atomic<const char*>, 64> unfinished;
std::atomic<int> child = 0;

void remove_folder(const char* path) {
  const pid_t remover = fork();
  if (remover == 0) {
    execl("/bin/rm", "rm", "-rf", "--", path, static_cast<char*>(nullptr));
    _exit(1);
  }
  if (remover > 0) waitpid(remover, nullptr, 0);
}

/// Calls nothing but what POSIX allows in a signal handler.
void end_interrupted(int signal) {
  if (const int process = child; process > 0) kill(process, SIGTERM);
  for (const std::atomic<const char*>& place : unfinished)
    if (const char* const path = place; path != nullptr && unlink(path) != 0 && errno != ENOENT) remove_folder(path);
  const std::string_view last = signal == SIGXCPU ? too_long : farewell;
  if (write(STDERR_FILENO, last.data(), last.size()) < 0) {
  }
  _exit(static_cast<int>(Exit::usage));
}

struct sigaction ending() {
  struct sigaction action {};
  action.sa_handler = end_interrupted;
  sigfillset(&action.sa_mask);
  return action;
}

}  // namespace

void handle_interrupts() {
  const struct sigaction action = ending();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
}

ProcessorTime::ProcessorTime(unsigned seconds) {
  const struct sigaction action = ending();
  sigaction(SIGXCPU, &action, nullptr);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  before_ = limit.rlim_cur;
  const auto used = static_cast<rlim_t>(std::clock() / CLOCKS_PER_SEC);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, used + seconds);
  setrlimit(RLIMIT_CPU, &limit);
}

ProcessorTime::~ProcessorTime() {
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = before_;
  setrlimit(RLIMIT_CPU, &limit);
}

Unfinished::Unfinished(const std::string& path) : path_(path) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* free = nullptr;
    if (!place.compare_exchange_strong(free, path_.c_str())) continue;
    place_ = &place;
    return;
  }
}

Unfinished::~Unfinished() {
  if (place_ != nullptr) *place_ = nullptr;
}

void set_child(int process) { child = process; }

}  // namespace mobula::cli
