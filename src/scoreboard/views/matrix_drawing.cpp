// The virtual-to-real table and the FU-Reg and FU-FU matrices of each clock, one panel below the other.
#include <fmt/format.h>

#include <algorithm>

#include "core/svg.h"
#include "mobula/scoreboard/sweep.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"
#include "scoreboard/views/rows.h"

namespace mobula::scoreboard {
namespace {

/// Sizes and colours.
namespace look {
constexpr double cell = 12, lane = 4, level = 7, margin = 40, heading = 52, gap = 24;
constexpr std::string_view reads = "#56b4e9", writes = "#d55e00", blocked_reads = "#d6ecf8", blocked_writes = "#f8dcc8",
                           waits_write = "#d55e00", waits_read = "#56b4e9", shadow = "#999999", grid = "#d8d8d8",
                           stands_for = "#009e73";
}  // namespace look

/// A column of a register as bytes of it; wide ones lie above narrow ones.
struct Lane {
  std::string name;
  std::uint32_t first = 0, bytes = 8, level = 0;
};

std::vector<Lane> lanes_of(Lanes lanes) {
  std::vector<Lane> all;
  std::vector<std::uint32_t> widths;
  for (const std::string& name : column_names(lanes)) {
    const std::uint32_t bytes = name[0] == 'B' ? 1 : name[0] == 'H' ? 2 : name[0] == 'W' ? 4 : 8;
    const std::uint32_t number = name.size() > 1 ? static_cast<std::uint32_t>(name[1] - '0') : 0;
    all.push_back({.name = name, .first = number * bytes, .bytes = bytes});
    if (std::ranges::find(widths, bytes) == widths.end()) widths.push_back(bytes);
  }
  std::ranges::sort(widths, std::greater<>{});
  for (Lane& each : all)
    each.level = static_cast<std::uint32_t>(std::ranges::find(widths, each.bytes) - widths.begin());
  return all;
}

bool contains(const Lane& wide, const Lane& narrow) {
  return wide.level + 1 == narrow.level && narrow.first >= wide.first && narrow.first < wide.first + wide.bytes;
}

/// Which lanes of a register block which, as a tree from the widest to the narrowest.
void draw_cascade(Svg& drawing, const std::vector<Lane>& lanes, double left, double top) {
  constexpr double byte = 30, height = 16, step = 34;
  const auto middle = [&](const Lane& lane) { return left + byte * (8 - double(lane.first) - double(lane.bytes) / 2); };
  for (const Lane& wide : lanes)
    for (const Lane& narrow : lanes)
      if (contains(wide, narrow))
        drawing.line(middle(wide), top + step * wide.level + height, middle(narrow), top + step * narrow.level,
                     "#555555", 1);
  for (const Lane& lane : lanes) {
    const double y = top + step * lane.level;
    drawing.box(middle(lane) - byte * lane.bytes / 2 + 1, y, byte * lane.bytes - 2, height, "#f0f0f0", "#555555");
    drawing.text(middle(lane), y + 12, lane.name, "middle", 10);
  }
}

}  // namespace

struct MatrixDrawing::Panel {
  std::uint64_t clock = 0;
  struct Column {
    std::string row, reg;  ///< of a virtual register its row, else empty; and the register
  };
  std::vector<Column> columns;
  struct Row {
    bool busy = false;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> cells;  ///< by column: lanes still to be read, written
    Units waits_write = 0, waits_read = 0, held = 0;
  };
  std::vector<Row> rows;  ///< by unit
};

MatrixDrawing::MatrixDrawing(Config config) : config_(std::move(config)), units_(config_.units()) {}
MatrixDrawing::~MatrixDrawing() = default;

void MatrixDrawing::on(const View& view) {
  Panel panel{.clock = view.signals().clock, .columns = {}, .rows = std::vector<Panel::Row>(units_)};
  const bool is_virtual = config_.virtual_registers.rows != 0;
  for (std::size_t column = 0; column < view.pending_reads().size(); ++column) {
    bool used = false;
    for (std::uint32_t unit = 0; unit < units_ && !used; ++unit)
      used = (view.source_lanes(unit, column) | view.destination_lanes(unit, column)) != 0;
    if (!used) continue;
    panel.columns.push_back({is_virtual ? row_name(config_, column) : "", view.column(column)});
    for (std::uint32_t unit = 0; unit < units_; ++unit)
      panel.rows[unit].cells.emplace_back(view.source_lanes(unit, column), view.destination_lanes(unit, column));
  }
  for (std::uint32_t unit = 0; unit < units_; ++unit) {
    panel.rows[unit].busy = view.operation(unit) != no_operation;
    panel.rows[unit].waits_write = view.waits_for_write(unit);
    panel.rows[unit].waits_read = view.waits_for_read(unit);
    panel.rows[unit].held = view.held_by(unit);
  }
  most_columns_ = std::max(most_columns_, panel.columns.size());
  panels_.push_back(std::move(panel));
}

/// Where things are in a panel.
struct MatrixDrawing::Layout {
  std::vector<Lane> lanes;
  double side, column, row;               ///< a half of a cell, a cell of the FU-Reg matrix, and its height
  double table, registers, units, width;  ///< left edges of the three parts; right edge of all
  double panel;                           ///< height
  std::vector<std::uint32_t> shown;       ///< units that hold an operation in any panel
};

std::string MatrixDrawing::svg() const {
  Layout at{};
  at.lanes = lanes_of(config_.lanes);
  std::uint32_t levels = 0;
  for (const Lane& lane : at.lanes) levels = std::max(levels, lane.level + 1);
  const bool has_lanes = config_.lanes != Lanes::lock, is_virtual = config_.virtual_registers.rows != 0;
  at.side = has_lanes ? 8 * look::lane + 2 : 15;
  at.column = 2 * at.side;
  at.row = std::max(look::cell, 2 + look::level * levels);
  const auto columns = double(most_columns_);
  for (std::uint32_t unit = 0; unit < units_; ++unit)
    if (std::ranges::any_of(panels_, [&](const Panel& panel) { return panel.rows[unit].busy; }))
      at.shown.push_back(unit);
  const auto units = double(at.shown.size());
  at.table = look::margin;
  at.registers = at.table + (is_virtual ? std::max(30 * columns, 170.0) + look::gap + look::margin : 0);
  at.units = at.registers + std::max(at.column * columns, 330.0) + look::gap + look::margin;
  at.width = at.units + std::max(look::cell * units, 330.0) + look::gap;
  const double table_height = is_virtual ? look::cell * columns : 0;
  at.panel = look::heading + std::max(at.row * units, table_height) + look::gap;
  const double cascade = levels > 1 ? 34.0 * levels + 30 : 0;

  Svg drawing(at.width, 24 + cascade + at.panel * double(panels_.size()));
  if (is_virtual) drawing.text(at.table, 16, "virtual to real (green)", "start");
  drawing.text(at.registers, 16,
               levels > 1 ? "FU-Reg: still read (blue), written (orange); pale: blocked with it"
                          : "FU-Reg: still read (blue), written (orange)",
               "start");
  drawing.text(at.units, 16, "FU-FU: waits for write (orange), read (blue), shadow (grey)", "start");
  if (levels > 1) {
    drawing.text(at.table, 40, "cascade", "start");
    draw_cascade(drawing, at.lanes, at.table + 60, 28);
  }
  double top = 24 + cascade;
  for (const Panel& panel : panels_) {
    draw(drawing, panel, at, top + look::heading);
    top += at.panel;
  }
  return drawing.end();
}

void MatrixDrawing::draw(Svg& drawing, const Panel& panel, const Layout& at, double top) const {
  drawing.text(4, top - 34, fmt::format("clock {}", panel.clock), "start", 12);
  if (config_.virtual_registers.rows != 0)
    for (std::size_t i = 0; i < panel.columns.size(); ++i) {
      const double y = top + look::cell * double(i);
      drawing.text(at.table - 4, y + look::cell - 3, panel.columns[i].row, "end", 9);
      drawing.text(at.table + 30 * (double(i) + 0.5), top - 4, panel.columns[i].reg, "middle", 9);
      for (std::size_t j = 0; j < panel.columns.size(); ++j)
        drawing.box(at.table + 30 * double(j), y, 30, look::cell, i == j ? look::stands_for : "none", look::grid);
    }
  for (std::size_t i = 0; i < panel.columns.size(); ++i) {
    const Panel::Column& column = panel.columns[i];
    const double x = at.registers + at.column * (double(i) + 0.5);
    drawing.text(x, top - 4, column.reg, "middle", 9);
    if (!column.row.empty()) drawing.text(x, top - 15, "row " + column.row, "middle", 9);
  }
  for (std::size_t place = 0; place < at.shown.size(); ++place) {
    const Panel::Row& row = panel.rows[at.shown[place]];
    const double y = top + at.row * double(place);
    drawing.text(at.units + look::cell * (double(place) + 0.5), top - 4, std::to_string(at.shown[place]), "middle", 8);
    drawing.text(at.registers - 4, y + at.row / 2 + 3, fmt::format("{}{}", at.shown[place], row.busy ? " *" : ""),
                 "end", 9);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const double x = at.registers + at.column * double(i);
      drawing.box(x, y, at.column, at.row, "none", look::grid);
      draw_lanes(drawing, at, x, y, row.cells[i].first, look::reads, look::blocked_reads);
      draw_lanes(drawing, at, x + at.side, y, row.cells[i].second, look::writes, look::blocked_writes);
    }
    drawing.box(at.units, y, look::cell * double(at.shown.size()), at.row, "none", look::grid);
    const auto stripe = [&](Units set, double offset, std::string_view colour) {
      for_each(set, [&](std::uint32_t other) {
        const auto found = std::ranges::find(at.shown, other) - at.shown.begin();
        drawing.box(at.units + look::cell * double(found) + offset, y + 1, 3, at.row - 2, colour, "none");
      });
    };
    stripe(row.waits_write, 1, look::waits_write);
    stripe(row.waits_read, 4.5, look::waits_read);
    stripe(row.held, 8, look::shadow);
  }
}

void MatrixDrawing::draw_lanes(Svg& drawing, const Layout& at, double x, double y, std::uint16_t own,
                               std::string_view colour, std::string_view blocked) const {
  const std::uint16_t all = expand(config_.lanes, own);
  const bool one_level = std::ranges::all_of(at.lanes, [](const Lane& lane) { return lane.level == 0; });
  const double height = one_level ? at.row - 2 : look::level, byte = (at.side - 2) / 8;
  for (std::size_t i = 0; i < at.lanes.size(); ++i) {
    if ((all >> i & 1) == 0) continue;
    const Lane& lane = at.lanes[i];
    drawing.box(x + 1 + byte * (8 - lane.first - lane.bytes), y + 1 + look::level * lane.level, byte * lane.bytes,
                height, (own >> i & 1) != 0 ? colour : blocked, "none");
  }
}

}  // namespace mobula::scoreboard
