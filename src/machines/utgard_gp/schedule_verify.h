// Two programs on the same random vertices.
#pragma once

#include <cstdint>

#include "mobula/program.h"
#include "mobula/result.h"

namespace mobula::utgard_gp {

/// Runs both on `vertices` random inputs, special numbers among them, and compares every component of every varying
/// and which of them were written. Vertices that the first program does not finish are left out.
/// Fails with GP304 on a difference.
Result<void> compare_runs(const Program& first, const Program& second, std::uint32_t vertices);

}  // namespace mobula::utgard_gp
