#include "machines/rogue/lift/fence.h"

#include "machines/rogue/spec/access.h"

namespace mobula::rogue::lifting {
LateWrites late_writes(const Group& group) {
  if (const Item& item = group.item(Word::control); item && item.form->find(F::dest) != nullptr) {
    const Register first{Bank::temporary, static_cast<std::uint16_t>(item.get(F::dest))};
    return {first, words_moved(item), item.get(F::drc)};
  }
  const int slot = destination_slot(group);
  if (slot < 0) return {};
  const Item& item = group.item(Word::backend);
  const unsigned count = item.form->find(F::srcselbl) != nullptr ? most_words : words_moved(item);
  return {group.slots[static_cast<std::size_t>(slot)], count, item.get(F::drc)};
}

bool iterates(const Group& group) {
  const Item &backend = group.item(Word::backend), &control = group.item(Word::control);
  return (backend && backend.op->has(by_iterator)) || (control && control.form->find(F::coff) != nullptr);
}

void write_late(GroupContext& context, const LateWrites& writes, std::span<const Operand> values) {
  write_late(context, writes, values, {});
}

void write_late(GroupContext& context, const LateWrites& writes, std::span<const Operand> values,
                std::span<const Operand> where) {
  ir::Builder& b = context.b;
  const auto place = place_of(writes.first);
  const bool late = place && may_be_late(place->space) && context.settings.is(PolicyId::late_results, "at-wait");
  for (unsigned i = 0; i < values.size(); ++i) {
    const auto put = [&](Operand slot, Operand value) {
      if (where.empty())
        context.keep(slot, value);
      else
        b.emit(Op::select, Type::i32, slot, value, slot, where[i]);
    };
    if (late) {
      const State::Late& on_its_way = context.state.late({place->space, place->number + i});
      put(on_its_way.value, values[i]);
      put(on_its_way.counter, b.constant_u32(writes.counter + 1));
      put(context.state.at(place->space, place->number + i), b.constant_u32(late_pattern));
    } else if (place && !is_task_wide(place->space)) {
      put(context.state.at(place->space, place->number + i), values[i]);
    } else {
      const Operand old = context.read(writes.first, i);
      context.write(writes.first, i, where.empty() ? values[i] : context.choose(where[i], values[i], old));
    }
  }
}

void wait_for(GroupContext& context, unsigned counter) {
  for (const State::Late& each : context.state.late()) {
    if (!context.facts.arrivals.may_arrive(context.group, counter, each.place)) continue;
    const Operand slot = context.state.at(each.place.space, each.place.number);
    const Operand arrives = context.i32(Op::ieq, each.counter, context.b.constant_u32(counter + 1));
    context.b.emit(Op::select, Type::i32, slot, each.value, slot, arrives);
    context.b.emit(Op::select, Type::i32, each.counter, context.zero(), each.counter, arrives);
  }
}

}  // namespace mobula::rogue::lifting
