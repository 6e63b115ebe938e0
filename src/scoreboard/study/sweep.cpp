#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/counted.h"
#include "mobula/scoreboard/reshape.h"
#include "mobula/scoreboard/sweep.h"
#include "scoreboard/core/plan.h"
#include "scoreboard/core/run.h"

namespace mobula::scoreboard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_points = 10'000'000, most_cores = 1'000'000;

std::uint64_t fingerprint(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325) {  // FNV-1a
  for (const char byte : bytes) seed = (seed ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return seed;
}

std::uint64_t fingerprint(const Workload& workload) {
  const std::vector<std::uint8_t> bytes = write_workload(workload);
  return fingerprint({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// The elements of a list that a step of a path means.
std::vector<Json*> list_elements(Json& list, std::string_view step) {
  std::vector<Json*> found;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool named = list[i].is_object() && list[i].value("name", "") == step;
    if (step == "*" || named || step == std::to_string(i)) found.push_back(&list[i]);
  }
  return found;
}

/// True if the path led somewhere.
bool assign_member(Json& document, std::string_view path, const Json& value) {
  const std::size_t dot = path.find('.');
  const std::string step(path.substr(0, dot));
  std::vector<Json*> next;
  if (document.is_array())
    next = list_elements(document, step);
  else if (document.is_object() || document.is_null())
    next = {&document[step]};
  bool assigned = false;
  for (Json* each : next) {
    if (dot == std::string_view::npos)
      *each = value;
    else if (!assign_member(*each, path.substr(dot + 1), value))
      continue;
    assigned = true;
  }
  return assigned;
}

constexpr std::string_view of_workloads = "workload.", registers_axis = "workload.registers",
                           spill_axis = "workload.spill_to";

/// Errors of a configuration that nobody wrote: what they may come from. The first of `values` is the core's name.
Diagnostics explained_by_axes(Diagnostics errors, const std::vector<Axis>& axes,
                              const std::vector<std::string>& values) {
  std::string set;
  for (std::size_t i = 0; i < axes.size(); ++i)
    set.append(set.empty() ? "" : ", ").append(axes[i].path).append("=").append(values[i + 1]);
  if (!set.empty() && errors.back().hint.empty()) errors.back().hint = "the axes set " + set;
  return errors;
}

/// The value of an axis of the workloads, if that is one.
std::optional<std::uint32_t> registers_of(const Axis& axis, const std::string& value) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (axis.path != registers_axis && axis.path != spill_axis) return std::nullopt;
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > 2048) return std::nullopt;
  return number;
}

Json axis_value(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// Errors that say that the document is contradictory, not that it is none.
bool is_contradiction(const Diagnostics& errors) {
  return std::ranges::all_of(errors, [](const Diagnostic& error) { return error.code.starts_with("SB"); });
}

std::vector<std::string> costs_of(const Config& config, const Hardware& hardware) {
  const Result<Cost> cost = scoreboard::cost(config, hardware);
  if (!cost) return {};
  std::uint64_t fu_reg = 0, fu_fu = 0;
  for (const Structure& structure : cost->structures) {
    if (structure.name.starts_with("FU-Reg")) fu_reg += structure.cells;
    if (structure.name.starts_with("FU-FU")) fu_fu += structure.cells;
  }
  return {std::to_string(cost->units),
          std::to_string(cost->columns),
          std::to_string(fu_reg),
          std::to_string(fu_fu),
          std::to_string(cost->total().transistors),
          std::to_string(cost->levels()),
          std::to_string(cost->line_levels())};
}

constexpr std::array<std::string_view, 7> cost_names{"units",       "columns", "fu_reg_cells", "fu_fu_cells",
                                                     "transistors", "levels",  "line_levels"};
constexpr std::size_t levels_column = 5;
constexpr std::array<std::string_view, 8> conflict_names{"read_grant", "write_grant",   "read_bank", "write_bank",
                                                         "lane_mux",   "byte_crossbar", "alu",       "memory"};

/// Mean of a histogram whose entry i counts clocks with i.
double histogram_mean(const std::vector<std::uint64_t>& clocks) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    sum += double(i) * double(clocks[i]);
    total += double(clocks[i]);
  }
  return total == 0 ? 0 : sum / total;
}

std::vector<std::string> measures(const RunResult& result) {
  std::vector<std::string> row{std::to_string(result.clocks), fmt::format("{:.6f}", result.ipc()),
                               std::to_string(result.executed), std::to_string(result.killed),
                               std::to_string(result.skipped)};
  for (const std::uint64_t clocks : result.causes) row.push_back(std::to_string(clocks));
  const Conflicts& c = result.conflicts;
  for (const std::uint64_t count :
       {c.read_grant, c.write_grant, c.read_bank, c.write_bank, c.lane_mux, c.byte_crossbar, c.alu, c.memory})
    row.push_back(std::to_string(count));
  double busy = 0;
  for (const auto& group : result.busy_units) busy += histogram_mean(group);
  for (const double value : {busy, histogram_mean(result.queue_entries), histogram_mean(result.virtual_rows)})
    row.push_back(fmt::format("{:.4f}", value));
  return row;
}

}  // namespace

Result<Axis> parse_axis(std::string_view text) {
  const auto wrong = [&] {
    return fail("SB150", "\"" + std::string(text) + "\" is not an axis",
                "path=value,value: virtual_registers.rows=4,8,16");
  };
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return wrong();
  Axis axis{std::string(text.substr(0, equals)), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) return wrong();
    axis.values.emplace_back(text.substr(begin, end - begin));
    if (std::ranges::count(axis.values, axis.values.back()) != 1) return wrong();
    begin = end + 1;
  }
  if (axis.values.empty() || text.back() == ',') return wrong();
  return axis;
}

namespace {

/// The name of a core, a workload or a mix that is there twice; empty = none.
std::string given_twice(const SweepOptions& options) {
  std::set<std::string, std::less<>> cores;
  for (const Preset& core : options.cores)
    if (!cores.emplace(core.name).second) return "the core " + std::string(core.name);
  std::set<std::pair<std::string, std::uint64_t>> workloads;
  for (const Workload& workload : options.workloads)
    if (!workloads.emplace(workload.name, fingerprint(workload)).second) return "the workload " + workload.name;
  std::set<std::pair<std::string, std::uint32_t>> mixes;
  for (const Mix& mix : options.mixes)
    if (!mixes.emplace(mix.name, mix.registers).second) return "the mix " + mix.name;
  return {};
}

}  // namespace

Result<Sweep> Sweep::make(SweepOptions given) {
  Sweep sweep;
  sweep.options_ = std::make_shared<const SweepOptions>(std::move(given));
  sweep.recent_ = std::make_shared<Recent>(*sweep.options_);
  const SweepOptions& options = *sweep.options_;
  if (auto twice = given_twice(options); !twice.empty())
    return fail("SB150", twice + " is there twice, and its rows would be", "each once");
  for (const Workload& workload : options.workloads)
    sweep.works_.push_back({&workload, nullptr, 0, fingerprint(workload), workload.name});
  for (const Mix& mix : options.mixes)
    for (std::uint64_t seed = 1; seed <= options.seeds; ++seed)
      sweep.works_.push_back({nullptr, &mix, seed,
                              fingerprint(generate(mix, std::min(options.operations, 64u), seed)) + options.operations,
                              mix.name});
  std::uint64_t combinations = 1;
  for (const Axis& axis : options.axes) combinations = std::min(combinations * axis.values.size(), most_points);
  if (combinations * options.cores.size() > most_cores ||
      combinations * options.cores.size() * sweep.works_.size() > most_points)
    return fail("SB152",
                "the sweep has more than " + std::to_string(most_points) + " points, or " + std::to_string(most_cores) +
                    " cores",
                "several smaller ones");
  if (!options.workloads.empty() && std::ranges::count(options.axes, registers_axis, &Axis::path) != 0)
    return fail("SB150", "workload.registers is for mixes; the registers of a workload are fixed",
                "workload.spill_to fits it into fewer");
  for (const Axis& axis : options.axes)
    if (std::ranges::count(options.axes, axis.path, &Axis::path) != 1)
      return fail("SB150", "two axes are " + axis.path, "all values in one axis");
  if (sweep.works_.empty()) return fail("SB152", "the sweep has nothing to run", "a PROGRAM, or --mix");
  for (const Preset& preset : options.cores)
    for (std::uint64_t combination = 0; combination < combinations; ++combination) {
      Json document = Json::parse(preset.json, nullptr, false);
      if (document.is_discarded()) return fail(parse_config(preset.name, preset.json).error());
      Core core{{std::string(preset.name)}, Config{}, {}, 0};
      std::uint64_t rest = combination;
      for (std::size_t i = options.axes.size(); i-- != 0;) {  // the last axis changes first
        const Axis& axis = options.axes[i];
        const std::string& value = axis.values[rest % axis.values.size()];
        rest /= axis.values.size();
        core.values.insert(core.values.begin() + 1, value);
        if (axis.path.starts_with(of_workloads)) {
          std::uint32_t& target = axis.path == registers_axis ? core.mix_registers : core.spill_to;
          if (const auto number = registers_of(axis, value)) {
            target = *number;
            continue;
          }
          return fail("SB150", axis.path + '=' + value + " is not an axis of the workloads",
                      "workload.registers or workload.spill_to with numbers from 1 to 2048");
        }
        if (!assign_member(document, axis.path, axis_value(value)))
          return fail("SB150", "core " + std::string(preset.name) + " has no member " + axis.path,
                      "docs/scoreboard.md lists them; groups by name, number or *");
      }
      const std::string json = document.dump();
      core.config = parse_config(preset.name, json);
      if (!core.config && !is_contradiction(core.config.error()))
        return fail(explained_by_axes(core.config.error(), options.axes, core.values));
      core.hash = fingerprint(fmt::format("{} {}", core.mix_registers, core.spill_to), fingerprint(json));
      core.costs = core.config ? costs_of(*core.config, options.hardware) : std::vector<std::string>{};
      core.costs.resize(cost_names.size());
      sweep.cores_.push_back(std::move(core));
    }
  sweep.columns_ = sweep.header().size();
  return sweep;
}

std::uint64_t Sweep::points() const { return cores_.size() * works_.size(); }

std::vector<std::string> Sweep::header() const {
  std::vector<std::string> names{"point", "points", "core"};
  for (const Axis& axis : options_->axes) names.push_back(axis.path);
  for (const char* name : {"workload", "seed", "key", "error"}) names.emplace_back(name);
  names.insert(names.end(), cost_names.begin(), cost_names.end());
  for (const char* name : {"operations", "clocks", "ipc", "executed", "killed", "skipped"}) names.emplace_back(name);
  for (std::size_t i = 0; i < cause_count; ++i) names.push_back("stall." + std::string(name(static_cast<Cause>(i))));
  for (const std::string_view name : conflict_names) names.push_back("conflict." + std::string(name));
  for (const char* name : {"mean_busy_units", "mean_queue", "mean_virtual_rows", "clock_levels"})
    names.emplace_back(name);
  return names;
}

std::vector<std::string> Sweep::identity(std::uint64_t point) const {
  const Core& core = cores_[point / works_.size()];
  const Work& work = works_[point % works_.size()];
  std::vector<std::string> row{std::to_string(point), std::to_string(points())};
  row.insert(row.end(), core.values.begin(), core.values.end());
  row.push_back(work.name);
  row.push_back(std::to_string(work.seed));
  row.push_back(fmt::format("{:016x}", core.hash ^ (work.hash * 3)));
  return row;
}

Result<Workload> Sweep::workload_of(const Core& core, const Work& work, const std::function<bool()>& stop) const {
  Workload workload;
  if (work.workload == nullptr) {
    Mix mix = *work.mix;
    bool is_stopped = false;
    if (core.mix_registers != 0) mix.registers = core.mix_registers;
    workload = generate(mix, options_->operations, work.seed, [&] { return is_stopped = stop && stop(); });
    if (is_stopped) return fail("SB304", "stopped before its first clock");
  } else {
    workload = *work.workload;
  }
  if (core.spill_to == 0) return workload;
  Result<Spilled> spilled = spill(workload, core.spill_to);
  if (!spilled) return fail(spilled.error());
  return std::move(spilled->workload);
}

namespace {

/// How many of something are kept at once that takes memory for so many operations each.
std::size_t kept(std::size_t most, std::size_t operations) {
  constexpr std::size_t all_operations = 250'000;
  return std::clamp<std::size_t>(all_operations / std::max<std::size_t>(operations, 1), 1, most);
}

}  // namespace

/// A workload, the plans of it that cores have needed last, and their runs.
class Sweep::Prepared {
 public:
  /// What it is made for: cores with other axes of the workloads have others.
  struct Key {
    std::uint64_t work = 0;
    std::uint32_t mix_registers = 0, spill_to = 0;
    bool operator==(const Key&) const = default;
  };
  explicit Prepared(const Key& key) : key_(key) {}
  [[nodiscard]] const Key& key() const { return key_; }

  /// What `make` gives, which is called again if it was stopped.
  template <class Make>
  std::shared_ptr<const Result<Workload>> workload(Make make) {
    const std::lock_guard lock(mutex_);
    if (workload_ == nullptr || (!*workload_ && workload_->error().front().code == "SB304"))
      workload_ = std::make_shared<const Result<Workload>>(make());
    return workload_;
  }
  /// What a run on this core would measure, if one on another core says so.
  std::optional<Measured> run_like(const Config& config) {
    const std::lock_guard lock(mutex_);
    for (const Run& run : runs_)
      if (is_run_of(run.config, run.reached, config)) return run.measured;
    return std::nullopt;
  }
  void remember(const Config& config, const LimitsReached& reached, const Measured& measured) {
    const std::lock_guard lock(mutex_);
    if (runs_.size() == most_runs) runs_.pop_front();
    runs_.push_back({config, reached, measured});
  }
  /// Precondition: there is a workload.
  Result<std::shared_ptr<const Plan>> plan_for(const Config& config, const std::function<bool()>& stop) {
    const std::lock_guard lock(mutex_);
    for (const auto& [planned, plan] : plans_)
      if (is_plan_for(*plan, planned, config)) return plan;
    const Workload& workload = **workload_;
    Result<Plan> made = make_plan(config, workload, stop);
    if (!made) return fail(made.error());
    if (plans_.size() == kept(4, workload.operations.size())) plans_.erase(plans_.begin());
    return plans_.emplace_back(config, std::make_shared<const Plan>(std::move(*made))).second;
  }

 private:
  struct Run {
    Config config;
    LimitsReached reached;
    Measured measured;
  };
  static constexpr std::size_t most_runs = 64;

  Key key_;
  std::mutex mutex_;
  std::deque<Run> runs_;  // the oldest first
  std::shared_ptr<const Result<Workload>> workload_;
  std::vector<std::pair<Config, std::shared_ptr<const Plan>>> plans_;  // the oldest first
};

/// The workloads that were needed last.
class Sweep::Recent {
 public:
  explicit Recent(const SweepOptions& options) {
    std::size_t operations = options.mixes.empty() ? 0 : options.operations;
    for (const Workload& workload : options.workloads) operations = std::max(operations, workload.operations.size());
    most_ = kept(16, operations);
  }
  std::shared_ptr<Prepared> find(const Prepared::Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(all_, [&](const auto& each) { return each->key() == key; });
    if (found != all_.end()) {
      std::rotate(found, found + 1, all_.end());
      return all_.back();
    }
    if (all_.size() == most_) all_.erase(all_.begin());
    return all_.emplace_back(std::make_shared<Prepared>(key));
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Prepared>> all_;  // the one that was needed last comes last
};

std::vector<std::uint64_t> Sweep::in_order_of_workloads(std::vector<std::uint64_t> points) const {
  std::ranges::stable_sort(points, {}, [this](std::uint64_t point) { return workload(point); });
  return points;
}

Result<Sweep::Measured> Sweep::measure(const Core& core, Prepared& prepared, const std::function<bool()>& stop) const {
  if (const auto done = prepared.run_like(*core.config)) return *done;
  const auto plan = prepared.plan_for(*core.config, stop);
  if (!plan) return fail(plan.error());
  RunOptions run_options;
  run_options.max_clocks = options_->max_clocks;
  run_options.stop = stop;
  const Result<PlannedRun> run = run_planned(*core.config, **plan, run_options);
  if (!run) return fail(run.error());
  Measured measured{run->result.clocks, measures(run->result)};
  prepared.remember(*core.config, run->reached, measured);
  return measured;
}

std::vector<std::string> Sweep::run(std::uint64_t point, const std::function<bool()>& stop) const {
  const Core& core = cores_[point / works_.size()];
  const Work& work = works_[workload(point)];
  std::vector<std::string> row = identity(point);
  const auto finish = [&](const std::string& error, const std::vector<std::string>& measured) {
    row.push_back(error);
    row.insert(row.end(), core.costs.begin(), core.costs.end());
    row.insert(row.end(), measured.begin(), measured.end());
    row.resize(columns_);
    return row;
  };
  if (!core.config) return finish(core.config.error().front().code, {});
  const std::shared_ptr<Prepared> prepared = recent_->find({workload(point), core.mix_registers, core.spill_to});
  const auto made = prepared->workload([&] { return workload_of(core, work, stop); });
  if (!*made) return finish(made->error().front().code, {});
  std::vector<std::string> measured{std::to_string((*made)->operations.size())};
  const Result<Measured> result = measure(core, *prepared, stop);
  if (!result) return finish(result.error().front().code, measured);
  measured.insert(measured.end(), result->cells.begin(), result->cells.end());
  // The time of a run if every level of the loop takes as long as any other.
  measured.push_back(std::to_string(result->clocks * std::stoull(core.costs[levels_column])));
  return finish("", measured);
}

Result<Table> merge(std::span<const Table> tables) {
  Table all;
  std::map<std::uint64_t, const std::vector<std::string>*> rows;
  std::string points;
  for (const Table& table : tables) {
    if (all.header.empty()) all.header = table.header;
    if (table.header != all.header || table.column("point") != 0 || table.column("points") != 1)
      return fail("SB153", "the tables are of different sweeps", "those of the shards of one sweep");
    for (const std::vector<std::string>& row : table.rows) {
      if (points.empty()) points = row[1];
      if (row[1] != points || row[0].empty() || row[0].find_first_not_of("0123456789") != std::string::npos ||
          row[0].size() > 12)
        return fail("SB153", "the tables are of different sweeps, of " + points + " and of " + row[1] + " points",
                    "those of the shards of one sweep");
      const auto [at, is_new] = rows.emplace(std::stoull(row[0]), &row);
      if (!is_new && *at->second != row)
        return fail("SB154", "point " + row[0] + " has two results", "shards of one sweep, by one version of mobula");
    }
  }
  std::vector<std::uint64_t> missing;
  const std::uint64_t count =
      points.find_first_not_of("0123456789") == std::string::npos && !points.empty() && points.size() < 12
          ? std::stoull(points)
          : 0;
  for (std::uint64_t point = 0; point < count && missing.size() < 10; ++point)
    if (!rows.contains(point)) missing.push_back(point);
  if (!missing.empty()) {
    std::string list;
    for (const std::uint64_t point : missing) list += (list.empty() ? "" : ", ") + std::to_string(point);
    return fail("SB155",
                counted(count - std::min<std::uint64_t>(count, rows.size()), "point is", "points are") +
                    " missing: " + list + (missing.size() == 10 ? " ..." : ""),
                "run the missing shards, or those that were stopped, again");
  }
  for (const auto& [point, row] : rows) all.rows.push_back(*row);
  return all;
}

}  // namespace mobula::scoreboard
