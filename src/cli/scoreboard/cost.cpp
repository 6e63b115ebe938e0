#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/input/input.h"
#include "cli/scoreboard/input.h"
#include "cli/terminal/output.h"
#include "mobula/scoreboard/power.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

Json to_json(const sb::Structure& structure) {
  Json json{{"name", structure.name},
            {"cells", structure.cells},
            {"latches", structure.latches},
            {"transistors", structure.transistors}};
  if (!structure.basis.empty()) json["basis"] = structure.basis;
  return json;
}

Json to_json(const sb::Cost& cost) {
  Json structures = Json::array(), lines = Json::array(), trees = Json::array(), loop = Json::array();
  for (const sb::Structure& structure : cost.structures) structures.push_back(to_json(structure));
  for (const sb::Line& line : cost.lines)
    lines.push_back({{"name", line.name}, {"wires", line.wires}, {"fan_out", line.fan_out}, {"levels", line.levels}});
  for (const sb::Tree& tree : cost.trees)
    trees.push_back({{"name", tree.name}, {"count", tree.count}, {"fan_in", tree.fan_in}, {"levels", tree.levels}});
  for (const sb::Step& step : cost.loop) loop.push_back({{"name", step.name}, {"levels", step.levels}});
  return {{"config", cost.config},
          {"sources", cost.hardware.sources},
          {"destinations", cost.hardware.destinations},
          {"units", cost.units},
          {"registers", cost.registers},
          {"columns", cost.columns},
          {"structures", std::move(structures)},
          {"total", to_json(cost.total())},
          {"lines", std::move(lines)},
          {"trees", std::move(trees)},
          {"crossbars", {{"transistors", cost.crossbars.transistors}, {"of_bytes", cost.crossbars.of_bytes}}},
          {"critical_loop", std::move(loop)},
          {"critical_levels", cost.levels()}};
}

sb::Energies parse_energies(const std::vector<std::string>& settings) {
  sb::Energies energies;
  std::set<std::string> names;
  for (const std::string& setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string name = setting.substr(0, equals);
    double* target = name == "load"        ? &energies.load
                     : name == "clock_pin" ? &energies.clock_pin
                     : name == "cache"     ? &energies.cache
                     : name == "megahertz" ? &energies.megahertz
                                           : nullptr;
    const char* end = setting.data() + setting.size();
    const char* begin = equals == setting.size() ? end : setting.data() + equals + 1;
    double value = 0;
    const auto parsed = std::from_chars(begin, end, value);
    if (target == nullptr || parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0 && value <= 1e9))
      throw usage_error("--energy " + setting + " is not an energy",
                        "load=0.6, clock_pin=0.4, cache=10000 (fJ) or megahertz=800");
    expect_first(names.insert(name).second, "--energy", name);
    *target = value;
  }
  return energies;
}

sb::Activity activity_of(const sb::Config& config, const sb::Hardware& hardware, const std::string& program,
                         std::uint32_t spill_to) {
  const sb::Workload workload = load_workload(program, {.spill_to = spill_to});
  sb::PowerProxy proxy(config, hardware);
  sb::RunOptions run;
  run.observer = [&](const sb::View& view) { proxy.on(view); };
  const sb::RunResult result = value_or_stop(sb::run(config, workload, run), program);
  sb::Activity activity = proxy.activity();
  activity.cache_accesses = sb::cache_accesses(workload, result);
  return activity;
}

Json to_json(const sb::Activity& activity, const sb::Energies& energies) {
  Json lines = Json::array();
  for (const sb::ToggledLine& line : activity.lines)
    lines.push_back({{"name", line.name}, {"toggles", line.toggles}, {"loads", line.loads}});
  return {{"clocks", activity.clocks},
          {"lines", std::move(lines)},
          {"clock_pins", activity.clock_pins},
          {"cache_accesses", activity.cache_accesses},
          {"energies",
           {{"load", energies.load},
            {"clock_pin", energies.clock_pin},
            {"cache", energies.cache},
            {"megahertz", energies.megahertz}}},
          {"watts", sb::watts(activity, energies)},
          {"uncertainty_factor", sb::energy_uncertainty},
          {"budget_watts", sb::chip_budget_watts}};
}

}  // namespace

Exit scoreboard_cost(const ScoreboardCostOptions& options) {
  const sb::Config config = load_config(options.hardware.preset, options.hardware.config);
  const sb::Hardware hardware = hardware_of(options.hardware);
  const sb::Cost cost = value_or_stop(sb::cost(config, hardware), config.name, Exit::usage);
  const sb::Energies energies = parse_energies(options.energies);
  Json json = to_json(cost);
  std::string text = report(cost);
  if (!options.program.empty()) {
    const sb::Activity activity = activity_of(config, hardware, options.program, options.spill_to);
    json["power"] = to_json(activity, energies);
    text += report(activity, energies);
  }
  write_output(options.output.file, options.output.json ? envelope("scoreboard-cost", nullptr, std::move(json)) : text);
  return Exit::done;
}

}  // namespace mobula::cli
