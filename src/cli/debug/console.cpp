#include "cli/debug/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <iostream>
#include <optional>
#include <sstream>

#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/line_reader.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"

namespace mobula::cli {
namespace {

volatile std::sig_atomic_t interruptions = 0;
/// What Ctrl-C does outside of the debugger.
struct sigaction outside {};

/// While it lives, Ctrl-C interrupts what is executed and no more. Pressed again before anything asked for that, it
/// does what it does outside: not everything that takes long asks.
class InterruptionsHeld {
 public:
  InterruptionsHeld() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      if (interruptions != 0) {
        sigaction(SIGINT, &outside, nullptr);
        raise(SIGINT);
      }
      interruptions = 1;
    };
    sigemptyset(&action.sa_mask);  // and no SA_RESTART: reading a line ends, too
    sigaction(SIGINT, &action, &outside);
  }
  ~InterruptionsHeld() { sigaction(SIGINT, &outside, nullptr); }
  InterruptionsHeld(const InterruptionsHeld&) = delete;
  InterruptionsHeld& operator=(const InterruptionsHeld&) = delete;
};

std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }
/// Of a command of a group; else empty.
std::string_view second_word(std::string_view name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string_view::npos ? std::string_view() : name.substr(blank + 1);
}

bool has_shortcut(const DebugCommand& command, std::string_view word) {
  std::istringstream all{std::string(command.shortcuts)};
  for (std::string each; all >> each;)
    if (each == word) return true;
  return false;
}

/// The one of some words that is meant: itself, or a prefix of no other.
std::string_view meant(std::string_view typed, std::vector<std::string_view> words, std::string_view what,
                       const std::string& hint) {
  std::erase_if(words, [&](std::string_view each) { return !each.starts_with(typed); });
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (const auto whole = std::ranges::find(words, typed); whole != words.end()) return *whole;
  if (words.size() == 1) return words.front();
  if (words.empty()) throw usage_error(fmt::format("unknown {} \"{}\"", what, typed), hint);
  throw usage_error(fmt::format("\"{}\" is ambiguous: {}", typed, fmt::join(words, ", ")));
}

struct Display {
  std::uint64_t number = 0;
  Arguments of_print;
};

class Console {
 public:
  Console(const DebugOptions& options, const Program* program, DebugSession& session)
      : options_(options), program_(program), session_(session), commands_(session.commands()) {
    const auto own = commands_of(this);
    commands_.push_back({"display", "", "[EXPRESSION]", "print it now and whenever something was executed",
                         many_arguments, true, own(&Console::display)});
    commands_.push_back({"undisplay", "", "[N]", "no longer", 1, false, own(&Console::undisplay)});
    commands_.push_back({"info display", "", "", "the same as display", 0, false, own(&Console::display)});
    commands_.push_back({"source", "", "FILE", "take commands from a file", 1, false, own(&Console::source)});
    commands_.push_back({"help", "h", "[COMMAND]", "show this", 2, false, own(&Console::help)});
    commands_.push_back({"quit", "q exit", "", "end the session", 0, false, own(&Console::quit)});
  }

  Exit run() {
    Reply first = session_.where();
    first.json["command"] = "where";
    tell(first);
    if (options_.script == "-" && isatty(STDIN_FILENO) != 0)
      read_terminal();
    else if (options_.script == "-")
      read_lines(std::cin, "standard input");
    else
      read_script();
    return status_;
  }

 private:
  void read_terminal() {
    const InterruptionsHeld held;
    LineReader reader("(mobula) ");
    std::string last;
    while (!over_) {
      (void)take_interruption();
      const auto line = reader.next();
      if (!line) {
        std::fputc('\n', stderr);  // behind the prompt
        break;
      }
      if (take_interruption() && line->empty()) continue;
      if (line->find_first_not_of(" \t") != std::string::npos) last = *line;
      if (!last.empty()) tell(answer_or_error(last, {}));
    }
    status_ = Exit::done;  // a person saw what was wrong
  }
  void read_lines(std::istream& lines, const std::string& file) {
    Location where{.file = file};
    for (std::string line; !over_ && std::getline(lines, line);) {
      ++where.line;
      tell(answer_or_error(line, where));
    }
  }
  void read_script() {
    const std::vector<std::uint8_t> text = read_file(options_.script);
    std::istringstream lines{std::string(text_of(text, options_.script))};
    read_lines(lines, options_.script);
  }

  void tell(const Reply& reply) const {
    if (options_.json)
      write_output("-", envelope("debug", program_, reply.json));
    else if (!reply.text.empty())
      write_output("-", listing_for("-", reply.text));
  }

  /// Of any line there is an answer. `where` it stands: nowhere if it was typed.
  Reply answer_or_error(const std::string& line, const Location& where) {
    Reply reply;
    try {
      reply = answer_at(line, where);
    } catch (const Stop& stop) {
      print(stop.diagnostics);
      std::istringstream words(line);
      std::string command;
      words >> command;
      reply.json = {{"command", command}, {"error", cli::to_json(stop.diagnostics)}};
      reply.failed = true;
    }
    if (reply.failed) status_ = Exit::negative;
    return reply;
  }

  /// The same as answer(), with errors that say where the line stands.
  Reply answer_at(const std::string& line, const Location& where) {
    try {
      return answer(line);
    } catch (Stop& stop) {
      for (Diagnostic& each : stop.diagnostics)
        if (where.line != 0 && each.where.line == 0) each.where = where;
      throw;
    }
  }

  /// Throws a Stop when the line is no good.
  Reply answer(const std::string& line) {
    std::istringstream stream(line);
    std::string name;
    Reply reply;
    if (!(stream >> name) || name.front() == '#') {
      reply.json["command"] = "";
      return reply;
    }
    Arguments arguments;
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      arguments.format = name.substr(slash + 1);
      name.resize(slash);
    }
    for (std::string word; stream >> word;) arguments.push_back(word);
    const DebugCommand& command = find(name, arguments);
    if (arguments.size() > command.most_arguments)
      throw usage_error(fmt::format("too much after \"{}\"", name),
                        fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments));
    if (!arguments.format.empty() && !command.takes_format)
      throw usage_error(fmt::format("\"{}\" takes no format", command.name), "print/x and the like do");
    reply = command.run(arguments);
    reply.json["command"] = command.name;
    if (reply.moved) add_displays(reply);
    return reply;
  }

  /// The command that is meant; of a group, the word that chose it is taken from the arguments.
  const DebugCommand& find(const std::string& typed, Arguments& arguments) const {
    for (const DebugCommand& each : commands_)
      if (has_shortcut(each, typed)) return each;
    std::vector<std::string_view> words;
    for (const DebugCommand& each : commands_) words.push_back(first_word(each.name));
    // As in gdb, whatever else begins with it.
    const std::string_view first =
        typed == "i" ? "info" : meant(typed, words, "command", "\"help\" lists the commands");
    words.clear();
    for (const DebugCommand& each : commands_)
      if (first_word(each.name) == first) words.push_back(second_word(each.name));
    std::string_view second;
    if (!words.front().empty()) {
      const std::string list = fmt::format("{}", fmt::join(words, ", "));
      if (arguments.empty()) throw usage_error(fmt::format("\"{}\" needs a second word", first), list);
      second = meant(arguments.front(), words, first, list);
      arguments.erase(arguments.begin());
    }
    return *std::ranges::find_if(commands_, [&](const DebugCommand& each) {
      return first_word(each.name) == first && second_word(each.name) == second;
    });
  }

  // ---- the console's own commands

  void add_displays(Reply& reply) {
    Json all = Json::array();
    for (const Display& each : displays_) {
      const Reply shown = show(each);
      reply.text += shown.text;
      all.push_back(shown.json);
    }
    if (!displays_.empty()) reply.json["displays"] = std::move(all);
  }

  Reply show(const Display& display) {
    Reply reply;
    const std::string expression = display.of_print.text();
    reply.json = {{"number", display.number}, {"expression", expression}};
    try {
      Arguments none;
      const Reply printed = find("print", none).run(display.of_print);
      reply.text = fmt::format("{}: {}", display.number, printed.text);
      reply.json["result"] = printed.json;
    } catch (const Stop& stop) {
      reply.text = fmt::format("{}: {}: {}\n", display.number, expression, stop.diagnostics.front().message);
      reply.json["error"] = cli::to_json(stop.diagnostics);
    }
    return reply;
  }

  Reply display(const Arguments& arguments) {
    Reply reply;
    if (arguments.empty()) {
      add_displays(reply);
      if (displays_.empty()) reply.json["displays"] = Json::array();
      return reply;
    }
    Arguments none;
    (void)find("print", none).run(arguments);  // what cannot be printed is not displayed
    displays_.push_back({++last_display_, arguments});
    const Reply shown = show(displays_.back());
    reply.text = shown.text;
    reply.json["displays"] = Json::array({shown.json});
    return reply;
  }

  Reply undisplay(const Arguments& arguments) {
    if (arguments.empty()) {
      displays_.clear();
      return {};
    }
    const std::uint64_t number = debug_number(arguments[0]);
    if (std::erase_if(displays_, [&](const Display& each) { return each.number == number; }) == 0)
      throw usage_error("there is no display " + arguments[0], "\"display\" lists them");
    return {};
  }

  Reply source(const Arguments& arguments) {
    constexpr int deepest = 16;
    if (arguments.empty()) throw usage_error("a file is needed", "source commands.txt");
    if (depth_ == deepest) throw usage_error("files that take commands from files are nested too deeply");
    const std::vector<std::uint8_t> text = read_file(arguments[0]);
    std::istringstream lines{std::string(text_of(text, arguments[0]))};
    Reply all;
    all.json["answers"] = Json::array();
    ++depth_;
    Location where{.file = arguments[0]};
    for (std::string line; !over_ && std::getline(lines, line);) {
      ++where.line;
      try {
        const Reply reply = answer_at(line, where);
        all.text += reply.text;
        all.json["answers"].push_back(reply.json);
        all.failed |= reply.failed;
      } catch (const Stop&) {
        --depth_;
        if (!options_.json) write_output("-", listing_for("-", all.text));
        throw;
      }
    }
    --depth_;
    return all;
  }

  Reply help(const Arguments& arguments) {
    Reply reply;
    reply.json["commands"] = Json::array();
    const DebugCommand* wanted = nullptr;
    if (!arguments.empty()) {
      Arguments rest = arguments;
      rest.erase(rest.begin());
      wanted = &find(arguments[0], rest);
    }
    std::size_t widest = 0;
    for (const DebugCommand& each : commands_) widest = std::max(widest, each.name.size() + each.arguments.size());
    for (const DebugCommand& command : commands_) {
      if (wanted != nullptr && wanted != &command) continue;
      const std::string name =
          fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments);
      if (wanted == nullptr)
        reply.text +=
            fmt::format("  {:<{}} {:<5} {}\n", name, widest + 1, first_word(command.shortcuts), command.summary);
      else
        reply.text += fmt::format("{}: {}\n{}{}\n", name, command.summary,
                                  command.shortcuts.empty() ? "" : "also called ", command.shortcuts);
      reply.json["commands"].push_back({{"name", command.name},
                                        {"shortcut", command.shortcuts},
                                        {"arguments", command.arguments},
                                        {"summary", command.summary}});
    }
    return reply;
  }

  Reply quit(const Arguments&) {
    over_ = true;
    return {};
  }

  const DebugOptions& options_;
  const Program* program_;
  DebugSession& session_;
  std::vector<DebugCommand> commands_;
  std::vector<Display> displays_;
  std::uint64_t last_display_ = 0;
  int depth_ = 0;
  bool over_ = false;
  Exit status_ = Exit::done;
};

}  // namespace

std::string Arguments::text(std::size_t first) const {
  std::string joined;
  for (std::size_t i = first; i < size(); ++i) joined += (joined.empty() ? "" : " ") + (*this)[i];
  return joined;
}

std::uint64_t debug_number(const std::string& text) {
  const auto value = read_number(text);
  if (!value) throw usage_error(fmt::format("\"{}\" is not a number", text), "such as 10, 0xa, 012 or 0b1010");
  return *value;
}

Assignment assignment_of(const Arguments& arguments, const std::string& example) {
  std::string text = arguments.text(!arguments.empty() && arguments[0] == "var" ? 1 : 0);
  // "==" compares, and is part of the value.
  std::size_t split = text.find('=');
  if (split != std::string::npos && text.substr(split).starts_with("==")) split = std::string::npos;
  const std::size_t blank = text.find(' ');
  if (split == std::string::npos || text.find_first_not_of(' ', std::min(blank, text.size())) < split) split = blank;
  const auto trimmed = [](std::string part) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    return part;
  };
  Assignment assignment;
  if (split != std::string::npos) assignment = {trimmed(text.substr(0, split)), trimmed(text.substr(split + 1))};
  if (assignment.name.empty() || assignment.value.empty()) throw usage_error("a name and a value are needed", example);
  return assignment;
}

ExamineFormat::ExamineFormat(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  if (at != 0) count = debug_number(text.substr(0, at));
  for (; at < text.size(); ++at)
    if (const std::size_t power = size_letters.find(text[at]); power != std::string_view::npos)
      size = std::size_t{1} << power;
    else
      letter = text[at];
  if (letter == "f" && size != 4) throw usage_error("only words are shown as floats", "x/4fw 0x1000");
  constexpr std::uint64_t most = 65536;
  if (count > most) throw usage_error(fmt::format("at most {} values are shown", most));
}

std::string memory_text(std::uint64_t address, std::uint64_t count, const ExamineFormat& format,
                        const std::function<Value(std::uint64_t position)>& read) {
  constexpr std::size_t line_bytes = 16;
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i * format.size % line_bytes == 0)
      text += fmt::format("{}{:#x}:", i == 0 ? "" : "\n", address + i * format.size);
    text += ' ' + value_or_usage_error(format_value(read(i), format.letter));
  }
  return text + '\n';
}

Reply value_reply(const std::string& expression, const Result<Value>& value, const std::string& format) {
  const std::string text = value_or_usage_error(format_value(value_or_usage_error(value), format));
  Reply reply{fmt::format("{} = {}\n", expression, text)};
  reply.json["values"] = {{expression, text}};
  return reply;
}

std::uint64_t count_of(const Arguments& arguments) {
  if (arguments.empty()) return 1;
  const auto count = read_number(arguments[0]);
  if (!count || *count == 0)
    throw usage_error(fmt::format("\"{}\" does not say how often", arguments[0]),
                      "a number from 1; \"back\" and \"reverse-continue\" go the other way");
  return *count;
}

bool take_interruption() {
  const bool was = interruptions != 0;
  interruptions = 0;
  return was;
}

Exit converse(const DebugOptions& options, const Program* program, DebugSession& session) {
  return Console(options, program, session).run();
}

}  // namespace mobula::cli
