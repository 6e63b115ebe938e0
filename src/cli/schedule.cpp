#include "mobula/schedule.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "mobula/formats.h"

namespace mobula::cli {
namespace {

using utgard_gp::Schedule;

std::string quality(std::uint32_t words, std::uint32_t bound) {
  return words == bound ? "optimal" : "at least " + std::to_string(bound);
}

/// "shader.bin: note: 27 words, were 34; at least 25; prefetch 20", and a note for each trace if there are several.
Diagnostics summary(const Schedule& schedule, const std::string& file) {
  const auto note = [&](std::string message) {
    return Diagnostic{Severity::note, "GP300", {.file = file}, std::move(message), {}};
  };
  Diagnostics notes;
  notes.push_back(note(std::to_string(schedule.words) + " words, were " + std::to_string(schedule.words_before) + "; " +
                       quality(schedule.words, schedule.bound) + "; prefetch " + std::to_string(schedule.prefetch)));
  for (const utgard_gp::ScheduledTrace& trace : schedule.traces)
    notes.push_back(note("trace of word " + std::to_string(trace.first_word) + ": " + std::to_string(trace.words) +
                         " words, were " + std::to_string(trace.words_before) + "; " +
                         quality(trace.words, trace.bound()) + " by " + trace.bounds.front().resource));
  return notes;
}

Json to_json(const Schedule& schedule) {
  Json traces = Json::array();
  for (const utgard_gp::ScheduledTrace& trace : schedule.traces) {
    Json bounds = Json::array();
    for (const utgard_gp::ScheduleBound& bound : trace.bounds)
      bounds.push_back({{"resource", bound.resource}, {"words", bound.words}});
    traces.push_back({{"first_word", trace.first_word},
                      {"words_before", trace.words_before},
                      {"words", trace.words},
                      {"bound", trace.bound()},
                      {"optimal", trace.optimal()},
                      {"bounds", std::move(bounds)}});
  }
  return {{"code", hex(schedule.program.code)},
          {"words_before", schedule.words_before},
          {"words", schedule.words},
          {"bound", schedule.bound},
          {"prefetch", schedule.prefetch},
          {"words_tried", schedule.words_tried},
          {"traces", std::move(traces)}};
}

void write(const ScheduleOptions& options, const Schedule& schedule, const Machine& machine) {
  const std::string& file = options.output.file;
  if (options.hex) return write_output(file, write_hex(schedule.program.code));
  if (options.text) return write_output(file, value_or_stop(machine.disassemble(schedule.program, {}), file).text);
  if (file == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("machine code would go to the terminal", "give -o FILE, or --text or --hex");
  write_output(file, {reinterpret_cast<const char*>(schedule.program.code.data()), schedule.program.code.size()});
}

}  // namespace

Exit schedule(const ScheduleOptions& options) {
  const std::string& file = options.input.files.front();
  const Program program = load_program(options.input, file);
  const Machine& machine = machine_of(program);
  if (machine.name() != "utgard-gp")
    throw usage_error("programs of " + std::string(machine.name()) + " cannot be scheduled", "utgard-gp can");
  const Schedule result = value_or_stop(utgard_gp::schedule(program, {.effort = options.effort,
                                                                      .exact = options.exact,
                                                                      .past_branches = !options.plain_branches,
                                                                      .share_branch_words = !options.plain_branches,
                                                                      .vertices = options.vertices}),
                                        file);
  if (options.output.json) {
    write_output(options.output.file, envelope("schedule", &program, to_json(result)));
  } else {
    write(options, result, machine);
    print(summary(result, file));
  }
  return Exit::done;
}

}  // namespace mobula::cli
