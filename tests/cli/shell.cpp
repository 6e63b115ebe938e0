#include "cli/shell.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "forks/client.h"
#include "paths.h"

namespace mobula::test {
namespace {

/// Starts a program, lets `meanwhile` see its process, and waits for its end.
Outcome watched(const std::string& program, const std::vector<std::string>& arguments, std::string_view input,
                const std::vector<std::string>& environment, const std::function<void(pid_t)>& meanwhile) {
  const Folder folder;
  const std::string in = folder.file("in", input), out = folder.file("out"), err = folder.file("err");
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto ended = [&](int state) {
    return Outcome{WIFEXITED(state) ? WEXITSTATUS(state) : -1, read(out), read(err)};
  };
  if (const auto state = run_forked({words, environment, in, out, err}, meanwhile)) return ended(*state);

  std::vector<std::string> variables = with_environment(environment);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, program.c_str(), &files, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(failed, 0) << "cannot start " << program;
  if (failed != 0) return {};
  meanwhile(child);
  int state = 0;
  waitpid(child, &state, 0);
  return ended(state);
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments, std::string_view input,
            const std::vector<std::string>& environment) {
  return watched(command_file(), arguments, input, environment, [](pid_t) {});
}

Outcome signalled(const std::vector<std::string>& arguments, int signal, const std::function<void()>& until) {
  return watched(command_file(), arguments, {}, {}, [&](pid_t child) {
    until();
    kill(child, signal);
  });
}

Outcome interrupted(const std::vector<std::string>& arguments, int signal, const Folder& folder) {
  return signalled(arguments, signal, [&] {
    const auto has_temporary = [&] {
      return std::ranges::any_of(folder.names(),
                                 [](const std::string& name) { return name.find(".tmp") != std::string::npos; });
    };
    for (int i = 0; i < 3000 && !has_temporary(); ++i) usleep(10'000);
  });
}

Outcome run_behind_pipe(const std::vector<std::string>& arguments, std::string_view input) {
  return watched("/bin/sh", with({"-c", R"(cat | "$0" "$@")", command_file()}, arguments), input, {}, [](pid_t) {});
}

Outcome run_on_full_disk(const std::vector<std::string>& arguments) {
  return watched("/bin/sh", with({"-c", R"(exec "$0" "$@" >/dev/full)", command_file()}, arguments), {}, {},
                 [](pid_t) {});
}

Outcome with_memory(std::uint64_t bytes, const std::vector<std::string>& arguments) {
  const std::vector<std::string> words{"--as=" + std::to_string(bytes), command_file()};
  return watched("/usr/bin/prlimit", with(words, arguments), {}, {}, [](pid_t) {});
}

Outcome with_processor_seconds(unsigned seconds, const std::vector<std::string>& arguments) {
  const std::vector<std::string> words{"--cpu=" + std::to_string(seconds) + ':', command_file()};
  return watched("/usr/bin/prlimit", with(words, arguments), {}, {}, [](pid_t) {});
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  std::string text(none ? 0 : size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

void write(const std::filesystem::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary) << content;
}

std::string example(const std::string& name) { return source_file("examples/") + name; }

std::string to_hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mobula-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::file(const std::string& name, std::string_view content) const {
  write(path_ / name, content);
  return file(name);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) list.push_back(entry.path().filename());
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<nlohmann::json> parse_json(const std::string& output) {
  std::vector<nlohmann::json> results;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << line;
    if (value.is_discarded()) continue;
    const std::string schema = value.value("schema", "");
    EXPECT_EQ(schema.substr(0, 7), "mobula/") << line;
    EXPECT_EQ(schema_errors(schema.substr(7), value), std::vector<std::string>{}) << line;
    results.push_back(value);
  }
  return results;
}

}  // namespace mobula::test
