#include "machines/utgard_gp/codec.h"

#include <cstring>

namespace mobula::utgard_gp {

Word128 load_word(std::span<const std::uint8_t> code, std::uint32_t index) {
  Word128 word;
  std::memcpy(&word.low, code.data() + std::size_t{index} * word_bytes, 8);
  std::memcpy(&word.high, code.data() + std::size_t{index} * word_bytes + 8, 8);
  return word;
}

void append_word(const Word128& word, std::vector<std::uint8_t>& out) {
  for (const std::uint64_t half : {word.low, word.high})
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<std::uint8_t>(half >> (8 * i)));
}

SourcesRead sources_read(const Word128& word) {
  SourcesRead read;
  for (const OperandField& operand : operand_fields) {
    const std::uint64_t value = get(word, *operand.field);
    if (value == selector_unused || !is_live(word, operand)) continue;
    const Selector& selector = selectors[value];
    read.components[static_cast<std::size_t>(selector.source)] |= static_cast<std::uint8_t>(1u << selector.component);
  }
  return read;
}

unsigned components_read(const Word128& word, Source source) { return sources_read(word).of(source); }

bool reads_load(const Word128& word) {
  const bool clamps = is_active(word, Unit::pass) && get(word, word::pass_op) == pass_clamp;
  return clamps || components_read(word, Source::load) != 0;
}

bool is_branch(const Word128& word) { return get(word, word::branch) != 0 && get(word, word::flow) == 13; }

unsigned branch_target(const Word128& word) {
  return static_cast<unsigned>(get(word, word::branch_target) + (get(word, word::branch_lo) != 0 ? 0 : 256));
}

void set_branch_target(Word128& word, unsigned target) {
  set(word, word::branch_target, target);
  set(word, word::branch_lo, target < 256 ? 1 : 0);
}

StoreHalf store_half(const Word128& word, unsigned half) {
  const bool second = half != 0;
  StoreHalf store;
  store.first_component = second ? 2 : 0;
  store.index = static_cast<std::uint8_t>(get(word, second ? word::st1_index : word::st0_index));
  store.selector[0] = static_cast<std::uint8_t>(get(word, second ? word::st1_z : word::st0_x));
  store.selector[1] = static_cast<std::uint8_t>(get(word, second ? word::st1_w : word::st0_y));
  if (store.selector[0] == store_nothing && store.selector[1] == store_nothing) return store;
  if (get(word, second ? word::st1_temp : word::st0_temp) != 0)
    store.kind = StoreKind::temporary;
  else if (get(word, second ? word::st1_var : word::st0_var) != 0)
    store.kind = StoreKind::varying;
  else
    store.kind = StoreKind::reg;
  return store;
}

}  // namespace mobula::utgard_gp
