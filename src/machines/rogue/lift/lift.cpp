#include "machines/rogue/lift/lift.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/hexadecimal.h"
#include "ir/builder.h"
#include "ir/passes.h"
#include "machines/rogue/lift/backend.h"
#include "machines/rogue/lift/bitwise.h"
#include "machines/rogue/lift/control.h"
#include "machines/rogue/lift/fence.h"
#include "machines/rogue/lift/group.h"
#include "machines/rogue/lift/main.h"
#include "machines/rogue/lift/policies.h"
#include "machines/rogue/lift/state.h"
#include "machines/rogue/lift/text_only.h"
#include "machines/rogue/lift/visibility.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace lifting {
namespace {

/// Bounds memory: groups that index a bank take a thousand operations, real ones some dozen.
constexpr std::uint64_t operation_limit = 4'000'000;

bool is_written(const Group& group, bool (*wanted)(const Register&)) {
  return !group.raw() && ((group.w0p && wanted(group.written[0])) || (group.w1p && wanted(group.written[1])));
}
bool is_of_task(const Register& reg) {
  if (reg.indexed()) return !is_index_register(reg) && indexed_space(reg) && is_task_wide(*indexed_space(reg));
  const auto place = place_of(reg);
  return place && is_task_wide(place->space);
}
bool emits_pixels(const Group& group) {
  const Item& item = group.item(Word::backend);
  return !group.raw() && item && item.op->has(emits_pixel);
}
unsigned base_unit(const Settings& settings) {
  if (settings.is(PolicyId::base_offset, "trap")) return 0;
  return settings.is(PolicyId::base_offset, "fours") ? 4 : 1;
}
/// Numbers of textures and images whose type has the word in its name: an array has several.
std::set<std::uint32_t> numbers_of(const Interface& interface, std::string_view word) {
  std::set<std::uint32_t> numbers;
  for (const Variable& each : interface.uniforms) {
    if (each.type.find(word) == std::string::npos) continue;
    const std::size_t bracket = each.type.find('[');
    std::uint32_t count = 1;
    if (bracket != std::string::npos)
      std::from_chars(each.type.data() + bracket + 1, each.type.data() + each.type.size(), count);
    constexpr std::uint32_t most = 1024;  // whose state shared registers have room for
    for (std::uint32_t i = 0; i < std::min(count, most); ++i)
      numbers.insert(static_cast<std::uint32_t>(each.driver_location) + i);
  }
  return numbers;
}
/// Whether a workgroup is of more instances than a task, whose shared registers then are those of several.
bool has_several_tasks(const Interface& interface) {
  constexpr std::uint64_t task_instances = 32;
  const auto& size = interface.local_size;
  return interface.stage == Stage::compute && std::uint64_t{size[0]} * size[1] * size[2] > task_instances;
}
/// Those before what drivers provide.
unsigned shared_registers(const Interface& interface) {
  constexpr std::uint32_t most = 4096;
  return std::min(interface.ubo_count.value_or(0), most);
}
void collect_written_shared(const Group& group, ProgramFacts& facts) {
  const auto add = [&](const Register& reg, unsigned count) {
    if (reg.indexed()) {
      facts.indexes_written_shared = facts.indexes_written_shared || indexed_space(reg) == Space::shared;
      return;
    }
    const auto place = place_of(reg);
    for (unsigned i = 0; place && place->space == Space::shared && i < count; ++i)
      facts.written_shared.insert(place->number + i);
  };
  if (group.w0p) add(group.written[0], group.repeat);
  if (group.w1p) add(group.written[1], group.repeat);
  const LateWrites late = late_writes(group);
  if (late.count != 0) add(late.first, late.count);
}
ProgramFacts facts_of(const Program& program, std::span<const Group> groups, const Settings& settings) {
  ProgramFacts facts{.arrivals = Arrivals(groups)};
  const Interface& interface = program.interface;
  if (interface.stage == Stage::fragment && !interface.outputs.empty()) facts.outputs = &interface.outputs;
  facts.cubes = numbers_of(interface, "samplerCube");
  facts.images = numbers_of(interface, "image");
  facts.several_tasks = has_several_tasks(interface);
  for (const Group& group : groups) {
    if (group.raw()) continue;
    collect_written_shared(group, facts);
    facts.masks = facts.masks || changes_masks(group);
    const Item &backend = group.item(Word::backend), &control = group.item(Word::control);
    if (control && control.form->is(forms::mutex)) facts.mutexes |= 1u << control.get(F::id);
    if (!backend) continue;
    facts.depth = facts.depth || backend.op->does == does::Backend::depth;
    facts.feedback = facts.feedback || tells_visibility(backend);
    facts.phases = facts.phases ||
                   (backend.op->does == does::Backend::change_phase && !settings.is(PolicyId::phase_change, "trap"));
  }
  return facts;
}
/// By byte offset.
using TextOnlyGroups = std::map<std::uint32_t, TextOnly>;

TextOnlyGroups text_only_groups(const Program& program, std::span<const Group> groups) {
  TextOnlyGroups all;
  for (const Group& group : groups)
    if (group.modelled.present) all.emplace(group.offset, text_only_of(program, group));
  return all;
}
bool ends_task_in_backend(const Group& group) {
  const Item& item = group.item(Word::backend);
  return item && item.op->has(ends_task);
}

class ProgramLifter {
 public:
  ProgramLifter(const Program& program, const Settings& settings)
      : program_(program),
        settings_(settings),
        groups_(decode(program)),
        text_only_(text_only_groups(program, groups_)),
        state_(groups_, base_unit(settings), has_several_tasks(program.interface), shared_registers(program.interface)),
        builder_(state_.slots()),
        facts_(facts_of(program, groups_, settings)) {
    const auto some = [&](auto test) { return std::any_of(groups_.begin(), groups_.end(), test); };
    puts_out_pixels_ = some([](const Group& group) { return is_written(group, is_pixel_output); }) &&
                       !some(emits_pixels) && program.interface.stage != Stage::vertex &&
                       program.interface.stage != Stage::compute;
    // A program that only gives depths puts out a pixel, too, where it is known to be of pixels.
    const bool gives_depth = facts_.feedback && program.interface.stage == Stage::fragment && !some(emits_pixels);
    puts_out_pixels_ = puts_out_pixels_ || gives_depth;
  }

  Result<ir::Program> lift() {
    for (const Group& group : groups_) {
      lift_group(group);
      if (operations_ > operation_limit)
        return fail("RG901", "the program takes more than " + std::to_string(operation_limit) + " micro-operations",
                    "run a part of it");
    }
    ir::Program lifted = builder_.finish(program_.entry);
    lifted.volatile_state = state_.group_local();
    ir::coalesce(lifted);
    return lifted;
  }

 private:
  void lift_group(const Group& group);
  void lift_passes(GroupContext& context);
  [[nodiscard]] std::string fault(const Group& group) const;
  static Operand is_first(GroupContext& context, Operand waits);
  static Operand take_turn(GroupContext& context);
  static Operand end_turn(GroupContext& context, Operand wanted);
  void expect_free_mutexes(GroupContext& context);
  /// The phase that follows an end: where there is none (all ones), else its address.
  struct NextPhase {
    Operand none, address;
  };
  NextPhase take_phase(GroupContext& context) const;
  void leave(const Exit& exit, const NextPhase& next, const Group& group);

  const Program& program_;
  const Settings& settings_;
  const std::vector<Group> groups_;
  const TextOnlyGroups text_only_;
  const State state_;
  ir::Builder builder_;
  const ProgramFacts facts_;
  bool puts_out_pixels_ = false;  ///< at its end
  std::uint64_t operations_ = 0;
};

std::string ProgramLifter::fault(const Group& group) const {
  if (group.raw()) return "the bytes are not a group: " + std::string(group.problem.text);
  if (const auto found = text_only_.find(group.offset); found != text_only_.end())
    return text_only_fault(found->second, settings_, state_);
  if (const auto refused = refusal_of(group, program_.variant)) return refused->found;
  if (std::string reason = register_fault(group, state_); !reason.empty()) return reason;
  if (group.alu == Alu::control) return control_fault(group, settings_, state_);
  return group.alu == Alu::main ? main_fault(group, settings_, state_) : std::string();
}

void ProgramLifter::lift_group(const Group& group) {
  builder_.begin_block(group.offset, group.size);
  if (const std::string reason = fault(group); !reason.empty()) {
    builder_.rests_on(Status::unknown);
    builder_.trap("group at " + hexadecimal(group.offset) + ": " + reason);
    builder_.end_block();
    return;
  }
  for (const Item& item : group.items)
    if (item) builder_.rests_on(item.op->fact.status);
  GroupContext context(builder_, group, state_, settings_, facts_);
  context.enabled = context.condition();
  Exit exit;
  Operand again;
  if (group.alu == Alu::control) {
    exit = lift_control(context);
  } else {
    const bool by_turns = group.atom && is_written(group, is_of_task);
    const Operand wanted = by_turns ? take_turn(context) : Operand{};
    lift_passes(context);
    if (by_turns) again = end_turn(context, wanted);
    exit.kind = group.ends() || ends_task_in_backend(group) ? Exit::Kind::end : Exit::Kind::on;
  }
  if (exit.kind == Exit::Kind::end && puts_out_pixels_) put_out_pixel(context);
  if (exit.kind == Exit::Kind::end) expect_free_mutexes(context);
  const NextPhase next = exit.kind == Exit::Kind::end && facts_.phases ? take_phase(context) : NextPhase{};
  // What a trap tests must be made before the first of them: nothing but control follows control.
  for (Trap& trap : context.traps)
    if (!context.enabled.is_none() && !trap.is_of_task)
      trap.condition = context.choose(context.enabled, trap.condition, context.zero());
  Operand unseen;
  if (exit.kind == Exit::Kind::end && puts_out_pixels_ && facts_.feedback) {
    context.unmask();  // who does not run is not seen, either
    unseen = context.i32(ir::Op::ieq, state_.visible, context.zero());
  }
  operations_ += builder_.block_operations();
  for (const Trap& trap : context.traps) builder_.trap_if(trap.condition, trap.reason);
  if (!again.is_none()) builder_.branch_if(again, group.offset);
  if (!unseen.is_none()) builder_.discard_if(unseen);
  leave(exit, next, group);
}

void ProgramLifter::lift_passes(GroupContext& context) {
  context.mask();
  if (const auto found = text_only_.find(context.group.offset); found != text_only_.end()) {
    lift_text_only(context, found->second);
    context.unmask();
    return;
  }
  for (unsigned pass = 0; pass < context.group.repeat; ++pass) {
    context.pass = pass;
    if (context.group.alu == Alu::main)
      lift_main(context);
    else
      lift_bitwise(context);
  }
  context.unmask();
}

/// All ones in one instance of those that wait.
Operand ProgramLifter::is_first(GroupContext& context, Operand waits) {
  if (context.facts.several_tasks) {
    // The first of all tasks that counts itself.
    context.store_word(context.turn_word(), context.zero(), waits);
    const Operand before =
        context.change_word(context.turn_word(), ir::AtomicOp::add, context.b.constant_u32(1), waits);
    return context.i32(Op::ieq, before, context.zero());
  }
  const Operand lane = context.b.temporary(Type::i32);
  context.b.emit(Op::task_lane, Type::i32, lane);
  const Operand next = context.b.binary(Op::task_first, Type::i32, lane, waits);
  return context.i32(Op::ieq, lane, next);
}

/// `atom`: one instance after the other executes the group, in the order of their numbers. The block leads back to
/// itself until all have had their turn. Returns where the group is to be executed at all.
Operand ProgramLifter::take_turn(GroupContext& context) {
  const Operand wanted = context.enabled_mask(), done = context.state.done;
  const Operand waits = context.keep(context.b.temporary(Type::i32), context.i32(Op::iandnot, wanted, done));
  context.enabled = context.i32(Op::iand, waits, is_first(context, waits));
  return wanted;
}
/// All ones while an instance still waits.
Operand ProgramLifter::end_turn(GroupContext& context, Operand wanted) {
  const Operand done = context.i32(Op::ior, context.state.done, context.enabled);
  const Operand waits = context.i32(Op::iandnot, wanted, done);
  const Operand again = context.b.binary(Op::task_first, Type::i32, context.ones(), waits);
  context.keep(context.state.done, context.i32(Op::iand, done, again));
  return again;
}

/// A task that ends and keeps a mutex keeps all others from it.
void ProgramLifter::expect_free_mutexes(GroupContext& context) {
  for (unsigned id = 0; id < 32; ++id)
    if ((facts_.mutexes >> id & 1) != 0)
      context.traps.push_back({.condition = context.i32(ir::Op::ilsr, state_.mutexes, builder_.constant_u32(id)),
                               .reason = "the program ends and has not released mutex " + std::to_string(id) +
                                         ": whoever locks it next waits forever",
                               .is_of_task = true});
}

ProgramLifter::NextPhase ProgramLifter::take_phase(GroupContext& context) const {
  const Operand none = context.i32(ir::Op::ieq, state_.next_phase, context.zero());
  const Operand address = context.i32(ir::Op::iand, state_.next_phase, context.b.constant_u32(~1u));
  context.keep(state_.next_phase, context.zero());
  return {none, address};
}

void ProgramLifter::leave(const Exit& exit, const NextPhase& next, const Group& group) {
  switch (exit.kind) {
    case Exit::Kind::end:
      if (next.address.is_none()) return builder_.end_block(std::nullopt);
      builder_.end_if(next.none);
      builder_.branch_indirect(next.address);
      break;
    case Exit::Kind::link:
      builder_.branch_indirect(state_.link);
      break;
    case Exit::Kind::branch:
      if (exit.target < 0)
        builder_.trap_if(exit.condition, "branch to before the program");
      else
        builder_.branch_if(exit.condition, static_cast<std::uint64_t>(exit.target));
      break;
    case Exit::Kind::wait:
      // Whoever waits tries again once no other instance can go on.
      builder_.branch_if(exit.condition, group.offset + group.size);
      builder_.barrier();
      return builder_.end_block(group.offset);
    case Exit::Kind::on:
      break;
  }
  builder_.end_block();
}

}  // namespace
}  // namespace lifting

Result<ir::Program> lift(const Program& program, const Policies& policies) {
  Result<Settings> settings = choose_settings(policies);
  if (!settings) return fail(std::move(settings).error());
  return lifting::ProgramLifter(program, *settings).lift();
}

}  // namespace mobula::rogue
