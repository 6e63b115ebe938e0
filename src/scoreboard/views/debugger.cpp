#include "mobula/scoreboard/debugger.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "core/quote.h"
#include "execute/stop_list.h"
#include "scoreboard/core/core.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {
namespace {

using Stops = StopList<Debugger::Breakpoint, std::uint64_t>;
constexpr std::uint32_t watched_bytes = 8;  ///< of memory: as much as of a register

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

  [[nodiscard]] Result<std::size_t> register_named(std::string_view wanted) const {
    const std::vector<RegisterBytes>& all = plan->registers;
    const auto found = std::ranges::find_if(all, [&](const RegisterBytes& each) { return print(each) == wanted; });
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    return fail("SB161", "the core has no register " + std::string(wanted),
                all.empty() ? "" : "such as " + print(all.front()) + " to " + print(all.back()));
  }

  [[nodiscard]] Result<Value> value_named(std::string_view wanted) const {
    if (wanted == "clock") return Value::integer(static_cast<std::int64_t>(core->signals().clock));
    if (wanted == "pc" || wanted == "$pc")
      return fail("SB161", "the core has no program counter", "\"where\" shows the operation that is issued next");
    const auto which = register_named(wanted);
    if (!which) return fail(which.error());
    return Value::integer(static_cast<std::int64_t>(core->value_of(*which)));
  }

  [[nodiscard]] Result<Value> evaluate(const Expression& expression) const {
    return expression.evaluate(
        [&](std::string_view wanted) { return value_named(wanted); },
        [&](std::uint64_t address) -> Result<Value> {
          return Value::integer(static_cast<std::int64_t>(core->memory().peek(address, watched_bytes)));
        });
  }

  // ---- stopping

  [[nodiscard]] std::uint64_t watched(const Breakpoint& point) const {
    return point.which ? core->value_of(*point.which) : core->memory().peek(*point.memory, watched_bytes);
  }
  void arm() {
    for (auto& [number, each] : stops)
      if (!each.point.place) each.before = watched(each.point);
  }
  [[nodiscard]] bool has_happened(const Happening& place) const {
    return std::ranges::any_of(happened, [&](const Happening& each) {
      return each.moment == place.moment && (place.operation == no_operation || each.operation == place.operation);
    });
  }

  /// What the last clock met. A condition that cannot be evaluated holds, so that it is seen.
  std::optional<Breakpoint> met() {
    for (auto& [number, each] : stops) {
      if (!each.point.enabled) continue;
      if (each.point.place) {
        if (!has_happened(*each.point.place)) continue;
      } else {
        const std::uint64_t now = watched(each.point);
        if (std::exchange(each.before, now) == now) continue;
      }
      const auto holds = each.condition ? evaluate(*each.condition) : Result<Value>(Value::integer(1));
      if (!holds || holds->is_true()) return each.point;
    }
    return {};
  }

  /// The same, counted: nothing if it is to be passed by.
  std::optional<Halt> stop_at_met() {
    if (const auto point = met()) halted_by = stops.stop_at(point->number);
    if (!halted_by) return {};
    return halted_by->place ? Halt::breakpoint : Halt::watch;
  }

  /// So many clocks at most. A stop in the last one of a step is none: it stops there anyway.
  Halt advance(std::uint64_t most, bool is_step) {
    halted_by.reset();
    arm();
    while (most != 0 && !core->finished()) {
      step();
      --most;
      if (most != 0 || !is_step) {
        if (const auto halt = stop_at_met()) return *halt;
      }
      if (core->stuck() && !core->finished()) return Halt::deadlock;
    }
    if (core->finished()) return Halt::finished;
    return is_step ? Halt::stepped : Halt::unfinished;
  }

  Config config;
  Workload workload;
  std::optional<Plan> plan;
  std::optional<Core> core;
  std::vector<std::uint32_t> in_flight;  ///< in order of issue
  std::vector<Happening> happened;
  Stops stops;
  std::optional<Breakpoint> halted_by;
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

Debugger::Halt Debugger::step(std::uint64_t clocks) { return impl_->advance(clocks, true); }
Debugger::Halt Debugger::go(std::uint64_t most) { return impl_->advance(most, false); }

Debugger::Halt Debugger::back(std::uint64_t clocks) {
  const std::uint64_t passed = clock(), wanted = passed - std::min(clocks, passed);
  impl_->halted_by.reset();
  impl_->begin();
  while (clock() < wanted) impl_->step();
  return clocks > passed ? Halt::beginning : Halt::stepped;
}

Debugger::Halt Debugger::go_back() {
  const std::uint64_t passed = clock();
  std::uint64_t wanted = 0;
  std::optional<Breakpoint> last;
  impl_->begin();
  impl_->arm();
  while (clock() + 1 < passed) {
    impl_->step();
    if (auto point = impl_->met()) {
      last = std::move(point);
      wanted = clock();
    }
  }
  back(clock() - wanted);
  impl_->halted_by = std::move(last);
  if (!impl_->halted_by) return Halt::beginning;
  return impl_->halted_by->place ? Halt::breakpoint : Halt::watch;
}

Result<std::uint32_t> Debugger::add(Breakpoint breakpoint) { return impl_->stops.add(std::move(breakpoint)); }
Result<void> Debugger::replace(Breakpoint breakpoint) { return impl_->stops.replace(std::move(breakpoint)); }
bool Debugger::remove(std::uint32_t number) { return impl_->stops.remove(number); }
std::vector<Debugger::Breakpoint> Debugger::breakpoints() const { return impl_->stops.points(); }
const std::optional<Debugger::Breakpoint>& Debugger::halted_by() const { return impl_->halted_by; }

const Config& Debugger::config() const { return impl_->config; }
const Workload& Debugger::workload() const { return impl_->workload; }
std::uint64_t Debugger::clock() const { return impl_->core->signals().clock; }
bool Debugger::finished() const { return impl_->core->finished(); }
std::span<const Happening> Debugger::happened() const { return impl_->happened; }
const View& Debugger::view() const { return *impl_->core; }
const Times& Debugger::times(std::uint32_t operation) const { return impl_->core->times()[operation]; }
Cause Debugger::cause() const { return impl_->core->cause(); }
std::vector<std::string> Debugger::waits() const { return impl_->core->waits(Wording::names); }
std::vector<std::string> Debugger::waits_in_plain_words() const { return impl_->core->waits(Wording::plain); }

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

Result<std::size_t> Debugger::register_named(std::string_view name) const { return impl_->register_named(name); }
std::uint64_t Debugger::value(std::size_t which) const { return impl_->core->value_of(which); }
std::string Debugger::name_of(std::size_t which) const { return print(impl_->plan->registers[which]); }

Result<Value> Debugger::evaluate(std::string_view expression) const {
  const auto parsed = Expression::parse(expression);
  if (!parsed) return fail(parsed.error());
  return impl_->evaluate(*parsed);
}

std::uint64_t Debugger::memory(std::uint64_t address, std::uint32_t bytes) const {
  return impl_->core->memory().peek(address, bytes);
}

Result<std::uint32_t> Debugger::operation(std::uint32_t id) const {
  const auto found = std::ranges::find(impl_->workload.operations, id, &Operation::id);
  if (found == impl_->workload.operations.end())
    return fail("SB162", "the workload has no operation " + std::to_string(id));
  return static_cast<std::uint32_t>(found - impl_->workload.operations.begin());
}

Result<Happening> Debugger::happening(std::string_view text) const {
  constexpr std::string_view example = "break write 17";
  Happening place;
  bool told = false;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const auto moment = std::ranges::find(all_moments, word, [](Moment each) { return name(each); });
    if (moment != all_moments.end()) {
      if (told) return fail("SB163", quote(word) + " is a second moment", std::string(example));
      place.moment = *moment;
      told = true;
      continue;
    }
    const auto id = read_number(word);
    if (!id)
      return fail("SB163", quote(word) + " is neither a moment nor an operation",
                  "issue, read, start, complete, write or kill, and the number an operation begins with");
    if (place.operation != no_operation)
      return fail("SB163", quote(word) + " is a second operation", std::string(example));
    if (*id > std::numeric_limits<std::uint32_t>::max()) return fail("SB162", "there is no operation " + word);
    const auto index = operation(static_cast<std::uint32_t>(*id));
    if (!index) return fail(index.error());
    place.operation = *index;
  }
  if (!told && place.operation == no_operation)
    return fail("SB163", "nothing is named to stop at", std::string(example));
  return place;
}

std::string Debugger::text_of(const Happening& happening) const {
  std::string text(name(happening.moment));
  text.resize(std::max<std::size_t>(text.size(), 9), ' ');
  return text + ' ' +
         (happening.operation == no_operation ? "of any operation"
                                              : print(impl_->workload.operations[happening.operation]));
}

}  // namespace mobula::scoreboard
