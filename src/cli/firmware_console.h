// Firmware that has been switched on, and what it is given: for `run`, `time` and the scoreboard's recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mobula/afuc.h"
#include "mobula/pm4.h"
#include "mobula/program.h"

namespace mobula::cli {

/// The words of an image from its word 0.
std::vector<std::uint32_t> words_of(const Program& image);

/// What runs, and the images it was made of.
struct Console {
  std::vector<Program> images;
  afuc::Emulator emulator;
};

/// Chip, policies and limit of steps are those of the first image and of `feed`.
Console switch_on(std::vector<Program> images, const FeedOptions& feed, afuc::EmulatorOptions wanted);

void prepare_memory(afuc::Emulator& emulator, std::span<const pm4::Buffer> buffers, const std::string& file);

/// A stream that is wanted: for the first core, unless the option names one.
struct Wanted {
  std::size_t core = 0;
  std::string file;
};

/// Streams of different cores, which ran at the same time, and what became of them.
struct Processed {
  std::vector<Wanted> streams;
  afuc::RunReport report;
  std::vector<afuc::CoreReport> cores;
};

/// Streams that follow each other run at the same time while each is for another core.
std::vector<std::vector<Wanted>> rounds(const std::vector<std::string>& options,
                                        const std::vector<afuc::CoreReport>& cores);
Processed process(afuc::Emulator& emulator, std::vector<Wanted> streams);

/// What went wrong: AF160 to AF164.
Diagnostics complaints(const std::vector<afuc::CoreReport>& cores, const std::string& file);
Diagnostics complaints(const Processed& done);

}  // namespace mobula::cli
