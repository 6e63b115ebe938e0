#include "timing/simulation.h"
#include "core/counted.h"

#include <numeric>

namespace mobula {

std::uint32_t threads_to_simulate(const SimulationRequest& request, std::uint32_t otherwise) {
  if (request.paths != nullptr) return request.paths->threads();
  return request.threads != 0 ? request.threads : otherwise;
}

TimelineInfo timeline_info(const SimulationReport& report) {
  TimelineInfo info{.machine = report.machine + ":" + report.variant, .units = {}, .words = {}, .threads = {}};
  for (const TimingPipe& pipe : report.pipes) info.units.emplace_back(pipe.name);
  for (const SimulationReport::WordUse& word : report.words) info.words.push_back({word.address, word.text});
  return info;
}

void finish(SimulationReport& report, const SimulationRequest& request, std::vector<TimingParameter> parameters) {
  report.resident = std::accumulate(report.waiting.begin(), report.waiting.end(), report.executing);
  std::erase_if(report.words, [](const SimulationReport::WordUse& word) {
    return word.executions == 0 && word.waiting == WaitingCycles{};
  });
  if (!report.complete) report.notes.push_back("Stopped at the limit of " + counted(request.max_cycles, "cycle") + ".");
  report.parameters = std::move(parameters);
}

}  // namespace mobula
