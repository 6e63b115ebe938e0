#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/debug/stops.h"
#include "cli/input/firmware.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/expression.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::cli {
namespace {

using firmware::Debugger;

class FirmwareSession final : public StopSession<Debugger> {
 public:
  explicit FirmwareSession(Debugger debugger)
      : StopSession(std::move(debugger)), cores_(debugger_.emulator().cores()) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  Reply step(const Arguments& arguments) {
    const Debugger::Halt halt = debugger_.step(count_of(arguments));
    return halted({halt, debugger_.events()});
  }
  Reply back(const Arguments& arguments) {
    return halted({value_or_usage_error(debugger_.back(count_of(arguments))), {}});
  }
  Reply go(const Arguments& arguments);
  Reply go_back(const Arguments&) { return halted({value_or_usage_error(debugger_.go_back()), {}}); }
  Reply until(const Arguments& arguments);
  Reply finish(const Arguments&);
  Reply run(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply write(const Arguments& arguments);
  Reply examine(const Arguments& arguments);
  Reply memory(const Arguments& arguments);
  Reply gpu(const Arguments& arguments);
  Reply control(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply choose(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }
  Reply line(const Arguments& arguments);
  Reply labels(const Arguments&);
  Reply outputs(const Arguments&);

  static std::uint32_t word_of(const std::string& text);
  [[nodiscard]] const std::string& name_of(std::size_t core) const { return cores_[core].name; }
  [[nodiscard]] std::size_t core_named(std::string name) const;
  [[nodiscard]] Debugger::Register register_named(const std::string& text) const {
    return value_or_usage_error(debugger_.register_named(text));
  }
  [[nodiscard]] Debugger::Point point_named(const std::string& text) const {
    return value_or_usage_error(debugger_.point(text));
  }
  [[nodiscard]] std::string text_of(Debugger::Register which) const;
  [[nodiscard]] std::string line_of(Debugger::Point at) const;
  Reply values(const std::vector<Debugger::Register>& which, const std::string& format = {}) const;
  Reply words_from(Debugger::Point first, std::uint64_t count) const;
  /// Why it stopped, and what was done to the world until then.
  struct Halted {
    Debugger::Halt halt = Debugger::Halt::stepped;
    std::vector<firmware::Event> events;
  };
  Halted go_on(const Debugger::Goal& goal);
  Reply halted(const Halted& so_far);

  [[nodiscard]] Breakpoint stop_at(const std::string& place) const override { return {.place = point_named(place)}; }
  [[nodiscard]] std::vector<Breakpoint> watches_of(const std::string& name) const override;
  [[nodiscard]] bool is_watch(const Breakpoint& point) const override { return !point.place; }
  [[nodiscard]] bool is_same(const Breakpoint& one, const Breakpoint& other) const override {
    return one.place == other.place && one.which == other.which && one.memory == other.memory;
  }
  [[nodiscard]] std::string text_of(const Breakpoint& point) const override {
    return point.place ? line_of(*point.place) : fmt::format("{} = {:#x}", watched_name(point), watched(point));
  }
  [[nodiscard]] std::string watched_name(const Breakpoint& point) const {
    return point.which ? text_of(*point.which) : fmt::format("*{:#x}", *point.memory);
  }
  [[nodiscard]] std::uint32_t watched(const Breakpoint& point) const {
    return point.which ? debugger_.value(*point.which) : debugger_.emulator().read_memory(*point.memory);
  }
  [[nodiscard]] std::uint64_t address_of(const std::string& expression) const {
    return static_cast<std::uint64_t>(value_or_usage_error(debugger_.evaluate(expression)).as_integer());
  }
  std::pair<std::string, Json> told(std::span<const firmware::Event> events) const;
  void describe(const Breakpoint& point, Json& row, Json& list) const override;

  std::vector<firmware::CoreReport> cores_;
};

std::vector<DebugCommand> FirmwareSession::commands() {
  using S = FirmwareSession;
  const auto call = commands_of(this);
  std::vector<DebugCommand> all{
      {"step", "s si stepi n ni next nexti", "[N]",
       "execute the next N instructions of the core; the others go on in that time", 1, false, call(&S::step)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]",
       "go back N instructions of the core", 1, false, call(&S::back)},
      {"continue", "c", "[N]", "continue to a breakpoint (the Nth), a change of what is watched, or the end", 1, false,
       call(&S::go)},
      {"reverse-continue", "rc", "", "go back to where it last would have stopped", 0, false, call(&S::go_back)},
      {"until", "u advance", "PLACE", "continue to the place", 1, false, call(&S::until)},
      {"finish", "fin", "", "continue until the subroutine returns", 0, false, call(&S::finish)},
      {"run", "r start", "", "start the streams again, and continue", 0, false, call(&S::run)},
      {"print", "p inspect", "[REGISTER...|EXPRESSION]",
       "show registers: $02, $rem, ME:$17, or $02 + 1; print/x in the way x, d, u, o, t or f; without anything, all "
       "that are not zero",
       many_arguments, true, call(&S::show)},
      {"x", "", "[PLACE]", "show memory: x/4xw 0x1000 is four dwords; or the program: x/4i CP_NOP, x/4i $pc",
       many_arguments, true, call(&S::examine)},
      {"set", "", "WHERE VALUE", "write a register, $02, or the dword of memory at an address, 0x1000 or *0x1000",
       many_arguments, false, call(&S::write)},
      {"memory", "m", "ADDRESS [N]", "show N dwords of memory", 2, false, call(&S::memory)},
      {"gpu", "g", "REGISTER [N]", "show N registers of the GPU, by number or name: CP_SCRATCH[2]", 2, false,
       call(&S::gpu)},
      {"control", "k", "REGISTER [N]", "show N control registers of the core, by number or name: @IB1_BASE", 2, false,
       call(&S::control)},
      {"list", "l", "[N|PLACE]", "show N words around the next one, or those around a place", 1, false, call(&S::list)},
      {"cores", "t threads thread", "[CORE]", "list the cores, or make one the current one", 1, false,
       call(&S::choose)},
      {"outputs", "o", "", "what the cores have done to the world since the streams of this round began", 0, false,
       call(&S::outputs)},
      {"where", "bt frame", "", "show where the core is", 0, false, call(&S::where)},
      {"info registers", "", "[REGISTER...]", "the same as print", many_arguments, false, call(&S::show)},
      {"info cores", "", "", "list the cores", 0, false, call(&S::choose)},
      {"info threads", "", "", "list the cores, which are what threads are elsewhere", 0, false, call(&S::choose)},
      {"info frame", "", "", "the same as where", 0, false, call(&S::where)},
      {"info labels", "", "", "list the packets and functions of the core", 0, false, call(&S::labels)},
      {"info outputs", "", "", "the same as outputs", 0, false, call(&S::outputs)},
      {"info line", "", "[PLACE]", "the instruction there", 1, false, call(&S::line)},
  };
  std::ranges::move(
      stop_commands("stop before it: CP_NOP, CP_NOP+3, fxn22, 0x21, ME:CP_NOP; without a place, list the breakpoints",
                    "stop when a register, $02, or the dword of memory at *0x1000 changes; without one, list what is "
                    "watched"),
      std::back_inserter(all));
  return all;
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
  std::string why;
  auto [did, events] = told(so_far.events);
  switch (so_far.halt) {
    case Debugger::Halt::stepped:
    case Debugger::Halt::end:
      break;
    case Debugger::Halt::unfinished:
      why = "interrupted";
      break;
    case Debugger::Halt::beginning:
      why = "beginning";
      break;
    case Debugger::Halt::breakpoint:
      why = fmt::format("breakpoint {}", debugger_.halted_by()->number);
      break;
    case Debugger::Halt::watch:
      why = fmt::format("{} is now {:#x}", watched_name(*debugger_.halted_by()), watched(*debugger_.halted_by()));
      break;
  }
  if (debugger_.halted_by()) reply.json["number"] = debugger_.halted_by()->number;
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

/// As lines, and for the JSON.
std::pair<std::string, Json> FirmwareSession::told(std::span<const firmware::Event> events) const {
  std::string lines;
  Json all = Json::array();
  for (const firmware::Event& event : events) {
    const std::string text = name_of(event.core) + ' ' + report(debugger_.emulator(), event);
    lines += "  " + text + '\n';
    all.push_back(text);
  }
  return {std::move(lines), std::move(all)};
}

Reply FirmwareSession::outputs(const Arguments&) {
  auto [text, events] = told(debugger_.emulator().report().events);
  Reply reply{std::move(text)};
  reply.json["events"] = std::move(events);
  return reply;
}

FirmwareSession::Halted FirmwareSession::go_on(const Debugger::Goal& goal) {
  constexpr std::uint64_t between_looks = 1u << 14;  // instructions, whether Ctrl-C was pressed
  Halted so_far;
  do {
    so_far.halt = debugger_.go(goal, between_looks);
    const std::vector<firmware::Event> events = debugger_.events();
    so_far.events.insert(so_far.events.end(), events.begin(), events.end());
  } while (so_far.halt == Debugger::Halt::unfinished && !take_interruption());
  return so_far;
}

Reply FirmwareSession::go(const Arguments& arguments) {
  Halted so_far{.halt = Debugger::Halt::breakpoint};
  for (std::uint64_t left = count_of(arguments); left != 0 && so_far.halt == Debugger::Halt::breakpoint; --left)
    so_far = go_on({});
  return halted(so_far);
}

Reply FirmwareSession::until(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("a place is needed", "until CP_NOP+3");
  return halted(go_on({.place = point_named(arguments[0])}));
}

Reply FirmwareSession::finish(const Arguments&) {
  const std::uint32_t depth = debugger_.emulator().call_depth(debugger_.core);
  if (depth == 0)
    throw usage_error(name_of(debugger_.core) + " is in no subroutine that could return",
                      "\"until PLACE\" goes to a place");
  return halted(go_on({.call_depth = depth}));
}

Reply FirmwareSession::run(const Arguments& arguments) {
  value_or_usage_error(debugger_.restart());
  return go(arguments);
}

std::vector<Debugger::Breakpoint> FirmwareSession::watches_of(const std::string& name) const {
  if (name.starts_with('*')) return {{.memory = address_of(name.substr(1))}};
  return {{.which = register_named(name)}};
}

void FirmwareSession::describe(const Breakpoint& point, Json& row, Json& list) const {
  if (point.which) {
    row["register"] = text_of(*point.which);
  } else if (point.memory) {
    row["memory"] = hex(*point.memory);
  } else {
    row["place"] = line_of(*point.place);
    list["places"].push_back(line_of(*point.place));
  }
}

Reply FirmwareSession::labels(const Arguments&) {
  Reply reply;
  reply.json["labels"] = Json::object();
  for (const firmware::Place& each : debugger_.labels()) {
    reply.text += fmt::format("{:#06x} {}\n", each.word, each.where);
    reply.json["labels"][each.where] = hex(each.word);
  }
  return reply;
}

Reply FirmwareSession::line(const Arguments& arguments) {
  const Debugger::Point at = arguments.empty() ? debugger_.next(debugger_.core) : point_named(arguments[0]);
  Reply reply{line_of(at) + '\n'};
  reply.json["places"] = Json::array({line_of(at)});
  return reply;
}

Reply FirmwareSession::values(const std::vector<Debugger::Register>& which, const std::string& format) const {
  Reply reply;
  reply.json["registers"] = Json::object();
  for (const Debugger::Register& each : which) {
    const std::uint32_t value = debugger_.value(each);
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

Reply FirmwareSession::show(const Arguments& arguments) {
  std::vector<Debugger::Register> which;
  for (const std::string& each : arguments) {
    const auto named = debugger_.register_named(each);
    // What is no register may be an expression, of one word or of all.
    if (!named) return value_reply(arguments.text(), debugger_.evaluate(arguments.text()), arguments.format);
    which.push_back(*named);
  }
  if (arguments.empty()) {
    const std::vector<std::uint32_t> all = debugger_.emulator().registers(debugger_.core);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) which.push_back({debugger_.core, i});
  }
  return values(which, arguments.format);
}

Reply FirmwareSession::write(const Arguments& arguments) {
  const Assignment wanted = assignment_of(arguments, "set $02 0x10, or set 0x20004 5");
  const std::uint32_t value = word_of(wanted.value);
  const bool has_star = wanted.name.starts_with('*');
  if (has_star || std::isdigit(static_cast<unsigned char>(wanted.name.front())) != 0) {
    const std::uint64_t address = address_of(has_star ? wanted.name.substr(1) : wanted.name);
    value_or_usage_error(debugger_.set_memory(address, value));
    return memory({hex(address)});
  }
  debugger_.set_register(register_named(wanted.name), value);
  return show({wanted.name});
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

Reply FirmwareSession::examine(const Arguments& arguments) {
  const ExamineFormat format(arguments.format);
  if (format.of_instructions()) return words_from(point_named(arguments.empty() ? "$pc" : arguments[0]), format.count);
  if (arguments.empty()) throw usage_error("an address is needed", "x/4xw 0x1000");
  if (format.size != 4) throw usage_error("memory of firmware is shown in dwords", "x/4xw 0x1000");
  const std::uint64_t address = address_of(arguments.text());
  Json words = Json::array();
  Reply reply{memory_text(address, format.count, format, [&](std::uint64_t i) {
    const std::uint32_t value = value_or_usage_error(debugger_.memory(address + 4 * i));
    words.push_back({{"address", hex(address + 4 * i)}, {"value", hex(value)}});
    return Value{.kind = Value::Kind::word, .bits = value};
  })};
  reply.json["words"] = std::move(words);
  return reply;
}

Reply FirmwareSession::memory(const Arguments& arguments) {
  constexpr std::uint64_t most = 4096;
  if (arguments.empty()) throw usage_error("an address is needed");
  return dump(arguments, address_of(arguments[0]), 4, most, [&](std::uint64_t address) {
    return std::pair(value_or_usage_error(debugger_.memory(address)), std::string());
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
  const bool is_count = !arguments.empty() && arguments[0].find_first_not_of("0123456789") == std::string::npos;
  const bool is_place = !arguments.empty() && !is_count;
  const std::uint32_t wanted = is_count ? word_of(arguments[0]) : 11;
  Debugger::Point first = is_place ? point_named(arguments[0]) : debugger_.next(debugger_.core);
  const std::uint32_t before = std::min(first.word, wanted / 2);
  first.word -= before;
  return words_from(first, wanted - (wanted / 2 - before));
}

Reply FirmwareSession::words_from(Debugger::Point first, std::uint64_t count) const {
  const Debugger::Point next = debugger_.next(first.core);
  Reply reply;
  reply.json["places"] = Json::array();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Debugger::Point at{first.core, static_cast<std::uint32_t>(first.word + i)};
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
