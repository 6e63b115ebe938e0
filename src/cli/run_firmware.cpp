#include "cli/run_firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/firmware_console.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/profile_firmware.h"
#include "cli/stream_input.h"
#include "cli/terminal.h"
#include "mobula/afuc.h"
#include "mobula/formats.h"

namespace mobula::cli {
namespace {

using afuc::Emulator;
using afuc::Event;

Console load(const ExecuteOptions& options) {
  InputOptions input = options.input;
  if (input.machine.empty()) input.machine = "afuc";
  input.side_file = "none";
  std::vector<Program> images;
  for (const std::string& file : input.files) images.push_back(load_program(input, file));
  afuc::EmulatorOptions wanted;
  wanted.control_events = wanted.read_events = options.all_events;
  wanted.profile = options.profile || options.collapsed;
  return switch_on(std::move(images), options.feed, std::move(wanted));
}

// ---- text

std::string to_text(const afuc::CoreReport& core) {
  std::string text = fmt::format("{}: {} at word {:#06x} after {} instructions", core.name, name(core.halt), core.pc,
                                 core.instructions);
  if (core.preempt_entry != 0) text += fmt::format(", preemption entry {:#06x}", core.preempt_entry);
  return text + '\n';
}

std::string table_text(const Emulator& emulator, const afuc::CoreReport& core) {
  std::string text;
  for (std::uint32_t entry = 0; entry < core.packet_table.size(); ++entry)
    text += fmt::format("  {:#04x} {:#06x} {}\n", entry, core.packet_table[entry], emulator.packet_name(entry));
  return text;
}

std::string named(std::string_view what, std::uint64_t number, const std::string& name) {
  return name.empty() ? fmt::format("{} {:#x}", what, number) : fmt::format("{} {:#x} {}", what, number, name);
}

std::string to_text(const Emulator& emulator, const Event& event) {
  const std::string known = emulator.name_of(event);
  switch (event.kind) {
    case Event::Kind::gpu_write:
      return fmt::format("{} = {:#x}", named("register", event.address, known), event.value);
    case Event::Kind::gpu_read:
      return fmt::format("{} is {:#x}", named("register", event.address, known), event.value);
    case Event::Kind::pipe_select:
      return named("pipe", event.address, known);
    case Event::Kind::pipe_write:
      return fmt::format("{} = {:#x}", named("pipe", event.address, known), event.value);
    case Event::Kind::memory_write:
      return fmt::format("memory {:#x} = {:#x}", event.address, event.value);
    case Event::Kind::memory_read:
      return fmt::format("memory {:#x} is {:#x}", event.address, event.value);
    case Event::Kind::sds_word:
      return fmt::format("draw state, word {} = {:#x}", event.address, event.value);
    case Event::Kind::forward:
      if (event.address != 0) return fmt::format("control {:#x}, to a further core: {:#x}", event.address, event.value);
      return fmt::format("to the ME: {:#x}", event.value);
    case Event::Kind::control_write:
      return fmt::format("{} = {:#x}", named("control", event.address, known), event.value);
    case Event::Kind::violation:
      return fmt::format("{} is protected: {:#x} is not written", named("register", event.address, known), event.value);
    case Event::Kind::error:
      return fmt::format("the firmware reports error {:#x}", event.value);
    case Event::Kind::interrupt:
      return fmt::format("interrupted at word {:#x}", event.address);
    case Event::Kind::packet:
      break;
  }
  return fmt::format("packet {} {:08x}", known, event.value) +
         (event.level == 0 ? std::string() : fmt::format(" at level {}", event.level));
}

/// Events in order; the instructions of a packet stand behind its line.
std::string to_text(const Emulator& emulator, const Processed& done) {
  std::vector<std::vector<std::uint64_t>> instructions(done.cores.size());
  for (const afuc::PacketRun& run : done.report.packets) instructions[run.core].push_back(run.instructions);
  std::vector<std::size_t> seen(done.cores.size(), 0);
  std::string text;
  for (const Event& event : done.report.events) {
    if (done.cores.size() > 1) text += done.cores[event.core].name + ' ';
    if (event.kind != Event::Kind::packet) {
      text += "  " + to_text(emulator, event) + '\n';
      continue;
    }
    const std::size_t number = seen[event.core]++;
    text += to_text(emulator, event);
    if (number < instructions[event.core].size())
      text += fmt::format(", {} instructions", instructions[event.core][number]);
    text += '\n';
  }
  return text;
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

/// The handlers that ran, of each core by entry of its packet table. A handler whose first word repeats zero times runs
/// without executing that word, so the counts of words cannot tell.
std::string coverage_text(const Emulator& emulator, const std::vector<afuc::CoreReport>& cores,
                          const std::vector<Processed>& streams) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> handlers(cores.size());
  for (const Processed& stream : streams)
    for (const afuc::PacketRun& run : stream.report.packets) handlers[run.core].emplace(run.entry, run.handler);
  std::string text;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::vector<std::uint64_t> counts = emulator.executions(i);
    const auto executed = std::count_if(counts.begin(), counts.end(), [](std::uint64_t count) { return count != 0; });
    text += fmt::format("{}: {} of {} words executed\n", cores[i].name, executed, counts.size());
    for (const auto& [entry, handler] : handlers[i])
      text += fmt::format("  {} {:#x}\n", emulator.packet_name(entry), handler);
    text += "never run:";
    for (const std::uint32_t entry : known_packets(cores[i].packet_table))
      if (!handlers[i].contains(entry)) text += ' ' + emulator.packet_name(entry);
    text += '\n';
  }
  return text;
}

std::string counters_text(const std::vector<afuc::CoreReport>& cores) {
  std::string text;
  for (const afuc::CoreReport& core : cores)
    for (const afuc::PerformanceCounter& counter : core.counters)
      text += fmt::format("{} counter {}: {}, {} instructions\n", core.name, counter.name, counter.count,
                          counter.instructions);
  return text;
}

// ---- JSON

Json to_json(const Emulator& emulator, const std::vector<afuc::CoreReport>& cores) {
  Json rows = Json::array();
  for (const afuc::CoreReport& core : cores) {
    Json table = Json::array();
    for (std::uint32_t entry = 0; entry < core.packet_table.size(); ++entry)
      table.push_back({{"name", emulator.packet_name(entry)}, {"handler", hex(core.packet_table[entry])}});
    rows.push_back({{"name", core.name},
                    {"halt", name(core.halt)},
                    {"reason", core.reason},
                    {"pc", hex(core.pc)},
                    {"instructions", core.instructions},
                    {"preempt_entry", hex(core.preempt_entry)},
                    {"packet_table", std::move(table)}});
  }
  return rows;
}

Json to_json(const Emulator& emulator, const Processed& done) {
  Json events = Json::array(), packets = Json::array();
  for (const Event& event : done.report.events) {
    events.push_back({{"kind", name(event.kind)}, {"core", done.cores[event.core].name}});
    if (const std::string known = emulator.name_of(event); !known.empty()) events.back()["name"] = known;
    events.back()["address"] = hex(event.address);
    events.back()["value"] = hex(event.value);
    if (event.kind == Event::Kind::packet) events.back()["level"] = event.level;
  }
  for (const afuc::PacketRun& run : done.report.packets)
    packets.push_back({{"core", done.cores[run.core].name},
                       {"name", emulator.packet_name(run.entry)},
                       {"header", hex(run.header)},
                       {"level", run.level},
                       {"handler", hex(run.handler)},
                       {"instructions", run.instructions}});
  Json inputs = Json::array(), counters = Json::array();
  for (const Wanted& each : done.streams) inputs.push_back({{"core", done.cores[each.core].name}, {"file", each.file}});
  for (const afuc::CoreReport& core : done.cores)
    for (const afuc::PerformanceCounter& counter : core.counters)
      counters.push_back({{"core", core.name},
                          {"name", counter.name},
                          {"count", counter.count},
                          {"instructions", counter.instructions}});
  return {{"inputs", std::move(inputs)},
          {"counters", std::move(counters)},
          {"ok", done.report.ok},
          {"unread_words", done.report.unread_words},
          {"dropped_events", done.report.dropped_events},
          {"packets", std::move(packets)},
          {"events", std::move(events)}};
}

Json coverage_json(const Emulator& emulator, const std::vector<afuc::CoreReport>& cores) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::vector<std::uint64_t> counts = emulator.executions(i);
    Json words = Json::array();
    for (std::size_t word = 0; word < counts.size(); ++word)
      if (counts[word] != 0) words.push_back({{"word", hex(word)}, {"executions", counts[word]}});
    rows.push_back({{"core", cores[i].name}, {"words", counts.size()}, {"executed", std::move(words)}});
  }
  return rows;
}

}  // namespace

bool is_firmware_run(const ExecuteOptions& options) {
  if (!options.input.machine.empty()) return options.input.machine.starts_with("afuc");
  const std::string& file = options.input.files.front();
  return file != "-" && detect_format(read_file(file)) == Format::fw;
}

Exit run_firmware(const ExecuteOptions& options) {
  if (options.trace || !options.image.empty() || !options.reference.empty() || !options.feed.inputs.empty())
    throw usage_error("--inputs, --reference, --image and --trace are for programs of shader cores",
                      "firmware takes --stream and --memory; --all-events shows all it does");
  Console machine = load(options);
  Emulator& emulator = machine.emulator;
  const std::string variant(emulator.chip());
  emulator.boot();
  const std::vector<afuc::CoreReport> booted = emulator.cores();
  Diagnostics diagnostics = complaints(booted, options.input.files.front());

  std::vector<Processed> streams;
  if (!has_errors(diagnostics)) {
    for (const std::string& setting : options.memory)
      prepare_memory(emulator, std::vector{load_memory(setting, variant)}, setting);
    for (std::vector<Wanted>& round : rounds(options.streams, booted)) {
      streams.push_back(process(emulator, std::move(round)));
      const Diagnostics more = complaints(streams.back());
      diagnostics.insert(diagnostics.end(), more.begin(), more.end());
      if (!streams.back().report.ok) break;
    }
  }
  print(diagnostics);
  const auto profile = [&] {
    std::vector<const afuc::RunReport*> reports;
    reports.reserve(streams.size());
    for (const Processed& each : streams) reports.push_back(&each.report);
    return profile_of(emulator, machine.images, reports);
  };

  std::string text;
  if (options.output.json) {
    Json json{{"chip", variant}, {"cores", to_json(emulator, booted)}, {"streams", Json::array()}};
    for (const Processed& each : streams) json["streams"].push_back(to_json(emulator, each));
    if (options.coverage) json["coverage"] = coverage_json(emulator, emulator.cores());
    if (options.profile || options.collapsed) json.update(to_json(profile()));
    json["diagnostics"] = to_json(diagnostics);
    text = envelope("run-firmware", &machine.images.front(), std::move(json));
  } else if (options.collapsed) {
    text = collapsed_text(emulator);
  } else {
    for (const afuc::CoreReport& core : booted) {
      text += to_text(core);
      if (options.streams.empty() && !options.coverage && !options.profile) text += table_text(emulator, core);
    }
    for (const Processed& each : streams) text += to_text(emulator, each);
    text += counters_text(emulator.cores());
    if (options.coverage) text += coverage_text(emulator, emulator.cores(), streams);
    if (options.profile) text += profile_text(profile());
  }
  write_output(options.output.file, text);
  return has_errors(diagnostics) ? Exit::negative : Exit::done;
}

}  // namespace mobula::cli
