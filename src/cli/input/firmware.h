// Images of firmware, and the streams and memory that options name for it: for `run`, `time`, `debug` and the
// scoreboard's recorder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::cli {

/// Whether a file that has been read is firmware that can be executed: as --machine says, as its content says, or, of
/// assembly, as the text or its name says.
bool is_firmware(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes);

/// The images of what runs together; `bytes` are those of the first file.
std::vector<Program> load_images(std::span<const std::string> files, const std::vector<std::uint8_t>& bytes,
                                 InputOptions input);

/// Policies and limit of steps of `feed`, for an emulator.
firmware::EmulatorOptions emulator_options(const FeedOptions& feed);

/// Streams and memory of "CORE=FILE" and "ADDRESS=FILE" options. Which cores there are is known when the images have
/// booted; nothing is read for those that do not.
firmware::Feed load_feed(std::span<const Program> images, const FeedOptions& feed,
                         const std::vector<std::string>& streams, const std::vector<std::string>& memory);

}  // namespace mobula::cli
