#include "compile/verify/permitted.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace mobula::compile {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::Instruction;
using ssa::Op;
using ssa::Type;

constexpr double anything_goes = std::numeric_limits<double>::infinity();
constexpr double place = 0x1p-23;                                ///< of a number from 1 to 2
constexpr double least_number = 0x1p-126, least_half = 0x1p-14;  ///< what is smaller may be taken as 0

double number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Component `i` of operand `n`: a scalar is the same for all components of a result.
std::uint32_t part(std::span<const Bits> operands, std::span<const Type> types, std::size_t n, unsigned i) {
  return operands[n][types[n].components == 1 ? 0 : i];
}

/// What hands numbers on as they are.
bool moves(Op op) {
  switch (op) {
    case Op::load:
    case Op::read:
    case Op::image_load:
    case Op::constant:
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
    case Op::select:
    case Op::f_of_bits:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
      return true;
    default:
      return false;
  }
}

/// Operands of one component of a result.
struct Arguments {
  double a = 0, b = 0, c = 0;
};

/// Of sums and products: none where the result is a number as it stands, since they are correctly rounded.
double error_of_sum(double wide, double exact, double largest) {
  return wide == exact ? 0 : place * std::max(largest, std::fabs(exact));
}

double error_of_dot(std::span<const Bits> operands, std::span<const Type> types, double exact) {
  double sum = 0, size = 0;
  for (unsigned i = 0; i < types[0].components; ++i) {
    const double product = number(operands[0][i]) * number(operands[1][i]);
    sum += product;
    size += std::fabs(product);
  }
  return sum == exact && size == std::fabs(sum) ? 0 : 2 * place * size;
}

double error_of_quotient(const Arguments& at, double exact) {
  constexpr double most = 0x1p126;
  if (at.b == 0 || std::fabs(at.b) > most) return anything_goes;
  return 3 * place * std::fabs(exact);
}

/// a - b * floor(a / b): where the quotient is near a whole number it may fall on either side.
double error_of_remainder(const Arguments& at, double exact) {
  if (at.b == 0) return anything_goes;
  const double quotient = at.a / at.b, near = std::nearbyint(quotient);
  const double rounding = 3 * place * (std::fabs(at.a) + std::fabs(exact));
  const bool is_near = std::fabs(quotient - near) <= 4 * place * std::max(1.0, std::fabs(quotient));
  return is_near ? std::max(std::fabs(at.b), rounding) : rounding;
}

double error_of_logarithm(const Arguments& at, double exact) {
  if (at.a <= 0) return anything_goes;
  return at.a >= 0.5 && at.a <= 2 ? 0x1p-21 : 3 * place * std::fabs(exact);
}

/// As exp2(b * log2(a)).
double error_of_power(const Arguments& at, double exact) {
  if (at.a < 0 || (at.a == 0 && at.b <= 0)) return anything_goes;
  if (at.a == 0) return 0;
  const double logarithm = std::log2(at.a), power = at.b * logarithm;
  const double off = std::fabs(at.b) * error_of_logarithm(at, logarithm) + place * std::fabs(power);
  return std::fabs(exact) * (std::exp2(off) - 1 + (3 + 2 * std::fabs(power)) * place);
}

constexpr double coarse = 0x1p-11;  ///< of functions that machines approximate as they like

/// How far an angle may be off that the machine may have to divide first: of large ones, not much is certain.
double error_of_angle(double angle) { return 4 * place * std::fabs(angle); }

/// As the quotient of sine and cosine: where that may be 0, it is one by 0.
double error_of_tangent(double angle, double exact) {
  const double from_pole = std::fabs(std::remainder(angle - std::numbers::pi / 2, std::numbers::pi));
  return from_pole <= coarse + error_of_angle(angle) ? anything_goes : coarse * (1 + exact * exact);
}

double error_of_hyperbola(double a) { return std::cosh(a) * (3 + 2 * std::fabs(a)) * 2 * place; }

double error_of_number(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                       const Arguments& at, double exact) {
  switch (each.op) {
    case Op::fadd:
      return error_of_sum(at.a + at.b, exact, std::max(std::fabs(at.a), std::fabs(at.b)));
    case Op::fsub:
    case Op::ddx:
    case Op::ddy:
      return error_of_sum(at.a - at.b, exact, std::max(std::fabs(at.a), std::fabs(at.b)));
    case Op::fmul:
      return error_of_sum(at.a * at.b, exact, 0);
    case Op::ffma:
      return error_of_sum(at.a * at.b, static_cast<float>(at.a * at.b), 0) +
             error_of_sum(at.a * at.b + at.c, exact, std::max(std::fabs(at.a * at.b), std::fabs(at.c)));
    case Op::texture: {
      constexpr double weight = 0x1p-18;  // how finely a filter weighs is the machine's, as are a cube's quotients
      return weight * std::max(1.0, std::fabs(exact));
    }
    case Op::fdot:
      return error_of_dot(operands, types, exact);
    case Op::fdiv:
      return error_of_quotient(at, exact);
    case Op::fmod:
    case Op::frem:
      return error_of_remainder(at, exact);
    case Op::fsqrt:
      return at.a < 0 ? anything_goes : 3 * place * exact;
    case Op::frsqrt:
      return at.a <= 0 ? anything_goes : 2 * place * exact;
    case Op::fexp:
    case Op::fexp2:
      return (3 + 2 * std::fabs(at.a)) * place * exact;
    case Op::flog:
    case Op::flog2:
      return error_of_logarithm(at, exact);
    case Op::fpow:
      return error_of_power(at, exact);
    case Op::fsin:
    case Op::fcos:
      return coarse;
    case Op::ftan:
      return error_of_tangent(at.a, exact);
    case Op::fasin:
    case Op::facos:
      return std::fabs(at.a) > 1 ? anything_goes : 2 * coarse;
    case Op::fatan2:
      return at.a == 0 && at.b == 0 ? anything_goes : coarse * std::max(1.0, std::fabs(exact));
    case Op::fatan:
      return coarse * std::fabs(exact);
    case Op::fsinh:
    case Op::fcosh:
      return error_of_hyperbola(at.a);
    case Op::ftanh:
      return coarse;
    case Op::fasinh:
      return coarse * std::max(1.0, std::fabs(exact));
    case Op::facosh:
      return at.a < 1 ? anything_goes : coarse * std::max(1.0, exact);
    case Op::fatanh:
      return std::fabs(at.a) >= 1 ? anything_goes : coarse * std::max(1.0, std::fabs(exact));
    case Op::f_half:
      return std::max(0x1p-10 * std::fabs(exact), 0x1p-24);
    case Op::s_to_f:
    case Op::u_to_f:
      return std::fabs(exact) < 0x1p24 ? 0 : place * std::fabs(exact);
    // exact, or a number as it was
    case Op::fneg:
    case Op::fabs:
    case Op::fsign:
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::fmin:
    case Op::fmax:
    case Op::fmantissa:
    case Op::fscale:
    case Op::f_of_bits:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
    case Op::select:
    case Op::constant:
    case Op::undefined:
    case Op::phi:
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
    case Op::load:
    case Op::store:
    case Op::read:
    case Op::write:
    case Op::atomic:
    case Op::length:
    case Op::image_load:
    case Op::image_store:
    case Op::image_atomic:
    case Op::barrier:
    // Made for back ends, which no source says.
    case Op::frcp:
    case Op::fsinpi:
    case Op::fcospi:
    // no numbers of this kind
    case Op::fexponent:
    case Op::ineg:
    case Op::iabs:
    case Op::isign:
    case Op::iadd:
    case Op::isub:
    case Op::imul:
    case Op::imulhi_s:
    case Op::imulhi_u:
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::inot:
    case Op::ishl:
    case Op::ishr_s:
    case Op::ishr_u:
    case Op::ibits_s:
    case Op::ibits_u:
    case Op::ibits_put:
    case Op::ireverse:
    case Op::icount:
    case Op::iclz:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::ihighest_u:
    case Op::f_to_s:
    case Op::f_to_u:
    case Op::f_bits:
    case Op::pack_half:
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::fis_nan:
    case Op::fis_inf:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ilt_u:
    case Op::ile_s:
    case Op::ile_u:
    case Op::band:
    case Op::bor:
    case Op::bxor:
    case Op::bnot:
    case Op::bany:
    case Op::ball:
      return 0;
  }
  return 0;
}

/// A number with 16 bits, if it has to be one; those that are are not rounded.
bool is_half(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return true;
  if (!(magnitude < 65520) || magnitude < 0x1p-14) return false;
  int exponent = 0;
  const double places = std::ldexp(std::frexp(magnitude, &exponent), 11);
  return places == std::floor(places);
}
double error_of_half(double value) {
  constexpr double most = 65504;
  const double magnitude = std::fabs(value);
  if (magnitude > most) return anything_goes;
  return std::max(0x1p-10 * magnitude, std::min(magnitude, least_half));
}

/// The least number with all its digits: what is smaller may be 0, of either sign, and is for some readers only.
double least_of(const Type& type, bool is_wide) { return type.relaxed && !is_wide ? least_half : least_number; }

/// Whether GLSL does not say what an integer becomes, or a condition.
bool is_open_integer(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types, unsigned i,
                     bool is_wide) {
  const auto at = [&](std::size_t n) { return part(operands, types, n, i); };
  const auto is_finite = [&](std::size_t n) { return std::isfinite(number(at(n))); };
  const auto is_small = [&](std::size_t n) { return std::fabs(number(at(n))) < least_of(types[n], is_wide); };
  switch (each.op) {
    case Op::idiv_s:
    case Op::irem_s:
    case Op::imod_s:
      return at(1) == 0 || (at(0) == 0x80000000 && at(1) == ~0U) ||
             (each.op != Op::idiv_s && static_cast<std::int32_t>(at(0) | at(1)) < 0);
    case Op::idiv_u:
    case Op::irem_u:
      return at(1) == 0;
    case Op::ishl:
    case Op::ishr_s:
    case Op::ishr_u:
      return at(1) >= 32;
    case Op::ibits_s:
    case Op::ibits_u:
      return std::uint64_t{at(1)} + at(2) > 32;
    case Op::ibits_put:
      return std::uint64_t{at(2)} + at(3) > 32;
    case Op::f_to_s:
      return !(std::fabs(number(at(0))) < 0x1p31);
    case Op::f_to_u:
      return !(number(at(0)) > -1 && number(at(0)) < 0x1p32);
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
      return !is_finite(0) || !is_finite(1) || (is_small(0) && is_small(1) && number(at(0)) != number(at(1)));
    case Op::f_bits:
      return std::isnan(number(at(0)));
    case Op::fis_nan:
    case Op::fis_inf:
    case Op::fmantissa:
    case Op::fexponent:
      return !is_finite(0);
    case Op::pack_half:
      return !is_half(number(operands[0][0])) || !is_half(number(operands[0][1]));
    case Op::undefined:
      return true;
    default:
      return false;
  }
}

}  // namespace

double permitted_error(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types, unsigned i,
                       double exact, bool is_wide) {
  if (each.op == Op::undefined) return anything_goes;
  if (!moves(each.op)) {
    if (!std::isfinite(exact)) return anything_goes;
    for (std::size_t n = 0; n < operands.size(); ++n)
      if (types[n].base == Base::real && !std::isfinite(number(part(operands, types, n, i)))) return anything_goes;
  }
  Arguments at;
  const std::array<double*, 3> parts{&at.a, &at.b, &at.c};
  for (std::size_t n = 0; n < std::min(parts.size(), operands.size()); ++n)
    *parts[n] = number(part(operands, types, n, i));
  double error = error_of_number(each, operands, types, at, exact);
  const double product = at.a * at.b;
  const bool rounds_product = each.op == Op::ffma && each.type.relaxed && !is_wide && !is_half(product);
  if (rounds_product) error += error_of_half(product);  // it may have been two operations
  if (std::fabs(exact) < least_number && !moves(each.op)) error = std::max(error, std::fabs(exact));
  if (each.type.relaxed && !is_wide && !(moves(each.op) && is_half(exact)))
    error = std::max(error, error_of_half(exact));
  return error;
}

OneWay::OneWay(const ssa::Program& program, std::uint32_t lanes, std::uint64_t seed, bool follows, Integers integers,
               Reach* reach)
    : seed_(seed),
      random_(seed),
      follows_(follows),
      order_(follows || seed % 2 == 1 ? Order::as_numbered
             : seed % 4 == 2          ? Order::backwards
                                      : Order::by_chance),
      flushes_(seed % 4 == 1 || seed % 4 == 3),
      is_wide_(seed % 4 == 1),
      integers_(integers),
      errs_alike_(!follows && reach != nullptr && seed / 8 % 2 == 1),
      is_nan_(seed % 4 == 3),
      reach_(reach),
      seeks_edges_(!follows && seed / 4 % 2 == 1),
      turns_(reach == nullptr ? 0 : program.values.size() * lanes),
      outside_(lanes) {
  find_indices(program);
  find_products(program);
}

namespace {

/// How many operands of what reads or changes something stand in front of the place, and are no part of it.
std::optional<std::size_t> values_before_place(const Instruction& each) {
  switch (each.op) {
    case Op::load:
    case Op::read:
    case Op::texture:
    case Op::image_load:
      return 0;
    case Op::extract:
    case Op::store:
    case Op::write:
    case Op::image_store:
      return 1;
    case Op::insert:
      return 2;
    case Op::atomic:
    case Op::image_atomic:
      return ssa::values_of(each.atomic);
    default:
      return {};
  }
}

}  // namespace

void OneWay::put_in_order(std::span<std::uint32_t> lanes) {
  if (order_ == Order::backwards) std::ranges::reverse(lanes);
  if (order_ != Order::by_chance) return;
  for (std::size_t left = lanes.size(); left > 1; --left)
    std::swap(lanes[left - 1], lanes[random_.below(static_cast<std::uint32_t>(left))]);
}

/// What goes into an index, and of it the smaller of a number and a constant: that is how an array's end is kept.
void OneWay::find_indices(const ssa::Program& program) {
  for (auto block = program.blocks.rbegin(); block != program.blocks.rend(); ++block)
    for (auto each = block->instructions.rbegin(); each != block->instructions.rend(); ++each) {
      const bool is_index = indices_.contains(each->result);
      if (each->op == Op::imin_u && is_index) clamps_.insert(each->result);
      if (const auto values = values_before_place(*each))
        indices_.insert(each->operands.begin() + static_cast<std::ptrdiff_t>(std::min(*values, each->operands.size())),
                        each->operands.end());
      else if (is_index && (each->op == Op::iadd || each->op == Op::imul || each->op == Op::ishl))
        indices_.insert(each->operands.begin(), each->operands.end());
    }
}

/// Products that a sum may take before they are rounded, through whatever hands them on.
void OneWay::find_products(const ssa::Program& program) {
  products_.resize(program.values.size());
  std::vector<bool> variables(program.variables.size());
  const auto is_product = [&](ssa::Value value) { return value != ssa::none && products_[value]; };
  for (bool found = true; found;) {
    found = false;
    for (const ssa::Block& block : program.blocks)
      for (const Instruction& each : block.instructions) {
        const bool of_variable = each.variable != ssa::none && variables[each.variable];
        const bool hands_on = moves(each.op) || each.op == Op::phi || each.op == Op::fneg || each.result == ssa::none;
        const bool handed = hands_on && (of_variable || std::ranges::any_of(each.operands, is_product));
        if (!handed && (each.op != Op::fmul || each.precise)) continue;
        const bool is_new = each.result != ssa::none ? !products_[each.result]
                                                     : each.variable != ssa::none && !variables[each.variable];
        if (!is_new) continue;
        found = true;
        if (each.result != ssa::none)
          products_[each.result] = true;
        else
          variables[each.variable] = true;
      }
  }
}

/// How far a sum is off that takes its products as they are before they are rounded, one of them here and another
/// there. What has few digits was not rounded.
double OneWay::error_of_contraction(const Instruction& each, std::span<const Bits> operands,
                                    std::span<const Type> types, unsigned i) const {
  if ((each.op != Op::fadd && each.op != Op::fsub) || each.precise) return 0;
  constexpr std::uint32_t last_digits = 0xFFFF;
  double error = 0;
  for (std::size_t n = 0; n < 2; ++n) {
    const std::uint32_t bits = part(operands, types, n, i);
    if (!products_[each.operands[n]] || (bits & last_digits) == 0) continue;
    const double size = std::fabs(number(bits));
    error += types[n].relaxed && !is_wide_ ? error_of_half(size) : place * size;
  }
  return error;
}

/// Whether a product is too large for an integer of 32 bits, of which what is left may be small again.
bool wraps(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types) {
  if (each.op != Op::imul && each.op != Op::ishl) return false;
  for (unsigned i = 0; i < each.type.components; ++i) {
    const auto at = [&](std::size_t n) { return static_cast<std::int32_t>(part(operands, types, n, i)); };
    const double factor = each.op == Op::imul ? at(1) : std::ldexp(1.0, at(1) & 31);
    if (std::fabs(at(0) * factor) >= 0x1p31) return true;
  }
  return false;
}

/// What takes an angle.
bool is_wave(Op op) { return op == Op::fsin || op == Op::fcos || op == Op::ftan; }

/// Of what computes the same from the same, the same.
std::uint64_t digest(const Instruction& each, std::span<const Bits> operands, const Bits& result) {
  std::uint64_t all = each.result;
  const auto add = [&](const Bits& bits) {
    for (const std::uint32_t word : bits) all = Random(all ^ word).next();
  };
  for (const Bits& operand : operands) add(operand);
  add(result);
  return all;
}

void OneWay::gave(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                  std::uint32_t lane, Bits& result) {
  const bool clamped = each.op == Op::imin_u && result[0] != operands[0][0] && clamps_.contains(each.result);
  // The product of an index and an element's size has lost its high half: no machine need compute what is left of it.
  const bool misplaced = wraps(each, operands, types) && indices_.contains(each.result);
  if (clamped || misplaced || is_inexact(each, operands, types, result)) outside_[lane] = true;
  if (errs_alike_) random_ = Random(seed_ ^ digest(each, operands, result));
  if (!follows_) err(each, operands, types, result);
  if (reach_ != nullptr && each.result != ssa::none && reach_->has_edges(each.result))
    meet_edges(each, operands, types, lane, result);
}

/// Makes a result what this way has, as far from the definition as it may be.
void OneWay::err(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types, Bits& result) {
  if (is_wave(each.op)) turn(each, operands[0], result);
  if (each.type.base == Base::real && each.type.relaxed && !is_wide_ && !moves(each.op) && !operands.empty())
    round_operands(each, operands, types, result);
  depart(each, operands, types, result);
}

/// A sine and its like, of an angle that is off. However far it is, no sine leaves -1 to 1.
void OneWay::turn(const Instruction& each, const Bits& angles, Bits& result) {
  for (unsigned i = 0; i < each.type.components; ++i) {
    const double angle = number(angles[i]), turned = angle + off_by(error_of_angle(angle));
    const double value = each.op == Op::fsin   ? std::sin(turned)
                         : each.op == Op::fcos ? std::cos(turned)
                                               : std::tan(turned);
    result[i] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

/// Two numbers, by the first less the second.
bool compare(Op op, float difference) {
  return op == Op::flt   ? difference < 0
         : op == Op::fle ? difference <= 0
         : op == Op::feq ? difference == 0
                         : difference != 0;
}

/// Notes a result for other ways, or takes it here and there to an edge that is in reach of those.
void OneWay::meet_edges(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                        std::uint32_t lane, Bits& result) {
  const Reach::Place at{each.result, lane, turns_[each.result * outside_.size() + lane]++};
  const bool compares = compares_numbers(each.op);
  for (unsigned i = 0; i < each.type.components; ++i) {
    if (!seeks_edges_) {
      reach_->note(
          at, i,
          compares ? number(part(operands, types, 0, i)) - number(part(operands, types, 1, i)) : number(result[i]));
    } else if (random_.below(2) == 0) {
      const double along = random_.between(0, 1);
      const int side = static_cast<int>(random_.below(3)) - 1;
      if (const auto edge = reach_->edge(at, i, along, side))
        result[i] = compares ? compare(each.op, *edge) : std::bit_cast<std::uint32_t>(*edge);
    }
  }
}

/// Whether an integer is beyond what floats have, or a sign is one too many.
bool OneWay::is_inexact(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                        const Bits& result) const {
  if (integers_ == Integers::whole) return false;
  constexpr std::int32_t most = 1 << 24;
  const auto is_beyond = [&](const Type& type, const Bits& bits, std::int32_t least) {
    const auto is_out = [&](std::uint32_t word) {
      const auto value = static_cast<std::int32_t>(word);
      return value > most || value < least;
    };
    return type.base == Base::integer && std::any_of(bits.begin(), bits.begin() + type.components, is_out);
  };
  if (is_beyond(each.type, result, -most) || wraps(each, operands, types)) return true;
  const std::int32_t least = ssa::is_unsigned(each.op) ? 0 : -most;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (is_beyond(types[i], operands[i], least)) return true;
  return false;
}

void OneWay::left_open(const Instruction& each, std::uint32_t, Bits& result) {
  if (follows_) return;
  for (unsigned i = 0; i < each.type.components; ++i) result[i] = anything(each.type.base);
}

void OneWay::begins(const Type& type, Bits& content) {
  if (follows_) return;
  for (unsigned i = 0; i < type.components; ++i) content[i] = anything(type.base);
}

/// Where 16 bits are enough, operands may be rounded to them first.
void OneWay::round_operands(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                            Bits& result) {
  std::vector<Bits> rounded(operands.begin(), operands.end());
  bool differ = false;
  for (std::size_t n = 0; n < rounded.size(); ++n) {
    if (types[n].base != Base::real || types[n].relaxed) continue;
    for (unsigned i = 0; i < types[n].components; ++i) {
      const double value = number(rounded[n][i]);
      if (is_half(value) || !std::isfinite(value) || random_.below(2) == 0) continue;
      const double step = 0x1p-11 * value;
      rounded[n][i] =
          std::bit_cast<std::uint32_t>(static_cast<float>(random_.below(2) == 0 ? value - step : value + step));
      differ = true;
    }
  }
  if (differ) result = ssa::compute(each, rounded, types);
}

/// Of two numbers that may be taken for zeros either is the smaller one, and a sum of products that is 0 has either
/// sign.
std::uint32_t OneWay::choose_zero(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                                  unsigned i, std::uint32_t result) {
  constexpr std::uint32_t sign = 0x80000000;
  if (each.op == Op::fdot && (result & ~sign) == 0) return random_.below(2) * sign;
  if (each.op != Op::fmin && each.op != Op::fmax) return result;
  const std::uint32_t a = part(operands, types, 0, i), b = part(operands, types, 1, i);
  const double least = least_of(each.type, is_wide_);
  const bool are_small = std::fabs(number(a)) < least && std::fabs(number(b)) < least;
  return !are_small ? result : random_.below(2) == 0 ? a : b;
}

void OneWay::depart(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                    Bits& result) {
  for (unsigned i = 0; i < each.type.components; ++i) {
    if (each.type.base != Base::real) {
      // 16 bits, signed or not, if they are enough.
      const auto value = static_cast<std::int32_t>(result[i]);
      const bool overflows =
          each.type.base == Base::integer && each.type.relaxed && !is_wide_ && (value < -32768 || value > 65535);
      if (overflows || is_open_integer(each, operands, types, i, is_wide_)) result[i] = anything(each.type.base);
      continue;
    }
    result[i] = choose_zero(each, operands, types, i, result[i]);
    const double exact = number(result[i]), error = permitted_error(each, operands, types, i, exact, is_wide_) +
                                                    error_of_contraction(each, operands, types, i);
    const bool is_small = std::fabs(exact) < least_of(each.type, is_wide_);
    if (error == anything_goes) {
      result[i] = anything(Base::real);
    } else if (flushes_ && is_small) {
      result[i] = 0;  // a machine does that always, or never
    } else if (error > 0) {
      result[i] = std::bit_cast<std::uint32_t>(static_cast<float>(exact + off_by(error)));
    }
  }
}

/// As far as it may be, or somewhere between: so that equal numbers may meet, too.
double OneWay::off_by(double error) {
  return random_.below(2) == 0 ? random_.below(3) * error - error : random_.between(-error, error);
}

std::uint32_t OneWay::anything(Base base) {
  constexpr std::array<float, 6> some{0, 1, -1, 1000, -0.375F, std::numeric_limits<float>::quiet_NaN()};
  if (base == Base::boolean) return random_.below(2);
  if (base == Base::integer) return static_cast<std::uint32_t>(random_.next());
  if (is_nan_) return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  const double chance = random_.between(-2, 2);
  return std::bit_cast<std::uint32_t>(random_.below(2) == 0 ? static_cast<float>(chance) : some[random_.below(6)]);
}

}  // namespace mobula::compile
