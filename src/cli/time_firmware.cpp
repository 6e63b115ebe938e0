#include "cli/time_firmware.h"

#include "cli/firmware_console.h"
#include "cli/input.h"
#include "cli/terminal.h"

namespace mobula::cli {

TimedStreams run_streams(const TimeOptions& options, std::span<const Program> programs, TimingParameters costs,
                         TimelineSink* timeline) {
  const std::string& file = programs.front().file;
  auto recorder = value_or_stop(firmware::PathRecorder::create(programs), file);
  auto joint = value_or_stop(firmware::JointTiming::create(programs, timeline, options.max_cycles), file);
  firmware::EmulatorOptions wanted;
  wanted.costs = std::move(costs);
  wanted.on_instruction = [&](const firmware::Executed& done) {
    recorder.step(done.core, done.word);
    joint.step(done);
  };
  wanted.on_wait = [&](const firmware::Waiting& waiting) { joint.wait(waiting); };
  const auto emulator = switch_on(programs, options.feed, std::move(wanted));
  if (!emulator->boot()) throw Stop{Exit::negative, located(firmware::stops(emulator->cores()), file)};
  const std::vector<firmware::CoreReport> booted = emulator->cores();
  recorder.begin(booted);
  joint.begin(booted);
  prepare_memory(*emulator, options.memory);
  for (const std::vector<Wanted>& streams : rounds(options.streams, booted)) {
    const firmware::Round round = process(*emulator, streams);
    print(located(firmware::stops(round.cores), streams.front().file));
    if (!round.report.ok) break;
  }
  joint.end();
  return {recorder.take(), std::move(joint)};
}

}  // namespace mobula::cli
