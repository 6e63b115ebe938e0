#include "mobula/lab/schedule.h"

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/input/side_file.h"
#include "cli/schedule_notes.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/isa/formats.h"

namespace mobula::cli {
namespace {

/// How long it is; and of compiled expressions, where everything is.
Diagnostics summary(const ScheduledProgram& schedule) {
  const auto note = [&](std::string message) {
    return Diagnostic{Severity::note, "GP300", {}, std::move(message), {}};
  };
  Diagnostics notes = notes_on_length(schedule);
  if (schedule.words_before != 0) return notes;
  const Interface& interface = schedule.program.interface;
  const auto places = [&](const std::vector<Variable>& variables, const std::string& kind) {
    for (const Variable& variable : variables)
      notes.push_back(
          note(kind + ' ' + std::to_string(variable.driver_location) + ": " + variable.type + ' ' + variable.name));
  };
  places(interface.inputs, "attribute");
  places(interface.uniforms, "uniform vec4");
  places(interface.outputs, "varying");
  for (const UniformConstant& constant : interface.constants) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", static_cast<double>(std::bit_cast<float>(constant.bits)));
    notes.push_back(
        note("uniform vec4 " + std::to_string(constant.word / 4) + '.' + "xyzw"[constant.word % 4] + ": " + number));
  }
  return notes;
}

/// What an expression text declares, and the numbers it needs in uniform memory.
Json to_json(const Interface& interface) {
  const auto places = [](const std::vector<Variable>& variables) {
    Json list = Json::array();
    for (const Variable& variable : variables)
      list.push_back({{"name", variable.name}, {"type", variable.type}, {"place", variable.driver_location}});
    return list;
  };
  Json constants = Json::array();
  for (const UniformConstant& constant : interface.constants)
    constants.push_back({{"word", constant.word}, {"bits", hex(constant.bits)}});
  return {{"attributes", places(interface.inputs)},
          {"uniforms", places(interface.uniforms)},
          {"varyings", places(interface.outputs)},
          {"constants", std::move(constants)}};
}

Json to_json(const ScheduledProgram& schedule) {
  Json json = length_json(schedule);
  json.update({{"code", hex(schedule.program.code)},
               {"interface", to_json(schedule.program.interface)},
               {"words_tried", schedule.words_tried},
               {"remarks", cli::to_json(schedule.remarks)}});
  return json;
}

/// The code in the form that is asked for.
std::string written(const ScheduleOptions& options, const Program& program) {
  const std::string& file = options.output.file;
  if (options.hex) return write_hex(program.code);
  if (options.text)
    return listing_for(file, value_or_stop(machine_of(program).disassemble(program, {.directive = true}), file).text);
  if (file == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("machine code would go to the terminal", "give -o FILE, or --text or --hex");
  return std::string(as_text(program.code));
}

ScheduledProgram scheduled(const ScheduleOptions& options, const std::string& file) {
  ProgressOfPart progress(thousand_steps);
  const mobula::ScheduleOptions how{.effort = options.effort,
                                    .exact = options.exact,
                                    .past_branches = !options.plain_branches,
                                    .share_branch_words = !options.plain_branches,
                                    .vertices = options.vertices,
                                    .progress = in_thousands(progress)};
  if (options.expressions || is_expressions(file)) {
    expect_kind(options.input, Kind::expressions);
    const std::vector<std::uint8_t> text = read_file(file);
    return value_or_stop(mobula::schedule_expressions({file, text_of(text, file)}, how), file);
  }
  const Program program = load_program(options.input, file);
  expect_ability(program, Ability::schedule);
  return value_or_stop(mobula::schedule(program, how), file);
}

}  // namespace

Exit schedule(const ScheduleOptions& options) {
  const std::string& file = options.input.files.front();
  const ScheduledProgram result = scheduled(options, file);
  if (options.output.json) {
    write_output(options.output.file, envelope("schedule", &result.program, to_json(result)));
  } else {
    write_with_side_file(options.output.file, written(options, result.program), side_file_of(result.program));
    print(located(summary(result), file));
    print(located(result.remarks, file));
  }
  return Exit::done;
}

}  // namespace mobula::cli
