// Options of the subcommand that takes shaders as people write them.
#include "cli/options/subcommands.h"
#include "mobula/compile/shader.h"

namespace mobula::cli {
namespace {

void add_compile(const SubcommandPlace& place) {
  auto [app, options, rules] = add<CompileOptions>(
      place, "GLSL or SPIR-V to machine code that is verified by execution.",
      help_text("compile examples") + "  mobula compile -D RINGS=9 examples/ripple.frag --emit ssa\n", compile);
  SourceOptions& source = options.source;
  app.add_option("FILE", options.files, "GLSL, or SPIR-V as binary or text; - is standard input")->required();
  add_machine(app, options.machine);
  app.add_option("--stage", source.stage, "vertex, fragment or compute; by default what the file's name ends in says")
      ->group("Input");
  app.add_option("-D,--define", source.macros, "Define this macro of GLSL: NAME or NAME=VALUE")
      ->group("Input")
      ->allow_extra_args(false);
  app.add_option("-I,--include", source.folders, "Look for included files here, too")
      ->group("Input")
      ->allow_extra_args(false);
  app.add_option("--pixel-format", source.formats,
                 "Pack colours of a fragment shader into what its pixels hold, for machines whose programs do so: "
                 "FORMAT, or NAME=FORMAT for one of several; rgba8_unorm and the like")
      ->group("Output")
      ->allow_extra_args(false);
  app.add_option("--emit", options.emit,
                 "What to write: bin, the code, with a side file beside it, which is the default; asm, its text; ir, "
                 "what it lifts to; ssa, the form that is compiled from; or spirv, from which that comes")
      ->group("Output");
  add_level(app, options.level);
  app.add_option("--verify", options.verify,
                 "Inputs with which the code is executed beside its source, 16 by default: code that differs is not "
                 "written; 0: none")
      ->check(CLI::Range(0U, compile::most_verify_runs))
      ->group("Output");
  app.add_option("--verify-steps", options.verify_steps,
                 "Turns of loops and sides of branches that each of these executions may go through, 20000 by default")
      ->check(CLI::Range(std::uint64_t{1}, compile::most_verify_steps))
      ->group("Output");
  app.add_flag("--no-verify", options.no_verify, "The same as --verify 0")->group("Output");
  app.add_flag(
         "--explain-cost", options.explain_cost,
         "The words that each line of the source costs, by unit, on standard output; the code goes nowhere but to "
         "what --output names")
      ->group("Output");
  app.add_flag("--link", options.link,
               "Refuse a vertex and a fragment shader that do not fit: what one reads and the other does not write, "
               "and what both declare in different ways")
      ->group("Input");
  add_output(app, options.output);
  app.get_option("--output")
      ->description(app.get_option("--output")->get_description() + "; for the code of several files, a folder");
  add_shard(app, options.shard, "mobula merge");
  rules.need({"--verify", "--verify-steps", "--no-verify", "--explain-cost"}, {"--machine"});
  rules.exclude({"--verify", "--verify-steps"}, {"--no-verify"});
  rules.exclude({"--verify-steps"}, {"--verify=0"});
  rules.exclude({"--explain-cost"}, {"--emit"});
  rules.exclude({"--pixel-format"}, {"--emit=spirv"});
  rules.exclude({"--link"}, {"--stage", "--shard"});
}

}  // namespace

std::span<const Subcommand> compile_subcommands() {
  static constexpr Subcommand all[] = {{"compile", add_compile}};
  return all;
}

}  // namespace mobula::cli
