#include "cli/compile/source.h"

#include <filesystem>
#include <mutex>

#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/terminal/interrupt.h"
#include "compile/passes/optimize.h"
#include "compile/ssa/from_spirv.h"
#include "formats/foreign.h"
#include "mobula/lab/load.h"

namespace mobula::cli {
namespace {

namespace fs = std::filesystem;

std::vector<compile::Macro> macros_of(const SourceOptions& options) {
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
    expect_first(std::ranges::find(macros, name, &compile::Macro::name) == macros.end(), "-D", name);
    macros.push_back({name, equals == text.npos ? "1" : text.substr(equals + 1)});
  }
  return macros;
}

/// Beside the file that includes it, where its name is quoted; then in the folders of -I, in their order.
std::optional<compile::Included> find_included(const SourceOptions& options, const std::string& name,
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

compile::Spirv from_glsl(const SourceOptions& options, std::string_view text) {
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

compile::Spirv read_spirv(const SourceOptions& options, std::span<const std::uint8_t> bytes) {
  if (!options.macros.empty() || !options.folders.empty())
    throw usage_error("-D and -I act on GLSL, and " + options.file + " is SPIR-V");
  if (compile::is_spirv_binary(bytes)) return value_or_stop(compile::read_spirv(bytes, options.file), options.file);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return value_or_stop(compile::assemble_spirv(text, options.file), options.file);
}

std::string machines_with_compilers() {
  std::string names;
  for (const compile::BackEnd* each : compile::back_ends()) {
    names += names.empty() ? "" : ", ";
    names += each->machine;
  }
  return names;
}

}  // namespace

compile::Spirv optimised_spirv(const SourceOptions& options, std::span<const std::uint8_t> bytes) {
  constexpr unsigned most_seconds = 60;
  const ProcessorTime limit(most_seconds);  // the libraries have no end of some inputs
  if (compile::is_spirv_binary(bytes))
    return value_or_stop(compile::optimise(read_spirv(options, bytes), options.file), options.file);
  const std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
  const std::string_view text = text_of(copy, options.file);
  const compile::Spirv module = compile::is_spirv_text(text) ? read_spirv(options, bytes) : from_glsl(options, text);
  return value_or_stop(compile::optimise(module, options.file), options.file);
}

ssa::Program form_of(const SourceOptions& options, const compile::Spirv& module) {
  return value_or_stop(ssa::from_spirv(module, chosen_stage(options.stage), options.file), options.file);
}

compile::MachineCode code_of(const ssa::Program& form, const MachineChoice& target, const std::string& file,
                             unsigned level) {
  const std::string machine(target.machine->name());
  if (compile::find_back_end(machine) == nullptr)
    throw usage_error("there is no compiler for " + machine, "machines with one: " + machines_with_compilers());
  ssa::Program better = form;
  ssa::optimize(better, {.level = level});
  compile::MachineCode code = value_or_stop(compile::make_code(better, {machine, target.variant}, level), file);
  code.program.file = file;
  return code;
}

bool is_shader(const InputOptions& options, const std::string& file, std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::string_view, 6> endings{".vert", ".frag", ".comp", ".glsl", ".spv", ".spvasm"};
  if (!options.container.empty() || !options.syntax.empty()) return false;
  if (compile::is_spirv_binary(bytes)) return true;
  const bool named = std::ranges::any_of(endings, [&](std::string_view each) { return file.ends_with(each); });
  const ContainerFormat format = detect_format(bytes);
  if (!named) return format == ContainerFormat::foreign && foreign(bytes)->is_shader;
  const bool is_text = format == ContainerFormat::text || format == ContainerFormat::foreign;
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return is_text && machine_of_text(text, file).empty();
}

Program compile_shader(const InputOptions& options, const std::string& file) {
  if (options.machine.empty())
    throw usage_error(file + " is the source of a shader, which is compiled for a machine",
                      "add -m MACHINE, one of " + machines_with_compilers());
  if (options.index || !options.side_file.empty())
    throw usage_error(
        (options.index ? std::string("--index") : "--side") + " is for machine code, not for a shader's source",
        "leave it out");
  // Files are worked on at the same time, and the libraries have things that are there once.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const SourceOptions source{file, options.stage, {}, {}};
  const compile::Spirv module = optimised_spirv(source, read_file(file));
  return code_of(form_of(source, module), choose_machine(options.machine), file,
                 options.level.value_or(ssa::Effort{}.level))
      .program;
}

}  // namespace mobula::cli
