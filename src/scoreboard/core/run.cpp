// A whole run: clocks until all is done, statistics, and the comparison with execution in order.
#include "scoreboard/core/run.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/counted.h"
#include "scoreboard/core/core.h"
#include "scoreboard/core/units.h"
#include "scoreboard/views/events.h"

namespace mobula::scoreboard {
namespace {

class Statistics {
 public:
  Statistics(const Config& config, RunResult& result) : result_(result) {
    for (const Group& group : config.groups) result.busy_units.emplace_back(group.units + 1, 0);
    result.queue_entries.assign(config.issue.queue + 1, 0);
    const std::uint32_t tables =
        config.virtual_registers.per_file ? static_cast<std::uint32_t>(config.files.size()) : 1;
    std::uint32_t spare = 0;
    for (const RegisterFile& file : config.files) spare += config.waw == Waw::rename ? file.physical - file.count : 0;
    if (config.waw == Waw::rename) result.virtual_rows.assign(spare + 1, 0);
    if (config.virtual_registers.rows != 0) result.virtual_rows.assign(config.virtual_registers.rows * tables + 1, 0);
  }
  /// The last `clocks` clocks, which were alike.
  template <class Core>
  void on(const Core& core, std::uint64_t clocks) {
    const Signals& now = core.signals();
    result_.causes[static_cast<std::size_t>(core.cause())] += clocks;
    for (std::size_t g = 0; g < result_.busy_units.size(); ++g) result_.busy_units[g][core.busy_units(g)] += clocks;
    result_.queue_entries[now.queue] += clocks;
    if (!result_.virtual_rows.empty()) result_.virtual_rows[now.virtual_rows] += clocks;
  }

 private:
  RunResult& result_;
};

Diagnostic stopped(const Workload& workload, const char* code, std::string message, std::string hint = {}) {
  return {Severity::error, code, {.file = workload.name}, std::move(message), std::move(hint)};
}

template <class Core>
Diagnostics deadlock(const Workload& workload, const Core& core) {
  Diagnostics all{stopped(workload, "SB301",
                          "deadlock at clock " + std::to_string(core.signals().clock) +
                              ": nothing can be issued, read, executed or written any more")};
  for (std::string& sentence : core.waits()) {
    if (all.size() == 20) break;
    all.push_back({Severity::note, "SB301", {.file = workload.name}, std::move(sentence), ""});
  }
  return all;
}

template <class Core>
Diagnostics differences(const Plan& plan, const Core& core) {
  Diagnostics all;
  for (std::size_t i = 0; i < plan.registers.size() && all.size() < 20; ++i)
    if (core.value_of(i) != plan.reference.registers[i])
      all.push_back(stopped(*plan.workload, "SB303",
                            "register " + print(plan.registers[i]) + " ends as " + std::to_string(core.value_of(i)) +
                                ", in order as " + std::to_string(plan.reference.registers[i]),
                            "this is a bug in mobula; please report it with workload and configuration"));
  if (core.memory() != plan.reference.memory)
    all.push_back(stopped(*plan.workload, "SB303", "memory ends up different from execution in order"));
  if (core.trapped() != plan.reference.trap)
    all.push_back(stopped(*plan.workload, "SB303", "the trap is not that of execution in order"));
  return all;
}

constexpr std::uint64_t clocks_between_stops = 1024;

template <class Core>
Result<PlannedRun> run(const Config& config, const Plan& plan, const RunOptions& options) {
  const Workload& workload = *plan.workload;
  RunResult result;
  Statistics statistics(config, result);
  Core core(config, plan, static_cast<bool>(options.observer));
  Events events(config, plan, core, options.timeline);
  const std::uint64_t last_clock =
      std::min<std::uint64_t>(options.max_clocks, std::numeric_limits<std::uint32_t>::max() / 2);
  const bool is_watched = options.observer || options.timeline != nullptr;
  while (!core.finished()) {
    if (core.signals().clock == last_clock) {
      events.end();
      return fail(
          stopped(workload, "SB302", "not finished after " + counted(last_clock, "clock"), "--max-clocks allows more"));
    }
    if (options.stop && core.signals().clock % clocks_between_stops == 0 && options.stop()) {
      events.end();
      return fail(stopped(workload, "SB304", "stopped at clock " + std::to_string(core.signals().clock)));
    }
    core.step();
    statistics.on(core, 1);
    if (options.observer) options.observer(core);
    if (options.timeline != nullptr) events.on_clock();
    if (core.stuck() && !core.finished()) {
      events.end();
      return fail(deadlock(workload, core));
    }
    if (!core.idle() || is_watched) continue;
    std::uint64_t most = last_clock - core.signals().clock;
    if (options.stop) most = std::min(most, clocks_between_stops - core.signals().clock % clocks_between_stops);
    statistics.on(core, core.pass_idle_clocks(most));
  }
  events.end();
  if (Diagnostics wrong = differences(plan, core); !wrong.empty()) return fail(std::move(wrong));
  result.clocks = core.signals().clock;
  result.executed = core.executed();
  result.killed = core.killed();
  result.skipped = core.skipped();
  result.trapped = core.trapped();
  result.conflicts = core.conflicts();
  result.mixed_widths = plan.mixed_widths;
  result.times = core.take_times();
  for (std::size_t i = 0; i < plan.registers.size(); ++i)
    result.registers.push_back({plan.registers[i], core.value_of(i)});
  const LimitsReached reached{.units = core.lacked_units(),
                              .rows = core.lacked_rows(),
                              .reads = result.conflicts.read_grant != 0,
                              .writes = result.conflicts.write_grant != 0};
  return PlannedRun{std::move(result), reached};
}

}  // namespace

double RunResult::ipc() const { return clocks == 0 ? 0 : static_cast<double>(executed) / static_cast<double>(clocks); }

Result<void> fits(const Config& config, const Workload& workload) {
  const Result<Plan> plan = make_plan(config, workload);
  if (!plan) return fail(plan.error());
  return {};
}

Result<RunResult> run(const Config& config, const Workload& workload, const RunOptions& options) {
  const Result<Plan> plan = make_plan(config, workload, options.stop);
  if (!plan) return fail(plan.error());
  Result<PlannedRun> done = run_planned(config, *plan, options);
  if (!done) return fail(done.error());
  return std::move(done->result);
}

Result<PlannedRun> run_planned(const Config& config, const Plan& plan, const RunOptions& options) {
  if (config.units() > 64) return run<Core>(config, plan, options);
  return is_plain(config) ? run<CoreOf<std::uint64_t, true>>(config, plan, options)
                          : run<CoreOf<std::uint64_t, false>>(config, plan, options);
}

bool is_run_of(const Config& config, const LimitsReached& reached, const Config& other) {
  const auto is_enough = [](std::uint32_t limit, std::uint32_t had, bool was_reached) {
    return limit == had || (limit > had && had != 0 && !was_reached);
  };
  const auto is_enough_or_all = [&](std::uint32_t limit, std::uint32_t had, bool was_reached) {
    return is_enough(limit, had, was_reached) || (limit == 0 && !was_reached);
  };
  // Limits first: the rest takes a copy. A group's units after the last one would have other numbers, and with these
  // other word lanes; without a table, columns are those of the registers.
  if (other.groups.size() != config.groups.size() ||
      !is_enough(other.groups.back().units, config.groups.back().units, reached.units) ||
      !is_enough(other.virtual_registers.rows, config.virtual_registers.rows, reached.rows) ||
      !is_enough_or_all(other.ports.read, config.ports.read, reached.reads) ||
      !is_enough_or_all(other.ports.write, config.ports.write, reached.writes))
    return false;
  Config same = other;
  same.name = config.name;
  same.summary = config.summary;
  same.groups.back().units = config.groups.back().units;
  same.virtual_registers.rows = config.virtual_registers.rows;
  same.ports.read = config.ports.read;
  same.ports.write = config.ports.write;
  return same == config;
}

}  // namespace mobula::scoreboard
