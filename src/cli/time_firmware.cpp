#include "cli/time_firmware.h"

#include <algorithm>

#include "cli/firmware_console.h"
#include "cli/input.h"
#include "cli/stream_input.h"
#include "cli/terminal.h"
#include "mobula/afuc.h"
#include "mobula/firmware.h"
#include "mobula/firmware_info.h"

namespace mobula::cli {
namespace {

/// Remembered steps; a core executes some millions a second.
constexpr std::size_t most_steps = std::size_t{1} << 21;

Diagnostics stopped_cores(const std::vector<afuc::CoreReport>& cores, const std::string& file) {
  Diagnostics found;
  for (const afuc::CoreReport& core : cores)
    if (core.halt != afuc::Halt::idle)
      found.push_back({Severity::warning,
                       "AF160",
                       {.file = file},
                       core.name + " stopped: " + core.reason,
                       "what it executed until then is counted; mobula run shows more"});
  return found;
}

/// Where the steps of a core belong.
struct Track {
  std::size_t program = 0;
  std::uint32_t thread = 0;
};

/// One program has all cores; of several each has one, with the program's name.
Track track_of(std::span<const Program> programs, const std::vector<std::string>& names, std::size_t core,
               const std::string& name) {
  if (programs.size() == 1) return {0, static_cast<std::uint32_t>(core)};
  const auto named = std::find(names.begin(), names.end(), name);
  return {named == names.end() ? core : static_cast<std::size_t>(named - names.begin()), 0};
}

}  // namespace

std::vector<ThreadPaths> run_streams(const TimeOptions& options, std::span<const Program> programs) {
  const std::string& file = programs.front().file;
  std::vector<std::uint64_t> offsets;
  std::vector<std::string> names;  // of the first core of each program
  for (const Program& program : programs) {
    offsets.push_back(firmware::layout(program.code).byte_offset);
    const firmware::Info info = value_or_stop(firmware::info(program), program.file);
    names.push_back(info.cores.empty() ? std::string() : info.cores.front().name);
  }

  std::vector<ThreadPaths> paths(programs.size(), ThreadPaths(most_steps));
  std::vector<Track> tracks;  // by core; empty until the streams begin
  afuc::EmulatorOptions wanted;
  wanted.profile = true;
  wanted.on_instruction = [&](std::uint8_t core, std::uint32_t word) {
    if (core >= tracks.size()) return;
    const Track& track = tracks[core];
    paths[track.program].step({&track.thread, 1}, offsets[track.program] + std::uint64_t{word} * 4);
  };
  Console console = switch_on({programs.begin(), programs.end()}, options.feed, std::move(wanted));
  afuc::Emulator& emulator = console.emulator;
  const std::string variant(emulator.chip());
  if (!emulator.boot()) throw Stop{Exit::negative, stopped_cores(emulator.cores(), file)};
  const std::vector<afuc::CoreReport> cores = emulator.cores();
  for (std::size_t i = 0; i < cores.size(); ++i) tracks.push_back(track_of(programs, names, i, cores[i].name));
  for (const std::string& setting : options.memory)
    prepare_memory(emulator, std::vector{load_memory(setting, variant)}, setting);
  for (const std::string& name : options.streams) {
    const pm4::Stream stream = load_stream(name, variant);
    prepare_memory(emulator, stream.memory, name);
    for (const pm4::RegisterValue& each : stream.registers) emulator.write_register(each.number, each.value);
    const bool ok = emulator.run(stream.ring).ok;
    print(stopped_cores(emulator.cores(), name));
    if (!ok) break;
  }
  return paths;
}

}  // namespace mobula::cli
