#include "mobula/scoreboard/debugger.h"

#include <algorithm>
#include <array>
#include <optional>

#include "scoreboard/core/core.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {
namespace {

constexpr std::array all_moments{Moment::issue,    Moment::read,  Moment::start,
                                 Moment::complete, Moment::write, Moment::kill};

/// The clock in which it is seen.
std::uint32_t clock_of(const Times& times, Moment moment) {
  switch (moment) {
    case Moment::issue:
      return times.issue;
    case Moment::read:
      return times.read;
    case Moment::start:
      return times.start;
    case Moment::complete:
      return times.complete == 0 ? 0 : times.complete + 1;
    case Moment::write:
      return times.write;
    case Moment::kill:
      return times.kill;
  }
  return 0;
}

}  // namespace

std::string_view name(Moment moment) {
  constexpr std::array<std::string_view, all_moments.size()> names{"issue",    "read",  "start",
                                                                   "complete", "write", "kill"};
  return names[static_cast<std::size_t>(moment)];
}

std::span<const Moment> moments() { return all_moments; }

struct Debugger::Impl {
  Impl(Config own_config, Workload own_workload) : config(std::move(own_config)), workload(std::move(own_workload)) {}

  void begin() {
    core.emplace(config, *plan, true);
    in_flight.clear();
    happened.clear();
  }
  void step() {
    core->step();
    happened.clear();
    for_each(core->signals().issue, [&](std::uint32_t unit) {
      const std::uint32_t op = core->operation(unit);
      if (std::ranges::find(in_flight, op) == in_flight.end()) in_flight.push_back(op);
    });
    for (const std::uint32_t op : in_flight)
      for (const Moment moment : all_moments)
        if (clock_of(core->times()[op], moment) == core->signals().clock) happened.push_back({moment, op});
    std::erase_if(in_flight, [&](std::uint32_t op) {
      const std::uint32_t unit = core->times()[op].unit;
      const bool high = unit + 1 < config.units() && core->operation(unit + 1) == op;
      return core->operation(unit) != op && !high;
    });
  }

  Config config;
  Workload workload;
  std::optional<Plan> plan;
  std::optional<Core> core;
  std::vector<std::uint32_t> in_flight;  ///< in order of issue
  std::vector<Happening> happened;
};

Debugger::Debugger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Debugger::~Debugger() = default;
Debugger::Debugger(Debugger&&) noexcept = default;
Debugger& Debugger::operator=(Debugger&&) noexcept = default;

Result<Debugger> Debugger::create(Config config, Workload workload) {
  auto impl = std::make_unique<Impl>(std::move(config), std::move(workload));
  Result<Plan> plan = make_plan(impl->config, impl->workload);
  if (!plan) return fail(plan.error());
  impl->plan.emplace(std::move(*plan));
  impl->begin();
  return Debugger(std::move(impl));
}

Debugger::Halt Debugger::step(std::uint64_t clocks) {
  for (std::uint64_t i = 0; i < clocks && !finished(); ++i) {
    impl_->step();
    if (impl_->core->stuck() && !finished()) return Halt::deadlock;
  }
  return finished() ? Halt::finished : Halt::stepped;
}

Debugger::Halt Debugger::go() {
  while (!finished()) {
    const Halt halt = step();
    if (at_breakpoint()) return Halt::breakpoint;
    if (halt != Halt::stepped) return halt;
  }
  return Halt::finished;
}

bool Debugger::at_breakpoint() const {
  return std::ranges::any_of(impl_->happened, [&](const Happening& each) {
    return breakpoints.contains(each) || breakpoints.contains({each.moment, no_operation});
  });
}

Result<void> Debugger::back(std::uint64_t clocks) {
  const std::uint64_t passed = clock();
  if (clocks > passed)
    return fail("SB160", "cannot go back to before the start", "clocks that have passed: " + std::to_string(passed));
  impl_->begin();
  step(passed - clocks);
  return {};
}

const Config& Debugger::config() const { return impl_->config; }
const Workload& Debugger::workload() const { return impl_->workload; }
std::uint64_t Debugger::clock() const { return impl_->core->signals().clock; }
bool Debugger::finished() const { return impl_->core->finished(); }
std::span<const Happening> Debugger::happened() const { return impl_->happened; }
const View& Debugger::view() const { return *impl_->core; }
const Times& Debugger::times(std::uint32_t operation) const { return impl_->core->times()[operation]; }
Cause Debugger::cause() const { return impl_->core->cause(); }
std::vector<std::string> Debugger::waits() const { return impl_->core->waits(); }

std::uint32_t Debugger::next() const {
  const std::span<const std::uint32_t> queued = impl_->core->queued();
  return queued.empty() ? no_operation : queued.front();
}

std::vector<RegisterValue> Debugger::registers() const {
  std::vector<RegisterValue> all;
  for (std::size_t i = 0; i < impl_->plan->registers.size(); ++i)
    all.push_back({impl_->plan->registers[i], impl_->core->value_of(i)});
  return all;
}

Result<std::uint64_t> Debugger::value(std::string_view register_name) const {
  const std::vector<RegisterBytes>& all = impl_->plan->registers;
  const auto found = std::ranges::find_if(all, [&](const RegisterBytes& each) { return print(each) == register_name; });
  if (found == all.end())
    return fail("SB161", "the core has no register " + std::string(register_name),
                all.empty() ? "" : "such as " + print(all.front()) + " to " + print(all.back()));
  return impl_->core->value_of(static_cast<std::size_t>(found - all.begin()));
}

std::uint64_t Debugger::memory(std::uint64_t address, std::uint32_t bytes) const {
  return impl_->core->memory().load(address, bytes);
}

Result<std::uint32_t> Debugger::operation(std::uint32_t id) const {
  const auto found = std::ranges::find(impl_->workload.operations, id, &Operation::id);
  if (found == impl_->workload.operations.end())
    return fail("SB162", "the workload has no operation " + std::to_string(id));
  return static_cast<std::uint32_t>(found - impl_->workload.operations.begin());
}

}  // namespace mobula::scoreboard
