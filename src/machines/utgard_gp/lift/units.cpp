// What the units of a word compute, and what it stores and leaves to the words after it.
#include <algorithm>

#include "machines/utgard_gp/lift/lifter.h"

namespace mobula::utgard_gp {
// ------------------------------------------------------------------------------------------------ operands

bool Lifter::is_latch(Operand value) const {
  return value.is_state() && value.byte() >= first_latch_byte_ && value.byte() < end_latch_byte_;
}

ir::Operand Lifter::raw(const OperandField& operand) {
  const unsigned selector = field(*operand.field);
  const Selector& row = selectors[selector];
  if (const ForwardedSource source = forwarded_source(selector, operand.b); source.age != 0)
    return latch(forwarding_.producer(word_, source.channel, source.age));
  switch (row.source) {
    case Source::port0:
      return port_[0][row.component];
    case Source::port1:
      return port_[1][row.component];
    case Source::load:
      return load_[row.component];
    case Source::result:
    case Source::previous_port0:
    case Source::identity_or_complex:
    case Source::unused:
    case Source::unknown:
      break;
  }
  return poison();
}

ResultKind Lifter::kind(const Field& which) const {
  // Where 8 is unknown, the word has been refused before.
  if (field(which) == selector_unused || field(which) == selector_perhaps_unused) return ResultKind::undefined;
  return forwarding_.operand_kind(word_, operand_of(which));
}

ir::Operand Lifter::number(const Field& which) {
  const OperandField& operand = operand_of(which);
  const ResultKind found = kind(which);
  if (found != ResultKind::number) {
    misuse(std::string(which.name) + (found == ResultKind::undefined ? " reads a result that is not there"
                                                                     : " uses a partial result outside its sequence"));
    return poison();
  }
  const Operand value = raw(operand);
  if (operand.negate == nullptr || field(*operand.negate) == 0) return value;
  return builder_->unary(Op::fneg, Type::f32, value);
}

ir::Operand Lifter::used(Unit unit, const std::string& use) {
  const bool partial = forwarding_.result_kind(word_, unit) != ResultKind::number || is_late(bits(), unit);
  if (!result(unit).is_none() && !partial) return result(unit);
  misuse(use + ' ' + std::string(info(unit).name) +
         (result(unit).is_none() ? ", which is idle" : ", a partial result"));
  return poison();
}

void Lifter::misuse(const std::string& text) {
  builder_->note(Status::unknown, text);
  if (settings_.is(PolicyId::sequence, "trap")) broken_.push_back({{}, text});
}

ir::Operand Lifter::truth(Operand value) {
  ir::Builder& b = *builder_;
  if (settings_.is(PolicyId::truth, "positive")) return b.binary(Op::flt, Type::f32, f32(0), value);
  if (settings_.is(PolicyId::truth, "half")) return b.binary(Op::fle, Type::f32, f32(0.5F), value);
  return b.binary(Op::fne, Type::f32, value, f32(0));
}

// ------------------------------------------------------------------------------------------------ units (3)

void Lifter::compute_adders() {
  if (is_active(bits(), Unit::acc0)) result(Unit::acc0) = add(word::acc0_a, word::acc0_b, word::acc0_b_neg);
  if (is_active(bits(), Unit::acc1)) result(Unit::acc1) = add(word::acc1_a, word::acc1_b, word::acc1_b_neg);
}

ir::Operand Lifter::add(const Field& a_field, const Field& b_field, const Field& b_negate) {
  ir::Builder& b = *builder_;
  const Operation<AccOp>& operation = acc_operation(bits());
  const Operand x = number(a_field);
  const bool identity = is_identity(b_field), negative = field(b_negate) != 0;
  if (operation.does == AccOp::add && identity && negative) return x;  // x + -0.0 is x, bit for bit
  Operand y;
  if (operation.operands == 2) y = identity ? f32(negative ? -0.0F : 0.0F) : number(b_field);
  switch (operation.does) {
    case AccOp::add:
      return b.binary(Op::fadd, Type::f32, x, y);
    case AccOp::floor:
      return b.unary(Op::fround, Type::f32, x, ir::Round::down);
    case AccOp::sign: {
      const Operand above = one_if(b.binary(Op::flt, Type::f32, f32(0), x));
      const Operand below = b.binary(Op::iand, Type::i32, b.binary(Op::flt, Type::f32, x, f32(0)), f32(-1));
      return b.binary(Op::ior, Type::i32, above, below);
    }
    case AccOp::ge:
      return one_if(b.binary(Op::fle, Type::f32, y, x));
    case AccOp::lt:
      return one_if(b.binary(Op::flt, Type::f32, x, y));
    case AccOp::min:
      return b.binary(Op::fmin, Type::f32, x, y);
    case AccOp::max:
      return b.binary(Op::fmax, Type::f32, x, y);
    case AccOp::unknown:  // unexecutable() has said so
      break;
  }
  return poison();
}

void Lifter::compute_multipliers() {
  switch (mul_operation(bits()).does) {
    case MulOp::mul:
      if (is_active(bits(), Unit::mul0)) result(Unit::mul0) = multiply(word::mul0_a, word::mul0_b, word::mul0_neg);
      break;
    case MulOp::complex2:
      result(Unit::mul0) = complex2();
      break;
    case MulOp::complex1:
      result(Unit::mul0) = complex1();
      break;
    case MulOp::select:
      result(Unit::mul0) = select();
      break;
    case MulOp::unknown:  // idle, or unexecutable() has said so
      break;
  }
  if (is_active(bits(), Unit::mul1)) result(Unit::mul1) = multiply(word::mul1_a, word::mul1_b, word::mul1_neg);
}

ir::Operand Lifter::select() {
  const Operand condition = truth(is_identity(word::mul0_b) ? f32(1) : number(word::mul0_b));
  return builder_->ternary(Op::select, Type::i32, number(word::mul1_a), number(word::mul0_a), condition);
}

ir::Operand Lifter::multiply(const Field& a_field, const Field& b_field, const Field& negate) {
  ir::Builder& b = *builder_;
  const Operand x = number(a_field);
  const Operand product = is_identity(b_field) ? x : b.binary(Op::fmul, Type::f32, x, number(b_field));
  return field(negate) != 0 ? b.unary(Op::fneg, Type::f32, product) : product;
}

// Partial results are latched as the argument itself; what they are is known from the words that made them. So the
// last step computes the function, provided that all its operands stem from the same argument.
ir::Operand Lifter::complex2() {
  const ResultKind first = kind(word::mul0_a), second = kind(word::mul0_b);
  const Operand x = raw(word::mul0_a);
  if (first != second || (first != ResultKind::number && first != ResultKind::pre_exp2) || is_identity(word::mul0_b)) {
    misuse("complex2 takes the same argument twice");
    return poison();
  }
  return same_or_poison(x, {raw(word::mul0_b)}, "complex2 of two different values");
}

ir::Operand Lifter::complex1() {
  ir::Builder& b = *builder_;
  const ResultKind table = kind(word::mul0_a);
  const Operation<ComplexOp>* const row = table_operation(table);
  if (row == nullptr || kind(word::mul1_a) != table || kind(word::mul0_b) != square_of(row->traits.takes) ||
      kind(word::mul1_b) != row->traits.takes || is_identity(word::mul0_b) || is_identity(word::mul1_b)) {
    misuse("complex1 without the table result, complex2 result and argument of one function");
    return poison();
  }
  const Operand x = same_or_poison(raw(word::mul0_a), {raw(word::mul1_a), raw(word::mul0_b), raw(word::mul1_b)},
                                   "complex1 of different arguments");
  switch (table) {
    case ResultKind::table_exp2:
      return b.unary(Op::fexp2, Type::f32, x);
    case ResultKind::table_log2:
      return b.unary(Op::flog2, Type::f32, x);
    case ResultKind::table_rsqrt:
      return b.unary(Op::frsqrt, Type::f32, x);
    case ResultKind::table_rcp:
      return b.unary(Op::frcp, Type::f32, x);
    case ResultKind::number:
    case ResultKind::pre_exp2:
    case ResultKind::square:
    case ResultKind::square_pre_exp2:
    case ResultKind::raw_log2:
    case ResultKind::undefined:
    case ResultKind::mixed:
      break;
  }
  return poison();
}

ir::Operand Lifter::same_or_poison(Operand x, std::initializer_list<Operand> others, const std::string& complaint) {
  ir::Builder& b = *builder_;
  Operand differs;
  for (const Operand other : others) {
    if (other == x) continue;
    const Operand unequal = b.binary(Op::ine, Type::i32, x, other);
    differs = differs.is_none() ? unequal : b.binary(Op::ior, Type::i32, differs, unequal);
  }
  if (differs.is_none()) return x;
  if (settings_.is(PolicyId::sequence, "trap")) broken_.emplace_back(differs, complaint);
  return b.ternary(Op::select, Type::i32, poison(), x, differs);
}

void Lifter::compute_pass() {
  if (!is_active(bits(), Unit::pass)) return;
  ir::Builder& b = *builder_;
  Operand& out = result(Unit::pass);
  switch (pass_operation(bits()).does) {
    case PassOp::postlog2:
      if (kind(word::pass_in) == ResultKind::raw_log2) {
        out = raw(word::pass_in);
      } else {
        misuse("postlog2 without the result of a log2 sequence");
        out = poison();
      }
      break;
    case PassOp::clamp:
      out = b.binary(Op::fmin, Type::f32, b.binary(Op::fmax, Type::f32, number(word::pass_in), load_[0]), load_[1]);
      break;
    case PassOp::mov:
    case PassOp::preexp2:  // latches its argument
      out = number(word::pass_in);
      break;
    case PassOp::unknown:  // unexecutable() has said so
      break;
  }
}

void Lifter::compute_complex() {
  Operand& out = result(Unit::complex);
  switch (cplx_operation(bits()).does) {
    case ComplexOp::exp2:
      if (kind(word::cplx_in) == ResultKind::pre_exp2) {
        out = raw(word::cplx_in);
      } else {
        misuse("exp2 without preexp2");
        out = poison();
      }
      break;
    case ComplexOp::log2:  // as exp2, the tables latch their argument
    case ComplexOp::rsqrt:
    case ComplexOp::rcp:
    case ComplexOp::mov:
    case ComplexOp::set_addresses:
      out = number(word::cplx_in);
      break;
    case ComplexOp::set_addresses_from_pass:
      builder_->note(Status::seed, "cplx.op 10 takes the pass result");
      out = used(Unit::pass, "address from");
      break;
    case ComplexOp::nop:
    case ComplexOp::unknown:  // unexecutable() has said so
      break;
  }
  for (unsigned k = 0; k < address_registers; ++k)
    if (sets_address(bits(), k)) set_address(k, out);
}

void Lifter::set_address(unsigned which, Operand value) {
  ir::Builder& b = *builder_;
  const ir::Round round = settings_.is(PolicyId::address, "truncate")  ? ir::Round::zero
                          : settings_.is(PolicyId::address, "nearest") ? ir::Round::even
                                                                       : ir::Round::down;
  new_address_[which] = b.convert(Op::f2i, Type::i32, Type::f32, value, round);
  // The temporary store address counts at once.
  if (which == 0) b.emit(Op::mov, Type::i32, addresses_[0], new_address_[0]);
}

// ------------------------------------------------------------------------------------------------ stores (4.2 step 5)

void Lifter::store() {
  std::array<Operand, delayed_count> written{};
  for (unsigned half = 0; half < 2; ++half) {
    const StoreHalf store = store_half(bits(), half);
    if (store.kind == StoreKind::varying) store_varying(store);
    for (unsigned i = 0; i < 2; ++i) {
      if (store.selector[i] == store_nothing) continue;
      const unsigned component = store.first_component + i;
      if (store.kind == StoreKind::reg) written[4u * store.index + component] = stored(store.selector[i]);
      if (store.kind == StoreKind::temporary) written[delayed_temporary + component] = stored(store.selector[i]);
    }
  }
  for (unsigned k = 1; k < address_registers; ++k) written[delayed_address + k - 1] = new_address_[k];
  for (unsigned delayed = 0; delayed < delayed_count; ++delayed) advance(delayed, written[delayed]);
  advance_temporary_addresses();
}

void Lifter::store_varying(const StoreHalf& store) {
  ir::Builder& b = *builder_;
  const unsigned first = store.selector[0] == store_nothing ? 1 : 0;
  const unsigned count = store.selector[0] != store_nothing && store.selector[1] != store_nothing ? 2 : 1;
  const Operand data = b.temporary(Type::f32, count);
  for (unsigned i = 0; i < count; ++i) b.emit(Op::mov, Type::i32, data.plus(4 * i), stored(store.selector[first + i]));
  b.call({.service = ir::Service::store_varying,
          .type = Type::f32,
          .count = static_cast<std::uint8_t>(count),
          .index = store.first_component + first,
          .data = data,
          .args = {b.constant_u32(store.index)}});
}

// ------------------------------------------------------------------------------------------------ leaving the word

ir::Operand Lifter::channel_value(unsigned channel) {
  const Operand value = channel < unit_count ? results_[channel] : port_[0][channel - channel_port0];
  return value.is_none() ? poison() : value;
}

ir::Operand Lifter::merged_value(const MergeCopy& copy) {
  if (!copy.own) return latch(copy.from);
  const bool half_done = copy.to.read_age == 1 && is_late(bits(), static_cast<Unit>(copy.to.channel));
  return half_done ? poison() : channel_value(copy.to.channel);
}

void Lifter::forward() {
  ir::Builder& b = *builder_;
  std::vector<std::pair<Operand, Operand>> moves;
  for (unsigned channel = 0; channel < channel_count; ++channel)
    if (const Latch own{false, word_, static_cast<std::uint8_t>(channel)}; forwarding_.needs(own))
      moves.emplace_back(latch(own), channel_value(channel));
  for (const MergeCopy& copy : forwarding_.copies(word_)) moves.emplace_back(latch(copy.to), merged_value(copy));
  // A value may be another latch, as it is when a unit moves it: take all such values before any latch changes.
  for (auto& [to, from] : moves)
    if (is_latch(from)) from = b.unary(Op::mov, Type::i32, from);
  for (const auto& [to, from] : moves) b.emit(Op::mov, Type::i32, to, from);
}

void Lifter::leave() {
  ir::Builder& b = *builder_;
  for (const auto& [condition, reason] : broken_) {
    if (condition.is_none()) {
      b.trap(reason);
      b.end_block(std::nullopt);
      return;
    }
    b.trap_if(condition, reason);
  }
  const bool last = word_ + 1u == words_.size();
  const std::uint64_t next = (word_ + 1ull) * word_bytes;
  if (is_branch(bits())) b.branch_if(branch_condition_, std::uint64_t{branch_target(bits())} * word_bytes);
  b.end_block(last ? std::nullopt : std::optional<std::uint64_t>(next));
}

}  // namespace mobula::utgard_gp
