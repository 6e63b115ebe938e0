#include "simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mobula::utgard_gp::simulated {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
Value number_of(float value) { return {Kind::number, std::bit_cast<std::uint32_t>(value)}; }

float minimum(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
float maximum(float a, float b) { return -minimum(-a, -b); }

std::int32_t floor_to_integer(float value) {
  const double down = std::floor(static_cast<double>(value));
  if (std::isnan(down)) return 0;
  return static_cast<std::int32_t>(std::clamp(down, -2147483648.0, 2147483647.0));
}

}  // namespace

unsigned Simulator::field(unsigned low, unsigned width) const {
  unsigned value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    value |= ((code_[16 * pc_ + bit / 8] >> (bit % 8)) & 1u) << i;
  }
  return value;
}

std::uint32_t Simulator::load(std::int64_t vec4, unsigned component) const {
  return vec4 < 0 || vec4 >= 512 ? 0 : memory[static_cast<std::size_t>(vec4)][component];
}

bool Simulator::active(Unit unit) const {
  const unsigned mul_op = field(100, 3);
  switch (unit) {
    case acc0:
      return field(22, 5) != 21;
    case acc1:
      return field(32, 5) != 21;
    case mul0:
      return mul_op != 0 || field(0, 5) != 21;
    case mul1:
      return (mul_op == 0 || mul_op == 3) && field(10, 5) != 21;
    case pass:
      return field(111, 5) != 21;
    default:
      return field(86, 4) != 0;
  }
}

Value Simulator::operand(unsigned selector, bool b) const {
  if (selector < 4) return {Kind::number, port0_[selector]};
  if (selector < 8) return {Kind::number, port1_[selector - 4]};
  if (selector >= 12 && selector < 16) return {Kind::number, load_[selector - 12]};
  switch (selector) {
    case 16:
    case 17:
    case 19:
      return one_ago_[selector - 16];
    case 18:
      return was_complex1_ ? Value{} : one_ago_[mul0];
    case 20:
      return one_ago_[pass];
    case 22:
      return b ? Value{} : one_ago_[cplx];
    case 23:
      return two_ago_[pass];
    case 24:
    case 25:
    case 26:
    case 27:
      return two_ago_[selector - 24];
    case 28:
    case 29:
    case 30:
    case 31:
      return has_port0_one_ago_ ? Value{Kind::number, port0_one_ago_[selector - 28]} : Value{};
    default:
      return {};
  }
}

float Simulator::number(unsigned selector, bool b, float identity) const {
  if (b && selector == 22) return identity;
  const Value value = operand(selector, b);
  return value.kind == Kind::number ? as_float(value.bits) : not_a_number;
}

Value Simulator::add(unsigned a_selector, unsigned b_selector, bool negate_a, bool negate_b) const {
  const float a = number(a_selector, false) * (negate_a ? -1.0F : 1.0F);
  const auto b = [&] { return number(b_selector, true, 0.0F) * (negate_b ? -1.0F : 1.0F); };
  switch (field(83, 3)) {
    case 1:
      return number_of(std::floor(a));
    case 2:
      return number_of(a > 0 ? 1.0F : a < 0 ? -1.0F : 0.0F);
    case 4:
      return number_of(a >= b() ? 1.0F : 0.0F);
    case 5:
      return number_of(a < b() ? 1.0F : 0.0F);
    case 6:
      return number_of(minimum(a, b()));
    case 7:
      return number_of(maximum(a, b()));
    default:
      return number_of(a + b());
  }
}

Value Simulator::multiply(unsigned a, unsigned b, bool negate) const {
  const float product = number(a, false) * number(b, true, 1.0F);
  return number_of(negate ? -product : product);
}

Value Simulator::complex2() const {
  const Value a = operand(field(0, 5), false), b = operand(field(5, 5), true);
  Value result{a.kind == Kind::pre ? Kind::square_of_pre : Kind::square};
  if (a.kind == b.kind && (a.kind == Kind::number || a.kind == Kind::pre) && a.bits == b.bits) result.bits = a.bits;
  return result;
}

Value Simulator::complex1() const {
  const Value table = operand(field(0, 5), false), square = operand(field(5, 5), true);
  const Value again = operand(field(10, 5), false), x = operand(field(15, 5), true);
  const bool exponential = table.kind == Kind::exp2;
  const bool fits = again.kind == table.kind && square.kind == (exponential ? Kind::square_of_pre : Kind::square) &&
                    x.kind == (exponential ? Kind::pre : Kind::number) && table.bits == again.bits &&
                    table.bits == square.bits && table.bits == x.bits;
  const double argument = fits ? as_float(x.bits) : not_a_number;
  switch (table.kind) {
    case Kind::exp2:
      return number_of(static_cast<float>(std::exp2(argument)));
    case Kind::log2: {
      const Value result = number_of(static_cast<float>(std::log2(argument)));
      return {Kind::raw_log2, result.bits};
    }
    case Kind::rsqrt:
      return number_of(static_cast<float>(1 / std::sqrt(argument)));
    case Kind::rcp:
      return number_of(static_cast<float>(1 / argument));
    default:
      return number_of(not_a_number);
  }
}

void Simulator::set_address(unsigned which, float value) {
  if (address == "truncate") value = std::trunc(value);
  if (address == "nearest") value = std::nearbyint(value);
  const auto bits = static_cast<std::uint32_t>(floor_to_integer(value));
  if (which == 0)
    addresses_[0] = bits;
  else
    queue_.push_back({time_ + 4, &addresses_[which], bits});
}

bool Simulator::holds(float condition) const {
  return truth == "positive" ? condition > 0 : truth == "half" ? condition >= 0.5F : condition != 0;
}

void Simulator::store(unsigned half) {
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned component = 2 * half + i, selector = field(71 + 3 * component, 3);
    if (selector == 7) continue;
    const Unit unit = selector == 6 ? cplx : static_cast<Unit>(selector);
    const bool good = now_[unit].kind == Kind::number && !(unit == mul0 && field(100, 3) == 1);
    const std::uint32_t bits = good ? now_[unit].bits : Value{}.bits;
    const unsigned index = field(half == 0 ? 90 : 95, 4);
    if (field(half == 0 ? 67 : 68, 1) != 0) {
      const auto vec4 = static_cast<std::int32_t>(addresses_[0]);
      if (vec4 >= 0 && vec4 < 512)
        queue_.push_back({time_ + 4, &memory[static_cast<std::size_t>(vec4)][component], bits});
    } else if (field(half == 0 ? 94 : 99, 1) != 0) {
      stored.push_back({index, component, bits});
    } else {
      queue_.push_back({time_ + 3, &registers[index][component], bits});
    }
  }
}

void Simulator::step() {
  for (const Write& write : queue_)
    if (write.ready <= time_) *write.target = write.bits;
  std::erase_if(queue_, [&](const Write& write) { return write.ready <= time_; });

  port0_ = field(62, 1) != 0 ? attributes[field(58, 4)] : registers[field(58, 4)];
  port1_ = registers[field(63, 4)];
  const unsigned offset = field(55, 3);
  const std::int64_t vec4 =
      std::int64_t{field(46, 9)} + (offset >= 1 && offset <= 3 ? static_cast<std::int32_t>(addresses_[offset]) : 0);
  for (unsigned c = 0; c < 4; ++c) load_[c] = load(vec4, c);

  now_.fill({});
  if (active(acc0)) now_[acc0] = add(field(22, 5), field(27, 5), field(42, 1) != 0, field(43, 1) != 0);
  if (active(acc1)) now_[acc1] = add(field(32, 5), field(37, 5), field(44, 1) != 0, field(45, 1) != 0);
  const unsigned mul_op = field(100, 3);
  if (mul_op == 1) {
    now_[mul0] = complex1();
  } else if (mul_op == 4) {
    const bool chosen = holds(number(field(5, 5), true, 1.0F));
    now_[mul0] = number_of(number(field(chosen ? 10 : 0, 5), false));
  } else {
    if (active(mul0)) now_[mul0] = mul_op == 3 ? complex2() : multiply(field(0, 5), field(5, 5), field(20, 1) != 0);
    if (active(mul1)) now_[mul1] = multiply(field(10, 5), field(15, 5), field(21, 1) != 0);
  }
  if (active(pass)) {
    const unsigned selector = field(111, 5);
    const Value in = operand(selector, false);
    switch (field(103, 3)) {
      case 4:
        now_[pass] = {Kind::pre, number_of(number(selector, false)).bits};
        break;
      case 5:
        now_[pass] = in.kind == Kind::raw_log2 ? Value{Kind::number, in.bits} : number_of(not_a_number);
        break;
      case 6:
        now_[pass] = number_of(minimum(maximum(number(selector, false), as_float(load_[0])), as_float(load_[1])));
        break;
      default:
        now_[pass] = number_of(number(selector, false));
    }
  }
  const float passed = now_[pass].kind == Kind::number ? as_float(now_[pass].bits) : not_a_number;
  const unsigned cplx_op = field(86, 4), cplx_in = field(106, 5);
  const Value in = operand(cplx_in, false);
  const std::uint32_t argument = in.kind == Kind::number ? in.bits : Value{}.bits;
  switch (cplx_op) {
    case 0:
      break;
    case 2:
      now_[cplx] = {Kind::exp2, in.kind == Kind::pre ? in.bits : Value{}.bits};
      break;
    case 3:
      now_[cplx] = {Kind::log2, argument};
      break;
    case 4:
      now_[cplx] = {Kind::rsqrt, argument};
      break;
    case 5:
      now_[cplx] = {Kind::rcp, argument};
      break;
    case 10:
      now_[cplx] = number_of(passed);
      set_address(0, passed);
      set_address(1, passed);
      break;
    default:
      now_[cplx] = {Kind::number, argument};
      if (cplx_op >= 12) set_address(cplx_op - 12, as_float(argument));
  }
  store(0);
  store(1);

  two_ago_ = one_ago_;
  was_complex1_ = mul_op == 1;
  one_ago_ = now_;
  port0_one_ago_ = port0_;
  has_port0_one_ago_ = true;

  executed.push_back(pc_);
  const bool jumps = field(69, 1) != 0 && field(116, 4) == 13 && holds(passed);
  pc_ = jumps ? field(120, 8) + (field(70, 1) != 0 ? 0 : 256) : pc_ + 1;
  ++time_;
}

void Simulator::run(unsigned limit) {
  while (executed.size() < limit && 16 * pc_ < code_.size()) step();
}

}  // namespace mobula::utgard_gp::simulated
