// The FU-Reg and FU-FU matrices of each clock, one panel below the other.
#include <fmt/format.h>

#include <algorithm>

#include "mobula/scoreboard/sweep.h"
#include "scoreboard/core/units.h"
#include "scoreboard/views/svg.h"

namespace mobula::scoreboard {
namespace {

/// Sizes and colours.
namespace look {
constexpr double cell = 12, column_width = 30, margin = 40, heading = 40, gap = 24;
constexpr std::string_view reads = "#56b4e9", writes = "#d55e00", waits_write = "#d55e00", waits_read = "#56b4e9",
                           shadow = "#999999", grid = "#d8d8d8";
}  // namespace look

}  // namespace

struct MatrixDrawing::Panel {
  std::uint64_t clock = 0;
  std::vector<std::string> columns;
  struct Row {
    bool busy = false;
    std::vector<std::pair<bool, bool>> cells;  ///< by column: still to be read, written
    Units waits_write = 0, waits_read = 0, held = 0;
  };
  std::vector<Row> rows;  ///< by unit
};

MatrixDrawing::MatrixDrawing(const Config& config) : units_(config.units()) {}
MatrixDrawing::~MatrixDrawing() = default;

void MatrixDrawing::on(const View& view) {
  Panel panel{.clock = view.signals().clock, .columns = {}, .rows = std::vector<Panel::Row>(units_)};
  for (std::size_t column = 0; column < view.pending_reads().size(); ++column) {
    bool used = false;
    for (std::uint32_t unit = 0; unit < units_ && !used; ++unit)
      used = (view.source_lanes(unit, column) | view.destination_lanes(unit, column)) != 0;
    if (!used) continue;
    panel.columns.push_back(view.column(column));
    for (std::uint32_t unit = 0; unit < units_; ++unit)
      panel.rows[unit].cells.emplace_back(view.source_lanes(unit, column) != 0,
                                          view.destination_lanes(unit, column) != 0);
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

std::string MatrixDrawing::svg() const {
  const double right =
      look::margin + std::max(look::column_width * double(most_columns_), 140.0) + look::gap + look::margin;
  const double panel_height = look::heading + look::cell * units_ + look::gap;
  Svg drawing(right + std::max(look::cell * units_, 200.0) + look::gap, 24 + panel_height * double(panels_.size()));
  drawing.text(look::margin, 16, "FU-Reg: units still read (blue) and write (orange)", "start");
  drawing.text(right, 16, "FU-FU: waits for write (orange), read (blue), shadow (grey)", "start");
  double top = 24;
  for (const Panel& panel : panels_) {
    draw(drawing, panel, top + look::heading, right);
    top += panel_height;
  }
  return drawing.end();
}

void MatrixDrawing::draw(Svg& drawing, const Panel& panel, double top, double right) const {
  drawing.text(4, top - 22, fmt::format("clock {}", panel.clock), "start", 12);
  for (std::size_t i = 0; i < panel.columns.size(); ++i)
    drawing.text(look::margin + look::column_width * (double(i) + 0.5), top - 4, panel.columns[i], "middle", 9);
  for (std::uint32_t unit = 0; unit < units_; ++unit) {
    const Panel::Row& row = panel.rows[unit];
    const double y = top + look::cell * unit;
    drawing.text(look::margin - 4, y + look::cell - 3, row.busy ? fmt::format("{} *", unit) : fmt::format("{}", unit),
                 "end", 9);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const double x = look::margin + look::column_width * double(i);
      drawing.box(x, y, look::column_width, look::cell, "none", look::grid);
      if (row.cells[i].first)
        drawing.box(x + 1, y + 1, look::column_width / 2 - 2, look::cell - 2, look::reads, "none");
      if (row.cells[i].second)
        drawing.box(x + look::column_width / 2 + 1, y + 1, look::column_width / 2 - 2, look::cell - 2, look::writes,
                    "none");
    }
    drawing.box(right, y, look::cell * units_, look::cell, "none", look::grid);
    const auto stripe = [&](Units set, double offset, std::string_view colour) {
      for_each(set, [&](std::uint32_t other) {
        drawing.box(right + look::cell * other + offset, y + 1, 3, look::cell - 2, colour, "none");
      });
    };
    stripe(row.waits_write, 1, look::waits_write);
    stripe(row.waits_read, 4.5, look::waits_read);
    stripe(row.held, 8, look::shadow);
  }
}

}  // namespace mobula::scoreboard
