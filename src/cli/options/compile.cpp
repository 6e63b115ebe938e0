// Options of the subcommand that takes shaders as people write them.
#include "cli/options/subcommands.h"

namespace mobula::cli {
namespace {

void add_compile(const SubcommandPlace& place) {
  auto [app, options, rules] =
      add<CompileOptions>(place, "GLSL or SPIR-V, as the compiler sees it at each of its stages.",
                          "  mobula compile examples/ripple.frag --emit ssa\n"
                          "  mobula compile examples/ripple.frag --emit spirv -o ripple.spvasm\n"
                          "  mobula compile -D RINGS=9 examples/ripple.frag --emit ssa\n",
                          compile);
  app.add_option("FILE", options.file, "GLSL, or SPIR-V as binary or text; - is standard input")->required();
  app.add_option("--stage", options.stage, "vertex, fragment or compute; by default what the file's name ends in says")
      ->group("Input");
  app.add_option("-D,--define", options.macros, "Define this macro of GLSL: NAME or NAME=VALUE")
      ->group("Input")
      ->allow_extra_args(false);
  app.add_option("-I,--include", options.folders, "Look for included files here, too")
      ->group("Input")
      ->allow_extra_args(false);
  app.add_option("--emit", options.emit,
                 "What to write: ssa, the form that is compiled from, or spirv, from which it comes")
      ->required()
      ->group("Output");
  app.add_option("-O,--optimize", options.level,
                 "0: the form as it comes from SPIR-V; 1: simplified, as it is without this option; 2: also loops "
                 "written out, small branches as choices")
      ->check(CLI::Range(0U, 2U))
      ->group("Output");
  add_output(app, options.output);
}

}  // namespace

std::span<const Subcommand> compile_subcommands() {
  static constexpr Subcommand all[] = {{"compile", add_compile}};
  return all;
}

}  // namespace mobula::cli
