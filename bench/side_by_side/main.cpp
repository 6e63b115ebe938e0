// Sample programs side by side with Mesa's llvmpipe, in one run: pixels a second of fragment shaders, vertices a second
// of Utgard GP programs, and groups a second of a Rogue loop, which has no peer. A table is printed; --json FILE also
// writes what scripts/performance-page makes a page of.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "../rogue_loop.h"
#include "cases.h"
#include "llvmpipe.h"
#include "measure.h"

namespace side_by_side {
namespace {

using Json = nlohmann::ordered_json;
using mobula::RunOptions;
using mobula::RunResult;

struct Options {
  std::vector<std::uint32_t> sides{256, 1024};
  std::vector<unsigned> threads{1, 2};
  std::vector<std::string> engines{"vector", "native"}, shaders;
  std::uint32_t vertices = 1u << 16;
  std::uint32_t groups = 100;
  unsigned milliseconds = 20;
  Effort effort;
  std::string json;
};

/// False if the library has no such engine.
bool choose_engine(const std::string& name, const std::string& folder, RunOptions& options) {
  if (name == "native") {
    options.native = mobula::NativeChoice::always;
    options.code_folder = folder;
    return mobula::has_native();
  }
  if (name == "reference") options.interpreter.engine = mobula::Engine::reference;
  return name == "vector" || name == "reference";
}

/// A folder that is removed with what is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "side_by_side.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("there is no place for files: " + name);
    folder_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::string& name() const { return folder_; }

 private:
  std::string folder_;
};

RunResult run_once(const Case& what, const RunOptions& options) {
  auto result = mobula::run_program(what.program, what.lifted, what.inputs, options);
  if (!result) throw std::runtime_error(what.name + ": " + mobula::render(result.error()));
  for (const auto& diagnostic : result->diagnostics)
    if (diagnostic.severity == mobula::Severity::error) throw std::runtime_error(what.name + ": " + diagnostic.message);
  return std::move(*result);
}

struct EngineRun {
  std::string name;
  RunOptions options;
};

/// The engines that can do the work, with options for them.
std::vector<EngineRun> engines_for(const Case& what, RunOptions options, const std::vector<std::string>& names,
                                   const std::string& folder) {
  std::vector<EngineRun> engines;
  for (const std::string& name : names) {
    RunOptions chosen = options;
    if (!choose_engine(name, folder, chosen)) continue;
    if (name == "native" && !run_once(what, chosen).native.is_used) continue;
    engines.push_back({name, chosen});
  }
  return engines;
}

Subject subject_of(const Case& what, const EngineRun& engine) {
  return {engine.name, [&] { run_once(what, engine.options); }};
}

struct Difference {
  unsigned largest = 0;
  std::size_t beyond_one_step = 0;  ///< pixels
};

Difference difference_of(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  Difference difference;
  for (std::size_t pixel = 0; pixel < a.size(); pixel += 4) {
    unsigned most = 0;
    for (std::size_t i = pixel; i < pixel + 4; ++i) most = std::max<unsigned>(most, std::abs(a[i] - b[i]));
    difference.largest = std::max(difference.largest, most);
    if (most > 1) ++difference.beyond_one_step;
  }
  return difference;
}

/// Millions a second by engine.
Json rates_of(const std::vector<Subject>& subjects, double items) {
  Json rates;
  for (const Subject& subject : subjects) rates[subject.name] = items / subject.seconds / 1e6;
  return rates;
}

std::string rates_text(const Json& rates) {
  const double peer = rates.value("llvmpipe", 0.0);
  std::string text;
  for (const auto& [name, value] : rates.items()) {
    const double rate = value;
    text += fmt::format("  {} {:.4g}", name, rate);
    if (name != "llvmpipe" && peer > 0) text += fmt::format(" ({:.3f})", rate / peer);
  }
  return text;
}

Json measure_picture(const Case& what, const Options& options, std::uint32_t side, unsigned threads,
                     const std::string& folder) {
  GlPicture picture(what.glsl, what.gl_inputs, side);
  std::vector<Subject> subjects{{"llvmpipe", [&] { picture.draw(); }}};
  RunOptions base;
  base.os_threads = threads;
  base.image = mobula::ImageSize{side, side};
  base.kept_colours = mobula::PictureColours::bytes;  // as llvmpipe has them
  const std::vector<EngineRun> engines = engines_for(what, base, options.engines, folder);
  for (const EngineRun& engine : engines) subjects.push_back(subject_of(what, engine));
  measure(subjects, options.effort, threads);

  std::vector<std::uint8_t> theirs, ours;
  std::vector<Subject> readers{{"llvmpipe", [&] { picture.read(theirs); }}};
  const RunResult result = run_once(what, engines.empty() ? base : engines.front().options);
  readers.push_back({"mobula", [&] { ours = mobula::to_rgba8(*result.image, mobula::ColourFormat::f32, threads); }});
  picture.clear();
  picture.draw();
  measure(readers, options.effort, threads);
  const Difference difference = difference_of(theirs, ours);
  const double pixels = static_cast<double>(side) * side;
  return {{"shader", what.name},
          {"side", side},
          {"threads", threads},
          {"rates", rates_of(subjects, pixels)},
          {"reading", rates_of(readers, pixels)},
          {"largest_difference", difference.largest},
          {"pixels_beyond_one_step", difference.beyond_one_step}};
}

/// The outputs of both sides but for the position, which Utgard GP's programs give in pixels.
double largest_difference(const std::vector<float>& theirs, const RunResult& ours,
                          const std::vector<std::uint32_t>& numbers) {
  double largest = 0;
  std::size_t at = 0;
  for (const mobula::ThreadResult& vertex : ours.threads)
    for (const std::uint32_t number : numbers) {
      const auto found = std::find_if(vertex.varyings.begin(), vertex.varyings.end(),
                                      [&](const auto& varying) { return varying.number == number; });
      if (found == vertex.varyings.end()) throw std::runtime_error("a vertex lacks an output");
      for (std::size_t i = 0; i < 4; ++i, ++at) {
        if ((found->stored >> i & 1) == 0) continue;
        const double mine = std::bit_cast<float>(found->value[i]), other = theirs.at(at);
        largest = std::max(largest, std::abs(mine - other) / std::max(1.0, std::abs(other)));
      }
    }
  return largest;
}

Json measure_vertices(const Case& what, const Options& options, unsigned threads, const std::string& folder) {
  std::vector<std::string> outputs;
  std::vector<std::uint32_t> numbers;
  for (const mobula::Variable& output : what.program.interface.outputs)
    if (output.name != "gl_Position") {
      outputs.push_back(output.name.substr(output.name.find(':') + 1));
      numbers.push_back(static_cast<std::uint32_t>(output.driver_location));
    }
  GlVertices vertices(what.glsl, what.gl_inputs, outputs, options.vertices);
  std::vector<Subject> subjects{{"llvmpipe", [&] { vertices.run(); }}};
  RunOptions base;
  base.os_threads = threads;
  const std::vector<EngineRun> engines = engines_for(what, base, options.engines, folder);
  for (const EngineRun& engine : engines) subjects.push_back(subject_of(what, engine));
  measure(subjects, options.effort, threads);
  return {{"program", what.name},
          {"vertices", options.vertices},
          {"threads", threads},
          {"rates", rates_of(subjects, options.vertices)},
          {"largest_relative_difference", largest_difference(vertices.read(), run_once(what, base), numbers)}};
}

Json measure_groups(const Options& options, std::uint32_t instances) {
  const mobula::Machine& machine = *mobula::find_machine("rogue");
  const auto program = machine.assemble({"loop", std::string(rogue_loop)}, {});
  const auto lifted = machine.lift(*program, {});
  mobula::Environment environment;
  mobula::Interpreter interpreter(*lifted, environment, {});
  const std::vector<mobula::Thread> threads(instances);
  double executed = 0;
  const auto go = [&] {
    for (std::uint32_t i = 0; i < options.groups; ++i) {
      interpreter.start(threads);
      interpreter.broadcast_u32(lifted->find_slot("vi0")->byte, 64);
      interpreter.broadcast_u32(lifted->find_slot("masked")->byte, 0);
      interpreter.run();
    }
    if (!interpreter.faults().empty()) throw std::runtime_error("the Rogue loop stops");
    executed = 0;
    for (const std::uint64_t count : interpreter.executions()) executed += static_cast<double>(count);
  };
  std::vector<Subject> subjects{{"vector", go}};
  measure(subjects, options.effort, 1);
  return {{"instances", instances}, {"rates", rates_of(subjects, executed * options.groups)}};
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

bool is_wanted(const Options& options, const std::string& name) {
  return options.shaders.empty() ||
         std::find(options.shaders.begin(), options.shaders.end(), name) != options.shaders.end();
}

/// Everything for one number of threads.
void measure_all(const Options& options, unsigned threads, Json& report) {
  const ScratchFolder folder;
  pin(threads);
  const Llvmpipe llvmpipe(threads);
  report["peer"] = llvmpipe.name();
  fmt::print("{} thread{}: pictures, Mpixel/s\n", threads, threads == 1 ? "" : "s");
  for (const std::uint32_t side : options.sides)
    for (const std::string& name : case_names("frag")) {
      if (!is_wanted(options, name)) continue;
      report["pictures"].push_back(measure_picture(picture_case(name), options, side, threads, folder.name()));
      const Json& row = report["pictures"].back();
      fmt::print("  {:<14} {:>5}{}  difference {} ({} pixels beyond 1)\n", name, side, rates_text(row["rates"]),
                 row["largest_difference"].get<unsigned>(), row["pixels_beyond_one_step"].get<std::size_t>());
      std::fflush(stdout);
    }
  fmt::print("{} thread{}: vertices of Utgard GP, million/s\n", threads, threads == 1 ? "" : "s");
  for (const std::string& name : case_names("vert")) {
    if (!is_wanted(options, name)) continue;
    report["vertices"].push_back(
        measure_vertices(vertex_case(name, options.vertices), options, threads, folder.name()));
    const Json& row = report["vertices"].back();
    fmt::print("  {:<14}{}  difference {:.2g}\n", name, rates_text(row["rates"]),
               row["largest_relative_difference"].get<double>());
  }
}

void measure_all_groups(const Options& options, Json& report) {
  fmt::print("1 thread: groups of a Rogue loop executed by an instance, million/s (llvmpipe has nothing like it)\n");
  pin(1);
  for (const std::uint32_t instances : {32u, 256u}) {
    report["groups"].push_back(measure_groups(options, instances));
    fmt::print("  {:>3} instances {}\n", instances, rates_text(report["groups"].back()["rates"]));
  }
}

int run(const Options& options) {
  Json report{{"processor", processor()}, {"build", BUILD}, {"repeats", options.effort.repeats}, {"chosen", "best"}};
  for (const unsigned threads : options.threads) measure_all(options, threads, report);
  if (options.groups != 0) measure_all_groups(options, report);
  if (!options.json.empty()) std::ofstream(options.json) << report.dump(1) << '\n';
  return 0;
}

}  // namespace
}  // namespace side_by_side

int main(int count, char** arguments) {
  using side_by_side::Options;
  Options options;
  CLI::App app("Sample programs side by side with Mesa's llvmpipe");
  app.add_option("--sides", options.sides, "pixels a side of the pictures; 4096 takes minutes")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of both sides")->delimiter(',')->capture_default_str();
  app.add_option("--engines", options.engines, "vector, native (where it is built), reference")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--shaders", options.shaders, "only these")->delimiter(',');
  app.add_option("--vertices", options.vertices, "vertices of each program")->capture_default_str();
  app.add_option("--groups", options.groups, "times that the Rogue loop is run for a sample; 0: not at all")
      ->capture_default_str();
  app.add_option("--repeats", options.effort.repeats, "samples, of which the best counts")->capture_default_str();
  app.add_option("--milliseconds", options.milliseconds, "least time of a sample")->capture_default_str();
  app.add_option("--json", options.json, "also writes the figures to this file");
  CLI11_PARSE(app, count, arguments);
  options.effort.least_seconds = options.milliseconds / 1e3;
  try {
    return side_by_side::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "side_by_side: {}\n", error.what());
    return 1;
  }
}
