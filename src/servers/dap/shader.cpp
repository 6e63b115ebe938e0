#include "servers/dap/shader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/source_lines.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/load.h"
#include "servers/dap/requests.h"

namespace mobula::servers::dap {
namespace {

RunInputs load_inputs(const std::string& file, const Interface& interface) {
  const std::vector<std::uint8_t> text = bytes_of(file);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return value_or_refusal(read_run_inputs({file, as_text(text)}, interface,
                                          [&](const std::string& name) -> Result<std::vector<std::uint8_t>> {
                                            return bytes_of((folder / name).string());
                                          }));
}

/// What people wrote, whose lines are those of the program; nothing where the file is machine code.
std::string text_in(const std::string& file) {
  const std::vector<std::uint8_t> bytes = bytes_of(file);
  const ContainerFormat format = detect_format(bytes, file);
  const bool is_text = (format == ContainerFormat::text || format == ContainerFormat::foreign) &&
                       std::ranges::find(bytes, 0) == bytes.end();
  return is_text ? std::string(as_text(bytes)) : "";
}

}  // namespace

ShaderDebuggee::ShaderDebuggee(Program read, ir::Program micro_operations, RunInputs fed)
    : Debuggee(read.file),
      program(std::move(read)),
      lifted(std::move(micro_operations)),
      inputs(std::move(fed)),
      words(program) {
  debugger_.emplace(value_or_refusal(Debugger::create(program, lifted, inputs)));
  read_text();
}

std::unique_ptr<ShaderDebuggee> ShaderDebuggee::launch(Program program, const LaunchOptions& options) {
  RunInputs inputs;
  if (!options.inputs.empty()) inputs = load_inputs(options.inputs, program.interface);
  for (const auto& [name, value] : options.policies) inputs.policies[name] = value;
  if (options.threads) inputs.threads = *options.threads;
  if (options.step_limit) inputs.limits.steps = *options.step_limit;
  ir::Program lifted = value_or_refusal(find_machine(program.machine)->lift(program, inputs.policies));
  std::unique_ptr<ShaderDebuggee> debuggee(
      new ShaderDebuggee(std::move(program), std::move(lifted), std::move(inputs)));
  if (options.thread) {
    const auto lane = debuggee->debugger().lane_of(*options.thread);
    if (!lane) throw Refusal{fmt::format("there is no thread {}", *options.thread)};
    value_or_refusal(debuggee->debugger().choose(*lane));
  }
  return debuggee;
}

void ShaderDebuggee::read_text() {
  std::vector<SourceLine> lines = program.lines;
  std::string text = lines.empty() ? "" : text_in(program.file);
  const bool is_listing = text.empty();
  if (is_listing) {
    lines.clear();
    Listing listing = value_or_refusal(find_machine(program.machine)->disassemble(program, {.words = true}));
    text = std::move(listing.text);
    std::uint32_t line = 1;
    std::size_t at = 0;
    for (const Listing::Word& word : listing.words) {
      const std::size_t begin = text_after_labels(text, word);
      for (; at < begin; ++at) line += text[at] == '\n' ? 1 : 0;
      lines.push_back({word.byte_offset, line});
    }
  }
  // Of code that was compiled only the first word of a line is told.
  std::vector<SourceLine> every;
  for (const ir::Block& block : lifted.blocks)
    if (const auto line = source_line(lines, block.address)) every.push_back({block.address, *line});
  show_text(std::move(text), std::move(every), is_listing);
}

Halt ShaderDebuggee::advance(const Running& running) {
  constexpr std::uint64_t most = 4096;  // words
  if (!running.leave_line) return debugger_->go({.returned = running.returns}, most);
  for (std::uint64_t i = 0; i < most; ++i) {
    const Halt halt = debugger_->step();
    const auto now = debugger_->address(debugger_->lane());
    if (halt != Halt::stepped || !now || line_of(*now) != running.leave_line) return halt;
  }
  return Halt::unfinished;
}

std::optional<Debuggee::Met> ShaderDebuggee::met() const {
  const auto& point = debugger_->halted_by();
  if (!point) return {};
  Met met{.breakpoint = point->number, .text = {}};
  if (point->slot != nullptr)
    met.text = fmt::format("{} = {}", point->slot->name, slot_text(*point->slot, debugger_->read(*point->slot)));
  if (point->memory) met.text = fmt::format("*{:#x} has changed", point->memory->address);
  return met;
}

std::string ShaderDebuggee::fault() const {
  const LaneFault* fault = fault_of(debugger_->lane());
  return fault == nullptr ? std::string() : fault->reason;
}

Debuggee::Ending ShaderDebuggee::ending() const {
  const RunResult result = debugger_->outputs();
  return {.complaints = render(result.diagnostics),
          .summary = fmt::format("threads: {} ended, {} discarded, {} faulted\n", result.ended, result.discarded,
                                 result.faulted),
          .status = result.faulted == 0 ? 0 : 1};
}

bool ShaderDebuggee::choose_live() {
  const auto is_live = [&](std::uint32_t lane) {
    return debugger_->address(lane).has_value() && !debugger_->thread(lane).helper;
  };
  if (is_live(debugger_->lane())) return true;
  for (std::uint32_t lane = 0; lane < debugger_->threads(); ++lane)
    if (is_live(lane)) {
      value_or_refusal(debugger_->choose(lane));
      return true;
    }
  return false;
}

std::uint32_t ShaderDebuggee::lane_of(std::int64_t id) const {
  const auto lane = id < 1 ? std::nullopt : debugger_->lane_of(static_cast<std::uint64_t>(id - 1));
  if (!lane) throw Refusal{fmt::format("there is no thread with the id {}", id)};
  return *lane;
}

const LaneFault* ShaderDebuggee::fault_of(std::uint32_t lane) const {
  const auto found = std::ranges::find(debugger_->faults(), lane, &LaneFault::lane);
  return found == debugger_->faults().end() ? nullptr : &*found;
}

}  // namespace mobula::servers::dap
