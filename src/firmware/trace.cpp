#include "mobula/lab/firmware_trace.h"

#include <fmt/format.h>

#include "firmware/images.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::firmware {

void Tracer::begin(const Emulator& emulator) {
  emulator_ = &emulator;
  cores_.clear();
  events_ = 0;
  for (const CoreReport& core : emulator.cores())
    cores_.push_back({core.first_word, emulator.registers(cores_.size())});
}

/// Cores appear while others run; their registers are 0 then.
Tracer::Core& Tracer::core_of(std::size_t core) {
  if (core < cores_.size()) return cores_[core];
  const std::vector<CoreReport> reports = emulator_->cores();
  for (std::size_t i = cores_.size(); i < reports.size(); ++i)
    cores_.push_back({reports[i].first_word, std::vector<std::uint32_t>(emulator_->register_names().size())});
  return cores_[core];
}

void Tracer::step(const Executed& executed) {
  if (emulator_ == nullptr) return;
  const std::size_t first_event = events_;
  events_ = executed.events;
  Core& core = core_of(executed.core);
  std::vector<std::uint32_t> now = emulator_->registers(executed.core);
  const std::vector<std::uint32_t> before = std::exchange(core.registers, std::move(now));
  if (core_ && *core_ != executed.core) return;
  if (steps_.size() == most_steps) {
    ++left_out_;
    return;
  }
  if (!start_) start_ = executed.begin;
  TraceStep& step = steps_.emplace_back();
  step.core = executed.core;
  step.word = executed.word - core.first_word;
  step.cycle = executed.begin - *start_;
  step.first_event = first_event;
  step.event_count = executed.events - std::min(first_event, executed.events);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (const std::uint32_t value = core.registers[i]; value != before[i])
      step.changes.push_back({i, value, emulator_->meaning(executed.core, i, value, executed.word)});
}

std::vector<TraceStep> Tracer::take() { return std::exchange(steps_, {}); }

std::string report(const Emulator& emulator, std::span<const Program> images, std::span<const TraceStep> steps,
                   std::span<const Event> events) {
  const auto texts = texts_of(images);
  const std::vector<CoreReport> cores = emulator.cores();
  std::string text;
  for (const TraceStep& step : steps) {
    const auto place = texts.find({cores[step.core].name, step.word});
    std::string line = fmt::format("{:6} {:4} 0x{:04x}  {:24} ", step.cycle, cores[step.core].name, step.word,
                                   place == texts.end() ? "" : place->second.where);
    std::string changes;
    for (const TraceStep::Change& change : step.changes)
      changes += fmt::format("{}{} = {:#x}{}", changes.empty() ? "" : ", ", emulator.register_names()[change.number],
                             change.value, change.meaning.empty() ? "" : " (" + change.meaning + ')');
    const std::string instruction = place == texts.end() ? std::string() : place->second.text;
    line += changes.empty() ? instruction : fmt::format("{:44}  {}", instruction, changes);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    for (std::size_t i = 0; i < step.event_count && step.first_event + i < events.size(); ++i)
      text += fmt::format("{:22}{}\n", "", report(emulator, events[step.first_event + i]));
  }
  return text;
}

}  // namespace mobula::firmware
