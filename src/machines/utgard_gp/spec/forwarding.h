// Forwarding: who made the value that a selector names, on every path to the word that reads it.
//
// Results of the last two instructions are reachable only through [-1] and [-2] selectors, and control flow decides
// which instructions those were. Each word's result gets a latch of its own, so a reader with one possible producer
// reads that latch. Where paths meet with different producers, a merge latch is kept for the reader: every predecessor
// fills it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/export.h"
#include "machines/utgard_gp/spec/flow.h"

namespace mobula::utgard_gp {

/// What can be forwarded: the six unit results and the four components of port 0.
inline constexpr unsigned channel_port0 = unit_count, channel_count = unit_count + 4;

/// A latch: the result of `channel` at `word`, or a merge latch: what `channel` made `age` instructions before `word`.
/// It may serve a reader one instruction further on, so that its readers reach back `read_age` >= `age`; what they find
/// in mul0 after complex1 depends on that.
struct Latch {
  bool merged = false;
  std::uint16_t word = 0;
  std::uint8_t channel = 0;
  std::uint8_t age = 0, read_age = 0;  ///< merge latches only
  friend bool operator==(const Latch&, const Latch&) = default;
  friend bool operator<(const Latch& a, const Latch& b) {
    return std::tie(a.merged, a.word, a.channel, a.age, a.read_age) <
           std::tie(b.merged, b.word, b.channel, b.age, b.read_age);
  }
};

/// One copy a word makes for a merge latch.
struct MergeCopy {
  Latch to;
  bool own = false;  ///< copies this word's own result; otherwise `from`
  Latch from;
};

/// What is written with a delay: register components, then the components of temporaries, then A1..A3.
inline constexpr unsigned delayed_temporary = register_count * 4, delayed_address = delayed_temporary + 4,
                          delayed_count = delayed_address + 3;
inline constexpr unsigned register_latency = 3, temporary_latency = 4, address_latency = 4;
constexpr unsigned latency_of(unsigned delayed) {
  return delayed < delayed_temporary ? register_latency
         : delayed < delayed_address ? temporary_latency
                                     : address_latency;
}
using DelayedSet = std::bitset<delayed_count>;
/// What this word writes with a delay.
MOBULA_INTERNAL DelayedSet delayed_writes(const Word128& word);

class Forwarding {
 public:
  /// At most 65535 words.
  MOBULA_INTERNAL explicit Forwarding(std::span<const Word128> words);

  [[nodiscard]] std::span<const Word128> words() const { return words_; }
  [[nodiscard]] std::uint16_t count() const { return static_cast<std::uint16_t>(words_.size()); }
  /// Words that may execute right before `word`. The start of the program counts as before_start.
  [[nodiscard]] std::span<const std::uint16_t> predecessors(std::uint16_t word) const {
    return flow_.predecessors(word);
  }

  /// The latch from which `word` reads what `channel` made `age` (1 or 2) instructions before. Must have been demanded
  /// by a live operand of the program.
  [[nodiscard]] Latch producer(std::uint16_t word, unsigned channel, unsigned age) const;
  /// Kind of the bits in a latch for a reader that reaches back `age` instructions.
  [[nodiscard]] ResultKind kind_of(const Latch& latch, unsigned age) const;
  /// Kind of what an operand field of this word reads; number for loads, ports and identities.
  [[nodiscard]] ResultKind operand_kind(std::uint16_t word, const OperandField& operand) const;
  [[nodiscard]] ResultKind result_kind(std::uint16_t word, Unit unit) const;

  /// Latches that anything reads, in order.
  [[nodiscard]] const std::vector<Latch>& latches() const { return latches_; }
  [[nodiscard]] bool needs(const Latch& latch) const;
  [[nodiscard]] const std::vector<MergeCopy>& copies(std::uint16_t word) const { return copies_[word]; }
  /// True if values meet here from different producers.
  [[nodiscard]] bool merges(std::uint16_t word) const;

  /// What is written by a word `distance` (1..3) instructions before `word` on some path.
  [[nodiscard]] const DelayedSet& written_before(std::uint16_t word, unsigned distance) const {
    return written_before_[distance - 1][word];
  }
  /// Whether anything reads this component of what a port of the word loads, in this word or after it.
  [[nodiscard]] MOBULA_INTERNAL bool reads_port(std::uint16_t word, unsigned port, unsigned component) const;
  /// What this word loads of what is written with a delay; all memory may be temporaries.
  [[nodiscard]] MOBULA_INTERNAL DelayedSet delayed_loads(std::uint16_t word) const;
  /// Whether a write to this may still be on its way when `word` reads it, on some path.
  [[nodiscard]] MOBULA_INTERNAL bool may_be_early(std::uint16_t word, unsigned delayed) const;

 private:
  Latch demand(std::uint16_t word, unsigned channel, unsigned age, unsigned read_age);
  void demand_all();
  void find_kinds();
  void find_writes();
  [[nodiscard]] ResultKind compute_kind(std::uint16_t word, Unit unit) const;

  std::span<const Word128> words_;
  ControlFlow flow_;
  std::map<std::array<std::uint16_t, 4>, Latch> producers_;
  std::vector<Latch> latches_;
  std::vector<std::vector<MergeCopy>> copies_;
  std::vector<std::array<ResultKind, unit_count>> kinds_;
  std::map<Latch, ResultKind> merged_kinds_;
  std::array<std::vector<DelayedSet>, 3> written_before_;
};

/// Channel and age of a selector; age 0 if it names no earlier result.
struct ForwardedSource {
  std::uint8_t channel = 0, age = 0;
};
MOBULA_INTERNAL ForwardedSource forwarded_source(unsigned selector, bool b_operand);

}  // namespace mobula::utgard_gp
