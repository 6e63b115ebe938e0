#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "cli/debug/console.h"
#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/run/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"

namespace mobula::cli {
namespace {

std::string_view name(LaneState state) {
  constexpr std::array<std::string_view, 6> names{"running", "waiting", "blocked", "ended", "discarded", "faulted"};
  return names[static_cast<std::size_t>(state)];
}

/// How "x" shows memory: "4xw".
struct MemoryFormat {
  std::uint64_t count = 1;
  std::string letter = "x";
  std::size_t size = 4;

  explicit MemoryFormat(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    if (at != 0) count = debug_number(text.substr(0, at));
    constexpr std::string_view sizes = "bhwg";
    for (; at < text.size(); ++at)
      if (const std::size_t size_letter = sizes.find(text[at]); size_letter != std::string_view::npos)
        size = std::size_t{1} << size_letter;
      else
        letter = text[at];
    if (letter == "f" && size != 4) throw usage_error("floats are shown of words", "x/4fw 0x1000");
    constexpr std::uint64_t most = 65536;
    if (count > most) throw usage_error(fmt::format("at most {} values are shown", most));
  }
};

class Session final : public DebugSession {
 public:
  explicit Session(const Prepared& prepared)
      : prepared_(prepared),
        debugger_(
            value_or_stop(Debugger::create(prepared.program, prepared.lifted, prepared.inputs), prepared.program.file)),
        words_(prepared.program) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  Reply step(const Arguments& arguments);
  Reply back(const Arguments& arguments);
  Reply go(const Arguments& arguments);
  Reply go_back(const Arguments&) { return halted(debugger_.go_back()); }
  Reply until(const Arguments& arguments);
  Reply finish(const Arguments&);
  Reply run(const Arguments&);
  Reply set_breakpoint(const Arguments& arguments) { return add_breakpoint(arguments, false); }
  Reply set_temporary(const Arguments& arguments) { return add_breakpoint(arguments, true); }
  Reply remove_breakpoint(const Arguments& arguments);
  Reply set_condition(const Arguments& arguments);
  Reply ignore(const Arguments& arguments);
  Reply enable(const Arguments& arguments) { return set_enabled(arguments, true); }
  Reply disable(const Arguments& arguments) { return set_enabled(arguments, false); }
  Reply watch(const Arguments& arguments);
  Reply unwatch(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply memory(const Arguments& arguments);
  Reply write(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply threads(const Arguments& arguments);
  Reply outputs(const Arguments&);
  Reply where(const Arguments&) { return where(); }
  Reply breakpoints(const Arguments&) { return points(false); }
  Reply watchpoints(const Arguments&) { return points(true); }
  Reply line(const Arguments& arguments);
  Reply labels(const Arguments&);

  [[nodiscard]] std::uint64_t address_of(const std::string& text) const {
    return value_or_usage_error(debugger_.address_of(text));
  }
  [[nodiscard]] std::string place(std::uint64_t address) const;
  Reply halted(Debugger::Halt halt);
  Debugger::Halt go_on(const Debugger::Goal& goal);
  Reply add_breakpoint(const Arguments& arguments, bool temporary);
  Reply set_enabled(const Arguments& arguments, bool enabled);
  [[nodiscard]] Debugger::Breakpoint numbered(const std::string& text) const;
  [[nodiscard]] std::string text_of(const Debugger::Breakpoint& point) const;
  [[nodiscard]] Json json_of(const Debugger::Breakpoint& point) const;
  Reply points(bool watches) const;
  Reply values(const std::vector<const ir::Slot*>& slots, const std::string& format) const;
  Reply value(const std::string& expression, const std::string& format) const;

  const Prepared& prepared_;
  Debugger debugger_;
  WordTexts words_;
};

std::vector<DebugCommand> Session::commands() {
  const auto call = [this](Reply (Session::*member)(const Arguments&)) {
    return [this, member](const Arguments& arguments) { return (this->*member)(arguments); };
  };
  constexpr std::size_t many = 64;
  return {
      {"step", "s si stepi n ni next nexti", "[N]", "execute the next N words of the thread", 1, false,
       call(&Session::step)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]",
       "go back N words of the thread", 1, false, call(&Session::back)},
      {"continue", "c", "[N]", "continue to a breakpoint (the Nth), a watched slot's change, a fault, or the end", 1,
       false, call(&Session::go)},
      {"reverse-continue", "rc", "", "go back to where it last would have stopped", 0, false, call(&Session::go_back)},
      {"until", "u advance", "[PLACE]", "continue to the place; without one, out of the loop", 1, false,
       call(&Session::until)},
      {"finish", "fin", "", "continue until a subroutine returns", 0, false, call(&Session::finish)},
      {"run", "r start", "", "start anew, and continue", 0, false, call(&Session::run)},
      {"break", "b br", "[PLACE [if CONDITION]]",
       "stop before the word at 0x20, L3, L3+0x10, or :12 for a line; without a place, list the breakpoints", many,
       false, call(&Session::set_breakpoint)},
      {"tbreak", "tb", "PLACE [if CONDITION]", "the same, once", many, false, call(&Session::set_temporary)},
      {"delete", "d clear", "[N|PLACE]", "remove the breakpoint of that number or place, or all", 1, false,
       call(&Session::remove_breakpoint)},
      {"condition", "cond", "N [CONDITION]", "stop there only if this is true", many, false,
       call(&Session::set_condition)},
      {"ignore", "", "N COUNT", "pass the breakpoint by so many times", 2, false, call(&Session::ignore)},
      {"enable", "en", "N", "heed the breakpoint again", 1, false, call(&Session::enable)},
      {"disable", "dis", "N", "pass the breakpoint by", 1, false, call(&Session::disable)},
      {"watch", "w", "[SLOT [if CONDITION]]", "stop when this slot changes; without one, list the watched slots", many,
       false, call(&Session::watch)},
      {"unwatch", "uw", "[SLOT]", "stop watching it, or everything", 1, false, call(&Session::unwatch)},
      {"print", "p inspect", "[SLOT...|EXPRESSION]",
       "show slots, such as r0.x, or r0 for all of it, or r0.x + 1; print/x in the way x, d, u, o, t or f; without "
       "anything, all that are not zero",
       many, true, call(&Session::show)},
      {"x", "", "ADDRESS", "show memory: x/4xw is four words of 32 bits; b, h, w, g are 8 to 64", many, true,
       call(&Session::memory)},
      {"set", "", "SLOT VALUE", "write a slot: 5, 0x3f800000 or 1.0", 4, false, call(&Session::write)},
      {"list", "l", "[N|PLACE]", "show N words around the next one, or those around a place", 1, false,
       call(&Session::list)},
      {"threads", "t thread", "[N]", "list the threads, or make N the current one", 1, false, call(&Session::threads)},
      {"outputs", "o", "", "show the outputs so far", 0, false, call(&Session::outputs)},
      {"where", "bt backtrace frame", "", "show where the thread is", 0, false, call(&Session::where)},
      {"info registers", "", "[SLOT...]", "the same as print", many, false, call(&Session::show)},
      {"info breakpoints", "", "", "list breakpoints", 0, false, call(&Session::breakpoints)},
      {"info watchpoints", "", "", "list watched slots", 0, false, call(&Session::watchpoints)},
      {"info threads", "", "", "list threads", 0, false, call(&Session::threads)},
      {"info line", "", "[PLACE]", "line, address and text of the word there", 1, false, call(&Session::line)},
      {"info labels", "", "", "list the labels", 0, false, call(&Session::labels)},
      {"info frame", "", "", "the same as where", 0, false, call(&Session::where)},
      {"info outputs", "", "", "the same as outputs", 0, false, call(&Session::outputs)},
  };
}

// ---- where it is

std::string Session::place(std::uint64_t address) const {
  const std::string symbol = debugger_.symbol(address);
  return fmt::format("{:#06x}{}", address, symbol.empty() ? "" : " <" + symbol + '>');
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
    reply.text = fmt::format("thread {} at {}: {}\n", thread, place(*address), words_.at(*address));
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
      const ir::Slot& slot = *debugger_.halted_by()->slot;
      why = fmt::format("{} is now {}", slot.name, slot_text(slot, debugger_.read(slot)));
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

Reply Session::back(const Arguments& arguments) {
  value_or_usage_error(debugger_.back(count_of(arguments)));
  Reply reply = where();
  reply.moved = true;
  return reply;
}

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

// ---- breakpoints and watched slots

std::string Session::text_of(const Debugger::Breakpoint& point) const {
  std::string text = point.slot == nullptr
                         ? fmt::format("{} at {}: {}", point.number, place(*point.address), words_.at(*point.address))
                         : fmt::format("{} {} = {}", point.number, point.slot->name,
                                       slot_text(*point.slot, debugger_.read(*point.slot)));
  if (!point.condition.empty()) text += fmt::format(", if {}", point.condition);
  if (point.temporary) text += ", once";
  if (!point.enabled) text += ", disabled";
  if (point.ignore != 0) text += fmt::format(", passed by {} more times", point.ignore);
  if (point.hits != 0) text += ", met " + counted(point.hits, "time");
  return text + '\n';
}

Json Session::json_of(const Debugger::Breakpoint& point) const {
  Json row{{"number", point.number}};
  if (point.slot == nullptr)
    row["offset"] = hex(*point.address);
  else
    row["slot"] = point.slot->name;
  if (!point.condition.empty()) row["condition"] = point.condition;
  row["enabled"] = point.enabled;
  row["temporary"] = point.temporary;
  row["ignore"] = point.ignore;
  row["hits"] = point.hits;
  return row;
}

Reply Session::points(bool watches) const {
  Reply reply;
  const char* const key = watches ? "watched" : "breakpoints";
  reply.json[key] = Json::array();
  for (const Debugger::Breakpoint& each : debugger_.breakpoints()) {
    if ((each.slot != nullptr) != watches) continue;
    reply.text += text_of(each);
    reply.json[key].push_back(json_of(each));
  }
  return reply;
}

/// What follows "if"; the words before it are left.
std::string take_condition(Arguments& arguments) {
  const auto found = std::ranges::find(arguments, "if");
  if (found == arguments.end()) return {};
  std::string condition = arguments.text(static_cast<std::size_t>(found - arguments.begin()) + 1);
  if (condition.empty()) throw usage_error("a condition is needed after \"if\"", "break L3 if r0.x > 2");
  arguments.erase(found, arguments.end());
  return condition;
}

Reply Session::add_breakpoint(const Arguments& arguments, bool temporary) {
  if (arguments.empty()) return points(false);
  Arguments place = arguments;
  std::string condition = take_condition(place);
  if (place.size() != 1) throw usage_error("one place is needed", "break L3 if r0.x > 2");
  value_or_usage_error(
      debugger_.add({.address = address_of(place[0]), .condition = std::move(condition), .temporary = temporary}));
  return points(false);
}

Debugger::Breakpoint Session::numbered(const std::string& text) const {
  const std::uint64_t number = debug_number(text);
  for (const Debugger::Breakpoint& each : debugger_.breakpoints())
    if (each.number == number) return each;
  throw usage_error("there is no breakpoint " + text, "\"info breakpoints\" lists them");
}

Reply Session::remove_breakpoint(const Arguments& arguments) {
  std::vector<std::uint32_t> numbers;
  const auto all = debugger_.breakpoints();
  for (const Debugger::Breakpoint& each : all)
    if (arguments.empty() ? each.slot == nullptr : std::to_string(each.number) == arguments[0])
      numbers.push_back(each.number);
  if (numbers.empty() && !arguments.empty()) {
    const std::uint64_t address = address_of(arguments[0]);
    for (const Debugger::Breakpoint& each : all)
      if (each.address == address) numbers.push_back(each.number);
    if (numbers.empty()) throw usage_error("there is no breakpoint at " + arguments[0]);
  }
  for (const std::uint32_t number : numbers) debugger_.remove(number);
  return points(false);
}

Reply Session::set_condition(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("the number of a breakpoint is needed", "condition 1 r0.x > 2");
  Debugger::Breakpoint point = numbered(arguments[0]);
  point.condition = arguments.text(1);
  value_or_usage_error(debugger_.replace(point));
  return points(point.slot != nullptr);
}

Reply Session::ignore(const Arguments& arguments) {
  if (arguments.size() != 2) throw usage_error("a number and a count are needed", "ignore 1 10");
  Debugger::Breakpoint point = numbered(arguments[0]);
  point.ignore = debug_number(arguments[1]);
  value_or_usage_error(debugger_.replace(point));
  return points(point.slot != nullptr);
}

Reply Session::set_enabled(const Arguments& arguments, bool enabled) {
  if (arguments.empty()) throw usage_error("the number of a breakpoint is needed", "\"info breakpoints\" lists them");
  Debugger::Breakpoint point = numbered(arguments[0]);
  point.enabled = enabled;
  value_or_usage_error(debugger_.replace(point));
  return points(point.slot != nullptr);
}

Reply Session::watch(const Arguments& arguments) {
  if (arguments.empty()) return points(true);
  Arguments name = arguments;
  std::string condition = take_condition(name);
  if (name.size() != 1) throw usage_error("one slot is needed", "watch r0.x if r0.x > 2");
  const ir::Slot* slot = value_or_usage_error(debugger_.slot(name[0]));
  value_or_usage_error(debugger_.add({.slot = slot, .lane = debugger_.lane(), .condition = std::move(condition)}));
  return points(true);
}

Reply Session::unwatch(const Arguments& arguments) {
  const ir::Slot* slot = arguments.empty() ? nullptr : value_or_usage_error(debugger_.slot(arguments[0]));
  bool found = arguments.empty();
  for (const Debugger::Breakpoint& each : debugger_.breakpoints())
    if (each.slot != nullptr && (slot == nullptr || each.slot == slot)) found = debugger_.remove(each.number);
  if (!found) throw usage_error(arguments[0] + " is not watched");
  return points(true);
}

// ---- values

Reply Session::values(const std::vector<const ir::Slot*>& slots, const std::string& format) const {
  Reply reply;
  reply.json["slots"] = Json::object();
  for (const ir::Slot* slot : slots) {
    const std::vector<std::uint8_t> bytes = debugger_.read(*slot);
    reply.text += fmt::format(
        "{} = {}\n", slot->name,
        format.empty() ? slot_text(*slot, bytes) : value_or_usage_error(format_value(Value::of(bytes), format)));
    reply.json["slots"][slot->name] = hex(bytes);
  }
  return reply;
}

Reply Session::value(const std::string& expression, const std::string& format) const {
  const std::string text =
      value_or_usage_error(format_value(value_or_usage_error(debugger_.evaluate(expression)), format));
  Reply reply{fmt::format("{} = {}\n", expression, text)};
  reply.json["values"] = {{expression, text}};
  return reply;
}

Reply Session::show(const Arguments& arguments) {
  if (arguments.empty()) return values(debugger_.slots_in_use(), arguments.format);
  std::vector<const ir::Slot*> slots;
  for (const std::string& name : arguments) {
    auto named = debugger_.slots(name);
    if (!named && arguments.text().find_first_of("+-*/%&|^~<>=!(") == std::string::npos && arguments.size() > 1)
      throw usage_error(named.error().front().message, named.error().front().hint);
    if (!named) return value(arguments.text(), arguments.format);
    slots.insert(slots.end(), named->begin(), named->end());
  }
  return values(slots, arguments.format);
}

Reply Session::memory(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("an address is needed", "x/4xw 0x1000");
  const MemoryFormat format(arguments.format);
  const auto address =
      static_cast<std::uint64_t>(value_or_usage_error(debugger_.evaluate(arguments.text())).as_integer());
  const std::vector<std::uint8_t> bytes = debugger_.read_memory(address, format.count * format.size);
  if (bytes.size() < format.size)
    throw usage_error(fmt::format("there is no memory at {:#x}", address), "the inputs say what memory there is");
  Reply reply;
  constexpr std::size_t line_bytes = 16;
  const std::size_t whole = bytes.size() / format.size * format.size;
  for (std::size_t at = 0; at < whole; at += format.size) {
    if (at % line_bytes == 0) reply.text += fmt::format("{}{:#x}:", at == 0 ? "" : "\n", address + at);
    const Value value = Value::of(std::span(bytes).subspan(at, format.size));
    reply.text += ' ' + value_or_usage_error(format_value(value, format.letter));
  }
  reply.text += '\n';
  reply.json["memory"] = {{"address", hex(address)}, {"bytes", hex(std::span(bytes).first(whole))}};
  return reply;
}

/// "set r0.x 1.0", and as gdb has it: "set var r0.x = 1.0".
Reply Session::write(const Arguments& arguments) {
  Arguments words = arguments;
  if (!words.empty() && words[0] == "var") words.erase(words.begin());
  std::erase(words, "=");
  if (words.size() != 2) throw usage_error("a slot and a value are needed", "set r0.x 1.0");
  const ir::Slot& slot = *value_or_usage_error(debugger_.slot(words[0]));
  value_or_usage_error(debugger_.write(slot, value_or_usage_error(slot_bytes(slot, words[1]))));
  return values({&slot}, {});
}

// ---- lists

Reply Session::list(const Arguments& arguments) {
  const auto next = debugger_.address(debugger_.lane());
  std::size_t wanted = 11;
  std::optional<std::uint64_t> centre;
  if (!arguments.empty() && arguments[0].find_first_not_of("0123456789") == std::string::npos)
    wanted = std::max<std::uint64_t>(1, debug_number(arguments[0]));
  else if (!arguments.empty())
    centre = address_of(arguments[0]);
  Reply reply;
  reply.json["list"] = Json::array();
  for (const std::uint64_t address : debugger_.around(wanted, centre)) {
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
  if (is_firmware(options.input, file, read_file(file))) return debug_firmware(options);
  if (options.input.files.size() != 1)
    throw usage_error("one program is stepped at a time", "only the two images of an a5xx run together");
  if (file == "-" && options.script == "-")
    throw usage_error("program and commands cannot both come from standard input", "give the commands with -x FILE");
  const Prepared prepared = prepare(options.input, options.feed);
  print(prepared.inputs.warnings);
  Session session(prepared);
  return converse(options, &prepared.program, session);
}

}  // namespace mobula::cli
