// How many instructions firmware executes, and cycles by a user's costs (reference 5). docs/timing.md explains it.
#pragma once

#include <array>

#include "machines/afuc/views/flow.h"
#include "mobula/lab/timing.h"

namespace mobula::afuc {

const TimingModel& timing_model();

/// Cycles of each kind of instruction, as parameters give them.
class Costs {
 public:
  explicit Costs(std::span<const TimingParameter> parameters);
  /// Of one execution, or of one iteration; without an opcode, of a word that is not an instruction.
  [[nodiscard]] std::uint64_t of(const Opcode* opcode, std::uint32_t word) const;

 private:
  std::array<std::uint64_t, cost_count> by_cost_{};
  std::uint64_t memdata_ = 0, regdata_ = 0;
};

/// All functions of all programs of the image.
std::vector<FunctionTime> function_times(const Image& image, const Costs& costs);

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request);

}  // namespace mobula::afuc
