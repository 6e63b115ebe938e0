// mobula scoreboard: runs workloads on the configurable core; makes workloads; shows presets.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/input/input.h"
#include "cli/scoreboard/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/timeline_files.h"
#include "mobula/scoreboard/scoreboard.h"
#include "mobula/scoreboard/sweep.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

/// "I1=34" as the text form's "reg I1=34". A register that the core does not have is a wrong value of the option.
void set_registers(const std::vector<std::string>& settings, const sb::Config& config, sb::Workload& workload) {
  std::set<std::string> names;
  for (const std::string& setting : settings) {
    const std::string name = setting.substr(0, setting.find('='));
    expect_first(names.insert(name).second, "--set", name);
    const Result<sb::Workload> parsed = sb::parse_workload("--set " + setting, "reg " + setting);
    if (!parsed) throw Stop{Exit::usage, parsed.error()};
    value_or_stop(sb::fits(config, *parsed), "--set " + setting, Exit::usage);
    workload.registers.insert(workload.registers.end(), parsed->registers.begin(), parsed->registers.end());
  }
}

void write_workload(const sb::Workload& workload, bool binary, const std::string& file) {
  if (!binary) return write_output(file, sb::print(workload));
  const std::vector<std::uint8_t> bytes = sb::write_workload(workload);
  write_output(file, as_text(bytes));
}

/// The files that are written while the core runs.
class Files {
 public:
  Files(const ScoreboardRunOptions& options, const sb::Config& config) : timeline_(options) {
    if (timeline_.wanted()) fork_.emplace(timeline_.listeners());
    if (options.vcd.empty()) return;
    vcd_output_.emplace(options.vcd);
    vcd_.emplace(config, [this](std::string_view piece) { vcd_output_->write(piece); });
  }
  TimelineSink* sink() { return fork_ ? &*fork_ : nullptr; }
  sb::Vcd* vcd() { return vcd_ ? &*vcd_ : nullptr; }
  [[nodiscard]] const std::string& text() const { return timeline_.text(); }
  void commit() {
    if (vcd_) vcd_->end();
    timeline_.commit();
    if (vcd_output_) vcd_output_->commit();
  }

 private:
  TimelineFiles timeline_;
  std::optional<TimelineFork> fork_;
  std::optional<Output> vcd_output_;
  std::optional<sb::Vcd> vcd_;
};

Json signals_json(const sb::Config& config, const sb::View& view) {
  const sb::Signals& now = view.signals();
  const auto units = [&](sb::Units set) { return sb::bits(set, config.units()); };
  return {{"clock", now.clock},
          {"issue", units(now.issue)},
          {"busy", units(now.busy)},
          {"rd_rel", units(now.rd_rel)},
          {"readable", units(now.readable)},
          {"go_rd", units(now.go_rd)},
          {"req_rel", units(now.req_rel)},
          {"writable", units(now.writable)},
          {"go_wr", units(now.go_wr)},
          {"shadown", units(now.shadown)},
          {"go_die", units(now.die)},
          {"queue", now.queue},
          {"g_rd", sb::bits(view.pending_reads())},
          {"g_wr", sb::bits(view.pending_writes())},
          {"g_rd_registers", sb::pending_registers(config, view, view.pending_reads())},
          {"g_wr_registers", sb::pending_registers(config, view, view.pending_writes())}};
}

Json matrices_json(const sb::Config& config, const sb::View& view) {
  const auto units = [&](sb::Units set) { return sb::bits(set, config.units()); };
  const auto registers = [&](std::uint32_t unit, auto lanes) {
    std::vector<std::uint16_t> columns(view.pending_reads().size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = (view.*lanes)(unit, i);
    return sb::pending_registers(config, view, columns);
  };
  Json rows = Json::array(), table = Json::object();
  for (std::uint32_t unit = 0; unit < config.units(); ++unit)
    if (view.operation(unit) != sb::no_operation)
      rows.push_back({{"unit", unit},
                      {"operation", view.operation(unit)},
                      {"reads", registers(unit, &sb::View::source_lanes)},
                      {"writes", registers(unit, &sb::View::destination_lanes)},
                      {"waits_for_write", units(view.waits_for_write(unit))},
                      {"waits_for_read", units(view.waits_for_read(unit))},
                      {"held", units(view.held_by(unit))}});
  for (const auto& [row, reg] : sb::virtual_rows(config, view)) table[row] = reg;
  return {{"clock", view.signals().clock}, {"virtual_registers", std::move(table)}, {"units", std::move(rows)}};
}

Json operations_json(const sb::Workload& workload, const sb::RunResult& result) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < workload.operations.size(); ++i) {
    const sb::Times& times = result.times[i];
    Json row{{"id", workload.operations[i].id}, {"text", sb::print(workload.operations[i])}};
    if (times.issue != 0) row["unit"] = times.unit;
    for (const auto& [key, clock] : {std::pair<const char*, std::uint32_t>{"issue", times.issue},
                                     {"read", times.read},
                                     {"start", times.start},
                                     {"complete", times.complete},
                                     {"write", times.write},
                                     {"kill", times.kill}})
      if (clock != 0) row[key] = clock;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json result_json(const sb::Config& config, const sb::Workload& workload, const sb::RunResult& result) {
  Json stalls, registers = Json::object(), groups = Json::array();
  for (std::size_t i = 0; i < sb::cause_count; ++i)
    stalls[std::string(sb::name(static_cast<sb::Cause>(i)))] = result.causes[i];
  for (const sb::RegisterValue& reg : sb::results(workload, result)) registers[sb::print(reg.which)] = hex(reg.value);
  for (std::size_t g = 0; g < config.groups.size(); ++g)
    groups.push_back({{"name", config.groups[g].name}, {"clocks", result.busy_units[g]}});
  const sb::Conflicts& conflicts = result.conflicts;
  Json json{{"config", config.name},
            {"workload", workload.name},
            {"clocks", result.clocks},
            {"ipc", result.ipc()},
            {"executed", result.executed},
            {"killed", result.killed},
            {"skipped", result.skipped},
            {"stalls", std::move(stalls)},
            {"conflicts",
             {{"read_grant", conflicts.read_grant},
              {"write_grant", conflicts.write_grant},
              {"read_bank", conflicts.read_bank},
              {"write_bank", conflicts.write_bank},
              {"lane_mux", conflicts.lane_mux},
              {"byte_crossbar", conflicts.byte_crossbar},
              {"alu", conflicts.alu},
              {"memory", conflicts.memory}}},
            {"occupancy", {{"groups", std::move(groups)}, {"queue", result.queue_entries}}},
            {"mixed_widths", result.mixed_widths},
            {"registers", std::move(registers)},
            {"operations", operations_json(workload, result)}};
  if (!result.virtual_rows.empty()) json["occupancy"]["virtual_registers"] = result.virtual_rows;
  if (result.trapped != sb::no_operation) json["trapped"] = workload.operations[result.trapped].id;
  return json;
}

}  // namespace

Exit scoreboard_run(const ScoreboardRunOptions& options) {
  const std::string& file = options.program.input.files.front();
  expect_distinct({{"--timeline-json", options.timeline_json},
                   {"--konata", options.konata},
                   {"--perfetto", options.perfetto},
                   {"--vcd", options.vcd},
                   {"--matrix-svg", options.matrix_svg}},
                  options.program.input.files, options.output.file);
  const sb::Config config = load_config(options.preset, options.config);
  sb::Workload workload = load_workload(options.program.input.files, options.program);
  set_registers(options.set, config, workload);
  Files files(options, config);

  std::string text = options.signals ? sb::signals_header(config) : "", matrices;
  Json signals = Json::array(), clocks = Json::array();
  sb::RunOptions run_options;
  run_options.max_clocks = options.max_clocks;
  run_options.timeline = files.sink();
  std::optional<sb::MatrixDrawing> drawing;
  if (!options.matrix_svg.empty()) drawing.emplace(config);
  if (options.signals || options.matrices || files.vcd() != nullptr || drawing)
    run_options.observer = [&](const sb::View& view) {
      if (drawing && view.signals().clock <= options.svg_clocks) drawing->on(view);
      if (files.vcd() != nullptr) files.vcd()->on(view);
      if (options.signals && options.output.json) signals.push_back(signals_json(config, view));
      if (options.signals && !options.output.json) text += sb::signals_line(config, view);
      if (options.matrices && options.output.json) clocks.push_back(matrices_json(config, view));
      if (options.matrices && !options.output.json) matrices += sb::matrices(config, view);
    };
  const Result<sb::RunResult> result = sb::run(config, workload, run_options);
  if (!result) {  // what happened until then says why
    if (!options.output.json) write_output(options.output.file, text + matrices + files.text());
    throw Stop{Exit::negative, located(result.error(), file)};
  }
  files.commit();
  if (drawing) write_output(options.matrix_svg, drawing->svg());
  if (options.output.json) {
    Json json = result_json(config, workload, *result);
    if (options.signals) json["signals"] = std::move(signals);
    if (options.matrices) json["matrices"] = std::move(clocks);
    write_output(options.output.file, envelope("scoreboard-run", nullptr, std::move(json)));
    return Exit::done;
  }
  const auto add = [&](const std::string& part) { text += (text.empty() || part.empty() ? "" : "\n") + part; };
  add(matrices);
  add(files.text());
  if (options.table) add(sb::table(workload, *result));
  add(sb::report(config, workload, *result));
  add(sb::registers_text(workload, *result));
  write_output(options.output.file, text);
  return Exit::done;
}

Exit scoreboard_record(const ScoreboardRecordOptions& options) {
  const sb::Workload workload = load_workload(options.program.input.files, options.program);
  write_workload(workload, options.binary, options.output);
  return Exit::done;
}

Exit scoreboard_generate(const ScoreboardGenerateOptions& options) {
  sb::Mix mix = value_or_stop(sb::find_mix(options.mix), "--mix", Exit::usage);
  mix.registers = options.registers;
  set_widths(options.widths, mix);
  const sb::Workload workload = sb::generate(mix, options.count, options.seed);
  write_workload(workload, options.binary, options.output);
  return Exit::done;
}

Exit scoreboard_presets(const ScoreboardPresetsOptions& options) {
  std::string text;
  Json rows = Json::array();
  for (const sb::Preset& preset : sb::presets()) {
    if (!options.name.empty() && options.name != preset.name) continue;
    if (!options.name.empty()) text = preset.json;
    const std::string summary = value_or_stop(sb::find_preset(preset.name), "").summary;
    if (options.name.empty()) text += std::string(preset.name) + "  " + summary + '\n';
    rows.push_back({{"name", preset.name}, {"summary", summary}, {"config", Json::parse(preset.json)}});
  }
  if (rows.empty())
    throw usage_error("no preset is called \"" + options.name + '"', "mobula scoreboard presets lists them");
  if (options.output.json) text = envelope("scoreboard-presets", nullptr, {{"presets", std::move(rows)}});
  write_output(options.output.file, text);
  return Exit::done;
}

}  // namespace mobula::cli
