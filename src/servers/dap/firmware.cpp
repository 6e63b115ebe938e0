#include "servers/dap/firmware.h"

#include <fmt/format.h>

#include <algorithm>

#include "mobula/isa/firmware_info.h"
#include "mobula/isa/pm4_capture.h"
#include "mobula/isa/pm4_file.h"
#include "mobula/lab/firmware_report.h"
#include "mobula/lab/load.h"
#include "servers/dap/references.h"

namespace mobula::servers::dap {
namespace {

using firmware::CoreReport;

std::vector<pm4::Stream> streams_in(const std::string& file, std::string_view chip) {
  return value_or_refusal(pm4::read_streams(bytes_of(file), file, chip));
}

std::size_t core_named(const std::string& name, const std::vector<CoreReport>& cores) {
  if (name.empty()) return 0;
  const auto found = std::ranges::find(cores, name, &CoreReport::name);
  if (found == cores.end()) throw Refusal{fmt::format("the firmware has no core {}", name)};
  return static_cast<std::size_t>(found - cores.begin());
}

/// Which cores there are is known when the images have booted; without, there is nothing to read.
firmware::Feed read_feed(const std::vector<Program>& images, const firmware::EmulatorOptions& wanted,
                         const LaunchOptions& options) {
  firmware::Feed feed;
  const auto emulator = value_or_refusal(firmware::switch_on(images, wanted));
  if (!emulator->boot()) return feed;
  const std::vector<CoreReport> cores = emulator->cores();
  for (const auto& [address, file] : options.memory) {
    if (address % 4 != 0) throw Refusal{fmt::format("the address {:#x} is not a multiple of 4", address)};
    pm4::Stream words = value_or_refusal(pm4::read_stream(bytes_of(file), file, emulator->chip(), {}));
    feed.memory.push_back({.address = address, .words = std::move(words.ring)});
  }
  std::vector<firmware::StreamInput> inputs;
  for (const auto& [core, file] : options.streams)
    for (pm4::Stream& each : streams_in(file, emulator->chip()))
      inputs.push_back({core_named(core, cores), file, std::move(each)});
  feed.rounds = value_or_refusal(firmware::in_rounds(std::move(inputs), cores));
  return feed;
}

}  // namespace

std::unique_ptr<FirmwareDebuggee> FirmwareDebuggee::launch(Program first, const LaunchOptions& options) {
  if (options.streams.empty())
    throw Refusal{
        fmt::format("firmware is stepped while it processes command streams: name them in \"streams\", such "
                    "as [{{\"file\": \"stream.pm4\"}}] (\"mobula debug -m {} {} --stream STREAM\" does the "
                    "same at a console)",
                    first.machine, options.program)};
  if (!options.inputs.empty() || !options.side.empty() || options.threads || options.thread)
    throw Refusal{"\"inputs\", \"side\", \"threads\" and \"thread\" are for programs of shader cores"};
  const std::string machine = first.machine;
  std::vector<Program> images;
  images.push_back(std::move(first));
  for (const std::string& file : options.images) {
    (void)bytes_of(file);  // a regular file
    images.push_back(value_or_refusal(load_program_file(file, machine)));
  }
  firmware::EmulatorOptions wanted;
  wanted.policies = options.policies;
  if (options.step_limit) wanted.packet_instructions = *options.step_limit;
  firmware::Feed feed = read_feed(images, wanted, options);
  auto debugger = value_or_refusal(
      firmware::Debugger::create(images, std::move(wanted), std::move(feed.rounds), std::move(feed.memory)));
  return std::unique_ptr<FirmwareDebuggee>(new FirmwareDebuggee(images, std::move(debugger)));
}

FirmwareDebuggee::FirmwareDebuggee(const std::vector<Program>& images, firmware::Debugger debugger)
    : Debuggee(images.front().file), debugger_(std::move(debugger)) {
  read_text(images);
}

/// The text that was assembled; of machine code, and of several images, a listing with the names of places.
void FirmwareDebuggee::read_text(const std::vector<Program>& images) {
  const std::vector<CoreReport> all = cores();
  words_.resize(all.size());
  std::string listing;
  std::vector<SourceLine> lines;
  std::uint32_t line = 0;
  for (const Program& image : images)
    for (const firmware::Place& each : value_or_refusal(firmware::instructions(image))) {
      const auto core = std::ranges::find(all, each.core, &CoreReport::name);
      if (core == all.end()) continue;  // no core runs it
      const auto number = static_cast<std::size_t>(core - all.begin());
      words_[number].push_back(each.word);
      listing += fmt::format("{} {:#06x} {:24} {}\n", each.core, each.word, each.where, each.text);
      lines.push_back({place_of({number, each.word}), ++line});
    }
  std::ranges::sort(lines, {}, &SourceLine::byte_offset);
  for (std::vector<std::uint32_t>& each : words_) std::ranges::sort(each);
  const Program& first = images.front();
  if (images.size() != 1 || first.lines.empty()) return show_text(std::move(listing), std::move(lines), true);

  const firmware::Info info = value_or_refusal(firmware::info(first));
  const std::uint64_t before = info.bytes / 4 - info.words;  // words in front of the image
  std::vector<SourceLine> typed;
  for (std::size_t core = 0; core < all.size(); ++core)
    for (const std::uint32_t word : words_[core]) {
      const std::uint64_t offset = 4 * (before + all[core].first_word + word);
      const auto found = std::ranges::lower_bound(first.lines, offset, {}, &SourceLine::byte_offset);
      if (found != first.lines.end() && found->byte_offset == offset)
        typed.push_back({place_of({core, word}), found->line});
    }
  show_text(std::string(as_text(bytes_of(first.file))), std::move(typed), false);
}

// ---- going on

Halt FirmwareDebuggee::advance(const Running& running) {
  constexpr std::uint64_t most = 4096;  // instructions
  using Stop = firmware::Debugger::Halt;
  auto halt = Stop::unfinished;
  if (running.leave_line) {
    for (std::uint64_t i = 0; i < most; ++i) {
      halt = debugger_.step(1);
      if (halt != Stop::stepped || line_of(next_place(debugger_.core)) != running.leave_line) break;
      halt = Stop::unfinished;
    }
  } else {
    halt = debugger_.go({.place = {}, .call_depth = running.call_depth}, most);
  }
  switch (halt) {
    case Stop::stepped:
      return Halt::stepped;
    case Stop::breakpoint:
      return Halt::breakpoint;
    case Stop::watch:
      return Halt::watch;
    case Stop::beginning:
      return Halt::beginning;
    case Stop::unfinished:
      return Halt::unfinished;
    case Stop::end:
      break;
  }
  for (std::size_t core = 0; core < words_.size() && !told_fault_; ++core) {
    if (fault_of(core).empty()) continue;
    debugger_.core = core;
    told_fault_ = true;
    return Halt::fault;
  }
  return Halt::stopped;
}

void FirmwareDebuggee::restart() {
  told_fault_ = false;
  value_or_refusal(debugger_.restart());
}

Halt FirmwareDebuggee::gone_back(Halt halt) {
  told_fault_ = false;
  return halt;
}

std::optional<Debuggee::Met> FirmwareDebuggee::met() const {
  const auto& point = debugger_.halted_by();
  if (!point) return {};
  Met met{.breakpoint = point->number, .text = {}};
  if (point->which)
    met.text = fmt::format("{} = {:#x}", debugger_.emulator().register_names()[point->which->number],
                           debugger_.value(*point->which));
  if (point->memory)
    met.text = fmt::format("*{:#x} = {:#x}", *point->memory, debugger_.emulator().read_memory(*point->memory));
  return met;
}

Debuggee::Ending FirmwareDebuggee::ending() const {
  Ending ending;
  const Diagnostics complaints = firmware::complaints(cores());
  for (const CoreReport& each : cores()) ending.summary += firmware::report(each);
  ending.complaints = render(complaints);
  ending.status = complaints.empty() ? 0 : 1;
  return ending;
}

// ---- cores and places

std::size_t FirmwareDebuggee::core_of(std::int64_t id) const {
  if (id < 1 || id > static_cast<std::int64_t>(words_.size()))
    throw Refusal{fmt::format("there is no thread with the id {}", id)};
  return static_cast<std::size_t>(id - 1);
}

std::string FirmwareDebuggee::fault_of(std::size_t core) const {
  const CoreReport report = cores()[core];
  switch (report.halt) {
    case firmware::Halt::idle:
    case firmware::Halt::running:
    case firmware::Halt::off:
      return {};
    case firmware::Halt::stuck:
    case firmware::Halt::endless:
    case firmware::Halt::fault:
      break;
  }
  return report.reason.empty() ? std::string(name(report.halt)) : report.reason;
}

FirmwareDebuggee::Point FirmwareDebuggee::point_at(std::uint64_t place) const {
  const Point at{static_cast<std::size_t>(place >> 32), static_cast<std::uint32_t>(place)};
  if (at.core >= words_.size() || debugger_.place(at) == nullptr)
    throw Refusal{fmt::format("there is no instruction at {}", reference_to(place))};
  return at;
}

}  // namespace mobula::servers::dap
