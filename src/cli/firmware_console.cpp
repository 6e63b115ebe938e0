#include "cli/firmware_console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/input.h"
#include "cli/stream_input.h"
#include "mobula/lab/laboratory.h"

namespace mobula::cli {
namespace {

/// Of "bv=FILE". A name before the sign that is not a core's is part of the file's name.
Wanted parse_stream(const std::string& option, const std::vector<firmware::CoreReport>& cores) {
  const std::size_t sign = option.find('=');
  if (sign == std::string::npos) return {0, option};
  std::string name = option.substr(0, sign);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  for (std::size_t i = 0; i < cores.size(); ++i)
    if (cores[i].name == name) return {i, option.substr(sign + 1)};
  std::vector<std::string> names;
  names.reserve(cores.size());
  for (const firmware::CoreReport& core : cores) names.push_back(core.name);
  if (name.find_first_of("./") == std::string::npos)
    throw usage_error("--stream " + option + " does not name a core of this firmware",
                      fmt::format("it has {}; ./{} is a file of that name", fmt::join(names, ", "), option));
  return {0, option};
}

}  // namespace

bool is_firmware_machine(const std::string& machine) {
  return has_ability(std::string_view(machine).substr(0, machine.find(':')), Ability::firmware);
}

std::vector<Program> load_images(std::span<const std::string> files, const std::vector<std::uint8_t>& bytes,
                                 InputOptions input) {
  if (input.machine.empty()) input.machine = machines_with(Ability::firmware).front();
  input.side_file = "none";
  std::vector<Program> images;
  for (const std::string& file : files)
    images.push_back(images.empty() ? load_program(input, file, bytes) : load_program(input, file));
  return images;
}

std::unique_ptr<firmware::Emulator> switch_on(std::span<const Program> images, const FeedOptions& feed,
                                              firmware::EmulatorOptions wanted) {
  wanted.policies = parse_policies(feed.policies);
  if (feed.step_limit) wanted.packet_instructions = *feed.step_limit;
  return value_or_stop(firmware::switch_on(images, std::move(wanted)), images.front().file, Exit::usage);
}

void prepare_memory(firmware::Emulator& emulator, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const pm4::Buffer buffer = load_memory(setting, emulator.chip());
    if (auto written = emulator.write_memory(buffer.address, buffer.words); !written)
      throw Stop{Exit::negative, located(std::move(written).error(), setting)};
  }
}

std::vector<std::vector<Wanted>> rounds(const std::vector<std::string>& options,
                                        const std::vector<firmware::CoreReport>& cores) {
  std::vector<std::vector<Wanted>> all;
  for (const std::string& option : options) {
    Wanted wanted = parse_stream(option, cores);
    if (const firmware::CoreReport& core = cores[wanted.core]; !core.fed_by.empty())
      throw usage_error(fmt::format("the {} gets its packets from the {}", core.name, core.fed_by),
                        fmt::format("give the stream to the {}, or run the {} alone", core.fed_by, core.name));
    const bool begins = all.empty() || std::any_of(all.back().begin(), all.back().end(),
                                                   [&](const Wanted& other) { return other.core == wanted.core; });
    if (begins) all.emplace_back();
    all.back().push_back(std::move(wanted));
  }
  return all;
}

firmware::Round process(firmware::Emulator& emulator, const std::vector<Wanted>& streams) {
  std::vector<firmware::StreamInput> inputs;
  inputs.reserve(streams.size());
  for (const Wanted& each : streams) inputs.push_back({each.core, each.file, load_stream(each.file, emulator.chip())});
  return value_or_stop(firmware::process(emulator, inputs), streams.front().file);
}

}  // namespace mobula::cli
