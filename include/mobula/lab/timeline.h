// Timeline: what a timing model says about each cycle, as a stream of typed events, and the views that consume it.
//
// A timing model calls begin() once, on() for every event in order of cycle, and end() once. The contract, which
// tests/timeline/contract.h checks:
//   - cycles never go backwards from one event to the next;
//   - one run of one word by one thread is an *execution*; executions are numbered 0, 1, 2... in the order of their
//   first events;
//   - every execution ends with exactly one retire or flush, its last event, before end();
//   - an execution's begins and ends (execute, stall) come in pairs and do not nest within their kind;
//   - dependency events of an execution come before its execute_begin.
// A model emits with `if (sink != nullptr) sink->on({...})`, so that a timeline that was not asked for costs one test.
//
// Views write through a caller's function in pieces, so the library does no file I/O. Their memory grows with the
// number of threads, words and executions in flight, not with the number of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"

namespace mobula {

enum class EventKind : std::uint8_t {
  issue,          ///< the word is handed to its unit
  execute_begin,  ///< the unit starts to work on it
  execute_end,    ///< the unit is done with it
  write,          ///< its results can be seen by others
  stall_begin,    ///< from this cycle on it waits, for `reason`, because of `cause`
  stall_end,      ///< it no longer waits; carries the reason of its stall_begin
  dependency,     ///< it must come after `cause`; `reason` says whether it reads or overwrites what that wrote or read
  retire,         ///< it is finished
  flush,          ///< it is abandoned: its effects are undone, or the simulation stopped
};
MOBULA_API std::string_view name(EventKind kind);
MOBULA_API std::span<const EventKind> event_kinds();

/// Why something waits. One list for all machines.
enum class StallReason : std::uint8_t {
  none,
  thread_order,
  unit_busy,
  not_selected,
  read_after_write,
  write_after_read,
  write_after_write,
  register_port,
  result_bus,
  no_free_slot,
  memory,
  texture,
  tile_buffer,
  barrier,
  branch,
  fetch,
  input,
  drain,
  no_work,
};
inline constexpr std::size_t stall_reason_count = static_cast<std::size_t>(StallReason::no_work) + 1;
struct StallReasonInfo {
  StallReason reason{};
  std::string_view name;
  char letter = '.';          ///< in the text view
  std::string_view sentence;  ///< for a person who has never heard of it
};
/// In the order of the enumeration.
MOBULA_API std::span<const StallReasonInfo> stall_reasons();
MOBULA_API const StallReasonInfo& info(StallReason reason);

inline constexpr std::uint64_t no_execution = ~std::uint64_t{0};
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// What is in the way (stall) or was produced earlier (dependency). Any part may be absent.
struct TimelineCause {
  std::uint64_t execution = no_execution;
  std::uint32_t thread = no_index;
  std::uint32_t word = no_index;  ///< index in TimelineInfo::words
};

struct TimelineEvent {
  std::uint64_t cycle = 0;      ///< 0 = start of the simulation
  std::uint64_t execution = 0;  ///< see the contract above
  std::uint32_t thread = 0;
  std::uint32_t word = 0;         ///< index in TimelineInfo::words
  std::uint32_t unit = no_index;  ///< index in TimelineInfo::units: where it executes, or what it waits for
  EventKind kind = EventKind::issue;
  StallReason reason = StallReason::none;
  TimelineCause cause;
};

/// Everything that events refer to by number; declared before the first event.
struct TimelineInfo {
  struct Word {
    std::uint64_t address = 0;  ///< byte offset in the program
    std::string text;           ///< one line; shown beside the address and in tooltips
  };
  std::string machine;  ///< as typed: "midgard:t860"
  std::vector<std::string> units;
  std::vector<Word> words;
  std::vector<std::string> threads;  ///< names by index; a thread without one is called "thread N"
};

class MOBULA_API TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  /// `info` outlives the call of end().
  virtual void begin(const TimelineInfo& info) = 0;
  virtual void on(const TimelineEvent& event) = 0;
  /// `cycles` is the length of the whole timeline, at least the last event's cycle.
  virtual void end(std::uint64_t cycles) = 0;
};

/// Passes everything on to several sinks, which must outlive it; null pointers among them are left out.
class MOBULA_API TimelineFork : public TimelineSink {
 public:
  explicit TimelineFork(std::vector<TimelineSink*> sinks) : sinks_(std::move(sinks)) {}
  void begin(const TimelineInfo& info) override;
  void on(const TimelineEvent& event) override;
  void end(std::uint64_t cycles) override;

 private:
  std::vector<TimelineSink*> sinks_;
};

/// Takes the next piece of an output; pieces are some tens of kilobytes, the last one comes from end().
using TimelineOutput = std::function<void(std::string_view)>;

struct TextTimelineOptions {
  std::uint32_t max_cycles = 100;  ///< columns
  std::uint32_t max_rows = 400;    ///< executions shown
};
/// A grid with a row for each execution (by thread, then in order), a column for each cycle, and a legend. It says what
/// is cut off.
MOBULA_API std::unique_ptr<TimelineSink> text_timeline(TimelineOutput output, TextTimelineOptions options = {});
/// {"schema": "mobula/timeline", "version": 1, ...}; docs/schemas/timeline.json.
MOBULA_API std::unique_ptr<TimelineSink> json_timeline(TimelineOutput output);
/// Kanata log, version 0004, for the Konata viewer: an instruction for each execution, lane 0 the stages, lane 1 the
/// stalls. Source of the format: docs/kanata-log-format.md of the Konata project.
MOBULA_API std::unique_ptr<TimelineSink> konata_timeline(TimelineOutput output);
/// Perfetto's protobuf trace: tracks for units and threads, slices for execution and stalls, flows for dependencies;
/// one cycle is one nanosecond. Source of the format: protos/perfetto/trace of the Perfetto project.
MOBULA_API std::unique_ptr<TimelineSink> perfetto_timeline(TimelineOutput output);

}  // namespace mobula
