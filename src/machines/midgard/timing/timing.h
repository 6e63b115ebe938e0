// How long Midgard programs take (section 5 of the Midgard reference). See docs/timing.md.
#pragma once

#include "machines/midgard/spec/spec.h"
#include "mobula/lab/timing.h"

namespace mobula::midgard {

const TimingModel& timing_model();

/// Pipes of a core, in the order in which Estimate and SimulationReport count words.
enum class PipeIndex : std::uint8_t { arithmetic, load_store, texture };
inline constexpr std::size_t pipe_kinds = 3;
/// nullopt for a word that belongs to no pipe.
constexpr std::optional<PipeIndex> pipe_index(Pipe pipe) {
  switch (pipe) {
    case Pipe::alu:
      return PipeIndex::arithmetic;
    case Pipe::load_store:
      return PipeIndex::load_store;
    case Pipe::texture:
      return PipeIndex::texture;
    case Pipe::none:
      break;
  }
  return std::nullopt;
}
std::vector<TimingPipe> timing_pipes(std::uint32_t alu_pipes);

/// Of the register file, in the shares of threads with up to 4 work registers: up to 8 take two, more take four (5.1).
constexpr std::uint32_t share_of_registers(std::uint32_t work_registers) {
  return work_registers <= 4 ? 1 : work_registers <= 8 ? 2 : 4;
}
/// Threads a core holds, all of them with as many work registers.
constexpr std::uint32_t threads_with(std::uint32_t work_registers, std::uint32_t most_threads) {
  const std::uint32_t threads = most_threads / share_of_registers(work_registers);
  return threads == 0 ? 1 : threads;
}

/// Work and uniform registers of a program: as its interface announces them, else counted in the code (1.4).
struct RegisterUse {
  std::uint32_t work = 0, uniform = 0;
  bool announced = false;
};
RegisterUse register_use(const Program& program);

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request);
/// The threads of all programs in one barrel; without `paths`.
Result<std::vector<SimulationReport>> simulate_together(std::span<const Program> programs,
                                                        const SimulationRequest& request);

}  // namespace mobula::midgard
