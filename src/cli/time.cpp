#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/run/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/timeline_files.h"
#include "mobula/lab/firmware_report.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {
namespace {

TimingParameters parse_parameters(const std::vector<std::string>& settings) {
  TimingParameters parameters;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const char* const end = setting.data() + setting.size();
    std::uint64_t value = 0;
    if (equals != std::string::npos) {
      const auto parsed = std::from_chars(setting.data() + equals + 1, end, value);
      if (parsed.ec == std::errc() && parsed.ptr == end) {
        parameters[setting.substr(0, equals)] = value;
        continue;
      }
    }
    throw usage_error("parameter \"" + setting + "\" has no number", "write --param name=number; --params lists them");
  }
  return parameters;
}

/// Those of --costs, and of --param, which win.
TimingParameters chosen_parameters(const TimeOptions& options) {
  TimingParameters parameters = parse_parameters(options.parameters);
  if (options.costs.empty()) return parameters;
  const std::vector<std::uint8_t> bytes = read_file(options.costs);
  parameters.merge(value_or_stop(read_costs({options.costs, as_text(bytes)}), options.costs, Exit::usage));
  return parameters;
}

const TimingModel& model_of(const Program& program) {
  const TimingModel* model = find_timing_model(program.machine);
  if (model == nullptr)
    throw Stop{
        Exit::negative,
        located({{Severity::error, "", {}, "there is no timing model for " + program.machine, ""}}, program.file)};
  return *model;
}

/// Those of the machine that is named.
Exit list_parameters_of_machine(const TimeOptions& options) {
  if (!options.list_parameters) throw usage_error("FILE is required", "mobula time --help");
  const MachineChoice choice = choose_machine(options.input.machine);
  const TimingModel* const model = find_timing_model(choice.machine->name());
  if (model == nullptr) throw usage_error("there is no timing model for " + std::string(choice.machine->name()));
  write_output(options.output.file, parameter_table(model->parameters(choice.variant)));
  return Exit::done;
}

/// A Stop for parameters that a program's machine does not have.
void expect_parameters(const std::vector<Program>& programs, const TimingParameters& chosen) {
  for (const Program& program : programs)
    value_or_stop(with_timing_choices(model_of(program).parameters(program.variant), chosen), "mobula", Exit::usage);
}

/// The ways the threads of a run take, and what the run found wrong.
ExecutedPaths run_paths(const Prepared& prepared) {
  const auto& [program, lifted, inputs] = prepared;
  ExecutedPaths executed = value_or_stop(executed_paths(program, lifted, inputs), program.file);
  print(located(executed.result.diagnostics, program.file));
  return executed;
}

/// What a simulation takes or shows has nothing to act on where firmware gets no stream.
void refuse_idle_simulation(const TimeOptions& options, const std::vector<Program>& programs, bool views) {
  const bool firmware = std::ranges::any_of(
      programs, [](const Program& program) { return has_ability(program.machine, Ability::firmware); });
  if (firmware && options.streams.empty() && (options.max_cycles || views))
    throw usage_error("--max-cycles and timelines are for what is simulated", "give firmware a --stream");
}

Json to_json(const firmware::JointTiming& timing) {
  Json cores = Json::array();
  for (const firmware::JointTiming::Core& core : timing.cores())
    cores.push_back({{"name", core.name},
                     {"instructions", core.instructions},
                     {"executing", core.executing},
                     {"waiting_for_words", core.waiting_for_words},
                     {"waiting_for_room", core.waiting_for_room},
                     {"last", core.last}});
  return {{"cycles", timing.cycles()}, {"complete", timing.complete()}, {"cores", std::move(cores)}};
}

firmware::TimedStreams time_streams(const TimeOptions& options, const std::vector<Program>& programs,
                                    TimelineSink* timeline) {
  const firmware::Feed feed = load_feed(programs, options.feed, options.streams, options.memory);
  firmware::EmulatorOptions wanted = emulator_options(options.feed);
  wanted.costs = chosen_parameters(options);
  auto timed = value_or_stop(firmware::time_streams(programs, feed, std::move(wanted), timeline,
                                                    options.max_cycles.value_or(SimulationRequest{}.max_cycles)),
                             programs.front().file);
  print(timed.diagnostics);
  return timed;
}

AssumedPath assumed_path(const std::string& name) {
  constexpr std::array<AssumedPath, path_names.size()> paths{AssumedPath::shortest, AssumedPath::longest};
  return paths[chosen_among(path_names, "path", name)];
}

SimulationRequest request_of(const TimeOptions& options, const ThreadPaths* paths, TimelineSink* timeline) {
  SimulationRequest request;
  request.paths = paths;
  request.assumed = assumed_path(options.path);
  request.threads = options.feed.threads.value_or(0);
  request.parameters = chosen_parameters(options);
  if (options.max_cycles) request.max_cycles = *options.max_cycles;
  request.timeline = timeline;
  return request;
}

}  // namespace

Exit time(const TimeOptions& options) {
  if (options.input.files.empty()) return list_parameters_of_machine(options);
  if (options.advise) return time_advise(options);
  chosen_among(report_format_names, "format", options.format);
  if (options.feed.threads == 0u)
    throw usage_error("--threads 0 leaves nothing to time", "give 1 or more, or leave it out");
  expect_distinct(
      {{"--timeline-json", options.timeline_json}, {"--konata", options.konata}, {"--perfetto", options.perfetto}},
      options.input.files, options.output.file);
  TimelineFiles views(options);
  const bool several = options.input.files.size() > 1;
  if (several && (!options.feed.inputs.empty() || (views.wanted() && !options.together && options.streams.empty())))
    throw usage_error("inputs and timelines are those of one program",
                      "give one FILE; or firmware that runs together, and --stream");
  if (options.together && !several)
    throw usage_error("--together times threads of several programs on one core", "give several FILEs");

  const std::vector<InputOptions> inputs = one_by_one(options.input);
  if (inputs.size() != options.input.files.size() &&
      (!options.feed.inputs.empty() || views.wanted() || options.together))
    throw usage_error("inputs, timelines and --together are for one variant", "name it: --machine MACHINE:VARIANT");
  std::vector<Program> programs;
  programs.reserve(inputs.size());
  for (const InputOptions& input : inputs) programs.push_back(load_program(input, input.files.front()));
  refuse_idle_simulation(options, programs, views.wanted());
  expect_parameters(programs, chosen_parameters(options));
  const bool runs = !options.feed.inputs.empty() || !options.streams.empty();
  if (!runs && !options.keep_going && !options.list_parameters)
    for (const Program& program : programs)
      expect_executable(program, "mobula check says more; --keep-going times the program all the same");
  TimelineFork fork(views.listeners());
  TimelineSink* timeline = views.wanted() ? &fork : nullptr;
  std::optional<firmware::TimedStreams> fed;
  if (!options.streams.empty()) {
    fed = time_streams(options, programs, timeline);
    timeline = nullptr;
  }

  Exit status = Exit::done;
  std::string text;
  std::vector<Estimate> estimates;
  std::vector<SimulationReport> simulations;
  const auto add = [&](ProgramTiming timing) {
    estimates.push_back(std::move(timing.estimate));
    if (timing.simulation) simulations.push_back(std::move(*timing.simulation));
  };
  if (options.together) {
    const SimulationRequest request = request_of(options, nullptr, timeline);
    for (ProgramTiming& timing : value_or_stop(time_together(programs, request), programs.front().file)) {
      text += (text.empty() ? "" : "\n") + report(timing);
      add(std::move(timing));
    }
  }
  for (std::size_t i = 0; i < programs.size() && !options.together; ++i) {
    const Program& program = programs[i];
    const std::string& file = program.file;
    if (options.list_parameters) {
      text += parameter_table(model_of(program).parameters(program.variant));
      continue;
    }
    if (options.format == "shader-db") {
      estimates.push_back(value_or_stop(model_of(program).estimate(program, chosen_parameters(options)), file));
      text += shader_db_entry(file, program.interface.stage, estimates.back());
      continue;
    }
    std::optional<ThreadPaths> paths;
    if (fed) {
      paths = std::move(fed->paths[i]);
    } else if (!options.feed.inputs.empty()) {
      ExecutedPaths executed = run_paths(prepare(inputs[i], options.feed));
      if (has_errors(executed.result.diagnostics)) status = Exit::negative;
      paths = std::move(executed.paths);
    }
    const SimulationRequest request = request_of(options, paths ? &*paths : nullptr, timeline);
    ProgramTiming timing = value_or_stop(time_program(program, request), file);
    text += report(timing);
    add(std::move(timing));
  }
  if (fed && fed->joint.cores().size() > 1) text += firmware::report(fed->joint);
  text += views.text();
  views.commit();
  if (options.format == "offline-compiler" || options.output.json) {
    Json json = Json::parse(timing_json(estimates, simulations));
    if (fed) json["together"] = to_json(fed->joint);
    json["tool"] = {{"name", "mobula"}, {"version", MOBULA_VERSION}};
    text = json.dump(options.output.json ? -1 : 2) + '\n';
  }
  write_output(options.output.file, text);
  return status;
}

}  // namespace mobula::cli
