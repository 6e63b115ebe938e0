#include "cli/terminal/interrupt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "cli/command.h"

namespace mobula::cli {
namespace {

constexpr std::string_view farewell =
    "mobula: error: interrupted\n"
    "  hint: files named by -o and others are complete or as they were; run it again: a sweep into a file "
    "continues where it stopped\n";

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
void end_interrupted(int) {
  if (const int process = child; process > 0) kill(process, SIGTERM);
  for (const std::atomic<const char*>& place : unfinished)
    if (const char* const path = place; path != nullptr && unlink(path) != 0 && errno != ENOENT) remove_folder(path);
  if (write(STDERR_FILENO, farewell.data(), farewell.size()) < 0) {
  }
  _exit(static_cast<int>(Exit::usage));
}

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = end_interrupted;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
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
