// What the machines' simulations do the same way: events in the order of time, waits and executions told to the
// timeline and counted in the report, and the report's beginning and end.
#pragma once

#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "mobula/lab/timing.h"

namespace mobula {

inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// What is to happen, the earliest first; what happens in the same cycle, in the order in which it was planned.
template <class What>
class Agenda {
 public:
  struct Entry {
    std::uint64_t cycle = 0, order = 0;
    What what;
    friend bool operator>(const Entry& a, const Entry& b) {
      return a.cycle != b.cycle ? a.cycle > b.cycle : a.order > b.order;
    }
  };

  void plan(std::uint64_t cycle, What what) { entries_.push({cycle, planned_++, std::move(what)}); }
  [[nodiscard]] std::uint64_t next_cycle() const { return entries_.empty() ? never : entries_.top().cycle; }
  /// Precondition: next_cycle() is not `never`.
  Entry take() {
    Entry first = entries_.top();
    entries_.pop();
    return first;
  }

 private:
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::uint64_t planned_ = 0;
};

/// A word that a thread executes, or reaches next; in which unit, if that is to be reported.
struct TimedExecution {
  std::uint64_t number = no_execution;
  std::uint32_t thread = no_index, word = no_index, unit = no_index;
  [[nodiscard]] TimelineCause as_cause() const { return {.execution = number, .thread = thread, .word = word}; }
};

/// The reason for which something waits now, and the cycle in which that began.
struct Wait {
  StallReason reason = StallReason::none;
  std::uint64_t since = 0;
  explicit operator bool() const { return reason != StallReason::none; }
};

/// The cycle that a simulation has reached, and what it reports about that cycle: events to the timeline, if anyone
/// wants them, and thread-cycles to the report.
class Recorder {
 public:
  Recorder(const SimulationRequest& request, SimulationReport& report) : timeline_(request.timeline), report_(report) {}

  std::uint64_t cycle = 0;

  /// Numbers an execution when it is mentioned for the first time.
  void mention(std::uint64_t& execution) {
    if (execution == no_execution) execution = next_execution_++;
  }

  void tell(const TimedExecution& what, EventKind kind, StallReason reason = StallReason::none,
            const TimelineCause& cause = {}) {
    if (timeline_ == nullptr) return;
    timeline_->on({.cycle = cycle,
                   .execution = what.number,
                   .thread = what.thread,
                   .word = what.word,
                   .unit = what.unit,
                   .kind = kind,
                   .reason = reason,
                   .cause = cause});
  }

  void tell_issue(const TimedExecution& what) {
    tell(what, EventKind::issue);
    tell(what, EventKind::execute_begin);
    ++report_.words[what.word].executions;
  }
  /// The execution has come to its end, or is given up.
  void tell_end(const TimedExecution& what, EventKind how) {
    tell(what, EventKind::execute_end);
    if (how == EventKind::retire) tell(what, EventKind::write);
    tell(what, how);
  }

  void begin_wait(Wait& wait, const TimedExecution& what, StallReason reason, const TimelineCause& cause = {}) {
    wait = {reason, cycle};
    tell(what, EventKind::stall_begin, reason, cause);
  }
  /// Precondition: it waits. `threads`: that wait together.
  void end_wait(Wait& wait, const TimedExecution& what, std::uint64_t threads = 1) {
    add_waiting(what.word, wait.reason, threads * (cycle - wait.since));
    tell(what, EventKind::stall_end, wait.reason);
    wait.reason = StallReason::none;
  }

  void add_waiting(std::uint32_t word, StallReason reason, std::uint64_t thread_cycles) {
    report_.waiting[static_cast<std::size_t>(reason)] += thread_cycles;
    report_.words[word].waiting[static_cast<std::size_t>(reason)] += thread_cycles;
  }
  void add_executing(std::uint32_t word, std::uint64_t thread_cycles) {
    report_.executing += thread_cycles;
    report_.words[word].executing += thread_cycles;
  }
  /// Takes back what was added for cycles that do not come any more.
  void take_back_executing(std::uint32_t word, std::uint64_t thread_cycles) {
    report_.executing -= thread_cycles;
    report_.words[word].executing -= thread_cycles;
  }

 private:
  TimelineSink* timeline_;
  SimulationReport& report_;
  std::uint64_t next_execution_ = 0;
};

/// Threads of the run, or those asked for, or else so many.
std::uint32_t threads_to_simulate(const SimulationRequest& request, std::uint32_t otherwise);
/// What a timeline is told first: the report's words, a unit for each pipe.
TimelineInfo timeline_info(const SimulationReport& report);
/// Leaves out the words that no thread came to, and completes what is the same for every machine.
void finish(SimulationReport& report, const SimulationRequest& request, std::vector<TimingParameter> parameters);

}  // namespace mobula
