#include "machines/utgard_gp/spec/codec.h"

#include <utility>

namespace mobula::utgard_gp {
namespace {

/// Written out for each operand, as the compiler then knows its fields.
template <std::size_t... index>
SelectorsRead selectors_of_operands(const Word128& word, std::index_sequence<index...>) {
  return {(... | (is_live(word, operand_fields[index]) ? 1U << get(word, *operand_fields[index].field) : 0U))};
}

}  // namespace

void append_word(const Word128& word, std::vector<std::uint8_t>& out) {
  for (const std::uint64_t half : {word.low, word.high})
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<std::uint8_t>(half >> (8 * i)));
}

Moved moved_by(const Word128& word, Unit unit) {
  if (!is_active(word, unit)) return {};
  const auto unless_b = [&](const Field& a, const Field& b, const Field& negate) -> Moved {
    if (get(word, b) != selector_identity) return {};
    return {&operand_of(a), get(word, negate) != 0};
  };
  const bool adds = acc_operation(word).traits.moves;
  switch (unit) {
    case Unit::acc0:  // x + -0.0
      if (!adds || get(word, word::acc0_b_neg) == 0) return {};
      return unless_b(word::acc0_a, word::acc0_b, word::acc0_a_neg);
    case Unit::acc1:
      if (!adds || get(word, word::acc1_b_neg) == 0) return {};
      return unless_b(word::acc1_a, word::acc1_b, word::acc1_a_neg);
    case Unit::mul0:
      if (!mul_operation(word).traits.moves) return {};
      return unless_b(word::mul0_a, word::mul0_b, word::mul0_neg);
    case Unit::mul1:  // multiplies whatever mul0 does beside it
      return unless_b(word::mul1_a, word::mul1_b, word::mul1_neg);
    case Unit::pass:
      return pass_operation(word).traits.copies ? Moved{&operand_of(word::pass_in)} : Moved{};
    case Unit::complex:
      return cplx_operation(word).traits.copies ? Moved{&operand_of(word::cplx_in)} : Moved{};
  }
  return {};
}

[[gnu::flatten]] SelectorsRead selectors_read(const Word128& word) {
  return selectors_of_operands(word, std::make_index_sequence<operand_fields.size()>());
}

bool reads_load(const Word128& word) { return takes_bounds(word) || components_read(word, Source::load) != 0; }

void set_branch_target(Word128& word, unsigned target) {
  set(word, word::branch_target, target);
  set(word, word::branch_lo, target < 256 ? 1 : 0);
}

}  // namespace mobula::utgard_gp
