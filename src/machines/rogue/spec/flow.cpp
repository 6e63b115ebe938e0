#include "machines/rogue/spec/flow.h"

namespace mobula::rogue {

Exits exits_of(const Group& group) {
  const Item& control = group.item(Word::control);
  if (group.raw() || group.ends() || (control && control.op->does == does::Control::return_to_link)) return {};
  if (!control || control.op->does != does::Control::branch) return {.falls = true};
  const bool calls = control.get(F::link) != 0;
  return {.falls = calls || control.get(F::bpred) != 0 || group.condition != Condition::always,
          .target = branch_target(group, control),
          .calls = calls};
}

}  // namespace mobula::rogue
