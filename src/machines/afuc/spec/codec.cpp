#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {

Decoder::Decoder(std::uint8_t generation) : nop_(generation == g5 ? 0 : 0x01000000) {
  constexpr std::uint32_t key_bits = 0xFC00001F;
  for (unsigned key = 0; key < starts_.size(); ++key) {
    starts_[key] = static_cast<std::uint16_t>(candidates_.size());
    const std::uint32_t word = (key >> 5) << 26 | (key & 31);
    for (const Opcode& opcode : opcodes)
      if ((opcode.generations & generation) != 0 && ((word ^ opcode.match) & opcode.mask & key_bits) == 0)
        candidates_.push_back({opcode.mask, opcode.match, &opcode});
    candidates_.emplace_back();
  }
}

template <std::uint8_t generation>
const Decoder& decoder_of() {
  static const Decoder one(generation);
  return one;
}

const Decoder& decoder(std::uint8_t generation) {
  switch (generation) {
    case g5:
      return decoder_of<g5>();
    case g6:
      return decoder_of<g6>();
    case g7:
      return decoder_of<g7>();
    default:
      return decoder_of<g8>();
  }
}

namespace {

std::uint32_t tested_by(Branch branch) { return field_of(branch.word, field::tested); }
bool tests_bit(Branch branch) {
  return branch.opcode->op.test == Test::bit_clear || branch.opcode->op.test == Test::bit_set;
}
/// Whether a conditional branch is taken on this value of its register.
bool takes(Branch branch, std::uint32_t value) {
  const std::uint32_t number = field_of(branch.word, field::compare);
  const bool is_set = (value >> field_of(branch.word, field::test_bit) & 1) != 0;
  switch (branch.opcode->op.test) {
    case Test::differs:
      return value != number;
    case Test::equals:
      return value == number;
    case Test::bit_clear:
      return !is_set;
    case Test::bit_set:
      return is_set;
  }
  return true;
}

/// Of two on one value.
bool some_value_takes(Branch first, Branch second) {
  if (first.opcode->op.test == Test::equals) return takes(second, field_of(first.word, field::compare));
  if (second.opcode->op.test == Test::equals) return takes(first, field_of(second.word, field::compare));
  if (!tests_bit(first) || !tests_bit(second)) return true;  // a value that differs from one or two others
  return first.opcode->op.test == second.opcode->op.test ||
         field_of(first.word, field::test_bit) != field_of(second.word, field::test_bit);
}

bool are_kept_apart(Branch first, Branch second) {
  if (!is_conditional(first.opcode->op) || !is_conditional(second.opcode->op)) return false;
  if (tested_by(first) != tested_by(second)) return true;
  return !is_fifo(tested_by(first)) && tests_bit(first) && tests_bit(second) &&
         field_of(first.word, field::test_bit) != field_of(second.word, field::test_bit);
}

}  // namespace

bool exclude_each_other(Branch first, Branch second) {
  if (!is_conditional(first.opcode->op) || !is_conditional(second.opcode->op)) return false;
  const std::uint32_t reg = tested_by(first);
  if (reg != tested_by(second) || is_fifo(reg)) return false;  // of a queue each takes a word of its own
  if (reg == reg_zero) return !takes(first, 0) || !takes(second, 0);
  return !some_value_takes(first, second);
}

bool can_both_be_taken(Branch first, Branch second) {
  return !are_kept_apart(first, second) && !exclude_each_other(first, second);
}

}  // namespace mobula::afuc
