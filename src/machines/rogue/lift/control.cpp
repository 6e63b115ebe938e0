#include "machines/rogue/lift/control.h"

#include "machines/rogue/lift/fence.h"
#include "machines/rogue/lift/iterate.h"
#include "machines/rogue/lift/texture.h"
#include "machines/rogue/text/print_instruction.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned take_by_condition = 0, take_by_all = 1;

class ControlPass {
 public:
  explicit ControlPass(GroupContext& context)
      : c_(context), b_(context.b), state_(context.state), item_(context.group.item(Word::control)) {}

  Exit lift() {
    using does::Control;
    switch (item_.op->does.as<Control>()) {
      case Control::branch:
        return branch();
      case Control::return_to_link:
        return {.kind = Exit::Kind::link};
      case Control::save_link:
        save_link();
        break;
      case Control::start_mask:
        change_mask(&ControlPass::started);
        break;
      case Control::else_mask:
        change_mask(&ControlPass::entered);
        break;
      case Control::set_mask:
        change_mask(&ControlPass::levelled);
        break;
      case Control::test_loop:
        change_mask(&ControlPass::loop_test);
        break;
      case Control::end_mask:
        change_mask(&ControlPass::lowered);
        break;
      case Control::select_link_a:
        change_mask(&ControlPass::call_link_a);
        break;
      case Control::select_link_b:
        change_mask(&ControlPass::call_link);
        break;
      case Control::end_call:
        change_mask(&ControlPass::call_ended);
        break;
      case Control::wait_fence:
        wait_for(c_, c_.group.miscctl);
        break;
      case Control::mutex_lock:
        if (c_.facts.several_tasks) return lock_among_tasks();
        lock_mutex();
        break;
      case Control::mutex_release:
        release_mutex();
        break;
      case Control::mutex_release_wakeup:
        release_mutex();
        if (c_.facts.several_tasks) wake();
        break;
      case Control::mutex_release_sleep:
        if (c_.facts.several_tasks) return sleep_among_tasks();
        sleep_at_mutex(release_mutex());
        break;
      case Control::base_of_coefficients:
        set_base(Space::coefficient);
        break;
      case Control::base_of_shared:
        set_base(Space::shared);
        break;
      case Control::iterate:
        c_.mask();
        lift_ditr(c_, item_);
        c_.unmask();
        break;
      case Control::iterate_and_sample:
        c_.mask();
        lift_iterate_and_sample(c_, item_);
        c_.unmask();
        break;
      case Control::wait_output:  // what is put out is there at once
      case Control::nothing:
        break;
    }
    return {.kind = c_.group.ends() ? Exit::Kind::end : Exit::Kind::on};
  }

 private:
  Operand number(std::uint32_t value) { return b_.constant_u32(value); }

  /// Where the group's condition holds in an instance, the task does it.
  Operand task_does() { return c_.enabled.is_none() ? c_.ones() : c_.in_some_instance(c_.enabled); }

  void set_base(Space space) {
    const bool in_fours = c_.settings.is(PolicyId::base_offset, "fours");
    c_.unknown("what a base offset counts is not published; see the policy base_offset");
    const Operand base = number(item_.get(F::sbo_offset) * (in_fours ? 4 : 1));
    c_.keep(state_.base(space), c_.choose(task_does(), base, state_.base(space)));
  }

  // ---- mutexes. A task that is a workgroup is alone, so what it does not hold is free.

  [[nodiscard]] std::string mutex_name() const { return "mutex " + std::to_string(item_.get(F::id)); }
  Operand mutex_bit() {
    c_.inferred("the workgroup is assumed to be alone: mutexes that none of its tasks holds are free");
    return number(1u << item_.get(F::id));
  }
  Operand is_held(Operand bit) { return c_.i32(Op::ine, c_.i32(Op::iand, state_.mutexes, bit), c_.zero()); }
  void stop_task(Operand does, Operand where, std::string reason) {
    c_.traps.push_back({.condition = c_.i32(Op::iand, does, where), .reason = std::move(reason), .is_of_task = true});
  }

  void lock_mutex() {
    const Operand bit = mutex_bit(), does = task_does();
    stop_task(does, is_held(bit), mutex_name() + " is locked by this task already: it waits for itself forever");
    c_.keep(state_.mutexes, c_.choose(does, c_.i32(Op::ior, state_.mutexes, bit), state_.mutexes));
  }
  /// Where the task does it.
  Operand release_mutex() {
    const Operand bit = mutex_bit(), does = task_does();
    stop_task(does, b_.unary(Op::inot, Type::i32, is_held(bit)),
              mutex_name() + " is released, but this task does not hold it");
    c_.keep(state_.mutexes, c_.choose(does, c_.i32(Op::iandnot, state_.mutexes, bit), state_.mutexes));
    if (c_.facts.several_tasks) c_.store_word(word(GroupContext::is_locked), c_.zero(), does);
    return does;
  }

  [[nodiscard]] unsigned word(GroupContext::MutexWord which) const { return c_.mutex_word(item_.get(F::id), which); }
  /// One instance of the task, where it does something.
  Operand speaker() {
    const Operand lane = b_.temporary(Type::i32), does = c_.enabled_mask();
    b_.emit(Op::task_lane, Type::i32, lane);
    return c_.i32(Op::iand, does, c_.i32(Op::ieq, lane, b_.binary(Op::task_first, Type::i32, lane, does)));
  }
  Exit lock_among_tasks() {
    const Operand bit = mutex_bit(), does = task_does(), one = speaker();
    stop_task(does, is_held(bit), mutex_name() + " is locked by this task already: it waits for itself forever");
    const Operand before = c_.change_word(word(GroupContext::is_locked), ir::AtomicOp::exchange, number(1), one);
    const Operand was_free = c_.i32(Op::ieq, before, c_.zero());
    const Operand locks = c_.keep(b_.temporary(Type::i32), b_.binary(Op::task_first, Type::i32, was_free, one));
    c_.keep(state_.mutexes, c_.choose(locks, c_.i32(Op::ior, state_.mutexes, bit), state_.mutexes));
    return {.kind = Exit::Kind::wait, .condition = c_.i32(Op::ior, locks, b_.unary(Op::inot, Type::i32, does))};
  }
  void wake() { c_.change_word(word(GroupContext::wakings), ir::AtomicOp::add, number(1), speaker()); }
  /// Releases the mutex, and executes the group again until another task has woken those that sleep there.
  Exit sleep_among_tasks() {
    const Operand bit = mutex_bit(), does = task_does();
    const Operand falls_asleep = c_.keep(b_.temporary(Type::i32), c_.i32(Op::iandnot, does, state_.asleep));
    stop_task(falls_asleep, b_.unary(Op::inot, Type::i32, is_held(bit)),
              mutex_name() + " is released, but this task does not hold it");
    const Operand wakings = c_.load_word(word(GroupContext::wakings));
    const Operand woken =
        c_.keep(b_.temporary(Type::i32), c_.i32(Op::iand, state_.asleep, c_.i32(Op::ine, wakings, state_.wakings)));
    c_.keep(state_.wakings, c_.choose(falls_asleep, wakings, state_.wakings));
    c_.keep(state_.mutexes, c_.choose(falls_asleep, c_.i32(Op::iandnot, state_.mutexes, bit), state_.mutexes));
    c_.store_word(word(GroupContext::is_locked), c_.zero(), falls_asleep);
    c_.keep(state_.asleep, c_.i32(Op::iandnot, does, woken));
    return {.kind = Exit::Kind::wait, .condition = c_.i32(Op::ior, woken, b_.unary(Op::inot, Type::i32, does))};
  }
  void sleep_at_mutex(Operand does) {
    if (!c_.settings.is(PolicyId::mutex_sleep, "trap")) return;
    stop_task(does, c_.ones(),
              "the task sleeps at " + mutex_name() +
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
      case value::pcnd_always:
        return c_.ones();
      case value::pcnd_p0:
        return state_.p0;
      case value::pcnd_never:
        return c_.zero();
      default:  // pcnd_not_p0: the field has two bits
        return b_.unary(Op::inot, Type::i32, state_.p0);
    }
  }

  Count choose(Operand mask, const Count& x, const Count& y) {
    return {c_.choose(mask, x.value, y.value), c_.choose(mask, x.is_masked, y.is_masked)};
  }

  /// What an instruction that changes masks goes by.
  struct MaskInput {
    Operand count, adjust, condition, runs;
    [[nodiscard]] Operand starts(GroupContext& c) const { return c.i32(Op::iand, condition, runs); }
  };
  [[nodiscard]] Count running_count() { return {c_.zero(), c_.zero()}; }
  [[nodiscard]] Count as_it_was(const MaskInput& in) { return {in.count, c_.ones()}; }

  /// `counted` may leave a new P0 in new_p0_.
  void change_mask(Count (ControlPass::*counted)(const MaskInput&)) {
    const Operand count = c_.read(0), adjust = number(item_.get(F::adjust));
    const Operand condition = tested(), runs = is_zero(count);
    const Count result = (this->*counted)({count, adjust, condition, runs});
    c_.mask();
    c_.keep(state_.w0, result.value);
    if (c_.group.w0p) c_.write(c_.group.written[0], 0, state_.w0);
    c_.keep(state_.masked, result.is_masked);
    if (!new_p0_.is_none()) c_.keep(state_.p0, new_p0_);
    c_.unmask();
  }

  Count started(const MaskInput& in) {
    // Named one by one: compilers disagree on which argument comes first.
    const Operand deeper = c_.i32(Op::iadd, in.count, in.adjust);
    const Count running = running_count();
    return choose(in.starts(c_), running, {deeper, c_.ones()});
  }
  Count entered(const MaskInput& in) {
    const Operand enters = c_.i32(Op::iand, in.condition, c_.i32(Op::ieq, in.count, number(1)));
    const Count unchanged = as_it_was(in);
    const Count waiting = choose(enters, running_count(), unchanged);
    return choose(in.runs, {in.adjust, is_not_zero(in.adjust)}, waiting);
  }
  Count levelled(const MaskInput& in) {
    const Operand level = c_.read(2);
    const Operand is_masked = is_not_zero(in.count), is_level = is_not_zero(level);
    return choose(in.starts(c_), {level, is_level}, {in.count, is_masked});
  }
  /// count > adjust ? count - adjust : 0
  Count lowered(const MaskInput& in) {
    const Operand stays = c_.i32(Op::ilt_u, in.adjust, in.count);
    return {c_.choose(stays, c_.i32(Op::isub, in.count, in.adjust), c_.zero()), stays};
  }
  Count loop_test(const MaskInput& in) {
    const Operand again = c_.in_some_instance(c_.i32(Op::iandnot, in.condition, state_.masked));
    new_p0_ = again;
    const Operand leaves = c_.i32(Op::iandnot, in.runs, in.condition);
    const Count goes_on = choose(leaves, {in.adjust, c_.ones()}, {in.count, is_not_zero(in.count)});
    return choose(again, goes_on, lowered(in));
  }
  Count call_ended(const MaskInput& in) {
    const Count unchanged = as_it_was(in);
    const Operand ends = c_.i32(Op::ieq, in.count, number(1));
    return choose(in.runs, {number(2), c_.ones()}, choose(ends, running_count(), unchanged));
  }
  /// The link of the first instance that runs is the task's; those that call another place wait.
  Count call_link(const MaskInput& in) {
    const Operand wanted = c_.read(2);
    const Operand first = b_.binary(Op::task_first, Type::i32, wanted, c_.running());
    c_.keep(state_.link, c_.i32(Op::ishl, first, number(1)));
    const Operand waits = c_.i32(Op::iand, is_zero(in.count), c_.i32(Op::ine, wanted, first));
    return choose(waits, {number(1), c_.ones()}, {in.count, is_not_zero(in.count)});
  }
  Count call_link_a(const MaskInput& in) {
    c_.unknown("cndsetl.a is assumed to select as cndsetl.b does");
    return call_link(in);
  }

  GroupContext& c_;
  ir::Builder& b_;
  const State& state_;
  const Item& item_;
  Operand new_p0_;
};

std::string branch_fault(const Group& group, const Item& item, const Settings& settings) {
  const unsigned rule = item.get(F::bpred);
  const bool conditional = group.condition == Condition::if_p0 || group.condition == Condition::if_not_p0;
  if (rule > take_by_all && settings.is(PolicyId::anyinst_branch, "trap"))
    return "when br.anyinst is taken is not published; see the policy anyinst_branch";
  if (rule == take_by_all && conditional && settings.is(PolicyId::allinst_condition, "trap"))
    return "when br.allinst with a condition is taken is not published; see the policy allinst_condition";
  return {};
}

/// Why the registers that an iteration writes late are not there.
std::string late_fault(const Group& group, const State& state) {
  const LateWrites writes = late_writes(group);
  return register_exists(writes.first, writes.count - 1, state) ? "" : "there are not that many temporaries";
}

}  // namespace

Exit lift_control(GroupContext& context) { return ControlPass(context).lift(); }

bool changes_masks(const Group& group) {
  return !group.raw() && group.item(Word::control) && group.item(Word::control).op->has(rogue::changes_masks);
}

std::string control_fault(const Group& group, const Settings& settings, const State& state) {
  const Item& item = group.item(Word::control);
  using does::Control;
  switch (item.op->does.as<Control>()) {
    case Control::branch:
      return branch_fault(group, item, settings);
    case Control::select_link_a:
      if (settings.is(PolicyId::call_link, "trap"))
        return "what cndsetl.a does is not published; see the policy call_link";
      break;
    case Control::base_of_coefficients:
    case Control::base_of_shared:
      if (settings.is(PolicyId::base_offset, "trap"))
        return "how " + std::string(item.op->name) + " counts is not published; see the policy base_offset";
      break;
    case Control::iterate:
      if (std::string fault = late_fault(group, state); !fault.empty()) return fault;
      return iterate_fault(group, item, state);
    case Control::iterate_and_sample:
      if (std::string fault = late_fault(group, state); !fault.empty()) return fault;
      return iterate_and_sample_fault(group, item, state);
    case Control::return_to_link:
    case Control::save_link:
    case Control::start_mask:
    case Control::else_mask:
    case Control::set_mask:
    case Control::test_loop:
    case Control::end_mask:
    case Control::select_link_b:
    case Control::end_call:
    case Control::wait_output:
    case Control::wait_fence:
    case Control::mutex_release:
    case Control::mutex_release_sleep:
    case Control::mutex_release_wakeup:
    case Control::mutex_lock:
    case Control::nothing:
      break;
  }
  return {};
}

}  // namespace mobula::rogue::lifting
