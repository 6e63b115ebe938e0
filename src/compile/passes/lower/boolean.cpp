#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

/// One component after the other.
Value chain(Op op, Builder& in, Value of) {
  const std::uint8_t count = in.type_of(of).components;
  if (count == 1) return of;
  Value result = in.swizzle(of, {0});
  for (std::uint32_t i = 1; i < count; ++i) result = in.make(op, {result, in.swizzle(of, {i})});
  return result;
}

}  // namespace

Value expand_boolean(Op op, const Operands& from) {
  switch (op) {
    case Op::bany:
      return chain(Op::bor, from.in, from.values[0]);
    case Op::ball:
      return chain(Op::band, from.in, from.values[0]);
    default:
      return none;
  }
}

}  // namespace mobula::ssa
