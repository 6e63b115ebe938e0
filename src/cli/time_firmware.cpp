#include "cli/time_firmware.h"

#include "cli/firmware_console.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::cli {

std::vector<ThreadPaths> run_streams(const TimeOptions& options, std::span<const Program> programs) {
  const std::string& file = programs.front().file;
  auto recorder = value_or_stop(firmware::PathRecorder::create(programs), file);
  firmware::EmulatorOptions wanted;
  wanted.profile = true;
  wanted.on_instruction = [&](const firmware::Executed& done) { recorder.step(done.core, done.word); };
  const auto emulator = switch_on(programs, options.feed, std::move(wanted));
  if (!emulator->boot()) throw Stop{Exit::negative, located(firmware::stops(emulator->cores()), file)};
  recorder.begin(emulator->cores());
  prepare_memory(*emulator, options.memory);
  for (const std::string& name : options.streams) {
    const firmware::Round round = process(*emulator, {{0, name}});
    print(located(firmware::stops(round.cores), name));
    if (!round.report.ok) break;
  }
  return recorder.take();
}

}  // namespace mobula::cli
