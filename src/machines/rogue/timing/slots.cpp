#include "machines/rogue/timing/slots.h"

#include "machines/rogue/spec/access.h"

namespace mobula::rogue {
namespace {

/// In the order of text_order.
constexpr std::array<std::string_view, unit_count> slot_names{
    "p0", "p1", "pack", "test", "move", "be", "mask", "shift1", "count", "logical", "shift2", "btest", "control"};

}  // namespace

SlotCounter::SlotCounter() {
  for (const std::string_view name : slot_names) slots_.push_back({name, 0});
}

void SlotCounter::add(const Group& group, std::uint64_t times) {
  for (std::size_t i = 0; i < text_order.size() && !group.raw(); ++i)
    if (visible_op(group, text_order[i]) != nullptr) slots_[i].words += times;
  if (group.modelled.present) slots_[0].words += times;
}

Operations operations_of(const Group& group) {
  Operations count{group.modelled.present ? 1u : 0u, 0};
  for (const Unit unit : text_order) {
    const Op* op = group.raw() ? nullptr : visible_op(group, unit);
    if (op == nullptr) continue;
    ++count.all;
    count.moves += is_plain_copy(*op, group.item(word_of(unit)));
  }
  return count;
}

}  // namespace mobula::rogue
