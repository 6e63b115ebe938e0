// What a simulation that is stopped has in common with the same one that is not. For the tests of timing models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "mobula/lab/timeline.h"
#include "mobula/lab/timing.h"

namespace mobula {

/// The cycles in which words are issued.
class Issues : public TimelineSink {
 public:
  void begin(const TimelineInfo&) override {}
  void on(const TimelineEvent& event) override {
    if (event.kind == EventKind::issue) cycles.push_back(event.cycle);
  }
  void end(std::uint64_t) override {}
  std::vector<std::uint64_t> cycles;
};

/// Of N cycles, the last is N - 1: in cycle N nothing is issued, but what ends then has ended. `simulated` takes a
/// request; the first `pipes` of its report are those that words of the timeline are issued to.
template <class Simulated>
void expect_limits_hold(const Simulated& simulated, SimulationRequest request, std::size_t pipes) {
  Issues whole;
  request.timeline = &whole;
  const std::uint64_t cycles = simulated(request).cycles;
  ASSERT_GT(cycles, 0u);
  for (request.max_cycles = 1; request.max_cycles <= cycles + 1; ++request.max_cycles) {
    const std::uint64_t limit = request.max_cycles;
    Issues issues;
    request.timeline = &issues;
    const SimulationReport report = simulated(request);
    EXPECT_EQ(report.complete, limit >= cycles) << limit;
    EXPECT_EQ(report.cycles, std::min(limit, cycles));
    const auto end = std::lower_bound(whole.cycles.begin(), whole.cycles.end(), limit);
    EXPECT_EQ(issues.cycles, std::vector(whole.cycles.begin(), end)) << limit;
    const auto words = std::accumulate(report.use.begin(), report.use.begin() + static_cast<std::ptrdiff_t>(pipes),
                                       std::uint64_t{0}, [](auto sum, const auto& use) { return sum + use.words; });
    EXPECT_EQ(words, issues.cycles.size()) << limit;
  }
}

}  // namespace mobula
