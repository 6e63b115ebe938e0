#include "machines/rogue/merge/equivalents.h"

#include <optional>
#include <utility>

#include "machines/rogue/merge/merge.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue {
namespace {

constexpr Register constant_zero{};

Values values_of(const Item& item) {
  Values values = default_values;
  read(*item.form, item.bits, values);
  return values;
}
std::optional<Item> item_of(const Op& op, Values values) {
  for (std::size_t i = 0; i < op.required_count; ++i) at(values, op.required[i].first) = op.required[i].second;
  const Form* form = shortest_form(op, values);
  if (form == nullptr) return {};
  return Item{form, &op, write(*form, values)};
}

/// The first two operands of an addition or a product, each with its modifiers, in each other's places.
std::optional<Group> exchanged(const Group& group, Word word) {
  const Item& item = group.item(word);
  if (!item || group.repeat != 1) return {};
  const bool has_three = item.op->does == does::Early::multiply_add;
  if (!has_three && item.op->does != does::Early::add && item.op->does != does::Early::multiply) return {};
  Values values = values_of(item);
  if (!has_three && (at(values, F::s0neg) != 0 || at(values, F::s0flr) != 0)) return {};  // the second has none
  std::swap(at(values, F::s0abs), at(values, F::s1abs));
  if (has_three) std::swap(at(values, F::s0neg), at(values, F::s1neg));
  const auto made = item_of(*item.op, values);
  if (!made) return {};
  Group other = group;
  other.item(word) = *made;
  const unsigned base = word == Word::p0 ? 0 : 3;
  // What FTE takes from one of these slots, it takes from where it is now.
  const unsigned external = group.external_slot();
  std::swap(other.slots[base], other.slots[base + 1]);
  if ((selectors_used(group) & 1) != 0 && (external == base || external == base + 1))
    for (unsigned code = 0; code < is0_slots.size(); ++code)
      if (is0_slots[code] == (external == base ? base + 1 : base)) {
        other.selectors[0] = static_cast<std::uint8_t>(code);
        break;
      }
  return fitted(other);
}

/// The test that holds for (b, a) where this one does for (a, b).
std::optional<Does> with_sides_exchanged(does::Test test) {
  switch (test) {
    case does::Test::equal:
      return Does(does::Test::equal);
    case does::Test::unequal:
      return Does(does::Test::unequal);
    case does::Test::greater:
      return Does(does::Test::less);
    case does::Test::less:
      return Does(does::Test::greater);
    case does::Test::at_least:
      return Does(does::Test::at_most);
    case does::Test::at_most:
      return Does(does::Test::at_least);
    case does::Test::zero:
    case does::Test::positive:
    case does::Test::not_negative:
    case does::Test::carry:
      return {};
  }
  return {};
}

/// The test of one operand that holds where this one does beside 0.
std::optional<Does> beside_zero(does::Test test) {
  switch (test) {
    case does::Test::equal:
      return Does(does::Test::zero);
    case does::Test::greater:
      return Does(does::Test::positive);
    case does::Test::at_least:
      return Does(does::Test::not_negative);
    case does::Test::unequal:
    case does::Test::less:
    case does::Test::at_most:
    case does::Test::zero:
    case does::Test::positive:
    case does::Test::not_negative:
    case does::Test::carry:
      return {};
  }
  return {};
}

std::optional<Group> with_test(const Group& group, Does test) {
  const auto made = item_of(op_that(test), values_of(group.item(Word::test)));
  if (!made) return {};
  Group other = group;
  other.item(Word::test) = *made;
  return other;
}

bool is_copy(const Group& group, Word word) {
  return group.item(word) && is_plain_copy(*group.item(word).op, group.item(word));
}

/// A test of two copies, of which nothing else knows which phase brought it.
bool tests_copies(const Group& group) {
  return is_copy(group, Word::p0) && is_copy(group, Word::p1) && group.selector(1) == 0 && group.selector(2) == 0;
}

/// Phase 0 brings what phase 1 did, and the other way round.
std::optional<Group> with_phases_exchanged(Group group) {
  constexpr unsigned upper = 3;
  std::swap(group.slots[0], group.slots[upper]);
  const unsigned external = group.external_slot();
  if ((selectors_used(group) & 1) != 0 && (external == 0 || external == upper))
    group.selectors[0] = external == 0 ? 1 : 0;
  for (unsigned port = 4; port < group.selectors.size(); ++port)
    if (group.selectors[port] < 2) group.selectors[port] = static_cast<std::uint8_t>(1 - group.selectors[port]);
  Item& move = group.item(Word::move);
  if (move) {
    Values values = values_of(move);
    for (const F field : {F::movw0, F::movw1})
      if (at(values, field) < 2) at(values, field) = 1 - at(values, field);
    const auto made = item_of(*move.op, values);
    if (!made) return {};
    move = *made;
  }
  return fitted(group);
}

void add_tests(const Group& group, std::vector<Group>& all) {
  const Item& test = group.item(Word::test);
  const auto kind = test.op->does.as<does::Test>();
  if (const auto single = beside_zero(kind);
      single && is_copy(group, Word::p1) && group.selector(2) == 0 && group.slots[3] == constant_zero)
    if (const auto made = with_test(group, *single))
      if (auto fits = fitted(*made)) all.push_back(*fits);
  if (!tests_copies(group)) return;
  const auto other = with_sides_exchanged(kind);
  const auto made = other ? with_test(group, *other) : std::nullopt;
  if (!made) return;
  auto fits = with_phases_exchanged(*made);
  if (!fits) return;
  all.push_back(*fits);
  const auto single = beside_zero(fits->item(Word::test).op->does.as<does::Test>());
  if (single && fits->slots[3] == constant_zero)
    if (const auto tested = with_test(*fits, *single))
      if (auto last = fitted(*tested)) all.push_back(*last);
}

}  // namespace

std::vector<Group> equivalents(const Group& group) {
  std::vector<Group> all{group};
  if (group.raw() || group.alu != Alu::main || group.repeat != 1 || group.modelled.present) return all;
  for (const Word word : {Word::p0, Word::p1})
    for (std::size_t i = 0, count = all.size(); i < count; ++i)
      if (const auto other = exchanged(all[i], word)) all.push_back(*other);
  if (group.item(Word::test))
    for (std::size_t i = 0, count = all.size(); i < count; ++i) add_tests(Group(all[i]), all);
  return all;
}

}  // namespace mobula::rogue
