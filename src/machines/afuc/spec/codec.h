// Words of a generation: which opcode a word is, and its fields. Nothing is ever lost: an instruction keeps its word.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/export.h"
#include "machines/afuc/spec/spec.h"

namespace mobula::afuc {

/// The opcodes of one generation, ready for finding.
class Decoder {
 public:
  /// The opcode that the word has, or nullptr. Reserved bits are not looked at.
  [[nodiscard]] const Opcode* find(std::uint32_t word) const {
    const Candidate* candidate = &candidates_[starts_[key(word)]];
    while ((word & candidate->mask) != candidate->match) ++candidate;
    return candidate->opcode;
  }
  /// The word that means doing nothing.
  [[nodiscard]] std::uint32_t nop() const { return nop_; }
  /// A header word that holds this number in a nop: `[#label]` of the text.
  [[nodiscard]] std::uint32_t nop_with(std::uint32_t payload) const { return nop_ | (payload & 0xFFFFFF); }

 private:
  template <std::uint8_t generation>
  friend const Decoder& decoder_of();
  explicit Decoder(std::uint8_t generation);

  /// The last of a key fits every word and is not an opcode.
  struct Candidate {
    std::uint32_t mask = 0, match = 0;
    const Opcode* opcode = nullptr;
  };
  /// The bits that separate most opcodes: the upper six and the lower five.
  static constexpr unsigned key(std::uint32_t word) { return (word >> 26) << 5 | (word & 31); }

  std::array<std::uint16_t, 2048> starts_{};
  std::vector<Candidate> candidates_;
  std::uint32_t nop_ = 0;
};

/// `generation` is one of g5, g6, g7, g8.
MOBULA_INTERNAL const Decoder& decoder(std::uint8_t generation);

/// True if the text of the opcode says all there is in the word.
inline bool is_canonical(std::uint32_t word, const Opcode& opcode) { return (word & opcode.reserved) == 0; }

// ------------------------------------------------------------------------------------------------ control flow (3.8)

inline std::uint32_t field_of(std::uint32_t word, const Field& field) {
  return word >> field.low & static_cast<std::uint32_t>(low_mask(field.width));
}
inline std::int32_t distance_of(std::uint32_t word) { return static_cast<std::int16_t>(word & 0xFFFF); }

constexpr bool is_relative(const Operation& op) { return op.target == Target::relative; }
constexpr bool has_target(const Operation& op) { return op.target != Target::none; }
constexpr bool is_conditional(const Operation& op) { return op.way == Way::branch; }
/// Calls come back two words on.
constexpr bool is_call(const Operation& op) { return op.way == Way::call; }
/// All of them but setsecure have a delay slot.
constexpr bool is_transfer(const Operation& op) { return op.way != Way::next; }
constexpr bool has_delay_slot(const Operation& op) { return op.way != Way::next && op.way != Way::skip; }
/// Nothing after the delay slot is reached by falling through.
constexpr bool ends_flow(const Operation& op) { return has_delay_slot(op) && !is_conditional(op) && !is_call(op); }

/// A branch or jump, and the opcode that its word has.
struct Branch {
  std::uint32_t word = 0;
  const Opcode* opcode = nullptr;
};
/// Whether no value of the registers takes both of two in a row, the second in the delay slot of the first.
MOBULA_INTERNAL bool exclude_each_other(Branch first, Branch second);
/// Whether both can be taken as far as one register says. Two registers, or two bits of one, may be kept apart by what
/// firmware puts there: real firmware branches on such pairs.
MOBULA_INTERNAL bool can_both_be_taken(Branch first, Branch second);
/// Precondition: the first says its target as a distance.
inline bool have_one_target(Branch first, Branch second) {
  return distance_of(first.word) == distance_of(second.word) + 1;
}

}  // namespace mobula::afuc
