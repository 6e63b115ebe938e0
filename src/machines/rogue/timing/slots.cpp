#include "machines/rogue/timing/slots.h"

#include "machines/rogue/text/print_instruction.h"

namespace mobula::rogue {
namespace {

/// In the order of text_order.
constexpr std::array<std::string_view, unit_count> slot_names{
    "p0", "p1", "pack", "test", "move", "be", "mask", "shift1", "count", "logical", "shift2", "btest", "control"};

/// A copy edits nothing on its way. A move that chooses by a test is no copy.
bool is_move(const Op& op, const Item& item) {
  if (op.does == does::Early::copy) return item.get(F::s0neg) == 0 && item.get(F::s0abs) == 0;
  return op.does == does::Bitmask::pass || op.does == does::Bitmask::pass_immediate || op.does == does::Shift1::pass ||
         op.does == does::Count::pass || op.does == does::Logical::pass || op.does == does::Move::replace;
}

}  // namespace

SlotCounter::SlotCounter() {
  for (const std::string_view name : slot_names) slots_.push_back({name, 0});
}

void SlotCounter::add(const Group& group, std::uint64_t times) {
  for (std::size_t i = 0; i < text_order.size() && !group.raw(); ++i)
    if (visible_op(group, text_order[i]) != nullptr) slots_[i].words += times;
}

Operations operations_of(const Group& group) {
  Operations count;
  for (const Unit unit : text_order) {
    const Op* op = group.raw() ? nullptr : visible_op(group, unit);
    if (op == nullptr) continue;
    ++count.all;
    count.moves += is_move(*op, group.item(word_of(unit)));
  }
  return count;
}

}  // namespace mobula::rogue
