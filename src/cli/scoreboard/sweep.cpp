// mobula scoreboard sweep, merge and plot: many runs as a table, and figures of tables.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/input/input.h"
#include "cli/scoreboard/input.h"
#include "cli/shards/shards.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "mobula/scoreboard/sweep.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

/// The name of the last column of a shard's table, whose cells are empty: a table without rows says whose it is, too.
constexpr std::string_view shard_column = "shard ";

std::optional<Shard> shard_of(const sb::Table& table) {
  const std::string& last = table.header.back();
  return last.starts_with(shard_column) ? parse_shard(std::string_view(last).substr(shard_column.size()))
                                        : std::nullopt;
}

/// The names of the files without folder and extension, or all of the paths if two would be the same.
std::vector<std::string> labels(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem().string());
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? names : files;
}

sb::SweepOptions sweep_options(const ScoreboardSweepOptions& options, std::deque<std::string>& texts) {
  sb::SweepOptions sweep;
  const std::vector<std::string> core_labels = labels(options.cores);
  for (std::size_t i = 0; i < options.cores.size(); ++i) {
    const std::string& name = options.cores[i];
    const auto presets = sb::presets();
    const auto preset = std::ranges::find(presets, name, &sb::Preset::name);
    if (preset != presets.end()) {
      sweep.cores.push_back(*preset);
      continue;
    }
    const bool looks_like_a_file = name.find_first_of("./") != std::string::npos;
    if (!looks_like_a_file && !std::filesystem::exists(name))
      value_or_stop(sb::find_preset(name), "--preset", Exit::usage);
    const std::vector<std::uint8_t> bytes = read_file(name);
    // An axis may still make good what is wrong in it, but not what is no JSON.
    if (const auto read = sb::parse_config(name, as_text(bytes)); !read && read.error().front().code == "IN001")
      throw Stop{Exit::usage, read.error()};
    const std::string& label = texts.emplace_back(core_labels[i]);
    sweep.cores.push_back({label, texts.emplace_back(as_text(bytes))});
  }
  for (const std::string& axis : options.axes)
    sweep.axes.push_back(value_or_stop(sb::parse_axis(axis), "--axis", Exit::usage));
  const std::vector<std::string> program_labels = labels(options.program.input.files);
  for (const std::string& file : options.program.input.files) {
    sweep.workloads.push_back(load_workload(file, options.program));
    sweep.workloads.back().name = program_labels[sweep.workloads.size() - 1];
  }
  const auto has_axis = [&](const char* path) { return std::ranges::count(sweep.axes, path, &sb::Axis::path) != 0; };
  if (options.registers && has_axis("workload.registers"))
    throw usage_error("--registers and the axis workload.registers both say how many registers a mix uses",
                      "leave one of them out");
  if (has_axis("workload.spill_to") &&
      (options.program.spill_to != 0 || options.program.interleave > 1 || options.program.quads))
    throw usage_error("an axis workload.spill_to would come after --spill-to, --quads and --interleave",
                      "leave the axis out, and sweep once for each number of registers");
  if (!options.mixes.empty() &&
      (options.program.interleave > 1 || options.program.spill_to != 0 || options.program.quads))
    throw usage_error("--interleave, --spill-to and --quads are for PROGRAMs, and --mix has none",
                      "--axis workload.spill_to=N is for mixes, too");
  for (const std::string& name : options.mixes) {
    sb::Mix mix = value_or_stop(sb::find_mix(name), "--mix", Exit::usage);
    mix.registers = options.registers.value_or(mix.registers);
    if (options.widths.empty()) sweep.mixes.push_back(mix);
    for (std::size_t i = 0; i < options.widths.size(); i += 4) {
      sb::Mix weighted = mix;
      set_widths({options.widths.begin() + static_cast<std::ptrdiff_t>(i),
                  options.widths.begin() + static_cast<std::ptrdiff_t>(std::min(i + 4, options.widths.size()))},
                 weighted);
      weighted.name += fmt::format(" {}", fmt::join(weighted.widths, "/"));
      sweep.mixes.push_back(std::move(weighted));
    }
  }
  sweep.operations = options.count;
  sweep.seeds = options.seeds;
  sweep.max_clocks = options.max_clocks;
  return sweep;
}

/// Rows that are there already, from a finished or a stopped sweep of the same points.
class Journal {
 public:
  Journal(const sb::Sweep& sweep, const std::optional<Shard>& shard, const std::string& output)
      : sweep_(sweep), header_(sweep.header()), file_(output == "-" ? "" : output + ".part") {
    if (shard) header_.push_back(std::string(shard_column) + to_string(*shard));
    if (file_.empty()) return;
    take(output, false);
    take(file_, true);
    std::string text = sb::print_csv(header_);
    for (const auto& [point, row] : rows_) text += sb::print_csv(row);
    write_output(file_, text);
    stream_ = std::fopen(file_.c_str(), "ab");
    if (stream_ == nullptr) throw usage_error("cannot write " + file_);
  }
  ~Journal() {
    if (stream_ != nullptr) std::fclose(stream_);
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] bool has(std::uint64_t point) const { return rows_.contains(point); }
  void add(std::uint64_t point, std::vector<std::string> row) {
    row.resize(header_.size());
    const std::string text = sb::print_csv(row);
    if (stream_ != nullptr &&
        (std::fwrite(text.data(), 1, text.size(), stream_) != text.size() || std::fflush(stream_) != 0))
      throw usage_error("cannot write " + file_);
    rows_.emplace(point, std::move(row));
  }
  /// All of it; what was kept beside the output is not needed any more once that is written.
  [[nodiscard]] sb::Table table() const {
    sb::Table table{header_, {}};
    for (const auto& [point, row] : rows_) table.rows.push_back(row);
    return table;
  }
  void remove() const {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
  }

 private:
  void take(const std::string& file, bool cut_off) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return;
    const std::vector<std::uint8_t> bytes = read_file(file);
    const auto table = sb::parse_csv(file, text_of(bytes, file), cut_off);
    if (!table || table->header != header_) return;
    for (const std::vector<std::string>& row : table->rows) {
      std::uint64_t point = 0;
      const auto parsed = std::from_chars(row[0].data(), row[0].data() + row[0].size(), point);
      if (parsed.ec != std::errc() || point >= sweep_.points()) continue;
      const std::vector<std::string> identity = sweep_.identity(point);
      if (std::equal(identity.begin(), identity.end(), row.begin())) rows_.emplace(point, row);
    }
  }

  const sb::Sweep& sweep_;
  std::vector<std::string> header_;
  std::string file_;
  std::FILE* stream_ = nullptr;
  std::map<std::uint64_t, std::vector<std::string>> rows_;
};

void run_points(const sb::Sweep& sweep, const std::vector<std::uint64_t>& points, unsigned jobs, Journal& journal) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  expect_progress(points.size(), "points");
  std::uint64_t done = 0;
  std::exception_ptr failed;
  const auto work = [&] {
    for (std::size_t i = next++; i < points.size(); i = next++) {
      try {
        std::vector<std::string> row = sweep.run(points[i]);
        const std::lock_guard lock(mutex);
        journal.add(points[i], std::move(row));
        set_progress(++done);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed = std::current_exception();
        next = points.size();
      }
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < jobs && i < points.size(); ++i) workers.emplace_back(work);
  work();
  workers.clear();
  if (failed) std::rethrow_exception(failed);
}

Json to_json(const sb::Table& table) {
  Json rows = Json::array();
  for (const std::vector<std::string>& row : table.rows) {
    Json each;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Json number = Json::parse(row[i], nullptr, false);
      const bool name = table.header[i] == "key" || table.header[i] == "workload" || table.header[i] == "core";
      if (!row[i].empty()) each[table.header[i]] = number.is_number() && !name ? number : Json(row[i]);
    }
    rows.push_back(std::move(each));
  }
  return {{"columns", table.header}, {"rows", std::move(rows)}};
}

std::string to_text(const sb::Table& table, bool json) {
  return json ? envelope("scoreboard-sweep", nullptr, to_json(table)) : sb::print_csv(table);
}

sb::Table load_table(const std::string& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (bytes.empty())
    throw Stop{Exit::negative, located({{Severity::error, "FM005", {}, "the input is empty", ""}}, file)};
  return value_or_stop(sb::parse_csv(file, text_of(bytes, file)), file);
}

/// What became of all points.
Exit verdict(const sb::Table& table) {
  std::map<std::string, std::uint64_t> failed;
  const int error = table.column("error");
  for (const auto& row : table.rows)
    if (error >= 0 && !row[static_cast<std::size_t>(error)].empty()) ++failed[row[static_cast<std::size_t>(error)]];
  Diagnostics notes;
  for (const auto& [code, count] : failed)
    notes.push_back({Severity::warning,
                     code,
                     {.file = "sweep"},
                     fmt::format("{} of {} points failed", count, table.rows.size()),
                     "their rows say so; docs/scoreboard.md has the codes, mobula scoreboard run the reasons"});
  print(notes);
  return failed.empty() ? Exit::done : Exit::negative;
}

/// Of a table that may have lost its end: a shard must have its own points, all of them.
void expect_own_points(const sb::Table& table, const ShardFile& part) {
  std::uint64_t points = 0;
  for (const std::vector<std::string>& row : table.rows) {
    std::uint64_t point = 0;
    std::from_chars(row[0].data(), row[0].data() + row[0].size(), point);
    std::from_chars(row[1].data(), row[1].data() + row[1].size(), points);
    if (!part.shard.has(point))
      throw Stop{Exit::negative,
                 {{Severity::error,
                   "SH005",
                   {.file = part.file},
                   "point " + row[0] + " is not one of shard " + to_string(part.shard),
                   "run the shard again"}}};
  }
  if (table.rows.empty() || table.rows.size() == part.shard.size(points)) return;
  throw Stop{Exit::negative,
             {{Severity::error,
               "SH005",
               {.file = part.file},
               fmt::format("shard {} has {} of its {} points", to_string(part.shard), table.rows.size(),
                           part.shard.size(points)),
               "remove the file, and run the shard again"}}};
}

/// Where the tables are those of shards, they must be all of them; what says so is not in the result.
void expect_all_shards(std::vector<sb::Table>& tables, const std::vector<std::string>& files) {
  std::vector<ShardFile> shards;
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (const auto shard = shard_of(tables[i])) shards.push_back({*shard, files[i]});
  if (shards.empty()) return;
  if (shards.size() != tables.size())
    throw Stop{Exit::negative,
               {{Severity::error,
                 "SH001",
                 {.file = "merge"},
                 "some of the tables are of shards, and others are not",
                 "the tables of all shards, and nothing else"}}};
  value_or_stop(expect_all(shards), "merge");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    sb::Table& table = tables[i];
    table.header.pop_back();
    for (std::vector<std::string>& row : table.rows) row.pop_back();
    if (table.column("point") == 0 && table.column("points") == 1) expect_own_points(table, shards[i]);
  }
}

}  // namespace

Exit scoreboard_sweep(const ScoreboardSweepOptions& options) {
  std::optional<Shard> shard;
  if (!options.shard.empty()) shard = chosen_shard(options.shard);
  std::deque<std::string> texts;  // that the options point to
  const sb::Sweep sweep = value_or_stop(sb::Sweep::make(sweep_options(options, texts)), "sweep", Exit::usage);
  const std::string resumed = options.output.json ? "-" : options.output.file;
  Journal journal(sweep, shard, resumed);
  const Shard part = shard.value_or(Shard{});
  std::vector<std::uint64_t> points;
  for (std::uint64_t point = 0; point < sweep.points(); ++point)
    if (part.has(point) && !journal.has(point)) points.push_back(point);
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  run_points(sweep, sweep.in_order_of_workloads(std::move(points)), jobs, journal);
  const sb::Table table = journal.table();
  write_output(options.output.file, to_text(table, options.output.json));
  journal.remove();
  return shard ? Exit::done : verdict(table);  // of shards, merge tells it
}

Exit scoreboard_merge(const ScoreboardMergeOptions& options) {
  std::vector<sb::Table> tables;
  for (const std::string& file : options.files) tables.push_back(load_table(file));
  expect_all_shards(tables, options.files);
  const sb::Table table = value_or_stop(sb::merge(tables), "merge");
  write_output(options.output.file, to_text(table, options.output.json));
  return verdict(table);
}

Exit scoreboard_plot(const ScoreboardPlotOptions& options) {
  sb::PlotOptions plot{
      .x = options.x, .y = options.y, .per = options.per, .by = options.by, .where = {}, .title = options.title};
  for (const std::string& setting : options.where) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) throw usage_error("--where " + setting + " has no value", "write COLUMN=VALUE");
    const std::string column = setting.substr(0, equals);
    expect_first(plot.where.emplace(column, setting.substr(equals + 1)).second, "--where", column);
  }
  auto drawn = sb::figure(load_table(options.file), plot);
  const bool no_such_column = !drawn && drawn.error().front().code == "SB156";
  const sb::Figure figure =
      value_or_stop(std::move(drawn), options.file, no_such_column ? Exit::usage : Exit::negative);
  if (figure.failed != 0)
    print({{Severity::warning,
            "",
            {.file = options.file},
            counted(figure.failed, "row of a run that failed is", "rows of runs that failed are") + " left out",
            ""}});
  write_output(options.output, options.markdown ? sb::markdown(figure) : sb::svg(figure));
  return Exit::done;
}

}  // namespace mobula::cli
