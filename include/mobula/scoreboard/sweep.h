// Many runs of the scoreboard: every combination of cores, values of their configuration, workloads and seeds; the
// results as a table, and figures of it.
//
// Points are numbered from 0 and the same for the same sweep everywhere, so that a shard, or a sweep that continues
// after it was stopped, knows which are its own. Errors: SB15x, see docs/scoreboard-sweep.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/scoreboard/hardware.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula {
class Svg;
}

namespace mobula::scoreboard {

/// A member of the configuration and the values it takes. The path names members from the outermost to the innermost:
/// "virtual_registers.rows"; of groups and files by name, number or "*" for all: "groups.*.units". Two are of the
/// workloads: "workload.registers", of each file that a mix uses, and "workload.spill_to", those that it is fitted
/// into.
struct Axis {
  std::string path;
  std::vector<std::string> values;  ///< JSON, or a word that stands for a string
};
/// "virtual_registers.rows=4,8,16". SB150.
MOBULA_API Result<Axis> parse_axis(std::string_view text);

struct SweepOptions {
  std::vector<Preset> cores;  ///< names and JSON documents; the first axis
  std::vector<Axis> axes;
  std::vector<Workload> workloads;  ///< each is run once
  std::vector<Mix> mixes;           ///< each is run with every seed
  std::uint32_t operations = 1000;  ///< of a mix
  std::uint32_t seeds = 1;          ///< 1..seeds
  Hardware hardware;                ///< that the costs are of
  std::uint64_t max_clocks = 100'000'000;
};

/// A table of text, as in CSV (RFC 4180); all rows as long as the header.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  /// Position of a column, or -1.
  [[nodiscard]] MOBULA_API int column(std::string_view name) const;
};
MOBULA_API std::string print_csv(const std::vector<std::string>& row);
MOBULA_API std::string print_csv(const Table& table);
/// SB151: this is no table. A last line without its end is left out if `cut_off` is allowed.
MOBULA_API Result<Table> parse_csv(std::string_view file, std::string_view text, bool cut_off = false);

class MOBULA_API Sweep {
 public:
  /// SB150 axes that fit no core, or two of one path, SB152 too many points, and the errors of documents. Contradictory
  /// combinations are errors only in their rows.
  static Result<Sweep> make(SweepOptions options);

  [[nodiscard]] std::uint64_t points() const;
  [[nodiscard]] std::vector<std::string> header() const;
  /// The columns that say which point it is, the last one a hash of core and workload: a row of an earlier sweep that
  /// begins like this can be taken over.
  [[nodiscard]] std::vector<std::string> identity(std::uint64_t point) const;
  /// Number of the point's workload. Points of one workload that are run one after the other share it, its execution in
  /// order, its plan where the cores allow it, and its run where a core only has more of what the run was never short
  /// of: in_order_of_workloads() is the fastest order.
  [[nodiscard]] std::uint64_t workload(std::uint64_t point) const { return point % works_.size(); }
  [[nodiscard]] std::vector<std::uint64_t> in_order_of_workloads(std::vector<std::uint64_t> points) const;
  /// Runs a point. May be called from several threads at once. Of RunOptions::stop; the error in the row is then SB304.
  [[nodiscard]] std::vector<std::string> run(std::uint64_t point, const std::function<bool()>& stop = {}) const;

 private:
  struct Core {
    std::vector<std::string> values;  ///< name of the core, then of each axis
    Result<Config> config;
    std::vector<std::string> costs;
    std::uint64_t hash = 0;
    std::uint32_t mix_registers = 0, spill_to = 0;  ///< of the workloads; 0 = as they are
  };
  struct Work {
    const Workload* workload = nullptr;  ///< or null: of a mix
    const Mix* mix = nullptr;
    std::uint64_t seed = 0, hash = 0;
    std::string name;
  };
  struct Measured {
    std::uint64_t clocks = 0;
    std::vector<std::string> cells;
  };
  class Prepared;
  Sweep() = default;
  [[nodiscard]] Result<Workload> workload_of(const Core& core, const Work& work,
                                             const std::function<bool()>& stop) const;
  [[nodiscard]] Result<Measured> measure(const Core& core, Prepared& prepared, const std::function<bool()>& stop) const;

  std::shared_ptr<const SweepOptions> options_;
  std::vector<Core> cores_;
  std::vector<Work> works_;
  std::size_t columns_ = 0;  // of the header
  class Recent;
  std::shared_ptr<Recent> recent_;
};

/// Rows of shards put together, in the order of their points. SB153 tables of different sweeps, SB154 a point with two
/// results, SB155 points that are missing.
MOBULA_API Result<Table> merge(std::span<const Table> tables);

// ---- Figures ----

struct PlotOptions {
  std::string x;                             ///< column; its values in the order they come
  std::vector<std::string> y;                ///< columns of numbers; each a curve
  std::string per;                           ///< column that y is divided by; empty = none
  std::vector<std::string> by;               ///< columns; each combination of their values has its own curves
  std::map<std::string, std::string> where;  ///< only rows with these values
  std::string title;
};

/// Mean and half of its 95 % confidence interval (Student's t) over the rows of one x.
struct Mean {
  double mean = 0, interval = 0;
  std::uint64_t count = 0;
};
struct Curve {
  std::string name;
  std::vector<Mean> at;  ///< by x; count 0 = none
};
struct Figure {
  std::string title, x_name, y_name;
  std::vector<std::string> x;
  std::vector<Curve> curves;
  std::uint64_t failed = 0;  ///< rows left out because their run failed
};
/// SB156 columns that do not exist, SB157 cells that are not numbers, SB158 nothing left to show.
MOBULA_API Result<Figure> figure(const Table& table, const PlotOptions& options);
/// Deterministic: equal figures give equal text on every platform.
MOBULA_API std::string svg(const Figure& figure);
/// As a table of Markdown: a row for each x, a column for each curve.
MOBULA_API std::string markdown(const Figure& figure);

/// The virtual-to-real table and the matrices of clock after clock as one drawing, with the lanes of each register and
/// what the cascade blocks with them.
class MOBULA_API MatrixDrawing {
 public:
  explicit MatrixDrawing(Config config);
  ~MatrixDrawing();
  MatrixDrawing(const MatrixDrawing&) = delete;
  MatrixDrawing& operator=(const MatrixDrawing&) = delete;
  /// From the observer: the state after the clock.
  void on(const View& view);
  [[nodiscard]] std::string svg() const;

 private:
  struct Panel;
  struct Layout;
  void draw(Svg& drawing, const Panel& panel, const Layout& at, double top) const;
  void draw_lanes(Svg& drawing, const Layout& at, double x, double y, std::uint16_t own, std::string_view colour,
                  std::string_view blocked) const;

  Config config_;
  std::uint32_t units_;
  std::size_t most_columns_ = 0;
  std::vector<Panel> panels_;
};

}  // namespace mobula::scoreboard
