#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/debug/console.h"
#include "cli/debug/source_names.h"
#include "cli/debug/stops.h"
#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/run/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "core/source.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"

namespace mobula::cli {
namespace {

std::string_view name(LaneState state) {
  constexpr std::array<std::string_view, 6> names{"running", "waiting", "blocked", "ended", "discarded", "faulted"};
  return names[static_cast<std::size_t>(state)];
}

class Session final : public StopSession<Debugger> {
 public:
  /// `source`: that of the shader, if the program was compiled on the way in.
  Session(const Prepared& prepared, std::string_view source)
      : StopSession(
            value_or_stop(Debugger::create(prepared.program, prepared.lifted, prepared.inputs), prepared.program.file)),
        prepared_(prepared),
        words_(prepared.program),
        source_("", source) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  Reply step(const Arguments& arguments);
  Reply next_line(const Arguments& arguments);
  Reply back(const Arguments& arguments);
  Reply go(const Arguments& arguments);
  Reply go_back(const Arguments&) { return halted(debugger_.go_back()); }
  Reply until(const Arguments& arguments);
  Reply finish(const Arguments&);
  Reply run(const Arguments&);
  Reply show(const Arguments& arguments);
  Reply examine(const Arguments& arguments);
  Reply write(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply threads(const Arguments& arguments);
  Reply outputs(const Arguments&);
  Reply where(const Arguments&) { return where(); }
  Reply line(const Arguments& arguments);
  Reply labels(const Arguments&);

  [[nodiscard]] std::uint64_t address_of(const std::string& text) const {
    return value_or_usage_error(debugger_.address_of(text));
  }
  [[nodiscard]] std::string place(std::uint64_t address) const;
  /// The line of the source there, on a line of its own.
  [[nodiscard]] std::string source_of(std::uint64_t address) const;
  Reply halted(Debugger::Halt halt);
  Debugger::Halt go_on(const Debugger::Goal& goal);
  [[nodiscard]] Breakpoint stop_at(const std::string& place) const override { return {.address = address_of(place)}; }
  [[nodiscard]] std::vector<Breakpoint> watches_of(const std::string& name) const override;
  [[nodiscard]] bool is_watch(const Breakpoint& stop) const override { return !stop.address; }
  [[nodiscard]] bool is_same(const Breakpoint& one, const Breakpoint& other) const override {
    return one.address == other.address && one.slot == other.slot && one.memory == other.memory;
  }
  [[nodiscard]] std::string text_of(const Breakpoint& stop) const override;
  void describe(const Breakpoint& stop, Json& row, Json& list) const override;
  [[nodiscard]] std::string watched_name(const Breakpoint& stop) const;
  [[nodiscard]] std::string watched_text(const Breakpoint& stop) const;
  Reply of_source(const std::string& name);
  Reply values(const std::vector<const ir::Slot*>& slots, const std::string& format) const;
  Reply memory_at(std::uint64_t address, const ExamineFormat& format) const;
  Reply words_at(const std::vector<std::uint64_t>& addresses) const;

  const Prepared& prepared_;
  WordTexts words_;
  Source source_;
};

std::vector<DebugCommand> Session::commands() {
  const auto call = commands_of(this);
  std::vector<DebugCommand> all{
      {"step", "s si stepi n ni next nexti", "[N]", "execute the next N words of the thread", 1, false,
       call(&Session::step)},
      {"next-line", "nl", "[N]", "execute words of the thread until it comes to another line of the source, N times", 1,
       false, call(&Session::next_line)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]",
       "go back N words of the thread", 1, false, call(&Session::back)},
      {"continue", "c", "[N]", "continue to a breakpoint (the Nth), a watched slot's change, a fault, or the end", 1,
       false, call(&Session::go)},
      {"reverse-continue", "rc", "", "go back to where it last would have stopped", 0, false, call(&Session::go_back)},
      {"until", "u advance", "[PLACE]", "continue to the place; without one, out of the loop", 1, false,
       call(&Session::until)},
      {"finish", "fin", "", "continue until a subroutine returns", 0, false, call(&Session::finish)},
      {"run", "r start", "", "start again, and continue", 0, false, call(&Session::run)},
      {"print", "p inspect", "[SLOT...|EXPRESSION]",
       "show slots, such as r0.x, or r0 for all of it, or r0.x + 1; print/x in the way x, d, u, o, t or f; or what the "
       "inputs give a name of the source; without anything, all slots that are not zero",
       many_arguments, true, call(&Session::show)},
      {"x", "", "[ADDRESS]",
       "show memory: x/4xw is four words of 32 bits; b, h, w, g are 8 to 64; or the program: x/4i $pc", many_arguments,
       true, call(&Session::examine)},
      {"set", "", "NAME VALUE",
       "write a slot, \"set r0.x 1\" the float 1, 0x3f800000 and int(1) as bits; a word of memory, \"set *0x1000 5\"; "
       "or "
       "where the thread goes on, \"set $pc L3\"",
       many_arguments, false, call(&Session::write)},
      {"list", "l", "[N|PLACE]", "show N words around the next one, or those around a place", 1, false,
       call(&Session::list)},
      {"threads", "t thread", "[N]", "list the threads, or make N the current one", 1, false, call(&Session::threads)},
      {"outputs", "o", "", "show the outputs so far", 0, false, call(&Session::outputs)},
      {"where", "bt backtrace frame", "", "show where the thread is", 0, false, call(&Session::where)},
      {"info registers", "", "[SLOT...]", "the same as print", many_arguments, false, call(&Session::show)},
      {"info threads", "", "", "list threads", 0, false, call(&Session::threads)},
      {"info line", "", "[PLACE]", "line, address and text of the word there", 1, false, call(&Session::line)},
      {"info labels", "", "", "list the labels", 0, false, call(&Session::labels)},
      {"info frame", "", "", "the same as where", 0, false, call(&Session::where)},
      {"info outputs", "", "", "the same as outputs", 0, false, call(&Session::outputs)},
  };
  std::ranges::move(
      stop_commands(
          "stop before the word at 0x20, L3, L3+0x10, or :12 for a line; without a place, list the breakpoints",
          "stop when this slot, r0.x, all of r0, or the word of memory at *0x1000 changes; without one, list "
          "what is watched"),
      std::back_inserter(all));
  return all;
}

// ---- where it is

std::string Session::place(std::uint64_t address) const {
  const std::string symbol = debugger_.symbol(address);
  return fmt::format("{:#06x}{}", address, symbol.empty() ? "" : " <" + symbol + '>');
}

std::string Session::source_of(std::uint64_t address) const {
  const auto line = debugger_.line_of(address);
  if (!line || *line == 0 || *line > source_.line_count()) return {};
  std::string_view text = source_.line(*line - 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return fmt::format("  {}: {}\n", *line, text);
}

Reply Session::where() {
  const std::uint32_t thread = debugger_.thread(debugger_.lane()).index;
  const auto address = debugger_.address(debugger_.lane());
  Reply reply;
  reply.json = {{"thread", thread}, {"words", debugger_.words_executed()}};
  if (address) {
    reply.json["offset"] = hex(*address);
    if (const std::string symbol = debugger_.symbol(*address); !symbol.empty()) reply.json["symbol"] = symbol;
    if (const auto line = debugger_.line_of(*address)) reply.json["line"] = *line;
    reply.json["text"] = words_.at(*address);
    reply.text =
        fmt::format("thread {} at {}: {}\n", thread, place(*address), words_.at(*address)) + source_of(*address);
    return reply;
  }
  const LaneState state = debugger_.state(debugger_.lane());
  reply.text = fmt::format("thread {} {}\n", thread, name(state));
  for (const LaneFault& fault : debugger_.faults())
    if (fault.lane == debugger_.lane()) {
      reply.text += fmt::format("  at {}: {}\n", place(fault.address), fault.reason);
      reply.json["reason"] = fault.reason;
    }
  reply.json["state"] = name(state);
  return reply;
}

Reply Session::halted(Debugger::Halt halt) {
  Reply reply = where();
  reply.moved = true;
  std::string why;
  switch (halt) {
    case Debugger::Halt::stepped:
    case Debugger::Halt::stopped:
    case Debugger::Halt::fault:
      break;
    case Debugger::Halt::breakpoint:
      why = fmt::format("breakpoint {}", debugger_.halted_by()->number);
      break;
    case Debugger::Halt::watch: {
      const Breakpoint& stop = *debugger_.halted_by();
      why = fmt::format("{} is now {}", watched_name(stop), watched_text(stop));
      break;
    }
    case Debugger::Halt::beginning:
      why = "beginning";
      break;
    case Debugger::Halt::unfinished:
      why = "interrupted";
      break;
  }
  if (debugger_.halted_by()) reply.json["number"] = debugger_.halted_by()->number;
  if (!why.empty()) {
    reply.json["halt"] = why;
    reply.text = why + '\n' + reply.text;
  }
  reply.failed = debugger_.state(debugger_.lane()) == LaneState::faulted;
  return reply;
}

// ---- going on

constexpr std::uint64_t words_between_looks = 4096;  // whether Ctrl-C was pressed

Reply Session::step(const Arguments& arguments) {
  std::uint64_t count = count_of(arguments);
  auto halt = Debugger::Halt::stepped;
  while (count != 0 && halt == Debugger::Halt::stepped) {
    const std::uint64_t some = std::min(count, words_between_looks);
    halt = debugger_.step(some);
    count -= some;
    if (count != 0 && halt == Debugger::Halt::stepped && take_interruption()) halt = Debugger::Halt::unfinished;
  }
  return halted(halt);
}

Reply Session::next_line(const Arguments& arguments) {
  const auto address = [this] { return debugger_.address(debugger_.lane()); };
  const auto here = [&] { return address() ? debugger_.line_of(*address()) : std::nullopt; };
  if (prepared_.program.lines.empty())
    throw usage_error("the program has no lines: it was neither compiled nor assembled here",
                      "\"step\" goes word by word");
  auto halt = Debugger::Halt::stepped;
  // A thread that has ended comes nowhere any more; words that are of no line are passed.
  for (std::uint64_t left = count_of(arguments); left != 0 && halt == Debugger::Halt::stepped && address(); --left) {
    const auto line = here();
    const auto is_there = [&] { return here() && here() != line; };
    for (std::uint64_t words = 1; halt == Debugger::Halt::stepped && address() && !is_there(); ++words) {
      halt = debugger_.step(1);
      if (words % words_between_looks == 0 && take_interruption()) halt = Debugger::Halt::unfinished;
    }
  }
  return halted(halt);
}

Reply Session::back(const Arguments& arguments) { return halted(debugger_.back(count_of(arguments))); }

Debugger::Halt Session::go_on(const Debugger::Goal& goal) {
  for (;;) {
    const Debugger::Halt halt = debugger_.go(goal, words_between_looks);
    if (halt != Debugger::Halt::unfinished || take_interruption()) return halt;
  }
}

Reply Session::go(const Arguments& arguments) {
  auto halt = Debugger::Halt::breakpoint;
  for (std::uint64_t left = count_of(arguments); left != 0 && halt == Debugger::Halt::breakpoint; --left)
    halt = go_on({});
  return halted(halt);
}

Reply Session::until(const Arguments& arguments) {
  if (arguments.empty()) return halted(go_on({.later = true}));
  return halted(go_on({.address = address_of(arguments[0])}));
}

Reply Session::finish(const Arguments&) {
  if (!debugger_.has_returns())
    throw usage_error("the program has no subroutine that could return", "\"until\" goes to a place or out of a loop");
  return halted(go_on({.returned = true}));
}

Reply Session::run(const Arguments& arguments) {
  debugger_.restart();
  return go(arguments);
}

// ---- breakpoints, and what is watched

/// Of a slot, with its thread where that is not the current one, or of memory.
std::string Session::watched_name(const Breakpoint& stop) const {
  if (stop.slot == nullptr) return fmt::format("*{:#x}", stop.memory->address);
  if (stop.lane == debugger_.lane()) return stop.slot->name;
  return fmt::format("{} of thread {}", stop.slot->name, debugger_.thread(stop.lane).index);
}

std::string Session::watched_text(const Breakpoint& stop) const {
  if (stop.slot != nullptr) return slot_text(*stop.slot, debugger_.read(*stop.slot, stop.lane));
  return *format_value(Value::of(debugger_.read_memory(stop.memory->address, stop.memory->bytes)), "x");
}

std::string Session::text_of(const Breakpoint& stop) const {
  if (is_watch(stop)) return fmt::format("{} = {}", watched_name(stop), watched_text(stop));
  return fmt::format("at {}: {}", place(*stop.address), words_.at(*stop.address));
}

void Session::describe(const Breakpoint& stop, Json& row, Json&) const {
  if (stop.address)
    row["offset"] = hex(*stop.address);
  else if (stop.slot != nullptr)
    row["slot"] = stop.slot->name;
  else
    row["memory"] = hex(stop.memory->address);
}

std::vector<Debugger::Breakpoint> Session::watches_of(const std::string& name) const {
  constexpr std::size_t word_bytes = 4;
  if (name.starts_with('*')) {
    const Value address = value_or_usage_error(debugger_.evaluate(name.substr(1)));
    return {{.memory = Debugger::MemoryRange{static_cast<std::uint64_t>(address.as_integer()), word_bytes},
             .lane = debugger_.lane()}};
  }
  std::vector<Breakpoint> all;
  for (const ir::Slot* slot : value_or_usage_error(debugger_.slots(name)))
    all.push_back({.slot = slot, .lane = debugger_.lane()});
  return all;
}

// ---- values

/// Whether a word may be one of the source: letters, and members and elements of what has several.
bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '_' || each == '.' || each == '[' || each == ']';
  });
}

/// As a number, and of four bytes as the float it may be.
Json json_of_value(const ir::Slot& slot, const std::vector<std::uint8_t>& bytes) {
  std::string digits = hex(std::vector<std::uint8_t>(bytes.rbegin(), bytes.rend()));
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  Json row{{"value", "0x" + digits}};
  if (slot.bytes == 4) row["float"] = Value::of(bytes).as_real();
  return row;
}

Reply Session::values(const std::vector<const ir::Slot*>& slots, const std::string& format) const {
  Reply reply;
  reply.json["slots"] = Json::object();
  reply.json["registers"] = Json::object();
  for (const ir::Slot* slot : slots) {
    const std::vector<std::uint8_t> bytes = debugger_.read(*slot);
    reply.text += fmt::format(
        "{} = {}\n", slot->name,
        format.empty() ? slot_text(*slot, bytes) : value_or_usage_error(format_value(Value::of(bytes), format)));
    reply.json["slots"][slot->name] = hex(bytes);
    reply.json["registers"][slot->name] = json_of_value(*slot, bytes);
  }
  return reply;
}

/// Of a name that is no slot.
Reply Session::of_source(const std::string& name) {
  const std::uint32_t thread = debugger_.thread(debugger_.lane()).index;
  const auto value = value_of_source_name(prepared_, name, thread);
  if (!value) {
    Diagnostics errors = debugger_.evaluate(name).error();
    if (std::string hint = hint_of_source_names(prepared_, name, thread); !hint.empty())
      errors.front().hint = std::move(hint);
    return value_or_usage_error(Result<Reply>(fail(std::move(errors))));
  }
  Reply reply{fmt::format("{} = {}\n", name, *value)};
  reply.json["values"] = {{name, *value}};
  return reply;
}

Reply Session::show(const Arguments& arguments) {
  if (arguments.empty()) return values(debugger_.slots_in_use(), arguments.format);
  const bool is_one_name = arguments.size() == 1 && arguments.format.empty() && is_name(arguments[0]);
  if (is_one_name && !debugger_.evaluate(arguments[0]) && !debugger_.slots(arguments[0]))
    return of_source(arguments[0]);
  std::vector<const ir::Slot*> slots;
  for (const std::string& name : arguments) {
    auto named = debugger_.slots(name);
    if (!named && arguments.text().find_first_of("+-*/%&|^~<>=!(") == std::string::npos && arguments.size() > 1)
      throw usage_error(named.error().front().message, named.error().front().hint);
    if (!named) return value_reply(arguments.text(), debugger_.evaluate(arguments.text()), arguments.format);
    slots.insert(slots.end(), named->begin(), named->end());
  }
  return values(slots, arguments.format);
}

Reply Session::examine(const Arguments& arguments) {
  const ExamineFormat format(arguments.format);
  if (arguments.empty() && !format.of_instructions()) throw usage_error("an address is needed", "x/4xw 0x1000");
  const std::string expression = arguments.empty() ? "$pc" : arguments.text();
  const auto address = static_cast<std::uint64_t>(value_or_usage_error(debugger_.evaluate(expression)).as_integer());
  if (!format.of_instructions()) return memory_at(address, format);
  std::vector<std::uint64_t> words = debugger_.around(2 * format.count + 1, address_of(hex(address)));
  std::erase_if(words, [&](std::uint64_t each) { return each < address; });
  words.resize(std::min<std::size_t>(words.size(), format.count));
  return words_at(words);
}

Reply Session::memory_at(std::uint64_t address, const ExamineFormat& format) const {
  const std::vector<std::uint8_t> bytes = debugger_.read_memory(address, format.count * format.size);
  if (bytes.size() < format.size)
    throw usage_error(fmt::format("there is no memory at {:#x}", address), debugger_.address_of(hex(address))
                                                                               ? "\"x/i\" shows the program's words"
                                                                               : "the inputs say what memory there is");
  if (const std::size_t there = bytes.size() / format.size; there < format.count)
    throw usage_error(
        fmt::format("memory ends at {:#x}: of {} only {} there", address + bytes.size(), counted(format.count, "value"),
                    there == 1 ? "1 is" : fmt::format("{} are", there)),
        fmt::format("x/{}{}{} {:#x} shows what there is", there, format.letter, format.size_letter(), address));
  Reply reply{memory_text(address, format.count, format, [&](std::uint64_t i) {
    return Value::of(std::span(bytes).subspan(i * format.size, format.size));
  })};
  reply.json["memory"] = {{"address", hex(address)}, {"bytes", hex(bytes)}};
  return reply;
}

Reply Session::write(const Arguments& arguments) {
  const Assignment wanted = assignment_of(arguments, "set r0.x 1.0");
  if (wanted.name == "$pc" || wanted.name == "pc") {
    value_or_usage_error(debugger_.jump(address_of(wanted.value)));
    return where();
  }
  value_or_usage_error(debugger_.assign(wanted.name, wanted.value));
  if (!wanted.name.starts_with('*')) return values({value_or_usage_error(debugger_.slot(wanted.name))}, {});
  const Value address = value_or_usage_error(debugger_.evaluate(wanted.name.substr(1)));
  return memory_at(static_cast<std::uint64_t>(address.as_integer()), ExamineFormat("1xw"));
}

// ---- lists

Reply Session::list(const Arguments& arguments) {
  std::size_t wanted = 11;
  std::optional<std::uint64_t> centre;
  if (!arguments.empty() && arguments[0].find_first_not_of("0123456789") == std::string::npos)
    wanted = std::max<std::uint64_t>(1, debug_number(arguments[0]));
  else if (!arguments.empty())
    centre = address_of(arguments[0]);
  return words_at(debugger_.around(wanted, centre));
}

Reply Session::words_at(const std::vector<std::uint64_t>& addresses) const {
  const auto next = debugger_.address(debugger_.lane());
  Reply reply;
  reply.json["list"] = Json::array();
  for (const std::uint64_t address : addresses) {
    reply.text += fmt::format("{} {}: {}\n", address == next ? "=>" : "  ", place(address), words_.at(address));
    reply.json["list"].push_back({{"offset", hex(address)}, {"text", words_.at(address)}, {"next", address == next}});
  }
  return reply;
}

Reply Session::threads(const Arguments& arguments) {
  if (!arguments.empty()) {
    const auto lane = debugger_.lane_of(debug_number(arguments[0]));
    if (!lane) throw usage_error("there is no thread " + arguments[0], "\"threads\" lists them");
    value_or_usage_error(debugger_.choose(*lane));
    return where();
  }
  Reply reply;
  reply.json["threads"] = Json::array();
  for (std::uint32_t lane = 0; lane < debugger_.threads(); ++lane) {
    if (debugger_.thread(lane).helper) continue;
    const auto address = debugger_.address(lane);
    const std::uint32_t index = debugger_.thread(lane).index;
    reply.text += fmt::format("{} thread {}: {}{}\n", lane == debugger_.lane() ? "*" : " ", index,
                              name(debugger_.state(lane)), address ? " at " + place(*address) : "");
    Json row{{"thread", index}, {"state", name(debugger_.state(lane))}, {"current", lane == debugger_.lane()}};
    if (address) row["offset"] = hex(*address);
    reply.json["threads"].push_back(std::move(row));
  }
  return reply;
}

Reply Session::outputs(const Arguments&) {
  Json outputs = outputs_json(prepared_, debugger_.outputs());
  Reply reply{outputs_text(outputs)};
  reply.json["outputs"] = std::move(outputs);
  return reply;
}

Reply Session::line(const Arguments& arguments) {
  const auto address = arguments.empty() ? debugger_.address(debugger_.lane()) : address_of(arguments[0]);
  if (!address) throw usage_error("the thread has stopped", "\"info line L3\" is about another place");
  const auto line = debugger_.line_of(*address);
  Reply reply;
  reply.json = {{"offset", hex(*address)}, {"text", words_.at(*address)}};
  if (const std::string symbol = debugger_.symbol(*address); !symbol.empty()) reply.json["symbol"] = symbol;
  if (line) reply.json["line"] = *line;
  reply.text =
      fmt::format("{}{}: {}\n", line ? fmt::format("line {} is ", *line) : "", place(*address), words_.at(*address));
  return reply;
}

Reply Session::labels(const Arguments&) {
  Reply reply;
  reply.json["labels"] = Json::object();
  for (const Label& each : debugger_.labels()) {
    reply.text += fmt::format("{:#06x} {}\n", each.byte_offset, each.name);
    reply.json["labels"][each.name] = hex(each.byte_offset);
  }
  return reply;
}

}  // namespace

Exit debug(const DebugOptions& options) {
  if (is_scoreboard_debug(options)) return debug_scoreboard(options);
  const std::string& file = options.input.files.front();
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (is_firmware(options.input, file, bytes)) return debug_firmware(options);
  if (options.input.files.size() != 1)
    throw usage_error("one program is stepped at a time", "only the two images of an a5xx run together");
  if (file == "-" && options.script == "-")
    throw usage_error("program and commands cannot both come from standard input", "give the commands with -x FILE");
  const Prepared prepared = prepare(options.input, options.feed, file, bytes);
  print(prepared.inputs.warnings);
  Session session(prepared, is_shader(options.input, file, bytes) ? as_text(bytes) : std::string_view());
  return converse(options, &prepared.program, session);
}

}  // namespace mobula::cli
