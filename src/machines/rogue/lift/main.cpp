#include "machines/rogue/lift/main.h"

#include <vector>

#include "machines/rogue/lift/backend.h"
#include "machines/rogue/lift/float.h"
#include "machines/rogue/lift/integer.h"
#include "machines/rogue/lift/pack.h"
#include "machines/rogue/lift/visibility.h"

namespace mobula::rogue::lifting {
namespace {

bool is_derivative(const Item& item) {
  using does::Early;
  if (!item) return false;
  const Does does = item.op->does;
  return does == Early::derivative_x || does == Early::derivative_y || does == Early::fine_derivative_x ||
         does == Early::fine_derivative_y;
}

class MainPass {
 public:
  explicit MainPass(GroupContext& context) : c_(context), b_(context.b), state_(context.state), group_(context.group) {}

  void lift() {
    // Derivatives are taken of all four pixels, whichever of them execute the group.
    if (is_derivative(group_.item(Word::p0)) || is_derivative(group_.item(Word::p1))) {
      c_.unmask();
      derivatives_[0] = derivative(Word::p0, 0);
      derivatives_[1] = derivative(Word::p1, upper_slot);
      c_.mask();
    }
    if (group_.item(Word::backend)) backend_sources_ = read_backend_sources(c_, group_.w0p || group_.w1p);
    external();
    phase0();
    phase1();
    pack_slot();
    test_slot();
    if (group_.item(Word::backend) && group_.item(Word::backend).op->has(drives_w0))
      complex_.w0 = mask_result(c_, group_.item(Word::backend));
    ports();
    if (group_.w0p) c_.write(group_.written[0], advance(), w0_);
    if (group_.w1p) c_.write(group_.written[1], advance(), w1_);
    if (!new_p0_.is_none()) c_.keep(state_.p0, new_p0_);
    if (group_.item(Word::backend)) lift_backend(c_, backend_sources_);
  }

 private:
  [[nodiscard]] const Item& item(Word word) const { return group_.item(word); }

  /// Leaves the value of a feedthrough or port to be seen; the group itself continues with the value.
  Operand show(Operand slot, Operand value) {
    c_.keep(slot, value);
    return value;
  }

  /// A pack gathers into one register.
  [[nodiscard]] unsigned advance() const {
    const Item& pack = item(Word::pack);
    return pack && pack.op->has(gathers) ? 0 : c_.pass;
  }

  Operand derivative(Word word, unsigned first_slot) {
    const Item& single = item(word);
    if (!is_derivative(single)) return {};
    using does::Early;
    const Does does = single.op->does;
    const Operand value = source(single, first_slot, 0);
    const bool across = does == Early::derivative_x || does == Early::fine_derivative_x;
    const bool fine = does == Early::fine_derivative_x || does == Early::fine_derivative_y;
    const Operand difference = b_.unary(across ? Op::ddx : Op::ddy, Type::f32, value);
    return fine ? difference : b_.unary(Op::quad_first, Type::f32, difference);
  }

  void external() {
    // A register is copied only where somebody looks: strict runs take every read for one.
    if ((selectors_used(group_) & 1) != 0) fte_ = show(state_.fte, c_.read(group_.external_slot()));
  }

  /// A source with its modifiers, counted from the phase's first slot.
  Operand source(const Item& instruction, unsigned first_slot, unsigned number) {
    return float_operand(c_, c_.read(first_slot + number), float_modifiers(instruction, number));
  }

  /// A copy, bit for bit.
  Operand copied(const Item& instruction, unsigned first_slot) {
    Operand value = c_.read(first_slot);
    if (instruction.get(F::s0abs) != 0) value = b_.unary(Op::fabs, Type::f32, value);
    if (instruction.get(F::s0neg) != 0) value = b_.unary(Op::fneg, Type::f32, value);
    return value;
  }

  /// What phase 0 drives: FT0, or a port and P0.
  void phase0() {
    const Item& instruction = item(Word::p0);
    if (!instruction) return;
    using does::Early;
    switch (instruction.op->does.as<Early>()) {
      case Early::multiply_add:
      case Early::add:
      case Early::multiply:
      case Early::copy:
      case Early::derivative_x:
      case Early::derivative_y:
      case Early::fine_derivative_x:
      case Early::fine_derivative_y:
        return drive(0, either_phase(instruction, 0, derivatives_[0]));
      case Early::reciprocal:
      case Early::reciprocal_root:
      case Early::log2:
      case Early::log2_variant:
      case Early::exp2:
      case Early::sinc:
      case Early::arctan_ratio:
      case Early::to_srgb:
      case Early::from_srgb:
        return drive(instruction, complex_result(c_, instruction, source(instruction, 0, 0)));
      case Early::reduce:
        return drive(instruction, reduction(c_, instruction, source(instruction, 0, 0)));
      case Early::narrow_add:
        return drive(0, narrow_sum(c_, instruction));
      case Early::narrow_multiply:
        return drive(0, narrow_product(c_, instruction));
      case Early::narrow_multiply_add:
        return drive(0, narrow_multiply_add(c_, instruction));
      case Early::add_word_to_pair:
        return drive(add_word_to_pair(c_, instruction));
      case Early::add_pairs:
        return drive(add_pairs(c_, instruction, c_.read(group_.external_slot())));
      case Early::multiply_add_word:
        return drive(multiply_add_word(c_, instruction));
      case Early::multiply_add_pair:
        return drive(multiply_add_pair(c_, instruction, c_.read(group_.external_slot())));
      case Early::unpack:
        return drive(0, unpack(c_, instruction, c_.read(group_.slots[0], 0)));
    }
  }
  void drive(unsigned feedthrough, Operand value) { ft_[feedthrough] = show(state_.ft[feedthrough], value); }
  void drive(const WideResult& result) {
    drive(0, result.low);
    if (!result.high.is_none()) fte_ = show(state_.fte, result.high);
    carry_ = result.carry;
  }
  void drive(const Item& instruction, const SingleResult& result) {
    complex_ = result;
    const bool writes_p0 = instruction.form->find(F::pwen) == nullptr || instruction.get(F::pwen) != 0;
    if (writes_p0) new_p0_ = result.p0;
  }

  /// FT0 or FT1 of an instruction that may be in either phase.
  Operand either_phase(const Item& instruction, unsigned first_slot, Operand derivative) {
    using does::Early;
    const auto operand = [&](unsigned number) { return source(instruction, first_slot, number); };
    switch (instruction.op->does.as<Early>()) {
      case Early::multiply_add: {
        const Operand x = operand(0), y = operand(1), z = operand(2);
        return float_multiply_add(c_, instruction, x, y, z);
      }
      case Early::add: {
        const Operand x = operand(0), y = operand(1);
        return float_sum(c_, instruction, x, y);
      }
      case Early::multiply: {
        const Operand x = operand(0), y = operand(1);
        return float_product(c_, instruction, x, y);
      }
      case Early::copy:
        return copied(instruction, first_slot);
      case Early::derivative_x:
      case Early::derivative_y:
      case Early::fine_derivative_x:
      case Early::fine_derivative_y:
        return derivative;
      case Early::reciprocal:
      case Early::reciprocal_root:
      case Early::log2:
      case Early::log2_variant:
      case Early::exp2:
      case Early::sinc:
      case Early::arctan_ratio:
      case Early::to_srgb:
      case Early::from_srgb:
      case Early::reduce:
      case Early::narrow_add:
      case Early::narrow_multiply:
      case Early::narrow_multiply_add:
      case Early::add_word_to_pair:
      case Early::add_pairs:
      case Early::multiply_add_word:
      case Early::multiply_add_pair:
      case Early::unpack:
        break;
    }
    return {};
  }

  void phase1() {
    const Item& instruction = item(Word::p1);
    if (!instruction) return;
    if (instruction.op->has(drives_w0))
      drive(instruction, complex_result(c_, instruction, source(instruction, upper_slot, 0)));
    else
      drive(1, either_phase(instruction, upper_slot, derivatives_[1]));
  }

  /// A feedthrough that nothing drives (V-30) is taken to be 0.
  Operand driven(Operand feedthrough, std::string_view name) {
    if (!feedthrough.is_none()) return feedthrough;
    c_.unknown(std::string(name) + " is selected, but nothing drives it; it is assumed to be 0");
    return c_.zero();
  }
  Operand selected(unsigned code) {
    if (code != external_feed) return driven(ft_[code], spelling(fed_names[code]));
    if (fte_.is_none()) fte_ = show(state_.fte, c_.read(group_.external_slot()));
    return fte_;
  }
  Operand is1() { return selected(group_.selector(1) == 0 ? 0 : external_feed); }
  Operand is2() { return selected(group_.selector(2) == 0 ? 1 : external_feed); }
  Operand is3() {
    constexpr unsigned second_source = 2;
    if (group_.selector(3) != second_source) return selected(group_.selector(3));
    c_.unknown("that IS3 can take S2 is known from one driver only");
    return c_.read(2);
  }

  void pack_slot() {
    const Item& instruction = item(Word::pack);
    if (!instruction) return;
    using does::Pack;
    switch (instruction.op->does.as<Pack>()) {
      case Pack::zero:
        return drive(2, c_.zero());
      case Pack::one:
        return drive(2, b_.constant_f32(1));
      case Pack::pack:
      case Pack::pack_by_word:
        return drive(2, pack(c_, instruction, is3(), state_.ft[2]));
      case Pack::add: {
        const Operand x = pack_source(instruction), y = pack_external(instruction);
        return drive(2, float_sum(c_, instruction, x, y));
      }
      case Pack::multiply: {
        const Operand x = pack_source(instruction), y = pack_external(instruction);
        return drive(2, float_product(c_, instruction, x, y));
      }
    }
  }
  Operand pack_source(const Item& instruction) { return float_operand(c_, is3(), float_modifiers(instruction, 0)); }
  Operand pack_external(const Item& instruction) {
    return float_operand(c_, selected(external_feed), float_modifiers(instruction, 1));
  }

  // ---- test

  struct Tested {
    Type type;
    bool is_signed;
    unsigned elements;  ///< in 32 bits
  };
  static Tested tested_type(unsigned code) {
    constexpr std::array<Tested, 8> types{{{Type::f32, true, 1},
                                           {Type::i16, false, 2},
                                           {Type::i16, true, 2},
                                           {Type::i8, false, 4},
                                           {Type::i8, true, 4},
                                           {Type::i32, false, 1},
                                           {Type::i32, true, 1},
                                           {Type::i32, false, 1}}};
    return types[code];
  }

  Operand test_operand(const Item& instruction, Operand bits) {
    const Tested tested = tested_type(instruction.get(F::type));
    if (tested.type == Type::f32) return float_operand(c_, bits, {});
    if (tested.elements == 1) return bits;
    const unsigned element = instruction.get(F::elem) % tested.elements;
    return b_.convert(tested.is_signed ? Op::sext : Op::zext, Type::i32, tested.type,
                      bits.plus(bytes_of(tested.type) * element));
  }

  Operand compare(const Item& instruction) {
    const Tested tested = tested_type(instruction.get(F::type));
    const bool is_float = tested.type == Type::f32;
    const Type type = is_float ? Type::f32 : Type::i32;
    const Op equal = is_float ? Op::feq : Op::ieq, unequal = is_float ? Op::fne : Op::ine;
    const Op less = is_float ? Op::flt : tested.is_signed ? Op::ilt_s : Op::ilt_u;
    const Op at_most = is_float ? Op::fle : tested.is_signed ? Op::ile_s : Op::ile_u;
    using does::Test;
    const auto what = instruction.op->does.as<Test>();
    if (what == Test::carry) return tested_carry();
    const Operand x = test_operand(instruction, is1());
    const bool with_zero = what == Test::zero || what == Test::positive || what == Test::not_negative;
    const Operand y = with_zero ? c_.zero() : test_operand(instruction, is2());
    switch (what) {
      case Test::zero:
      case Test::equal:
        return b_.binary(equal, type, x, y);
      case Test::positive:
      case Test::greater:
        return b_.binary(less, type, y, x);
      case Test::not_negative:
      case Test::at_least:
        return b_.binary(at_most, type, y, x);
      case Test::unequal:
        return b_.binary(unequal, type, x, y);
      case Test::less:
        return b_.binary(less, type, x, y);
      case Test::at_most:
        return b_.binary(at_most, type, x, y);
      case Test::carry:
        break;
    }
    return {};
  }
  Operand tested_carry() {
    if (!carry_.is_none()) return carry_;
    c_.unknown("a carry is tested, but no integer operation gives one; it is assumed to be 0");
    return c_.zero();
  }

  void test_slot() {
    const Item& instruction = item(Word::test);
    if (!instruction) return;
    ftt_ = show(state_.ftt, compare(instruction));
    if (instruction.get(F::pwen) != 0) new_p0_ = ftt_;
  }

  // ---- ports

  void ports() {
    const unsigned used = selectors_used(group_);
    const Item& move = item(Word::move);
    const bool conditional = move && move.op->does == does::Move::choose;
    // What a whole move overrides is not asked for.
    const bool whole = move && !conditional && move.get(F::maskw0) == 15;
    Operand w0 = complex_.w0, w1 = complex_.w1;
    if (w0.is_none() && !whole && (move || (used >> 4 & 1) != 0)) w0 = default_of(4);
    if (w1.is_none() && (conditional || (used >> 5 & 1) != 0)) w1 = default_of(5);
    if (move) {
      w0 = moved(move, w0, conditional);
      if (conditional) w1 = c_.choose(test_of_move(), selected(move.get(F::movw1)), w1);
    }
    if (!w0.is_none()) w0_ = show(state_.w0, w0);
    if (!w1.is_none()) w1_ = show(state_.w1, w1);
    // Both must be there before a register is written that the other comes from.
    if (group_.w0p && group_.w1p) w1_ = state_.w1;
  }

  /// W0 or W1 by IS4 or IS5. In a conditional move a port may be a side effect: what is not driven is 0 then.
  Operand default_of(unsigned selector) {
    const bool written = selector == 4 ? group_.w0p : group_.w1p;
    const unsigned code = group_.selector(selector);
    if (!written && code != external_feed && ft_[code].is_none()) return c_.zero();
    return selected(code);
  }

  Operand test_of_move() { return driven(ftt_, spelling(Name::ftt)); }

  Operand moved(const Item& move, Operand otherwise, bool conditional) {
    const std::uint32_t bytes = move.get(F::maskw0);
    if (bytes == 0) return otherwise;
    const Operand value = selected(move.get(F::movw0));
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
      if ((bytes >> i & 1) != 0) mask |= 0xFFu << 8 * i;
    const Operand result = mask == ~0u ? value : c_.choose(b_.constant_u32(mask), value, otherwise);
    return conditional ? c_.choose(test_of_move(), result, otherwise) : result;
  }

  GroupContext& c_;
  ir::Builder& b_;
  const State& state_;
  const Group& group_;
  std::array<Operand, 2> derivatives_{};
  std::array<Operand, 3> ft_{};  ///< none = not driven
  Operand fte_, ftt_, carry_, new_p0_, w0_, w1_;
  SingleResult complex_;
  BackendSources backend_sources_;
};

}  // namespace

void lift_main(GroupContext& context) { MainPass(context).lift(); }

std::string main_fault(const Group& group, const Settings& settings, const State& state) {
  for (const Word word : {Word::p0, Word::pack}) {
    const Item& item = group.item(word);
    if (item && (item.op->has(gathers) || item.op->does == does::Early::unpack))
      if (std::string fault = format_fault(group, item, settings); !fault.empty()) return fault;
  }
  return group.item(Word::backend) ? backend_fault(group, settings, state) : std::string();
}

}  // namespace mobula::rogue::lifting
