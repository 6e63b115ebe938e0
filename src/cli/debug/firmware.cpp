#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/debug/console.h"
#include "cli/input/firmware.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/expression.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::cli {
namespace {

using firmware::Debugger;

class FirmwareSession final : public DebugSession {
 public:
  explicit FirmwareSession(Debugger debugger) : debugger_(std::move(debugger)), cores_(debugger_.emulator().cores()) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  Reply step(const Arguments& arguments) {
    const Debugger::Halt halt = debugger_.step(count_of(arguments));
    return halted({halt, debugger_.events()});
  }
  Reply back(const Arguments& arguments) {
    value_or_usage_error(debugger_.back(count_of(arguments)));
    Reply reply = where();
    reply.moved = true;
    return reply;
  }
  Reply go(const Arguments&) { return halted(go_on()); }
  Reply until(const Arguments& arguments);
  Reply set_breakpoint(const Arguments& arguments);
  Reply remove_breakpoint(const Arguments& arguments);
  Reply watch(const Arguments& arguments);
  Reply unwatch(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply write(const Arguments& arguments);
  Reply memory(const Arguments& arguments);
  Reply gpu(const Arguments& arguments);
  Reply control(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply choose(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }
  Reply line(const Arguments& arguments);

  static std::uint32_t word_of(const std::string& text);
  [[nodiscard]] const std::string& name_of(std::size_t core) const { return cores_[core].name; }
  [[nodiscard]] std::size_t core_named(std::string name) const;
  [[nodiscard]] Debugger::Register register_named(const std::string& text) const;
  [[nodiscard]] std::string text_of(Debugger::Register which) const;
  [[nodiscard]] std::string line_of(Debugger::Point at) const;
  Reply values(const std::vector<Debugger::Register>& which, const std::string& format = {}) const;
  Reply value(const std::string& expression, const std::string& format) const;
  [[nodiscard]] Result<Value> evaluate(const Expression& expression) const;
  [[nodiscard]] bool holds(Debugger::Point at) const;
  /// Why it stopped, and what was done to the world until then.
  struct Halted {
    Debugger::Halt halt = Debugger::Halt::stepped;
    std::vector<firmware::Event> events;
  };
  Halted go_on();
  Reply halted(const Halted& so_far);
  Reply breakpoints() const;
  Reply watches() const;

  Debugger debugger_;
  std::vector<firmware::CoreReport> cores_;
  std::map<Debugger::Point, Expression> conditions_;  ///< of breakpoints
};

std::vector<DebugCommand> FirmwareSession::commands() {
  using S = FirmwareSession;
  const auto call = [this](Reply (S::*member)(const Arguments&)) {
    return [this, member](const Arguments& arguments) { return (this->*member)(arguments); };
  };
  constexpr std::size_t many = 64;
  return {
      {"step", "s si stepi n ni next nexti", "[N]",
       "execute the next N instructions of the core; the others go on in that time", 1, false, call(&S::step)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]",
       "go back N instructions of the core", 1, false, call(&S::back)},
      {"continue", "c", "", "continue to a breakpoint, a change of what is watched, or the end", 0, false,
       call(&S::go)},
      {"until", "u advance", "PLACE", "continue to the place", 1, false, call(&S::until)},
      {"break", "b br", "[PLACE [if CONDITION]]",
       "stop before it: CP_NOP, CP_NOP+3, fxn22, 0x21, ME:CP_NOP; without one, list them", many, false,
       call(&S::set_breakpoint)},
      {"delete", "d clear", "[PLACE]", "remove the breakpoint there, or all", 1, false, call(&S::remove_breakpoint)},
      {"watch", "w", "[REGISTER]", "stop when it changes; without one, list what is watched", 1, false,
       call(&S::watch)},
      {"unwatch", "uw", "[REGISTER]", "stop watching it, or everything", 1, false, call(&S::unwatch)},
      {"print", "p inspect", "[REGISTER...|EXPRESSION]",
       "show registers: $02, $rem, ME:$17, or $02 + 1; print/x in the way x, d, u, o, t or f; without anything, all "
       "that are not zero",
       many, true, call(&S::show)},
      {"set", "", "WHERE VALUE", "write a register, or the dword of memory at an address", 2, false, call(&S::write)},
      {"memory", "m x", "ADDRESS [N]", "show N dwords of memory", 2, false, call(&S::memory)},
      {"gpu", "g", "REGISTER [N]", "show N registers of the GPU, by number or name: CP_SCRATCH[2]", 2, false,
       call(&S::gpu)},
      {"control", "k", "REGISTER [N]", "show N control registers of the core, by number or name: @IB1_BASE", 2, false,
       call(&S::control)},
      {"list", "l", "[N]", "show N words around the next one", 1, false, call(&S::list)},
      {"cores", "t threads", "[CORE]", "list the cores, or make one the current one", 1, false, call(&S::choose)},
      {"where", "bt frame", "", "show where the core is", 0, false, call(&S::where)},
      {"info registers", "", "[REGISTER...]", "the same as print", many, false, call(&S::show)},
      {"info breakpoints", "", "", "list the breakpoints", 0, false, call(&S::set_breakpoint)},
      {"info watchpoints", "", "", "list what is watched", 0, false, call(&S::watch)},
      {"info cores", "", "", "list the cores", 0, false, call(&S::choose)},
      {"info line", "", "[PLACE]", "the instruction there", 1, false, call(&S::line)},
  };
}

std::uint32_t FirmwareSession::word_of(const std::string& text) {
  const std::uint64_t value = debug_number(text);
  if (value > 0xFFFFFFFF) throw usage_error(text + " does not fit 32 bits");
  return static_cast<std::uint32_t>(value);
}

std::size_t FirmwareSession::core_named(std::string name) const {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  for (std::size_t i = 0; i < cores_.size(); ++i)
    if (cores_[i].name == name) return i;
  throw usage_error("there is no core " + name, "\"cores\" lists them");
}

Debugger::Register FirmwareSession::register_named(const std::string& text) const {
  const std::size_t colon = text.find(':');
  const std::size_t core = colon == std::string::npos ? debugger_.core : core_named(text.substr(0, colon));
  return {core,
          value_or_usage_error(debugger_.register_number(colon == std::string::npos ? text : text.substr(colon + 1)))};
}

std::string FirmwareSession::text_of(Debugger::Register which) const {
  const std::string& name = debugger_.emulator().register_names()[which.number];
  return which.core == debugger_.core ? name : name_of(which.core) + ':' + name;
}

std::string FirmwareSession::line_of(Debugger::Point at) const {
  const firmware::Place* const place = debugger_.place(at);
  return fmt::format("{} {:#06x}: {:24} {}", name_of(at.core), at.word, place == nullptr ? "" : place->where,
                     place == nullptr ? "" : place->text);
}

Reply FirmwareSession::where() {
  const Debugger::Point next = debugger_.next(debugger_.core);
  Reply reply;
  const firmware::CoreReport now = debugger_.emulator().cores()[debugger_.core];
  reply.json = {{"core", now.name}, {"word", hex(next.word)}, {"instructions", debugger_.instructions()}};
  if (const firmware::Place* const place = debugger_.place(next)) {
    reply.json["where"] = place->where;
    reply.json["text"] = place->text;
  }
  if (debugger_.ended()) {
    reply.json["state"] = name(now.halt);
    reply.text = fmt::format("{} {}{}\n", now.name, name(now.halt), now.reason.empty() ? "" : ": " + now.reason);
    if (!now.reason.empty()) reply.json["reason"] = now.reason;
  }
  reply.text += line_of(next) + '\n';
  return reply;
}

Reply FirmwareSession::halted(const Halted& so_far) {
  Reply reply = where();
  std::string why, did;
  Json events = Json::array();
  for (const firmware::Event& event : so_far.events) {
    const std::string text = name_of(event.core) + ' ' + report(debugger_.emulator(), event);
    did += "  " + text + '\n';
    events.push_back(text);
  }
  switch (so_far.halt) {
    case Debugger::Halt::stepped:
    case Debugger::Halt::end:
      break;
    case Debugger::Halt::unfinished:
      why = "interrupted";
      break;
    case Debugger::Halt::breakpoint:
      why = "breakpoint";
      break;
    case Debugger::Halt::watch:
      why = fmt::format("{} is now {:#x}", text_of(debugger_.changed()),
                        debugger_.emulator().registers(debugger_.changed().core)[debugger_.changed().number]);
      break;
  }
  reply.json["events"] = std::move(events);
  if (!why.empty()) {
    reply.json["halt"] = why;
    why += '\n';
  }
  reply.text = did + why + reply.text;
  reply.moved = true;
  const firmware::Halt now = debugger_.emulator().cores()[debugger_.core].halt;
  reply.failed = debugger_.ended() && now != firmware::Halt::idle && now != firmware::Halt::off;
  return reply;
}

/// Registers of the current core are names in it, and those of others with the core in front.
Result<Value> FirmwareSession::evaluate(const Expression& expression) const {
  return expression.evaluate([&](std::string_view name) -> Result<Value> {
    const std::string text = name == "rem" ? "$rem" : std::string(name);
    try {
      const Debugger::Register which = register_named(text);
      return Value::integer(debugger_.emulator().registers(which.core)[which.number]);
    } catch (const Stop& stop) {
      return fail(stop.diagnostics);
    }
  });
}

/// Of a breakpoint. A condition that cannot be evaluated holds, so that it is seen.
bool FirmwareSession::holds(Debugger::Point at) const {
  const auto condition = conditions_.find(at);
  if (condition == conditions_.end()) return true;
  const auto value = evaluate(condition->second);
  return !value || value->is_true();
}

FirmwareSession::Halted FirmwareSession::go_on() {
  constexpr std::uint64_t between_looks = 1u << 14;  // instructions, whether Ctrl-C was pressed
  const std::size_t core = debugger_.core;
  Halted so_far;
  for (;;) {
    so_far.halt = debugger_.go(between_looks);
    const std::vector<firmware::Event> events = debugger_.events();
    so_far.events.insert(so_far.events.end(), events.begin(), events.end());
    if (so_far.halt == Debugger::Halt::unfinished && !take_interruption()) continue;
    if (so_far.halt != Debugger::Halt::breakpoint || holds(debugger_.next(debugger_.core))) return so_far;
    debugger_.core = core;  // nothing was met
  }
}

Reply FirmwareSession::until(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("a place is needed", "until CP_NOP+3");
  const Debugger::Point place = value_or_usage_error(debugger_.point(arguments[0]));
  const bool was_there = !debugger_.breakpoints.insert(place).second;
  const Halted so_far = go_on();
  if (!was_there) debugger_.breakpoints.erase(place);
  return halted(so_far);
}

Reply FirmwareSession::breakpoints() const {
  Reply reply;
  reply.json["places"] = Json::array();
  for (const Debugger::Point& each : debugger_.breakpoints) {
    std::string text = line_of(each);
    if (const auto condition = conditions_.find(each); condition != conditions_.end())
      text += ", if " + condition->second.text();
    reply.text += text + '\n';
    reply.json["places"].push_back(text);
  }
  return reply;
}

Reply FirmwareSession::set_breakpoint(const Arguments& arguments) {
  if (arguments.empty()) return breakpoints();
  const Debugger::Point place = value_or_usage_error(debugger_.point(arguments[0]));
  if (arguments.size() > 1 && arguments[1] != "if")
    throw usage_error("a place and a condition are taken", "break CP_NOP if $02 > 2");
  if (arguments.size() > 1)
    conditions_.insert_or_assign(place, value_or_usage_error(Expression::parse(arguments.text(2))));
  else
    conditions_.erase(place);
  debugger_.breakpoints.insert(place);
  return breakpoints();
}

Reply FirmwareSession::line(const Arguments& arguments) {
  const Debugger::Point at =
      arguments.empty() ? debugger_.next(debugger_.core) : value_or_usage_error(debugger_.point(arguments[0]));
  Reply reply{line_of(at) + '\n'};
  reply.json["places"] = Json::array({line_of(at)});
  return reply;
}

Reply FirmwareSession::remove_breakpoint(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.breakpoints.clear();
  else if (debugger_.breakpoints.erase(value_or_usage_error(debugger_.point(arguments[0]))) == 0)
    throw usage_error("there is no breakpoint at " + arguments[0]);
  return breakpoints();
}

Reply FirmwareSession::value(const std::string& expression, const std::string& format) const {
  const Expression parsed = value_or_usage_error(Expression::parse(expression));
  const std::string text = value_or_usage_error(format_value(value_or_usage_error(evaluate(parsed)), format));
  Reply reply{fmt::format("{} = {}\n", expression, text)};
  reply.json["values"] = {{expression, text}};
  return reply;
}

Reply FirmwareSession::values(const std::vector<Debugger::Register>& which, const std::string& format) const {
  Reply reply;
  reply.json["registers"] = Json::object();
  for (const Debugger::Register& each : which) {
    const std::uint32_t value = debugger_.emulator().registers(each.core)[each.number];
    const std::string meaning = debugger_.emulator().meaning(each.core, each.number, value, {});
    if (format.empty())
      reply.text += fmt::format("{} = {:#x}{}\n", text_of(each), value, meaning.empty() ? "" : " (" + meaning + ')');
    else
      reply.text +=
          fmt::format("{} = {}\n", text_of(each), value_or_usage_error(format_value(Value::integer(value), format)));
    Json& row = reply.json["registers"][text_of(each)];
    row["value"] = hex(value);
    if (!meaning.empty()) row["meaning"] = meaning;
  }
  return reply;
}

Reply FirmwareSession::watches() const { return values({debugger_.watched.begin(), debugger_.watched.end()}); }

Reply FirmwareSession::watch(const Arguments& arguments) {
  if (!arguments.empty()) debugger_.watched.insert(register_named(arguments[0]));
  return watches();
}

Reply FirmwareSession::unwatch(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.watched.clear();
  else if (debugger_.watched.erase(register_named(arguments[0])) == 0)
    throw usage_error(arguments[0] + " is not watched");
  return watches();
}

Reply FirmwareSession::show(const Arguments& arguments) {
  std::vector<Debugger::Register> which;
  if (arguments.text().find_first_of("+-*/%&|^~<>=!(") != std::string::npos)
    return value(arguments.text(), arguments.format);
  for (const std::string& each : arguments) which.push_back(register_named(each));
  if (arguments.empty()) {
    const std::vector<std::uint32_t> all = debugger_.emulator().registers(debugger_.core);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) which.push_back({debugger_.core, i});
  }
  return values(which, arguments.format);
}

/// Of a dword.
std::uint64_t address_of(const std::string& text) {
  const std::uint64_t address = debug_number(text);
  if (address % 4 != 0)
    throw usage_error(text + " is not a multiple of 4",
                      fmt::format("the dword that holds it is at {:#x}", address & ~3u));
  return address;
}

Reply FirmwareSession::write(const Arguments& arguments) {
  if (arguments.size() != 2) throw usage_error("a register or an address, and a value, are needed", "set $02 0x10");
  const std::uint32_t value = word_of(arguments[1]);
  if (std::isdigit(static_cast<unsigned char>(arguments[0].front())) != 0) {
    value_or_usage_error(debugger_.set_memory(address_of(arguments[0]), value));
    return memory({arguments[0]});
  }
  debugger_.set_register(register_named(arguments[0]), value);
  return show({arguments[0]});
}

/// Of a register among `count`: its number, or its name, which `find` knows.
template <class Find>
std::uint64_t number_or_name(const Arguments& arguments, std::uint64_t count, Find find) {
  if (arguments.empty()) throw usage_error("the number or name of a register is needed");
  const bool is_number = std::isdigit(static_cast<unsigned char>(arguments[0].front())) != 0;
  const std::uint64_t number = is_number ? debug_number(arguments[0]) : value_or_usage_error(find(arguments[0]));
  if (number >= count)
    throw usage_error("there is no register " + arguments[0], fmt::format("the last one is {:#x}", count - 1));
  return number;
}

/// Rows of numbers and values, from `first` on.
template <class Read>
Reply dump(const Arguments& arguments, std::uint64_t first, std::uint64_t stride, std::uint64_t most, Read read) {
  const std::uint64_t count = arguments.size() < 2 ? 1 : std::min(most, debug_number(arguments[1]));
  Reply reply;
  reply.json["words"] = Json::array();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [value, name] = read(first + i * stride);
    reply.text += fmt::format("{:#x}{}{} = {:#x}\n", first + i * stride, name.empty() ? "" : " ", name, value);
    reply.json["words"].push_back({{"address", hex(first + i * stride)}, {"value", hex(value)}});
    if (!name.empty()) reply.json["words"].back()["name"] = name;
  }
  return reply;
}

Reply FirmwareSession::memory(const Arguments& arguments) {
  constexpr std::uint64_t most = 4096;
  if (arguments.empty()) throw usage_error("an address is needed");
  return dump(arguments, address_of(arguments[0]), 4, most, [&](std::uint64_t address) {
    return std::pair(debugger_.emulator().read_memory(address), std::string());
  });
}

Reply FirmwareSession::gpu(const Arguments& arguments) {
  constexpr std::uint64_t registers = 0x40000, most = 4096;
  const std::uint64_t first = number_or_name(
      arguments, registers, [&](const std::string& name) { return debugger_.emulator().register_named(name); });
  return dump(arguments, first, 1, std::min(most, registers - first), [&](std::uint64_t number) {
    return std::pair(debugger_.emulator().read_register(static_cast<std::uint32_t>(number)),
                     debugger_.emulator().name_of({.kind = firmware::Event::Kind::gpu_read, .address = number}));
  });
}

Reply FirmwareSession::control(const Arguments& arguments) {
  constexpr std::uint64_t registers = 0x1000;
  const std::uint64_t first = number_or_name(
      arguments, registers, [&](const std::string& name) { return debugger_.emulator().control_named(name); });
  return dump(arguments, first, 1, registers - first, [&](std::uint64_t number) {
    return std::pair(debugger_.emulator().read_control(debugger_.core, static_cast<std::uint32_t>(number)),
                     debugger_.emulator().name_of({.kind = firmware::Event::Kind::control_write,
                                                   .core = static_cast<std::uint8_t>(debugger_.core),
                                                   .address = number}));
  });
}

Reply FirmwareSession::list(const Arguments& arguments) {
  const std::uint32_t wanted = arguments.empty() ? 11 : word_of(arguments[0]);
  const Debugger::Point next = debugger_.next(debugger_.core);
  Reply reply;
  reply.json["places"] = Json::array();
  for (std::uint32_t i = 0; i < wanted; ++i) {
    if (next.word + i < wanted / 2) continue;
    const Debugger::Point at{next.core, next.word + i - wanted / 2};
    if (debugger_.place(at) == nullptr) continue;
    reply.text += fmt::format("{} {}\n", at == next ? "=>" : "  ", line_of(at));
    reply.json["places"].push_back(line_of(at));
  }
  return reply;
}

Reply FirmwareSession::choose(const Arguments& arguments) {
  if (!arguments.empty()) {
    debugger_.core = core_named(arguments[0]);
    return where();
  }
  Reply reply;
  reply.json["places"] = Json::array();
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    reply.text += fmt::format("{} {}\n", i == debugger_.core ? "*" : " ", line_of(debugger_.next(i)));
    reply.json["places"].push_back(line_of(debugger_.next(i)));
  }
  return reply;
}

}  // namespace

Exit debug_firmware(const DebugOptions& options) {
  if (options.streams.empty())
    throw usage_error("firmware is stepped while it processes a stream", "give one with --stream");
  const std::vector<std::string>& files = options.input.files;
  std::vector<Program> images = load_images(files, read_file(files.front()), options.input);
  firmware::Feed feed = load_feed(images, options.feed, options.streams, options.memory);
  const Program first = images.front();
  FirmwareSession session(value_or_stop(Debugger::create(std::move(images), emulator_options(options.feed),
                                                         std::move(feed.rounds), std::move(feed.memory)),
                                        files.front()));
  return converse(options, &first, session);
}

}  // namespace mobula::cli
