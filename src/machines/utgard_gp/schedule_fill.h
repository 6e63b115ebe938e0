// Filling words from the last one of a trace upward.
//
// A word in progress takes operations whose readers all stand below it. What they read is loaded in the same word,
// comes from a register, or is demanded from the two words above: a demand not met there by the operation itself must
// be met by a move. So every state on the way is a correct schedule of what has been placed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machines/utgard_gp/schedule_plan.h"

namespace mobula::utgard_gp {

/// A value that words below read from a result.
struct Demand {
  enum Bits : std::uint8_t {
    near = 1,    ///< by the word just below
    near_b = 2,  ///< there by an operand that cannot take the complex unit's result
    far = 4,     ///< two words below: it must be made in this word
    now = 8,     ///< in this word
    now_b = 16,
  };
  NodeId node = no_node;
  std::uint8_t bits = 0;
};

/// A value that words below read from a register, and that must still be stored there.
struct Home {
  NodeId node = no_node;
  std::uint8_t flat = 0;
  std::uint16_t store_from = 0;  ///< lowest word, counted from the end of the trace, that may store it
};

struct Ports {
  std::int16_t load = port_free, port0 = port_free, port1 = port_free;
};

/// Parts of function sequences that must stand in a word yet to be filled.
struct Reserved {
  NodeId combine = no_node, table = no_node, pre = no_node;
};

/// Operations left, for bounds: how many of a kind finish their work in the n-th word of the trace at the earliest.
struct Remaining {
  enum Kind : std::uint8_t { add, mul = 7, square, wide, pass, table, kinds };  ///< adders by Make, from add
  std::vector<std::uint16_t> by_height;  ///< kinds for height 0, then for height 1 ...
  std::uint16_t outputs = 0;
};

/// A trace of which words 0 .. words - 1, counted from the end, are filled.
struct FillState {
  std::uint16_t words = 0;
  std::int16_t segment = 0;  ///< the one being filled
  std::vector<Demand> demands;
  std::vector<Home> homes;
  std::vector<NodeId> ready;            ///< operations all of whose readers are placed
  std::vector<std::uint16_t> users;     ///< readers not yet placed, by node
  std::vector<bool> stored;             ///< by output
  std::vector<std::uint16_t> barriers;  ///< stores left below the branch that ends a segment
  std::vector<std::uint16_t> branches;  ///< words of the branches placed, by segment
  std::uint64_t free = 0, freed = 0;    ///< registers free for homes; freed in the last word
  std::uint64_t blocked = 0;            ///< registers of which the value at entry can no longer be loaded
  std::array<Ports, 2> recent;          ///< of the last word and the one before it
  std::array<Reserved, 3> reserved;     ///< in the next word, the one above it ...
  Remaining remaining;
  std::uint64_t hash = 0;  ///< of what is placed

  [[nodiscard]] bool done() const;
};

FillState first_state(const Task& task);
/// Words that are needed at least to finish the trace.
unsigned words_needed(const Task& task, const FillState& state);

/// Changes of words below that a word brings: loads from registers decided late.
struct Patch {
  std::uint8_t back = 0;  ///< 1 or 2 words below
  PlannedWord::Feed feed;
};

struct FilledWord {
  PlannedWord word;
  std::vector<Patch> patches;
};

/// How to choose. Scores of a candidate are weighted sums; noise makes different words of the same state.
struct FillStyle {
  double height = 1, near = 2, direct = 0.6, conflict = 1.2, live = 0.7, noise = 0.5;
  double convert = 0.6;           ///< probability that a demand which must be met becomes a register load
  double early = 0.1;             ///< probability that an idle slot moves a value one word before it must be
  unsigned live_limit = 9;        ///< demands beyond which nothing is started that adds more
  std::int16_t load = port_free;  ///< uniform vec4 to load in any case
  bool share_branch_words = true;
};

/// A cheap generator with a fixed sequence on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

 private:
  std::uint64_t state_;
};

/// Fills the next word; nullopt if the choices made leave a demand that cannot be met.
std::optional<FilledWord> fill(const Task& task, FillState& state, const FillStyle& style, Random& random);

/// Uniform vec4s worth loading in the next word.
std::vector<std::int16_t> useful_loads(const Task& task, const FillState& state);

}  // namespace mobula::utgard_gp
