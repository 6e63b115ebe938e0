#include "machines/rogue/lift_main.h"

#include <vector>

#include "machines/rogue/lift_backend.h"
#include "machines/rogue/lift_float.h"
#include "machines/rogue/lift_integer.h"
#include "machines/rogue/lift_pack.h"
#include "machines/rogue/lift_visibility.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned derivative_x = 8, derivative_y = 9, fine_x = 10, fine_y = 11, bypass = 7;

bool is_single(const Item& item) { return item.form == &forms::sngl || item.form == &forms::sngl_ext; }
bool is_derivative(const Item& item) {
  return item && is_single(item) && item.get(F::sngl_op) >= derivative_x && item.get(F::sngl_op) <= fine_y;
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
    if (drives_port(group_.item(Word::backend))) complex_.w0 = mask_result(c_, group_.item(Word::backend));
    ports();
    if (group_.w0p) c_.write(group_.written[0], advance(), w0_);
    if (group_.w1p) c_.write(group_.written[1], advance(), w1_);
    if (!new_p0_.is_none()) c_.keep(state_.p0, new_p0_);
    if (group_.item(Word::backend)) lift_backend(c_, backend_sources_);
  }

 private:
  [[nodiscard]] const Item& item(Word word) const { return group_.item(word); }

  /// Leaves the value of a feedthrough or port to be seen; the group itself goes on with the value.
  Operand show(Operand slot, Operand value) {
    c_.keep(slot, value);
    return value;
  }

  /// A pack gathers into one register.
  [[nodiscard]] unsigned advance() const {
    const Item& pack = item(Word::pack);
    return pack && pack.form == &forms::pck ? 0 : c_.pass;
  }

  Operand derivative(Word word, unsigned first_slot) {
    const Item& single = item(word);
    if (!is_derivative(single)) return {};
    const unsigned op = single.get(F::sngl_op);
    const Operand value = float_operand(c_, c_.read(first_slot), float_modifiers(single, 0));
    const bool across = op == derivative_x || op == fine_x;
    const Operand difference = b_.unary(across ? Op::ddx : Op::ddy, Type::f32, value);
    return op == fine_x || op == fine_y ? difference : b_.unary(Op::quad_first, Type::f32, difference);
  }

  void external() {
    // A register is copied only where somebody looks: strict runs take every read for one.
    if ((selectors_used(group_) & 1) != 0) fte_ = show(state_.fte, c_.read(group_.external_slot()));
  }

  /// FT0 or FT1 of an instruction that may stand in either phase.
  Operand either_phase(const Item& instruction, unsigned first_slot, Operand derivative) {
    if (!derivative.is_none()) return derivative;
    if (is_single(instruction)) {
      Operand value = c_.read(first_slot);  // a copy, bit for bit
      if (instruction.get(F::s0abs) != 0) value = b_.unary(Op::fabs, Type::f32, value);
      if (instruction.get(F::s0neg) != 0) value = b_.unary(Op::fneg, Type::f32, value);
      return value;
    }
    std::vector<Operand> operands;
    const unsigned count = instruction.op->name == "fmad" ? 3 : 2;
    for (unsigned i = 0; i < count; ++i)
      operands.push_back(float_operand(c_, c_.read(first_slot + i), float_modifiers(instruction, i)));
    return float_arithmetic(c_, instruction, operands);
  }

  void phase0() {
    const Item& instruction = item(Word::p0);
    if (!instruction) return;
    const rogue::Op* const op = instruction.op;
    if (op->has(complex_result)) {
      const Operand operand = float_operand(c_, c_.read(0), float_modifiers(instruction, 0));
      complex_ = complex_operation(c_, instruction, operand);
      const bool writes_p0 = instruction.form->find(F::pwen) == nullptr || instruction.get(F::pwen) != 0;
      if (writes_p0) new_p0_ = complex_.p0;
    } else if (instruction.form == &forms::upck) {
      ft_[0] = show(state_.ft[0], unpack(c_, instruction, c_.read(group_.slots[0], 0)));
    } else if (instruction.form->find(F::int32_64_op) != nullptr) {
      const Operand fourth = op->has(reads_is0) ? c_.read(group_.external_slot()) : Operand{};
      const WideResult result = wide_integer(c_, instruction, fourth);
      ft_[0] = show(state_.ft[0], result.low);
      if (!result.high.is_none()) fte_ = show(state_.fte, result.high);
      carry_ = result.carry;
    } else if (instruction.form->find(F::f) != nullptr) {
      ft_[0] = show(state_.ft[0], narrow_integer(c_, instruction));
    } else {
      ft_[0] = show(state_.ft[0], either_phase(instruction, 0, derivatives_[0]));
    }
  }

  void phase1() {
    if (const Item& instruction = item(Word::p1))
      ft_[1] = show(state_.ft[1], either_phase(instruction, upper_slot, derivatives_[1]));
  }

  /// A feedthrough that nothing drives (V-30) is taken to be 0.
  Operand driven(Operand feedthrough, std::string_view name) {
    if (!feedthrough.is_none()) return feedthrough;
    c_.unknown(std::string(name) + " is selected, but nothing drives it; it is taken to be 0");
    return c_.zero();
  }
  Operand selected(unsigned code) {
    constexpr std::array<std::string_view, 3> names{"ft0", "ft1", "ft2"};
    constexpr unsigned external_code = 3;
    if (code != external_code) return driven(ft_[code], names[code]);
    if (fte_.is_none()) fte_ = show(state_.fte, c_.read(group_.external_slot()));
    return fte_;
  }
  Operand is1() { return selected(group_.selector(1) == 0 ? 0 : 3); }
  Operand is2() { return selected(group_.selector(2) == 0 ? 1 : 3); }
  Operand is3() {
    constexpr unsigned second_source = 2;
    if (group_.selector(3) != second_source) return selected(group_.selector(3));
    c_.unknown("that IS3 can take S2 is known from one driver only");
    return c_.read(2);
  }

  void pack_slot() {
    const Item& instruction = item(Word::pack);
    if (!instruction) return;
    if (instruction.form == &forms::pck) {
      const bool reads = selectors_used(group_) >> 3 & 1;
      ft_[2] = show(state_.ft[2], pack(c_, instruction, reads ? is3() : c_.zero(), state_.ft[2]));
      return;
    }
    const std::array<Operand, 2> operands{float_operand(c_, is3(), float_modifiers(instruction, 0)),
                                          float_operand(c_, selected(3), float_modifiers(instruction, 1))};
    ft_[2] = show(state_.ft[2], float_arithmetic(c_, instruction, operands));
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
    enum : unsigned { z, gz, gez, c, e, g, ge, ne, l, le };
    const unsigned op = instruction.get(F::tst_op);
    if (op == c) {
      if (!carry_.is_none()) return carry_;
      c_.unknown("a carry is tested, but no integer operation gives one; it is taken to be 0");
      return c_.zero();
    }
    const Tested tested = tested_type(instruction.get(F::type));
    const bool is_float = tested.type == Type::f32;
    const Type type = is_float ? Type::f32 : Type::i32;
    const Op equal = is_float ? Op::feq : Op::ieq, unequal = is_float ? Op::fne : Op::ine;
    const Op less = is_float ? Op::flt : tested.is_signed ? Op::ilt_s : Op::ilt_u;
    const Op at_most = is_float ? Op::fle : tested.is_signed ? Op::ile_s : Op::ile_u;
    const Operand x = test_operand(instruction, is1());
    const Operand y = op < c ? c_.zero() : test_operand(instruction, is2());
    switch (op) {
      case z:
      case e:
        return b_.binary(equal, type, x, y);
      case gz:
      case g:
        return b_.binary(less, type, y, x);
      case gez:
      case ge:
        return b_.binary(at_most, type, y, x);
      case ne:
        return b_.binary(unequal, type, x, y);
      case l:
        return b_.binary(less, type, x, y);
      default:
        return b_.binary(at_most, type, x, y);
    }
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
    const bool conditional = move && move.get(F::aw) == 0;
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
    if (!written && code != 3 && ft_[code].is_none()) return c_.zero();
    return selected(code);
  }

  Operand test_of_move() { return driven(ftt_, "ftt"); }

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
    if (item && (item.form == &forms::pck || item.form == &forms::upck))
      if (std::string fault = format_fault(group, item, settings); !fault.empty()) return fault;
  }
  if (const Item& item = group.item(Word::p1)) {
    const std::string_view name = item.op->name;
    const bool known =
        name == "fadd" || name == "fmul" || name == "fmad" || (is_single(item) && !item.op->has(complex_result));
    if (!known) return std::string(name) + " in phase 1 is not known";
  }
  if (const Item& item = group.item(Word::p0); item && is_single(item) && item.op == nullptr)
    return "the operation of phase 0 is not known";
  return group.item(Word::backend) ? backend_fault(group, settings, state) : std::string();
}

}  // namespace mobula::rogue::lifting
