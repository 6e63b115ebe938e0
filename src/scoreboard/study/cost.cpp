// Cells, latches, transistors, fan-out and depth by formula (§8).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/counted.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/rtl/geometry.h"

namespace mobula::scoreboard {
namespace {

// Transistors of one latch with its set and reset logic and its share of the OR trees, as the reference measured them
// on flip-flops (§8.2): a FU-Reg cell of 3+1 ports is 192, a FU-FU cell of two latches 60.
constexpr std::uint32_t fu_reg_latch = 48, fu_fu_latch = 30, shadow_latch = 50, table_cell = 38;
constexpr std::uint32_t cascade_of_15 = 154, cascade_of_10 = 76;  // one register, one vector
constexpr std::uint32_t crosspoint = 5;                           // one bit, one-hot AND-OR
// Nobody has measured these; estimates from the same library: flip-flop 16, NAND2 4, XNOR2 8.
constexpr std::uint32_t vector_latch = 30, unit_latch = 30, compared_bit = 12;

// sb_overwritten by Yosys, for 2 to 16 destinations and registers of 4 and 8 bits, within 15 %.
constexpr std::uint32_t kept_bit = 13, late_bytes = 97, compared_register_bit = 11, compared_bytes = 120;
constexpr std::uint32_t flip_flop = 16;

constexpr const char* measured = "§8.2, measured";
constexpr const char* fitted = "fitted to Yosys";
constexpr const char* estimated = "estimate";

std::uint32_t log_of(std::uint64_t value, std::uint32_t bits) {
  return value <= 1 ? 0 : (static_cast<std::uint32_t>(std::bit_width(value - 1)) + bits - 1) / bits;
}
std::uint32_t levels_of_four(std::uint64_t count) { return log_of(count, 2); }

/// §8.2 gives 70, 160 and 350 transistors for 8, 16 and 32 requests.
std::uint64_t picker_transistors(std::uint64_t requests) { return requests * (50 + 12 * log_of(requests, 1)) / 10; }

class Estimate {
 public:
  Estimate(const Config& config, const Geometry& g) : config_(config), g_(g) {
    cost_.config = config.name;
    cost_.hardware = g.hardware;
    cost_.units = g.units;
    cost_.registers = g.registers;
    cost_.columns = static_cast<std::uint32_t>(g.columns(g.lanes));
  }

  Cost make() {
    if (config_.hazards == Hazards::vector)
      hazard_vector();
    else
      matrices();
    shadows();
    memory();
    issue();
    if (config_.waw == Waw::rename) renaming();
    computation_units();
    pickers();
    crossbars();
    loop();
    return std::move(cost_);
  }

 private:
  [[nodiscard]] std::uint32_t ports() const { return g_.sources() + g_.hardware.destinations; }
  [[nodiscard]] std::string group_name(std::size_t index) const { return config_.groups[index].name; }

  void add(std::string name, std::uint64_t cells, std::uint64_t latches, std::uint64_t transistors, std::string module,
           const char* basis) {
    if (cells != 0)
      cost_.structures.push_back({std::move(name), cells, latches, transistors, std::move(module), basis});
  }
  void line(std::string name, std::uint64_t wires, std::uint64_t fan_out) {
    if (wires != 0) cost_.lines.push_back({std::move(name), wires, fan_out, levels_of_four(fan_out)});
  }
  void tree(std::string name, std::uint64_t count, std::uint64_t fan_in) {
    if (count != 0) cost_.trees.push_back({std::move(name), count, fan_in, levels_of_four(fan_in)});
  }

  void hazard_vector() {
    const std::uint64_t columns = g_.columns(g_.lanes);
    add("hazard vector", columns, columns, columns * vector_latch, "", estimated);
    line("hazard bit, over the issuing operation's ports", columns, std::uint64_t{ports()} * g_.slots);
    tree("hazard bits, over a port's registers", std::uint64_t{ports()} * g_.slots, g_.registers);
  }

  void matrices() {
    for (std::size_t i = 0; i < g_.groups.size(); ++i) {
      const GroupGeometry& group = g_.groups[i];
      const std::uint64_t columns = g_.columns(group.lanes), cells = group.units * columns;
      add("FU-Reg " + group_name(i), cells, cells * ports(), cells * ports() * fu_reg_latch,
          "sb_fureg_" + std::to_string(i), measured);
      line("issue, row of FU-Reg " + group_name(i), group.units, columns);
      line("go_rd, row of FU-Reg " + group_name(i), std::uint64_t{group.units} * g_.read_grants, columns);
      line("go_wr, row of FU-Reg " + group_name(i), std::uint64_t{group.units} * g_.write_grants, columns);
      line("die, row of FU-Reg " + group_name(i), group.units, columns);
      tree("rd_pend and wr_pend, row of FU-Reg " + group_name(i), 2 * std::uint64_t{group.units} * pend_sets(),
           columns);
    }
    columns();
    cascade();
    fu_fu();
    if (config_.waw == Waw::last_writer) overwritten();
  }

  /// A unit's register, its bytes and those that came too late; each pair of destinations is compared once.
  void overwritten() {
    const std::uint64_t destinations = std::uint64_t{g_.units} * g_.hardware.destinations;
    const std::uint64_t bits = std::max<std::uint64_t>(1, log_of(g_.registers, 1));
    const std::uint64_t latches = destinations * (bits + 16);
    const std::uint64_t pairs = destinations * (destinations - 1) / 2, sets = std::uint64_t{g_.slots} * g_.parts;
    const std::uint64_t kept = destinations * (sets * (bits + 8) * kept_bit + late_bytes);
    const std::uint64_t compared = pairs * (bits * compared_register_bit + compared_bytes);
    add("overwritten bytes", destinations, latches, latches * flip_flop + kept + compared, "sb_overwritten", fitted);
    line("writes of a destination, to the others", 8 * destinations, destinations - 1);
  }

  /// Vectors of hazards that a row compares with: one of all units, or one for each unit issued in a clock.
  [[nodiscard]] std::uint32_t pend_sets() const {
    return config_.hazards == Hazards::precise ? g_.slots * g_.parts : 1;
  }

  /// Lanes that the same number of rows have are alike.
  void columns() {
    const std::vector<std::string> names = column_names(config_.lanes);
    for (std::uint32_t lane = 0; lane < names.size();) {
      const std::uint32_t rows = g_.rows_with(lane);
      std::uint32_t end = lane + 1;
      while (end < names.size() && g_.rows_with(end) == rows && names[end][0] == names[lane][0]) ++end;
      if (rows != 0) {
        const std::string label = end - lane == 1 ? names[lane] : names[lane] + ".." + names[end - 1];
        const std::uint64_t columns = std::uint64_t{end - lane} * g_.rows;
        line("dst and src, column " + label, columns * ports() * g_.slots, rows);
        line((config_.hazards == Hazards::conservative ? "g_rd and g_wr, column " : "isrc and idst, column ") + label,
             2 * columns * pend_sets(), rows);
        tree("g_rd and g_wr, column " + label, 2 * columns, rows);
        tree("register select, column " + label, columns * ports(), rows);
      }
      lane = end;
    }
  }

  void cascade() {
    const std::uint32_t each = config_.lanes == Lanes::full        ? cascade_of_15
                               : config_.lanes == Lanes::two_level ? cascade_of_10
                                                                   : 0;
    const std::uint64_t networks = std::uint64_t{g_.rows} * 2 * pend_sets();
    if (each != 0) add("cascade", networks, 0, networks * each, "sb_expand", measured);
  }

  void fu_fu() {
    const std::uint64_t cells = std::uint64_t{g_.units} * g_.units;
    const std::uint64_t latches = cells * (g_.read_grants + g_.write_grants);
    add("FU-FU", cells, latches, latches * fu_fu_latch, "sb_fufu", measured);
    line("issue, row of FU-FU", g_.units, g_.units);
    line("go_rd, column of FU-FU", std::uint64_t{g_.units} * g_.read_grants, g_.units);
    line("go_wr, column of FU-FU", std::uint64_t{g_.units} * g_.write_grants, g_.units);
    line("rd_pend and wr_pend, column of FU-FU",
         std::uint64_t{g_.units} * (g_.read_grants + g_.write_grants) * pend_sets(), g_.units);
    tree("readable and writable, row of FU-FU", 2 * std::uint64_t{g_.units}, g_.units);
  }

  void shadow(const char* name, std::uint64_t columns, const char* basis) {
    const std::uint64_t cells = g_.units * columns;
    add(name, cells, cells, cells * shadow_latch, "", basis);
    if (columns == 0) return;
    line("issue, row of " + std::string(name), g_.units, columns);
    line("release, column of " + std::string(name), columns, g_.units);
    tree("shadown, row of " + std::string(name), g_.units, columns);
  }
  void shadows() {
    const bool ordered = config_.waw == Waw::shadow_all || config_.waw == Waw::shadow_same_dest;
    if (ordered) shadow("order shadow", g_.units, measured);
    shadow("branch and trap shadow", config_.trap_shadows ? g_.units : g_.branch_units, measured);
  }

  /// §2.13: two latches a cell; compared are the upper address bits and two masks of 16 bytes, once a pair.
  void memory() {
    const std::uint64_t units = g_.memory_units, cells = units * units;
    add("LD/ST order", cells, 2 * cells, 2 * cells * fu_fu_latch, "", estimated);
    if (!config_.memory.match_addresses || units < 2) return;
    const std::uint32_t low = std::max(config_.memory.low_bit, 4u), high = std::min(config_.memory.high_bit, 63u);
    const std::uint64_t bits = (high >= low ? high - low + 1 : 0) + (config_.memory.low_bit > 4 ? 0u : 16u);
    const std::uint64_t pairs = units * (units - 1) / 2;
    add("address match", pairs, 0, pairs * bits * compared_bit, "", estimated);
  }

  void issue() {
    for (const TableGeometry& table : g_.tables) {
      const std::uint64_t cells = std::uint64_t{table.rows} * table.registers;
      add(table.name, cells, cells, cells * table_cell, g_.tables.size() == 1 ? "sb_irtab" : "", measured);
      line("row of the " + table.name, table.rows, table.registers);
      line("column of the " + table.name, table.registers, table.rows);
      tree("lookup, row of the " + table.name, table.rows, table.registers);
    }
    if (g_.tables.empty() || !config_.virtual_registers.until_completion) return;
    const std::uint64_t cells = std::uint64_t{g_.units} * g_.rows;
    add("rows kept until completion", cells, cells, cells * shadow_latch, "", estimated);
  }

  /// Memory of flip-flops: one-hot selection for each port that reads it, and of what is written.
  static std::uint64_t ram(std::uint64_t bits, std::uint64_t reads, std::uint64_t writes) {
    return bits * (flip_flop + crosspoint * (reads + writes));
  }

  /// The map, the free physical registers of each file, the window, and the registers that only renaming has.
  void renaming() {
    const std::uint64_t destinations = std::uint64_t{g_.slots} * g_.hardware.destinations;
    const std::uint64_t sources = std::uint64_t{g_.slots} * g_.hardware.sources;
    const std::uint64_t ports = config_.banks.read == 0 ? g_.sources() : config_.banks.read;
    std::uint64_t map = 0, free = 0, picked = 0, bits = 0, extra = 0;
    for (const RegisterFile& file : config_.files) {
      map += std::uint64_t{file.count} * log_of(file.physical, 1);
      free += file.physical;
      picked += picker_transistors(file.physical) * destinations;
      bits = std::max<std::uint64_t>(bits, log_of(file.physical, 1));
      extra += std::uint64_t{file.physical - file.count} * file.bytes * 8;
    }
    // A destination reads what its register was, which merges and the window need, and writes what it is.
    add("map of registers", g_.registers, map, ram(map, sources + destinations, destinations), "sb_map", estimated);
    add("free physical registers", free, free, free * vector_latch + picked, "sb_free", estimated);
    const std::uint64_t entry = std::uint64_t{g_.hardware.destinations} * (log_of(g_.registers, 1) + bits) + 2;
    const std::uint64_t window = config_.renaming.window * entry;
    add("window", config_.renaming.window, window, ram(window, 1, g_.slots), "sb_window", estimated);
    add("physical registers beyond the named", g_.rows - g_.registers, extra, ram(extra, ports, 1), "", estimated);
    line("number of a register, to the map", (sources + 2 * destinations) * g_.registers, bits);
    tree("map, over its registers", (sources + destinations) * bits, g_.registers);
  }

  /// §2.6: opc, and source and request latches by port, each with a flip-flop before set and reset.
  void computation_units() {
    const std::uint64_t latches = std::uint64_t{g_.units} * (1 + g_.read_grants + g_.write_grants);
    add("computation units", g_.units, latches + std::uint64_t{g_.units} * (2 + g_.read_grants + g_.write_grants),
        latches * (unit_latch + 16), "sb_cu", estimated);
  }

  void pickers() {
    const auto direction = [&](const char* name, std::uint32_t grants, std::uint32_t pickers) {
      const std::uint64_t count = std::uint64_t{grants} * pickers;
      const std::uint64_t each = picker_transistors(g_.units) * (config_.ports.priority == Priority::fixed ? 1u : 2u);
      add(name, count, 0, count * each, "", config_.ports.priority == Priority::fixed ? measured : estimated);
    };
    direction("read pickers", config_.ports.read, g_.read_grants);
    direction("write pickers", config_.ports.write, g_.write_grants);
    std::uint64_t cells = 0, transistors = 0;
    for (const Group& group : config_.groups) {
      cells += g_.slots;
      transistors += g_.slots * picker_transistors(group.units);
    }
    add("issue pickers", cells, 0, transistors, "sb_issue", measured);
  }

  [[nodiscard]] std::uint64_t word_lanes() const {
    return config_.banks.lanes == 0 ? g_.units : std::min(config_.banks.lanes, g_.units);
  }
  /// Those that narrow units read through: only they route bytes.
  [[nodiscard]] std::uint64_t narrow_lanes() const {
    if (config_.lanes == Lanes::lock && config_.banks.count == 1) return 0;  // whole registers, straight to the units
    std::vector<bool> narrow(word_lanes());
    for (const GroupGeometry& group : g_.groups)
      for (std::uint32_t unit = 0; group.narrow && unit < group.units; ++unit)
        narrow[(group.first_unit + unit) % narrow.size()] = true;
    return static_cast<std::uint64_t>(std::ranges::count(narrow, true));
  }

  /// §6.2, a copy for each port of the banks: words from banks to lanes, then bytes inside the word.
  void crossbars() {
    const std::uint64_t ports = config_.banks.read == 0 ? g_.hardware.sources : config_.banks.read;
    const std::uint64_t files = config_.files.size();
    if (config_.banks.count > 1) {
      const std::uint64_t points = files * ports * word_lanes() * config_.banks.count;
      add("word crossbars", points, 0, points * 32 * crosspoint, "", measured);
      cost_.crossbars.transistors += points * 32 * crosspoint;
      cost_.crossbars.of_bytes = points * 16 * 8 * crosspoint;
    }
    const std::uint64_t points = (config_.banks.byte_crossbar ? ports : 1) * narrow_lanes() * 16;
    add("byte crossbars", points, 0, points * 8 * crosspoint, "", measured);
    cost_.crossbars.transistors += points * 8 * crosspoint;
  }

  void loop() {
    std::uint64_t widest = 1, rows = 1;
    for (const GroupGeometry& group : g_.groups) widest = std::max(widest, g_.columns(group.lanes));
    for (std::uint32_t lane = 0; lane < 16; ++lane) rows = std::max<std::uint64_t>(rows, g_.rows_with(lane));
    const auto step = [&](std::string name, std::uint32_t levels) {
      if (levels != 0) cost_.loop.push_back({std::move(name), levels});
    };
    if (config_.hazards != Hazards::vector) step("readable: OR of a FU-FU row", levels_of_four(g_.units));
    step("read picker", config_.ports.read * log_of(g_.units, 1));
    if (config_.hazards != Hazards::vector) {
      step("go_rd: buffers of a FU-Reg row", levels_of_four(widest));
      step("register select: OR of a FU-Reg column", levels_of_four(rows));
    }
    if (!g_.tables.empty())
      step("real register: OR of an IR table column", levels_of_four(config_.virtual_registers.rows));
    std::uint32_t words = 0;
    for (const RegisterFile& file : config_.files) words = std::max({words, file.count, file.physical});
    step("register file: OR of the words of a bank", levels_of_four(words / std::max(config_.banks.count, 1u)));
    if (config_.banks.count > 1) step("word crossbar", levels_of_four(config_.banks.count));
    if (narrow_lanes() != 0) step("byte crossbar", 1);
  }

  const Config& config_;
  const Geometry& g_;
  Cost cost_;
};

std::string thousands_of_nand2(std::uint64_t transistors) { return fmt::format("{:.1f}", double(transistors) / 4000); }

}  // namespace

Structure Cost::total() const {
  Structure sum{.name = "total", .module = "sb_top", .basis = {}};
  for (const Structure& structure : structures) {
    sum.cells += structure.cells;
    sum.latches += structure.latches;
    sum.transistors += structure.transistors;
  }
  return sum;
}

std::uint32_t Cost::levels() const {
  std::uint32_t sum = 0;
  for (const Step& step : loop) sum += step.levels;
  return sum;
}

std::uint32_t Cost::line_levels() const {
  std::uint32_t most = 0;
  for (const Line& line : lines) most = std::max(most, line.levels);
  return most;
}

Result<Cost> cost(const Config& config, const Hardware& hardware) {
  const Result<Geometry> shape = geometry(config, hardware);
  if (!shape) return fail(shape.error());
  return Estimate(config, *shape).make();
}

std::string report(const Cost& cost) {
  std::string text =
      fmt::format("{}: {}, {}, {}; {} and {} a unit\n\n", cost.config, counted(cost.units, "unit"),
                  counted(cost.registers, "register"), counted(cost.columns, "column"),
                  counted(cost.hardware.sources, "source"), counted(cost.hardware.destinations, "destination"));
  const auto row = [&](const Structure& structure) {
    text += fmt::format("{:<26}{:>9}{:>10}{:>13}{:>9}  {}\n", structure.name, structure.cells, structure.latches,
                        structure.transistors, thousands_of_nand2(structure.transistors), structure.basis);
  };
  text += fmt::format("{:<26}{:>9}{:>10}{:>13}{:>9}\n", "structure", "cells", "latches", "transistors", "kNAND2");
  for (const Structure& structure : cost.structures) row(structure);
  row(cost.total());
  if (cost.crossbars.transistors != 0)
    text += fmt::format("\ncrossbars: {} kNAND2, {:.1f} % of the total; any byte to any in one stage: {} kNAND2\n",
                        thousands_of_nand2(cost.crossbars.transistors),
                        100.0 * double(cost.crossbars.transistors) / double(cost.total().transistors),
                        thousands_of_nand2(cost.crossbars.of_bytes));
  text += fmt::format("\n{:<46}{:>8}{:>9}{:>8}\n", "line", "wires", "fan-out", "levels");
  for (const Line& line : cost.lines)
    text += fmt::format("{:<46}{:>8}{:>9}{:>8}\n", line.name, line.wires, line.fan_out, line.levels);
  text += fmt::format("\n{:<46}{:>8}{:>9}{:>8}\n", "tree", "count", "fan-in", "levels");
  for (const Tree& tree : cost.trees)
    text += fmt::format("{:<46}{:>8}{:>9}{:>8}\n", tree.name, tree.count, tree.fan_in, tree.levels);
  text += fmt::format("\n{:<63}{:>8}\n", "critical loop", "levels");
  for (const Step& step : cost.loop) text += fmt::format("{:<63}{:>8}\n", step.name, step.levels);
  text += fmt::format("{:<63}{:>8}\n", "total", cost.levels());
  return text;
}

}  // namespace mobula::scoreboard
