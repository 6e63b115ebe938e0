// Which words of its state a program gives the same value in all lanes, as long as all lanes go the same way. They are
// computed for one vector of lanes, a row, and copied to the others only where something reads them lane by lane.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mobula/isa/ir.h"

namespace mobula {

/// How an operation gets at its operands.
enum class LaneAccess : std::uint8_t {
  by_lane,          ///< lane by lane, in planes
  by_vector,        ///< rows will do; each lane's result is its own
  by_vector_alone,  ///< likewise, and lanes with the same operands have the same result
};

using WordList = std::vector<std::uint32_t>;

struct SharedWords {
  struct Operation {
    bool is_shared = false;  ///< its results are rows
    std::uint8_t rows = 0;   ///< bit k: source k is the same in all lanes; not of calls
    WordList spread;         ///< rows that must be planes before it
  };
  struct Block {
    WordList spread;  ///< rows that must be planes after it
    WordList rows;    ///< those that stay rows
  };
  struct Call {
    std::vector<std::uint8_t> is_shared;  ///< by word, before the call
    WordList rows;                        ///< likewise
    bool gives_row = false;               ///< its results are rows
  };
  std::vector<Operation> operations;
  std::vector<Block> blocks;
  std::vector<Call> calls;  ///< by Program::calls
  [[nodiscard]] bool is_found() const { return !operations.empty(); }
};

/// What the search has to know beyond the program.
struct SharingRules {
  std::function<LaneAccess(const ir::Operation&)> access;  ///< of all but calls and control
  std::function<bool(const ir::Call&)> gives_same;         ///< see Environment::gives_same
  std::vector<bool> differs_at_start;                      ///< by word
};
/// Without operations if the search is not worth it. The program must pass ir::verify.
SharedWords find_shared_words(const ir::Program& program, const SharingRules& rules);

}  // namespace mobula
