#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/input.h"
#include "cli/output.h"
#include "cli/run_input.h"
#include "cli/terminal.h"
#include "cli/time_firmware.h"
#include "mobula/timing.h"

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
  const Json table = Json::parse(as_text(bytes), nullptr, false);
  const auto wrong = [&](const std::string& what) {
    return Stop{
        Exit::usage,
        {{Severity::error,
          "TM006",
          {.file = options.costs},
          what,
          R"(costs are a JSON object of whole numbers, such as {"load_cycles": 40}; --params lists the names)"}}};
  };
  if (!table.is_object()) throw wrong("this is no JSON object");
  for (const auto& [name, value] : table.items()) {
    if (!value.is_number_unsigned()) throw wrong('"' + name + "\" is no whole number");
    parameters.emplace(name, value.get<std::uint64_t>());
  }
  return parameters;
}

const TimingModel& model_of(const Program& program) {
  const TimingModel* model = find_timing_model(program.machine);
  if (model == nullptr)
    throw Stop{
        Exit::negative,
        located({{Severity::error, "", {}, "there is no timing model of " + program.machine, ""}}, program.file)};
  return *model;
}

/// The files that events are written to while a simulation goes on.
class Views {
 public:
  explicit Views(const TimeOptions& options) {
    if (options.timeline) sinks_.push_back(text_timeline([this](std::string_view piece) { text_ += piece; }));
    add(options.timeline_json, json_timeline);
    add(options.konata, konata_timeline);
    add(options.perfetto, perfetto_timeline);
    for (const auto& sink : sinks_) listeners_.push_back(sink.get());
  }
  [[nodiscard]] bool wanted() const { return !sinks_.empty(); }
  [[nodiscard]] std::vector<TimelineSink*> listeners() const { return listeners_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  void commit() {
    for (const auto& output : outputs_) output->commit();
  }

 private:
  void add(const std::string& file, std::unique_ptr<TimelineSink> (*make)(TimelineOutput)) {
    if (file.empty()) return;
    Output* output = outputs_.emplace_back(std::make_unique<Output>(file)).get();
    sinks_.push_back(make([output](std::string_view piece) { output->write(piece); }));
  }

  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::unique_ptr<TimelineSink>> sinks_;
  std::vector<TimelineSink*> listeners_;
  std::string text_;
};

/// The ways the threads of a run take.
ThreadPaths run_paths(const Prepared& prepared) {
  ThreadPaths paths;
  Run run = value_or_stop(Run::prepare(prepared.program, prepared.lifted, prepared.inputs, {}), prepared.program.file);
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < run.batches(); ++i) {
    Run::Batch batch = run.start(i);
    batch.interpreter().set_observer(paths.observer(prepared.lifted, first));
    batch.interpreter().run();
    first += batch.interpreter().lanes();
    run.finish(batch);
  }
  const RunResult result = run.result();
  print(located(result.diagnostics, prepared.program.file));
  return paths;
}

/// What firmware executes for the streams, by program; empty if there are none.
std::vector<ThreadPaths> firmware_paths(const TimeOptions& options, const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    const bool firmware = has(program.machine, Ability::firmware);
    if (firmware && !options.feed.inputs.empty())
      throw usage_error("--inputs is for programs of shader cores", "firmware takes --stream and --memory");
    if (!firmware && (!options.streams.empty() || !options.memory.empty()))
      throw usage_error("--stream and --memory are for firmware", "programs of shader cores take --inputs");
  }
  return options.streams.empty() ? std::vector<ThreadPaths>{} : run_streams(options, programs);
}

AssumedPath assumed_path(const std::string& name) {
  if (name == "shortest") return AssumedPath::shortest;
  if (name == "longest") return AssumedPath::longest;
  throw usage_error("unknown path \"" + name + "\"", "one of shortest, longest");
}

/// TM003: no way leads through the program. Then the estimate is all there is to say.
bool has_no_path(const Diagnostics& errors) {
  return std::ranges::all_of(errors, [](const Diagnostic& error) { return error.code == "TM003"; });
}

Result<SimulationReport> simulate(const TimeOptions& options, const Program& program, const ThreadPaths* paths,
                                  TimelineSink* timeline) {
  SimulationRequest request;
  request.paths = paths;
  request.assumed = assumed_path(options.path);
  request.threads = options.feed.threads.value_or(0);
  request.parameters = chosen_parameters(options);
  request.max_cycles = options.max_cycles;
  request.timeline = timeline;
  return model_of(program).simulate(program, request);
}

/// As Mesa prints it, so that the scripts of shader-db read the line.
std::string stage_name(Stage stage) {
  constexpr std::array<const char*, 4> names{"UNKNOWN", "VERTEX", "FRAGMENT", "COMPUTE"};
  return std::string("MESA_SHADER_") + names[static_cast<std::size_t>(stage)];
}

std::string parameter_list(const Program& program) {
  std::string text;
  for (const TimingParameter& row : model_of(program).parameters(program.variant))
    text += std::string(row.name) + " = " + std::to_string(row.value) + " (" + std::to_string(row.minimum) + " to " +
            std::to_string(row.maximum) + ")  " + std::string(row.summary) + "  [" + std::string(name(row.status)) +
            ' ' + std::string(row.source) + "]\n";
  return text;
}

}  // namespace

Exit time(const TimeOptions& options) {
  if (options.advise) return time_advise(options);
  if (options.format != "text" && options.format != "shader-db" && options.format != "malioc")
    throw usage_error("unknown format \"" + options.format + "\"", "one of text, shader-db, malioc");
  Views views(options);
  const bool together = options.input.files.size() > 1;
  if (together && (views.wanted() || !options.feed.inputs.empty()))
    throw usage_error("inputs and timelines are those of one program", "give one FILE");

  std::vector<Program> programs;
  for (const std::string& file : options.input.files) programs.push_back(load_program(options.input, file));
  std::vector<ThreadPaths> fed;  // by program; empty without streams
  if (!options.list_parameters && options.format != "shader-db") fed = firmware_paths(options, programs);

  std::string text;
  std::vector<Estimate> estimates;
  std::vector<SimulationReport> simulations;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program& program = programs[i];
    const std::string& file = options.input.files[i];
    if (options.list_parameters) {
      text += parameter_list(program);
      continue;
    }
    estimates.push_back(value_or_stop(model_of(program).estimate(program, chosen_parameters(options)), file));
    if (options.format == "shader-db") {
      text += file + " - " + stage_name(program.interface.stage) + " shader: " + shader_db_line(estimates.back());
      continue;
    }
    std::optional<ThreadPaths> paths;
    if (!fed.empty()) {
      paths = std::move(fed[i]);
    } else if (!options.feed.inputs.empty()) {
      paths = run_paths(prepare(options.input, options.feed));
    }
    TimelineFork fork(views.listeners());
    auto simulation = simulate(options, program, paths ? &*paths : nullptr, views.wanted() ? &fork : nullptr);
    if (!simulation && !views.wanted() && has_no_path(simulation.error())) {
      const Diagnostic& reason = simulation.error().front();
      estimates.back().notes.push_back("nothing was simulated: " + reason.message +
                                       (reason.hint.empty() ? "" : "; " + reason.hint));
      text += report(estimates.back());
      continue;
    }
    simulations.push_back(value_or_stop(std::move(simulation), file));
    text += report(estimates.back()) + '\n' + report(simulations.back()) + views.text();
  }
  views.commit();
  if (options.format == "malioc" || options.output.json) {
    Json json = Json::parse(timing_json(estimates, simulations));
    json["tool"] = {{"name", "mobula"}, {"version", MOBULA_VERSION}};
    text = json.dump(options.output.json ? -1 : 2) + '\n';
  }
  write_output(options.output.file, text);
  return Exit::done;
}

}  // namespace mobula::cli
