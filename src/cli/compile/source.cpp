#include "cli/compile/source.h"

#include <filesystem>
#include <mutex>

#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/schedule_notes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/terminal.h"
#include "core/encoding.h"
#include "formats/dump.h"
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

std::vector<compile::PixelFormat> formats_of(const SourceOptions& options) {
  std::vector<compile::PixelFormat> formats;
  for (const std::string& text : options.formats) {
    const std::size_t equals = text.find('=');
    compile::PixelFormat each;
    if (equals != text.npos) each.output = text.substr(0, equals);
    each.format = text.substr(equals == text.npos ? 0 : equals + 1);
    if (equals == 0) throw usage_error("--pixel-format has no name before =", "NAME=FORMAT, or FORMAT for all colours");
    expect_first(std::ranges::find(formats, each.output, &compile::PixelFormat::output) == formats.end(),
                 "--pixel-format", each.output.empty() ? "all colours" : each.output);
    formats.push_back(std::move(each));
  }
  return formats;
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

void expect_options_of(compile::Language language, const SourceOptions& options) {
  if (language != compile::Language::glsl) {
    if (!options.macros.empty() || !options.folders.empty())
      throw usage_error("-D and -I act on GLSL, and " + options.file + " is SPIR-V");
    return;
  }
  if (chosen_stage(options.stage) != Stage::unknown || compile::stage_of_name(options.file) != Stage::unknown) return;
  for (const auto& [ending, stage] : {std::pair(".geom", "a geometry shader"),
                                      {".tesc", "a tessellation control shader"},
                                      {".tese", "a tessellation evaluation shader"}})
    if (options.file.ends_with(ending))
      throw usage_error(options.file + " is " + stage + ", of a stage that is not compiled",
                        "vertex, fragment and compute shaders are compiled");
  throw usage_error("the name " + options.file + " does not tell the stage of this shader",
                    "--stage vertex, fragment or compute; or a name that ends in .vert, .frag or .comp");
}

std::string machines_with_compilers() {
  std::string names;
  for (const std::string_view each : compile::target_machines()) names.append(names.empty() ? "" : ", ").append(each);
  return names;
}

void expect_compiler(const std::string& machine) {
  const std::string_view name = choose_machine(machine).machine->name();
  if (std::ranges::count(compile::target_machines(), name) == 0)
    throw usage_error("there is no compiler for " + std::string(name),
                      "machines with one: " + machines_with_compilers());
}

/// FM050 says what else it is, if that shows.
void expect_text(const std::string& file, std::span<const std::uint8_t> bytes) {
  auto problem = refuse_other_than_text(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!problem) return;
  const bool is_known = problem->code == "MOB012";  // text, in other letters
  if (const auto other = foreign(bytes); !is_known && other && !other->is_shader)
    problem = {Severity::error,
               "FM050",
               {.file = file},
               "this is " + other->what + ", not the source of a shader",
               "is this the right file?"};
  throw Stop{Exit::usage, {std::move(*problem)}};
}

}  // namespace

compile::Shader read_shader(const SourceOptions& options, std::span<const std::uint8_t> bytes) {
  constexpr unsigned most_seconds = 60;
  const ProcessorTime limit(most_seconds);  // the libraries have no end of some inputs
  const compile::Language language = compile::language_of(bytes);
  if (language != compile::Language::spirv) expect_text(options.file, bytes);
  expect_options_of(language, options);
  return value_or_stop(
      compile::Shader::read({.file = options.file,
                             .bytes = bytes,
                             .stage = chosen_stage(options.stage),
                             .macros = macros_of(options),
                             .find_included = [&](const std::string& name, const std::string& from,
                                                  bool quoted) { return find_included(options, name, from, quoted); },
                             .formats = formats_of(options),
                             .machine = options.machine}),
      options.file);
}

compile::MachineCode code_of(const compile::Shader& shader, const std::string& machine, const std::string& file,
                             unsigned level) {
  expect_compiler(machine);
  ProgressOfPart progress(thousand_steps);
  return value_or_stop(shader.compile(machine, level, in_thousands(progress)), file);
}

bool is_shader(const InputOptions& options, const std::string& file, std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::string_view, 6> endings{".vert", ".frag", ".comp", ".glsl", ".spv", ".spvasm"};
  if (!options.container.empty() || !options.syntax.empty()) return false;
  if (compile::language_of(bytes) == compile::Language::spirv) return true;
  const bool named = std::ranges::any_of(endings, [&](std::string_view each) { return file.ends_with(each); });
  const ContainerFormat format = detect_format(bytes);
  if (!named) return format == ContainerFormat::foreign && foreign(bytes)->is_shader;
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  // Arrays of numbers are code in C, and not in what is called a shader.
  const bool is_source = format == ContainerFormat::text || format == ContainerFormat::foreign ||
                         (format == ContainerFormat::hex && is_array(text) && !is_dump(text) && !is_log(text));
  return is_source && machine_of_text(text, file).empty();
}

Program compile_shader(const InputOptions& options, const std::string& file) {
  if (options.machine.empty())
    throw usage_error(file + " is the source of a shader, which is compiled for a machine",
                      "add -m MACHINE, one of " + machines_with_compilers());
  expect_compiler(options.machine);
  if (options.index || !options.side_file.empty())
    throw usage_error(
        (options.index ? std::string("--index") : "--side") + " is for machine code, not for a shader's source",
        "leave it out");
  // Files are worked on at the same time, and the libraries have things that are there once.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const compile::Shader shader = read_shader({file, options.stage, {}, {}, {}, options.machine}, read_file(file));
  print(shader.warnings());
  return code_of(shader, options.machine, file, options.level.value_or(compile::usual_level)).program;
}

}  // namespace mobula::cli
