#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "compile/front/shader.h"
#include "compile/passes/optimize.h"
#include "compile/ssa/from_spirv.h"
#include "compile/ssa/print.h"

namespace mobula::cli {
namespace {

namespace fs = std::filesystem;

std::vector<compile::Macro> macros_of(const CompileOptions& options) {
  std::vector<compile::Macro> macros;
  for (const std::string& text : options.macros) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const bool is_name =
        !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
        std::ranges::all_of(name, [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
    if (!is_name) throw usage_error("-D takes a name, and a value after =, not \"" + text + '"', "-D RINGS=9");
    const bool has_one_line = text.find_first_of("\r\n") == text.npos && !text.ends_with('\\');
    if (!has_one_line) throw usage_error("the value that -D gives to " + name + " is not one line", "-D RINGS=9");
    macros.push_back({name, equals == text.npos ? "1" : text.substr(equals + 1)});
  }
  return macros;
}

/// Beside the file that includes it, where its name is quoted; then in the folders of -I, in their order.
std::optional<compile::Included> find_included(const CompileOptions& options, const std::string& name,
                                               const std::string& from, bool quoted) {
  std::vector<fs::path> folders(options.folders.begin(), options.folders.end());
  if (quoted) folders.insert(folders.begin(), fs::path(from).parent_path());
  for (const fs::path& folder : folders) {
    const fs::path file = folder / name;
    std::error_code failed;
    if (fs::is_regular_file(file, failed))
      return compile::Included{file.string(), std::string(text_of(read_file(file.string()), file.string()))};
  }
  return {};
}

compile::Spirv from_glsl(const CompileOptions& options, std::string_view text) {
  const Stage given = chosen_stage(options.stage);
  const Stage stage = given == Stage::unknown ? compile::stage_of_name(options.file) : given;
  if (stage == Stage::unknown)
    throw usage_error("the name " + options.file + " does not tell the stage of this shader",
                      "--stage vertex, fragment or compute; or a name that ends in .vert, .frag or .comp");
  const compile::GlslSource source{options.file, text, stage, macros_of(options),
                                   [&](const std::string& name, const std::string& from, bool quoted) {
                                     return find_included(options, name, from, quoted);
                                   }};
  return value_or_stop(compile::glsl_to_spirv(source), options.file);
}

compile::Spirv spirv_of(const CompileOptions& options) {
  const std::vector<std::uint8_t> bytes = read_file(options.file);
  const bool binary = compile::is_spirv_binary(bytes);
  const std::string_view text = binary ? std::string_view() : text_of(bytes, options.file);
  if (!binary && !compile::is_spirv_text(text)) return from_glsl(options, text);
  if (!options.macros.empty() || !options.folders.empty())
    throw usage_error("-D and -I act on GLSL, and " + options.file + " is SPIR-V");
  return value_or_stop(binary ? compile::read_spirv(bytes, options.file) : compile::assemble_spirv(text, options.file),
                       options.file);
}

/// The text of what is asked for.
std::string emitted(const CompileOptions& options, const compile::Spirv& module) {
  const compile::Spirv optimised = value_or_stop(compile::optimise(module, options.file), options.file);
  if (options.emit == "spirv") return compile::print_spirv(optimised);
  ssa::Program program =
      value_or_stop(ssa::from_spirv(optimised, chosen_stage(options.stage), options.file), options.file);
  ssa::optimize(program, {.level = options.level.value_or(1)});
  return ssa::print(program);
}

}  // namespace

Exit compile(const CompileOptions& options) {
  chosen_among(emit_names, "form", options.emit);
  if (options.level && options.emit == "spirv")
    throw usage_error("-O acts on the form of --emit ssa, and SPIR-V is what that is made from");
  constexpr unsigned most_seconds = 60;
  limit_processor_time(most_seconds);  // the libraries have no end of some inputs
  const std::string text = emitted(options, spirv_of(options));
  if (options.output.json)
    write_output(options.output.file, envelope("compile", nullptr, {{"emit", options.emit}, {"text", text}}));
  else
    write_output(options.output.file, listing_for(options.output.file, text));
  return Exit::done;
}

}  // namespace mobula::cli
