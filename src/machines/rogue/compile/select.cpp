#include "machines/rogue/compile/select.h"

#include <algorithm>
#include <utility>

#include "compile/cannot_do.h"
#include "machines/rogue/compile/selector.h"
#include "machines/rogue/spec/registers.h"

namespace mobula::rogue_compiler {

using ssa::Op;

namespace {

constexpr std::uint32_t sign_bit = 0x80000000, all_ones = ~std::uint32_t{0};

Operand constant_number(std::uint32_t number) { return machine(Operand::Kind::constant, number); }
/// A special constant; none if there is none with these bits.
Operand special_constant(std::uint32_t bits) {
  const auto found = rogue::constant_with(bits);
  return found ? constant_number(found->index) : Operand{};
}
bool is_wide(const Operand& operand) {
  using Kind = Operand::Kind;
  return operand.kind == Kind::shared || operand.kind == Kind::coefficient || operand.kind == Kind::indexed_word ||
         operand.kind == Kind::indexed_shared || operand.kind == Kind::output;
}
/// Of a float.
Operand negative(Operand of) {
  if (of.kind == Operand::Kind::immediate)
    of.number ^= sign_bit;
  else
    of.negated = !of.negated;
  return of;
}
/// Operations that give their operand's registers another name.
bool is_other_name(Op op) {
  switch (op) {
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
    case Op::f_bits:
    case Op::f_of_bits:
    case Op::fneg:
    case Op::fabs:
    case Op::ffloor:
      return true;
    default:
      return false;
  }
}

}  // namespace

Selector::Selector(const ssa::Program& program, const Layout& layout, const Flow& flow)
    : program_(program),
      layout_(layout),
      flow_(flow),
      end_(static_cast<std::uint32_t>(program.blocks.size())),
      values_(program.values.size()),
      locals_(program.variables.size()),
      phis_of_(program.values.size()) {
  code_.blocks.resize(end_ + 1);
  code_.labels = 2 * (end_ + 1);
  for (const ssa::Block& block : program.blocks) {
    discards_ = discards_ || block.end.kind == ssa::End::Kind::discard;
    for (const ssa::Instruction& each : block.instructions) {
      if (each.result == ssa::none) continue;
      std::vector<ssa::Value>& phis = phis_of_[each.result];
      if (each.op == Op::phi) {
        for (unsigned i = 0; i < each.type.components; ++i) values_[each.result][i] = code_.add();
        phis = {each.result};
      }
      if (!is_other_name(each.op)) continue;
      for (const ssa::Value operand : each.operands)
        phis.insert(phis.end(), phis_of_[operand].begin(), phis_of_[operand].end());
      // Each once: what is made of parts of one vector would have twice as many as that, and so on.
      std::ranges::sort(phis);
      const auto again = std::ranges::unique(phis);
      phis.erase(again.begin(), again.end());
    }
  }
  find_lives();
}

Code Selector::run() {
  for (block_ = 0; block_ < end_; ++block_) {
    const ssa::Block& block = program_.blocks[block_];
    code_.blocks[block_].successors = ways_of(program_, block_);
    if (code_.blocks[block_].successors.empty()) code_.blocks[block_].successors = {end_};
    copies_.clear();
    line_ = block.line;
    begin_block();
    for (const ssa::Instruction& each : block.instructions) {
      if (each.line != 0) line_ = each.line;
      instruction(each);
    }
    end_block();
  }
  copies_.clear();
  end_program();
  return std::move(code_);
}

// ------------------------------------------------------------------------------------------------ operands

Instruction& Selector::emit(const Row& row, Operation operation, std::array<Operand, 4> sources,
                            std::array<Operand, 2> results, std::uint32_t number) {
  for (unsigned i = 0; i < sources.size(); ++i)
    if (sources[i].kind != Operand::Kind::none) sources[i] = fit(sources[i], row.slots[i]);
  Instruction made{.row = &row, .operation = operation, .number = number, .line = line_};
  made.sources = sources;
  made.results = results;
  code_.blocks[block_].code.push_back(made);
  return code_.blocks[block_].code.back();
}

Operand Selector::make(const Row& row, Operation operation, std::array<Operand, 4> sources) {
  const Operand result = code_.add();
  emit(row, operation, sources, {result});
  return result;
}

void Selector::move(const Operand& from, const Operand& to, Condition condition, bool replaces) {
  if (from == to) return;
  if (from.kind == Operand::Kind::special && !from.is_plain())
    return move(fit(from, rows::move.slots[0]), to, condition, replaces);
  if (from.is_word() && from.is_plain() && to.is_word()) code_.alike.emplace_back(from.number, to.number);
  const bool is_number = is_known(from) && special_constant(from.number).kind == Operand::Kind::none;
  const bool is_special = from.kind == Operand::Kind::special;
  Instruction& made = is_number      ? emit(rows::number, Operation::none, {}, {to}, from.number)
                      : is_special   ? emit(rows::special, Operation::none, {from}, {to})
                      : from.floored ? emit(rows::add, Operation::fadd, {from, immediate(sign_bit)}, {to})
                                     : emit(rows::move, Operation::none, {from}, {to});
  made.condition = condition;
  made.replaces = replaces;
}

Operand Selector::keep(const Operand& operand, const Row& row, std::array<Operand, 4> sources) {
  const std::tuple key{static_cast<int>(operand.kind), operand.number, operand.floored, operand.absolute,
                       operand.negated};
  // Index registers change, and so do words that are written more than once: they are not kept under their number.
  const bool stays = operand.kind == Operand::Kind::immediate || operand.kind == Operand::Kind::shared ||
                     operand.kind == Operand::Kind::special || operand.kind == Operand::Kind::coefficient;
  const Operation operation = &row == &rows::add ? Operation::fadd : Operation::none;
  if (!stays) return make(row, operation, sources);
  if (const auto found = copies_.find(key); found != copies_.end()) return found->second;
  return copies_[key] = make(row, operation, sources);
}

Operand Selector::copied(const Operand& operand) {
  if (is_known(operand)) {
    const auto found = copies_.find({static_cast<int>(operand.kind), operand.number, false, false, false});
    if (found != copies_.end()) return found->second;
    const Operand result = code_.add();
    emit(rows::number, Operation::none, {}, {result}, operand.number);
    return copies_[{static_cast<int>(operand.kind), operand.number, false, false, false}] = result;
  }
  if (operand.kind == Operand::Kind::special)
    return operand.is_plain() ? keep(operand, rows::special, {operand}) : copied(fit(operand, rows::move.slots[0]));
  if (operand.floored) return keep(operand, rows::add, {operand, immediate(sign_bit)});
  return keep(operand, rows::move, {operand});
}

Operand Selector::fit(const Operand& operand, const Slot& slot) {
  if (is_known(operand)) {
    if (const Operand found = special_constant(operand.number); found.kind != Operand::Kind::none) return found;
    if (slot.negated)
      if (Operand found = special_constant(operand.number ^ sign_bit); found.kind != Operand::Kind::none) {
        found.negated = true;
        return found;
      }
    return copied(operand);
  }
  // A copy of a special register has no modifiers.
  if (operand.kind == Operand::Kind::special && !operand.is_plain()) {
    Operand word = copied(machine(Operand::Kind::special, operand.number));
    word.floored = operand.floored;
    word.absolute = operand.absolute;
    word.negated = operand.negated;
    return fit(word, slot);
  }
  return cost_of(operand, slot) == 0 ? operand : copied(operand);
}

unsigned Selector::cost_of(const Operand& operand, const Slot& slot) {
  if (operand.kind == Operand::Kind::immediate) {
    if (special_constant(operand.number).kind != Operand::Kind::none) return 0;
    return slot.negated && special_constant(operand.number ^ sign_bit).kind != Operand::Kind::none ? 0 : 2;
  }
  if (operand.kind == Operand::Kind::special) return slot.special ? 0 : 1;
  const bool fits = (slot.wide || !is_wide(operand)) && (slot.floored || !operand.floored) &&
                    (slot.absolute || !operand.absolute) && (slot.negated || !operand.negated);
  return fits ? 0 : 1;
}

// ------------------------------------------------------------------------------------------------ arithmetic

void Selector::instruction(const ssa::Instruction& each) {
  switch (each.op) {
    case Op::phi:
      return;
    case Op::constant:
      for (unsigned i = 0; i < each.type.components; ++i)
        values_[each.result][i] =
            immediate(each.type.base == ssa::Base::boolean ? (each.data[i] != 0 ? all_ones : 0) : each.data[i]);
      return;
    case Op::undefined:
      values_[each.result].fill(immediate(0));
      return;
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
      return pass_on(each);
    case Op::load:
      return load(each);
    case Op::store:
      return store(each);
    case Op::texture:
    case Op::image_load:
      return texture(each);
    case Op::image_store:
      return store_texel(each);
    case Op::image_atomic:
      compile::cannot(
          "an atomic operation on an image: where its texels are in memory is part of a state that is not published",
          line_, "keep the numbers in a storage block");
    case Op::barrier:
      return wait_for_all();
    case Op::read:
      return read(each);
    case Op::write:
      return write(each);
    case Op::atomic:
      return atomic(each);
    case Op::length:
      return length(each);
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops.inc"
#undef OP
      for (unsigned i = 0; i < each.type.components; ++i) values_[each.result][i] = compute(each, i);
  }
}

/// Components as they are.
void Selector::pass_on(const ssa::Instruction& each) {
  Components made{};
  const auto& operands = each.operands;
  if (each.op == Op::compose) {
    unsigned next = 0;
    for (const ssa::Value operand : operands)
      for (unsigned i = 0; i < type_of(operand).components; ++i) made[next++] = at(operand, i);
  } else if (each.op == Op::swizzle) {
    for (unsigned i = 0; i < each.type.components; ++i) made[i] = at(operands[0], each.data[i]);
  } else if (each.op == Op::extract) {
    const unsigned count = type_of(operands[0]).components;
    const Operand& which = at(operands[1], 0);
    if (is_known(which)) {
      made[0] = which.number < count ? at(operands[0], which.number) : immediate(0);
    } else {
      std::vector<Operand> all;
      for (unsigned i = 0; i < count; ++i) all.push_back(at(operands[0], i));
      made[0] = chosen(which, all);
    }
  } else {
    const Operand& which = at(operands[2], 0);
    for (unsigned i = 0; i < each.type.components; ++i) {
      made[i] = at(operands[0], i);
      if (is_known(which))
        made[i] = which.number == i ? at(operands[1], 0) : made[i];
      else
        made[i] = make(rows::choose, Operation::none,
                       {at(operands[1], 0), made[i], make(rows::logical, Operation::xor_, {which, immediate(i)})});
    }
  }
  values_[each.result] = made;
}

/// a + b, where only one of them may have every modifier.
Operand Selector::sum(Operand a, Operand b) {
  const auto& slots = rows::add.slots;
  if (cost_of(b, slots[0]) + cost_of(a, slots[1]) < cost_of(a, slots[0]) + cost_of(b, slots[1])) std::swap(a, b);
  return make(rows::add, Operation::fadd, {a, b});
}
Operand Selector::product(Operand a, Operand b) {
  // Only the first may have a sign: that of both.
  bool is_negative = false;
  for (Operand* const each : {&a, &b}) {
    if (!each->negated && (!is_known(*each) || (each->number & sign_bit) == 0)) continue;
    *each = negative(*each);
    is_negative = !is_negative;
  }
  const auto& slots = rows::add.slots;
  if (cost_of(b, slots[0]) + cost_of(a, slots[1]) < cost_of(a, slots[0]) + cost_of(b, slots[1])) std::swap(a, b);
  return make(rows::add, Operation::fmul, {is_negative ? negative(a) : a, b});
}
Operand Selector::compare(Operation test, const Operand& a, const Operand& b) {
  return make(rows::compare, test, {a, b});
}

/// The last step is only to be done where the machine says so.
Operand Selector::sine(Operation first, Operation second, const Operand& angle) {
  const Operand handed_on = code_.add(), reduced = code_.add(), result = code_.add();
  emit(rows::reduce, first, {angle}, {code_.add(), handed_on});
  emit(rows::reduce, second, {handed_on}, {reduced, code_.add()});
  emit(rows::sine, Operation::none, {reduced}, {result});
  Instruction& last = emit(rows::add, Operation::fmul, {result, reduced}, {result});
  last.condition = Condition::if_p0;
  last.replaces = false;
  return result;
}

Operand Selector::compute(const ssa::Instruction& each, unsigned component) {
  const auto operand = [&](unsigned i) {
    return at(each.operands[i], std::min<unsigned>(component, type_of(each.operands[i]).components - 1U));
  };
  const Operand a = operand(0);
  const Operand b = each.operands.size() > 1 ? operand(1) : Operand{};
  const Operand c = each.operands.size() > 2 ? operand(2) : Operand{};
  const auto logical = [&](Operation op) { return make(rows::logical, op, {a, b}); };
  const auto chosen = [&](Operation test) { return make(rows::choose_tested, test, {a, b}); };
  const auto shifted = [&](Operation op) { return make(rows::shift, op, {a, b}); };
  const Operand zero = immediate(0), one = immediate(1);
  switch (each.op) {
    case Op::fneg:
      return negative(a);
    case Op::fabs: {
      Operand result = a;
      if (is_known(a)) return immediate(a.number & ~sign_bit);
      result.negated = false;
      result.absolute = true;
      return result;
    }
    case Op::ffloor: {
      Operand result = a.is_plain() && !is_known(a) && a.kind != Operand::Kind::special ? a : copied(a);
      result.floored = true;
      return result;
    }
    case Op::fadd:
      return sum(a, b);
    case Op::fsub:
      return sum(a, negative(b));
    case Op::fmul:
      return product(a, b);
    case Op::ffma: {
      const auto& slots = rows::multiply_add.slots;
      const bool swaps = cost_of(b, slots[0]) + cost_of(a, slots[1]) < cost_of(a, slots[0]) + cost_of(b, slots[1]);
      return make(rows::multiply_add, Operation::none, {swaps ? b : a, swaps ? a : b, c});
    }
    case Op::frcp:
      return make(rows::complex, Operation::frcp, {a});
    case Op::frsqrt:
      return make(rows::complex, Operation::frsq, {a});
    case Op::flog2:
      return make(rows::complex, Operation::flog, {a});
    case Op::fexp2:
      return make(rows::complex, Operation::fexp, {a});
    case Op::fsin:
      return sine(Operation::fred_sin, Operation::fred_sin_second, a);
    case Op::fcos:
      return sine(Operation::fred_cos, Operation::fred_cos_second, a);
    case Op::fmin:
      return chosen(Operation::tstl);
    case Op::fmax:
      return chosen(Operation::tstg);
    case Op::imin_s:
      return chosen(Operation::tstl_s32);
    case Op::imin_u:
      return chosen(Operation::tstl_u32);
    case Op::imax_s:
      return chosen(Operation::tstg_s32);
    case Op::imax_u:
      return chosen(Operation::tstg_u32);
    case Op::ddx:
      return make(rows::unary, Operation::fdsxf, {a});
    case Op::ddy:
      return make(rows::unary, Operation::fdsyf, {a});
    case Op::iadd:
      return make(rows::integer, Operation::none, {a, one, b});
    case Op::isub:
      return make(rows::integer_minus, Operation::none, {a, one, b});
    case Op::ineg:
      return make(rows::integer_minus, Operation::none, {zero, zero, a});
    case Op::imul: {
      const bool swaps = is_wide(b) && !is_wide(a);
      return make(rows::integer, Operation::none, {swaps ? b : a, swaps ? a : b, zero});
    }
    case Op::imulhi_u:
      return make(rows::high_half, Operation::umadd64, {a, b});
    case Op::imulhi_s:
      return make(rows::high_half, Operation::smadd64, {a, b});
    case Op::iabs:
      return make(rows::magnitude, Operation::none, {a});
    case Op::iand:
    case Op::band:
      return logical(Operation::and_);
    case Op::ior:
    case Op::bor:
      return logical(Operation::or_);
    case Op::ixor:
    case Op::bxor:
      return logical(Operation::xor_);
    case Op::inot:
    case Op::bnot:
      return make(rows::logical, Operation::nor_, {a, zero});
    case Op::ishl:
      return shifted(Operation::lsl);
    case Op::ishr_u:
      return shifted(Operation::shr);
    case Op::ishr_s:
      return shifted(Operation::asr);
    case Op::ireverse:
      return make(rows::reverse, Operation::none, {a});
    case Op::icount:
      return make(rows::count, Operation::cbs, {a});
    case Op::ihighest_u:
      return make(rows::count, Operation::ftb, {a});
    case Op::f_to_s:
      return make(rows::pack, Operation::pck_s32, {a});
    case Op::f_to_u:
      return make(rows::pack, Operation::pck_u32_toward_zero, {a});
    case Op::s_to_f:
      return make(rows::unpack, Operation::unpck_s32, {a});
    case Op::u_to_f:
      return make(rows::unpack, Operation::unpck_u32, {a});
    case Op::unpack_half_low:
      return make(rows::unpack_low, Operation::none, {a});
    case Op::unpack_half_high:
      return make(rows::unpack_high, Operation::none, {a});
    case Op::f_half:
      return make(rows::unpack_low, Operation::none, {make(rows::pack, Operation::pck_half, {a})});
    case Op::f_bits:
    case Op::f_of_bits:
      return a;
    case Op::feq:
      return compare(Operation::tste, a, b);
    case Op::fne:
      return compare(Operation::tstne, a, b);
    case Op::flt:
      return compare(Operation::tstl, a, b);
    case Op::fle:
      return compare(Operation::tstle, a, b);
    case Op::ieq:
      return compare(Operation::tste_u32, a, b);
    case Op::ine:
      return compare(Operation::tstne_u32, a, b);
    case Op::ilt_s:
      return compare(Operation::tstl_s32, a, b);
    case Op::ilt_u:
      return compare(Operation::tstl_u32, a, b);
    case Op::ile_s:
      return compare(Operation::tstle_s32, a, b);
    case Op::ile_u:
      return compare(Operation::tstle_u32, a, b);
    case Op::select:
      return make(rows::choose, Operation::none, {c, b, a});
    // lowered
    case Op::fsign:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::fdiv:
    case Op::fmod:
    case Op::frem:
    case Op::fdot:
    case Op::fsqrt:
    case Op::fexp:
    case Op::flog:
    case Op::fpow:
    case Op::fsinpi:
    case Op::fcospi:
    case Op::ftan:
    case Op::fasin:
    case Op::facos:
    case Op::fatan:
    case Op::fatan2:
    case Op::fsinh:
    case Op::fcosh:
    case Op::ftanh:
    case Op::fasinh:
    case Op::facosh:
    case Op::fatanh:
    case Op::fmantissa:
    case Op::fexponent:
    case Op::fscale:
    case Op::isign:
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
    case Op::ibits_s:
    case Op::ibits_u:
    case Op::ibits_put:
    case Op::iclz:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::pack_half:
    case Op::fis_nan:
    case Op::fis_inf:
    case Op::bany:
    case Op::ball:
#define OP(name, ...) case Op::name:  // instruction() has them
#include "compile/ssa/ops_more.inc"
#undef OP
      break;
  }
  compile::cannot("the compiler has no way to do " + std::string(ssa::name(each.op)) + " on Rogue", line_,
                  "please report it with the shader");
}

Code select(const ssa::Program& program, const Layout& layout, const Flow& flow) {
  return Selector(program, layout, flow).run();
}

}  // namespace mobula::rogue_compiler
