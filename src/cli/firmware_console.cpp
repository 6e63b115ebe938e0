#include "cli/firmware_console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/input.h"
#include "cli/stream_input.h"
#include "cli/terminal.h"
#include "mobula/firmware.h"

namespace mobula::cli {

using afuc::Emulator;
using afuc::Halt;

namespace {

/// Of "bv=FILE". A name in front of the sign that is no core's belongs to the file.
Wanted parse_stream(const std::string& option, const std::vector<afuc::CoreReport>& cores) {
  const std::size_t sign = option.find('=');
  if (sign == std::string::npos) return {0, option};
  std::string name = option.substr(0, sign);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  for (std::size_t i = 0; i < cores.size(); ++i)
    if (cores[i].name == name) return {i, option.substr(sign + 1)};
  std::vector<std::string> names;
  names.reserve(cores.size());
  for (const afuc::CoreReport& core : cores) names.push_back(core.name);
  if (name.find_first_of("./") == std::string::npos)
    throw usage_error("--stream " + option + " names no core of this firmware",
                      fmt::format("it has {}; ./{} is a file of that name", fmt::join(names, ", "), option));
  return {0, option};
}

}  // namespace

std::vector<std::uint32_t> words_of(const Program& image) {
  const firmware::Layout layout = firmware::layout(image.code);
  const auto from_word0 = std::span(image.code).subspan(layout.byte_offset);
  std::vector<std::uint32_t> words(layout.words);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = firmware::load_word(from_word0, i);
  return words;
}

Console switch_on(std::vector<Program> images, const FeedOptions& feed, afuc::EmulatorOptions wanted) {
  std::vector<std::vector<std::uint32_t>> words;
  words.reserve(images.size());
  for (const Program& image : images) words.push_back(words_of(image));
  wanted.chip = images.front().variant;
  wanted.policies = parse_policies(feed.policies);
  if (feed.step_limit) wanted.packet_instructions = *feed.step_limit;
  Emulator emulator =
      value_or_stop(Emulator::create(std::move(words), std::move(wanted)), images.front().file, Exit::usage);
  return {std::move(images), std::move(emulator)};
}

std::vector<std::vector<Wanted>> rounds(const std::vector<std::string>& options,
                                        const std::vector<afuc::CoreReport>& cores) {
  std::vector<std::vector<Wanted>> all;
  for (const std::string& option : options) {
    Wanted wanted = parse_stream(option, cores);
    if (cores[wanted.core].name == "ME" && cores.size() > 1)
      throw usage_error("the ME gets its packets from the PFP", "give the stream to the PFP, or run the ME alone");
    const bool begins = all.empty() || std::any_of(all.back().begin(), all.back().end(),
                                                   [&](const Wanted& other) { return other.core == wanted.core; });
    if (begins) all.emplace_back();
    all.back().push_back(std::move(wanted));
  }
  return all;
}

void prepare_memory(Emulator& emulator, std::span<const pm4::Buffer> buffers, const std::string& file) {
  for (const pm4::Buffer& buffer : buffers)
    if (auto written = emulator.write_memory(buffer.address, buffer.words); !written)
      throw Stop{Exit::negative, located(std::move(written).error(), file)};
}

Processed process(Emulator& emulator, std::vector<Wanted> streams) {
  std::vector<pm4::Stream> read;
  for (const Wanted& each : streams) {
    read.push_back(load_stream(each.file, emulator.chip()));
    prepare_memory(emulator, read.back().memory, each.file);
    for (const pm4::RegisterValue& value : read.back().registers) emulator.write_register(value.number, value.value);
  }
  std::vector<afuc::CoreStream> rings;
  for (std::size_t i = 0; i < streams.size(); ++i) rings.push_back({streams[i].core, read[i].ring});
  Processed done{std::move(streams), emulator.run(rings), {}};
  done.cores = emulator.cores();
  return done;
}

Diagnostics complaints(const std::vector<afuc::CoreReport>& cores, const std::string& file) {
  Diagnostics found;
  for (const afuc::CoreReport& core : cores) {
    if (core.halt == Halt::idle) continue;
    const std::string reason = core.reason.empty() ? "used up the instructions of the whole run" : core.reason;
    const bool limited = core.halt != Halt::fault && core.halt != Halt::endless;
    found.push_back({Severity::error,
                     core.halt == Halt::fault     ? "AF160"
                     : core.halt == Halt::endless ? "AF164"
                                                  : "AF161",
                     {},
                     fmt::format("{} at word {:#x}: {}", core.name, core.pc, reason),
                     limited ? "--step-limit allows more instructions between packets" : ""});
  }
  return located(std::move(found), file);
}

Diagnostics complaints(const Processed& done) {
  const std::string& file = done.streams.front().file;
  Diagnostics found = complaints(done.cores, file);
  for (const Wanted& each : done.streams)
    if (const std::size_t left = done.cores[each.core].unread_words; left != 0)
      found.push_back({Severity::error,
                       "AF162",
                       {.file = each.file},
                       fmt::format("{} words of the stream were not read", left),
                       {}});
  if (done.report.dropped_events != 0)
    found.push_back({Severity::warning,
                     "AF163",
                     {.file = file},
                     fmt::format("{} events were left out", done.report.dropped_events),
                     {}});
  return found;
}

}  // namespace mobula::cli
