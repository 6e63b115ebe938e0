#include <fmt/format.h>

#include <algorithm>

#include "cli/debug_console.h"
#include "cli/firmware_console.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::cli {
namespace {

using firmware::Debugger;

class FirmwareSession {
 public:
  explicit FirmwareSession(Debugger debugger) : debugger_(std::move(debugger)), cores_(debugger_.emulator().cores()) {}

  Reply run(const std::string& line) { return answer(*this, commands(), line); }
  [[nodiscard]] bool over() const { return over_; }
  Reply where();

 private:
  using Command = DebugCommand<FirmwareSession>;
  friend Reply answer<FirmwareSession>(FirmwareSession&, const std::vector<Command>&, const std::string&);
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
  Reply memory(const Arguments& arguments);
  Reply gpu(const Arguments& arguments);
  Reply control(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply choose(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }
  Reply help(const Arguments&) { return help_of(commands()); }
  Reply quit(const Arguments&) {
    over_ = true;
    return {};
  }

  static std::uint32_t word_of(const std::string& text);
  [[nodiscard]] const std::string& name_of(std::size_t core) const { return cores_[core].name; }
  [[nodiscard]] std::size_t core_named(std::string name) const;
  [[nodiscard]] Debugger::Register register_named(const std::string& text) const;
  [[nodiscard]] std::string text_of(Debugger::Register which) const;
  [[nodiscard]] std::string line_of(Debugger::Point at) const;
  Reply values(const std::vector<Debugger::Register>& which) const;
  Reply halted(Debugger::Halt halt);
  Reply breakpoints() const;
  Reply watches() const;

  Debugger debugger_;
  std::vector<firmware::CoreReport> cores_;
  bool over_ = false;
};

const std::vector<FirmwareSession::Command>& FirmwareSession::commands() {
  using S = FirmwareSession;
  static const std::vector<Command> table{
      {"step", "s", "[N]", "execute the next N instructions of the core; the others go on in that time", 1, &S::step},
      {"back", "b", "[N]", "go back N instructions of the core", 1, &S::back},
      {"continue", "c", "", "continue to a breakpoint, a change of what is watched, or the end", 0, &S::go},
      {"break", "br", "[PLACE]", "stop before it: CP_NOP, CP_NOP+3, fxn22, 0x21, ME:CP_NOP; without one, list them", 1,
       &S::set_breakpoint},
      {"delete", "d", "[PLACE]", "remove the breakpoint there, or all", 1, &S::remove_breakpoint},
      {"watch", "w", "[REGISTER]", "stop when it changes; without one, list what is watched", 1, &S::watch},
      {"unwatch", "uw", "[REGISTER]", "stop watching it, or everything", 1, &S::unwatch},
      {"print", "p", "[REGISTER...]", "show registers: $02, $rem, ME:$17; without one, all that are not zero", 64,
       &S::show},
      {"set", "", "WHERE VALUE", "write a register, or the dword of memory at an address", 2, &S::write},
      {"memory", "m", "ADDRESS [N]", "show N dwords of memory", 2, &S::memory},
      {"gpu", "g", "REGISTER [N]", "show N registers of the GPU, by number or name: CP_SCRATCH[2]", 2, &S::gpu},
      {"control", "k", "REGISTER [N]", "show N control registers of the core, by number or name: @IB1_BASE", 2,
       &S::control},
      {"list", "l", "[N]", "show N words around the next one", 1, &S::list},
      {"cores", "t", "[CORE]", "list the cores, or make one the current one", 1, &S::choose},
      {"where", "", "", "show where the core is", 0, &S::where},
      {"help", "h", "", "show this", 0, &S::help},
      {"quit", "q", "", "end the session", 0, &S::quit}};
  return table;
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

Reply FirmwareSession::halted(Debugger::Halt halt) {
  Reply reply = where();
  std::string why, did;
  Json events = Json::array();
  for (const firmware::Event& event : debugger_.events()) {
    const std::string text = name_of(event.core) + ' ' + report(debugger_.emulator(), event);
    did += "  " + text + '\n';
    events.push_back(text);
  }
  switch (halt) {
    case Debugger::Halt::stepped:
    case Debugger::Halt::end:
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
  return reply;
}

Reply FirmwareSession::breakpoints() const {
  Reply reply;
  reply.json["places"] = Json::array();
  for (const Debugger::Point& each : debugger_.breakpoints) {
    reply.text += line_of(each) + '\n';
    reply.json["places"].push_back(line_of(each));
  }
  return reply;
}

Reply FirmwareSession::set_breakpoint(const Arguments& arguments) {
  if (!arguments.empty()) debugger_.breakpoints.insert(value_or_usage_error(debugger_.point(arguments[0])));
  return breakpoints();
}

Reply FirmwareSession::remove_breakpoint(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.breakpoints.clear();
  else if (debugger_.breakpoints.erase(value_or_usage_error(debugger_.point(arguments[0]))) == 0)
    throw usage_error("there is no breakpoint at " + arguments[0]);
  return breakpoints();
}

Reply FirmwareSession::values(const std::vector<Debugger::Register>& which) const {
  Reply reply;
  reply.json["registers"] = Json::object();
  for (const Debugger::Register& each : which) {
    const std::uint32_t value = debugger_.emulator().registers(each.core)[each.number];
    const std::string meaning = debugger_.emulator().meaning(each.core, each.number, value, {});
    reply.text += fmt::format("{} = {:#x}{}\n", text_of(each), value, meaning.empty() ? "" : " (" + meaning + ')');
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
  for (const std::string& each : arguments) which.push_back(register_named(each));
  if (arguments.empty()) {
    const std::vector<std::uint32_t> all = debugger_.emulator().registers(debugger_.core);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) which.push_back({debugger_.core, i});
  }
  return values(which);
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

bool is_firmware_debug(const DebugOptions& options) {
  if (!options.input.machine.empty()) return is_firmware_machine(options.input.machine);
  const std::string& file = options.input.files.front();
  return file != "-" && is_firmware_image(read_file(file));
}

Exit debug_firmware(const DebugOptions& options) {
  if (!options.feed.inputs.empty() || options.feed.threads)
    throw usage_error("--inputs and --threads are for programs of shader cores",
                      "firmware takes --stream and --memory");
  if (options.streams.empty())
    throw usage_error("firmware is stepped while it processes a stream", "give one with --stream");
  const std::vector<std::string>& files = options.input.files;
  std::vector<Program> images = load_images(files, read_file(files.front()), options.input);
  firmware::Feed feed = load_feed(images, options.feed, options.streams, options.memory);
  const Program first = images.front();
  FirmwareSession session(value_or_stop(Debugger::create(std::move(images), emulator_options(options.feed),
                                                         std::move(feed.rounds), std::move(feed.memory)),
                                        files.front()));
  return converse(options, first, session);
}

}  // namespace mobula::cli
