#include "forks/client.h"

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "forks/protocol.h"
#include "paths.h"

extern char** environ;

namespace mobula::test {
namespace {

/// The server, which ends with this process.
class Server {
 public:
  Server() {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    std::string program = command_file();
    // What each start would otherwise look for again is found once.
    std::vector<std::string> variables = with_environment(
        {"LD_PRELOAD=" MOBULA_FORKS, "LD_BIND_NOW=1", variable_of_socket + ('=' + std::to_string(socket_there))});
    char* const words[] = {program.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pair[1], socket_there);
    pid_t child = 0;
    const int failed = posix_spawn(&child, program.c_str(), &files, nullptr, words, pointers(variables).data());
    posix_spawn_file_actions_destroy(&files);
    close(pair[1]);
    socket_ = pair[0];
    if (failed != 0) close_socket();
  }
  ~Server() { close_socket(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::optional<int> run(const Start& start, const std::function<void(pid_t)>& meanwhile) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock || socket_ < 0) return {};
    std::string request;
    const auto add = [&](const std::string& text) { request.append(text).push_back('\0'); };
    for (const std::string& text :
         {std::filesystem::current_path().string(), start.in, start.out, start.err, std::to_string(start.words.size())})
      add(text);
    std::ranges::for_each(start.words, add);
    std::ranges::for_each(with_environment(start.environment), add);
    const auto size = static_cast<std::uint32_t>(request.size());
    std::int32_t process = -1, status = 0;
    const bool started = transmit(socket_, &size, sizeof size) && transmit(socket_, request.data(), request.size()) &&
                         receive(socket_, &process, sizeof process) && process > 0;
    if (started) meanwhile(process);
    if (started && receive(socket_, &status, sizeof status)) return status;
    close_socket();
    return {};
  }

 private:
  static constexpr int socket_there = 3;
  void close_socket() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  int socket_ = -1;
  std::mutex busy_;
};

bool is_for_loader(const std::string& variable) { return variable.starts_with("LD_"); }

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> with_environment(std::vector<std::string> variables) {
  const auto name_of = [](std::string_view variable) { return variable.substr(0, variable.find('=')); };
  const std::size_t given = variables.size();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const auto is_same = [&](const std::string& each) { return name_of(each) == name_of(*variable); };
    if (std::none_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(given), is_same))
      variables.emplace_back(*variable);
  }
  return variables;
}

std::optional<int> run_forked(const Start& start, const std::function<void(pid_t)>& meanwhile) {
  // One of another build may be watched by sanitizers, which do not take to it.
  const bool is_other_build = std::getenv("MOBULA_COMMAND") != nullptr;
  if (start.words.front() != command_file() || is_other_build || std::ranges::any_of(start.environment, is_for_loader))
    return {};
  static Server server;
  return server.run(start, meanwhile);
}

}  // namespace mobula::test
