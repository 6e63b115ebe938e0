// The console of every debugger: lines in, answers out, with the habits of gdb. A session brings its commands and says
// where it stands; prefixes, repetition, scripts, displays, help and JSON are the console's.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/output.h"
#include "mobula/isa/result.h"
#include "mobula/lab/expression.h"

namespace mobula::cli {

/// What follows a command: "print/x r0.x" has one word, and the format "x".
struct Arguments : std::vector<std::string> {
  using vector::vector;
  std::string format;
  /// The words from one on, as they were typed.
  [[nodiscard]] std::string text(std::size_t first = 0) const;
};

/// What a command has to say: a text for people, or the same as JSON.
struct Reply {
  std::string text;
  Json json = Json::object();
  bool moved = false;   ///< something was executed: displays follow
  bool failed = false;  ///< something is wrong with what is debugged; a session that is not at a terminal ends with it
};

/// A number as read_number() reads it, or a Stop.
std::uint64_t debug_number(const std::string& text);
/// How often: the argument, from 1, or once; or a Stop.
std::uint64_t count_of(const Arguments& arguments);

/// "r0.x 1.0", "r0.x = 1.0" and "var r0.x = 1.0": what is written, and the value; a Stop that shows the example.
struct Assignment {
  std::string name, value;
};
Assignment assignment_of(const Arguments& arguments, const std::string& example);

/// How "x" shows what is at a place: "4xw" is four words of memory in hexadecimal, "4i" four instructions.
struct ExamineFormat {
  std::uint64_t count = 1;
  std::string letter = "x";
  std::size_t size = 4;

  explicit ExamineFormat(const std::string& text);
  [[nodiscard]] bool of_instructions() const { return letter == "i"; }
  /// "b", "h", "w" or "g".
  [[nodiscard]] char size_letter() const { return size_letters[static_cast<std::size_t>(std::countr_zero(size))]; }

 private:
  static constexpr std::string_view size_letters = "bhwg";
};

/// What "x" shows: `count` values from an address on, 16 bytes to a line. `read` gives each by its position.
std::string memory_text(std::uint64_t address, std::uint64_t count, const ExamineFormat& format,
                        const std::function<Value(std::uint64_t position)>& read);

/// The answer of "print EXPRESSION".
Reply value_reply(const std::string& expression, const Result<Value>& value, const std::string& format);

/// Sixty-four words are as good as any number.
inline constexpr std::size_t many_arguments = 64;

/// A command of a session. Names of two words make a group: "info registers".
struct DebugCommand {
  std::string_view name;
  std::string_view shortcuts;  ///< other names, which have no prefixes, with blanks between them
  std::string_view arguments, summary;
  std::size_t most_arguments = 0;
  bool takes_format = false;
  std::function<Reply(const Arguments&)> run;  ///< throws a Stop when the arguments are no good
};

/// What a row of commands calls: a member of the session.
template <class Session>
auto commands_of(Session* session) {
  return [session](Reply (Session::*member)(const Arguments&)) {
    return [session, member](const Arguments& arguments) { return (session->*member)(arguments); };
  };
}

/// What is debugged.
class DebugSession {
 public:
  virtual ~DebugSession() = default;
  /// "help", "quit", "source", "display" and "undisplay" are the console's. "display" uses "print".
  [[nodiscard]] virtual std::vector<DebugCommand> commands() = 0;
  [[nodiscard]] virtual Reply where() = 0;
};

/// True once after Ctrl-C was pressed at the terminal: what takes long asks now and then, and stops.
bool take_interruption();

/// Says where the session stands, and answers lines until there are no more or "quit" is said. `program` is named in
/// the JSON; it may be null.
Exit converse(const DebugOptions& options, const Program* program, DebugSession& session);

/// Of files that is_firmware().
Exit debug_firmware(const DebugOptions& options);

/// A workload, or a program that is run on the scoreboard: --preset or --config says so, or the file's name.
bool is_scoreboard_debug(const DebugOptions& options);
Exit debug_scoreboard(const DebugOptions& options);

}  // namespace mobula::cli
