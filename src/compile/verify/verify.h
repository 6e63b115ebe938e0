// Whether machine code computes what its source says: both are executed with the same inputs, and what GLSL promises of
// the results is compared. docs/compile.md says what it promises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::compile {

struct VerifyOptions {
  std::uint32_t runs = 16;  ///< quads of fragments, fours of vertices, dispatches
  std::uint64_t seed = 1;
};

/// Inputs with which the two differ, as small and round as was found.
struct Counterexample {
  struct Value {
    std::string name, value;  ///< "lights[1].colour", "(0.5, 0, 1)"
  };
  std::vector<Value> inputs;
  std::string output;  ///< "colour.x", "whether the fragment is discarded"
  std::string expected, found;
  double allowed = 0;  ///< how far a number may be off
};

struct VerifyOutcome {
  std::uint32_t runs = 0;      ///< that came to an end
  std::uint64_t compared = 0;  ///< numbers
  std::uint64_t open = 0;      ///< numbers of which GLSL promises nothing with these inputs
  std::optional<Counterexample> difference;
};

/// `code` is what a compiler made of `form`, with its Interface. Fails if the code cannot be executed at all.
Result<VerifyOutcome> verify(const ssa::Program& form, const mobula::Program& code, const VerifyOptions& options = {});

/// The difference as an error, VF001, with the inputs as its hint.
Diagnostic to_diagnostic(const Counterexample& difference);

}  // namespace mobula::compile
