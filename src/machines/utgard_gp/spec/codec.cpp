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

[[gnu::flatten]] SelectorsRead selectors_read(const Word128& word) {
  return selectors_of_operands(word, std::make_index_sequence<operand_fields.size()>());
}

bool reads_load(const Word128& word) { return takes_bounds(word) || components_read(word, Source::load) != 0; }

void set_branch_target(Word128& word, unsigned target) {
  set(word, word::branch_target, target);
  set(word, word::branch_lo, target < 256 ? 1 : 0);
}

}  // namespace mobula::utgard_gp
