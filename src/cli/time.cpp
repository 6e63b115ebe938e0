#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
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
        const std::string name = setting.substr(0, equals);
        expect_first(parameters.emplace(name, value).second, "--param", name);
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

/// A Stop for parameters that the program's machine does not have.
void expect_parameters(const Program& program, const TimingParameters& chosen) {
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
  if (options.max_cycles == 0)
    throw usage_error("--max-cycles 0 leaves no cycle to simulate", "give at least 1, or leave it out");
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
                                    const TimingParameters& parameters, TimelineSink* timeline) {
  const firmware::Feed feed = load_feed(programs, options.feed, options.streams, options.memory);
  firmware::EmulatorOptions wanted = emulator_options(options.feed);
  wanted.costs = parameters;
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

SimulationRequest request_of(const TimeOptions& options, const TimingParameters& parameters, const ThreadPaths* paths,
                             TimelineSink* timeline) {
  SimulationRequest request;
  request.paths = paths;
  request.assumed = assumed_path(options.path);
  request.threads = options.feed.threads.value_or(0);
  request.parameters = parameters;
  if (options.max_cycles) request.max_cycles = *options.max_cycles;
  request.timeline = timeline;
  return request;
}

/// What is reported of all programs.
struct Timed {
  std::string text;
  std::vector<Estimate> estimates;
  std::vector<SimulationReport> simulations;
  bool faulted = false;

  void add(ProgramTiming timing) {
    text += report(timing);
    estimates.push_back(std::move(timing.estimate));
    if (timing.simulation) simulations.push_back(std::move(*timing.simulation));
  }
};

/// One that shares its core with no other.
void time_alone(const TimeOptions& options, const Program& program, const SimulationRequest& request, Timed& timed) {
  if (options.list_parameters) {
    timed.text += parameter_table(model_of(program).parameters(program.variant));
    return;
  }
  if (options.format == "shader-db") {
    timed.estimates.push_back(value_or_stop(model_of(program).estimate(program, request.parameters), program.file));
    timed.text += shader_db_entry(program.file, program.interface.stage, timed.estimates.back());
    return;
  }
  timed.add(value_or_stop(time_program(program, request), program.file));
}

}  // namespace

Exit time(const TimeOptions& options) {
  if (options.input.files.empty()) return list_parameters_of_machine(options);
  if (options.advise) return time_advise(options);
  chosen_among(report_format_names, "format", options.format);
  if (options.feed.threads == 0u)
    throw usage_error("--threads 0 leaves nothing to time", "give 1 or more, or leave it out");
  if (options.feed.threads > SimulationRequest::most_threads)
    throw usage_error("--threads " + std::to_string(*options.feed.threads) + " is too large",
                      "at most " + std::to_string(SimulationRequest::most_threads) + " are simulated");
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

  const TimingParameters parameters = chosen_parameters(options);
  const std::vector<InputOptions> inputs = one_by_one(options.input);
  if (inputs.size() != options.input.files.size() &&
      (!options.feed.inputs.empty() || views.wanted() || options.together))
    throw usage_error("inputs, timelines and --together are for one variant", "name it: --machine MACHINE:VARIANT");
  // Where each is timed for itself, those that cannot be are told, and the others are timed all the same.
  const bool apart = inputs.size() > 1 && !options.together && options.streams.empty();
  Attempts attempts(options.output, apart);
  const auto attempt = [&](const std::string& file, const std::function<void()>& act) {
    if (!apart) return act();
    attempts.attempt(file, act);
  };
  std::vector<Program> programs;
  programs.reserve(inputs.size());
  std::optional<ReadInputs> given;  // of one program
  for (const InputOptions& input : inputs) {
    const std::string& file = input.files.front();
    attempt(file, [&] {
      const std::vector<std::uint8_t> bytes = read_file(file);
      if (!options.feed.inputs.empty()) given = read_given(options.feed, input, file, bytes);
      programs.push_back(load_program(input, file, bytes));
    });
  }
  refuse_idle_simulation(options, programs, views.wanted());
  const bool of_one_file = options.input.files.size() == 1;  // in several variants, which have the same parameters
  if (!apart || of_one_file)
    for (const Program& program : programs) expect_parameters(program, parameters);
  const bool runs = given || !options.streams.empty();
  const bool may_trap = runs || options.keep_going || options.list_parameters;
  const auto expect = [&](const Program& program) {
    expect_within_limit(program);
    if (!may_trap) expect_executable(program, "mobula check says more; --keep-going times the program all the same");
  };
  TimelineFork fork(views.listeners());
  TimelineSink* timeline = views.wanted() ? &fork : nullptr;
  std::optional<firmware::TimedStreams> fed;
  if (!options.streams.empty()) {
    fed = time_streams(options, programs, parameters, timeline);
    timeline = nullptr;
  }

  Timed timed;
  timed.faulted = fed && has_errors(fed->diagnostics);
  if (options.together) {
    std::ranges::for_each(programs, expect);
    const SimulationRequest request = request_of(options, parameters, nullptr, timeline);
    for (ProgramTiming& timing : value_or_stop(time_together(programs, request), programs.front().file)) {
      if (!timed.text.empty()) timed.text += '\n';
      timed.add(std::move(timing));
    }
  }
  for (std::size_t i = 0; i < programs.size() && !options.together; ++i) {
    attempt(programs[i].file, [&] {
      expect_parameters(programs[i], parameters);
      expect(programs[i]);
      std::optional<ExecutedPaths> executed;
      if (!fed && given) {
        executed = run_paths(prepare(programs[i], options.feed, *given));
        timed.faulted = has_errors(executed->result.diagnostics);
      }
      const ThreadPaths* const ways = fed ? &fed->paths[i] : executed ? &executed->paths : nullptr;
      time_alone(options, programs[i], request_of(options, parameters, ways, timeline), timed);
    });
  }
  if (fed && fed->joint.cores().size() > 1) timed.text += firmware::report(fed->joint);
  timed.text += views.text();
  views.commit();
  const bool none = attempts.status() != Exit::done && timed.estimates.empty();
  if (!none && (options.format == "offline-compiler" || options.output.json)) {
    Json json = Json::parse(timing_json(timed.estimates, timed.simulations));
    if (fed) json["together"] = to_json(fed->joint);
    json["tool"] = {{"name", "mobula"}, {"version", MOBULA_VERSION}};
    timed.text = json.dump(options.output.json ? -1 : 2) + '\n';
  }
  attempts.write(timed.text);
  return std::max(attempts.status(), timed.faulted ? Exit::negative : Exit::done);
}

}  // namespace mobula::cli
