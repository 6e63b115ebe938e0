// Random legal programs, made from the tables, for property tests.
#pragma once

#include <cstdint>

#include "mobula/isa/program.h"

namespace mobula::midgard {

struct GenerateOptions {
  std::uint64_t seed = 0;
  std::uint32_t bundles = 16;  ///< before the fragment epilogue of two bundles
  bool branches = true;        ///< forward branches on comparisons
  bool memory = true;          ///< varying and uniform buffer loads
};

/// A fragment program for `variant` that check() finds no error in: every kind of ALU word over all units, opcodes,
/// lane widths, modifiers, swizzles and constants, loads, forward branches, and a writeout at the end. The same options
/// give the same program. Operations whose semantics are unknown are left out.
Program generate(std::string_view variant, const GenerateOptions& options);

}  // namespace mobula::midgard
