// The power proxy of §8.4: toggles times fan-out, summed over the lines of the matrices, from a run.
#include <fmt/format.h>

#include <array>

#include "mobula/scoreboard/power.h"
#include "scoreboard/core/units.h"
#include "scoreboard/rtl/geometry.h"

namespace mobula::scoreboard {

struct PowerProxy::State {
  Geometry g;
  bool matrices = true;
  std::uint64_t latches = 0;
  Signals last;
  std::vector<std::uint16_t> last_reads, last_writes;
  std::vector<std::uint64_t> row_of_unit;  ///< columns of each unit's row
  std::array<std::uint32_t, 16> rows_of_lane{};
  std::vector<bool> last_rows;  ///< of the tables of virtual registers: which were in use
  Activity activity;

  void toggle(std::size_t line, std::uint64_t toggles, std::uint64_t fan_out) {
    activity.lines[line].toggles += toggles;
    activity.lines[line].loads += toggles * fan_out;
  }
  /// Row lines of FU-Reg, and a row or column of FU-FU.
  void unit_lines(std::size_t line, Units changed) {
    for_each(changed, [&](std::uint32_t unit) { toggle(line, 1, row_of_unit[unit] + g.units); });
  }
  /// A row's line sets or clears its cells when it begins or ceases to name a register.
  void table_rows(std::size_t line, const View& view) {
    for (const TableGeometry& table : g.tables)
      for (std::uint32_t row = table.first_row; row < table.first_row + table.rows; ++row) {
        const bool in_use = view.row_in_use(row);
        if (in_use != last_rows[row]) toggle(line, 1, table.registers);
        last_rows[row] = in_use;
      }
  }
  /// Operands find their row over the column of their register, which rises in the clock of the issue and falls after
  /// it.
  void table_columns(std::size_t line, std::size_t row) {
    if (!g.tables.empty()) toggle(line, 2, g.tables[row / g.tables.front().rows].rows);
  }
  void columns(std::size_t line, std::span<const std::uint16_t> now, std::vector<std::uint16_t>& before) {
    before.resize(now.size(), 0);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto changed = static_cast<std::uint64_t>(now[i] ^ before[i]);
      for_each(changed, [&](std::uint32_t lane) { toggle(line, 1, rows_of_lane[lane]); });
      before[i] = now[i];
    }
  }
};

namespace {

enum Lines : std::size_t {
  issue_line,
  go_rd_line,
  go_wr_line,
  die_line,
  operand_lines,
  g_rd_line,
  g_wr_line,
  request_lines,
  table_row_lines,
  table_column_lines,
  line_count
};
constexpr std::array<const char*, line_count> line_names{"issue",
                                                         "go_rd",
                                                         "go_wr",
                                                         "die",
                                                         "dst and src",
                                                         "g_rd",
                                                         "g_wr",
                                                         "requests and vectors of units",
                                                         "rows of the IR table",
                                                         "columns of the IR table"};

}  // namespace

PowerProxy::PowerProxy(const Config& config, const Hardware& hardware) : state_(std::make_unique<State>()) {
  const Result<Geometry> shape = geometry(config, hardware);
  const Result<Cost> estimate = cost(config, hardware);
  if (shape) state_->g = *shape;
  if (estimate) state_->latches = estimate->total().latches;
  state_->matrices = config.hazards != Hazards::vector;
  for (const GroupGeometry& group : state_->g.groups)
    state_->row_of_unit.insert(state_->row_of_unit.end(), group.units,
                               state_->matrices ? state_->g.columns(group.lanes) : 0);
  for (std::uint32_t lane = 0; lane < 16; ++lane)
    state_->rows_of_lane[lane] = state_->matrices ? state_->g.rows_with(lane) : 1;
  state_->last_rows.resize(state_->g.rows);
  for (const char* name : line_names) state_->activity.lines.push_back({name, 0, 0});
}
PowerProxy::~PowerProxy() = default;

void PowerProxy::on(const View& view) {
  State& s = *state_;
  const Signals& now = view.signals();
  s.unit_lines(issue_line, now.issue ^ s.last.issue);
  s.unit_lines(go_rd_line, now.go_rd ^ s.last.go_rd);
  s.unit_lines(go_wr_line, now.go_wr ^ s.last.go_wr);
  s.unit_lines(die_line, now.die ^ s.last.die);
  s.columns(g_rd_line, view.pending_reads(), s.last_reads);
  s.columns(g_wr_line, view.pending_writes(), s.last_writes);
  // The lines of an operand rise in the clock of its issue and fall after it.
  for_each(now.issue, [&](std::uint32_t unit) {
    for (std::size_t column = 0; column < view.pending_reads().size(); ++column)
      for (const std::uint64_t lanes :
           {std::uint64_t{view.source_lanes(unit, column)}, std::uint64_t{view.destination_lanes(unit, column)}}) {
        for_each(lanes, [&](std::uint32_t lane) { s.toggle(operand_lines, 2, s.rows_of_lane[lane]); });
        if (lanes != 0) s.table_columns(table_column_lines, column);
      }
  });
  s.table_rows(table_row_lines, view);
  for (const Units changed :
       {now.busy ^ s.last.busy, now.rd_rel ^ s.last.rd_rel, now.req_rel ^ s.last.req_rel,
        now.readable ^ s.last.readable, now.writable ^ s.last.writable, now.shadown ^ s.last.shadown})
    s.toggle(request_lines, count(changed), 1);
  s.last = now;
  ++s.activity.clocks;
  s.activity.clock_pins += 2 * s.latches;
}

const Activity& PowerProxy::activity() const { return state_->activity; }

std::uint64_t Activity::loads() const {
  std::uint64_t sum = 0;
  for (const ToggledLine& line : lines) sum += line.loads;
  return sum;
}

std::uint64_t cache_accesses(const Workload& workload, const RunResult& result) {
  std::uint64_t accesses = 0;
  for (std::size_t i = 0; i < workload.operations.size(); ++i)
    if (workload.operations[i].memory_bytes != 0 && result.times[i].write != 0)
      accesses += workload.operations[i].memory_bytes > 8 ? 2 : 1;
  return accesses;
}

double watts(const Activity& activity, const Energies& energies) {
  if (activity.clocks == 0) return 0;
  const double femtojoules = static_cast<double>(activity.loads()) * energies.load +
                             static_cast<double>(activity.clock_pins) * energies.clock_pin +
                             static_cast<double>(activity.cache_accesses) * energies.cache;
  return femtojoules * 1e-15 / static_cast<double>(activity.clocks) * energies.megahertz * 1e6;
}

std::string report(const Activity& activity, const Energies& energies) {
  std::string text = fmt::format("\n{:<46}{:>12}{:>16}\n", "power proxy, line", "toggles", "times fan-out");
  for (const ToggledLine& line : activity.lines)
    text += fmt::format("{:<46}{:>12}{:>16}\n", line.name, line.toggles, line.loads);
  text += fmt::format("{:<46}{:>12}{:>16}\n", "clock pins, if no clock is ever gated", "", activity.clock_pins);
  const double all = watts(activity, energies);
  Energies lines_only = energies;
  lines_only.clock_pin = 0;
  lines_only.cache = 0;
  const double lines = watts(activity, lines_only);
  Energies no_cache = energies;
  no_cache.cache = 0;
  const double core = watts(activity, no_cache);
  text += fmt::format("{:<46}{:>12}\n", "loads and stores of the cache", activity.cache_accesses);
  text += fmt::format(
      "\nover {} clocks at {} MHz, {} fJ a load, {} fJ a clock pin and {} fJ an access of the cache:\n"
      "  lines {:.2f} mW, clock {:.2f} mW, cache {:.2f} mW; together {:.2f} % of the 2.5 W for the whole chip\n"
      "  energies are assumptions: the truth may be a factor {} either way\n",
      activity.clocks, energies.megahertz, energies.load, energies.clock_pin, energies.cache, lines * 1e3,
      (core - lines) * 1e3, (all - core) * 1e3, all / chip_budget_watts * 100, energy_uncertainty);
  return text;
}

}  // namespace mobula::scoreboard
