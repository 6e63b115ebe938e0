#include "cli/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "cli/command.h"
#include "cli/input/input.h"

extern char** environ;

namespace mobula::cli {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mobula-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw usage_error("cannot make a folder for temporary files: " + std::string(std::strerror(errno)),
                      "TMPDIR chooses where");
  path_ = pattern;
  unfinished_.emplace(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Process::Process(const std::vector<std::string>& words, const std::string& output, const std::string& package) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that stops reading is an answer, not our end
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw usage_error("cannot make a pipe: " + std::string(std::strerror(errno)));

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pipe_ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(pipe_ends[0]);
  if (failed != 0) {
    close(pipe_ends[1]);
    throw usage_error("cannot start " + words.front() + ": " + std::strerror(failed),
                      package.empty() ? "" : "on Debian: apt-get install " + package);
  }
  child_ = child;
  set_child(child);
  input_ = pipe_ends[1];
}

Process::~Process() {
  if (child_ != -1) wait();
}

bool Process::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int Process::wait() {
  close(input_);
  int state = 0;
  while (waitpid(child_, &state, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  set_child(0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

Stop failed_tool(const std::string& tool, std::string what, const std::string& output) {
  const std::vector<std::uint8_t> bytes = read_file(output);
  constexpr std::size_t most = 1500;
  std::string_view end = as_text(bytes);
  if (end.size() > most) end.remove_prefix(end.size() - most);
  return Stop{Exit::usage,
              {{Severity::error, "", {.file = tool}, std::move(what), "the end of its output:\n" + std::string(end)}}};
}

void run_tool(const std::vector<std::string>& words, const std::string& output, const std::string& package) {
  Process process(words, output, package);
  const int status = process.wait();
  if (status != 0) throw failed_tool(words.front(), "failed with status " + std::to_string(status), output);
}

}  // namespace mobula::cli
