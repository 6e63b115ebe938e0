#include "mobula/lab/firmware_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
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

Diagnostics placed(Diagnostics found, const std::string& file) {
  for (Diagnostic& each : found)
    if (each.where.file.empty()) each.where.file = file;
  return found;
}
Unexpected located(Diagnostics errors, const std::string& file) { return fail(placed(std::move(errors), file)); }

Result<void> write_all(Emulator& emulator, std::span<const pm4::Buffer> memory) {
  for (const pm4::Buffer& buffer : memory)
    if (auto written = emulator.write_memory(buffer.address, buffer.words); !written) return written;
  return {};
}

}  // namespace

Result<Round> process(Emulator& emulator, std::span<const StreamInput> streams) {
  Round round;
  std::vector<CoreStream> rings;
  for (const StreamInput& input : streams) {
    if (auto written = write_all(emulator, input.stream.memory); !written)
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

Result<std::vector<std::vector<StreamInput>>> in_rounds(std::vector<StreamInput> streams,
                                                        std::span<const CoreReport> cores) {
  std::vector<std::vector<StreamInput>> rounds;
  for (StreamInput& stream : streams) {
    if (stream.core >= cores.size())
      return fail("AF166", fmt::format("there is no core {}; the firmware has {}", stream.core, cores.size()));
    if (const CoreReport& core = cores[stream.core]; !core.fed_by.empty())
      return fail("AF166", fmt::format("the {} gets its packets from the {}", core.name, core.fed_by),
                  fmt::format("give the stream to the {}, or run the {} alone", core.fed_by, core.name));
    const bool begins = rounds.empty() || std::any_of(rounds.back().begin(), rounds.back().end(),
                                                      [&](const auto& other) { return other.core == stream.core; });
    if (begins) rounds.emplace_back();
    rounds.back().push_back(std::move(stream));
  }
  return rounds;
}

Diagnostics complaints(std::span<const CoreReport> cores) {
  Diagnostics found;
  for (const CoreReport& core : cores) {
    if (!core.awaits.empty())
      found.push_back({Severity::warning,
                       "AF168",
                       {},
                       fmt::format("{} at word {:#x}: {}", core.name, core.pc, core.awaits),
                       "it goes on with the words of the next stream, if there is one"});
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
      found.push_back({Severity::error,
                       std::string(complaint_code(core.halt)),
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
                       counted(left, "word of the stream was", "words of the stream were") + " not read",
                       {}});
  if (round.report.dropped_events != 0)
    found.push_back({Severity::warning,
                     "AF163",
                     {.file = round.sources.empty() ? std::string() : round.sources.front().file},
                     counted(round.report.dropped_events, "event was", "events were") + " left out",
                     {}});
  return found;
}

Result<FirmwareRun> run(std::span<const Program> images, const Feed& feed, RunOptions options) {
  FirmwareRun done;
  if (options.trace) {
    done.tracer = std::make_shared<Tracer>(options.traced_core);
    options.emulator.on_instruction = [tracer = done.tracer](const Executed& executed) { tracer->step(executed); };
  }
  auto emulator = switch_on(images, std::move(options.emulator));
  if (!emulator) return fail(std::move(emulator).error());
  done.emulator = std::move(*emulator);
  if (done.tracer && feed.rounds.empty()) done.tracer->begin(*done.emulator);
  done.emulator->boot();
  done.boot = done.emulator->report();
  done.booted = done.emulator->cores();
  if (done.tracer && feed.rounds.empty()) done.traces.push_back(done.tracer->take());
  const std::string& file = images.front().file;
  done.diagnostics = placed(complaints(done.booted), file);
  if (!has_errors(done.diagnostics)) {
    if (auto written = write_all(*done.emulator, feed.memory); !written) return fail(std::move(written).error());
    for (const std::vector<StreamInput>& streams : feed.rounds) {
      if (done.tracer) done.tracer->begin(*done.emulator);
      auto round = process(*done.emulator, streams);
      if (!round) return fail(std::move(round).error());
      done.rounds.push_back(std::move(*round));
      if (done.tracer) done.traces.push_back(done.tracer->take());
      const Diagnostics more = placed(complaints(done.rounds.back()), streams.front().file);
      done.diagnostics.insert(done.diagnostics.end(), more.begin(), more.end());
      if (!done.rounds.back().report.ok) break;
    }
  }
  if (done.tracer && done.tracer->left_out() != 0)
    done.diagnostics.push_back(
        {Severity::warning,
         "AF163",
         {.file = file},
         counted(done.tracer->left_out(), "instruction was", "instructions were") + " left out of the trace",
         {}});
  return done;
}

Result<TimedStreams> time_streams(std::span<const Program> images, const Feed& feed, EmulatorOptions options,
                                  TimelineSink* timeline, std::uint64_t max_cycles) {
  auto recorder = PathRecorder::create(images);
  if (!recorder) return fail(std::move(recorder).error());
  auto joint = JointTiming::create(images, timeline, max_cycles);
  if (!joint) return fail(std::move(joint).error());
  options.on_instruction = [&](const Executed& executed) {
    recorder->step(executed.core, executed.word);
    joint->step(executed);
  };
  options.on_wait = [&](const Waiting& waiting) { joint->wait(waiting); };
  const auto emulator = switch_on(images, std::move(options));
  if (!emulator) return fail(emulator.error());
  if (!(*emulator)->boot()) return located(stops((*emulator)->cores()), images.front().file);
  const std::vector<CoreReport> booted = (*emulator)->cores();
  recorder->begin(booted);
  joint->begin(booted);
  if (auto written = write_all(**emulator, feed.memory); !written) return fail(std::move(written).error());
  Diagnostics found;
  for (const std::vector<StreamInput>& streams : feed.rounds) {
    const auto round = process(**emulator, streams);
    if (!round) return fail(round.error());
    const Diagnostics more = placed(stops(round->cores), streams.front().file);
    found.insert(found.end(), more.begin(), more.end());
    if (!round->report.ok) break;
  }
  joint->end();
  return TimedStreams{recorder->take(), std::move(*joint), std::move(found)};
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
