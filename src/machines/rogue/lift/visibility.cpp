#include "machines/rogue/lift/visibility.h"

#include "machines/rogue/lift/float.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned valid_mask = 0, coverage_xy = 4;  // of msk_mode
constexpr unsigned task_instances = 32;

/// All ones where bit `bit` of the number is 1.
Operand has_bit(GroupContext& context, Operand number, unsigned bit) {
  const Operand shifted = context.i32(Op::ilsr, number, context.b.constant_u32(bit));
  return context.i32(Op::isub, context.zero(), context.i32(Op::iand, shifted, context.b.constant_u32(1)));
}

/// data OP reference. The numbers of Vulkan's comparisons are sums: 1 less, 2 equal, 4 greater; a NaN is not equal.
Operand compared(GroupContext& context, Operand operation, Operand data, Operand reference) {
  ir::Builder& b = context.b;
  const auto holds = [&](Op op, Operand x, Operand y) { return b.binary(op, Type::f32, x, y); };
  const Operand less = has_bit(context, operation, 0), equal = has_bit(context, operation, 1),
                greater = has_bit(context, operation, 2);
  const Operand ordered = context.i32(Op::ior, context.i32(Op::iand, less, holds(Op::flt, data, reference)),
                                      context.i32(Op::iand, greater, holds(Op::flt, reference, data)));
  const Operand differs =
      context.choose(context.i32(Op::iand, less, greater), holds(Op::fne, data, reference), ordered);
  return context.i32(Op::ior, differs, context.i32(Op::iand, equal, holds(Op::feq, data, reference)));
}

/// A bit for each instance of the task that runs.
Operand running_instances(GroupContext& context) {
  ir::Builder& b = context.b;
  const Operand lane = b.temporary(Type::i32);
  b.emit(Op::task_lane, Type::i32, lane);
  Operand all = context.zero();
  for (unsigned i = 0; i < task_instances; ++i) {
    const Operand runs = context.i32(Op::iand, context.running(), context.i32(Op::ieq, lane, b.constant_u32(i)));
    const Operand bit = b.binary(Op::task_first, Type::i32, b.constant_u32(1u << i), runs);
    all = context.i32(Op::ior, all, bit);
  }
  return context.keep(b.temporary(Type::i32), all);
}

}  // namespace

bool tells_visibility(const Item& item) {
  return item.op->does == does::Backend::depth || (item.op->does == does::Backend::alpha_test && item.get(F::ifb) == 0);
}

Operand mask_result(GroupContext& context, const Item& item) {
  const Operand low_bit = context.b.constant_u32(1);
  if (item.op->has(reads_masks)) {
    context.unknown("what movmsk gives is not published; see the policy execution_mask");
    if (context.settings.is(PolicyId::execution_mask, "instance"))
      return context.i32(Op::iand, context.running(), low_bit);
    context.unmask();  // the whole task is asked
    const Operand mask = running_instances(context);
    context.mask();
    return mask;
  }
  if (item.get(F::msk_mode) != valid_mask)
    context.unknown("masks of coverage are assumed to be those of valid samples; see the policy coverage");
  context.inferred("a pixel is assumed to have one sample");
  return context.i32(Op::iand, context.state.special(instance_valid), low_bit);
}

void lift_alpha_test(GroupContext& context, const Item& item, std::span<const Operand> sources) {
  context.inferred("the comparison of atst is assumed to be bits 2:0 of its state; see the policy alpha_test");
  const Operand reference = float_operand(context, sources[0], {}), data = float_operand(context, sources[1], {});
  const Operand passes = context.keep(context.b.temporary(Type::i32), compared(context, sources[2], data, reference));
  if (tells_visibility(item)) context.keep(context.state.visible, passes);
  if (item.get(F::pwen) != 0) context.keep(context.state.p0, passes);
}

void lift_depth(GroupContext& context) {
  context.keep(context.state.depth, context.state.w0);
  context.keep(context.state.visible, context.ones());
}

void mask_invisible(GroupContext& context) { context.b.emit(Op::enable, Type::i32, {}, context.state.visible); }

std::string visibility_fault(const Group& group, const Item& item, const Settings& settings) {
  if (item.op->does == does::Backend::alpha_test && settings.is(PolicyId::alpha_test, "trap"))
    return "what the state of atst says is not published; see the policy alpha_test";
  if (!item.op->has(drives_w0)) return {};
  if (group.w1p) return "what " + std::string(item.op->name) + " gives W1 is not published";
  if (group.repeat > 1) return std::string(item.op->name) + " cannot be repeated";
  if (item.op->does == does::Backend::sample_mask) return "what movmsk.sm does is not published";
  if (item.op->has(reads_masks) && settings.is(PolicyId::execution_mask, "trap"))
    return "what movmsk gives is not published; see the policy execution_mask";
  if (item.op->does != does::Backend::save_mask) return {};
  if (item.get(F::msk_mode) >= coverage_xy) return "what savmsk.caxy gives is not published";
  if (item.get(F::msk_mode) != valid_mask && settings.is(PolicyId::coverage, "trap"))
    return "masks of coverage are not published; see the policy coverage";
  return {};
}

}  // namespace mobula::rogue::lifting
