#include "cli/input/firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/input/stream_input.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/laboratory.h"
#include "mobula/lab/load.h"

namespace mobula::cli {
namespace {

/// Of "bv=FILE". A name before the sign that is not a core's is part of the file's name.
struct Wanted {
  std::size_t core = 0;
  std::string file;
};
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

bool is_firmware(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes) {
  const auto runs_firmware = [](std::string_view machine) {
    return has_ability(machine.substr(0, machine.find(':')), Ability::firmware);
  };
  if (!options.machine.empty()) return runs_firmware(options.machine) && !is_shader(options, file, bytes);
  const ContainerFormat format = format_of(options, bytes, file);
  if (format == ContainerFormat::text) return runs_firmware(machine_of_text(as_text(bytes), file));
  if (format != ContainerFormat::hex && format != ContainerFormat::foreign)
    return format == ContainerFormat::fw || format == ContainerFormat::elf;
  // A dump or an archive may hold it. What is wrong with that is said by what loads it.
  auto images = read_programs(bytes, format, file);
  if (!images) return false;
  const auto image = select_image(std::move(*images), chosen_stage(options.stage), options.index, file);
  return image && runs_firmware(image->machine);
}

std::vector<Program> load_images(std::span<const std::string> files, const std::vector<std::uint8_t>& bytes,
                                 InputOptions input) {
  if (!input.side_file.empty() && input.side_file != "none")
    throw usage_error("--side is for programs of shader cores", "firmware says itself what it is");
  if (!input.stage.empty())
    throw usage_error("--stage is for programs of shader cores", "--index chooses among the images of a file");
  if (input.machine.empty()) input.machine = machines_with(Ability::firmware).front();
  input.side_file = "none";
  std::vector<Program> images;
  for (const std::string& file : files)
    images.push_back(images.empty() ? load_program(input, file, bytes) : load_program(input, file));
  return images;
}

firmware::EmulatorOptions emulator_options(const FeedOptions& feed) {
  firmware::EmulatorOptions wanted;
  wanted.policies = parse_policies(feed.policies);
  if (feed.step_limit) wanted.packet_instructions = *feed.step_limit;
  return wanted;
}

firmware::Feed load_feed(std::span<const Program> images, const FeedOptions& feed,
                         const std::vector<std::string>& streams, const std::vector<std::string>& memory) {
  const auto emulator =
      value_or_stop(firmware::switch_on(images, emulator_options(feed)), images.front().file, Exit::usage);
  if (!emulator->boot()) return {};
  const std::vector<firmware::CoreReport> cores = emulator->cores();
  firmware::Feed loaded;
  loaded.memory = load_memory(memory, emulator->chip());
  std::vector<firmware::StreamInput> inputs;
  for (const std::string& option : streams) {
    const Wanted wanted = parse_stream(option, cores);
    const std::string name = wanted.file == "-" ? "standard input" : wanted.file;
    std::vector<pm4::Stream> read = load_streams(wanted.file, emulator->chip());
    for (std::size_t i = 0; i < read.size(); ++i)
      inputs.push_back(
          {wanted.core, read.size() == 1 ? name : fmt::format("{}, submit {}", name, i), std::move(read[i])});
  }
  loaded.rounds = value_or_usage_error(firmware::in_rounds(std::move(inputs), cores));
  return loaded;
}

}  // namespace mobula::cli
