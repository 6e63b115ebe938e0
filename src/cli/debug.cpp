#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/debug_console.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"

namespace mobula::cli {
namespace {

std::string_view name(LaneState state) {
  constexpr std::array<std::string_view, 6> names{"running", "waiting", "blocked", "ended", "discarded", "faulted"};
  return names[static_cast<std::size_t>(state)];
}

class Session {
 public:
  explicit Session(const Prepared& prepared)
      : prepared_(prepared),
        debugger_(
            value_or_stop(Debugger::create(prepared.program, prepared.lifted, prepared.inputs), prepared.program.file)),
        words_(prepared.program) {}

  /// Runs one line; throws a Stop when the line is wrong.
  Reply run(const std::string& line);
  [[nodiscard]] bool over() const { return over_; }
  Reply where();

 private:
  using Command = DebugCommand<Session>;
  friend Reply answer<Session>(Session&, const std::vector<Command>&, const std::string&);
  static const std::vector<Command>& commands();

  Reply step(const Arguments& arguments) { return halted(debugger_.step(count_of(arguments))); }
  Reply back(const Arguments& arguments) {
    value_or_usage_error(debugger_.back(count_of(arguments)));
    return where();
  }
  Reply go(const Arguments&) { return halted(debugger_.go()); }
  Reply set_breakpoint(const Arguments& arguments);
  Reply remove_breakpoint(const Arguments& arguments);
  Reply watch(const Arguments& arguments);
  Reply unwatch(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply write(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply threads(const Arguments& arguments);
  Reply outputs(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }
  Reply help(const Arguments& arguments);
  Reply quit(const Arguments&) {
    over_ = true;
    return {};
  }

  [[nodiscard]] std::uint64_t address_of(const std::string& text) const {
    return value_or_usage_error(debugger_.address_of(text));
  }
  [[nodiscard]] const ir::Slot* slot_named(const std::string& name) const {
    return value_or_usage_error(debugger_.slot(name));
  }
  Reply halted(Debugger::Halt halt);
  Reply breakpoints() const;
  Reply watches() const;

  const Prepared& prepared_;
  Debugger debugger_;
  WordTexts words_;
  bool over_ = false;
};

const std::vector<Session::Command>& Session::commands() {
  static const std::vector<Command> table{
      {"step", "s", "[N]", "execute the next N words of the thread", 1, &Session::step},
      {"back", "b", "[N]", "go back N words of the thread", 1, &Session::back},
      {"continue", "c", "", "continue to a breakpoint, a change of a watched slot, or the end", 0, &Session::go},
      {"break", "br", "[ADDRESS|LABEL]", "stop before the word there; without one, list the breakpoints", 1,
       &Session::set_breakpoint},
      {"delete", "d", "[ADDRESS|LABEL]", "remove the breakpoint there, or all", 1, &Session::remove_breakpoint},
      {"watch", "w", "[SLOT]", "stop when this slot changes; without one, list the watched slots", 1, &Session::watch},
      {"unwatch", "uw", "[SLOT]", "stop watching it, or everything", 1, &Session::unwatch},
      {"print", "p", "[SLOT...]", "show slots, such as r0.x, or r0 for all of it; without one, all that are not zero",
       64, &Session::show},
      {"set", "", "SLOT VALUE", "write a slot: 5, 0x3f800000 or 1.0", 2, &Session::write},
      {"list", "l", "[N]", "show N words around the next one", 1, &Session::list},
      {"threads", "t", "[N]", "list the threads, or make N the current one", 1, &Session::threads},
      {"outputs", "o", "", "show the outputs so far", 0, &Session::outputs},
      {"where", "", "", "show where the thread is", 0, &Session::where},
      {"help", "h", "", "show this", 0, &Session::help},
      {"quit", "q", "", "end the session", 0, &Session::quit}};
  return table;
}

Reply Session::run(const std::string& line) { return answer(*this, commands(), line); }

Reply Session::where() {
  const std::uint32_t thread = debugger_.thread(debugger_.lane()).index;
  const auto address = debugger_.address(debugger_.lane());
  Reply reply;
  reply.json = {{"thread", thread}, {"words", debugger_.words_executed()}};
  if (address) {
    reply.json["offset"] = hex(*address);
    reply.json["text"] = words_.at(*address);
    reply.text = fmt::format("thread {} at {:#06x}: {}\n", thread, *address, words_.at(*address));
    return reply;
  }
  const LaneState state = debugger_.state(debugger_.lane());
  reply.text = fmt::format("thread {} {}\n", thread, name(state));
  for (const LaneFault& fault : debugger_.faults())
    if (fault.lane == debugger_.lane()) reply.text += fmt::format("  at {:#06x}: {}\n", fault.address, fault.reason);
  reply.json["state"] = name(state);
  return reply;
}

Reply Session::halted(Debugger::Halt halt) {
  Reply reply = where();
  std::string why;
  if (halt == Debugger::Halt::breakpoint) why = "breakpoint";
  if (halt == Debugger::Halt::watch)
    why = fmt::format("{} is now {}", debugger_.changed()->name,
                      slot_text(*debugger_.changed(), debugger_.read(*debugger_.changed())));
  if (!why.empty()) {
    reply.json["halt"] = why;
    reply.text = why + '\n' + reply.text;
  }
  return reply;
}

Reply Session::breakpoints() const {
  Reply reply;
  reply.json["breakpoints"] = Json::array();
  for (const std::uint64_t address : debugger_.breakpoints) {
    reply.text += fmt::format("{:#06x}: {}\n", address, words_.at(address));
    reply.json["breakpoints"].push_back(hex(address));
  }
  return reply;
}

Reply Session::set_breakpoint(const Arguments& arguments) {
  if (!arguments.empty()) debugger_.breakpoints.insert(address_of(arguments[0]));
  return breakpoints();
}

Reply Session::remove_breakpoint(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.breakpoints.clear();
  else if (debugger_.breakpoints.erase(address_of(arguments[0])) == 0)
    throw usage_error("there is no breakpoint at " + arguments[0]);
  return breakpoints();
}

Reply Session::watches() const {
  Reply reply;
  reply.json["watched"] = Json::array();
  for (const ir::Slot* slot : debugger_.watched) {
    reply.text += fmt::format("{} = {}\n", slot->name, slot_text(*slot, debugger_.read(*slot)));
    reply.json["watched"].push_back(slot->name);
  }
  return reply;
}

Reply Session::watch(const Arguments& arguments) {
  if (!arguments.empty()) debugger_.watched.insert(slot_named(arguments[0]));
  return watches();
}

Reply Session::unwatch(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.watched.clear();
  else if (debugger_.watched.erase(slot_named(arguments[0])) == 0)
    throw usage_error(arguments[0] + " is not watched");
  return watches();
}

Reply Session::show(const Arguments& arguments) {
  std::vector<const ir::Slot*> slots;
  if (arguments.empty()) slots = debugger_.slots_in_use();
  for (const std::string& name : arguments) {
    const std::vector<const ir::Slot*> named = value_or_usage_error(debugger_.slots(name));
    slots.insert(slots.end(), named.begin(), named.end());
  }
  Reply reply;
  reply.json["slots"] = Json::object();
  for (const ir::Slot* slot : slots) {
    const std::vector<std::uint8_t> bytes = debugger_.read(*slot);
    reply.text += fmt::format("{} = {}\n", slot->name, slot_text(*slot, bytes));
    reply.json["slots"][slot->name] = hex(bytes);
  }
  return reply;
}

Reply Session::write(const Arguments& arguments) {
  if (arguments.size() != 2) throw usage_error("a slot and a value are needed", "set r0.x 1.0");
  const ir::Slot& slot = *slot_named(arguments[0]);
  value_or_usage_error(debugger_.write(slot, value_or_usage_error(slot_bytes(slot, arguments[1]))));
  return show({slot.name});
}

Reply Session::list(const Arguments& arguments) {
  const auto next = debugger_.address(debugger_.lane());
  const std::size_t wanted = arguments.empty() ? 11 : std::max<std::uint64_t>(1, debug_number(arguments[0]));
  Reply reply;
  reply.json["list"] = Json::array();
  for (const std::uint64_t address : debugger_.around(wanted)) {
    reply.text += fmt::format("{} {:#06x}: {}\n", address == next ? "=>" : "  ", address, words_.at(address));
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
                              name(debugger_.state(lane)), address ? fmt::format(" at {:#06x}", *address) : "");
    Json row{{"thread", index}, {"state", name(debugger_.state(lane))}, {"current", lane == debugger_.lane()}};
    if (address) row["offset"] = hex(*address);
    reply.json["threads"].push_back(std::move(row));
  }
  return reply;
}

Reply Session::outputs(const Arguments&) {
  Json outputs = outputs_json(prepared_, debugger_.outputs());
  Reply reply{outputs_text(outputs), {}};
  reply.json["outputs"] = std::move(outputs);
  return reply;
}

Reply Session::help(const Arguments&) { return help_of(commands()); }

}  // namespace

std::uint64_t debug_number(const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, value, hexadecimal ? 16 : 10);
  if (result.ec != std::errc() || result.ptr != end) throw usage_error(fmt::format("\"{}\" is not a number", text));
  return value;
}

Exit debug(const DebugOptions& options) {
  if (is_firmware_debug(options)) return debug_firmware(options);
  if (!options.streams.empty() || !options.memory.empty())
    throw usage_error("--stream and --memory are for firmware", "programs of shader cores take --inputs");
  if (options.input.files.size() != 1)
    throw usage_error("one program is stepped at a time", "only the two images of an a5xx run together");
  if (options.input.files.front() == "-" && options.script == "-")
    throw usage_error("program and commands cannot both come from standard input", "give the commands with -x FILE");
  const Prepared prepared = prepare(options.input, options.feed);
  print(prepared.inputs.warnings);
  Session session(prepared);
  return converse(options, prepared.program, session);
}

}  // namespace mobula::cli
