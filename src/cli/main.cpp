// The command line: with option_rules.cpp the only file that knows CLI11. It fills the plain options of command.h and
// runs the subcommand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>

#include "cli/command.h"
#include "cli/option_rules.h"
#include "cli/pages.h"
#include "cli/response_file.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/source.h"
#include "mobula/lab/laboratory.h"

namespace mobula::cli {
namespace {

constexpr const char* exit_statuses =
    "Exit status:\n"
    "  0 done   1 negative result: errors in the input, undecodable bytes, a difference\n"
    "  2 wrong usage or I/O   3 internal error, always a bug   4 --strict, and not all facts are exact\n";

std::string footer(const std::string& examples) { return "\nExamples:\n" + examples + '\n' + exit_statuses; }

/// A subcommand that calls `run` with the options it was given.
template <class Options>
struct Added {
  CLI::App& app;
  Options& options;
  OptionRules& rules;
};
template <class Options>
Added<Options> add(CLI::App& root, std::function<Exit()>& chosen, const std::string& name, const std::string& purpose,
                   const std::string& examples, Exit (*run)(const Options&)) {
  CLI::App& app = *root.add_subcommand(name, purpose);
  app.footer(footer(examples));
  app.fallthrough();
  const auto options = std::make_shared<Options>();
  const auto rules = std::make_shared<OptionRules>(app);
  app.callback([=, &chosen] {
    rules->check();
    chosen = [=] { return run(*options); };
  });
  return {app, *options, *rules};
}

void add_machine(CLI::App& app, std::string& machine) {
  app.add_option("-m,--machine", machine,
                 "Machine and variant, such as " + help_text("machine") + "; \"mobula isa\" lists them")
      ->group("Machine");
}

void add_input(CLI::App& app, InputOptions& input, bool several) {
  auto* files =
      app.add_option("FILE", input.files, several ? "Inputs; - is standard input" : "Input; - is standard input")
          ->required();
  if (!several) files->expected(1);
  add_machine(app, input.machine);
}

void add_syntax(CLI::App& app, InputOptions& input) {
  app.add_option("--syntax", input.syntax, "Text form; \"mobula isa\" lists them")->group("Machine");
}

/// Of subcommands that take every variant of a machine.
void allow_all_variants(CLI::App& app) {
  CLI::Option& machine = *app.get_option("--machine");
  machine.description(machine.get_description() + "; MACHINE:all is every variant");
}

void add_container(CLI::App& app, OptionRules& rules, InputOptions& input) {
  app.add_option("--container", input.container,
                 "What FILE is: raw, hex, mbs, fw, elf or text; by default its content decides")
      ->group("Input");
  app.add_option("--stage", input.stage, "Take the vertex, fragment or compute program of a container")->group("Input");
  app.add_option("--index", input.index, "Take the program at this position (from 0) of a container")->group("Input");
  app.add_option("--side", input.side_file,
                 "JSON side file with what the bytes do not say, or none; by default FILE with the extension .json")
      ->group("Input");
  rules.act_on({Kind::shader}, {"--side"}, input);
}

void add_output(CLI::App& app, OutputOptions& output) {
  app.add_option("-o,--output", output.file, "Write here; the file is replaced in one step")->group("Output");
  app.add_flag("--json", output.json, "Result as JSON, one line for each input; see docs/json.md")->group("Output");
}

void add_policies(CLI::App& app, std::vector<std::string>& policies) {
  app.add_option("--policy", policies, "Choose unpublished behaviour, name=value; \"mobula isa\" lists them")
      ->group("Machine")
      ->allow_extra_args(false);
}

/// Of subcommands that count and time.
void add_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "text, shader-db (lines like Mesa's) or offline-compiler (JSON like that of ARM's)")
      ->check([](const std::string& name) -> std::string {
        if (name == "text" || name == "shader-db" || name == "offline-compiler") return "";
        if (name == "malioc") return "malioc is called offline-compiler";
        return "unknown format \"" + name + "\"; one of text, shader-db, offline-compiler";
      })
      ->group("Output");
}

void add_feed(CLI::App& app, FeedOptions& feed) {
  app.add_option("--inputs", feed.inputs, "JSON file with the inputs of the program; see docs/run-files.md")
      ->group("Input");
  app.add_option("--threads", feed.threads, "Vertices or fragments to run")->group("Input");
  app.add_option("--step-limit", feed.step_limit, "Limit on the words a thread executes")->group("Input");
  add_policies(app, feed.policies);
}

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
                 "Run this many threads in turn, from --thread on; of a workload, copies of it")
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

void add_scoreboard(CLI::App& root, std::function<Exit()>& chosen) {
  CLI::App& scoreboard =
      *root.add_subcommand("scoreboard", "The Libre-SOC scoreboard core: runs micro-operations on it.");
  scoreboard.footer(
      footer("  mobula scoreboard run examples/scoreboard-worked.sb --preset june2019 --signals\n"
             "  mobula scoreboard generate --mix int --count 100 --seed 7\n"
             "  mobula scoreboard presets\n"));
  scoreboard.require_subcommand(1);
  scoreboard.fallthrough();
  {
    auto [app, options, rules] = add<ScoreboardRunOptions>(
        scoreboard, chosen, "run", "Runs a workload clock by clock and checks it against execution in order.",
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
    app.add_option("--max-clocks", options.max_clocks, "Stop at this clock")->group("Core");
    add_output(app, options.output);
    app.add_flag("--signals", options.signals, "All vectors of each clock, highest unit first")->group("Output");
    app.add_flag("--matrices", options.matrices, "The dependency matrices after each clock")->group("Output");
    app.add_flag("--table", options.table, "Issue, read, execute and write of each operation")->group("Output");
    app.add_flag("--timeline", options.timeline, "A row for each operation, a column for each clock")->group("Output");
    app.add_option("--timeline-json", options.timeline_json, "Write all events to this file; see docs/timeline.md")
        ->group("Output");
    app.add_option("--konata", options.konata, "Write a log for the Konata viewer to this file")->group("Output");
    app.add_option("--perfetto", options.perfetto, "Write a trace for ui.perfetto.dev to this file")->group("Output");
    app.add_option("--matrix-svg", options.matrix_svg, "Draw the matrices of each clock into this file")
        ->group("Output");
    app.add_option("--svg-clocks", options.svg_clocks, "Clocks that --matrix-svg draws, from the first")
        ->check(CLI::Range(1, 2000))
        ->group("Output")
        ->capture_default_str();
    app.add_option("--vcd", options.vcd, "Write the signals for waveform viewers to this file")->group("Output");
    rules.need({"--svg-clocks"}, {"--matrix-svg"});
    rules.exclude({"--json"}, {"--table", "--timeline"});
    rules.exclude({"--set"}, {"--spill-to", "--interleave"});
  }
  {
    auto [app, options, rules] = add<ScoreboardRecordOptions>(
        scoreboard, chosen, "record", "A program's run as a workload, text or binary.",
        "  mobula scoreboard record examples/checker.frag.bin --inputs examples/checker.inputs.json -o checker.sb\n"
        "  mobula scoreboard record examples/torus.vert.bin --inputs examples/torus.inputs.json --thread 7\n"
        "  mobula scoreboard record examples/waves.frag.bin --inputs examples/waves.inputs.json --binary -o "
        "waves.sbb\n",
        scoreboard_record);
    add_workloads(app, rules, options.program, false);
    app.add_flag("--binary", options.binary, "The binary form")->group("Output");
    app.add_option("-o,--output", options.output, "Write here; the file is replaced in one step")->group("Output");
  }
  {
    auto [app, options, rules] = add<ScoreboardGenerateOptions>(
        scoreboard, chosen, "generate", "A random workload with a published mix of operations.",
        "  mobula scoreboard generate --mix int --count 100 --seed 7\n"
        "  mobula scoreboard generate --mix fp --count 100000 --binary -o fp.sbb\n"
        "  mobula scoreboard generate --mix fp --widths 10 10 70 10 | mobula scoreboard run -\n",
        scoreboard_generate);
    app.add_option("--mix", options.mix, "int or fp")->group("Workload")->capture_default_str();
    app.add_option("--count", options.count, "Operations")->group("Workload")->check(CLI::Range(0u, 10'000'000u));
    app.add_option("--seed", options.seed, "The same seed gives the same workload")->group("Workload");
    app.add_option("--registers", options.registers, "Registers of each file in use")
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
  {
    auto [app, options, rules] = add<ScoreboardSweepOptions>(
        scoreboard, chosen, "sweep", "Every combination of cores, configurations and workloads, as a table.",
        "  mobula scoreboard sweep --axis virtual_registers.rows=4,8,16,32,0 --mix fp --seeds 5 -o rows.csv\n"
        "  mobula scoreboard sweep --axis 'groups.*.units=2,4,8' --mix int --shard 0/2 -o units.0.csv\n"
        "  mobula scoreboard sweep --axis 'groups.*.units=2,4,8' --mix int --shard 1/2 -o units.1.csv\n",
        scoreboard_sweep);
    add_workloads(app, rules, options.program, true);
    app.add_option("--preset,--config", options.cores, "A core: a preset, or a JSON file; repeat for more")
        ->group("Core")
        ->allow_extra_args(false)
        ->capture_default_str();
    app.add_option("--axis", options.axes,
                   "A member of the configuration and its values: ports.read=1,2,unlimited; or "
                   "workload.registers (of mixes) or workload.spill_to")
        ->group("Core")
        ->allow_extra_args(false);
    app.add_option("--mix", options.mixes, "Random workloads: int or fp; repeat for more")
        ->group("Workloads")
        ->allow_extra_args(false);
    app.add_option("--seeds", options.seeds, "Random workloads of each mix")
        ->check(CLI::Range(1, 1'000'000))
        ->group("Workloads")
        ->capture_default_str();
    app.add_option("--count", options.count, "Operations of a random workload")
        ->check(CLI::Range(1, 10'000'000))
        ->group("Workloads")
        ->capture_default_str();
    app.add_option("--registers", options.registers,
                   "Registers of each file that a random workload uses; by default 32")
        ->check(CLI::Range(1, 2048))
        ->group("Workloads");
    app.add_option("--widths", options.widths, "Weights of operations of 1, 2, 4 and 8 bytes; repeat for more mixes")
        ->option_text("W1 W2 W4 W8")
        ->type_size(4)
        ->expected(1, 100)
        ->allow_extra_args(false)
        ->group("Workloads");
    app.add_option("--shard", options.shard,
                   "Only this part of the points, the first is 0: 0/4; merge puts them together")
        ->group("Run")
        ->capture_default_str();
    app.add_option("--jobs", options.jobs, "Processor cores to use; by default all")->group("Run");
    app.add_option("--max-clocks", options.max_clocks, "Give up on a point at this clock")->group("Run");
    add_output(app, options.output);
    rules.need({"--machine", "--syntax", "--container", "--stage", "--index", "--side", "--inputs", "--threads",
                "--step-limit", "--policy", "--thread", "--predictor", "--interleave", "--quads", "--spill-to",
                "--stream", "--memory"},
               {"PROGRAM"});
    rules.need({"--seeds", "--count", "--registers", "--widths"}, {"--mix"});
  }
  {
    auto [app, options, rules] = add<ScoreboardMergeOptions>(
        scoreboard, chosen, "merge", "The shards of a sweep put together; fails if points are missing.",
        "  mobula scoreboard merge units.0.csv units.1.csv -o units.csv\n"
        "  mobula scoreboard merge units.*.csv --json\n"
        "  mobula scoreboard merge rows.csv -o checked.csv\n",
        scoreboard_merge);
    app.add_option("TABLE", options.files, "Tables that sweep has written")->required();
    add_output(app, options.output);
  }
  {
    auto [app, options, rules] = add<ScoreboardPlotOptions>(
        scoreboard, chosen, "plot", "A figure of a sweep's table: means and their 95 % confidence intervals.",
        "  mobula scoreboard plot rows.csv --x virtual_registers.rows --y clocks --per operations -o rows.svg\n"
        "  mobula scoreboard plot rows.csv --x virtual_registers.rows --y stall.ir_full --y stall.fu_busy --per "
        "clocks\n"
        "  mobula scoreboard plot units.csv --x 'groups.*.units' --y ipc --by core --by workload --markdown\n",
        scoreboard_plot);
    app.add_option("TABLE", options.file, "A table that sweep or merge has written")->required();
    app.add_option("--x", options.x, "Column for the horizontal axis")->required();
    app.add_option("--y", options.y, "Column of numbers for the vertical axis; repeat for more")
        ->required()
        ->allow_extra_args(false);
    app.add_option("--per", options.per, "Divide by this column");
    app.add_option("--by", options.by, "A curve for each value of this column; repeat for more")
        ->allow_extra_args(false);
    app.add_option("--where", options.where, "Only rows with this value: COLUMN=VALUE")->allow_extra_args(false);
    app.add_option("--title", options.title, "Title of the figure");
    app.add_flag("--markdown", options.markdown, "The numbers as a table instead of a drawing");
    app.add_option("-o,--output", options.output, "Write here; the file is replaced in one step")->group("Output");
    rules.exclude({"--title"}, {"--markdown"});
  }
  {
    auto [app, options, rules] =
        add<ScoreboardPresetsOptions>(scoreboard, chosen, "presets", "The built-in cores, as configuration files.",
                                      "  mobula scoreboard presets\n"
                                      "  mobula scoreboard presets june2019 > my.json\n"
                                      "  mobula scoreboard presets --json\n",
                                      scoreboard_presets);
    app.add_option("NAME", options.name, "Show this core's file");
    add_output(app, options.output);
  }
  {
    auto [app, options, rules] = add<ScoreboardCostOptions>(
        scoreboard, chosen, "cost", "Cells, latches, transistors, fan-out and depth of a core, by formula.",
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
  {
    auto [app, options, rules] = add<ScoreboardRtlOptions>(
        scoreboard, chosen, "rtl", "The core in Verilog; synthesised with Yosys, or run beside the simulator.",
        "  mobula scoreboard rtl --preset june2019 -o june2019.v\n"
        "  mobula scoreboard rtl --preset seed_two_level -o rtl/\n"
        "  mobula scoreboard rtl --preset june2019 --synth\n"
        "  mobula scoreboard rtl --preset june2019 --cosim --clocks 100000\n",
        scoreboard_rtl);
    add_hardware(app, options.hardware);
    app.add_flag("--synth", options.synth, "Gates of each module, counted by Yosys, beside the formula")
        ->group("Check");
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
}

void add_commands(CLI::App& root, std::function<Exit()>& chosen) {
  {
    auto [app, options, rules] =
        add<DisasmOptions>(root, chosen, "disasm", "Machine code to text that assembles to the same bytes.",
                           help_text("disasm examples") + "  mobula disasm --json examples/torus.vert.bin\n", disasm);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_flag("--bytes", options.bytes, "Offset and bytes of each word in a comment")->group("Output");
    app.add_flag("--explain", options.explain, "Every field of each word in comments")->group("Output");
    add_policies(app, options.policies);
    app.add_option("--svg", options.svg, "Draw what the machine makes of the words into this file")->group("Output");
    rules.exclude({"--json"}, {"--bytes", "--explain"});
  }
  {
    auto [app, options, rules] =
        add<AsmOptions>(root, chosen, "asm", "Text to machine code.", help_text("asm examples"), assemble);
    add_input(app, options.input, false);
    add_syntax(app, options.input);
    add_output(app, options.output);
    app.add_flag("--hex", options.hex, "Hexadecimal text instead of bytes")->group("Output");
    rules.exclude({"--json"}, {"--hex"});
  }
  {
    auto [app, options, rules] =
        add<CheckOptions>(root, chosen, "check", "Checks programs against every rule of the machine.",
                          help_text("check examples"), check);
    add_input(app, options.input, true);
    allow_all_variants(app);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
  }
  {
    auto [app, options, rules] =
        add<ExplainOptions>(root, chosen, "explain", "Every field of words given in hexadecimal, bit by bit.",
                            help_text("explain examples"), explain);
    app.add_option("HEX", options.words, "32-bit words or bytes; - reads them from standard input")->required();
    add_machine(app, options.machine);
    add_output(app, options.output);
    app.add_option("--svg", options.svg,
                   "Draw the bits of each word, and what the machine makes of them, into this file")
        ->group("Output");
  }
  {
    auto [app, options, rules] =
        add<IsaOptions>(root, chosen, "isa", "The machines, and the reference manual made from their tables.",
                        "  mobula isa\n" + help_text("isa examples"), isa);
    app.add_option("MACHINE", options.machine, "Show this machine's manual; without it, list the machines");
    app.add_option(
        "MNEMONIC", options.mnemonic,
        "Show only this instruction, register, value or format: by any of its names, or its opcode in hexadecimal");
    add_output(app, options.output);
  }
  {
    auto [app, options, rules] =
        add<InfoOptions>(root, chosen, "info",
                         "What a file holds, and how to choose; what the firmware of " + help_text("info") +
                             " is: id, version, programs, packet tables.",
                         help_text("info examples") + "  mobula info examples/checker.frag.bin\n", info);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_option("--find", options.pattern, "Find instructions like this; $x matches any register");
    rules.act_on({Kind::firmware}, {"--find"}, options.input);
  }
  {
    auto [app, options, rules] = add<DiffOptions>(
        root, chosen, "diff", "What changed between two programs, word by word; in firmware, function by function.",
        help_text("diff examples") +
            "  mobula disasm examples/checker.frag.bin -o same.txt && mobula diff "
            "examples/checker.frag.bin same.txt\n",
        diff);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    app.get_option("FILE")->expected(2);
    add_container(app, rules, options.input);
    add_output(app, options.output);
  }
  {
    auto [app, options, rules] = add<CoverageOptions>(
        root, chosen, "coverage", "What programs use of their machines: operations, registers, fields and values.",
        "  mobula coverage examples/checker.frag.bin examples/waves.frag.bin\n"
        "  mobula coverage --fields examples/color.vert.bin\n"
        "  mobula coverage --json examples/checker.frag.bin\n",
        coverage);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_flag("--fields", options.fields, "A line for each field that was seen: how often, and how many values")
        ->group("Output");
    rules.exclude({"--fields"}, {"--json"});  // which has all fields anyway
  }
  {
    auto [app, options, rules] =
        add<StatOptions>(root, chosen, "stat", "Figures of many programs, and what became of them since a baseline.",
                         "  mobula stat examples/checker.frag.bin examples/waves.frag.bin\n"
                         "  mobula stat examples/checker.frag.bin --baseline stat.json --update\n"
                         "  mobula stat examples/checker.frag.bin --baseline stat.json --threshold 2\n",
                         stat);
    add_input(app, options.input, true);
    allow_all_variants(app);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_option("--baseline", options.baseline, "Compare with this file; a program that got worse is status 1")
        ->group("Baseline");
    app.add_flag("--update", options.update, "Write the figures into the file of --baseline instead")
        ->group("Baseline");
    app.add_option("--threshold", options.threshold, "Percent by which a figure may get worse")->group("Baseline");
    add_format(app, options.format);
    rules.need({"--update", "--threshold"}, {"--baseline"});
    rules.exclude({"--update"}, {"--threshold"});
    rules.exclude({"--format"}, {"--json", "--baseline"});
  }
  {
    auto [app, options, rules] =
        add<CfgOptions>(root, chosen, "cfg", "How control flows: graphs for Graphviz, and firmware as pseudo-code.",
                        help_text("cfg examples") + "  mobula cfg examples/waves.frag.bin -o waves.dot\n", cfg);
    add_input(app, options.input, false);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    auto* function = app.add_option("--function", options.place, "Only this one: fxn120, l12, SQE or a word, 0x20")
                         ->group("Firmware");
    app.add_option("--packet", options.place, "Only the handler of this packet: CP_NOP or UNKN15")
        ->group("Firmware")
        ->excludes(function);
    app.add_option("--core", options.core, "Only this program of an image of several: BR")->group("Firmware");
    app.add_flag("--pseudo", options.pseudo,
                 "Pseudo-code of firmware instead of graphs; see " + help_text("cfg --pseudo"))
        ->group("Firmware");
    rules.exclude({"--pseudo"}, {"--json"});
    rules.act_on({Kind::firmware}, {"--function", "--packet", "--core", "--pseudo"}, options.input);
  }
  {
    auto [app, options, rules] = add<IrOptions>(root, chosen, "ir", "The micro-operations that a program lifts to.",
                                                help_text("ir examples"), ir);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_flag("--live", options.live, "Instead: what each word reads and writes, and what is live after it")
        ->group("Output");
    add_policies(app, options.policies);
  }
  {
    auto [app, options, rules] = add<ScheduleOptions>(
        root, chosen, "schedule", "The same program in fewer words; verified before it is written.",
        help_text("schedule examples") + "  mobula schedule --text examples/light.gpe\n", schedule);
    add_input(app, options.input, false);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_flag("--hex", options.hex, "Hexadecimal text instead of bytes")->group("Output");
    app.add_flag("--text", options.text, "Assembly instead of bytes")->group("Output");
    app.add_flag("--expr", options.expressions,
                 "FILE holds expressions, as *.gpe files do; see " + help_text("schedule --expr"))
        ->group("Input");
    app.add_option("--effort", options.effort, "Thousands of words to try; more may find shorter programs")
        ->check(CLI::Range(1, 1000000))
        ->group("Schedule");
    app.add_option("--exact", options.exact,
                   "Thousands of conflicts allowed in each question of the exact search; 0 = heuristic only")
        ->check(CLI::Range(0, 1000000))
        ->group("Schedule");
    app.add_option("--vertices", options.vertices, "Random vertices on which old and new program must agree")
        ->check(CLI::Range(0, 1 << 20))
        ->group("Schedule");
    app.add_flag("--plain-branches", options.plain_branches,
                 "Only what compilers are known to do: branches alone in their words, nothing forwarded past them, no "
                 "register stored right before them")
        ->group("Schedule");
    rules.exclude({"--json"}, {"--hex", "--text"});
    rules.exclude({"--hex"}, {"--text"});
    rules.act_on({Kind::shader, Kind::firmware}, {"--machine", "--syntax", "--container", "--stage", "--index"},
                 options.input);
  }
  {
    auto [app, options, rules] = add<RelinkOptions>(
        root, chosen, "relink", "Moves attributes, varyings and uniforms of a program to other numbers.",
        "  mobula relink examples/color.vert.bin --attribute 0=1 --attribute 1=0 --hex\n"
        "  mobula relink examples/color.vert.bin --varying gl_Position=0 --varying vColor=1 -o swapped.bin\n" +
            help_text("relink examples"),
        relink);
    add_input(app, options.input, false);
    add_container(app, rules, options.input);
    add_output(app, options.output);
    app.add_flag("--hex", options.hex, "Hexadecimal text, whatever FILE is")->group("Output");
    const auto moves = [](CLI::App& command, const char* name, std::vector<std::string>& list, const char* text) {
      command.add_option(name, list, text)->group("Moves")->allow_extra_args(false);
    };
    moves(app, "--attribute", options.attributes, "Move an attribute: OLD=NEW, the old one by number or name");
    moves(app, "--varying", options.varyings, "Move a varying: OLD=NEW");
    moves(app, "--uniform", options.uniforms, "Move a vec4 of uniform memory: OLD=NEW");
    rules.exclude({"--json"}, {"--hex"});
  }
  {
    auto [app, options, rules] =
        add<ExecuteOptions>(root, chosen, "run", "Executes a program: outputs, a picture, a trace.",
                            "  mobula run examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
                            "  mobula run examples/checker.frag.bin --inputs examples/checker.inputs.json --image "
                            "256x256 -o checker.png\n" +
                                help_text("run examples"),
                            execute);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_feed(app, options.feed);
    add_output(app, options.output);
    app.add_option("--reference", options.reference, "Run the cases of this file and compare; see docs/run-files.md")
        ->group("Input");
    app.add_option("--image", options.image,
                   "WIDTHxHEIGHT: a fragment for each pixel, or the lines of the vertices' triangles; -o gets the PNG")
        ->group("Output");
    app.add_flag("--trace", options.trace, "What each word changed in each thread, or in each core of firmware")
        ->group("Output");
    app.add_option("--thread", options.thread, "Trace this thread only, or this core of firmware, counted from 0")
        ->group("Output");
    app.add_flag("--fidelity", options.fidelity, "The executed words that rest on facts that are not exact")
        ->group("Output");
    app.add_flag("--strict", options.strict,
                 "Fail with status 4 if there are any, or if a thread reads what nothing has written")
        ->group("Output");
    app.add_option("--jobs", options.jobs, "Processor cores to use; by default all")->group("Output");
    app.add_option(
           "--stream", options.streams,
           "Let the firmware process this command stream, PM4 as words, text or an .rd capture: FILE, or CORE=FILE")
        ->group("Firmware")
        ->allow_extra_args(false);
    app.add_option("--memory", options.memory, "Load words at an address first: ADDRESS=FILE")
        ->group("Firmware")
        ->allow_extra_args(false);
    app.add_flag("--all-events", options.all_events, "Show reads and control registers, too")->group("Firmware");
    app.add_flag("--coverage", options.coverage, "Which words and packets were executed")->group("Firmware");
    app.add_flag("--profile", options.profile, "Instructions and traffic of each packet and function")
        ->group("Firmware");
    app.add_flag("--collapsed", options.collapsed, "Instructions by call stack, a line each, for flame graphs")
        ->group("Firmware");
    rules.need({"--thread"}, {"--trace"});
    rules.need({"--memory", "--all-events"}, {"--stream"});
    rules.exclude({"--reference"},
                  {"--image", "--inputs", "--threads", "--step-limit", "--trace", "--fidelity", "--strict"});
    rules.exclude({"--image"}, {"--threads"});
    rules.exclude({"--collapsed"}, {"--trace", "--coverage", "--profile", "--all-events", "--fidelity", "--json"});
    rules.act_on({Kind::shader}, {"--inputs", "--threads", "--reference", "--image", "--jobs"}, options.input);
    rules.act_on({Kind::firmware}, {"--stream", "--memory", "--all-events", "--coverage", "--profile", "--collapsed"},
                 options.input);
  }
  {
    auto [app, options, rules] =
        add<Pm4Options>(root, chosen, "pm4", "Command streams: PM4 packets as words and as text.",
                        "  mobula pm4 examples/stream.pm4\n"
                        "  mobula pm4 --plain examples/stream.pm4 -o stream.txt\n" +
                            help_text("pm4 examples"),
                        pm4);
    add_input(app, options.input, true);
    app.add_option("--container", options.input.container,
                   "What FILE is: raw, hex or text; by default its content decides, which may be an .rd capture, too")
        ->group("Input");
    app.add_option("--memory", options.memory, "Words at an address, such as indirect buffers: ADDRESS=FILE")
        ->group("Input")
        ->allow_extra_args(false);
    add_output(app, options.output);
    app.add_flag("--asm", options.assemble, "Words instead of text")->group("Output");
    app.add_flag("--hex", options.hex, "With --asm: hexadecimal text instead of bytes")->group("Output");
    app.add_flag("--plain", options.plain, "No fields in comments")->group("Output");
    rules.need({"--hex"}, {"--asm"});
    rules.exclude({"--asm"}, {"--container", "--memory", "--json", "--plain"});
    rules.exclude({"--json"}, {"--plain"});
  }
  {
    auto [app, options, rules] = add<TimeOptions>(
        root, chosen, "time", "How long a program takes, and where its threads wait.",
        "  mobula time examples/checker.frag.bin\n"
        "  mobula time examples/checker.frag.bin --inputs examples/checker.inputs.json --timeline\n"
        "  mobula time examples/waves.frag.bin --threads 64 --konata waves.kanata --perfetto waves.perfetto\n",
        time);
    add_input(app, options.input, true);
    allow_all_variants(app);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_feed(app, options.feed);
    add_output(app, options.output);
    app.add_flag("--advise", options.advise,
                 help_text("time --advise") + ": only list which neighbouring groups could become one")
        ->group("Model");
    app.add_flag("--together", options.together,
                 "Threads of all FILEs share one core, as those of different shaders do; a report for each FILE")
        ->group("Model");
    app.add_option("--path", options.path, "Without --inputs, the path that all threads take: shortest or longest")
        ->group("Model");
    app.add_option("--param", options.parameters, "Choose a parameter of the model: name=number")
        ->group("Model")
        ->allow_extra_args(false);
    app.add_option("--costs", options.costs, "JSON object of parameters, name and number; see docs/timing.md")
        ->group("Model");
    app.add_flag("--params", options.list_parameters, "List the model's parameters")->group("Model");
    app.add_flag("--keep-going", options.keep_going,
                 "Time words that cannot be executed, too, instead of failing there")
        ->group("Model");
    app.add_option("--max-cycles", options.max_cycles, "Stop the simulation at this cycle")->group("Model");
    add_format(app, options.format);
    app.add_flag("--timeline", options.timeline, "A row for each execution, a column for each cycle")->group("Output");
    app.add_option("--timeline-json", options.timeline_json, "Write all events to this file; see docs/timeline.md")
        ->group("Output");
    app.add_option("--konata", options.konata, "Write a log for the Konata viewer to this file")->group("Output");
    app.add_option("--perfetto", options.perfetto, "Write a trace for ui.perfetto.dev to this file")->group("Output");
    app.add_option("--stream", options.streams, "Count what the firmware executes for this command stream")
        ->group("Firmware")
        ->allow_extra_args(false);
    app.add_option("--memory", options.memory, "Load words at an address first: ADDRESS=FILE")
        ->group("Firmware")
        ->allow_extra_args(false);
    const OptionRules::Names inputs{"--machine", "--syntax", "--container", "--stage", "--index", "--side"};
    const auto inputs_and = [&](OptionRules::Names more) {
      more.insert(more.end(), inputs.begin(), inputs.end());
      return more;
    };
    rules.alone("--advise", inputs_and({"--json", "--output"}));
    rules.alone("--params", inputs_and({"--output"}));
    rules.alone("--format=shader-db", inputs_and({"--keep-going", "--output"}));
    rules.need({"--policy", "--step-limit"}, {"--inputs", "--stream"});
    rules.need({"--memory"}, {"--stream"});
    rules.exclude({"--inputs", "--stream"}, {"--path", "--keep-going", "--together"});
    rules.exclude({"--json"}, {"--format", "--timeline"});
    rules.exclude({"--format=offline-compiler"}, {"--timeline"});
    rules.act_on({Kind::shader}, {"--inputs", "--threads", "--path", "--together", "--advise"}, options.input);
    rules.act_on({Kind::firmware}, {"--stream", "--memory"}, options.input);
  }
  {
    auto [app, options, rules] = add<DebugOptions>(
        root, chosen, "debug", "Steps through a program, forward and back; \"help\" lists the commands.",
        "  mobula debug examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
        "  mobula debug examples/waves.frag.bin --inputs examples/waves.inputs.json -x examples/waves.debug\n" +
            help_text("debug examples"),
        debug);
    add_input(app, options.input, true);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_feed(app, options.feed);
    app.add_option("-x,--script", options.script, "Take the commands from this file")->group("Input");
    app.add_flag("--json", options.json, "Each answer as a line of JSON; see docs/json.md")->group("Output");
    auto* preset =
        app.add_option("--preset", options.preset,
                       "Step on this scoreboard core, clock by clock; \"mobula scoreboard presets\" lists them")
            ->group("Core");
    app.add_option("--config", options.config, "The same on a core described by this JSON file")
        ->group("Core")
        ->excludes(preset);
    app.add_option("--stream", options.streams,
                   "Step firmware while it processes this command stream: FILE, or CORE=FILE")
        ->group("Firmware")
        ->allow_extra_args(false);
    app.add_option("--memory", options.memory, "Load words at an address first: ADDRESS=FILE")
        ->group("Firmware")
        ->allow_extra_args(false);
    rules.need({"--memory"}, {"--stream"});
    rules.act_on({Kind::shader}, {"--inputs", "--threads", "--stage"}, options.input);
    rules.act_on({Kind::shader, Kind::firmware},
                 {"--machine", "--syntax", "--container", "--index", "--policy", "--step-limit"}, options.input);
    rules.act_on({Kind::firmware}, {"--stream", "--memory"}, options.input);
  }
  add<DapOptions>(root, chosen, "dap",
                  "Speaks the Debug Adapter Protocol on standard input and output, for editors; see docs/debugging.md.",
                  "  mobula dap\n"
                  "  mobula dap < requests.txt > answers.txt\n"
                  "  mobula dap 2> messages.txt\n",
                  dap);
  {
    auto [app, options, rules] = add<GdbserverOptions>(
        root, chosen, "gdbserver", "Lets GDB step through a program, forward and back; see docs/servers.md.",
        "  mobula gdbserver examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
        "  mobula gdbserver examples/torus.vert.bin --inputs examples/torus.inputs.json --port 1234\n"
        "  mobula gdbserver examples/waves.frag.bin --inputs examples/waves.inputs.json --threads 4 --port 0\n",
        gdbserver);
    add_input(app, options.input, false);
    add_syntax(app, options.input);
    add_container(app, rules, options.input);
    add_feed(app, options.feed);
    app.add_option("--port", options.port,
                   "Wait for GDB on this port of 127.0.0.1, 0 for any; by default it is at standard input and output")
        ->group("Server");
  }
  add<LspOptions>(root, chosen, "lsp",
                  "Language server for editors, at standard input and output; see docs/servers.md.",
                  "  mobula lsp\n"
                  "  mobula lsp 2> lsp.log\n"
                  "  mobula lsp < messages > answers\n",
                  lsp);
  add_scoreboard(root, chosen);
}

// ------------------------------------------------------------------------------------------------ help and pages

CLI::App& command_named(CLI::App& root, const std::vector<std::string>& words) {
  CLI::App* at = &root;
  for (const std::string& word : words) {
    const auto all = at->get_subcommands({});
    const auto found = std::ranges::find_if(all, [&](const CLI::App* each) { return each->check_name(word); });
    if (found == all.end()) {
      Nearest nearest(word);
      for (const CLI::App* each : all)
        if (!each->get_group().empty()) nearest.offer(each->get_name());
      const std::string meant = nearest.hint();
      throw usage_error("unknown subcommand \"" + word + '"',
                        (meant.empty() ? "" : meant + ' ') + "mobula --help lists them");
    }
    at = *found;
  }
  return *at;
}

void add_help(CLI::App& root, std::function<Exit()>& chosen) {
  CLI::App& app = *root.add_subcommand("help", "Shows the help of a subcommand.");
  app.footer(
      footer("  mobula help\n"
             "  mobula help disasm\n"
             "  mobula help scoreboard run\n"));
  const auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("COMMAND", *words, "Whose help; without it, that of mobula");
  app.callback([&root, &chosen, words] {
    chosen = [&root, words] {
      const CLI::App& wanted = command_named(root, *words);
      std::string before = words->empty() ? "" : "mobula";
      for (std::size_t i = 0; i + 1 < words->size(); ++i) before += ' ' + (*words)[i];
      write_output("-",
                   root.get_formatter()->make_help(&wanted, (before.empty() ? "" : before + ' ') + wanted.get_name(),
                                                   CLI::AppFormatMode::Normal));
      return Exit::done;
    };
  });
}

CommandPage page_of(const CLI::App& app, const std::vector<OptionPage>& common) {
  CommandPage page{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionPage row{{}, option->get_expected_max() != 0, option->get_positional(), option->get_description()};
    for (const std::string& name : option->get_snames()) row.names.push_back('-' + name);
    for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
    if (row.positional) row.names = {option->get_name(true)};
    page.options.push_back(std::move(row));
  }
  page.options.insert(page.options.end(), common.begin(), common.end());
  std::vector<OptionPage> everywhere;  // what subcommands take, too
  for (const OptionPage& option : page.options)
    if (option.names.back() == "--color") everywhere.push_back(option);
  for (const CLI::App* each :
       app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    page.commands.push_back(page_of(*each, everywhere));
  return page;
}

/// For whoever packs mobula: not listed.
void add_pages(CLI::App& root, std::function<Exit()>& chosen) {
  CLI::App& app = *root.add_subcommand("pages", "Writes manual pages and shells' completions into a folder.");
  app.group("");
  const auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder, "Where to")->required();
  app.callback([&root, &chosen, folder] {
    chosen = [&root, folder] {
      for (const auto& [name, content] : shared_files(page_of(root, {}), MOBULA_VERSION)) {
        const std::filesystem::path file = std::filesystem::path(*folder) / name;
        std::error_code failed;
        std::filesystem::create_directories(file.parent_path(), failed);
        if (failed) throw usage_error("cannot make " + file.parent_path().string() + ": " + failed.message());
        write_output(file.string(), content);
      }
      return Exit::done;
    };
  });
}

/// No option takes an empty text, and those that count from 0 would take -1 as the largest number there is.
void refuse_empty_and_negative(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const bool counts = option->get_type_name().starts_with("UINT");
    option->check([counts](const std::string& value) -> std::string {
      if (value.empty()) return "an empty value";
      return counts && value.front() == '-' ? value + " is negative" : "";
    });
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) refuse_empty_and_negative(*command);
}

Exit run(int count, char** arguments) {
  CLI::App app("Reads, writes, checks, executes and times the machine code of mobile GPUs.", "mobula");
  app.set_version_flag("-V,--version", "mobula " MOBULA_VERSION);
  app.require_subcommand(1);
  app.footer(footer(help_text("examples") + "  mobula help disasm\n"));
  std::string colour = "auto";
  app.add_option(
      "--color", colour,
      "Colours in listings and messages: auto (on a terminal, or where CLICOLOR_FORCE is set, unless NO_COLOR "
      "is), always or never");

  std::function<Exit()> chosen;
  add_commands(app, chosen);
  add_help(app, chosen);
  add_pages(app, chosen);
  refuse_empty_and_negative(app);
  std::vector<std::string> words = with_response_files({arguments + 1, arguments + count});
  if (!words.empty() && !words.front().starts_with('-')) command_named(app, {words.front()});
  try {
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return Exit::done;
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "mobula --help, mobula SUBCOMMAND --help");
  }
  set_colour(colour);
  std::optional<ProgressDisplay> progress;
  const auto waits = [&](const char* name) { return app.got_subcommand(name); };  // for a person or a client
  if (std::ranges::none_of(std::array{"debug", "dap", "gdbserver", "lsp"}, waits)) progress.emplace();
  return chosen();
}

/// Standard output may be what failed.
void try_to_write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) std::fflush(stdout);
}

}  // namespace
}  // namespace mobula::cli

int main(int count, char** arguments) {
  using namespace mobula::cli;
  handle_interrupts();
  Stop failed;
  try {
    return static_cast<int>(run(count, arguments));
  } catch (const Stop& stop) {
    failed = stop;
  } catch (const std::bad_alloc&) {
    failed = usage_error("there is not enough memory for this",
                         "a smaller input, fewer threads or pixels, or a lower limit needs less");
  } catch (const std::exception& bug) {
    failed = usage_error(std::string("internal error: ") + bug.what(),
                         "this is a bug in mobula; please report it with the command and its input");
    failed.status = Exit::internal;
  }
  print(failed.diagnostics);
  if (std::any_of(arguments, arguments + count, [](std::string_view each) { return each == "--json"; }))
    try_to_write(failure_envelope(failed));
  return static_cast<int>(failed.status);
}
