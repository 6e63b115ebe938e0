#include "cli/run/firmware.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/run/output.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/isa/firmware_info.h"
#include "mobula/isa/formats.h"
#include "mobula/lab/firmware_report.h"
#include "mobula/lab/firmware_trace.h"

namespace mobula::cli {
namespace {

using firmware::CoreReport;
using firmware::Coverage;
using firmware::Emulator;
using firmware::Event;
using firmware::PacketRun;
using firmware::PerformanceCounter;
using firmware::Profile;
using firmware::ProfileRow;
using firmware::Round;
using firmware::Spent;

Json to_json(const Emulator& emulator, const std::vector<CoreReport>& cores) {
  Json rows = Json::array();
  for (const CoreReport& core : cores) {
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

Json to_json(const Emulator& emulator, const Round& round) {
  Json events = Json::array(), packets = Json::array();
  for (const Event& event : round.report.events) {
    events.push_back({{"kind", name(event.kind)}, {"core", round.cores[event.core].name}});
    if (const std::string known = emulator.name_of(event); !known.empty()) events.back()["name"] = known;
    events.back()["address"] = hex(event.address);
    events.back()["value"] = hex(event.value);
    if (event.kind == Event::Kind::packet) events.back()["level"] = event.level;
  }
  for (const PacketRun& run : round.report.packets)
    packets.push_back({{"core", round.cores[run.core].name},
                       {"name", emulator.packet_name(run.entry)},
                       {"header", hex(run.header)},
                       {"level", run.level},
                       {"handler", hex(run.handler)},
                       {"instructions", run.instructions}});
  Json inputs = Json::array(), counters = Json::array();
  for (const Round::Source& each : round.sources)
    inputs.push_back({{"core", round.cores[each.core].name}, {"file", each.file}});
  for (const CoreReport& core : round.cores)
    for (const PerformanceCounter& counter : core.counters)
      counters.push_back({{"core", core.name},
                          {"name", counter.name},
                          {"count", counter.count},
                          {"instructions", counter.instructions}});
  return {{"inputs", std::move(inputs)},
          {"counters", std::move(counters)},
          {"ok", round.report.ok},
          {"unread_words", round.report.unread_words},
          {"dropped_events", round.report.dropped_events},
          {"packets", std::move(packets)},
          {"events", std::move(events)}};
}

Json to_json(const Coverage& coverage) {
  Json rows = Json::array();
  for (const Coverage::Core& core : coverage.cores) {
    Json words = Json::array();
    for (std::size_t word = 0; word < core.executions.size(); ++word)
      if (core.executions[word] != 0) words.push_back({{"word", hex(word)}, {"executions", core.executions[word]}});
    rows.push_back({{"core", core.name}, {"words", core.executions.size()}, {"executed", std::move(words)}});
  }
  return rows;
}

Json to_json(const Emulator& emulator, const std::vector<firmware::Doubt>& doubts) {
  Json rows = Json::array();
  const std::vector<CoreReport> cores = emulator.cores();
  for (const firmware::Doubt& doubt : doubts) {
    rows.push_back({{"core", cores[doubt.core].name}});
    rows.back()[doubt.word ? "word" : "control"] = hex(doubt.word.value_or(doubt.control));
    rows.back()["status"] = name(doubt.status);
    rows.back()["reasons"] = doubt.reasons;
  }
  return rows;
}

Json to_json(const Spent& spent) {
  return {{"instructions", spent.instructions},      {"waits", spent.waits},
          {"stream_words", spent.stream_words},      {"memory_reads", spent.memory_reads},
          {"memory_writes", spent.memory_writes},    {"register_reads", spent.register_reads},
          {"register_writes", spent.register_writes}};
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

/// What a trace says of instructions.
class TraceTexts {
 public:
  TraceTexts(const Emulator& emulator, const std::vector<Program>& images)
      : emulator_(emulator), cores_(emulator.cores()) {
    for (const Program& image : images)
      if (auto places = firmware::instructions(image))
        for (firmware::Place& place : *places) texts_.emplace(std::pair(place.core, place.word), std::move(place));
  }
  [[nodiscard]] Json to_json(const std::vector<firmware::TraceStep>& steps) const {
    Json rows = Json::array();
    for (const firmware::TraceStep& step : steps) {
      Json row{{"core", cores_[step.core].name}, {"word", hex(step.word)},          {"cycle", step.cycle},
               {"changes", Json::object()},      {"first_event", step.first_event}, {"events", step.event_count}};
      if (const auto place = texts_.find({cores_[step.core].name, step.word}); place != texts_.end()) {
        row["where"] = place->second.where;
        row["text"] = place->second.text;
      }
      for (const firmware::TraceStep::Change& change : step.changes) {
        Json& changed = row["changes"][emulator_.register_names()[change.number]];
        changed["value"] = hex(change.value);
        if (!change.meaning.empty()) changed["meaning"] = change.meaning;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  const Emulator& emulator_;
  std::vector<CoreReport> cores_;
  std::map<std::pair<std::string, std::uint32_t>, firmware::Place> texts_;
};

}  // namespace

Exit run_firmware(const ExecuteOptions& options) {
  const bool profiled = options.profile || options.collapsed;
  const std::vector<std::string>& files = options.input.files;
  const std::vector<Program> images = load_images(files, read_file(files.front()), options.input);
  firmware::RunOptions wanted{.emulator = emulator_options(options.feed), .traced_core = options.thread};
  wanted.emulator.control_events = wanted.emulator.read_events = options.all_events;
  wanted.emulator.profile = profiled;
  wanted.trace = options.trace;
  const firmware::Feed feed = load_feed(images, options.feed, options.streams, options.memory);
  const auto run = value_or_stop(firmware::run(images, feed, std::move(wanted)), files.front());
  const auto& [emulator, boot, booted, done, traces, diagnostics, tracer] = run;
  if (options.thread && *options.thread >= booted.size())
    throw usage_error(fmt::format("there is no core {}", *options.thread),
                      fmt::format("this firmware has {}, counted from 0", booted.size()));
  const std::vector<firmware::Doubt> doubts =
      options.strict || options.fidelity ? emulator->doubts() : std::vector<firmware::Doubt>();
  Diagnostics told = diagnostics;
  if (options.strict && !doubts.empty()) told.push_back(not_exact(doubts.size(), doubts.front().reasons));
  print(located(told, files.front()));

  std::string text;
  if (options.output.json) {
    Json json{{"chip", emulator->chip()}, {"cores", to_json(*emulator, booted)}, {"streams", Json::array()}};
    const TraceTexts texts(*emulator, images);
    for (std::size_t i = 0; i < done.size(); ++i) {
      json["streams"].push_back(to_json(*emulator, done[i]));
      if (options.trace) json["streams"].back()["trace"] = texts.to_json(traces[i]);
    }
    if (options.trace && done.empty()) json["trace"] = texts.to_json(traces.front());
    if (options.coverage) json["coverage"] = to_json(coverage_of(*emulator, done));
    if (profiled) json.update(to_json(profile_of(*emulator, images, done)));
    if (options.fidelity) json["fidelity"] = to_json(*emulator, doubts);
    json["diagnostics"] = to_json(told);
    text = envelope("run-firmware", &images.front(), std::move(json));
  } else if (options.collapsed) {
    text = firmware::collapsed(emulator->profile());
  } else {
    const bool tables =
        options.streams.empty() && !options.coverage && !options.profile && !options.trace && !options.fidelity;
    for (const CoreReport& core : booted) {
      text += report(core);
      if (tables) text += packet_table(*emulator, core);
    }
    if (options.trace) {
      for (std::size_t i = 0; i < traces.size(); ++i)
        text += report(*emulator, images, traces[i],
                       done.empty() ? std::span<const Event>(boot.events) : done[i].report.events);
    } else {
      for (const Round& each : done) text += report(*emulator, each);
    }
    text += firmware::counter_table(emulator->cores());
    if (options.coverage) text += report(coverage_of(*emulator, done));
    if (options.profile) text += report(profile_of(*emulator, images, done));
    if (options.fidelity) text += report(*emulator, images, doubts);
  }
  write_output(options.output.file, text);
  if (has_errors(diagnostics)) return Exit::negative;
  return options.strict && !doubts.empty() ? Exit::not_exact : Exit::done;
}

}  // namespace mobula::cli
