#include "servers/dap/debuggee.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mobula/isa/machine.h"
#include "mobula/lab/laboratory.h"
#include "mobula/lab/load.h"
#include "mobula/scoreboard/scoreboard.h"
#include "servers/dap/firmware.h"
#include "servers/dap/references.h"
#include "servers/dap/scoreboard.h"
#include "servers/dap/shader.h"
#include "servers/file_uri.h"

namespace mobula::servers::dap {
namespace {

constexpr int listing_reference = 1;  // of the Source

std::string absolute(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(file, failed).lexically_normal();
  return failed ? file : path.string();
}

bool is_workload(const LaunchOptions& options, std::span<const std::uint8_t> bytes) {
  if (scoreboard::is_binary_workload(bytes)) return true;
  return options.machine.empty() && (options.program.ends_with(".sb") || options.program.ends_with(".sbb"));
}

Program load(const LaunchOptions& options, std::span<const std::uint8_t> bytes, const Compile& compile) {
  if (compile)
    if (auto program = value_or_refusal(compile(options.program, bytes, options.machine))) return std::move(*program);
  if (options.side.empty()) return value_or_refusal(load_program_file(options.program, options.machine));
  LoadOptions load{.machine = options.machine};
  if (options.side != "none") {
    const std::vector<std::uint8_t> side = bytes_of(options.side);
    load.side = value_or_refusal(read_side_file({options.side, as_text(side)}));
  }
  return value_or_refusal(load_program(bytes, options.program, load));
}

std::optional<std::uint32_t> count_in(const Arguments& arguments, std::string_view name, std::int64_t least) {
  const std::int64_t value = arguments.integer_or(name, -1);
  if (value == -1) return {};
  if (value < least || value > std::numeric_limits<std::uint32_t>::max())
    throw Refusal{fmt::format("\"{}\" must be a number from {}", name, least)};
  return static_cast<std::uint32_t>(value);
}

}  // namespace

/// A pipe or a terminal may never end, and nothing else would be heard until it does.
std::vector<std::uint8_t> bytes_of(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(file, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Refusal{fmt::format("{} is not a regular file (pipes and folders are not read here)", file)};
  return value_or_refusal(load_bytes(file));
}

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
  options.preset = arguments.text_or("preset", {});
  options.config = arguments.text_or("config", {});
  const Arguments policies = arguments.object("policies");
  for (const auto& [name, value] : policies.json().items()) options.policies[name] = policies.text(name);
  for (const Arguments& each : arguments.list("images")) options.images.push_back(each.text("file"));
  for (const Arguments& each : arguments.list("streams"))
    options.streams.push_back({each.text_or("core", {}), each.text("file")});
  for (const Arguments& each : arguments.list("memory"))
    options.memory.push_back({address_in(each.text("address")), each.text("file")});
  return options;
}

std::unique_ptr<Debuggee> Debuggee::launch(const LaunchOptions& options, const Compile& compile) {
  const std::vector<std::uint8_t> bytes = bytes_of(options.program);
  if (is_workload(options, bytes)) return ScoreboardDebuggee::launch(bytes, options);
  if (!options.preset.empty() || !options.config.empty())
    throw Refusal{"\"preset\" and \"config\" are for workloads (mobula scoreboard record makes one of a run)"};
  Program program = load(options, bytes, compile);
  if (has_ability(program.machine, Ability::firmware)) return FirmwareDebuggee::launch(std::move(program), options);
  if (!options.streams.empty() || !options.memory.empty() || !options.images.empty())
    throw Refusal{"\"streams\", \"memory\" and \"images\" are for firmware"};
  return ShaderDebuggee::launch(std::move(program), options);
}

// ---- text

void Debuggee::show_text(std::string text, std::vector<SourceLine> lines, bool is_listing) {
  text_ = std::move(text);
  lines_ = std::move(lines);
  by_line_ = lines_;
  std::ranges::stable_sort(by_line_, {}, &SourceLine::line);
  is_listing_ = is_listing;
}

Json Debuggee::source() const {
  const std::string name = std::filesystem::path(file_).filename().string();
  if (!is_listing_)
    return {{"name", name}, {"path", names_files_by_uri_ ? file_uri(absolute(file_)) : absolute(file_)}};
  return {{"name", name + " (listing)"}, {"sourceReference", listing_reference}, {"origin", "disassembly"}};
}

bool Debuggee::is_source(const Arguments& source) const {
  if (source.integer_or("sourceReference", 0) != 0)
    return is_listing_ && source.integer_or("sourceReference", 0) == listing_reference;
  std::string path = source.text_or("path", {});
  if (names_files_by_uri_) path = path_of_uri(path).value_or(std::string());
  return !path.empty() && absolute(path) == absolute(file_);
}

std::optional<std::uint32_t> Debuggee::line_of(std::uint64_t place) const {
  const auto found = std::ranges::lower_bound(lines_, place, {}, &SourceLine::byte_offset);
  if (found == lines_.end() || found->byte_offset != place) return {};
  return found->line;
}

std::optional<SourceLine> Debuggee::word_from(std::uint32_t line) const {
  const auto found = std::ranges::lower_bound(by_line_, line, {}, &SourceLine::line);
  return found == by_line_.end() ? std::nullopt : std::optional(*found);
}

}  // namespace mobula::servers::dap
