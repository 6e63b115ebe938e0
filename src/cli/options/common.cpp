#include "cli/options/common.h"

#include "mobula/lab/laboratory.h"

namespace mobula::cli {
namespace {

constexpr const char* exit_statuses =
    "Exit status:\n"
    "  0 done   1 negative result: errors in the input, undecodable bytes, a difference\n"
    "  2 wrong usage or I/O   3 internal error, always a bug   4 --strict, and not all facts are exact\n"
    "\nWith every subcommand: --color auto, always or never; @FILE for the words in FILE\n";

}  // namespace

std::string footer(const std::string& examples) { return "\nExamples:\n" + examples + '\n' + exit_statuses; }

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

void allow_all_variants(CLI::App& app) {
  CLI::Option& machine = *app.get_option("--machine");
  machine.description(machine.get_description() + "; MACHINE:all is every variant, A,B are both");
}

void add_container(CLI::App& app, OptionRules& rules, InputOptions& input) {
  app.add_option("--container", input.container,
                 "What FILE is: raw, hex, mbs, fw, elf or text; by default its content decides")
      ->group("Input");
  app.add_option("--stage", input.stage, "Take the vertex, fragment or compute program of a container")->group("Input");
  app.add_option("--index", input.index,
                 "Take the program at this position (from 0) of a container, or among its programs of --stage")
      ->group("Input");
  app.add_option("--side", input.side_file,
                 "JSON side file with what the bytes do not say, or none; by default FILE with the extension .json")
      ->group("Input");
  rules.act_on({Kind::shader}, {"--side"}, input);
#ifdef MOBULA_COMPILE
  add_level(app, input.level);
  rules.act_on({Kind::shader}, {"--optimize"}, input);
#endif
}

void add_level(CLI::App& app, std::optional<unsigned>& level) {
  app.add_option(
         "-O,--optimize", level,
         "For GLSL and SPIR-V, 0: the form as it comes from SPIR-V; 1: simplified; 2: also short loops written out and "
         "small branches as choices, which is the default. Where the machine has a scheduler, also how long "
         "it searches")
      ->check(CLI::Range(0U, 2U))
      ->group("Compilation");
}

void add_output(CLI::App& app, OutputOptions& output) {
  app.add_option("-o,--output", output.file, "Write here; the file is replaced in one step")->group("Output");
  app.add_flag("--json", output.json, "Result as JSON, one line for each input; see docs/json.md")->group("Output");
}

void add_shard(CLI::App& app, std::string& shard, const std::string& merge) {
  app.add_option("--shard", shard,
                 "INDEX/COUNT, from 0/4 to 3/4: only this part of the work; " + merge + " puts the results together")
      ->group("Shards");
}

void add_policies(CLI::App& app, std::vector<std::string>& policies) {
  app.add_option("--policy", policies, "Choose unpublished behaviour, name=value; \"mobula isa\" lists them")
      ->group("Machine")
      ->allow_extra_args(false);
}

void add_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "text, shader-db (lines like Mesa's) or offline-compiler (JSON like ARM's)")
      ->check([](const std::string& name) {
        return std::string(name == "malioc" ? "malioc is called offline-compiler" : "");
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

void add_program(CLI::App& app, OptionRules& rules, InputOptions& input) {
  add_input(app, input, false);
  add_syntax(app, input);
  add_container(app, rules, input);
}

void add_programs(CLI::App& app, OptionRules& rules, InputOptions& input) {
  add_input(app, input, true);
  add_syntax(app, input);
  add_container(app, rules, input);
}

}  // namespace mobula::cli
