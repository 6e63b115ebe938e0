#include "servers/dap/debuggee.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mobula/lab/load.h"
#include "mobula/scoreboard/scoreboard.h"

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

/// A pipe or a terminal may never end, and nothing else would be heard until it does.
Result<std::vector<std::uint8_t>> load_file(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(file, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return fail("", fmt::format("{} is not a regular file", file), "pipes and folders are not read here");
  return load_bytes(file);
}

Program load(const LaunchOptions& options) {
  const std::vector<std::uint8_t> bytes = value_or_refusal(load_file(options.program));
  if (scoreboard::is_binary_workload(bytes) || (options.machine.empty() && options.program.ends_with(".sb")))
    throw Refusal{
        fmt::format("workloads of the scoreboard core are not debugged here (\"mobula debug {}\" steps them, "
                    "clock by clock)",
                    options.program)};
  if (options.side.empty()) return value_or_refusal(load_program_file(options.program, options.machine));
  LoadOptions load{.machine = options.machine};
  if (options.side != "none") {
    const std::vector<std::uint8_t> side = value_or_refusal(load_file(options.side));
    load.side = value_or_refusal(read_side_file({options.side, as_text(side)}));
  }
  return value_or_refusal(load_program(bytes, options.program, load));
}

RunInputs load_inputs(const std::string& file, const Interface& interface) {
  const std::vector<std::uint8_t> text = value_or_refusal(load_file(file));
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return value_or_refusal(read_run_inputs(
      {file, as_text(text)}, interface, [&](const std::string& name) { return load_file((folder / name).string()); }));
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
  const Arguments policies = arguments.object("policies");
  for (const auto& [name, value] : policies.json().items()) options.policies[name] = policies.text(name);
  return options;
}

Debuggee::Debuggee(Program read, ir::Program micro_operations, RunInputs fed)
    : program(std::move(read)), lifted(std::move(micro_operations)), inputs(std::move(fed)), words(program) {
  debugger_.emplace(value_or_refusal(Debugger::create(program, lifted, inputs)));
  read_text();
  std::erase_if(lines_, [&](const SourceLine& each) { return !lifted.block_at(each.byte_offset); });
  by_line_ = lines_;
  std::ranges::stable_sort(by_line_, {}, &SourceLine::line);
}

std::unique_ptr<Debuggee> Debuggee::launch(const LaunchOptions& options) {
  Program program = load(options);
  const Machine* machine = find_machine(program.machine);
  if (machine->firmware_views() != nullptr)
    throw Refusal{
        fmt::format("firmware is not debugged here (\"mobula debug -m {} {} --stream STREAM\" steps it while it "
                    "processes a stream)",
                    program.machine, options.program)};
  RunInputs inputs;
  if (!options.inputs.empty()) inputs = load_inputs(options.inputs, program.interface);
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
  const auto found = std::ranges::lower_bound(by_line_, line, {}, &SourceLine::line);
  return found == by_line_.end() ? std::nullopt : std::optional(*found);
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
