#include "scoreboard/views/events.h"

#include <algorithm>
#include <span>

#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

Events::Events(const Config& config, const Plan& plan, const CoreView& core, TimelineSink* sink)
    : core_(core), sink_(sink) {
  if (sink_ == nullptr) return;
  dependencies_.emplace(config, core, plan);
  info_.machine = "scoreboard:" + config.name;
  for (const Group& group : config.groups)
    for (std::uint32_t i = 0; i < group.units; ++i) info_.units.push_back(group.name + '.' + std::to_string(i));
  for (const Operation& op : plan.workload->operations) info_.words.push_back({op.id, print(op)});
  info_.threads = {"program"};
  sink_->begin(info_);
}

void Events::emit(const Flight& flight, EventKind kind, StallReason reason, TimelineCause cause) {
  sink_->on({.cycle = core_.signals().clock,
             .execution = flight.execution,
             .thread = 0,
             .word = flight.op,
             .unit = flight.unit,
             .kind = kind,
             .reason = reason,
             .cause = cause});
}

void Events::wait(Flight& flight, Wait wait) {
  if (flight.reason == wait.reason) return;
  if (flight.reason != StallReason::none) emit(flight, EventKind::stall_end, flight.reason);
  flight.reason = wait.reason;
  if (wait.reason == StallReason::none) return;
  TimelineCause cause;
  const auto other = std::ranges::find_if(flights_, [&](const Flight& each) { return each.unit == wait.unit; });
  if (other != flights_.end()) cause = {other->execution, 0, other->op};
  emit(flight, EventKind::stall_begin, wait.reason, cause);
}

void Events::tell_dependencies(const Flight& flight) {
  for (const Dependencies::Dependency& each : dependencies_->issue({flight.execution, flight.op}))
    emit(flight, EventKind::dependency, each.reason, {each.on.execution, 0, each.on.op});
}

bool Events::follow(Flight& flight) {
  const Times& times = core_.times()[flight.op];
  const auto clock = static_cast<std::uint32_t>(core_.signals().clock);
  if (times.kill == clock) {
    wait(flight, {});
    if (flight.executing) emit(flight, EventKind::execute_end);
    emit(flight, EventKind::flush);
    return true;
  }
  if (flight.executing && times.complete != 0) {
    emit(flight, EventKind::execute_end);
    flight.executing = false;
  }
  if (times.start == clock) {
    wait(flight, {});
    emit(flight, EventKind::execute_begin);
    flight.executing = true;
  }
  if (times.write == clock && !is_in_flight(flight)) {
    wait(flight, {});
    emit(flight, EventKind::write);
    emit(flight, EventKind::retire);
    return true;
  }
  if (!flight.executing && core_.operation(flight.unit) == flight.op) wait(flight, core_.wait_of(flight.unit));
  return false;
}

bool Events::is_in_flight(const Flight& flight) const {
  return core_.operation(flight.unit) == flight.op ||
         (flight.unit + 1 < info_.units.size() && core_.operation(flight.unit + 1) == flight.op);
}

void Events::on_clock() {
  for (std::size_t i = 0; i < flights_.size(); ++i)
    if (follow(flights_[i])) flights_[i].op = no_operation;
  std::erase_if(flights_, [](const Flight& flight) { return flight.op == no_operation; });
  const std::size_t before = flights_.size();
  for_each(core_.signals().issue, [&](std::uint32_t unit) {
    const std::uint32_t op = core_.operation(unit);
    if (core_.times()[op].unit != unit) return;  // the high half of a pair
    flights_.push_back({.op = op, .unit = unit});
  });
  std::ranges::sort(std::span(flights_).subspan(before), {}, &Flight::op);
  for (Flight& flight : std::span(flights_).subspan(before)) {
    flight.execution = executions_++;
    emit(flight, EventKind::issue);
    tell_dependencies(flight);
  }
}

void Events::end() {
  if (sink_ == nullptr) return;
  for (Flight& flight : flights_) {
    wait(flight, {});
    if (flight.executing) emit(flight, EventKind::execute_end);
    emit(flight, EventKind::flush);
  }
  sink_->end(core_.signals().clock);
}

}  // namespace mobula::scoreboard
