// Timing.
#include "handles.h"

using namespace mobula;

struct mobula_timing {
  ProgramTiming timing;
};

mobula_status mobula_time(const mobula_program* program, const mobula_timing_options* options, mobula_timing** timing,
                          mobula_diagnostics** diagnostics) {
  if (program == nullptr || c::lack_size(options)) return c::misused(timing, diagnostics);
  return c::making(timing, diagnostics, [&]() -> Result<std::unique_ptr<mobula_timing>> {
    const mobula_timing_options chosen = c::read(options);
    SimulationRequest request;
    request.threads = chosen.threads;
    if (chosen.max_cycles != 0) request.max_cycles = chosen.max_cycles;
    if (chosen.costs != nullptr) {
      auto costs = read_costs({"costs", chosen.costs});
      if (!costs) return fail(std::move(costs).error());
      request.parameters = *std::move(costs);
    }
    auto timed = time_program(program->program, request);
    if (!timed) return fail(std::move(timed).error());
    return std::make_unique<mobula_timing>(mobula_timing{*std::move(timed)});
  });
}

mobula_status mobula_timing_estimate(const mobula_timing* timing, mobula_estimate* estimate) {
  if (timing == nullptr) return MOBULA_BAD_ARGUMENT;
  const Estimate& known = timing->timing.estimate;
  return c::give({.size = 0,
                  .words = known.words,
                  .instructions = known.instructions,
                  .quadwords = known.quadwords,
                  .loops = known.loops,
                  .spills = known.spills,
                  .fills = known.fills,
                  .work_registers = known.work_registers,
                  .uniform_registers = known.uniform_registers,
                  .threads = known.threads,
                  .most_threads = known.most_threads},
                 estimate);
}

mobula_status mobula_timing_simulation(const mobula_timing* timing, mobula_simulation* simulation) {
  if (timing == nullptr) return MOBULA_BAD_ARGUMENT;
  if (!timing->timing.simulation) return MOBULA_ERROR;
  const SimulationReport& known = *timing->timing.simulation;
  return c::give({.size = 0,
                  .cycles = known.cycles,
                  .complete = known.complete,
                  .threads = known.threads,
                  .threads_at_once = known.threads_at_once,
                  .resident = known.resident,
                  .executing = known.executing},
                 simulation);
}

mobula_status mobula_timing_json(const mobula_timing* timing, mobula_buffer** json, mobula_diagnostics** diagnostics) {
  if (timing == nullptr) return c::misused(json, diagnostics);
  return c::making(json, diagnostics, [&] {
    const auto& [estimate, simulation] = timing->timing;
    std::vector<SimulationReport> simulations;
    if (simulation) simulations.push_back(*simulation);
    return c::buffer_of(timing_json({&estimate, 1}, simulations));
  });
}

mobula_status mobula_timing_report(const mobula_timing* timing, mobula_buffer** text,
                                   mobula_diagnostics** diagnostics) {
  if (timing == nullptr) return c::misused(text, diagnostics);
  return c::making(text, diagnostics, [&] { return c::buffer_of(report(timing->timing)); });
}

void mobula_timing_free(mobula_timing* timing) { delete timing; }
