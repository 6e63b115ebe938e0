#include "servers/dap/scoreboard.h"

#include <fmt/format.h>

#include "servers/dap/references.h"

namespace mobula::servers::dap {
namespace {

namespace sb = scoreboard;

sb::Config config_of(const LaunchOptions& options) {
  if (options.config.empty())
    return value_or_refusal(sb::find_preset(options.preset.empty() ? "seed_two_level" : options.preset));
  const std::vector<std::uint8_t> text = bytes_of(options.config);
  return value_or_refusal(sb::parse_config(options.config, as_text(text)));
}

/// Lines with operations, of a text that is a workload: neither empty nor a register's value.
std::vector<std::uint32_t> lines_of_operations(std::string_view text) {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view content = whole.substr(0, whole.find('#'));
    const std::size_t begin = content.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    const std::string_view word = content.substr(begin, content.find_first_of(" \t\r", begin) - begin);
    if (word != "reg") lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::unique_ptr<ScoreboardDebuggee> ScoreboardDebuggee::launch(std::span<const std::uint8_t> bytes,
                                                               const LaunchOptions& options) {
  if (!options.inputs.empty() || !options.side.empty() || !options.policies.empty() || !options.streams.empty() ||
      !options.memory.empty() || !options.images.empty() || options.threads || options.thread || options.step_limit)
    throw Refusal{
        "\"inputs\", \"side\", \"policies\", \"threads\", \"thread\", \"stepLimit\", \"streams\", \"memory\" and "
        "\"images\" are for programs; a workload has a run in it (\"preset\" and \"config\" say how the core is "
        "built)"};
  const bool binary = sb::is_binary_workload(bytes);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), binary ? 0 : bytes.size()};
  sb::Workload workload =
      value_or_refusal(binary ? sb::read_workload(options.program, bytes) : sb::parse_workload(options.program, text));
  return std::unique_ptr<ScoreboardDebuggee>(new ScoreboardDebuggee(
      value_or_refusal(sb::Debugger::create(config_of(options), std::move(workload))), options.program, text));
}

/// `typed`: the workload as a person has it; of a binary one, nothing.
ScoreboardDebuggee::ScoreboardDebuggee(sb::Debugger debugger, const std::string& file, std::string_view typed)
    : Debuggee(file), debugger_(std::move(debugger)) {
  const std::string listing = typed.empty() ? sb::print(debugger_.workload()) : std::string(typed);
  std::vector<SourceLine> lines;
  for (const std::uint32_t line : lines_of_operations(listing)) lines.push_back({lines.size(), line});
  show_text(listing, std::move(lines), typed.empty());
}

// ---- going on, and back

Halt ScoreboardDebuggee::halted(sb::Debugger::Halt halt) {
  using Stop = sb::Debugger::Halt;
  switch (halt) {
    case Stop::stepped:
      return Halt::stepped;
    case Stop::breakpoint:
      return Halt::breakpoint;
    case Stop::watch:
      return Halt::watch;
    case Stop::beginning:
      return Halt::beginning;
    case Stop::unfinished:
      return Halt::unfinished;
    case Stop::deadlock:
      return std::exchange(is_stuck_, true) ? Halt::stopped : Halt::fault;
    case Stop::finished:
      break;
  }
  return Halt::stopped;
}

Halt ScoreboardDebuggee::advance(const Running&) {
  constexpr std::uint64_t most = 4096;  // clocks
  return halted(debugger_.go(most));
}

Halt ScoreboardDebuggee::step() { return halted(debugger_.step()); }

Halt ScoreboardDebuggee::go_back(std::uint64_t clocks) {
  is_stuck_ = false;
  return halted(debugger_.back(clocks));
}

Halt ScoreboardDebuggee::go_back() {
  is_stuck_ = false;
  return halted(debugger_.go_back());
}

std::optional<Debuggee::Met> ScoreboardDebuggee::met() const {
  const auto& point = debugger_.halted_by();
  if (!point) return {};
  Met met{.breakpoint = point->number, .text = {}};
  if (point->place) met.text = debugger_.text_of(*point->place);
  if (point->which)
    met.text = fmt::format("{} = {:#x}", debugger_.name_of(*point->which), debugger_.value(*point->which));
  if (point->memory) met.text = fmt::format("*{:#x} = {:#x}", *point->memory, debugger_.memory(*point->memory, 8));
  return met;
}

std::string ScoreboardDebuggee::fault() const {
  if (!is_stuck_) return {};
  std::string text = "deadlock: no later clock changes anything";
  for (const std::string& sentence : debugger_.waits()) text += "; " + sentence;
  return text;
}

Debuggee::Ending ScoreboardDebuggee::ending() const {
  Ending ending;
  ending.complaints = is_stuck_ ? fault() + '\n' : "";
  ending.summary = fmt::format("{} operations, {} clocks\n", debugger_.workload().operations.size(), debugger_.clock());
  ending.status = is_stuck_ ? 1 : 0;
  return ending;
}

// ---- places

std::uint64_t ScoreboardDebuggee::next_place() const {
  return debugger_.next() == sb::no_operation ? debugger_.workload().operations.size() : debugger_.next();
}

std::string ScoreboardDebuggee::text_of(std::uint64_t place) const {
  return sb::print(debugger_.workload().operations[place]);
}

std::optional<std::uint64_t> ScoreboardDebuggee::place_of(const sb::Debugger::Breakpoint& point) {
  if (!point.place || point.place->operation == sb::no_operation) return {};
  return point.place->operation;
}

}  // namespace mobula::servers::dap
