// Random programs for tests: mostly legal words, with function sequences, values forwarded from units that were active,
// registers and temporaries read too early (or not), loads and stores at address registers, and branches.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace mobula::utgard_gp {

struct RandomProgramOptions {
  unsigned words = 24;
  bool branches = false;
  bool temporaries = false;
  /// Partial results anywhere, so that they are misused; else only in whole sequences that no branch cuts.
  bool loose_sequences = false;
  /// Nothing is read before it arrives, nothing that is not there, and no result over a branch or join; such programs
  /// can be scheduled.
  bool patient = false;
};
std::vector<std::uint8_t> random_program(std::mt19937& random, const RandomProgramOptions& options);

}  // namespace mobula::utgard_gp
