// A small timeline with everything in it: two threads, a pipelined unit, a stall with a cause, dependencies from a
// finished and from a running execution, a flush.
#pragma once

#include <string>

#include "mobula/lab/timeline.h"

namespace mobula {

inline TimelineInfo sample_info() {
  return {.machine = "toy:one",
          .units = {"A", "LS"},
          .words = {{0x0, "add r0, r1"}, {0x10, "load\tr2 \"q\""}},
          .threads = {"left"}};
}

/// Execution 0: left, word 0. 1: thread 1, word 0, after 0. 2: left, word 1, uses 0. 3: thread 1, word 1, uses 1, is
/// flushed.
inline void play_sample(TimelineSink& sink, const TimelineInfo& info) {
  using enum EventKind;
  sink.begin(info);
  const auto on = [&](TimelineEvent event) { sink.on(event); };
  const TimelineCause zero{.execution = 0, .thread = 0, .word = 0}, one{.execution = 1, .thread = 1, .word = 0};
  on({.cycle = 0, .execution = 0, .thread = 0, .word = 0, .unit = 0, .kind = issue});
  on({.cycle = 0, .execution = 0, .thread = 0, .word = 0, .unit = 0, .kind = execute_begin});
  on({.cycle = 0,
      .execution = 1,
      .thread = 1,
      .word = 0,
      .unit = 0,
      .kind = stall_begin,
      .reason = StallReason::unit_busy,
      .cause = zero});
  on({.cycle = 2,
      .execution = 1,
      .thread = 1,
      .word = 0,
      .unit = 0,
      .kind = stall_end,
      .reason = StallReason::unit_busy});
  on({.cycle = 2, .execution = 1, .thread = 1, .word = 0, .unit = 0, .kind = issue});
  on({.cycle = 2, .execution = 1, .thread = 1, .word = 0, .unit = 0, .kind = execute_begin});
  on({.cycle = 4, .execution = 0, .thread = 0, .word = 0, .unit = 0, .kind = execute_end});
  on({.cycle = 4, .execution = 0, .thread = 0, .word = 0, .kind = write});
  on({.cycle = 5, .execution = 0, .thread = 0, .word = 0, .kind = retire});
  on({.cycle = 5,
      .execution = 2,
      .thread = 0,
      .word = 1,
      .kind = dependency,
      .reason = StallReason::read_after_write,
      .cause = zero});
  on({.cycle = 5, .execution = 2, .thread = 0, .word = 1, .unit = 1, .kind = execute_begin});
  on({.cycle = 5, .execution = 3, .thread = 1, .word = 1, .kind = dependency, .cause = one});
  on({.cycle = 6, .execution = 1, .thread = 1, .word = 0, .unit = 0, .kind = execute_end});
  on({.cycle = 6, .execution = 1, .thread = 1, .word = 0, .kind = retire});
  on({.cycle = 6, .execution = 3, .thread = 1, .word = 1, .unit = 1, .kind = execute_begin});
  on({.cycle = 7, .execution = 3, .thread = 1, .word = 1, .unit = 1, .kind = execute_end});
  on({.cycle = 7, .execution = 3, .thread = 1, .word = 1, .kind = flush});
  on({.cycle = 9, .execution = 2, .thread = 0, .word = 1, .unit = 1, .kind = execute_end});
  on({.cycle = 9, .execution = 2, .thread = 0, .word = 1, .kind = retire});
  sink.end(9);
}

/// What a view writes of the sample.
template <class Make>
std::string view_of_sample(Make make) {
  std::string text;
  const TimelineInfo info = sample_info();
  const auto view = make([&text](std::string_view piece) { text += piece; });
  play_sample(*view, info);
  return text;
}

/// A long timeline of one thread, `count` executions of two cycles each.
inline void play_long(TimelineSink& sink, const TimelineInfo& info, std::uint64_t count) {
  using enum EventKind;
  sink.begin(info);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0)
      sink.on(
          {.cycle = 2 * i, .execution = i, .kind = dependency, .cause = {.execution = i - 1, .thread = 0, .word = 0}});
    sink.on({.cycle = 2 * i, .execution = i, .unit = 0, .kind = execute_begin});
    sink.on({.cycle = 2 * i + 2, .execution = i, .unit = 0, .kind = execute_end});
    sink.on({.cycle = 2 * i + 2, .execution = i, .kind = retire});
  }
  sink.end(2 * count);
}

}  // namespace mobula
