#include "machines/rogue/lift_control.h"

#include "machines/rogue/lift_fence.h"
#include "machines/rogue/lift_iterate.h"
#include "machines/rogue/lift_texture.h"
#include "machines/rogue/text_print.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned take_by_condition = 0, take_by_all = 1;

class Control {
 public:
  explicit Control(GroupContext& context)
      : c_(context), b_(context.b), state_(context.state), item_(context.group.item(Word::control)) {}

  Exit lift() {
    const std::string_view name = item_.op->name;
    if (name == "lapc") return {.kind = Exit::Kind::link};
    if (name == "savl") save_link();
    if (name.starts_with("cnd")) change_mask(name);
    if (name == "wdf") wait_for(c_, c_.group.miscctl);
    if (item_.form->find(F::coff) != nullptr) {
      c_.mask();
      if (name == "ditr")
        lift_ditr(c_, item_);
      else
        lift_iterate_and_sample(c_, item_);
      c_.unmask();
    }
    if (item_.form == &forms::mutex) use_mutex();
    if (item_.form == &forms::sbo) set_base();
    if (item_.form == &forms::branch) return branch();
    return {.kind = c_.group.ends() ? Exit::Kind::end : Exit::Kind::on};
  }

 private:
  Operand number(std::uint32_t value) { return b_.constant_u32(value); }

  /// Where the group's condition holds in an instance, the task does it.
  Operand task_does() { return c_.enabled.is_none() ? c_.ones() : c_.in_some_instance(c_.enabled); }

  void set_base() {
    const Space space = item_.get(F::tgt) == 0 ? Space::coefficient : Space::shared;
    const bool in_fours = c_.settings.is(PolicyId::base_offset, "fours");
    c_.unknown("what a base offset counts is not published; see the policy base_offset");
    const Operand base = number(item_.get(F::sbo_offset) * (in_fours ? 4 : 1));
    c_.keep(state_.base(space), c_.choose(task_does(), base, state_.base(space)));
  }

  // ---- mutexes. The task is alone, so what it does not hold is free.

  void use_mutex() {
    enum : unsigned { release, release_sleep, release_wakeup, lock };
    const unsigned id = item_.get(F::id);
    const std::string name = "mutex " + std::to_string(id);
    c_.inferred("the task is taken to be alone: mutexes that it does not hold are free");
    const Operand bit = number(1u << id), does = task_does();
    const Operand is_held = c_.i32(Op::ine, c_.i32(Op::iand, state_.mutexes, bit), c_.zero());
    const auto stop_where = [&](Operand where, std::string reason) {
      c_.traps.push_back({.condition = c_.i32(Op::iand, does, where), .reason = std::move(reason), .is_of_task = true});
    };
    if (item_.get(F::lr) == lock) {
      stop_where(is_held, name + " is locked by this task already: it waits for itself, and for ever");
      c_.keep(state_.mutexes, c_.choose(does, c_.i32(Op::ior, state_.mutexes, bit), state_.mutexes));
      return;
    }
    stop_where(b_.unary(Op::inot, Type::i32, is_held), name + " is released, but this task does not hold it");
    c_.keep(state_.mutexes, c_.choose(does, c_.i32(Op::iandnot, state_.mutexes, bit), state_.mutexes));
    if (item_.get(F::lr) == release_sleep && c_.settings.is(PolicyId::mutex_sleep, "trap"))
      stop_where(c_.ones(), "the task sleeps at " + name +
                                " until another one wakes it, and it is alone; see the policy mutex_sleep");
  }

  // ---- links and branches

  void save_link() {
    c_.mask();
    c_.write(c_.group.written[0], 0, c_.keep(state_.w0, c_.i32(Op::ilsr, state_.link, number(1))));
    c_.unmask();
  }

  Exit branch() {
    Exit exit{.kind = Exit::Kind::branch, .condition = taken(), .target = branch_target(c_.group, item_)};
    if (item_.get(F::link) == 0) return exit;
    // The task has one link register.
    const Operand next = number(c_.group.offset + c_.group.size);
    if (exit.condition.is_none())
      c_.keep(state_.link, next);
    else
      b_.emit(Op::select, Type::i32, state_.link, next, state_.link, exit.condition);
    return exit;
  }

  /// All ones where the task takes the branch.
  Operand taken() {
    const unsigned rule = item_.get(F::bpred);
    if (rule == take_by_condition) return taken_by_condition();
    const Operand some_run = c_.in_some_instance(c_.running());
    if (rule != take_by_all) return some_run;  // a policy: see control_fault
    if (c_.group.condition == Condition::always || c_.group.condition == Condition::ignore_pe)
      return b_.unary(Op::inot, Type::i32, some_run);
    const Operand disagree = c_.in_some_instance(c_.i32(Op::iandnot, c_.running(), c_.enabled));
    return c_.i32(Op::iandnot, c_.in_some_instance(c_.enabled), disagree);
  }

  Operand taken_by_condition() {
    if (c_.enabled.is_none()) return {};
    const Operand some = c_.in_some_instance(c_.enabled);
    const Operand none_runs = b_.unary(Op::inot, Type::i32, c_.in_some_instance(c_.running()));
    const Operand others = c_.in_some_instance(c_.i32(Op::iandnot, c_.running(), c_.enabled));
    Operand result = some;
    if (c_.settings.is(PolicyId::divergent_branch, "each")) {
      c_.unknown("each instance goes its own way");
      result = c_.enabled;
    } else if (c_.settings.is(PolicyId::divergent_branch, "trap")) {
      const Operand mixed = c_.i32(Op::iand, some, others);
      c_.traps.push_back({.condition = mixed,
                          .reason = "divergent branch: its condition holds in some running instances of the task only",
                          .is_of_task = true});
    } else {
      c_.unknown("a branch whose condition holds in some instances only is taken");
    }
    return c_.settings.is(PolicyId::idle_branch, "taken") ? c_.i32(Op::ior, result, none_runs) : result;
  }

  // ---- masks. A count of 0 is an instance that runs.

  struct Count {
    Operand value, is_masked;  ///< the new count, and all ones where PE becomes 0
  };

  Operand is_zero(Operand value) { return c_.i32(Op::ieq, value, c_.zero()); }
  Operand is_not_zero(Operand value) { return c_.i32(Op::ine, value, c_.zero()); }

  /// The condition an instruction tests: all ones where it holds.
  Operand tested() {
    switch (item_.get(F::pcnd)) {
      case 0:
        return c_.ones();
      case 1:
        return state_.p0;
      case 2:
        return c_.zero();
      default:
        return b_.unary(Op::inot, Type::i32, state_.p0);
    }
  }

  Count choose(Operand mask, const Count& x, const Count& y) {
    return {c_.choose(mask, x.value, y.value), c_.choose(mask, x.is_masked, y.is_masked)};
  }

  /// count > adjust ? count - adjust : 0
  Count lowered(Operand count, Operand adjust) {
    const Operand stays = c_.i32(Op::ilt_u, adjust, count);
    return {c_.choose(stays, c_.i32(Op::isub, count, adjust), c_.zero()), stays};
  }

  void change_mask(std::string_view name) {
    const Operand count = c_.read(0), adjust = number(item_.get(F::adjust));
    const Operand condition = tested(), runs = is_zero(count);
    const Count as_it_was{count, c_.ones()}, running_count{c_.zero(), c_.zero()};
    Count result;
    Operand p0;
    if (name == "cndst") {
      result = choose(c_.i32(Op::iand, condition, runs), running_count, {c_.i32(Op::iadd, count, adjust), c_.ones()});
    } else if (name == "cndef") {
      const Operand enters = c_.i32(Op::iand, condition, c_.i32(Op::ieq, count, number(1)));
      result = choose(runs, {adjust, is_not_zero(adjust)}, choose(enters, running_count, as_it_was));
    } else if (name == "cndsm") {
      const Operand level = c_.read(2);
      result = choose(c_.i32(Op::iand, condition, runs), {level, is_not_zero(level)}, {count, is_not_zero(count)});
    } else if (name == "cndlt") {
      result = loop_test(count, adjust, condition, runs, p0);
    } else if (name == "cndend") {
      result = lowered(count, adjust);
    } else if (name.starts_with("cndsetl")) {
      if (name == "cndsetl.a") c_.unknown("cndsetl.a is taken to select as cndsetl.b does");
      result = call_link(count);
    } else {  // cndlpc
      result =
          choose(runs, {number(2), c_.ones()}, choose(c_.i32(Op::ieq, count, number(1)), running_count, as_it_was));
    }
    c_.mask();
    c_.keep(state_.w0, result.value);
    if (c_.group.w0p) c_.write(c_.group.written[0], 0, state_.w0);
    c_.keep(state_.masked, result.is_masked);
    if (!p0.is_none()) c_.keep(state_.p0, p0);
    c_.unmask();
  }

  Count loop_test(Operand count, Operand adjust, Operand condition, Operand runs, Operand& p0) {
    const Operand again = c_.in_some_instance(c_.i32(Op::iandnot, condition, state_.masked));
    p0 = again;
    const Operand leaves = c_.i32(Op::iandnot, runs, condition);
    const Count goes_on = choose(leaves, {adjust, c_.ones()}, {count, is_not_zero(count)});
    return choose(again, goes_on, lowered(count, adjust));
  }

  /// The link of the first instance that runs is the task's; those that call another place wait.
  Count call_link(Operand count) {
    const Operand wanted = c_.read(2);
    const Operand first = b_.binary(Op::task_first, Type::i32, wanted, c_.running());
    c_.keep(state_.link, c_.i32(Op::ishl, first, number(1)));
    const Operand waits = c_.i32(Op::iand, is_zero(count), c_.i32(Op::ine, wanted, first));
    return choose(waits, {number(1), c_.ones()}, {count, is_not_zero(count)});
  }

  GroupContext& c_;
  ir::Builder& b_;
  const State& state_;
  const Item& item_;
};

}  // namespace

Exit lift_control(GroupContext& context) { return Control(context).lift(); }

bool changes_masks(const Group& group) {
  return !group.raw() && group.item(Word::control) && group.item(Word::control).op->name.starts_with("cnd");
}

std::string control_fault(const Group& group, const Settings& settings, const State& state) {
  const Item& item = group.item(Word::control);
  const std::string_view name = item.op->name;
  if (item.form == &forms::branch) {
    const unsigned rule = item.get(F::bpred);
    const bool conditional = group.condition == Condition::if_p0 || group.condition == Condition::if_not_p0;
    if (rule > take_by_all && settings.is(PolicyId::anyinst_branch, "trap"))
      return "when br.anyinst is taken is not published; see the policy anyinst_branch";
    if (rule == take_by_all && conditional && settings.is(PolicyId::allinst_condition, "trap"))
      return "when br.allinst with a condition is taken is not published; see the policy allinst_condition";
    return {};
  }
  if (name == "cndsetl.a" && settings.is(PolicyId::call_link, "trap"))
    return "what cndsetl.a does is not published; see the policy call_link";
  if (item.form == &forms::sbo && settings.is(PolicyId::base_offset, "trap"))
    return "how " + std::string(name) + " counts is not published; see the policy base_offset";
  if (item.form->find(F::coff) != nullptr) {
    const LateWrites writes = late_writes(group);
    if (!register_exists(writes.first, writes.count - 1, state)) return "there are not that many temporaries";
    return name == "ditr" ? iterate_fault(group, item, state) : iterate_and_sample_fault(group, item, state);
  }
  return {};
}

}  // namespace mobula::rogue::lifting
