// Filling words from the last one of a trace upward.
//
// A word in progress takes operations whose readers are all below it. What they read is loaded in the same word,
// comes from a register, or is demanded from the two words above: a demand not met there by the operation itself must
// be met by a move. So every intermediate state is a correct schedule of what has been placed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machines/utgard_gp/schedule/state.h"

namespace mobula::utgard_gp {

/// Changes of words below that a word brings: loads from registers and temporaries decided late.
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

}  // namespace mobula::utgard_gp
