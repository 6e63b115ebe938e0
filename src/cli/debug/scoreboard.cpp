// mobula debug of workloads: the scoreboard core clock by clock.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/debug/stops.h"
#include "cli/input/input.h"
#include "cli/scoreboard/input.h"
#include "mobula/scoreboard/debugger.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

class ScoreboardSession final : public StopSession<sb::Debugger> {
 public:
  explicit ScoreboardSession(sb::Debugger debugger) : StopSession(std::move(debugger)) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  using Halt = sb::Debugger::Halt;

  Reply step(const Arguments& arguments) { return halted(step_by(count_of(arguments))); }
  Reply back(const Arguments& arguments) { return halted(debugger_.back(count_of(arguments))); }
  Reply go(const Arguments& arguments);
  Reply go_back(const Arguments&) { return halted(debugger_.go_back()); }
  Reply run(const Arguments& arguments) {
    debugger_.back(debugger_.clock());
    return go(arguments);
  }
  Reply until(const Arguments& arguments);
  Reply units(const Arguments& arguments);
  Reply matrices(const Arguments& arguments);
  Reply rows(const Arguments& arguments);
  Reply signals(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply examine(const Arguments& arguments);
  Reply memory(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }

  // Until Ctrl-C, too.
  Halt step_by(std::uint64_t clocks);
  Halt go_on();
  [[nodiscard]] std::string text_of(std::uint32_t operation) const {
    return sb::print(debugger_.workload().operations[operation]);
  }
  [[nodiscard]] Json to_json(const sb::Happening& place) const {
    Json json{{"moment", sb::name(place.moment)}};
    if (place.operation != sb::no_operation) json["operation"] = text_of(place.operation);
    return json;
  }
  [[nodiscard]] Breakpoint stop_at(const std::string& place) const override {
    return {.place = value_or_usage_error(debugger_.happening(place))};
  }
  [[nodiscard]] std::vector<Breakpoint> watches_of(const std::string& name) const override;
  [[nodiscard]] bool is_watch(const Breakpoint& stop) const override { return !stop.place; }
  [[nodiscard]] bool is_same(const Breakpoint& one, const Breakpoint& other) const override {
    return one.place == other.place && one.which == other.which && one.memory == other.memory;
  }
  [[nodiscard]] std::string text_of(const Breakpoint& stop) const override;
  void describe(const Breakpoint& stop, Json& row, Json& list) const override;
  [[nodiscard]] std::string watched_name(const Breakpoint& stop) const {
    return stop.which ? debugger_.name_of(*stop.which) : fmt::format("*{:#x}", *stop.memory);
  }
  [[nodiscard]] std::uint64_t watched(const Breakpoint& stop) const {
    return stop.which ? debugger_.value(*stop.which) : debugger_.memory(*stop.memory, 8);
  }
  [[nodiscard]] std::uint64_t address_of(const std::string& expression) const {
    return static_cast<std::uint64_t>(value_or_usage_error(debugger_.evaluate(expression)).as_integer());
  }
  [[nodiscard]] const sb::View& view() const {
    if (debugger_.clock() == 0) throw usage_error("no clock has passed yet", "\"step\" makes the first one pass");
    return debugger_.view();
  }
  Reply halted(Halt halt);
  [[nodiscard]] std::size_t next_operation() const;
  [[nodiscard]] Reply operations(std::size_t first, std::uint64_t count) const;
};

std::vector<DebugCommand> ScoreboardSession::commands() {
  using S = ScoreboardSession;
  const auto call = commands_of(this);
  std::vector<DebugCommand> all{
      {"step", "s si stepi n ni next nexti", "[N]", "let the next N clocks pass", 1, false, call(&S::step)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]", "go back N clocks", 1,
       false, call(&S::back)},
      {"continue", "c", "[N]", "continue to a breakpoint (the Nth), a change of what is watched, or the end", 1, false,
       call(&S::go)},
      {"reverse-continue", "rc", "", "go back to where it last would have stopped", 0, false, call(&S::go_back)},
      {"until", "u advance", "CLOCK", "go to this clock, forward or back", 1, false, call(&S::until)},
      {"run", "r start", "", "start again, and continue", 0, false, call(&S::run)},
      {"units", "", "", "what each unit holds, and what it waits for", 0, false, call(&S::units)},
      {"matrices", "m", "", "the dependency matrices after the clock", 0, false, call(&S::matrices)},
      {"rows", "", "", "what virtual registers stand for", 0, false, call(&S::rows)},
      {"signals", "", "", "all vectors of the clock, highest unit first", 0, false, call(&S::signals)},
      {"print", "p inspect", "[REGISTER...|EXPRESSION]",
       "show registers: F12, I3, or I3 + 1, or the eight bytes at *0x100; print/x in the way x, d, u, o, t or f; "
       "without anything, all that are not zero",
       many_arguments, true, call(&S::show)},
      {"x", "", "[ADDRESS]",
       "show memory: x/4xw is four words of 32 bits; b, h, w, g are 8 to 64; or what is issued next: x/4i",
       many_arguments, true, call(&S::examine)},
      {"memory", "", "ADDRESS [BYTES]", "show memory, 1 to 8 bytes", 2, false, call(&S::memory)},
      {"list", "l", "[N]", "show N operations around the next one", 1, false, call(&S::list)},
      {"where", "bt backtrace frame", "", "show the clock and what happened in it", 0, false, call(&S::where)},
      {"info registers", "", "[REGISTER...]", "the same as print", many_arguments, false, call(&S::show)},
      {"info units", "", "", "the same as units", 0, false, call(&S::units)},
      {"info frame", "", "", "the same as where", 0, false, call(&S::where)},
  };
  std::ranges::move(
      stop_commands(
          "stop after a clock with issue, read, start, complete, write or kill of an operation, \"write 17\", or "
          "of any, \"write\"; 17 alone is its issue; without a place, list the breakpoints",
          "stop when a register, I3, or the eight bytes of memory at *0x100 change; without one, list what is "
          "watched"),
      std::back_inserter(all));
  return all;
}

constexpr std::uint64_t clocks_between_looks = 64;  // whether Ctrl-C was pressed

ScoreboardSession::Halt ScoreboardSession::step_by(std::uint64_t clocks) {
  auto halt = Halt::stepped;
  while (clocks != 0 && halt == Halt::stepped) {
    const std::uint64_t some = std::min(clocks, clocks_between_looks);
    halt = debugger_.step(some);
    clocks -= some;
    if (clocks != 0 && halt == Halt::stepped && take_interruption()) halt = Halt::unfinished;
  }
  return halt;
}

ScoreboardSession::Halt ScoreboardSession::go_on() {
  for (;;) {
    const Halt halt = debugger_.go(clocks_between_looks);
    if (halt != Halt::unfinished || take_interruption()) return halt;
  }
}

Reply ScoreboardSession::go(const Arguments& arguments) {
  auto halt = Halt::breakpoint;
  for (std::uint64_t left = count_of(arguments); left != 0 && halt == Halt::breakpoint; --left) halt = go_on();
  return halted(halt);
}

Reply ScoreboardSession::where() {
  Reply reply;
  reply.json = {{"clock", debugger_.clock()}, {"happened", Json::array()}};
  reply.text = fmt::format("clock {}{}\n", debugger_.clock(), debugger_.finished() ? ", finished" : "");
  for (const sb::Happening& each : debugger_.happened()) {
    reply.text += "  " + debugger_.text_of(each) + '\n';
    reply.json["happened"].push_back(to_json(each));
  }
  reply.json["finished"] = debugger_.finished();
  if (const std::uint32_t next = debugger_.next(); next != sb::no_operation) {
    const bool waits = debugger_.clock() != 0 && debugger_.cause() != sb::Cause::issued;
    reply.text +=
        "next        " + text_of(next) + (waits ? fmt::format(" ({})", sb::name(debugger_.cause())) : "") + '\n';
    reply.json["next"] = text_of(next);
    if (waits) reply.json["cause"] = sb::name(debugger_.cause());
  }
  return reply;
}

Reply ScoreboardSession::halted(Halt halt) {
  Reply reply = where();
  reply.moved = true;
  std::string why;
  switch (halt) {
    case Halt::stepped:
    case Halt::finished:
      break;
    case Halt::breakpoint:
      why = fmt::format("breakpoint {}", debugger_.halted_by()->number);
      break;
    case Halt::watch:
      why = fmt::format("{} is now {:#x}", watched_name(*debugger_.halted_by()), watched(*debugger_.halted_by()));
      break;
    case Halt::deadlock:
      why = "deadlock: no later clock changes anything";
      reply.failed = true;
      break;
    case Halt::beginning:
      why = "beginning";
      break;
    case Halt::unfinished:
      why = "interrupted";
      break;
  }
  if (debugger_.halted_by()) reply.json["number"] = debugger_.halted_by()->number;
  if (!why.empty()) {
    reply.json["halt"] = why;
    reply.text = why + '\n' + reply.text;
  }
  return reply;
}

Reply ScoreboardSession::until(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("a clock is needed", "until 17");
  const std::uint64_t clock = debug_number(arguments[0]);
  if (clock >= debugger_.clock()) return halted(step_by(clock - debugger_.clock()));
  return halted(debugger_.back(debugger_.clock() - clock));
}

std::vector<sb::Debugger::Breakpoint> ScoreboardSession::watches_of(const std::string& name) const {
  if (name.starts_with('*')) return {{.memory = address_of(name.substr(1))}};
  return {{.which = value_or_usage_error(debugger_.register_named(name))}};
}

std::string ScoreboardSession::text_of(const Breakpoint& stop) const {
  return stop.place ? debugger_.text_of(*stop.place) : fmt::format("{} = {:#x}", watched_name(stop), watched(stop));
}

void ScoreboardSession::describe(const Breakpoint& stop, Json& row, Json&) const {
  if (stop.place)
    row["happening"] = to_json(*stop.place);
  else if (stop.which)
    row["register"] = watched_name(stop);
  else
    row["memory"] = hex(*stop.memory);
}

Reply ScoreboardSession::units(const Arguments&) {
  Reply reply;
  reply.json["units"] = Json::array();
  std::uint32_t unit = 0;
  for (const sb::Group& group : debugger_.config().groups)
    for (std::uint32_t i = 0; i < group.units; ++i, ++unit) {
      const std::uint32_t operation = debugger_.view().operation(unit);
      if (operation == sb::no_operation) continue;
      reply.text += fmt::format("{:>3} {:<10} {}\n", unit, group.name, text_of(operation));
      reply.json["units"].push_back({{"unit", unit}, {"group", group.name}, {"operation", text_of(operation)}});
    }
  reply.json["waits"] = debugger_.waits();
  for (const std::string& sentence : debugger_.waits()) reply.text += "  " + sentence + '\n';
  return reply;
}

Reply ScoreboardSession::matrices(const Arguments&) {
  Reply reply{sb::matrices(debugger_.config(), view())};
  reply.json["matrices"] = reply.text;
  return reply;
}

Reply ScoreboardSession::rows(const Arguments&) {
  if (debugger_.config().virtual_registers.rows == 0)
    throw usage_error("the core has no table of virtual registers", "virtual_registers.rows of the configuration");
  Reply reply;
  reply.json["rows"] = Json::object();
  for (const auto& [row, reg] : sb::virtual_rows(debugger_.config(), view())) {
    reply.text += fmt::format("{} = {}\n", row, reg);
    reply.json["rows"][row] = reg;
  }
  return reply;
}

Reply ScoreboardSession::signals(const Arguments&) {
  Reply reply{sb::signals_header(debugger_.config()) + sb::signals_line(debugger_.config(), view())};
  reply.json["signals"] = reply.text;
  return reply;
}

Reply ScoreboardSession::show(const Arguments& arguments) {
  Reply reply;
  reply.json["registers"] = Json::object();
  const std::string format = arguments.format.empty() ? "x" : arguments.format;
  const auto add = [&](const std::string& name, std::uint64_t value) {
    reply.text +=
        fmt::format("{} = {}\n", name,
                    value_or_usage_error(format_value(Value::integer(static_cast<std::int64_t>(value)), format)));
    reply.json["registers"][name]["value"] = hex(value);
  };
  for (const std::string& name : arguments) {
    const auto which = debugger_.register_named(name);
    // What is no register may be an expression, of one word or of all.
    if (!which) return value_reply(arguments.text(), debugger_.evaluate(arguments.text()), arguments.format);
    add(name, debugger_.value(*which));
  }
  if (arguments.empty())
    for (const sb::RegisterValue& each : debugger_.registers())
      if (each.value != 0) add(sb::print(each.which), each.value);
  return reply;
}

Reply ScoreboardSession::examine(const Arguments& arguments) {
  const ExamineFormat format(arguments.format);
  if (format.of_instructions()) {
    if (!arguments.empty())
      throw usage_error("operations have no addresses", "\"x/4i\" shows the next ones, \"list\" those around them");
    return operations(next_operation(), format.count);
  }
  if (arguments.empty()) throw usage_error("an address is needed", "x/4xw 0x100");
  const std::uint64_t address = address_of(arguments.text());
  Json words = Json::array();
  Reply reply{memory_text(address, format.count, format, [&](std::uint64_t i) {
    const std::uint64_t at = address + i * format.size;
    const std::uint64_t value = debugger_.memory(at, static_cast<std::uint32_t>(format.size));
    words.push_back({{"address", hex(at)}, {"value", hex(value)}});
    return Value{.kind = format.size == 4 ? Value::Kind::word : Value::Kind::integer,
                 .bits = static_cast<std::int64_t>(value)};
  })};
  reply.json["words"] = std::move(words);
  return reply;
}

Reply ScoreboardSession::memory(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("an address is needed", "memory 0x100 4");
  const std::uint64_t address = address_of(arguments[0]);
  const std::uint64_t bytes = arguments.size() < 2 ? 8 : debug_number(arguments[1]);
  if (bytes < 1 || bytes > 8) throw usage_error("1 to 8 bytes are shown at once");
  const std::uint64_t value = debugger_.memory(address, static_cast<std::uint32_t>(bytes));
  Reply reply{fmt::format("{:#x} = {:#x}\n", address, value)};
  reply.json["words"] = Json::array({{{"address", hex(address)}, {"value", hex(value)}}});
  return reply;
}

/// Its index; that after the last one where none is left.
std::size_t ScoreboardSession::next_operation() const {
  return debugger_.next() == sb::no_operation ? debugger_.workload().operations.size() : debugger_.next();
}

Reply ScoreboardSession::list(const Arguments& arguments) {
  const std::uint64_t wanted = arguments.empty() ? 11 : debug_number(arguments[0]);
  const std::size_t before = std::min<std::uint64_t>(next_operation(), wanted / 2);
  return operations(next_operation() - before, wanted);
}

Reply ScoreboardSession::operations(std::size_t first, std::uint64_t count) const {
  const std::size_t end = first + std::min<std::uint64_t>(debugger_.workload().operations.size() - first, count);
  Reply reply;
  reply.json["operations"] = Json::array();
  for (std::size_t i = first; i < end; ++i) {
    const bool is_next = i == next_operation();
    const std::string text = text_of(static_cast<std::uint32_t>(i));
    reply.text += fmt::format("{} {}\n", is_next ? "=>" : "  ", text);
    reply.json["operations"].push_back({{"text", text}, {"next", is_next}});
  }
  return reply;
}

}  // namespace

bool is_scoreboard_debug(const DebugOptions& options) {
  if (!options.preset.empty() || !options.config.empty()) return true;
  const std::string& file = options.input.files.front();
  if (sb::is_binary_workload(read_file(file))) return true;
  return options.input.machine.empty() && (file.ends_with(".sb") || file.ends_with(".sbb"));
}

Exit debug_scoreboard(const DebugOptions& options) {
  if (options.input.files.front() == "-" && options.script == "-")
    throw usage_error("workload and commands cannot both come from standard input", "give the commands with -x FILE");
  const sb::Config config = load_config(options.preset.empty() ? "seed_two_level" : options.preset, options.config);
  sb::Workload workload = load_workload(
      options.input.files,
      {.input = options.input, .feed = options.feed, .streams = options.streams, .memory = options.memory});
  ScoreboardSession session(
      value_or_stop(sb::Debugger::create(config, std::move(workload)), options.input.files.front()));
  return converse(options, nullptr, session);
}

}  // namespace mobula::cli
