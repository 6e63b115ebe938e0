#include "cli/time_firmware.h"

#include "cli/input.h"
#include "cli/stream_input.h"
#include "cli/terminal.h"
#include "mobula/afuc.h"
#include "mobula/firmware.h"

namespace mobula::cli {
namespace {

/// Remembered steps; a core executes some millions a second.
constexpr std::size_t most_steps = std::size_t{1} << 21;

void put_memory(afuc::Emulator& emulator, std::span<const pm4::Buffer> buffers, const std::string& file) {
  for (const pm4::Buffer& buffer : buffers)
    if (auto written = emulator.write_memory(buffer.address, buffer.words); !written)
      throw Stop{Exit::negative, located(std::move(written).error(), file)};
}

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

}  // namespace

ThreadPaths run_streams(const TimeOptions& options, const Program& program) {
  const firmware::Layout layout = firmware::layout(program.code);
  const auto bytes = std::span(program.code).subspan(layout.byte_offset);
  std::vector<std::uint32_t> words(layout.words);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = firmware::load_word(bytes, i);

  ThreadPaths paths(most_steps);
  bool counts = false;
  afuc::EmulatorOptions wanted;
  wanted.chip = program.variant;
  wanted.policies = parse_policies(options.feed.policies);
  wanted.profile = true;
  wanted.on_instruction = [&](std::uint8_t core, std::uint32_t word) {
    const std::uint32_t thread = core;
    if (counts) paths.step({&thread, 1}, layout.byte_offset + std::uint64_t{word} * 4);
  };
  if (options.feed.step_limit) wanted.packet_instructions = *options.feed.step_limit;
  afuc::Emulator emulator =
      value_or_stop(afuc::Emulator::create({std::move(words)}, std::move(wanted)), program.file, Exit::usage);
  const std::string variant(emulator.chip());
  if (!emulator.boot()) throw Stop{Exit::negative, stopped_cores(emulator.cores(), program.file)};
  counts = true;
  for (const std::string& setting : options.memory)
    put_memory(emulator, std::vector{load_memory(setting, variant)}, setting);
  for (const std::string& file : options.streams) {
    const pm4::Stream stream = load_stream(file, variant);
    put_memory(emulator, stream.memory, file);
    for (const pm4::RegisterValue& each : stream.registers) emulator.write_register(each.number, each.value);
    const bool ok = emulator.run(stream.ring).ok;
    print(stopped_cores(emulator.cores(), file));
    if (!ok) break;
  }
  return paths;
}

}  // namespace mobula::cli
