#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/timing.h"

namespace mobula {
namespace {

using nlohmann::ordered_json;

enum class Row : std::uint8_t { shortest, longest, total };

std::vector<double> cycles_of(const Estimate& estimate, const Estimate::Words& words, Row row) {
  std::vector<double> cycles;
  for (std::size_t i = 0; i < words.size(); ++i)
    cycles.push_back(row == Row::total ? total_cycles(words[i], estimate.pipes[i])
                                       : path_cycles(words[i], estimate.pipes[i]));
  return cycles;
}

/// The pipes with the most cycles; none if all are idle.
std::vector<std::size_t> bound(const std::vector<double>& cycles) {
  const double most = cycles.empty() ? 0 : *std::max_element(cycles.begin(), cycles.end());
  std::vector<std::size_t> pipes;
  for (std::size_t i = 0; i < cycles.size() && most > 0; ++i)
    if (cycles[i] == most) pipes.push_back(i);
  return pipes;
}

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return "Vertex";
    case Stage::fragment:
      return "Fragment";
    case Stage::compute:
      return "Compute";
    case Stage::unknown:
      break;
  }
  return "Unknown";
}

std::string title(std::string_view product, std::string_view machine, std::string_view variant) {
  return fmt::format("{} ({}:{})", product, machine, variant);
}

std::string lines(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "A x3", or "LS" for a single pipe.
std::string pipe_title(const TimingPipe& pipe) {
  return pipe.count == 1 ? std::string(pipe.letter) : fmt::format("{} x{}", pipe.letter, pipe.count);
}

/// How many words use each slot, and how large a part of all that is.
std::string slot_lines(std::span<const SlotUse> slots, std::uint64_t words, std::string_view word_name = "word") {
  if (slots.empty()) return {};
  std::string names = fmt::format("\n{:<15}", "slot"), counts = fmt::format("{:<15}", fmt::format("  {}s", word_name)),
              parts = fmt::format("{:<15}", "  percent");
  for (const SlotUse& slot : slots) {
    names += fmt::format("{:>8}", slot.name);
    counts += fmt::format("{:>8}", slot.words);
    parts += fmt::format("{:>8.0f}", percent(slot.words, words));
  }
  return names + '\n' + counts + '\n' + parts + '\n';
}

void append_row(std::string& text, const Estimate& estimate, std::string_view row_name,
                const std::optional<Estimate::Words>& words, Row row) {
  if (!words) {
    text += fmt::format("{:<15}{}\n", row_name, row == Row::longest && estimate.loops != 0 ? "unbounded" : "none");
    return;
  }
  const std::vector<double> cycles = cycles_of(estimate, *words, row);
  text += fmt::format("{:<15}", row_name);
  for (const std::uint64_t count : *words) text += fmt::format("{:>10}", count);
  text += fmt::format("\n{:<15}", "  cycles");
  for (const double count : cycles) text += fmt::format("{:>10.2f}", count);
  text += "   bound:";
  for (const std::size_t pipe : bound(cycles)) text += fmt::format(" {}", estimate.pipes[pipe].letter);
  text += bound(cycles).empty() ? " none\n" : "\n";
}

void append_bytes(std::string& text, const std::optional<std::uint64_t>& bytes) {
  if (bytes) text += fmt::format("{:<15}{:>10}\n", "  bytes fetched", *bytes);
}

/// Reasons in order of their cycles, most first; reasons without a cycle left out.
std::vector<std::pair<StallReason, std::uint64_t>> by_weight(const WaitingCycles& waiting) {
  std::vector<std::pair<StallReason, std::uint64_t>> rows;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (waiting[i] != 0) rows.emplace_back(static_cast<StallReason>(i), waiting[i]);
  std::ranges::stable_sort(rows, std::greater<>(), &std::pair<StallReason, std::uint64_t>::second);
  return rows;
}

ordered_json property(std::string_view name, ordered_json value) {
  return {{"name", name}, {"value", std::move(value)}};
}

ordered_json cycles_json(const Estimate& estimate, const std::optional<Estimate::Words>& words, Row row) {
  ordered_json counts = ordered_json::array(), bounds = ordered_json::array();
  if (!words) {
    counts = std::vector<ordered_json>(estimate.pipes.size(), nullptr);
    bounds.push_back(nullptr);
  } else {
    const std::vector<double> cycles = cycles_of(estimate, *words, row);
    for (const double count : cycles) counts.push_back(static_cast<float>(count));  // which is how ARM's reckons
    for (const std::size_t pipe : bound(cycles)) bounds.push_back(estimate.pipes[pipe].name);
  }
  return {{"cycle_count", std::move(counts)}, {"bound_pipelines", std::move(bounds)}};
}

ordered_json words_json(const std::optional<Estimate::Words>& words) {
  return words ? ordered_json(*words) : ordered_json(nullptr);
}

ordered_json slots_json(std::span<const SlotUse> slots) {
  ordered_json rows = ordered_json::object();
  for (const SlotUse& slot : slots) rows[std::string(slot.name)] = slot.words;
  return rows;
}

ordered_json bytes_json(const std::optional<CodeBytes>& bytes) {
  if (!bytes) return nullptr;
  const auto count = [](const std::optional<std::uint64_t>& path) {
    return path ? ordered_json(*path) : ordered_json(nullptr);
  };
  return {{"longest", count(bytes->longest)}, {"shortest", count(bytes->shortest)}, {"total", bytes->total}};
}

ordered_json functions_json(std::span<const FunctionTime> functions) {
  const auto count = [](const std::optional<std::uint64_t>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  ordered_json rows = ordered_json::array();
  for (const FunctionTime& each : functions)
    rows.push_back({{"program", each.program},
                    {"name", each.name},
                    {"packet", each.packet},
                    {"shortest", count(each.shortest)},
                    {"longest", count(each.longest)},
                    {"shortest_cycles", count(each.shortest_cycles)},
                    {"longest_cycles", count(each.longest_cycles)},
                    {"loops", each.loops}});
  return rows;
}

ordered_json shader_json(const Estimate& estimate) {
  ordered_json names = ordered_json::array(), pipelines = ordered_json::array();
  for (const TimingPipe& pipe : estimate.pipes) {
    names.push_back(pipe.name);
    pipelines.push_back({{"name", pipe.name}, {"count", pipe.count}});
  }
  ordered_json properties = {property("work_registers_used", estimate.work_registers),
                             property("uniform_registers_used", estimate.uniform_registers),
                             property("has_stack_spilling", estimate.spills + estimate.fills != 0)};
  if (estimate.most_threads != 0)
    properties.push_back(property("thread_occupancy", estimate.threads * 100 / estimate.most_threads));
  const ordered_json variant = {{"name", "Main"},
                                {"properties", std::move(properties)},
                                {"performance",
                                 {{"pipelines", std::move(names)},
                                  {"longest_path_cycles", cycles_json(estimate, estimate.longest, Row::longest)},
                                  {"shortest_path_cycles", cycles_json(estimate, estimate.shortest, Row::shortest)},
                                  {"total_cycles", cycles_json(estimate, estimate.total, Row::total)}}},
                                {"words",
                                 {{"longest", words_json(estimate.longest)},
                                  {"shortest", words_json(estimate.shortest)},
                                  {"total", words_json(estimate.total)}}}};
  return {{"filename", estimate.file},
          {"hardware",
           {{"architecture", estimate.architecture},
            {"core", estimate.product},
            {"target", estimate.machine + ":" + estimate.variant},
            {"pipelines", std::move(pipelines)}}},
          {"shader", {{"type", stage_name(estimate.stage)}}},
          // All that ARM's says of a shader for such cores; null: the code alone does not tell.
          {"properties", ordered_json::array({property("has_uniform_computation", nullptr)})},
          {"statistics",
           {{"instructions", estimate.instructions},
            {"words", estimate.words},
            {"quadwords", estimate.quadwords},
            {"loops", estimate.loops},
            {"spills", estimate.spills},
            {"fills", estimate.fills},
            {"threads", estimate.threads},
            {"registers_announced", estimate.registers_announced}}},
          {"bytes", bytes_json(estimate.bytes)},
          {"slots", slots_json(estimate.slots)},
          {"moves", estimate.moves},
          {"functions", functions_json(estimate.functions)},
          {"notes", estimate.notes},
          {"variants", ordered_json::array({variant})}};
}

ordered_json waiting_json(const WaitingCycles& waiting) {
  ordered_json rows = ordered_json::object();
  for (const auto& [reason, cycles] : by_weight(waiting)) rows[std::string(info(reason).name)] = cycles;
  return rows;
}

ordered_json simulation_json(const SimulationReport& simulation) {
  ordered_json pipes = ordered_json::array(), words = ordered_json::array(), parameters = ordered_json::array(),
               counters = ordered_json::object();
  for (std::size_t i = 0; i < simulation.pipes.size(); ++i)
    pipes.push_back({{"name", simulation.pipes[i].name},
                     {"count", simulation.pipes[i].count},
                     {"words", simulation.use[i].words},
                     {"issue_cycles", simulation.use[i].issue_cycles}});
  for (const SimulationReport::WordUse& word : simulation.words)
    words.push_back({{"address", hexadecimal(word.address)},
                     {"text", word.text},
                     {"executions", word.executions},
                     {"executing", word.executing},
                     {"waiting", waiting_json(word.waiting)}});
  for (const TimingParameter& parameter : simulation.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"value", parameter.value},
                          {"status", name(parameter.status)},
                          {"source", parameter.source},
                          {"summary", parameter.summary}});
  for (const auto& [counter, value] : simulation.counters) counters[std::string(counter)] = value;
  return {{"filename", simulation.file},
          {"core", simulation.product},
          {"target", simulation.machine + ":" + simulation.variant},
          {"together_with", simulation.together_with},
          {"cycles", simulation.cycles},
          {"complete", simulation.complete},
          {"threads", simulation.threads},
          {"threads_at_once", simulation.threads_at_once},
          {"pipes", std::move(pipes)},
          {"thread_cycles",
           {{"resident", simulation.resident},
            {"executing", simulation.executing},
            {"waiting", waiting_json(simulation.waiting)}}},
          {"words", std::move(words)},
          {"slots", slots_json(simulation.slots)},
          {"counters", std::move(counters)},
          {"parameters", std::move(parameters)},
          {"notes", simulation.notes}};
}

}  // namespace

std::string function_table(std::span<const FunctionTime> functions) {
  const auto number = [](const std::optional<std::uint64_t>& value, std::string_view otherwise) {
    return value ? std::to_string(*value) : std::string(otherwise);
  };
  std::string text =
      fmt::format("{:>10}{:>11}{:>10}{:>11}{:>7}\n{:>10}{:>11}{:>10}{:>11}{:>7}  {}\n", "shortest", "longest",
                  "shortest", "longest", "", "instr.", "instr.", "cycles", "cycles", "loops", "function or packet");
  for (const FunctionTime& each : functions) {
    const std::string_view longest = each.shortest ? "unbounded" : "-";
    text += fmt::format("{:>10}{:>11}{:>10}{:>11}{:>7}  {}{}{}\n", number(each.shortest, "-"),
                        number(each.longest, longest), number(each.shortest_cycles, "-"),
                        number(each.longest_cycles, longest), each.loops, each.program, each.program.empty() ? "" : " ",
                        each.name);
  }
  return text;
}

std::string report(const Estimate& estimate) {
  std::string text = title(estimate.product, estimate.machine, estimate.variant) + ": " + estimate.file + "\n";
  if (!estimate.functions.empty())
    return text + counted(estimate.words, "word") + ", " + counted(estimate.instructions, "instruction") + "\n\n" +
           function_table(estimate.functions) + '\n' + lines(estimate.notes);
  text += fmt::format("registers: {} work, {} uniform ({})", estimate.work_registers, estimate.uniform_registers,
                      estimate.registers_announced ? "announced" : "counted in the code");
  text += estimate.most_threads != 0 ? "; " + counted(estimate.threads, "thread") + " a core\n" : "\n";
  const std::string size =
      estimate.bytes ? counted(estimate.bytes->total, "byte") : counted(estimate.quadwords, "quadword");
  text += fmt::format("{}, {}, {}, {}, {}:{} spills:fills\n\n", counted(estimate.words, estimate.word_name),
                      counted(estimate.instructions, "instruction"), size, counted(estimate.loops, "loop"),
                      estimate.spills, estimate.fills);
  text += fmt::format("{:<15}", std::string(estimate.word_name) + 's');
  for (const TimingPipe& pipe : estimate.pipes) text += fmt::format("{:>10}", pipe_title(pipe));
  text += "\n";
  const CodeBytes bytes = estimate.bytes.value_or(CodeBytes{});
  append_row(text, estimate, "shortest path", estimate.shortest, Row::shortest);
  append_bytes(text, bytes.shortest);
  append_row(text, estimate, "longest path", estimate.longest, Row::longest);
  append_bytes(text, bytes.longest);
  append_row(text, estimate, "whole program", estimate.total, Row::total);
  text += slot_lines(estimate.slots, estimate.words, estimate.word_name);
  if (!estimate.slots.empty())
    text += counted(estimate.moves, "move") + " among " + counted(estimate.instructions, "operation") + '\n';
  return text + lines(estimate.notes);
}

std::string report(const SimulationReport& simulation) {
  std::string text = title(simulation.product, simulation.machine, simulation.variant) + ": " + simulation.file + "\n";
  text += fmt::format("{} for {} ({:.2f} a thread){}\n", counted(simulation.cycles, "cycle"),
                      counted(simulation.threads, "thread"), ratio(simulation.cycles, simulation.threads),
                      simulation.complete ? "" : ", not finished");
  for (const std::string& other : simulation.together_with) text += "together with threads of " + other + '\n';
  text += fmt::format("occupancy: {:.1f} of {} on average\n\n", ratio(simulation.resident, simulation.cycles),
                      counted(simulation.threads_at_once, "thread"));

  text += fmt::format("{:<8}{:>12}{:>8}\n", "pipe", "words", "busy");
  for (std::size_t i = 0; i < simulation.pipes.size(); ++i)
    text += fmt::format("{:<8}{:>12}{:>7.1f}%\n", pipe_title(simulation.pipes[i]), simulation.use[i].words,
                        percent(simulation.use[i].issue_cycles, simulation.cycles * simulation.pipes[i].count));

  text += fmt::format("\nthread-cycles: {}\n", simulation.resident);
  text += fmt::format("{:>7.1f}%  executing\n", percent(simulation.executing, simulation.resident));
  for (const auto& [reason, cycles] : by_weight(simulation.waiting))
    text += fmt::format("{:>7.1f}%  {}: {}\n", percent(cycles, simulation.resident), info(reason).name,
                        info(reason).sentence);

  text += fmt::format("\n{:>10}{:>12}{:>12}{:>12}  {:<16}  {}\n", "word", "executions", "executing", "waiting",
                      "mostly", "text");
  for (const SimulationReport::WordUse& word : simulation.words) {
    const auto reasons = by_weight(word.waiting);
    std::uint64_t waiting = 0;
    for (const auto& [reason, cycles] : reasons) waiting += cycles;
    text += fmt::format("{:>10}{:>12}{:>12}{:>12}  {:<16}  {}\n", hexadecimal(word.address), word.executions,
                        word.executing, waiting, reasons.empty() ? "" : info(reasons.front().first).name, word.text);
  }

  std::uint64_t executed = 0;
  for (const SimulationReport::PipeUse& use : simulation.use) executed = std::max(executed, use.words);
  text += slot_lines(simulation.slots, executed);
  text += "\ncounters:";
  for (const auto& [counter, value] : simulation.counters) text += fmt::format(" {}={}", counter, value);
  text += "\nparameters:\n";
  for (const TimingParameter& parameter : simulation.parameters)
    text += fmt::format("  {} = {} ({})\n", parameter.name, parameter.value, name(parameter.status));
  return text + lines(simulation.notes);
}

std::string shader_db_line(const Estimate& estimate) {
  if (estimate.most_threads == 0)
    return fmt::format("{} inst, {} loops, {}:{} spills:fills\n",
                       estimate.functions.empty() ? estimate.words : estimate.instructions, estimate.loops,
                       estimate.spills, estimate.fills);
  const std::uint32_t quarters = std::max(1u, estimate.threads * 4 / estimate.most_threads);
  return fmt::format("{} inst, {} bundles, {} quadwords, {} registers, {} threads, {} loops, {}:{} spills:fills\n",
                     estimate.instructions, estimate.words, estimate.quadwords, estimate.work_registers, quarters,
                     estimate.loops, estimate.spills, estimate.fills);
}

std::string timing_json(std::span<const Estimate> estimates, std::span<const SimulationReport> simulations) {
  ordered_json shaders = ordered_json::array(), runs = ordered_json::array();
  for (const Estimate& estimate : estimates) shaders.push_back(shader_json(estimate));
  for (const SimulationReport& simulation : simulations) runs.push_back(simulation_json(simulation));
  const ordered_json document = {
      {"schema", "mobula/time"}, {"version", 1}, {"shaders", std::move(shaders)}, {"simulations", std::move(runs)}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string report(const ProgramTiming& timing) {
  return report(timing.estimate) + (timing.simulation ? '\n' + report(*timing.simulation) : "");
}

std::string parameter_table(std::span<const TimingParameter> parameters) {
  std::string text;
  for (const TimingParameter& row : parameters)
    text += fmt::format("{} = {} ({} to {})  {}  [{} {}]\n", row.name, row.value, row.minimum, row.maximum, row.summary,
                        name(row.status), row.source);
  return text;
}

std::string shader_db_entry(std::string_view file, Stage stage, const Estimate& estimate) {
  std::string stage_in_capitals(stage_name(stage));
  for (char& letter : stage_in_capitals) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return fmt::format("{} - MESA_SHADER_{} shader: {}", file, stage_in_capitals, shader_db_line(estimate));
}

std::string report(const MergeAdvice& advice) {
  std::string text;
  for (const GroupMerge& merge : advice.merges) {
    for (std::size_t i = 0; i < merge.offsets.size(); ++i)
      text += "- " + hexadecimal(merge.offsets[i]) + "  " + merge.before[i] + '\n';
    text += "+ " + merge.after + "\n  " + counted(merge.offsets.size(), "group is", "groups are") + " 1, " +
            counted(merge.bytes_before, "byte is", "bytes are") + " " + std::to_string(merge.bytes_after) + "\n\n";
  }
  if (advice.merges.empty()) text += "no neighbouring groups are known to merge; ";
  text += counted(advice.groups_before, "group becomes", "groups become") + " " + std::to_string(advice.groups) +
          "; the program has " + counted(advice.program.code.size(), "byte") + " then\n";
  if (advice.instances != 0)
    text += "executed by " + counted(advice.instances, "instance") + " on random inputs: both do the same\n";
  if (!advice.not_executed.empty()) text += "checked by the rules, not executed: " + advice.not_executed + '\n';
  return text;
}

}  // namespace mobula
