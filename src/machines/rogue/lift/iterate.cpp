#include "machines/rogue/lift/iterate.h"

#include <vector>

#include "machines/rogue/lift/fence.h"
#include "machines/rogue/lift/pack.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned registers_of_a_set = 4;

class Iterator {
 public:
  explicit Iterator(GroupContext& context) : c_(context), b_(context.b) {
    context.inferred("the place of a pixel is assumed to be its centre, counted from the top left of the image");
  }

  /// A x + B y + C of the coefficient set `set` sets after `first`.
  Operand plane(const Register& first, unsigned set) {
    const auto coefficient = [&](unsigned i) { return c_.read(first, registers_of_a_set * set + i); };
    const Operand row = b_.ternary(Op::ffma, Type::f32, coefficient(1), c_.state.special(position_y), coefficient(2));
    return b_.ternary(Op::ffma, Type::f32, coefficient(0), c_.state.special(position_x), row);
  }

  /// `factor` is none, or 1 / W.
  std::vector<Operand> values(const Register& first, unsigned count, Operand factor, bool is_saturated) {
    std::vector<Operand> all;
    for (unsigned i = 0; i < count; ++i) {
      Operand value = plane(first, i);
      if (!factor.is_none()) value = b_.binary(Op::fmul, Type::f32, value, factor);
      if (is_saturated) value = b_.unary(Op::fclamp_unit, Type::f32, value);
      all.push_back(value);
    }
    return all;
  }
  Operand reciprocal(const Register& w) { return b_.unary(Op::frcp, Type::f32, plane(w, 0)); }

 private:
  GroupContext& c_;
  ir::Builder& b_;
};

void note_mode(GroupContext& context, unsigned mode) {
  if (mode != 0) context.unknown("samples and centroids are assumed to lie at the pixel's centre");
}

Register coefficients(const Item& item, F offset, F index) {
  const auto number = static_cast<std::uint16_t>(item.get(offset) * registers_of_a_set);
  switch (item.get(index)) {
    case 1:
      return {Bank::idx0, static_cast<std::uint16_t>(number << 3 | indexed_coefficient)};
    case 2:
      return {Bank::idx1, static_cast<std::uint16_t>(number << 3 | indexed_coefficient)};
    default:
      return {Bank::coefficient, number};
  }
}

std::string set_fault(const Register& first, unsigned sets, const State& state) {
  if (first.bank != Bank::coefficient && first.bank != Bank::coefficient_alt && !first.indexed())
    return "coefficients are not in cf or cfa registers";
  if (!register_exists(first, registers_of_a_set * sets - 1, state)) return "there are not that many coefficients";
  return {};
}

}  // namespace

void lift_fitr(GroupContext& context, const Item& item) {
  const LateWrites writes = late_writes(context.group);
  Iterator iterator(context);
  note_mode(context, item.get(F::iter_mode));
  const bool perspective = item.op->does == does::Backend::iterate_perspective;
  const Operand factor = perspective ? iterator.reciprocal(context.group.slots[2]) : Operand{};
  write_late(context, writes, iterator.values(context.group.slots[0], writes.count, factor, item.get(F::sat) != 0));
}

std::vector<Operand> iterated(GroupContext& context, const Item& item, unsigned count) {
  constexpr unsigned times = 1, times_and_keep = 2, times_kept = 3;
  Iterator iterator(context);
  note_mode(context, item.get(F::mode));
  const unsigned perspective = item.get(F::persp);
  Operand factor;
  if (perspective == times || perspective == times_and_keep)
    factor = iterator.reciprocal(coefficients(item, F::woff, F::woff_idx_ctrl));
  if (perspective == times_and_keep) context.keep(context.state.kept_w, factor);
  if (perspective == times_kept) factor = context.state.kept_w;
  return iterator.values(coefficients(item, F::coff, F::coff_idx_ctrl), count, factor, item.get(F::sat) != 0);
}

void lift_ditr(GroupContext& context, const Item& item) {
  constexpr unsigned waits = 2;
  const LateWrites writes = late_writes(context.group);
  const std::vector<Operand> values = iterated(context, item, writes.count);
  write_late(context, writes, item.get(F::f16) != 0 ? in_halves(context, values) : values);
  if (item.get(F::sched_ctrl) == waits) wait_for(context, writes.counter);
}

std::string iterate_fault(const Group& group, const Item& item, const State& state) {
  const LateWrites writes = late_writes(group);
  if (item.op->does == does::Backend::iterate || item.op->does == does::Backend::iterate_perspective) {
    if (std::string fault = set_fault(group.slots[0], writes.count, state); !fault.empty()) return fault;
    return item.op->does == does::Backend::iterate_perspective ? set_fault(group.slots[2], 1, state) : std::string();
  }
  const unsigned sets = item.op->does == does::Control::iterate ? writes.count : item.get(F::dmn);
  if (std::string fault = set_fault(coefficients(item, F::coff, F::coff_idx_ctrl), sets, state); !fault.empty())
    return fault;
  const bool has_w = item.get(F::persp) == 1 || item.get(F::persp) == 2;
  return has_w ? set_fault(coefficients(item, F::woff, F::woff_idx_ctrl), 1, state) : std::string();
}

}  // namespace mobula::rogue::lifting
