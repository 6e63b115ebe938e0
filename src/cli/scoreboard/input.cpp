#include "cli/scoreboard/input.h"
#include "cli/choices.h"

#include <algorithm>
#include <array>
#include <limits>

#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/run/input.h"
#include "mobula/lab/load.h"
#include "mobula/scoreboard/reshape.h"
#include "mobula/scoreboard/trace.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

sb::TraceOptions trace_options(const WorkloadOptions& options) {
  constexpr std::array<sb::Predictor, predictor_names.size()> predictors{sb::Predictor::perfect,
                                                                         sb::Predictor::backward};
  sb::TraceOptions trace{.predictor = predictors[chosen_among(predictor_names, "predictor", options.predictor)]};
  if (options.spill_to != 0) trace.most_registers = std::numeric_limits<std::uint32_t>::max();
  return trace;
}

sb::Workload record_thread(const Prepared& prepared, const WorkloadOptions& options, std::uint32_t thread) {
  auto workload = sb::record_thread(prepared.program, prepared.lifted, prepared.inputs, thread, trace_options(options));
  if (!workload && workload.error().front().code == "SB144")
    throw usage_error(workload.error().front().message, "--thread counts from 0; --threads says how many there are");
  return value_or_stop(std::move(workload), prepared.program.file);
}

/// Every thread in a run of its own, so that none sees what another stores.
std::vector<sb::Workload> record_shader(const Prepared& prepared, const WorkloadOptions& options) {
  std::vector<sb::Workload> threads;
  for (std::uint32_t i = 0; i < options.interleave; ++i)
    threads.push_back(record_thread(prepared, options, options.thread + i));
  return threads;
}

/// What a core executes at its boot; if there are streams, what it executes for them.
sb::Workload record_firmware(const std::vector<Program>& images, const WorkloadOptions& options) {
  const firmware::Feed feed = load_feed(images, options.feed, options.streams, options.memory);
  auto workload =
      sb::record_firmware(images, feed, options.thread, emulator_options(options.feed), trace_options(options));
  if (!workload && workload.error().front().code == "AF166")
    throw usage_error(workload.error().front().message,
                      "--thread counts cores from 0, in the order in which mobula run shows them");
  return value_or_stop(std::move(workload), images.front().file);
}

/// The threads fitted into their registers, with quads as one operation, and in turn.
sb::Workload together(std::vector<sb::Workload> threads, const WorkloadOptions& options, const std::string& file) {
  if (options.spill_to != 0)
    for (sb::Workload& thread : threads) thread = value_or_stop(sb::spill(thread, options.spill_to), file).workload;
  if (options.quads)
    for (sb::Workload& thread : threads) thread = sb::gather_quads(thread);
  if (threads.size() == 1) return std::move(threads.front());
  return value_or_stop(sb::interleave(threads), file);
}

}  // namespace

sb::Config load_config(const std::string& preset, const std::string& file) {
  if (file.empty()) return value_or_stop(sb::find_preset(preset), "--preset", Exit::usage);
  const std::vector<std::uint8_t> bytes = read_file(file);
  return value_or_stop(sb::parse_config(file, as_text(bytes)), file, Exit::usage);
}

sb::Hardware hardware_of(const HardwareOptions& options) {
  return {.sources = options.sources, .destinations = options.destinations, .all_columns = options.all_columns};
}

sb::Workload load_workload(const std::string& file, const WorkloadOptions& options) {
  return load_workload(std::span(&file, 1), options);
}

sb::Workload load_workload(std::span<const std::string> files, const WorkloadOptions& options) {
  const std::string& file = files.front();
  const std::string& machine = options.input.machine;
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (bytes.empty())
    throw Stop{Exit::negative, located({{Severity::error, "FM005", {}, "the input is empty", ""}}, file)};
  const bool binary = sb::is_binary_workload(bytes);
  const bool is_named = options.input.container.empty() && file.ends_with(".sb");
  const bool text = machine.empty() && !binary &&
                    (is_named || (format_of(options.input, bytes, file) == ContainerFormat::text &&
                                  machine_of_text(text_of(bytes, file), file).empty()));
  const bool firmware = !binary && !text && is_firmware(options.input, file, bytes);
  if (!firmware && files.size() > 1)
    throw usage_error("only firmware runs from several files",
                      "PFP and ME of an a5xx; mobula scoreboard sweep takes any number of workloads");
  if (binary || text) expect_kind(options.input, Kind::workload);
  std::vector<sb::Workload> threads;
  if (binary)
    threads.assign(options.interleave, value_or_stop(sb::read_workload(file, bytes), file));
  else if (text)
    threads.assign(options.interleave, value_or_stop(sb::parse_workload(file, text_of(bytes, file)), file));
  else if (firmware)
    threads.push_back(record_firmware(load_images(files, bytes, options.input), options));
  else
    threads = record_shader(prepare(options.input, options.feed, file, bytes), options);
  return together(std::move(threads), options, file);
}

void set_widths(const std::vector<std::uint32_t>& weights, sb::Mix& mix) {
  if (weights.empty()) return;
  if (weights.size() != mix.widths.size() || std::ranges::count(weights, 0u) == 4)
    throw usage_error("--widths takes four weights that are not all 0", "--widths 10 10 70 10 for 1, 2, 4 and 8 bytes");
  std::ranges::copy(weights, mix.widths.begin());
}

}  // namespace mobula::cli
