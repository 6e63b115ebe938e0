// How long programs of Utgard GP take (reference 10). The model is explained in docs/timing.md.
#pragma once

#include "machines/utgard_gp/spec/codec.h"
#include "mobula/lab/timing.h"
#include "timing/paths.h"

namespace mobula::utgard_gp {

const TimingModel& timing_model();

/// The three units a vertex passes, in the order of Estimate::pipes.
enum class Stop : std::uint8_t { loader, shader, storer };
inline constexpr std::size_t stop_count = 3;

/// The words of the whole program; trailing bytes that fill none are left out.
std::vector<Word128> words_of(const Program& program);

/// Attributes a program loads and varyings it stores, each counted once.
struct VertexTraffic {
  std::uint32_t attributes = 0, varyings = 0;
};
VertexTraffic traffic_of(std::span<const Word128> words);

/// Node i is word i. A program ends after its last word and where a branch leaves it.
PathGraph find_paths(std::span<const Word128> words);

/// The pipes with the cycles that parameters give their words.
std::vector<TimingPipe> timing_pipes(std::span<const TimingParameter> parameters);

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request);

}  // namespace mobula::utgard_gp
