// Loaded in front of the command (LD_PRELOAD) by tests that start it very often: a process that has been loaded and
// initialised once forks for each start. Of many starts loading the libraries is a third of the time. From the call of
// its main() on all is as after exec.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "forks/protocol.h"

namespace mobula::test {
namespace {

using Main = int (*)(int, char**, char**);
Main command_main = nullptr;

/// The strings of a request, each with its end.
std::vector<char*> strings_of(std::string& request) {
  std::vector<char*> strings;
  for (char* at = request.data(); at < request.data() + request.size(); at += std::strlen(at) + 1)
    strings.push_back(at);
  return strings;
}

/// Makes this process what the request asks for, and runs the command. What it is given lives as long as the process.
int become(std::string& request) {
  const std::vector<char*> strings = strings_of(request);
  const auto open_as = [](int wanted, const char* path, int flags) {
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, wanted) < 0) _exit(127);
    close(file);
  };
  if (chdir(strings[Request::folder]) != 0) _exit(127);
  open_as(STDIN_FILENO, strings[Request::in], O_RDONLY);
  open_as(STDOUT_FILENO, strings[Request::out], O_WRONLY | O_CREAT);
  open_as(STDERR_FILENO, strings[Request::err], O_WRONLY | O_CREAT);
  const std::size_t count = std::strtoul(strings[Request::arguments_count], nullptr, 10);
  const auto arguments = strings.begin() + Request::arguments;
  auto* const words = new std::vector<char*>(arguments, arguments + static_cast<std::ptrdiff_t>(count));
  words->push_back(nullptr);
  clearenv();
  // Of several of one name the first is what getenv() would find.
  for (std::size_t i = strings.size(); i-- > Request::arguments + count;) putenv(strings[i]);
  return command_main(static_cast<int>(count), words->data(), environ);
}

int serve(int count, char** arguments, char** variables) {
  const char* const number = std::getenv(variable_of_socket);
  if (number == nullptr) return command_main(count, arguments, variables);
  const int socket = std::atoi(number);
  for (std::uint32_t size = 0; receive(socket, &size, sizeof size);) {
    auto* const request = new std::string(size, '\0');
    if (!receive(socket, request->data(), size)) break;
    const pid_t child = fork();
    if (child == 0) {
      close(socket);
      return become(*request);
    }
    delete request;
    const std::int32_t process = child;
    std::int32_t status = 0;
    if (!transmit(socket, &process, sizeof process)) break;
    while (child > 0 && waitpid(child, &status, 0) < 0) {
    }
    if (!transmit(socket, &status, sizeof status)) break;
  }
  _exit(0);  // nobody asks for more
}

/// The C library's function that calls main(), and what it is given.
using StartMain = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

}  // namespace

StartMain start_main asm("__libc_start_main") __attribute__((visibility("default"), used));
int start_main(Main main, int count, char** arguments, void (*init)(), void (*fini)(), void (*loader_fini)(),
               void* stack_end) {
  command_main = main;
  auto* const of_library = reinterpret_cast<StartMain*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return of_library(serve, count, arguments, init, fini, loader_fini, stack_end);
}

}  // namespace mobula::test
