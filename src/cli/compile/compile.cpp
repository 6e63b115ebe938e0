#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/command.h"
#include "cli/compile/cost.h"
#include "cli/compile/source.h"
#include "cli/input/input.h"
#include "cli/input/side_file.h"
#include "cli/schedule_notes.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/lab/run.h"

namespace mobula::cli {
namespace {

/// What is to be written.
std::string emitted(const CompileOptions& options) {
  if (options.emit.empty() && options.machine.empty())
    throw usage_error("there is no machine to make code for",
                      "add -m MACHINE; or --emit ssa or spirv, which are of no machine");
  std::string emit = options.emit.empty() ? "bin" : options.emit;
  chosen_among(emit_names, "form", emit);
  const bool of_a_machine = emit != "ssa" && emit != "spirv";
  if (of_a_machine && options.machine.empty())
    throw usage_error("--emit " + emit + " is the code of a machine", "add -m MACHINE");
  if (!of_a_machine && !options.machine.empty())
    throw usage_error("--emit " + emit + " is of no machine", "leave --machine out");
  if (options.level && emit == "spirv")
    throw usage_error("-O acts on the form of --emit ssa, and SPIR-V is what that is made from");
  return emit;
}

/// A Stop if the code does not do what the form says.
Json verified(const CompileOptions& options, const compile::Shader& shader, const Program& code) {
  if (options.no_verify || options.verify == 0) return nullptr;
  const auto outcome = value_or_stop(shader.verify(code, {.runs = options.verify, .seed = 1}), options.source.file);
  if (outcome.difference)
    throw Stop{Exit::negative, located({compile::to_diagnostic(*outcome.difference)}, options.source.file)};
  const char* const nothing =
      outcome.runs == 0
          ? "the source or its code came to no end, or read what there is not, with all inputs that were tried"
          : "of what this computes with the inputs that were tried, GLSL promises nothing";
  if (outcome.compared == 0 && (outcome.runs == 0 || outcome.open != 0))
    print(located({{Severity::warning, "VF003", {}, std::string("nothing was verified: ") + nothing, ""}},
                  options.source.file));
  return {{"runs", outcome.runs}, {"compared", outcome.compared}, {"open", outcome.open}};
}

void write_text(const CompileOptions& options, const Program* code, const std::string& emit, const std::string& text) {
  write_output(options.output.file, options.output.json ? envelope("compile", code, {{"emit", emit}, {"text", text}})
                                                        : listing_for(options.output.file, text));
}

/// Before anything is compiled: what would leave out the side file.
void expect_own_side_file(const CompileOptions& options) {
  const std::string& file = options.output.file;
  if (file.empty() || file == "-") return;
  if (emitted(options) == "bin" && !options.output.json && side_file_name(file) == file)
    throw usage_error("-o " + file + " has the name of the side file that goes beside the code", "-o NAME.bin");
}

void write_code(const CompileOptions& options, const compile::MachineCode& made, const Json& verification) {
  const std::string& file = options.output.file;
  const Program& code = made.program;
  if (options.output.json) {
    Json json{{"emit", "bin"}, {"code", hex(code.code)}, {"verified", verification}};
    if (made.schedule) json["schedule"] = length_json(*made.schedule);
    return write_output(file, envelope("compile", &code, std::move(json)));
  }
  if (file == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("machine code would go to the terminal", "give -o FILE, or --emit asm for text");
  write_output(file, as_text(code.code));
  write_side_file_beside(file, code);
}

void write_cost(const CompileOptions& options, const Program& code, std::string_view source) {
  const std::vector<LineCost> costs = costs_of(code);
  write_output(options.output.file, options.output.json
                                        ? envelope("compile", &code, {{"emit", "cost"}, {"lines", to_json(costs)}})
                                        : cost_table(costs, source));
}

void write_text_of(const CompileOptions& options, const Program& code, const std::string& emit) {
  const DisassembleOptions how{.directive = true};
  const std::string text = emit == "asm" ? value_or_stop(machine_of(code).disassemble(code, how), code.file).text
                                         : ir::print(lift(code, {}));
  write_text(options, &code, emit, text);
}

void write_machine_code(const CompileOptions& options, const std::string& emit, const compile::Shader& shader,
                        std::string_view source) {
  const compile::MachineCode made =
      code_of(shader, options.machine, options.source.file, options.level.value_or(compile::usual_level));
  const Json verification = verified(options, shader, made.program);
  if (options.explain_cost)
    write_cost(options, made.program, source);
  else if (emit == "bin")
    write_code(options, made, verification);
  else
    write_text_of(options, made.program, emit);
  if (!made.schedule || options.output.json) return;
  print(located(notes_on_length(*made.schedule), options.source.file));
  print(located(made.schedule->remarks, options.source.file));
}

}  // namespace

Exit compile(const CompileOptions& options) {
  const std::string emit = emitted(options);
  expect_own_side_file(options);
  const std::vector<std::uint8_t> bytes = read_file(options.source.file);
  const compile::Shader shader = read_shader(options.source, bytes);
  if (emit == "spirv") {
    write_text(options, nullptr, emit, shader.spirv());
    return Exit::done;
  }
  if (emit == "ssa") {
    const std::string form =
        value_or_stop(shader.form(options.level.value_or(compile::usual_level)), options.source.file);
    write_text(options, nullptr, emit, form);
    return Exit::done;
  }
  const bool is_glsl = compile::language_of(bytes) == compile::Language::glsl;
  write_machine_code(options, emit, shader, is_glsl ? as_text(bytes) : std::string_view());
  return Exit::done;
}

}  // namespace mobula::cli
