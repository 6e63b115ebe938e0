#include "machines/utgard_gp/schedule/values.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "machines/utgard_gp/spec/codec.h"

namespace mobula::utgard_gp {
std::optional<unsigned> stored_vec4(const Word128& word, const MemoryFacts& facts) {
  const std::optional<unsigned> from = store_address_word(word);
  if (!from || facts.may_change(*from / 4)) return std::nullopt;
  return vec4_of(facts.constants, *from);
}

MemoryFacts memory_facts(std::span<const Word128> words, Constants constants) {
  MemoryFacts facts{.constants = std::move(constants), .temporary = {}};
  std::bitset<memory_vec4s> addresses;
  bool stores = false, anywhere = false;
  for (const Word128& word : words) {
    stores = stores || stores_temporary(word);
    if (!sets_address(word, 0)) continue;
    const std::optional<unsigned> from = store_address_word(word);
    const std::optional<unsigned> vec4 = from ? vec4_of(facts.constants, *from) : std::nullopt;
    if (vec4) {
      facts.temporary.set(*vec4);
      addresses.set(*from / 4);
    } else {
      anywhere = true;
    }
  }
  if (!stores)
    facts.temporary.reset();
  else if (anywhere || facts.temporary.none() || (facts.temporary & addresses).any())
    facts.temporary.set();
  return facts;
}

std::vector<TemporaryPlace> known_temporaries(const MemoryFacts& facts) {
  std::vector<TemporaryPlace> places;
  if (facts.temporary.all()) return places;
  for (const auto& [word, bits] : facts.constants) {
    const std::optional<unsigned> vec4 = vec4_of(facts.constants, word);
    if (vec4 && facts.may_change(*vec4) && !facts.may_change(word / 4))
      places.push_back({static_cast<std::uint16_t>(*vec4), word});
  }
  const auto by_vec4 = [](const TemporaryPlace& a, const TemporaryPlace& b) {
    return std::pair(a.vec4, a.address_word) < std::pair(b.vec4, b.address_word);
  };
  std::sort(places.begin(), places.end(), by_vec4);
  const auto same = [](const TemporaryPlace& a, const TemporaryPlace& b) { return a.vec4 == b.vec4; };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
  return places;
}

std::size_t Values::Hash::operator()(const Value& value) const {
  std::size_t hash = static_cast<std::size_t>(value.make) * 31 + value.component;
  hash = hash * 0x9E3779B97F4A7C15 + value.index;
  for (const ValueUse& use : value.operands)
    hash = (hash ^ (use.value * 2u + (use.negate ? 1 : 0))) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 29);
}

ValueId Values::add(Value value) {
  const auto [entry, is_new] = ids_.try_emplace(value, static_cast<ValueId>(values_.size()));
  if (is_new) values_.push_back(value);
  return entry->second;
}

ValueId Values::leaf(Make make, unsigned index, unsigned component) {
  return add({.make = make,
              .component = static_cast<std::uint8_t>(component),
              .index = static_cast<std::uint16_t>(index),
              .operands = {}});
}

std::optional<unsigned> Values::known_vec4(ValueId address) const {
  const Value& value = values_[address];
  if (value.make != Make::uniform) return std::nullopt;
  return vec4_of(facts_.constants, 4u * value.index + value.component);
}

ValueId Values::load(unsigned base, ValueId address, unsigned component, ValueId state) {
  if (facts_.temporary.none()) state = no_value;
  if (address == no_value) {
    if (!facts_.may_change(base)) return leaf(Make::uniform, base, component);
    while (state != no_value && values_[state].make == Make::store) {
      const auto hit = known_vec4(values_[state].operands[1].value);
      if (!hit) break;
      if (*hit == base) return values_[state].operands[2].value;
      state = values_[state].operands[0].value;
    }
  }
  return add({.make = Make::load,
              .component = static_cast<std::uint8_t>(component),
              .index = static_cast<std::uint16_t>(base),
              .operand_count = 2,
              .operands = {{{address}, {state}}}});
}

ValueId Values::store(ValueId state, ValueId address, ValueId value) {
  return add({.make = Make::store,
              .component = values_[state].component,
              .operand_count = 3,
              .operands = {{{state}, {address}, {value}}}});
}

bool Values::may_alias(ValueId store, ValueId load) const {
  if (values_[load].operands[0].value != no_value) return true;
  const auto hit = known_vec4(values_[store].operands[1].value);
  return !hit || *hit == values_[load].index;
}

ValueId Values::mul(ValueId a, ValueId b) {
  return add({.make = Make::mul, .operand_count = 2, .operands = {{{std::min(a, b)}, {std::max(a, b)}}}});
}

ValueId Values::negated(ValueId a) {
  if (values_[a].make == Make::negation) return values_[a].operands[0].value;
  return add({.make = Make::negation, .operand_count = 1, .operands = {{{a}}}});
}

ValueUse Values::without_negation(ValueUse use) const {
  if (use.value == no_value || values_[use.value].make != Make::negation) return use;
  return {values_[use.value].operands[0].value, !use.negate};
}

ValueId Values::adder(Make make, ValueUse a, ValueUse b) {
  a = without_negation(a);
  if (operation_of(make).operands == 1) return add({.make = make, .operand_count = 1, .operands = {{a}}});
  b = without_negation(b);
  const auto after = [](const ValueUse& x, const ValueUse& y) {
    return x.value != y.value ? x.value > y.value : x.negate && !y.negate;
  };
  if (b.value != no_value) {
    ValueUse exchanged_a = a, exchanged_b = b;
    exchange(make, exchanged_a, exchanged_b);
    if (after(a, exchanged_a)) {
      a = exchanged_a;
      b = exchanged_b;
    }
  }
  return add({.make = make, .operand_count = 2, .operands = {{a, b}}});
}

ValueId Values::select(ValueId condition, ValueId if_false, ValueId if_true) {
  return add({.make = Make::select, .operand_count = 3, .operands = {{{condition}, {if_false}, {if_true}}}});
}

ValueId Values::function(Make make, ValueId argument) {
  return add({.make = make, .operand_count = 1, .operands = {{{argument}}}});
}

}  // namespace mobula::utgard_gp
