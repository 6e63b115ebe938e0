#include "mobula/lab/firmware_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/counted.h"
#include "firmware/images.h"

namespace mobula::firmware {
namespace {

/// Lines of a profile that the text shows.
constexpr std::size_t most_lines = 40;

std::string report_core(const CoreInfo& core) {
  std::string text =
      fmt::format("\n{}: words {:#06x} to {:#06x}; {}, {} that nothing known reaches, {} of data; {}", core.name,
                  core.start, core.start + core.words - 1, counted(core.instructions, "instruction"), core.assumed,
                  core.data, counted(core.functions, "function"));
  text += core.call_depth ? fmt::format(", calls {} deep\n", *core.call_depth) : "\n";
  if (!core.table) return text;
  text += fmt::format("packet table at {:#06x}; * marks the handler of unknown packets\n", *core.table);
  for (const PacketInfo& packet : core.packets)
    if (packet.named || !packet.shared)
      text += fmt::format("  0x{:02x}  0x{:04x}{} {}\n", packet.opcode, packet.handler, packet.shared ? '*' : ' ',
                          packet.name);
  return text;
}

/// One instruction for another, where that happened more than once or nothing else did.
std::string replacements_text(const Diff& diff) {
  constexpr std::size_t most_places = 6;
  std::string text;
  for (const DiffReplacement& each : diff.replacements) {
    if (each.places.size() == 1 && diff.replacements.size() > 1) continue;
    text += fmt::format("{}  {}  ->  {}\n           in", counted(each.places.size(), "time"), each.before, each.after);
    for (std::size_t i = 0; i < each.places.size() && i < most_places; ++i)
      text += (i == 0 ? " " : ", ") + each.places[i];
    if (each.places.size() > most_places) text += fmt::format(" and {} more", each.places.size() - most_places);
    text += '\n';
  }
  return text.empty() ? text : "one instruction for another:\n" + text;
}

/// "changed SQE fxn12 -> fxn15, 30 -> 31 words, $04 for $03"
std::string headline(const DiffFunction& function) {
  const bool both = !function.old_name.empty() && !function.new_name.empty();
  const bool renamed = both && function.old_name != function.new_name;
  const bool resized = both && function.old_words != function.new_words;
  std::string text = fmt::format("{} {} {}{}, {}{}", name(function.kind), function.core,
                                 renamed ? function.old_name + " -> " : std::string(),
                                 both ? function.new_name : function.old_name + function.new_name,
                                 resized ? fmt::format("{} -> ", function.old_words) : std::string(),
                                 counted(function.new_name.empty() ? function.old_words : function.new_words, "word"));
  for (const DiffRegister& each : function.registers) text += fmt::format(", {} for {}", each.after, each.before);
  return text;
}

/// ": -3 +2 lines"
std::string line_counts(const DiffFunction& function) {
  const auto count = [&](DiffLine::Kind kind) {
    return std::count_if(function.lines.begin(), function.lines.end(),
                         [&](const DiffLine& line) { return line.kind == kind; });
  };
  const auto removed = count(DiffLine::Kind::removed), added = count(DiffLine::Kind::added);
  return removed + added == 0 ? std::string() : fmt::format(": -{} +{} lines", removed, added);
}

std::string named(std::string_view what, std::uint64_t number, const std::string& name) {
  return name.empty() ? fmt::format("{} {:#x}", what, number) : fmt::format("{} {:#x} {}", what, number, name);
}

std::string joined(const std::vector<std::string>& stack) { return fmt::format("{}", fmt::join(stack, ";")); }

std::string columns(const Spent& spent) {
  return fmt::format("{:12}  {:5}  {:6}  {:11}  {:7}  {:14}  {:7}", spent.instructions, spent.waits, spent.stream_words,
                     spent.memory_reads, spent.memory_writes, spent.register_reads, spent.register_writes);
}

constexpr std::string_view heading = "instructions  waits  stream  memory read  written  registers read  written";

}  // namespace

std::string report(const Emulator& emulator, const Event& event) {
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
      if (event.address != 0) return fmt::format("control {:#x}, to another core: {:#x}", event.address, event.value);
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

std::string report(const Info& info) {
  std::string text;
  if (info.id)
    text +=
        fmt::format("id 0x{:03x}{}, version 0x{:03x} (kernels read 0x{:03x})\n", *info.id,
                    info.id_known ? "" : " (unknown: read as the chip of the nearest id whose instructions these are)",
                    info.version, info.kernel_version);
  text +=
      fmt::format("{}, {}, {}\n{} bytes, {} words\n", info.chip, info.product, info.generation, info.bytes, info.words);
  for (const auto& each : info.kernel) text += fmt::format("{}: {}\n", each.question, each.answer ? "yes" : "no");
  for (const CoreInfo& core : info.cores) text += report_core(core);
  return text;
}

std::string report(std::span<const Place> places) {
  std::string text;
  for (const Place& place : places)
    text += fmt::format("{} 0x{:04x}  {:24} {}\n", place.core, place.word, place.where, place.text);
  return text + fmt::format("{} found\n", places.size());
}

std::string_view name(DiffFunction::Kind kind) {
  constexpr std::array<std::string_view, 4> names{"same", "changed", "added", "removed"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view name(DiffLine::Kind kind) {
  constexpr std::array<std::string_view, 3> names{"same", "removed", "added"};
  return names[static_cast<std::size_t>(kind)];
}

std::string report(const Diff& diff) {
  std::string text = fmt::format("{} the same, {} changed, {} added, {} removed\n", counted(diff.same, "function"),
                                 diff.changed, diff.added, diff.removed);
  for (const DiffFunction& function : diff.functions)
    if (function.kind != DiffFunction::Kind::same || !function.registers.empty())
      text += "  " + headline(function) + line_counts(function) + '\n';
  text += replacements_text(diff);
  for (const DiffFunction& function : diff.functions) {
    if (function.lines.empty()) continue;
    text += '\n' + headline(function) + '\n';
    std::uint32_t next = 0;
    for (const DiffLine& line : function.lines) {
      if (line.kind != DiffLine::Kind::removed && next != 0 && line.word > next) text += "    ...\n";
      if (line.kind != DiffLine::Kind::removed) next = line.word + 1;
      text += fmt::format("  {} {:04x}  {}\n", " -+"[static_cast<std::size_t>(line.kind)], line.word, line.text);
    }
  }
  return text;
}

std::string report(const CoreReport& core) {
  std::string text = fmt::format("{}: {} at word {:#06x} after {}", core.name, name(core.halt), core.pc,
                                 counted(core.instructions, "instruction"));
  if (core.preempt_entry != 0) text += fmt::format(", preemption entry {:#06x}", core.preempt_entry);
  return text + '\n';
}

std::string packet_table(const Emulator& emulator, const CoreReport& core) {
  std::string text;
  for (std::uint32_t entry = 0; entry < core.packet_table.size(); ++entry)
    text += fmt::format("  {:#04x} {:#06x} {}\n", entry, core.packet_table[entry], emulator.packet_name(entry));
  return text;
}

std::string report(const Emulator& emulator, const Round& round) {
  std::vector<std::vector<std::uint64_t>> instructions(round.cores.size());
  for (const PacketRun& run : round.report.packets) instructions[run.core].push_back(run.instructions);
  std::vector<std::size_t> seen(round.cores.size(), 0);
  std::string text;
  for (const Event& event : round.report.events) {
    if (round.cores.size() > 1) text += round.cores[event.core].name + ' ';
    if (event.kind != Event::Kind::packet) {
      text += "  " + report(emulator, event) + '\n';
      continue;
    }
    const std::size_t number = seen[event.core]++;
    text += report(emulator, event);
    if (number < instructions[event.core].size())
      text += ", " + counted(instructions[event.core][number], "instruction");
    text += '\n';
  }
  return text;
}

std::string report(const JointTiming& timing) {
  std::string text = fmt::format(
      "\nall cores together: {}{}\n  core    instructions  executing  waits for words  waits for room  last one "
      "ends\n",
      counted(timing.cycles(), "cycle"), timing.complete() ? "" : " until --max-cycles");
  for (const JointTiming::Core& core : timing.cores())
    text += fmt::format("  {:6}  {:12}  {:9}  {:15}  {:14}  {:13}\n", core.name, core.instructions, core.executing,
                        core.waiting_for_words, core.waiting_for_room, core.last);
  return text;
}

std::string counter_table(std::span<const CoreReport> cores) {
  std::string text;
  for (const CoreReport& core : cores)
    for (const PerformanceCounter& counter : core.counters)
      text += fmt::format("{} counter {}: {}, {}\n", core.name, counter.name, counter.count,
                          counted(counter.instructions, "instruction"));
  return text;
}

std::string report(const Coverage& coverage) {
  std::string text;
  for (const Coverage::Core& core : coverage.cores) {
    const auto executed =
        std::count_if(core.executions.begin(), core.executions.end(), [](std::uint64_t count) { return count != 0; });
    text += fmt::format("{}: {} of {} words executed\n", core.name, executed, core.executions.size());
    for (const Coverage::Handler& each : core.handlers) text += fmt::format("  {} {:#x}\n", each.packet, each.handler);
    text += "never run:";
    for (const Coverage::Handler& each : core.never) text += ' ' + each.packet;
    text += '\n';
  }
  return text;
}

std::string report(const Profile& profile) {
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
    text += fmt::format("and {} more, which --json has\n", counted(profile.lines.size() - most_lines, "line"));
  return text;
}

std::string collapsed(std::span<const ProfileRow> stacks) {
  std::string text;
  for (const ProfileRow& row : stacks)
    if (row.spent.instructions != 0) text += fmt::format("{} {}\n", joined(row.stack), row.spent.instructions);
  return text;
}

std::string report(const Emulator& emulator, std::span<const Program> images, std::span<const Doubt> doubts) {
  const auto words = static_cast<std::size_t>(
      std::count_if(doubts.begin(), doubts.end(), [](const Doubt& each) { return each.word.has_value(); }));
  if (doubts.empty()) return "fidelity: every executed word and used control register rests on exact facts\n";
  std::string text =
      fmt::format("fidelity: {} executed words and {} used control registers rest on facts that are not exact\n", words,
                  doubts.size() - words);
  const auto texts = texts_of(images);
  const std::vector<CoreReport> cores = emulator.cores();
  for (const Doubt& doubt : doubts) {
    const std::string& core = cores[doubt.core].name;
    if (doubt.word) {
      const auto place = texts.find({core, *doubt.word});
      text += fmt::format("  {} {:#06x}  {:24} {:40} {}", core, *doubt.word,
                          place == texts.end() ? "" : place->second.where,
                          place == texts.end() ? "" : place->second.text, name(doubt.status));
    } else {
      const std::string known = emulator.name_of({.kind = Event::Kind::control_write,
                                                  .core = static_cast<std::uint8_t>(doubt.core),
                                                  .address = doubt.control});
      text += fmt::format("  {} control {:#05x}{}{}  {}", core, doubt.control, known.empty() ? "" : " ", known,
                          name(doubt.status));
    }
    for (const std::string& reason : doubt.reasons) text += ": " + reason;
    text += '\n';
  }
  return text;
}

}  // namespace mobula::firmware
