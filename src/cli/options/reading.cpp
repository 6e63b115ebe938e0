// Options of the subcommands that read, write, check and describe programs and streams.
#include "cli/options/subcommands.h"
#include "mobula/lab/laboratory.h"

namespace mobula::cli {
namespace {

void add_disasm(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<DisasmOptions>(place, "Machine code to text that assembles to the same bytes.",
                         help_text("disasm examples") + "  mobula disasm --json examples/torus.vert.bin\n", disasm);
  add_programs(app, rules, options.input);
  add_output(app, options.output);
  app.add_flag("--bytes", options.bytes, "Offset and bytes of each word in a comment")->group("Output");
  app.add_flag("--explain", options.explain, "Every field of each word in comments")->group("Output");
  add_policies(app, options.policies);
  app.add_option("--svg", options.svg, "Draw what the machine makes of the words into this file")->group("Output");
  rules.exclude({"--json"}, {"--bytes", "--explain"});
}

void add_asm(const SubcommandPlace& place) {
  auto [app, options, rules] = add<AsmOptions>(place, "Text to machine code.", help_text("asm examples"), assemble);
  add_input(app, options.input, false);
  add_syntax(app, options.input);
  add_output(app, options.output);
  app.add_flag("--hex", options.hex, "Hexadecimal text instead of bytes")->group("Output");
  rules.exclude({"--json"}, {"--hex"});
}

void add_check(const SubcommandPlace& place) {
  auto [app, options, rules] = add<CheckOptions>(place, "Checks programs against every rule of the machine.",
                                                 help_text("check examples"), check);
  add_programs(app, rules, options.input);
  allow_all_variants(app);
  add_output(app, options.output);
  add_shard(app, options.shard, "mobula merge");
}

void add_merge(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<MergeOptions>(place, "Puts results of shards together: byte for byte what one run would have written.",
                        "  mobula check --shard 0/2 examples/checker.frag.bin examples/waves.frag.bin -o 0.shard\n"
                        "  mobula check --shard 1/2 examples/checker.frag.bin examples/waves.frag.bin -o 1.shard\n"
                        "  mobula merge 0.shard 1.shard\n",
                        merge);
  app.add_option("FILE", options.files, "What check, compile and stat wrote with --shard: every shard, once")
      ->required();
  app.add_option("-o,--output", options.output,
                 "Write here; a file is replaced in one step; of compiled code, the folder it goes into")
      ->group("Output");
}

void add_shard_command(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<ShardOptions>(place, "The lines of a list that belong to a shard: for campaigns of one's own.",
                        "  mobula shard 0/4 list.txt\n"
                        "  mobula shard 1/4 list.txt -o second.txt\n"
                        "  mobula shard 3/4 list.txt --json\n",
                        shard);
  app.add_option("INDEX/COUNT", options.shard, "Which shard, from 0/4 to 3/4")->required();
  app.add_option("LIST", options.list, "Text with a piece of work on each line; - is standard input, the default");
  add_output(app, options.output);
}

void add_explain(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ExplainOptions>(place, "Every field of words given in hexadecimal, bit by bit.",
                                                   help_text("explain examples"), explain);
  app.add_option("HEX", options.words, "32-bit words or bytes; - reads them from standard input")->required();
  add_machine(app, options.machine);
  add_output(app, options.output);
  app.add_option("--svg", options.svg, "Draw the bits of each word, and what the machine makes of them, into this file")
      ->group("Output");
}

void add_isa(const SubcommandPlace& place) {
  auto [app, options, rules] = add<IsaOptions>(place, "The machines, and the reference manual made from their tables.",
                                               "  mobula isa\n" + help_text("isa examples"), isa);
  app.add_option("MACHINE", options.machine, "Show this machine's manual; without it, list the machines");
  app.add_option(
      "MNEMONIC", options.mnemonic,
      "Show only what has this name or number: an instruction, register, selector, value, field, format or policy");
  app.add_option("--svg", options.svg, "Draw the bits of the formats that are shown into this file")->group("Output");
  add_output(app, options.output);
}

void add_info(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<InfoOptions>(place,
                       "What a file holds, and how to choose; what the firmware of " + help_text("info") +
                           " is: id, version, programs, packet tables.",
                       help_text("info examples") + "  mobula info examples/checker.frag.bin\n", info);
  add_programs(app, rules, options.input);
  add_output(app, options.output);
  app.add_option("--find", options.pattern,
                 "Find instructions like this; $x matches any register, ? any number, #x any target");
  rules.act_on({Kind::firmware}, {"--find"}, options.input);
}

void add_diff(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<DiffOptions>(place, "What changed between two programs, word by word; in firmware, function by function.",
                       help_text("diff examples") +
                           "  mobula disasm examples/checker.frag.bin -o same.txt && mobula diff "
                           "examples/checker.frag.bin same.txt\n",
                       diff);
  add_programs(app, rules, options.input);
  app.get_option("FILE")->expected(2);
  add_output(app, options.output);
}

void add_coverage(const SubcommandPlace& place) {
  auto [app, options, rules] = add<CoverageOptions>(
      place,
      "What programs use of their machines: operations, registers, fields and values, seen, not seen, not tested by "
      "other programs, and set though nobody knows them.",
      "  mobula coverage examples/checker.frag.bin examples/waves.frag.bin\n"
      "  mobula coverage --fields examples/color.vert.bin\n"
      "  mobula coverage examples/checker.frag.bin --tested examples/waves.frag.bin\n",
      coverage);
  add_programs(app, rules, options.input);
  add_output(app, options.output);
  app.add_flag("--fields", options.fields, "A line for each field that was seen: how often, and how many values")
      ->group("Output");
  app.add_option("--tested", options.tested,
                 "A file of programs that are tested: what FILES use and none of these does is listed")
      ->allow_extra_args(false)
      ->group("Input");
  rules.exclude({"--fields"}, {"--json"});  // which has all fields anyway
}

void add_stat(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<StatOptions>(place, "Figures of many programs, and how they changed since a baseline.",
                       "  mobula stat examples/checker.frag.bin examples/waves.frag.bin\n"
                       "  mobula stat examples/checker.frag.bin --baseline stat.json --update\n"
                       "  mobula stat examples/checker.frag.bin --baseline stat.json --threshold 2\n",
                       stat);
  add_programs(app, rules, options.input);
  allow_all_variants(app);
  add_output(app, options.output);
  app.add_option("--baseline", options.baseline, "Compare with this file; the status is 1 if a program got worse")
      ->group("Baseline");
  app.add_flag("--update", options.update, "Write the figures into the file of --baseline instead")->group("Baseline");
  app.add_option("--threshold", options.threshold, "Percent by which a figure may get worse")->group("Baseline");
  add_format(app, options.format);
  add_shard(app, options.shard, "mobula merge");
  rules.need({"--update", "--threshold"}, {"--baseline"});
  rules.exclude({"--update"}, {"--threshold"});
  rules.exclude({"--format"}, {"--json", "--baseline"});
}

void add_cfg(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<CfgOptions>(place, "How control flows: graphs for Graphviz, and firmware as pseudo-code.",
                      help_text("cfg examples") + "  mobula cfg examples/waves.frag.bin -o waves.dot\n", cfg);
  add_program(app, rules, options.input);
  add_output(app, options.output);
  auto* function =
      app.add_option("--function", options.place, "Only this one: fxn120, l12, SQE or a word, 0x20")->group("Firmware");
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

void add_ir(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<IrOptions>(place, "The micro-operations that a program lifts to.", help_text("ir examples"), ir);
  add_programs(app, rules, options.input);
  add_output(app, options.output);
  app.add_flag("--live", options.live, "Instead: what each word reads and writes, and what is live after it")
      ->group("Output");
  add_policies(app, options.policies);
}

void add_schedule(const SubcommandPlace& place) {
  auto [app, options, rules] = add<ScheduleOptions>(
      place, "The same program in fewer words; verified before it is written.",
      help_text("schedule examples") + "  mobula schedule --text --exact 0 examples/light.gpe\n", schedule);
  add_program(app, rules, options.input);
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

void add_relink(const SubcommandPlace& place) {
  auto [app, options, rules] = add<RelinkOptions>(
      place, "Moves attributes, varyings and uniforms of a program to other numbers.",
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

void add_pm4(const SubcommandPlace& place) {
  auto [app, options, rules] = add<Pm4Options>(place, "Command streams: PM4 packets as words and as text.",
                                               "  mobula pm4 examples/stream.pm4\n"
                                               "  mobula pm4 --plain examples/stream.pm4 -o stream.txt\n" +
                                                   help_text("pm4 examples"),
                                               pm4);
  add_input(app, options.input, true);
  app.add_option("--container", options.input.container,
                 "What FILE is: raw, hex or text; by default its content decides; it may also be an .rd capture")
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

}  // namespace

std::span<const Subcommand> reading_subcommands() {
  static constexpr Subcommand all[] = {
      {"disasm", add_disasm}, {"asm", add_asm},   {"check", add_check}, {"explain", add_explain},
      {"isa", add_isa},       {"info", add_info}, {"diff", add_diff},   {"coverage", add_coverage},
      {"stat", add_stat},     {"cfg", add_cfg},   {"ir", add_ir},       {"schedule", add_schedule},
      {"relink", add_relink}, {"pm4", add_pm4},   {"merge", add_merge}, {"shard", add_shard_command}};
  return all;
}

}  // namespace mobula::cli
