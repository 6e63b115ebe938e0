#include "machines/utgard_gp/spec/forwarding.h"

#include <algorithm>

namespace mobula::utgard_gp {

ForwardedSource forwarded_source(unsigned selector, bool b_operand) {
  const Selector& row = selectors[selector];
  switch (row.source) {
    case Source::result:
      return {static_cast<std::uint8_t>(row.unit), row.age};
    case Source::identity_or_complex:
      if (b_operand) return {};
      return {static_cast<std::uint8_t>(Unit::complex), 1};
    case Source::previous_port0:
      return {static_cast<std::uint8_t>(channel_port0 + row.component), 1};
    case Source::port0:
    case Source::port1:
    case Source::load:
    case Source::unused:
    case Source::unknown:
      break;
  }
  return {};
}

DelayedSet delayed_writes(const Word128& word) {
  DelayedSet written;
  for (unsigned half = 0; half < 2; ++half) {
    const StoreHalf store = store_half(word, half);
    for (unsigned i = 0; i < 2; ++i) {
      if (store.selector[i] == store_nothing) continue;
      const unsigned component = store.first_component + i;
      if (store.kind == StoreKind::reg) written.set(4u * store.index + component);
      if (store.kind == StoreKind::temporary) written.set(delayed_temporary + component);
    }
  }
  for (unsigned k = 1; k < address_registers; ++k)  // A0 is there at once
    if (sets_address(word, k)) written.set(delayed_address + k - 1);
  return written;
}

Forwarding::Forwarding(std::span<const Word128> words)
    : words_(words), flow_(words), copies_(words.size()), kinds_(words.size()) {
  demand_all();
  find_kinds();
  find_writes();
}

void Forwarding::demand_all() {
  for (std::uint16_t word = 0; word < count(); ++word)
    for (const OperandField& operand : operand_fields) {
      if (!is_live(words_[word], operand)) continue;
      const ForwardedSource source =
          forwarded_source(static_cast<unsigned>(get(words_[word], *operand.field)), operand.b);
      if (source.age != 0) demand(word, source.channel, source.age, source.age);
    }
  std::sort(latches_.begin(), latches_.end());
  latches_.erase(std::unique(latches_.begin(), latches_.end()), latches_.end());
}

// Depth is at most two: a reader of [-2] asks its predecessors for their [-1].
Latch Forwarding::demand(std::uint16_t word, unsigned channel, unsigned age, unsigned read_age) {
  const std::array<std::uint16_t, 4> key{word, static_cast<std::uint16_t>(channel), static_cast<std::uint16_t>(age),
                                         static_cast<std::uint16_t>(read_age)};
  if (const auto known = producers_.find(key); known != producers_.end()) return known->second;
  const std::vector<std::uint16_t>& before = flow_.predecessors(word);
  const bool single = before.size() == 1 && before[0] != before_start;
  // A word that may follow itself overwrites the latch its own [-1] came from, so [-2] of its successor needs a copy.
  const auto follows_itself = [&](std::uint16_t at) {
    const std::vector<std::uint16_t>& next = flow_.successors(at);
    return std::find(next.begin(), next.end(), at) != next.end();
  };
  const bool stable = single && (age == 1 || !follows_itself(before[0]));
  if (stable) {
    const Latch latch = age == 1 ? Latch{false, before[0], static_cast<std::uint8_t>(channel)}
                                 : demand(before[0], channel, 1, read_age);
    if (age == 1) latches_.push_back(latch);
    producers_[key] = latch;
    return latch;
  }
  const Latch merge{true, word, static_cast<std::uint8_t>(channel), static_cast<std::uint8_t>(age),
                    static_cast<std::uint8_t>(read_age)};
  producers_[key] = merge;
  latches_.push_back(merge);
  for (const std::uint16_t predecessor : before) {
    if (predecessor == before_start) continue;
    MergeCopy copy{merge, age == 1, {}};
    if (!copy.own) copy.from = demand(predecessor, channel, 1, read_age);
    copies_[predecessor].push_back(copy);
  }
  return merge;
}

Latch Forwarding::producer(std::uint16_t word, unsigned channel, unsigned age) const {
  const auto read_age = static_cast<std::uint16_t>(age);
  return producers_.at({word, static_cast<std::uint16_t>(channel), read_age, read_age});
}

bool Forwarding::needs(const Latch& latch) const { return std::binary_search(latches_.begin(), latches_.end(), latch); }

bool Forwarding::merges(std::uint16_t word) const { return flow_.is_join(word); }

ResultKind Forwarding::result_kind(std::uint16_t word, Unit unit) const {
  return kinds_[word][static_cast<std::size_t>(unit)];
}

ResultKind Forwarding::kind_of(const Latch& latch, unsigned age) const {
  if (latch.merged) {
    const auto known = merged_kinds_.find(latch);
    return known == merged_kinds_.end() ? ResultKind::undefined : known->second;
  }
  if (latch.channel >= channel_port0) return ResultKind::number;
  // The first half of complex1 is not a value; its result appears one instruction later.
  if (age == 1 && is_late(words_[latch.word], static_cast<Unit>(latch.channel))) return ResultKind::undefined;
  return kinds_[latch.word][latch.channel];
}

ResultKind Forwarding::operand_kind(std::uint16_t word, const OperandField& operand) const {
  const ForwardedSource source = forwarded_source(static_cast<unsigned>(get(words_[word], *operand.field)), operand.b);
  if (source.age == 0) return ResultKind::number;
  return kind_of(producer(word, source.channel, source.age), source.age);
}

ResultKind Forwarding::compute_kind(std::uint16_t word, Unit unit) const {
  const Word128& bits = words_[word];
  if (!is_active(bits, unit)) return ResultKind::undefined;
  const auto kind = [&](unsigned field) { return operand_kind(word, operand_fields[field]); };
  switch (unit) {
    case Unit::mul0:
      if (mul_operation(bits).traits.squares) return square_of(kind(0));
      if (mul_operation(bits).traits.combines)
        return kind(0) == ResultKind::table_log2 ? ResultKind::raw_log2 : ResultKind::number;
      return mul_operation(bits).traits.result;
    case Unit::mul1:
      break;  // multiplies whatever mul0 does beside it
    case Unit::acc0:
    case Unit::acc1:
      return acc_operation(bits).traits.result;
    case Unit::complex:
      return cplx_operation(bits).traits.result;
    case Unit::pass:
      return pass_operation(bits).traits.result;
  }
  return ResultKind::number;
}

// Kinds depend on opcodes, and through complex2 and complex1 on the kinds of earlier words; a chain of partial results
// is at most four words long, so a few rounds settle everything whatever the control flow.
void Forwarding::find_kinds() {
  for (int round = 0; round < 6; ++round) {
    for (std::uint16_t word = 0; word < count(); ++word)
      for (unsigned unit = 0; unit < unit_count; ++unit)
        kinds_[word][unit] = compute_kind(word, static_cast<Unit>(unit));
    std::map<Latch, ResultKind> merged;
    for (std::uint16_t word = 0; word < count(); ++word)
      for (const MergeCopy& copy : copies_[word]) {
        const ResultKind kind =
            copy.own ? kind_of({false, word, copy.to.channel}, copy.to.read_age) : kind_of(copy.from, copy.to.read_age);
        ResultKind& known = merged.try_emplace(copy.to, ResultKind::undefined).first->second;
        // A path on which nothing was made leaves NaN in the latch, whatever the others leave.
        if (kind == ResultKind::undefined || kind == known) continue;
        known = known == ResultKind::undefined ? kind : ResultKind::mixed;
      }
    merged_kinds_ = std::move(merged);
  }
}

void Forwarding::find_writes() {
  std::vector<DelayedSet> at(words_.size());
  for (std::size_t word = 0; word < words_.size(); ++word) at[word] = delayed_writes(words_[word]);
  for (std::vector<DelayedSet>& before : written_before_) {
    before.resize(words_.size());
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (const std::uint16_t predecessor : flow_.predecessors(static_cast<std::uint16_t>(word)))
        if (predecessor != before_start) before[word] |= at[predecessor];
    at = before;
  }
}

bool Forwarding::reads_port(std::uint16_t word, unsigned port, unsigned component) const {
  if ((components_read(words_[word], port == 0 ? Source::port0 : Source::port1) >> component & 1) != 0) return true;
  if (port != 0) return false;
  const auto channel = static_cast<std::uint8_t>(channel_port0 + component);
  if (needs({false, word, channel, 0})) return true;
  const std::vector<MergeCopy>& own = copies(word);
  return std::any_of(own.begin(), own.end(),
                     [&](const MergeCopy& copy) { return copy.own && copy.to.channel == channel; });
}

DelayedSet Forwarding::delayed_loads(std::uint16_t word) const {
  const Word128& bits = words_[word];
  DelayedSet loads;
  for (unsigned port = 0; port < 2; ++port) {
    if (port == 0 && get(bits, word::port0_attr) != 0) continue;
    const auto reg = static_cast<unsigned>(get(bits, port == 0 ? word::port0_index : word::port1_index));
    for (unsigned c = 0; c < 4; ++c)
      if (reads_port(word, port, c)) loads.set(4 * reg + c);
  }
  if (!reads_load(bits)) return loads;
  for (unsigned c = 0; c < 4; ++c) loads.set(delayed_temporary + c);
  const auto offset = static_cast<unsigned>(get(bits, word::ld_off));
  if (offset >= 1 && offset < address_registers) loads.set(delayed_address + offset - 1);
  return loads;
}

bool Forwarding::may_be_early(std::uint16_t word, unsigned delayed) const {
  for (unsigned distance = 1; distance < latency_of(delayed); ++distance)
    if (written_before(word, distance).test(delayed)) return true;
  return false;
}

}  // namespace mobula::utgard_gp
