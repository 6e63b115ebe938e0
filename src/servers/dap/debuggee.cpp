#include "servers/dap/debuggee.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mobula/lab/load.h"

namespace mobula::servers::dap {
namespace {

constexpr int listing_reference = 1;  // of the Source

std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string absolute(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(file, failed).lexically_normal();
  return failed ? file : path.string();
}

Program load(const LaunchOptions& options) {
  if (options.side.empty()) return value_or_refusal(load_program_file(options.program, options.machine));
  LoadOptions load{.machine = options.machine};
  if (options.side != "none") {
    const std::vector<std::uint8_t> side = value_or_refusal(load_bytes(options.side));
    load.side = value_or_refusal(read_side_file({options.side, as_text(side)}));
  }
  return value_or_refusal(load_program(value_or_refusal(load_bytes(options.program)), options.program, load));
}

std::optional<std::uint32_t> count_in(const Arguments& arguments, std::string_view name, std::int64_t least) {
  const std::int64_t value = arguments.integer_or(name, -1);
  if (value == -1) return {};
  if (value < least || value > std::numeric_limits<std::uint32_t>::max())
    throw Refusal{fmt::format("\"{}\" must be a number from {}", name, least)};
  return static_cast<std::uint32_t>(value);
}

}  // namespace

LaunchOptions launch_options(const Arguments& arguments) {
  LaunchOptions options{.program = arguments.text("program"),
                        .machine = arguments.text_or("machine", {}),
                        .inputs = arguments.text_or("inputs", {}),
                        .side = arguments.text_or("side", {}),
                        .threads = count_in(arguments, "threads", 1),
                        .thread = count_in(arguments, "thread", 0),
                        .step_limit = count_in(arguments, "stepLimit", 1),
                        .stop_on_entry = arguments.flag_or("stopOnEntry", true),
                        .stop_on_exit = arguments.flag_or("stopOnExit", false),
                        .no_debug = arguments.flag_or("noDebug", false)};
  const Json& policies = arguments.object("policies").json();
  if (!policies.is_null() && !policies.is_object()) throw Refusal{"\"policies\" must be an object"};
  for (const auto& [name, value] : policies.items()) options.policies[name] = arguments.object("policies").text(name);
  return options;
}

Debuggee::Debuggee(Program read, ir::Program micro_operations, RunInputs fed)
    : program(std::move(read)), lifted(std::move(micro_operations)), inputs(std::move(fed)), words(program) {
  debugger_.emplace(value_or_refusal(Debugger::create(program, lifted, inputs)));
  read_text();
}

std::unique_ptr<Debuggee> Debuggee::launch(const LaunchOptions& options) {
  if (options.machine.empty() && (options.program.ends_with(".sb") || options.program.ends_with(".sbb")))
    throw Refusal{"workloads of the scoreboard core are not debugged here (\"mobula debug\" steps them)"};
  Program program = load(options);
  const Machine* machine = find_machine(program.machine);
  if (machine->firmware_views() != nullptr)
    throw Refusal{"firmware is not debugged here (\"mobula debug --stream\" steps it)"};
  RunInputs inputs;
  if (!options.inputs.empty()) inputs = value_or_refusal(load_run_inputs(options.inputs, program.interface));
  for (const auto& [name, value] : options.policies) inputs.policies[name] = value;
  if (options.threads) inputs.threads = *options.threads;
  if (options.step_limit) inputs.limits.steps = *options.step_limit;
  ir::Program lifted = value_or_refusal(machine->lift(program, inputs.policies));
  std::unique_ptr<Debuggee> debuggee(new Debuggee(std::move(program), std::move(lifted), std::move(inputs)));
  if (options.thread) {
    const auto lane = debuggee->debugger().lane_of(*options.thread);
    if (!lane) throw Refusal{fmt::format("there is no thread {}", *options.thread)};
    value_or_refusal(debuggee->debugger().choose(*lane));
  }
  return debuggee;
}

void Debuggee::read_text() {
  is_listing_ = program.lines.empty();
  if (!is_listing_) {
    lines_ = program.lines;
    text_ = std::string(as_text(value_or_refusal(load_bytes(program.file))));
    return;
  }
  Listing listing = value_or_refusal(find_machine(program.machine)->disassemble(program, {.words = true}));
  text_ = std::move(listing.text);
  std::uint32_t line = 1;
  std::size_t at = 0;
  for (const Listing::Word& word : listing.words) {
    const std::size_t begin = text_after_labels(text_, word);
    for (; at < begin; ++at) line += text_[at] == '\n' ? 1 : 0;
    lines_.push_back({word.byte_offset, line});
  }
}

Json Debuggee::source() const {
  const std::string name = std::filesystem::path(program.file).filename().string();
  if (!is_listing_) return {{"name", name}, {"path", absolute(program.file)}};
  return {{"name", name + " (listing)"}, {"sourceReference", listing_reference}, {"origin", "disassembly"}};
}

bool Debuggee::is_source(const Arguments& source) const {
  if (source.integer_or("sourceReference", 0) != 0)
    return is_listing_ && source.integer_or("sourceReference", 0) == listing_reference;
  const std::string path = source.text_or("path", {});
  return !path.empty() && absolute(path) == absolute(program.file);
}

std::optional<std::uint32_t> Debuggee::line_of(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(lines_, address, {}, &SourceLine::byte_offset);
  if (found == lines_.end() || found->byte_offset != address) return {};
  return found->line;
}

std::optional<SourceLine> Debuggee::word_from(std::uint32_t line) const {
  const auto is_there = [&](const SourceLine& each) {
    return each.line >= line && lifted.block_at(each.byte_offset).has_value();
  };
  const auto found = std::ranges::find_if(lines_, is_there);
  return found == lines_.end() ? std::nullopt : std::optional(*found);
}

std::uint32_t Debuggee::lane_of(std::int64_t id) const {
  const auto lane = id < 1 ? std::nullopt : debugger_->lane_of(static_cast<std::uint64_t>(id - 1));
  if (!lane) throw Refusal{fmt::format("there is no thread with the id {}", id)};
  return *lane;
}

std::optional<std::uint32_t> Debuggee::live_lane() const {
  const auto is_live = [&](std::uint32_t lane) {
    return debugger_->address(lane).has_value() && !debugger_->thread(lane).helper;
  };
  if (is_live(debugger_->lane())) return debugger_->lane();
  for (std::uint32_t lane = 0; lane < debugger_->threads(); ++lane)
    if (is_live(lane)) return lane;
  return {};
}

const LaneFault* Debuggee::fault_of(std::uint32_t lane) const {
  const auto found = std::ranges::find(debugger_->faults(), lane, &LaneFault::lane);
  return found == debugger_->faults().end() ? nullptr : &*found;
}

}  // namespace mobula::servers::dap
