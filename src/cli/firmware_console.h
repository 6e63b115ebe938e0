// Firmware that is switched on, and the streams and memory that options name for it: for `run`, `time` and the
// scoreboard's recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::cli {

/// Of --machine: its programs are firmware that can be executed.
bool is_firmware_machine(const std::string& machine);

/// The images of what runs together; `bytes` are those of the first file.
std::vector<Program> load_images(std::span<const std::string> files, const std::vector<std::uint8_t>& bytes,
                                 InputOptions input);

/// Policies and limit of steps are those of `feed`.
std::unique_ptr<firmware::Emulator> switch_on(std::span<const Program> images, const FeedOptions& feed,
                                              firmware::EmulatorOptions wanted);

/// Of "ADDRESS=FILE" options.
void prepare_memory(firmware::Emulator& emulator, const std::vector<std::string>& settings);

/// A stream that is wanted: for the first core, unless the option names one.
struct Wanted {
  std::size_t core = 0;
  std::string file;
};
/// Streams that follow each other run at the same time while each is for another core.
std::vector<std::vector<Wanted>> rounds(const std::vector<std::string>& options,
                                        const std::vector<firmware::CoreReport>& cores);
firmware::Round process(firmware::Emulator& emulator, const std::vector<Wanted>& streams);

}  // namespace mobula::cli
