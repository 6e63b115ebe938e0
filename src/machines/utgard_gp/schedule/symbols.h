// Executing words on symbols: what a run of basic blocks computes from what it finds at its entry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "machines/utgard_gp/schedule/values.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {

inline constexpr unsigned flat_registers = 4 * register_count;  ///< scalars: 4 * register + component

/// What the registers hold, and what has been done to the temporaries: all stores so far, component by component.
struct Contents {
  std::array<ValueId, flat_registers> registers{};
  std::array<ValueId, address_registers> addresses{};
  std::array<ValueId, 4> memory{};
};
/// Everything as it is when a trace is entered.
Contents own_contents(Values& values);

struct VaryingStore {
  std::uint8_t index = 0, component = 0;
  ValueId value = no_value;
  friend bool operator==(const VaryingStore&, const VaryingStore&) = default;
};

/// A basic block of a trace.
struct Segment {
  std::uint16_t first = 0, count = 0;      ///< words
  std::vector<std::vector<ValueId>> made;  ///< by word, the values that its units make
  std::vector<VaryingStore> varyings;      ///< what it leaves in varyings
  Contents end;                            ///< at its end, stores that have not arrived yet included
  std::uint64_t touched = 0;               ///< registers stored since the trace was entered
  ValueId condition = no_value;            ///< of the branch it ends with; no_value = none
  std::uint16_t target = 0;                ///< trace its branch leads to
};

/// Why a word cannot be scheduled, or what it does wrong.
struct Problem {
  std::uint16_t word = 0;
  std::string text;
};

/// Executes the words of a trace, segment by segment.
class Symbols {
 public:
  Symbols(std::span<const Word128> words, Values& values, const Contents& entry);

  /// Fills everything of the segment but its target; false on something that cannot be expressed.
  bool run(Segment& segment);
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  /// What a latch holds: a number, or a partial result of a function of `value`.
  struct Symbol {
    ResultKind kind = ResultKind::undefined;
    ValueId value = no_value;
  };

  [[nodiscard]] const Word128& word() const { return words_[word_]; }
  [[nodiscard]] unsigned field(const Field& which) const { return static_cast<unsigned>(get(word(), which)); }
  bool refuse(std::string text);
  bool expressible();
  bool step();
  [[nodiscard]] std::vector<ValueId> made() const;

  Symbol port(unsigned number, unsigned component);
  Symbol load(unsigned component);
  Symbol raw(unsigned operand);
  [[nodiscard]] bool is_identity(unsigned operand) const;
  /// The operand as a number; its input sign is left to the caller.
  ValueId number(unsigned operand);
  ValueUse signed_number(unsigned operand);
  ValueId number(Unit unit);
  void result(Unit unit, ValueId value);

  void compute_adder(Unit unit, unsigned a);
  void multiply(Unit unit, unsigned a, const Field& negate);
  void compute_multipliers();
  Symbol complex1();
  void compute_complex();
  void set_address(unsigned which, ValueId value);
  void compute_pass();
  void store();
  void store(const StoreHalf& half, unsigned component, ValueId value);

  std::span<const Word128> words_;
  Values& values_;
  Contents now_;
  std::array<ValueId, address_registers> new_addresses_{};  ///< set by this word
  /// Of memory, after the stores up to the last word, up to the word before that ...
  std::array<std::array<ValueId, 4>, temporary_latency> memory_;
  std::uint64_t touched_ = 0;
  std::array<Symbol, channel_count> results_{}, newer_{}, older_{};  ///< of this word, [-1] and [-2]
  Symbol late_, late_before_;                                        ///< of complex1 in this word and in the last
  std::vector<std::pair<unsigned, ValueId>> varyings_;               ///< 4 * index + component
  std::uint16_t word_ = 0;
  Problem problem_;
};

}  // namespace mobula::utgard_gp
