// A program and another one, or the text it is made of, on the same random vertices.
#pragma once

#include <cstdint>

#include "machines/utgard_gp/schedule/expression.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::utgard_gp {

/// Runs both on `vertices` random inputs, special numbers among them, and compares every component of every varying
/// and which of them were written. Registers hold zeros at the start of some vertices and random numbers at that of the
/// others. Vertices that the first program does not finish are left out. Fails with GP304 on a difference.
Result<void> compare_runs(const Program& first, const Program& second, std::uint32_t vertices);

/// The same for what a text computes and the program made of it. All NaNs are equal: a product with 1 that has been
/// dropped keeps a NaN as it is.
Result<void> compare_evaluation(const Expressions& expressions, const Program& program, std::uint32_t vertices);

}  // namespace mobula::utgard_gp
