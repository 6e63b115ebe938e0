#include "mobula/lab/timing.h"

#include <algorithm>
#include <cmath>

#include "machines/variants.h"

namespace mobula {

double path_cycles(std::uint64_t words, const TimingPipe& pipe) {
  if (words == 0 || pipe.word_cycles == 0 || pipe.count == 0) return 0;
  const auto hundredths = static_cast<std::uint64_t>(std::lround(100.0 * pipe.word_cycles / pipe.count));
  return std::max(1.0, static_cast<double>(words * hundredths) / 100);
}

double total_cycles(std::uint64_t words, const TimingPipe& pipe) {
  return pipe.count == 0 ? 0 : static_cast<double>(words) * pipe.word_cycles / pipe.count;
}

Result<std::vector<TimingParameter>> with_timing_choices(std::vector<TimingParameter> defaults,
                                                         const TimingParameters& chosen) {
  Diagnostics errors;
  for (const auto& [chosen_name, value] : chosen) {
    const std::string& name = chosen_name;  // clang 14 captures no structured binding
    const auto row = std::find_if(defaults.begin(), defaults.end(),
                                  [&name](const TimingParameter& parameter) { return parameter.name == name; });
    if (row == defaults.end()) {
      std::string names;
      for (const TimingParameter& parameter : defaults) names.append(names.empty() ? "" : ", ").append(parameter.name);
      errors.push_back({Severity::error, "TM001", {}, "there is no timing parameter " + name, "there are " + names});
    } else if (value < row->minimum || value > row->maximum) {
      errors.push_back({Severity::error,
                        "TM002",
                        {},
                        "timing parameter " + name + " is " + std::to_string(value) + "; allowed are " +
                            std::to_string(row->minimum) + " to " + std::to_string(row->maximum),
                        ""});
    } else {
      row->value = value;
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return defaults;
}

std::uint64_t timing_parameter(std::span<const TimingParameter> parameters, std::string_view name) {
  const auto row = std::find_if(parameters.begin(), parameters.end(),
                                [name](const TimingParameter& parameter) { return parameter.name == name; });
  return row == parameters.end() ? 0 : row->value;
}

ThreadPaths::ThreadPaths(std::size_t limit) : limit_(limit), nodes_(1) {}

void ThreadPaths::step(std::span<const std::uint32_t> threads, std::uint64_t address) {
  // Threads that come together mostly have the same past: remember the last answer.
  if (threads.empty()) return;
  const auto [known, is_new] = numbers_.try_emplace(address, static_cast<std::uint32_t>(words_.size()));
  if (is_new) words_.push_back(address);
  std::uint32_t last_parent = 0, last_child = 0;
  for (const std::uint32_t thread : threads) {
    if (thread >= at_.size()) at_.resize(std::size_t{thread} + 1);
    const std::uint32_t parent = at_[thread];
    if (last_child == 0 || parent != last_parent) {
      last_parent = parent;
      last_child = child(parent, known->second);
    }
    at_[thread] = last_child;
  }
}

std::uint32_t ThreadPaths::child(std::uint32_t parent, std::uint32_t word) {
  std::uint32_t* link = &nodes_[parent].first_child;
  while (*link != 0) {
    if (nodes_[*link].word == word) return *link;
    link = &nodes_[*link].next_sibling;
  }
  if (nodes_.size() > limit_) {
    truncated_ = true;
    return parent;
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  *link = node;
  nodes_.push_back({.parent = parent, .word = word});
  return node;
}

InterpreterObserver ThreadPaths::observer(const ir::Program& program, std::uint32_t first_thread) {
  InterpreterObserver observer;
  observer.before = [this, &program, first_thread, threads = std::vector<std::uint32_t>()](
                        std::uint32_t block, std::span<const std::uint32_t> lanes) mutable {
    threads.clear();
    for (const std::uint32_t lane : lanes) threads.push_back(first_thread + lane);
    step(threads, program.blocks[block].address);
  };
  return observer;
}

std::vector<std::uint64_t> ThreadPaths::addresses(std::uint32_t path_id) const {
  std::vector<std::uint64_t> path;
  if (path_id >= nodes_.size()) return path;
  for (std::uint32_t node = path_id; node != 0; node = nodes_[node].parent) path.push_back(words_[nodes_[node].word]);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::uint64_t> ThreadPaths::all_addresses() const {
  std::vector<std::uint64_t> all;
  for (const auto& [address, _] : numbers_) all.push_back(address);
  return all;
}

Result<ExecutedPaths> executed_paths(const Program& program, const ir::Program& lifted, const RunInputs& inputs) {
  RunOptions options;
  options.outputs = false;
  auto run = Run::prepare(program, lifted, inputs, std::move(options));
  if (!run) return fail(std::move(run).error());
  ThreadPaths paths;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < run->batches() && !run->over_budget(); ++i) {
    Run::Batch batch = run->start(i);
    batch.interpreter().set_observer(paths.observer(lifted, first));
    batch.interpreter().run();
    first += batch.interpreter().lanes();
    run->finish(batch);
  }
  return ExecutedPaths{std::move(paths), run->result()};
}

Result<ProgramTiming> time_program(const Program& program, const SimulationRequest& request) {
  const TimingModel* model = find_timing_model(program.machine);
  if (model == nullptr) return fail(unknown_machine(program.machine));
  auto estimate = model->estimate(program, request.parameters);
  if (!estimate) return fail(std::move(estimate).error());
  ProgramTiming timing{.estimate = std::move(*estimate), .simulation = {}};
  auto simulation = model->simulate(program, request);
  if (simulation) {
    timing.simulation = std::move(*simulation);
    return timing;
  }
  const bool has_no_path = std::all_of(simulation.error().begin(), simulation.error().end(),
                                       [](const Diagnostic& error) { return error.code == "TM003"; });
  if (!has_no_path || request.timeline != nullptr) return fail(std::move(simulation).error());
  const Diagnostic& reason = simulation.error().front();
  timing.estimate.notes.push_back("nothing was simulated: " + reason.message +
                                  (reason.hint.empty() ? "" : "; " + reason.hint));
  return timing;
}

Result<std::vector<SimulationReport>> TimingModel::simulate_together(std::span<const Program>,
                                                                     const SimulationRequest&) const {
  return fail("TM008", "a core of " + std::string(machine()) + " runs one program at a time",
              "time the programs one by one");
}

Result<std::vector<ProgramTiming>> time_together(std::span<const Program> programs, const SimulationRequest& request) {
  std::vector<ProgramTiming> timings;
  for (const Program& program : programs) {
    if (program.machine != programs.front().machine)
      return fail("TM008", program.machine + " and " + programs.front().machine + " do not share a core");
    const TimingModel* model = find_timing_model(program.machine);
    if (model == nullptr) return fail(unknown_machine(program.machine));
    auto estimate = model->estimate(program, request.parameters);
    if (!estimate) return fail(std::move(estimate).error());
    timings.push_back({.estimate = std::move(*estimate), .simulation = {}});
  }
  if (programs.empty()) return timings;
  auto simulations = find_timing_model(programs.front().machine)->simulate_together(programs, request);
  if (!simulations) return fail(std::move(simulations).error());
  for (std::size_t i = 0; i < timings.size(); ++i) timings[i].simulation = std::move((*simulations)[i]);
  return timings;
}

}  // namespace mobula
