// Options of the subcommands that execute and time programs.
#include "cli/options/subcommands.h"
#include "mobula/lab/laboratory.h"

namespace mobula::cli {
namespace {

void add_run(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<ExecuteOptions>(place, "Executes a program: outputs, a picture, a trace.",
                          "  mobula run examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
                          "  mobula run examples/checker.frag.bin --inputs examples/checker.inputs.json --image "
                          "256x256 -o checker.png\n" +
                              help_text("run examples"),
                          execute);
  add_programs(app, rules, options.input);
  add_feed(app, options.feed);
  add_output(app, options.output);
  app.add_option("--reference", options.reference, "Run the cases of this file and compare; see docs/run-files.md")
      ->group("Input");
  app.add_option(
         "--image", options.image,
         "WIDTHxHEIGHT: a fragment for each pixel, or the lines of the vertices' triangles; -o gets the picture: "
         ".png, .ppm, .pfm or .raw, and PNG where its name does not end in one of them")
      ->group("Output");
  app.add_flag("--raw", options.raw,
               "The picture is four binary32 numbers a pixel, rows from the top, and nothing else")
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
  app.add_option("--engine", options.engine,
                 "What executes the words, with the same results: native (code for this processor, for pictures), "
                 "vector, reference, or interpreter (anything but native); by default what is fastest")
      ->group("Output");
  app.add_flag("--no-cache", options.no_cache, "Compile code for this processor anew, and keep none for later runs")
      ->group("Output");
  app.add_flag("--stats", options.stats, "Which engine did the work, and why not another")->group("Output");
  app.add_option("--jobs", options.jobs, "Processor cores to use; by default all")
      ->group("Output")
      ->check(CLI::Range(1u, 4096u));
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
  app.add_flag("--profile", options.profile, "Instructions and traffic of each packet and function")->group("Firmware");
  app.add_flag("--collapsed", options.collapsed, "Instructions by call stack, a line each, for flame graphs")
      ->group("Firmware");
  rules.need({"--thread"}, {"--trace"});
  rules.need({"--raw", "--no-cache"}, {"--image"});
  rules.exclude({"--no-cache"}, {"--engine=vector", "--engine=reference", "--engine=interpreter"});
  rules.need({"--memory", "--all-events"}, {"--stream"});
  rules.exclude({"--reference"},
                {"--image", "--inputs", "--threads", "--step-limit", "--trace", "--fidelity", "--strict"});
  rules.exclude({"--image"}, {"--threads"});
  rules.exclude({"--engine", "--no-cache", "--stats"}, {"--trace", "--strict"});
  rules.exclude({"--stats"}, {"--reference"});
  rules.exclude({"--collapsed"}, {"--trace", "--coverage", "--profile", "--all-events", "--fidelity", "--json"});
  rules.act_on({Kind::shader},
               {"--inputs", "--threads", "--reference", "--image", "--engine", "--no-cache", "--stats", "--jobs"},
               options.input);
  rules.act_on({Kind::firmware}, {"--stream", "--memory", "--all-events", "--coverage", "--profile", "--collapsed"},
               options.input);
}

void add_time(const SubcommandPlace& place) {
  auto [app, options, rules] = add<TimeOptions>(
      place, "How long a program takes, and where its threads wait.",
      "  mobula time examples/checker.frag.bin\n"
      "  mobula time examples/checker.frag.bin --inputs examples/checker.inputs.json --timeline\n"
      "  mobula time examples/waves.frag.bin --threads 64 --konata waves.kanata --perfetto waves.perfetto\n",
      time);
  add_programs(app, rules, options.input);
  allow_all_variants(app);
  app.get_option("FILE")->required(false);  // time() asks for it, but for --params
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
  app.add_flag("--params", options.list_parameters,
               "List the parameters of the model, of FILE's machine or of that of --machine")
      ->group("Model");
  app.add_flag("--keep-going", options.keep_going, "Time words that cannot be executed, too, instead of failing there")
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
  rules.need({"--syntax", "--container", "--stage", "--index", "--side"}, {"FILE"});
  rules.alone("--format=shader-db", inputs_and({"--keep-going", "--output"}));
  rules.need({"--policy", "--step-limit"}, {"--inputs", "--stream"});
  rules.need({"--memory"}, {"--stream"});
  rules.exclude({"--inputs", "--stream"}, {"--path", "--keep-going", "--together"});
  rules.exclude({"--json"}, {"--format", "--timeline"});
  rules.exclude({"--format=offline-compiler"}, {"--timeline"});
  rules.act_on({Kind::shader}, {"--inputs", "--threads", "--path", "--together", "--advise"}, options.input);
  rules.act_on({Kind::firmware}, {"--stream", "--memory"}, options.input);
}

void add_debug(const SubcommandPlace& place) {
  auto [app, options, rules] = add<DebugOptions>(
      place, "Steps through a program, forward and back; \"help\" lists the commands.",
      "  mobula debug examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
      "  mobula debug examples/waves.frag.bin --inputs examples/waves.inputs.json -x examples/waves.debug\n" +
          help_text("debug examples"),
      debug);
  add_programs(app, rules, options.input);
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

void add_dap(const SubcommandPlace& place) {
  add<DapOptions>(place,
                  "Speaks the Debug Adapter Protocol on standard input and output, for editors; see docs/debugging.md.",
                  "  mobula dap\n"
                  "  mobula dap < requests.txt > answers.txt\n"
                  "  mobula dap 2> messages.txt\n",
                  dap);
}

void add_gdbserver(const SubcommandPlace& place) {
  auto [app, options, rules] = add<GdbserverOptions>(
      place, "Lets GDB step through a program, forward and back; see docs/servers.md.",
      "  mobula gdbserver examples/checker.frag.bin --inputs examples/checker.inputs.json\n"
      "  mobula gdbserver examples/torus.vert.bin --inputs examples/torus.inputs.json --port 1234\n"
      "  mobula gdbserver examples/waves.frag.bin --inputs examples/waves.inputs.json --threads 4 --port 0\n",
      gdbserver);
  add_program(app, rules, options.input);
  add_feed(app, options.feed);
  app.add_option(
         "--port", options.port,
         "Wait for GDB on this port of 127.0.0.1, 0 for any; by default, talk to it on standard input and output")
      ->group("Server");
}

void add_lsp(const SubcommandPlace& place) {
  add<LspOptions>(place, "Language server for editors, on standard input and output; see docs/servers.md.",
                  "  mobula lsp\n"
                  "  mobula lsp 2> lsp.log\n"
                  "  mobula lsp < messages > answers\n",
                  lsp);
}

void add_serve(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ServeOptions>(
      place, "Serves the laboratory's page to a browser on this computer, until Ctrl-C; see docs/page.md.",
      "  mobula serve --open\n"
      "  mobula serve mobula.html --port 8080\n"
      "  mobula serve examples --port 0 --idle 600\n",
      serve);
  app.add_option("FOLDER", options.place, "A folder, or one file; without it, the page as it was installed");
  app.add_option("--port", options.port, "Port of 127.0.0.1, 0 for any that is free; by default 8000")->group("Server");
  app.add_flag("--open", options.open, "Open it in the browser")->group("Server");
  app.add_option("--idle", options.idle, "End when nobody has asked for anything for this many seconds")
      ->group("Server");
}

}  // namespace

std::span<const Subcommand> run_subcommands() {
  static constexpr Subcommand all[] = {{"run", add_run},    {"time", add_time},           {"debug", add_debug},
                                       {"dap", add_dap},    {"gdbserver", add_gdbserver}, {"lsp", add_lsp},
                                       {"serve", add_serve}};
  return all;
}

}  // namespace mobula::cli
