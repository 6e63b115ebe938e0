#include "cli/profile_firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "mobula/firmware_info.h"

namespace mobula::cli {
namespace {

using afuc::ProfileRow;
using afuc::Spent;
using Key = std::pair<std::string, std::string>;

/// Lines that the text shows; JSON has all.
constexpr std::size_t most_lines = 40;

bool is_function(const std::string& name) { return name.starts_with("fxn"); }

std::string joined(const std::vector<std::string>& stack) { return fmt::format("{}", fmt::join(stack, ";")); }

std::vector<Profile::Packet> packets_of(const afuc::Emulator& emulator, const std::vector<ProfileRow>& rows,
                                        std::span<const afuc::RunReport* const> reports) {
  const std::vector<afuc::CoreReport> cores = emulator.cores();
  std::map<Key, Profile::Packet> packets;
  for (const ProfileRow& row : rows)
    if (row.stack.size() > 1 && !is_function(row.stack[1])) packets[{row.stack[0], row.stack[1]}].spent += row.spent;
  for (const afuc::RunReport* report : reports)
    for (const afuc::PacketRun& run : report->packets)
      ++packets[{cores[run.core].name, emulator.packet_name(run.entry)}].runs;
  std::vector<Profile::Packet> all;
  for (auto& [key, packet] : packets) {
    packet.core = key.first;
    packet.name = key.second;
    all.push_back(std::move(packet));
  }
  return all;
}

std::vector<Profile::Function> functions_of(const std::vector<ProfileRow>& rows) {
  std::map<Key, Profile::Function> functions;
  for (const ProfileRow& row : rows) {
    const std::set<std::string> names(row.stack.begin() + 1, row.stack.end());
    for (const std::string& name : names)
      if (is_function(name)) functions[{row.stack[0], name}].total += row.spent;
    if (row.stack.size() > 1 && is_function(row.stack.back()))
      functions[{row.stack[0], row.stack.back()}].self += row.spent;
  }
  std::vector<Profile::Function> all;
  for (auto& [key, function] : functions) {
    function.core = key.first;
    function.name = key.second;
    all.push_back(std::move(function));
  }
  return all;
}

/// The instructions of all images, by core and word.
std::map<std::pair<std::string, std::uint32_t>, firmware::Place> texts_of(std::span<const Program> images) {
  std::map<std::pair<std::string, std::uint32_t>, firmware::Place> texts;
  for (const Program& image : images)
    if (auto places = firmware::instructions(image))
      for (firmware::Place& place : *places) texts.emplace(std::pair(place.core, place.word), std::move(place));
  return texts;
}

std::vector<Profile::Line> lines_of(const afuc::Emulator& emulator, std::span<const Program> images) {
  const auto texts = texts_of(images);
  const std::vector<afuc::CoreReport> cores = emulator.cores();
  std::vector<Profile::Line> lines;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    const std::vector<Spent> words = emulator.spent(core);
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      if (words[word].instructions == 0) continue;
      Profile::Line& line = lines.emplace_back();
      line.core = cores[core].name;
      line.word = word;
      line.spent = words[word];
      if (const auto text = texts.find({line.core, word}); text != texts.end()) {
        line.where = text->second.where;
        line.text = text->second.text;
      }
    }
  }
  return lines;
}

std::string columns(const Spent& spent) {
  return fmt::format("{:12}  {:5}  {:6}  {:11}  {:7}  {:14}  {:7}", spent.instructions, spent.waits, spent.stream_words,
                     spent.memory_reads, spent.memory_writes, spent.register_reads, spent.register_writes);
}

constexpr std::string_view heading = "instructions  waits  stream  memory read  written  registers read  written";

Json to_json(const Spent& spent) {
  return {{"instructions", spent.instructions},      {"waits", spent.waits},
          {"stream_words", spent.stream_words},      {"memory_reads", spent.memory_reads},
          {"memory_writes", spent.memory_writes},    {"register_reads", spent.register_reads},
          {"register_writes", spent.register_writes}};
}

}  // namespace

Profile profile_of(const afuc::Emulator& emulator, std::span<const Program> images,
                   std::span<const afuc::RunReport* const> reports) {
  Profile profile;
  profile.stacks = emulator.profile();
  profile.packets = packets_of(emulator, profile.stacks, reports);
  profile.functions = functions_of(profile.stacks);
  profile.lines = lines_of(emulator, images);
  std::sort(profile.stacks.begin(), profile.stacks.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return a.spent.instructions != b.spent.instructions ? a.spent.instructions > b.spent.instructions
                                                        : a.stack < b.stack;
  });
  std::sort(profile.packets.begin(), profile.packets.end(), [](const Profile::Packet& a, const Profile::Packet& b) {
    return a.spent.instructions != b.spent.instructions ? a.spent.instructions > b.spent.instructions
                                                        : std::tie(a.core, a.name) < std::tie(b.core, b.name);
  });
  std::sort(profile.functions.begin(), profile.functions.end(),
            [](const Profile::Function& a, const Profile::Function& b) {
              return a.total.instructions != b.total.instructions ? a.total.instructions > b.total.instructions
                                                                  : std::tie(a.core, a.name) < std::tie(b.core, b.name);
            });
  std::sort(profile.lines.begin(), profile.lines.end(), [](const Profile::Line& a, const Profile::Line& b) {
    return a.spent.instructions != b.spent.instructions ? a.spent.instructions > b.spent.instructions
                                                        : std::tie(a.core, a.word) < std::tie(b.core, b.word);
  });
  return profile;
}

std::string profile_text(const Profile& profile) {
  std::string text = fmt::format("{}  stack\n", heading);
  for (const ProfileRow& row : profile.stacks) text += fmt::format("{}  {}\n", columns(row.spent), joined(row.stack));
  if (!profile.packets.empty()) text += fmt::format("\n{}  {:>6}  packet\n", heading, "runs");
  for (const Profile::Packet& packet : profile.packets)
    text += fmt::format("{}  {:6}  {} {}\n", columns(packet.spent), packet.runs, packet.core, packet.name);
  if (!profile.functions.empty()) text += fmt::format("\n{}  {:>6}  function, with what it calls\n", heading, "itself");
  for (const Profile::Function& function : profile.functions)
    text += fmt::format("{}  {:6}  {} {}\n", columns(function.total), function.self.instructions, function.core,
                        function.name);
  text += fmt::format("\n{}  line\n", heading);
  for (std::size_t i = 0; i < profile.lines.size() && i < most_lines; ++i) {
    const Profile::Line& line = profile.lines[i];
    text +=
        fmt::format("{}  {} 0x{:04x}  {:24} {}\n", columns(line.spent), line.core, line.word, line.where, line.text);
  }
  if (profile.lines.size() > most_lines)
    text += fmt::format("and {} lines more, which --json has\n", profile.lines.size() - most_lines);
  return text;
}

std::string collapsed_text(const afuc::Emulator& emulator) {
  std::string text;
  for (const ProfileRow& row : emulator.profile())
    if (row.spent.instructions != 0) text += fmt::format("{} {}\n", joined(row.stack), row.spent.instructions);
  return text;
}

Json to_json(const Profile& profile) {
  Json stacks = Json::array(), packets = Json::array(), functions = Json::array(), lines = Json::array();
  for (const ProfileRow& row : profile.stacks) {
    stacks.push_back({{"stack", row.stack}});
    stacks.back().update(to_json(row.spent));
  }
  for (const Profile::Packet& packet : profile.packets) {
    packets.push_back({{"core", packet.core}, {"name", packet.name}, {"runs", packet.runs}});
    packets.back().update(to_json(packet.spent));
  }
  for (const Profile::Function& function : profile.functions)
    functions.push_back({{"core", function.core},
                         {"name", function.name},
                         {"self", to_json(function.self)},
                         {"total", to_json(function.total)}});
  for (const Profile::Line& line : profile.lines) {
    lines.push_back({{"core", line.core}, {"word", hex(line.word)}, {"where", line.where}, {"text", line.text}});
    lines.back().update(to_json(line.spent));
  }
  return {{"profile", std::move(stacks)},
          {"profile_packets", std::move(packets)},
          {"profile_functions", std::move(functions)},
          {"profile_lines", std::move(lines)}};
}

}  // namespace mobula::cli
