#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/command.h"
#include "cli/compile/source.h"
#include "cli/input/input.h"
#include "cli/input/side_file.h"
#include "cli/schedule_notes.h"
#include "cli/shards/shards.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "mobula/lab/line_costs.h"
#include "mobula/lab/run.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {
namespace {

/// What is to be written.
std::string emitted(const CompileOptions& options) {
  if (options.emit.empty() && options.machine.empty())
    throw usage_error("there is no machine to make code for",
                      "add -m MACHINE; or --emit ssa or spirv, which need no machine");
  std::string emit = options.emit.empty() ? "bin" : options.emit;
  chosen_among(emit_names, "form", emit);
  const bool of_a_machine = emit != "ssa" && emit != "spirv";
  if (of_a_machine && options.machine.empty())
    throw usage_error("--emit " + emit + " is the code of a machine", "add -m MACHINE");
  if (!of_a_machine && !options.machine.empty())
    throw usage_error("--emit " + emit + " takes no machine", "leave --machine out");
  if (options.level && emit == "spirv")
    throw usage_error("-O acts on the form of --emit ssa, and SPIR-V is what that is made from");
  return emit;
}

/// Formats of pixels are for the fragment shaders among several files.
SourceOptions source_of(const CompileOptions& options, const std::string& file) {
  const auto is_fragment = [](const std::string& each) { return compile::stage_of_name(each) == Stage::fragment; };
  const bool is_another = compile::stage_of_name(file) != Stage::unknown && !is_fragment(file);
  SourceOptions source = options.source;
  source.file = file;
  source.machine = options.machine;
  if (source.stage.empty() && is_another && std::ranges::any_of(options.files, is_fragment)) source.formats.clear();
  return source;
}

/// A file, and what is in it.
struct ShaderFile {
  InputFile input;
  std::string_view text;  ///< of GLSL
  compile::Shader shader;
};

/// A Stop if the code does not do what the form says.
Json verified(const CompileOptions& options, const ShaderFile& file, const Program& code, Diagnostics& notes) {
  if (options.no_verify || options.verify == 0) return nullptr;
  compile::VerifyOptions how{.runs = options.verify};
  how.steps = options.verify_steps.value_or(how.steps);
  const auto outcome = value_or_stop(file.shader.verify(code, how), file.input.name);
  if (outcome.difference)
    throw Stop{Exit::negative, located({compile::to_diagnostic(*outcome.difference)}, file.input.name)};
  std::ranges::move(located(compile::remarks_of(outcome), file.input.name), std::back_inserter(notes));
  return {{"runs", outcome.runs}, {"compared", outcome.compared}, {"open", outcome.open}};
}

/// The JSON of one file; `result` is what there is beside its warnings and what was found with its code.
std::string json_of(const ShaderFile& file, const Program* code, const Diagnostics& found, Json result) {
  Diagnostics all = file.shader.warnings();
  all.insert(all.end(), found.begin(), found.end());
  if (!all.empty()) result["diagnostics"] = to_json(all);
  return envelope("compile", file.input, code, std::move(result));
}

std::string text_of_form(const CompileOptions& options, const ShaderFile& file, const Program* code,
                         const Diagnostics& found, const std::string& emit, const std::string& text) {
  return options.output.json ? json_of(file, code, found, {{"emit", emit}, {"text", text}}) : text;
}

/// The name of the file that code goes into, beside others.
std::string code_name(const std::string& source) {
  return source == "-" ? "stdin.bin" : std::filesystem::path(source).filename().string() + ".bin";
}

/// Code, and its side file where something is known of it.
void add_files(const std::string& file, const Program& code, FileResult& result) {
  const std::string name = code_name(file);
  result.files.emplace_back(name, as_text(code.code));
  if (const std::string side = side_file_of(code); !side.empty()) result.files.emplace_back(side_file_name(name), side);
}

void add_code(const CompileOptions& options, const ShaderFile& file, const compile::MachineCode& made,
              const Json& verification, FileResult& result) {
  const Program& code = made.program;
  if (options.output.json) {
    Json json{{"emit", "bin"}, {"code", hex(code.code)}, {"verified", verification}};
    if (made.schedule) json["schedule"] = length_json(*made.schedule);
    if (made.merging) json["merging"] = merging_json(*made.merging);
    result.text = json_of(file, &code, result.diagnostics, std::move(json));
  }
  add_files(file.input.name, code, result);
}

Json costs_json(const std::vector<LineCost>& costs) {
  Json list = Json::array();
  for (const LineCost& each : costs) {
    Json pipes = Json::object();
    for (const auto& [pipe, words] : each.by_pipe) pipes[pipe] = words;
    list.push_back(
        {{"line", each.line}, {"words", each.words}, {"instructions", each.instructions}, {"pipes", std::move(pipes)}});
  }
  return list;
}

std::string cost_text(const CompileOptions& options, const ShaderFile& file, const Program& code,
                      const Diagnostics& found) {
  if (find_timing_model(code.machine) == nullptr) throw usage_error("there is no timing model for " + code.machine);
  expect_within_limit(code);
  const std::vector<LineCost> costs = value_or_stop(line_costs(code), code.file);
  return options.output.json ? json_of(file, &code, found, {{"emit", "cost"}, {"lines", costs_json(costs)}})
                             : line_cost_table(costs, file.text);
}

std::string text_of_code(const CompileOptions& options, const ShaderFile& file, const Program& code,
                         const Diagnostics& found, const std::string& emit) {
  const DisassembleOptions how{.directive = true};
  const std::string text = emit == "asm" ? value_or_stop(machine_of(code).disassemble(code, how), code.file).text
                                         : ir::print(lift(code, {}));
  return text_of_form(options, file, &code, found, emit, text);
}

FileResult machine_code(const CompileOptions& options, const ShaderFile& file, const std::string& emit) {
  const std::string& name = file.input.name;
  FileResult result;
  const compile::MachineCode made =
      code_of(file.shader, options.machine, name, options.level.value_or(compile::usual_level));
  const Json verification = verified(options, file, made.program, result.diagnostics);
  if (options.explain_cost) {
    result.text = cost_text(options, file, made.program, result.diagnostics);
    add_files(name, made.program, result);
  } else if (emit == "bin") {
    add_code(options, file, made, verification, result);
  } else {
    result.text = text_of_code(options, file, made.program, result.diagnostics, emit);
  }
  if (options.output.json) return result;
  if (made.merging && !made.merging->parts.empty())
    std::ranges::move(located(notes_on_merging(*made.merging), name), std::back_inserter(result.diagnostics));
  if (!made.schedule) return result;
  std::ranges::move(located(notes_on_length(*made.schedule), name), std::back_inserter(result.diagnostics));
  std::ranges::move(located(made.schedule->remarks, name), std::back_inserter(result.diagnostics));
  return result;
}

FileResult compiled(const CompileOptions& options, const std::string& file, const std::string& emit) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  const bool is_glsl = compile::language_of(bytes) == compile::Language::glsl;
  const ShaderFile read{{file, bytes.size()},
                        is_glsl ? as_text(bytes) : std::string_view(),
                        read_shader(source_of(options, file), bytes)};
  print(read.shader.warnings());
  const unsigned level = options.level.value_or(compile::usual_level);
  if (emit == "spirv" || emit == "ssa") {
    const std::string text = emit == "spirv" ? read.shader.spirv() : value_or_stop(read.shader.form(level), file);
    return {.text = text_of_form(options, read, nullptr, {}, emit, text), .diagnostics = {}};
  }
  return machine_code(options, read, emit);
}

/// Of --link, the file of a stage. A Stop if there is not one of it beside one other.
const std::string& file_to_link(const CompileOptions& options, Stage stage) {
  const auto is_of = [&](const std::string& file) { return compile::stage_of_name(file) == stage; };
  if (options.files.size() != 2 || std::ranges::count_if(options.files, is_of) != 1)
    throw usage_error("--link takes one vertex shader and one fragment shader",
                      "mobula compile a.vert a.frag --link ...");
  return *std::ranges::find_if(options.files, is_of);
}

/// With --link: a Stop if the vertex and the fragment shader do not fit.
void expect_fitting(const CompileOptions& options, const std::string& vertex, const std::string& fragment) {
  const auto read = [&](const std::string& file) { return read_shader(source_of(options, file), read_file(file)); };
  Diagnostics misfits;
  try {
    misfits = read(vertex).misfits(read(fragment));
  } catch (const Stop&) {
    return;  // what is wrong with one of them is told where both are compiled
  }
  if (!misfits.empty()) throw Stop{Exit::negative, located(std::move(misfits), fragment)};
}

/// Whether code is written, whose bytes do not go beside each other into one file. The table of costs and JSON (`told`)
/// go to standard output, and the code goes where -o says, if it does.
bool writes_code(bool is_code, bool told, const std::string& output) { return is_code && (!told || output != "-"); }

/// Before anything is compiled: what would leave out the side file, replace another file by it, or write two programs
/// into one file.
void expect_places_for_code(const CompileOptions& options) {
  const std::string& output = options.output.file;
  if (options.files.size() > 1) {
    if (options.shard.empty() && !std::filesystem::is_directory(output))
      throw usage_error("the code of " + counted(options.files.size(), "file") + " goes into a folder, and " +
                            (output == "-" ? "none is named" : output + " is not one"),
                        "-o FOLDER, which must exist; or --emit asm, whose texts follow each other");
    std::map<std::string, std::string> places;
    for (const std::string& file : options.files) {
      const auto [place, is_new] = places.emplace(code_name(file), file);
      if (!is_new)
        throw usage_error("the code of " + file + " and of " + place->second + " would both go into " + place->first,
                          "compile those of each folder on their own");
    }
  }
  if (output == "-" || !options.shard.empty()) return;
  const bool folder = std::filesystem::is_directory(output);
  if (!folder && side_file_name(output) == output)
    throw usage_error("-o " + output + " has the name of the side file that goes beside the code", "-o NAME.bin");
  for (const std::string& file : options.files)
    expect_replaceable(side_file_name(folder ? (std::filesystem::path(output) / code_name(file)).string() : output));
}

/// The code of one file goes where -o says, that of several into the folder.
void write_code(const std::vector<FileResult>& results, const std::string& output) {
  const bool folder = std::filesystem::is_directory(output);
  if (!folder && output == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("machine code would go to the terminal", "give -o FILE, or --emit asm for text");
  if (!folder && results.size() > 1) throw usage_error("the code of several files goes into a folder", "-o FOLDER");
  for (const FileResult& result : results) {
    if (result.files.empty()) continue;  // it failed
    const auto& [name, code] = result.files.front();
    const std::string side_file = result.files.size() > 1 ? result.files.back().second : "";
    write_with_side_file(
        folder ? (std::filesystem::path(output) / std::filesystem::path(name).filename()).string() : output, code,
        side_file);
  }
}

}  // namespace

Exit end_compile(const Json& options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
                 const std::string& output) {
  const bool json = options.at("json");
  std::vector<FileResult> shown = results;
  const bool told = json || options.at("cost").get<bool>();
  const bool writes = writes_code(options.at("code"), told, output);
  if (!told)
    for (FileResult& each : shown) each.text = listing_for(output, std::move(each.text));
  if (writes) write_code(shown, output);
  return write_results(files, shown, {.file = told && writes ? "-" : output, .json = json});
}

Exit compile(const CompileOptions& options) {
  const std::string emit = emitted(options);
  const bool is_code = emit == "bin", told = options.output.json || options.explain_cost;
  const std::string vertex = options.link ? file_to_link(options, Stage::vertex) : "",
                    fragment = options.link ? file_to_link(options, Stage::fragment) : "";
  const bool names_shard = told && !options.shard.empty();
  if (!names_shard && writes_code(is_code, told, options.output.file)) expect_places_for_code(options);
  if (options.link) expect_fitting(options, vertex, fragment);
  Work work{.command = "compile",
            .options = {{"machine", packed(options.machine)},
                        {"stage", packed(options.source.stage)},
                        {"macros", packed(options.source.macros)},
                        {"folders", packed(options.source.folders)},
                        {"formats", packed(options.source.formats)},
                        {"emit", emit},
                        {"level", options.level ? Json(*options.level) : Json(nullptr)},
                        {"verify", options.no_verify ? 0 : options.verify},
                        {"steps", options.verify_steps ? Json(*options.verify_steps) : Json(nullptr)},
                        {"cost", options.explain_cost},
                        {"code", is_code},
                        {"json", options.output.json}},
            .pieces = options.files,
            .job = [&](std::size_t index) { return compiled(options, options.files[index], emit); },
            .one_at_a_time = true};
  return carry_out(work, options.shard, options.output.file, end_compile);
}

}  // namespace mobula::cli
