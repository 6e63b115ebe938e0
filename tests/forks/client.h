// Starts the command by a server that forks (tests/forks/server.cpp).
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mobula::test {

/// What the functions of the C library take, with its end; it refers to the strings.
std::vector<char*> pointers(std::vector<std::string>& strings);

/// These variables ("NAME=VALUE"), and those of this process that have other names: of two, the loader takes the last.
std::vector<std::string> with_environment(std::vector<std::string> variables);

struct Start {
  std::vector<std::string> words;        ///< the program first
  std::vector<std::string> environment;  ///< adds to the variables of this process
  std::string in, out, err;              ///< files
};

/// Starts the program, lets `meanwhile` see its process, and waits for its end: its status as waitpid() gives it.
/// Nothing where it must be started otherwise: it is another program or one of another build, the environment is for
/// the loader, the server is busy, or there is none.
std::optional<int> run_forked(const Start& start, const std::function<void(pid_t)>& meanwhile);

}  // namespace mobula::test
