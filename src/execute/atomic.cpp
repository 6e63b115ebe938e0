#include "execute/atomic.h"

#include <algorithm>

namespace mobula::ir {
namespace {

std::int64_t sign_extended(std::uint64_t value, std::uint32_t bytes) {
  const std::uint32_t unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

std::uint64_t atomic_result(AtomicOp op, std::uint32_t bytes, std::uint64_t old_value, std::uint64_t operand,
                            std::uint64_t compare) {
  const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  const std::uint64_t a = old_value & mask, b = operand & mask;
  const bool less = sign_extended(a, bytes) < sign_extended(b, bytes);
  switch (op) {
    case AtomicOp::add:
      return (a + b) & mask;
    case AtomicOp::and_:
      return a & b;
    case AtomicOp::or_:
      return a | b;
    case AtomicOp::xor_:
      return a ^ b;
    case AtomicOp::min_s:
      return less ? a : b;
    case AtomicOp::max_s:
      return less ? b : a;
    case AtomicOp::min_u:
      return std::min(a, b);
    case AtomicOp::max_u:
      return std::max(a, b);
    case AtomicOp::exchange:
      return b;
    case AtomicOp::compare_exchange:
      return a == (compare & mask) ? b : a;
  }
  return a;
}

}  // namespace mobula::ir
