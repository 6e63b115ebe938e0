// Options of `mobula scoreboard`.
#include "mobula/scoreboard/scoreboard.h"
#include "cli/options/subcommands.h"

namespace mobula::cli {
namespace {

void add_hardware(CLI::App& app, HardwareOptions& hardware) {
  auto* preset = app.add_option("--preset", hardware.preset, "Core; \"mobula scoreboard presets\" lists them")
                     ->group("Core")
                     ->capture_default_str();
  app.add_option("--config", hardware.config, "Core described by this JSON file")->group("Core")->excludes(preset);
  app.add_option("--sources", hardware.sources, "Source ports of a unit, 1 to 4")->group("Core")->capture_default_str();
  app.add_option("--destinations", hardware.destinations, "Destination ports of a unit, 1 to 3")
      ->group("Core")
      ->capture_default_str();
  app.add_flag("--all-columns", hardware.all_columns, "Rows with the columns of all widths, not only their group's")
      ->group("Core");
}

void add_workloads(CLI::App& app, OptionRules& rules, WorkloadOptions& program, bool several) {
  auto* files = app.add_option("PROGRAM", program.input.files,
                               "Workload, text or binary, or a program of another machine; - is standard input; see "
                               "docs/scoreboard.md");
  if (!several) files->required()->expected(1, 2);
  add_machine(app, program.input.machine);
  add_syntax(app, program.input);
  add_container(app, rules, program.input);
  add_feed(app, program.feed);
  app.add_option("--thread", program.thread, "Record this thread, or this core of firmware, counted from 0")
      ->group("Input");
  app.add_option("--predictor", program.predictor,
                 "How a program's branches are predicted: perfect, or backward (taken if they go back)")
      ->group("Input")
      ->capture_default_str();
  app.add_option("--interleave", program.interleave,
                 "Run this many threads in turn, from --thread on; for a workload, copies of it")
      ->check(CLI::Range(1, 256))
      ->group("Input");
  app.add_flag("--quads", program.quads,
               "Operations on the four 32-bit numbers of two registers become one of 16 bytes")
      ->group("Input");
  app.add_option("--spill-to", program.spill_to,
                 "Fit each thread into this many registers of each file; the others are loaded and stored")
      ->check(CLI::Range(1, 2048))
      ->group("Input");
  app.add_option("--stream", program.streams, "Take what the firmware executes for this command stream, not its boot")
      ->group("Firmware")
      ->allow_extra_args(false);
  app.add_option("--memory", program.memory, "Load words at an address first: ADDRESS=FILE")
      ->group("Firmware")
      ->allow_extra_args(false);
  rules.need({"--memory"}, {"--stream"});
  rules.act_on({Kind::shader}, {"--inputs", "--threads", "--stage"}, program.input);
  rules.act_on({Kind::firmware}, {"--stream", "--memory"}, program.input);
  rules.act_on(
      {Kind::shader, Kind::firmware},
      {"--machine", "--syntax", "--container", "--index", "--policy", "--step-limit", "--thread", "--predictor"},
      program.input);
  rules.act_on({Kind::shader, Kind::workload}, {"--interleave"}, program.input);
}

void add_scoreboard_run(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardRunOptions>(
      place, "Runs a workload clock by clock and checks it against execution in order.",
      "  mobula scoreboard run examples/scoreboard-worked.sb --preset june2019 --signals\n"
      "  mobula scoreboard run examples/scoreboard-textbook.sb --preset textbook6600 --table\n"
      "  mobula scoreboard generate --mix fp --count 500 | mobula scoreboard run - --json\n",
      scoreboard_run);
  add_workloads(app, rules, options.program, false);
  auto* preset = app.add_option("--preset", options.preset, "Core; \"mobula scoreboard presets\" lists them")
                     ->group("Core")
                     ->capture_default_str();
  app.add_option("--config", options.config, "Core described by this JSON file")->group("Core")->excludes(preset);
  app.add_option("--set", options.set, "Value of a register at the start: I1=34")
      ->group("Core")
      ->allow_extra_args(false);
  app.add_option("--max-clocks", options.max_clocks, "Give up at this clock")->group("Core");
  add_output(app, options.output);
  app.add_flag("--signals", options.signals, "All vectors of each clock, highest unit first")->group("Output");
  app.add_flag("--matrices", options.matrices, "The dependency matrices after each clock")->group("Output");
  app.add_flag("--table", options.table, "Issue, read, execute and write of each operation")->group("Output");
  app.add_flag("--timeline", options.timeline, "A row for each operation, a column for each clock")->group("Output");
  app.add_option("--timeline-json", options.timeline_json, "Write all events to this file; see docs/timeline.md")
      ->group("Output");
  app.add_option("--konata", options.konata, "Write a log for the Konata viewer to this file")->group("Output");
  app.add_option("--perfetto", options.perfetto, "Write a trace for ui.perfetto.dev to this file")->group("Output");
  app.add_option("--matrix-svg", options.matrix_svg, "Draw the matrices of each clock into this file")->group("Output");
  app.add_option("--svg-clocks", options.svg_clocks, "Clocks that --matrix-svg draws, from the first")
      ->check(CLI::Range(1, 2000))
      ->group("Output")
      ->capture_default_str();
  app.add_option("--vcd", options.vcd, "Write the signals for waveform viewers to this file")->group("Output");
  rules.need({"--svg-clocks"}, {"--matrix-svg"});
  rules.exclude({"--json"}, {"--table", "--timeline"});
  rules.exclude({"--set"}, {"--spill-to", "--interleave"});
}

void add_scoreboard_record(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardRecordOptions>(
      place, "A program's run as a workload, text or binary.",
      "  mobula scoreboard record examples/checker.frag.bin --inputs examples/checker.inputs.json -o checker.sb\n"
      "  mobula scoreboard record examples/torus.vert.bin --inputs examples/torus.inputs.json --thread 7\n"
      "  mobula scoreboard record examples/waves.frag.bin --inputs examples/waves.inputs.json --binary -o "
      "waves.sbb\n",
      scoreboard_record);
  add_workloads(app, rules, options.program, false);
  app.add_flag("--binary", options.binary, "The binary form")->group("Output");
  app.add_option("-o,--output", options.output, "Write here; the file is replaced in one step")->group("Output");
}

void add_scoreboard_generate(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardGenerateOptions>(
      place, "A random workload with a published mix of operations.",
      "  mobula scoreboard generate --mix int --count 100 --seed 7\n"
      "  mobula scoreboard generate --mix fp --count 100000 --binary -o fp.sbb\n"
      "  mobula scoreboard generate --mix fp --widths 10 10 70 10 | mobula scoreboard run -\n",
      scoreboard_generate);
  app.add_option("--mix", options.mix, "int or fp")->group("Workload")->capture_default_str();
  app.add_option("--count", options.count, "Operations of a random workload")
      ->group("Workload")
      ->check(CLI::Range(1u, scoreboard::most_generated_operations))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "The same seed gives the same workload")->group("Workload");
  app.add_option("--registers", options.registers, "Registers of each file that a random workload uses; by default 32")
      ->group("Workload")
      ->check(CLI::Range(1u, 2048u));
  app.add_option("--widths", options.widths, "Weights of operations of 1, 2, 4 and 8 bytes")
      ->option_text("W1 W2 W4 W8")
      ->group("Workload")
      ->expected(4)
      ->check(CLI::Range(0u, 1'000'000u));
  app.add_flag("--binary", options.binary, "The binary form")->group("Output");
  app.add_option("-o,--output", options.output, "Write here; the file is replaced in one step")->group("Output");
}

void add_scoreboard_sweep(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardSweepOptions>(
      place, "Every combination of cores, configurations and workloads, as a table.",
      "  mobula scoreboard sweep --axis virtual_registers.rows=4,8,16,32,0 --mix fp --seeds 5 -o rows.csv\n"
      "  mobula scoreboard sweep --axis 'groups.*.units=2,4,8' --mix int --shard 0/2 -o units.0.csv\n"
      "  mobula scoreboard sweep --axis 'groups.*.units=2,4,8' --mix int --shard 1/2 -o units.1.csv\n",
      scoreboard_sweep);
  add_workloads(app, rules, options.program, true);
  app.add_option("--preset,--config", options.cores, "A core: a preset, or a JSON file")
      ->group("Core")
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--axis", options.axes,
                 "A member of the configuration and its values: ports.read=1,2,unlimited; or "
                 "workload.registers (of mixes) or workload.spill_to")
      ->group("Core")
      ->allow_extra_args(false);
  app.add_option("--mix", options.mixes, "Random workloads: int or fp")->group("Workloads")->allow_extra_args(false);
  app.add_option("--seeds", options.seeds, "Random workloads of each mix")
      ->check(CLI::Range(1, 1'000'000))
      ->group("Workloads")
      ->capture_default_str();
  app.add_option("--count", options.count, "Operations of a random workload")
      ->check(CLI::Range(1, 10'000'000))
      ->group("Workloads")
      ->capture_default_str();
  app.add_option("--registers", options.registers, "Registers of each file that a random workload uses; by default 32")
      ->check(CLI::Range(1, 2048))
      ->group("Workloads");
  app.add_option("--widths", options.widths, "Weights of operations of 1, 2, 4 and 8 bytes")
      ->option_text("W1 W2 W4 W8")
      ->type_size(4)
      ->expected(1, 100)
      ->allow_extra_args(false)
      ->group("Workloads");
  app.add_option("--jobs", options.jobs, "Processor cores to use; by default all")
      ->group("Run")
      ->check(CLI::Range(1u, 4096u));
  app.add_option("--max-clocks", options.max_clocks, "Give up at this clock")->group("Run");
  add_output(app, options.output);
  add_shard(app, options.shard, "mobula scoreboard merge");
  rules.exclude({"--shard"}, {"--json"});
  rules.need(
      {"--machine", "--syntax", "--container", "--stage", "--index", "--side", "--inputs", "--threads", "--step-limit",
       "--policy", "--thread", "--predictor", "--interleave", "--quads", "--spill-to", "--stream", "--memory"},
      {"PROGRAM"});
  rules.need({"--seeds", "--count", "--registers", "--widths"}, {"--mix"});
}

void add_scoreboard_merge(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<ScoreboardMergeOptions>(place, "The shards of a sweep put together; fails if points are missing.",
                                  "  mobula scoreboard merge units.0.csv units.1.csv -o units.csv\n"
                                  "  mobula scoreboard merge units.*.csv --json\n"
                                  "  mobula scoreboard merge rows.csv -o checked.csv\n",
                                  scoreboard_merge);
  app.add_option("TABLE", options.files, "Tables that sweep has written")->required();
  add_output(app, options.output);
}

void add_scoreboard_plot(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardPlotOptions>(
      place, "A figure of a sweep's table: means and their 95 % confidence intervals.",
      "  mobula scoreboard plot rows.csv --x virtual_registers.rows --y clocks --per operations -o rows.svg\n"
      "  mobula scoreboard plot rows.csv --x virtual_registers.rows --y stall.ir_full --y stall.fu_busy --per "
      "clocks\n"
      "  mobula scoreboard plot units.csv --x 'groups.*.units' --y ipc --by core --by workload --markdown\n",
      scoreboard_plot);
  app.add_option("TABLE", options.file, "A table that sweep or merge has written")->required();
  app.add_option("--x", options.x, "Column for the horizontal axis")->required();
  app.add_option("--y", options.y, "Column of numbers for the vertical axis")->required()->allow_extra_args(false);
  app.add_option("--per", options.per, "Divide by this column");
  app.add_option("--by", options.by, "A curve for each value of this column")->allow_extra_args(false);
  app.add_option("--where", options.where, "Only rows with this value: COLUMN=VALUE")->allow_extra_args(false);
  app.add_option("--title", options.title, "Title of the figure");
  app.add_flag("--markdown", options.markdown, "The numbers as a table instead of a drawing");
  app.add_option("-o,--output", options.output, "Write here; the file is replaced in one step")->group("Output");
  rules.exclude({"--title"}, {"--markdown"});
}

void add_scoreboard_presets(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardPresetsOptions>(place, "The built-in cores, as configuration files.",
                                                             "  mobula scoreboard presets\n"
                                                             "  mobula scoreboard presets june2019 > my.json\n"
                                                             "  mobula scoreboard presets --json\n",
                                                             scoreboard_presets);
  app.add_option("NAME", options.name, "Show this core's file");
  add_output(app, options.output);
}

void add_scoreboard_cost(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScoreboardCostOptions>(
      place, "Cells, latches, transistors, fan-out and depth of a core, by formula.",
      "  mobula scoreboard cost --preset seed_full4\n"
      "  mobula scoreboard cost --config my.json --sources 2 --json\n"
      "  mobula scoreboard generate --count 1000 | mobula scoreboard cost --power - --energy load=0.3\n",
      scoreboard_cost);
  add_hardware(app, options.hardware);
  app.add_option("--power", options.program, "Run this workload and estimate what its toggling costs in watts")
      ->group("Power");
  app.add_option("--energy", options.energies, "load, clock_pin or cache (fJ) or megahertz: name=number")
      ->group("Power")
      ->allow_extra_args(false);
  app.add_option("--spill-to", options.spill_to,
                 "Fit the workload into this many registers of each file; the others are loaded and stored")
      ->check(CLI::Range(1, 2048))
      ->group("Power");
  add_output(app, options.output);
  rules.need({"--energy", "--spill-to"}, {"--power"});
}

void add_scoreboard_rtl(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<ScoreboardRtlOptions>(place, "The core in Verilog; synthesised with Yosys, or run beside the simulator.",
                                "  mobula scoreboard rtl --preset june2019 -o june2019.v\n"
                                "  mobula scoreboard rtl --preset seed_two_level -o rtl/\n"
                                "  mobula scoreboard rtl --preset june2019 --synth\n"
                                "  mobula scoreboard rtl --preset june2019 --cosim --clocks 100000\n",
                                scoreboard_rtl);
  add_hardware(app, options.hardware);
  app.add_flag("--synth", options.synth, "Gates of each module, counted by Yosys, beside the formula")->group("Check");
  app.add_flag("--cosim", options.cosim, "Build with Verilator; compare all signals with the simulator in each clock")
      ->group("Check");
  app.add_option("--program", options.programs, "Workload to compare on; by default random ones")->group("Check");
  app.add_option("--clocks", options.clocks, "Run random workloads until this many clocks have been compared")
      ->group("Check")
      ->capture_default_str();
  app.add_option("--operations", options.operations, "Operations in a random workload")
      ->check(CLI::Range(1, 10'000'000))
      ->group("Check")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the first random workload")->group("Check");
  add_output(app, options.output);
  rules.need({"--program", "--clocks", "--operations", "--seed"}, {"--cosim"});
  rules.exclude({"--program"}, {"--clocks", "--operations", "--seed"});
}

constexpr Subcommand of_scoreboard[] = {
    {"run", add_scoreboard_run},         {"record", add_scoreboard_record}, {"generate", add_scoreboard_generate},
    {"sweep", add_scoreboard_sweep},     {"merge", add_scoreboard_merge},   {"plot", add_scoreboard_plot},
    {"presets", add_scoreboard_presets}, {"cost", add_scoreboard_cost},     {"rtl", add_scoreboard_rtl}};

void add_scoreboard(const SubcommandPlace& place) {
  CLI::App& scoreboard =
      *place.parent.add_subcommand(place.name, "The Libre-SOC scoreboard core: runs micro-operations on it.");
  scoreboard.footer(
      footer("  mobula scoreboard run examples/scoreboard-worked.sb --preset june2019 --signals\n"
             "  mobula scoreboard generate --mix int --count 100 --seed 7\n"
             "  mobula scoreboard presets\n"));
  scoreboard.require_subcommand(1);
  scoreboard.fallthrough();
  for (const Subcommand& each : of_scoreboard) each.add({scoreboard, place.chosen, std::string(each.name)});
}

}  // namespace

std::span<const Subcommand> scoreboard_subcommands() {
  static constexpr Subcommand all[] = {{"scoreboard", add_scoreboard}};
  return all;
}

}  // namespace mobula::cli
