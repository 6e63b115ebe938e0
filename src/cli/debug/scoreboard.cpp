// mobula debug of workloads: the scoreboard core clock by clock.
#include <fmt/format.h>

#include <algorithm>

#include "cli/debug/console.h"
#include "cli/input/input.h"
#include "cli/scoreboard/input.h"
#include "mobula/scoreboard/debugger.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

class ScoreboardSession final : public DebugSession {
 public:
  explicit ScoreboardSession(sb::Debugger debugger) : debugger_(std::move(debugger)) {}

  std::vector<DebugCommand> commands() override;
  Reply where() override;

 private:
  Reply step(const Arguments& arguments) { return halted(go_on(count_of(arguments), false)); }
  Reply back(const Arguments& arguments) {
    value_or_usage_error(debugger_.back(count_of(arguments)));
    return moved();
  }
  Reply go(const Arguments&) { return halted(go_on(~std::uint64_t{0}, true)); }
  Reply until(const Arguments& arguments);
  Reply set_breakpoint(const Arguments& arguments);
  Reply remove_breakpoint(const Arguments& arguments);
  Reply units(const Arguments& arguments);
  Reply matrices(const Arguments& arguments);
  Reply rows(const Arguments& arguments);
  Reply signals(const Arguments& arguments);
  Reply show(const Arguments& arguments);
  Reply examine(const Arguments& arguments);
  Reply memory(const Arguments& arguments);
  Reply list(const Arguments& arguments);
  Reply where(const Arguments&) { return where(); }

  /// Until Ctrl-C, so many clocks at most.
  sb::Debugger::Halt go_on(std::uint64_t clocks, bool to_breakpoint);
  Reply moved() {
    Reply reply = where();
    reply.moved = true;
    return reply;
  }
  [[nodiscard]] std::string text_of(std::uint32_t operation) const {
    return sb::print(debugger_.workload().operations[operation]);
  }
  [[nodiscard]] std::string text_of(const sb::Happening& place) const {
    return fmt::format("{:<9} {}", sb::name(place.moment),
                       place.operation == sb::no_operation ? "of any operation" : text_of(place.operation));
  }
  [[nodiscard]] Json to_json(const sb::Happening& place) const {
    Json json{{"moment", sb::name(place.moment)}};
    if (place.operation != sb::no_operation) json["operation"] = text_of(place.operation);
    return json;
  }
  /// "write 17", "write" or "17", whose issue that is.
  [[nodiscard]] sb::Happening place_of(const Arguments& arguments) const;
  [[nodiscard]] const sb::View& view() const {
    if (debugger_.clock() == 0) throw usage_error("no clock has passed yet", "\"step\" makes the first one pass");
    return debugger_.view();
  }
  Reply halted(sb::Debugger::Halt halt);
  [[nodiscard]] Reply breakpoints() const;
  [[nodiscard]] Result<Value> evaluate(const std::string& expression) const;
  [[nodiscard]] std::size_t next_operation() const;
  [[nodiscard]] Reply operations(std::size_t first, std::uint64_t count) const;

  sb::Debugger debugger_;
};

std::vector<DebugCommand> ScoreboardSession::commands() {
  using S = ScoreboardSession;
  const auto call = commands_of(this);
  return {
      {"step", "s si stepi n ni next nexti", "[N]", "let the next N clocks pass", 1, false, call(&S::step)},
      {"back", "rs rsi rn rni reverse-step reverse-stepi reverse-next reverse-nexti", "[N]", "go back N clocks", 1,
       false, call(&S::back)},
      {"continue", "c", "", "continue to a breakpoint, or the end", 0, false, call(&S::go)},
      {"until", "u advance", "CLOCK", "go to this clock, forward or back", 1, false, call(&S::until)},
      {"break", "b br", "[MOMENT] [ID]",
       "stop after a clock with issue, read, start, complete, write or kill of this operation, or of any; without "
       "anything, list the breakpoints",
       2, false, call(&S::set_breakpoint)},
      {"delete", "d clear", "[MOMENT] [ID]", "remove the breakpoint there, or all", 2, false,
       call(&S::remove_breakpoint)},
      {"units", "", "", "what each unit holds, and what it waits for", 0, false, call(&S::units)},
      {"matrices", "m", "", "the dependency matrices after the clock", 0, false, call(&S::matrices)},
      {"rows", "", "", "what virtual registers stand for", 0, false, call(&S::rows)},
      {"signals", "", "", "all vectors of the clock, highest unit first", 0, false, call(&S::signals)},
      {"print", "p inspect", "[REGISTER...|EXPRESSION]",
       "show registers: F12, I3, or I3 + 1; print/x in the way x, d, u, o, t or f; without anything, all that are not "
       "zero",
       many_arguments, true, call(&S::show)},
      {"x", "", "[ADDRESS]",
       "show memory: x/4xw is four words of 32 bits; b, h, w, g are 8 to 64; or what is issued next: x/4i", 1, true,
       call(&S::examine)},
      {"memory", "", "ADDRESS [BYTES]", "show memory, 1 to 8 bytes", 2, false, call(&S::memory)},
      {"list", "l", "[N]", "show N operations around the next one", 1, false, call(&S::list)},
      {"where", "bt frame", "", "show the clock and what happened in it", 0, false, call(&S::where)},
      {"info registers", "", "[REGISTER...]", "the same as print", many_arguments, false, call(&S::show)},
      {"info breakpoints", "", "", "list the breakpoints", 0, false, call(&S::set_breakpoint)},
      {"info units", "", "", "the same as units", 0, false, call(&S::units)},
  };
}

sb::Debugger::Halt ScoreboardSession::go_on(std::uint64_t clocks, bool to_breakpoint) {
  using Halt = sb::Debugger::Halt;
  Halt halt = debugger_.finished() ? Halt::finished : Halt::stepped;
  for (; clocks != 0 && halt == Halt::stepped && !take_interruption(); --clocks) {
    halt = debugger_.step();
    if (to_breakpoint && debugger_.at_breakpoint()) return Halt::breakpoint;
  }
  return halt;
}

sb::Happening ScoreboardSession::place_of(const Arguments& arguments) const {
  sb::Happening place;
  bool told = false;
  for (const std::string& word : arguments) {
    const auto moment = std::ranges::find(sb::moments(), word, [](sb::Moment each) { return sb::name(each); });
    if (moment != sb::moments().end()) {
      if (told) throw usage_error("\"" + word + "\" is a second moment", "break write 17");
      place.moment = *moment;
      told = true;
      continue;
    }
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) == 0)
      throw usage_error("\"" + word + "\" is neither a moment nor an operation",
                        "issue, read, start, complete, write or kill, and the number an operation begins with");
    if (place.operation != sb::no_operation) throw usage_error("\"" + word + "\" is a second operation");
    const std::uint64_t id = debug_number(word);
    if (id > 0xFFFFFFFF) throw usage_error("there is no operation " + word);
    place.operation = value_or_usage_error(debugger_.operation(static_cast<std::uint32_t>(id)));
  }
  return place;
}

Reply ScoreboardSession::where() {
  Reply reply;
  reply.json = {{"clock", debugger_.clock()}, {"happened", Json::array()}};
  reply.text = fmt::format("clock {}{}\n", debugger_.clock(), debugger_.finished() ? ", finished" : "");
  for (const sb::Happening& each : debugger_.happened()) {
    reply.text += "  " + text_of(each) + '\n';
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

Reply ScoreboardSession::halted(sb::Debugger::Halt halt) {
  Reply reply = moved();
  const auto why = [&](const char* text) {
    reply.json["halt"] = text;
    reply.text = text + ("\n" + reply.text);
  };
  switch (halt) {
    case sb::Debugger::Halt::stepped:
    case sb::Debugger::Halt::finished:
      break;
    case sb::Debugger::Halt::breakpoint:
      why("breakpoint");
      break;
    case sb::Debugger::Halt::deadlock:
      why("deadlock: no later clock changes anything");
      reply.failed = true;
      break;
  }
  return reply;
}

Reply ScoreboardSession::until(const Arguments& arguments) {
  if (arguments.empty()) throw usage_error("a clock is needed", "until 17");
  const std::uint64_t clock = debug_number(arguments[0]);
  if (clock >= debugger_.clock()) return halted(go_on(clock - debugger_.clock(), false));
  value_or_usage_error(debugger_.back(debugger_.clock() - clock));
  return moved();
}

Reply ScoreboardSession::breakpoints() const {
  Reply reply;
  reply.json["breaks"] = Json::array();
  for (const sb::Happening& each : debugger_.breakpoints) {
    reply.text += text_of(each) + '\n';
    reply.json["breaks"].push_back(to_json(each));
  }
  return reply;
}

Reply ScoreboardSession::set_breakpoint(const Arguments& arguments) {
  if (!arguments.empty()) debugger_.breakpoints.insert(place_of(arguments));
  return breakpoints();
}

Reply ScoreboardSession::remove_breakpoint(const Arguments& arguments) {
  if (arguments.empty())
    debugger_.breakpoints.clear();
  else if (debugger_.breakpoints.erase(place_of(arguments)) == 0)
    throw usage_error("there is no such breakpoint", "\"break\" lists them");
  return breakpoints();
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

/// Registers and "clock" are names in it.
Result<Value> ScoreboardSession::evaluate(const std::string& expression) const {
  const auto parsed = Expression::parse(expression);
  if (!parsed) return fail(parsed.error());
  return parsed->evaluate([&](std::string_view name) -> Result<Value> {
    if (name == "clock") return Value::integer(static_cast<std::int64_t>(debugger_.clock()));
    if (name == "pc" || name == "$pc")
      return fail("SB161", "the core has no program counter", "\"where\" shows the operation that is issued next");
    const auto value = debugger_.value(name);
    if (!value) return fail(value.error());
    return Value::integer(static_cast<std::int64_t>(*value));
  });
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
    const auto value = debugger_.value(name);
    // What is no register may be an expression, of one word or of all.
    if (!value) return value_reply(arguments.text(), evaluate(arguments.text()), arguments.format);
    add(name, *value);
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
  const std::uint64_t address = debug_number(arguments[0]);
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
  const std::uint64_t address = debug_number(arguments[0]);
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
