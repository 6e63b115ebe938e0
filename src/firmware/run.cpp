#include "mobula/lab/firmware_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "firmware/images.h"

namespace mobula::firmware {
namespace {

/// Remembered steps; a core executes some millions a second.
constexpr std::size_t most_steps = std::size_t{1} << 21;

std::string_view complaint_code(Halt halt) {
  switch (halt) {
    case Halt::fault:
      return "AF160";
    case Halt::endless:
      return "AF164";
    case Halt::idle:
    case Halt::stuck:
    case Halt::running:
    case Halt::off:
      break;
  }
  return "AF161";
}

Unexpected located(Diagnostics errors, const std::string& file) {
  for (Diagnostic& error : errors) error.where.file = file;
  return fail(std::move(errors));
}

}  // namespace

Result<Round> process(Emulator& emulator, std::span<const StreamInput> streams) {
  Round round;
  std::vector<CoreStream> rings;
  for (const StreamInput& input : streams) {
    for (const pm4::Buffer& buffer : input.stream.memory)
      if (auto written = emulator.write_memory(buffer.address, buffer.words); !written)
        return located(std::move(written).error(), input.file);
    for (const pm4::RegisterValue& value : input.stream.registers) emulator.write_register(value.number, value.value);
    rings.push_back({input.core, input.stream.ring});
    round.sources.push_back({input.core, input.file});
  }
  auto report = emulator.run(rings);
  if (!report) return fail(std::move(report).error());
  round.report = std::move(*report);
  round.cores = emulator.cores();
  return round;
}

Diagnostics complaints(std::span<const CoreReport> cores) {
  Diagnostics found;
  for (const CoreReport& core : cores) {
    if (core.halt == Halt::idle) continue;
    const std::string reason = core.reason.empty() ? "used up the instructions of the whole run" : core.reason;
    const bool limited = core.halt != Halt::fault && core.halt != Halt::endless;
    found.push_back({Severity::error,
                     std::string(complaint_code(core.halt)),
                     {},
                     fmt::format("{} at word {:#x}: {}", core.name, core.pc, reason),
                     limited ? "--step-limit allows more instructions between packets" : core.hint});
  }
  return found;
}

Diagnostics stops(std::span<const CoreReport> cores) {
  Diagnostics found;
  for (const CoreReport& core : cores)
    if (core.halt != Halt::idle)
      found.push_back({Severity::warning,
                       "AF160",
                       {},
                       core.name + " stopped: " + core.reason,
                       "what it executed until then is counted; mobula run shows more"});
  return found;
}

Diagnostics complaints(const Round& round) {
  Diagnostics found = complaints(round.cores);
  for (const Round::Source& source : round.sources)
    if (const std::size_t left = round.cores[source.core].unread_words; left != 0)
      found.push_back({Severity::error,
                       "AF162",
                       {.file = source.file},
                       fmt::format("{} words of the stream were not read", left),
                       {}});
  if (round.report.dropped_events != 0)
    found.push_back({Severity::warning,
                     "AF163",
                     {.file = round.sources.empty() ? std::string() : round.sources.front().file},
                     fmt::format("{} events were left out", round.report.dropped_events),
                     {}});
  return found;
}

Result<PathRecorder> PathRecorder::create(std::span<const Program> programs) {
  auto images = Images::create(programs);
  if (!images) return fail(std::move(images).error());
  PathRecorder recorder;
  recorder.offsets_ = std::move(images->offsets);
  recorder.names_ = std::move(images->names);
  recorder.paths_.resize(programs.size(), ThreadPaths(most_steps));
  return recorder;
}

void PathRecorder::begin(std::span<const CoreReport> cores) {
  tracks_.clear();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::size_t program = Images{offsets_, names_}.image_of(i, cores[i].name);
    tracks_.push_back({program, paths_.size() == 1 ? static_cast<std::uint32_t>(i) : 0});
  }
}

void PathRecorder::step(std::uint8_t core, std::uint32_t word) {
  if (core >= tracks_.size() || tracks_[core].program >= paths_.size()) return;
  const Track& track = tracks_[core];
  paths_[track.program].step({&track.thread, 1}, offsets_[track.program] + std::uint64_t{word} * 4);
}

}  // namespace mobula::firmware
