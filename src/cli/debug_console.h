// What the debuggers of programs and of firmware have in common: lines in, answers out.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace mobula::cli {

using Arguments = std::vector<std::string>;

/// What a command has to say: a text for people, or the same as JSON.
struct Reply {
  std::string text;
  Json json = Json::object();
};

/// A decimal or hexadecimal number, or a Stop.
std::uint64_t debug_number(const std::string& text);
/// How often: the argument, or once.
inline std::uint64_t count_of(const Arguments& arguments) { return arguments.empty() ? 1 : debug_number(arguments[0]); }

/// A command of a session.
template <class Session>
struct DebugCommand {
  std::string_view name, shortcut, arguments, summary;
  std::size_t most_arguments;
  Reply (Session::*run)(const Arguments&);
};

/// The answer to a line; throws a Stop when the line is invalid.
template <class Session>
Reply answer(Session& session, const std::vector<DebugCommand<Session>>& commands, const std::string& line) {
  std::istringstream stream(line);
  std::string name;
  Arguments arguments;
  if (!(stream >> name) || name.front() == '#') return {};
  for (std::string word; stream >> word;) arguments.push_back(word);
  for (const DebugCommand<Session>& command : commands) {
    if (name != command.name && (command.shortcut.empty() || name != command.shortcut)) continue;
    if (arguments.size() > command.most_arguments)
      throw usage_error(fmt::format("too much after \"{}\"", name),
                        fmt::format("{} {}", command.name, command.arguments));
    Reply reply = (session.*command.run)(arguments);
    reply.json["command"] = command.name;
    return reply;
  }
  throw usage_error(fmt::format("unknown command \"{}\"", name), "\"help\" lists the commands");
}

/// The list of commands.
template <class Session>
Reply help_of(const std::vector<DebugCommand<Session>>& commands) {
  Reply reply;
  for (const DebugCommand<Session>& command : commands) {
    reply.text += fmt::format("  {:<28}{:<4}{}\n", fmt::format("{} {}", command.name, command.arguments),
                              command.shortcut, command.summary);
    reply.json["commands"].push_back({{"name", command.name},
                                      {"shortcut", command.shortcut},
                                      {"arguments", command.arguments},
                                      {"summary", command.summary}});
  }
  return reply;
}

/// The commands: of a script, or line by line from standard input.
class Lines {
 public:
  explicit Lines(const std::string& script) : interactive_(script == "-" && isatty(STDIN_FILENO) != 0) {
    if (script == "-") return;
    const std::vector<std::uint8_t> text = read_file(script);
    file_.emplace(std::string(as_text(text)));
  }
  bool next(std::string& line) {
    if (interactive_) {
      std::fputs("(mobula) ", stderr);
      std::fflush(stderr);
    }
    return static_cast<bool>(std::getline(file_ ? static_cast<std::istream&>(*file_) : std::cin, line));
  }
  [[nodiscard]] bool interactive() const { return interactive_; }

 private:
  bool interactive_;
  std::optional<std::istringstream> file_;
};

/// Says where it is, and answers lines until there are no more, or the session is over.
template <class Session>
Exit converse(const DebugOptions& options, const Program& program, Session& session) {
  Lines lines(options.script);
  const auto tell = [&](Reply reply) {
    if (options.json)
      write_output("-", envelope("debug", &program, std::move(reply.json)));
    else
      write_output("-", reply.text);
  };
  Reply first = session.where();
  first.json["command"] = "where";
  tell(std::move(first));
  Exit status = Exit::done;
  for (std::string line; !session.over() && lines.next(line);) {
    try {
      Reply reply = session.run(line);
      if (!reply.json.empty()) tell(std::move(reply));
    } catch (const Stop& stop) {
      print(stop.diagnostics);
      if (!lines.interactive()) status = Exit::negative;
    }
  }
  return status;
}

/// Firmware: --machine says so, or the file is an image.
bool is_firmware_debug(const DebugOptions& options);
Exit debug_firmware(const DebugOptions& options);

}  // namespace mobula::cli
