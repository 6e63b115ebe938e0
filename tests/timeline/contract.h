// Listens to a timeline and notes where it breaks the contract of mobula/timeline.h. For the tests of timing models.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mobula/lab/timeline.h"

namespace mobula {

class TimelineContract : public TimelineSink {
 public:
  /// Empty = the contract was kept.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

  void begin(const TimelineInfo& info) override {
    if (info_ != nullptr) note("begin() twice");
    info_ = &info;
  }

  void on(const TimelineEvent& event) override {
    at_ = event.cycle;
    if (info_ == nullptr) return note("event before begin()");
    if (ended_) note("event after end()");
    if (event.cycle < cycle_) note("goes back in time");
    cycle_ = event.cycle;
    if (event.execution > next_) note("execution numbers are not consecutive");
    if (event.execution == next_) open_[next_++] = {.thread = event.thread, .word = event.word};
    const auto found = open_.find(event.execution);
    if (found == open_.end()) return note("event of an execution that has ended");
    Execution& state = found->second;
    if (state.thread != event.thread || state.word != event.word) note("an execution changes its thread or word");
    if (event.word >= info_->words.size()) note("undeclared word");
    if (event.unit != no_index && event.unit >= info_->units.size()) note("undeclared unit");
    const bool is_stall = event.kind == EventKind::stall_begin || event.kind == EventKind::stall_end;
    const bool may_have_reason = is_stall || event.kind == EventKind::dependency;
    if (is_stall && event.reason == StallReason::none) note("a stall has a reason");
    if (!may_have_reason && event.reason != StallReason::none) note("only stalls and dependencies have reasons");
    switch (event.kind) {
      case EventKind::issue:
      case EventKind::write:
        break;
      case EventKind::execute_begin:
        if (state.executing || event.unit == no_index) note("execute_begin while executing, or without a unit");
        state.executing = state.executed = true;
        break;
      case EventKind::execute_end:
        if (!state.executing) note("execute_end without a begin");
        state.executing = false;
        break;
      case EventKind::stall_begin:
        if (state.reason != StallReason::none) note("stall_begin while stalled");
        state.reason = event.reason;
        break;
      case EventKind::stall_end:
        if (state.reason != event.reason) note("stall_end of another stall");
        state.reason = StallReason::none;
        break;
      case EventKind::dependency:
        if (state.executed) note("dependency after execute_begin");
        if (event.cause.execution >= event.execution) note("dependency on a later execution");
        break;
      case EventKind::retire:
      case EventKind::flush:
        if (state.executing || state.reason != StallReason::none) note("ends while executing or stalled");
        open_.erase(found);
        break;
    }
  }

  void end(std::uint64_t cycles) override {
    at_ = cycles;
    if (cycles < cycle_) note("end() before the last event");
    if (ended_) note("end() twice");
    for (const auto& [execution, state] : open_) note("execution " + std::to_string(execution) + " never ended");
    ended_ = true;
  }

 private:
  struct Execution {
    std::uint32_t thread = 0, word = 0;
    bool executing = false, executed = false;
    StallReason reason = StallReason::none;
  };
  void note(const std::string& text) { broken_.push_back("cycle " + std::to_string(at_) + ": " + text); }

  const TimelineInfo* info_ = nullptr;
  bool ended_ = false;
  std::uint64_t cycle_ = 0, at_ = 0, next_ = 0;
  std::map<std::uint64_t, Execution> open_;
  std::vector<std::string> broken_;
};

}  // namespace mobula
