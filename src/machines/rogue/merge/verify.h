// Two programs on the same random inputs: do they do the same?
#pragma once

#include <cstdint>
#include <string>

#include "mobula/isa/program.h"

namespace mobula::rogue {

struct Comparison {
  std::uint32_t instances = 0;  ///< that ran both programs to their ends and did the same
  std::string difference;       ///< the first one; empty = none was seen
  std::string obstacle;         ///< why no instance could be compared; empty = some could
};

/// Runs so many tasks of 32 instances: registers, memory and texels are random, some like small integers, some like
/// floats, some any bits. Compared are vertex outputs, stores, pixels, and at the end the registers that outlive an
/// instance. Instances that do not end within some thousand groups, or fault, say nothing.
Comparison compare(const Program& first, const Program& second, std::uint32_t tasks);

}  // namespace mobula::rogue
