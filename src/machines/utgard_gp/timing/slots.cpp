#include "machines/utgard_gp/timing/slots.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::array<std::string_view, 12> slot_names{"mul0",  "mul1",  "acc0", "acc1", "cplx", "pass",
                                                      "port0", "port1", "ld",   "st0",  "st1",  "branch"};

/// In the order of slot_names.
std::array<bool, slot_names.size()> used_slots(const Word128& word, bool next_reads_port0) {
  const bool mul0 = is_active(word, Unit::mul0);
  const bool wide = mul0 && mul_operation(word).traits.wide;
  return {mul0,
          wide || is_active(word, Unit::mul1),
          is_active(word, Unit::acc0),
          is_active(word, Unit::acc1),
          is_active(word, Unit::complex),
          is_active(word, Unit::pass),
          next_reads_port0 || components_read(word, Source::port0) != 0,
          components_read(word, Source::port1) != 0,
          reads_load(word),
          store_half(word, 0).kind != StoreKind::none,
          store_half(word, 1).kind != StoreKind::none,
          is_branch(word)};
}

}  // namespace

SlotCounter::SlotCounter(std::span<const Word128> words) : words_(words) {
  for (const std::string_view name : slot_names) slots_.push_back({name, 0});
}

void SlotCounter::add(std::uint32_t index, std::uint64_t times) {
  const bool last = index + std::size_t{1} == words_.size();
  const bool next_reads_port0 = !last && components_read(words_[index + 1], Source::previous_port0) != 0;
  const auto used = used_slots(words_[index], next_reads_port0);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) slots_[i].words += times;
}

Operations operations_of(const Word128& word) {
  Operations count;
  for (unsigned i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    if (!is_active(word, unit)) continue;
    const Moved moved = moved_by(word, unit);
    const bool decides = unit == Unit::pass && is_branch(word);
    ++count.all;
    count.moves += moved.operand != nullptr && !moved.negated && !decides;
  }
  if (is_branch(word)) ++count.all;
  return count;
}

}  // namespace mobula::utgard_gp
