#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "firmware/images.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::firmware {
namespace {

using Key = std::pair<std::string, std::string>;

bool is_function(const std::string& name) { return name.starts_with("fxn"); }

std::vector<Profile::Packet> packets_of(const Emulator& emulator, const std::vector<ProfileRow>& rows,
                                        std::span<const Round> rounds) {
  const std::vector<CoreReport> cores = emulator.cores();
  std::map<Key, Profile::Packet> packets;
  for (const ProfileRow& row : rows)
    if (row.stack.size() > 1 && !is_function(row.stack[1])) packets[{row.stack[0], row.stack[1]}].spent += row.spent;
  for (const Round& round : rounds)
    for (const PacketRun& run : round.report.packets)
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

std::vector<Profile::Line> lines_of(const Emulator& emulator, std::span<const Program> images) {
  const auto texts = texts_of(images);
  const std::vector<CoreReport> cores = emulator.cores();
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

/// Entries whose handler is not the commonest, which is that of packets the firmware does not know.
std::vector<std::uint32_t> known_packets(const std::array<std::uint32_t, 128>& table) {
  std::map<std::uint32_t, std::uint32_t> users;
  for (const std::uint32_t handler : table) ++users[handler];
  const auto commonest =
      std::max_element(users.begin(), users.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::uint32_t> known;
  for (std::uint32_t entry = 0; entry < table.size(); ++entry)
    if (table[entry] != commonest->first) known.push_back(entry);
  return known;
}

}  // namespace

Profile profile_of(const Emulator& emulator, std::span<const Program> images, std::span<const Round> rounds) {
  Profile profile;
  profile.stacks = emulator.profile();
  profile.packets = packets_of(emulator, profile.stacks, rounds);
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

// A handler whose first word repeats zero times runs without executing that word, so the counts of words cannot tell
// which handlers ran.
Coverage coverage_of(const Emulator& emulator, std::span<const Round> rounds) {
  const std::vector<CoreReport> cores = emulator.cores();
  std::vector<std::map<std::uint32_t, std::uint32_t>> handlers(cores.size());  // by core and entry
  for (const Round& round : rounds)
    for (const PacketRun& run : round.report.packets) handlers[run.core].emplace(run.entry, run.handler);
  Coverage coverage;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    Coverage::Core& core = coverage.cores.emplace_back();
    core.name = cores[i].name;
    core.executions = emulator.executions(i);
    for (const auto& [entry, handler] : handlers[i])
      core.handlers.push_back({emulator.packet_name(entry), entry, handler});
    for (const std::uint32_t entry : known_packets(cores[i].packet_table))
      if (!handlers[i].contains(entry))
        core.never.push_back({emulator.packet_name(entry), entry, cores[i].packet_table[entry]});
  }
  return coverage;
}

}  // namespace mobula::firmware
