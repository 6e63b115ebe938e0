// The run as timeline events (mobula/lab/timeline.h): an operation is a word, units are units, there is one thread.
#pragma once

#include <optional>
#include <vector>

#include "scoreboard/core/core.h"
#include "scoreboard/views/dependencies.h"

namespace mobula::scoreboard {

class Events {
 public:
  /// `sink` may be null: nothing happens. All must outlive this.
  Events(const Config& config, const Plan& plan, const CoreView& core, TimelineSink* sink);
  /// After each step.
  void on_clock();
  void end();

 private:
  struct Flight {
    std::uint64_t execution = 0;
    std::uint32_t op = no_operation;
    std::uint32_t unit = 0;
    StallReason reason = StallReason::none;
    bool executing = false;
  };
  void emit(const Flight& flight, EventKind kind, StallReason reason = StallReason::none, TimelineCause cause = {});
  void wait(Flight& flight, Wait wait);
  void tell_dependencies(const Flight& flight);
  /// True if the operation has left its unit.
  bool follow(Flight& flight);
  [[nodiscard]] bool is_in_flight(const Flight& flight) const;

  const CoreView& core_;
  TimelineSink* sink_;
  TimelineInfo info_;
  std::optional<Dependencies> dependencies_;  ///< while somebody listens
  std::vector<Flight> flights_;               ///< in order of issue
  std::uint64_t executions_ = 0;
};

}  // namespace mobula::scoreboard
