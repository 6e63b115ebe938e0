#include "machines/rogue/lift/text_only.h"

#include "machines/rogue/lift/float.h"

namespace mobula::rogue::lifting {
namespace {

/// Sums of products. Values are halves, or floats where the policy keeps precision to the end.
class SumOfProducts {
 public:
  explicit SumOfProducts(GroupContext& context)
      : c_(context),
        b_(context.b),
        type_(context.settings.is(PolicyId::sop_precision, "f16") ? Type::f16 : Type::f32) {}

  Operand result(const SopLine& line) {
    const auto& o = line.operands;
    if (line.out == SopLine::Out::first) return value(o[0]);
    if (line.out == SopLine::Out::second) return value(o[2]);
    const Operand first = b_.binary(Op::fmul, type_, value(o[0]), value(o[1]));
    if (line.join == SopLine::Join::mad) return b_.binary(Op::fadd, type_, first, value(o[2]));
    const Operand second = b_.binary(Op::fmul, type_, value(o[2]), value(o[3]));
    switch (line.join) {
      case SopLine::Join::mad:
        break;
      case SopLine::Join::add:
        return b_.binary(Op::fadd, type_, first, second);
      case SopLine::Join::sub:
        return minus(first, second);
      case SopLine::Join::min:
        return b_.binary(Op::fmin, type_, first, second);
      case SopLine::Join::max:
        return b_.binary(Op::fmax, type_, first, second);
      case SopLine::Join::rsub:
        return minus(second, first);
    }
    return first;
  }
  Operand as_float(Operand value) { return converted(Type::f32, type_, value); }
  /// In the low half of a word.
  Operand as_half(Operand value) {
    return b_.convert(Op::zext, Type::i32, Type::i16, converted(Type::f16, type_, value));
  }

 private:
  Operand converted(Type to, Type from, Operand value) {
    return to == from ? value : b_.convert(Op::f2f, to, from, value);
  }
  Operand minus(Operand x, Operand y) { return b_.binary(Op::fadd, type_, x, b_.unary(Op::fneg, type_, y)); }
  Operand one_minus(Operand x) { return minus(b_.constant(type_, type_ == Type::f16 ? 0x3C00 : 0x3F800000), x); }

  /// What a slot holds: floats become halves first, whatever the precision of what follows (1.6).
  Operand from_slot(unsigned slot, SopOperand::View view) {
    const Operand word = c_.read(slot);
    if (view != SopOperand::View::f32) {
      const Operand half = word.plus(view == SopOperand::View::e1 ? 2 : 0);
      return converted(type_, Type::f16, half);
    }
    return converted(type_, Type::f16, converted(Type::f16, Type::f32, word));
  }
  Operand value(const SopOperand& operand) {
    Operand x;
    if (operand.slot == SopOperand::zero)
      x = b_.constant(type_, 0);
    else if (operand.slot == SopOperand::z)
      x = b_.binary(Op::fmin, type_, from_slot(1, operand.view), one_minus(from_slot(0, operand.view)));
    else
      x = from_slot(operand.slot, operand.view);
    if (operand.one_minus) x = one_minus(x);
    if (operand.absolute) x = b_.unary(Op::fabs, type_, x);
    return operand.negated ? b_.unary(Op::fneg, type_, x) : x;
  }

  GroupContext& c_;
  ir::Builder& b_;
  const Type type_;
};

/// Ports, and the registers behind them.
void write_ports(GroupContext& context, const std::array<Operand, 2>& values) {
  const std::array<Operand, 2> ports{context.state.w0, context.state.w1};
  for (unsigned port = 0; port < 2; ++port)
    if (!values[port].is_none()) context.keep(ports[port], values[port]);
  for (unsigned port = 0; port < 2; ++port)
    if (port == 0 ? context.group.w0p : context.group.w1p)
      context.write(context.group.written[port], 0, values[port].is_none() ? context.zero() : ports[port]);
}

void lift_sums(GroupContext& context, const TextOnly& op) {
  context.unknown("how precise a sum of products is internally is not published; see the policy sop_precision");
  SumOfProducts sums(context);
  std::array<Operand, 2> ports{};
  for (const SopLine& line : op.lines) {
    const Operand result = sums.result(line);
    Operand& port = ports[line.port];
    if (line.part == SopOperand::View::f32) {
      port = sums.as_float(result);
      continue;
    }
    Operand half = sums.as_half(result);
    if (line.part == SopOperand::View::e1) half = context.i32(Op::ishl, half, context.b.constant_u32(16));
    port = port.is_none() ? half : context.i32(Op::ior, port, half);
  }
  if (op.moved) ports[1] = context.read(*op.moved);
  if (const Item& complex = op.group.item(Word::p1)) {
    const Operand operand = float_operand(context, context.read(upper_slot), float_modifiers(complex, 0));
    const SingleResult result = complex_result(context, complex, operand);
    ports[0] = result.w0;
    if (!result.p0.is_none()) context.keep(context.state.p0, result.p0);
  }
  write_ports(context, ports);
}

// ------------------------------------------------------------------------------------------------ texel addresses

constexpr unsigned quad_instances = 4, quads_of_a_task = 8;

/// Each instance of a quad reads one word of the texture's state; all four have all four words.
std::array<Operand, 4> shared_state(GroupContext& context) {
  ir::Builder& b = context.b;
  const Operand mine = context.keep(b.temporary(Type::i32), context.read(0));
  const Operand lane = b.temporary(Type::i32);
  b.emit(Op::task_lane, Type::i32, lane);
  const Operand quad = context.i32(Op::ilsr, lane, b.constant_u32(2));
  std::array<Operand, 4> words{};
  for (unsigned word = 0; word < words.size(); ++word) {
    Operand value = context.zero();
    for (unsigned i = 0; i < quads_of_a_task; ++i) {
      const Operand reader = context.i32(Op::ieq, lane, b.constant_u32(quad_instances * i + word));
      const Operand read = b.binary(Op::task_first, Type::i32, mine, reader);
      value = context.choose(context.i32(Op::ieq, quad, b.constant_u32(i)), read, value);
    }
    words[word] = context.keep(b.temporary(Type::i32), value);
  }
  return words;
}

Operand bits_of(GroupContext& context, Operand word, unsigned low, unsigned width) {
  const Operand shifted = context.i32(Op::ilsr, word, context.b.constant_u32(low));
  return context.i32(Op::iand, shifted, context.b.constant_u32((1u << width) - 1));
}

/// Texels of four bytes in rows without gaps.
void lift_texel_address(GroupContext& context, const TextOnly& op) {
  ir::Builder& b = context.b;
  context.unknown("texel addresses are those of the policy texel_address");
  context.unmask();  // instances that do not execute the group lend their word
  const std::array<Operand, 4> state = shared_state(context);
  context.mask();
  const Operand more = b.constant_u32(1);  // sizes are stored less 1
  const Operand width = context.i32(Op::iadd, bits_of(context, state[1], 2, 14), more),
                height = context.i32(Op::iadd, bits_of(context, state[1], 16, 14), more);
  const auto texel = [&](unsigned slot, Operand size) {
    const Operand scaled =
        b.binary(Op::fmul, Type::f32, context.read(slot), b.convert(Op::u2f, Type::f32, Type::i32, size));
    return b.convert(Op::f2i, Type::i32, Type::f32, scaled, Round::down);
  };
  const Operand x = texel(1, width), y = texel(4, height);
  const Operand outside = context.i32(Op::ior, context.i32(Op::ile_u, width, x), context.i32(Op::ile_u, height, y));
  const Operand low = context.i32(Op::ior, context.i32(Op::ishl, bits_of(context, state[2], 16, 16), b.constant_u32(2)),
                                  context.i32(Op::ishl, bits_of(context, state[3], 0, 14), b.constant_u32(18)));
  const Operand base = context.pair(low, bits_of(context, state[3], 14, 8));
  const Operand texels = context.i32(Op::iadd, context.i32(Op::imul, y, width), x);
  const Operand bytes =
      b.binary(Op::ishl, Type::i64, b.convert(Op::zext, Type::i64, Type::i32, texels), b.constant_u64(2));
  const Operand address = context.b.temporary(Type::i64);
  b.emit(Op::iadd, Type::i64, address, base, bytes);
  constexpr std::uint32_t burst_and_size = 1u << 16 | 4u << 8;
  const Operand high = context.i32(Op::ior, context.i32(Op::iand, address.plus(4), b.constant_u32(0xFF)),
                                   b.constant_u32(burst_and_size));
  write_ports(context, {context.keep(b.temporary(Type::i32), address), context.keep(b.temporary(Type::i32), high)});
  if (op.writes_p0) context.keep(context.state.p0, outside);
}

}  // namespace

void lift_text_only(GroupContext& context, const TextOnly& op) {
  switch (op.kind) {
    case TextOnly::Kind::sop:
    case TextOnly::Kind::sopmad:
      return lift_sums(context, op);
    case TextOnly::Kind::gta:
      return lift_texel_address(context, op);
  }
}

std::string text_only_fault(const TextOnly& op, const Settings& settings, const State& state) {
  if (op.kind == TextOnly::Kind::gta && settings.is(PolicyId::texel_address, "trap"))
    return "where gta puts what it finds is not published; see the policy texel_address";
  const auto exists = [&](const Register& reg) { return register_exists(reg, 0, state); };
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((op.slots_used() >> slot & 1) != 0 && !exists(op.group.slots[slot]))
      return "register " + text_of(op.group.slots[slot]) + " cannot be read";
  for (unsigned port = 0; port < 2; ++port)
    if ((port == 0 ? op.group.w0p : op.group.w1p) &&
        (!exists(op.group.written[port]) || is(op.group.written[port], Special::constant)))
      return "register " + text_of(op.group.written[port]) + " cannot be written";
  return {};
}

}  // namespace mobula::rogue::lifting
