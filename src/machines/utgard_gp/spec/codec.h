// Instructions: cutting a program into 128-bit words, and the one definition of which units of a word are active.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/export.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp {

/// Word `index` of the program. Precondition: code.size() >= (index + 1) * 16.
inline Word128 load_word(std::span<const std::uint8_t> code, std::uint32_t index) {
  Word128 word;
  std::memcpy(&word.low, code.data() + std::size_t{index} * word_bytes, 8);
  std::memcpy(&word.high, code.data() + std::size_t{index} * word_bytes + 8, 8);
  return word;
}
/// Whole words of a program; trailing bytes that fill no word are not counted.
inline std::uint32_t word_count(std::span<const std::uint8_t> code) {
  return static_cast<std::uint32_t>(code.size() / word_bytes);
}
/// The four 32-bit words it is usually written as, the lowest first.
constexpr std::array<std::uint32_t, 4> parts(const Word128& word) {
  return {static_cast<std::uint32_t>(word.low), static_cast<std::uint32_t>(word.low >> 32),
          static_cast<std::uint32_t>(word.high), static_cast<std::uint32_t>(word.high >> 32)};
}
MOBULA_INTERNAL void append_word(const Word128& word, std::vector<std::uint8_t>& out);

// What the word asks of its units, whether they are active or not.
inline const Operation<MulOp>& mul_operation(const Word128& word) { return mul_ops[get(word, word::mul_op)]; }
inline const Operation<AccOp>& acc_operation(const Word128& word) { return acc_ops[get(word, word::acc_op)]; }
inline const Operation<ComplexOp>& cplx_operation(const Word128& word) { return cplx_ops[get(word, word::cplx_op)]; }
inline const Operation<PassOp>& pass_operation(const Word128& word) { return pass_ops[get(word, word::pass_op)]; }

/// True if mul0 and mul1 work together (complex1, select, unknown opcodes).
constexpr bool is_wide(unsigned mul_op) {
  constexpr std::uint32_t wide = opcodes_where(mul_ops, [](const auto& row) { return row.traits.wide; });
  return (wide >> mul_op & 1) != 0;
}

/// True if the unit computes something (2.1): idle units are left out of printing, hazards and counts.
inline bool is_active(const Word128& word, Unit unit) {
  const auto used = [&](const Field& field) { return get(word, field) != selector_unused; };
  const auto mul_op = static_cast<unsigned>(get(word, word::mul_op));
  constexpr std::uint32_t always = opcodes_where(mul_ops, [](const auto& row) { return row.traits.always; });
  switch (unit) {
    case Unit::acc0:
      return used(word::acc0_a);
    case Unit::acc1:
      return used(word::acc1_a);
    case Unit::mul0:
      if ((always >> mul_op & 1) != 0) return true;
      return used(word::mul0_a) || (is_wide(mul_op) && used(word::mul1_a));
    case Unit::mul1:
      return !is_wide(mul_op) && used(word::mul1_a);
    case Unit::pass:
      return used(word::pass_in);
    case Unit::complex:
      constexpr unsigned idle = opcode_of(ComplexOp::nop);
      return get(word, word::cplx_op) != idle;
  }
  return false;
}

/// True if an active unit really reads this operand: the dead b operand of floor and sign, mul1.b of select and the
/// operand of setA01, which takes the pass unit's result, are not.
inline bool is_live(const Word128& word, const OperandField& operand) {
  const auto mul_op = static_cast<unsigned>(get(word, word::mul_op));
  if (is_wide(mul_op) && operand.unit == Unit::mul1) {
    if (operand.b && mul_ops[mul_op].operands < 4) return false;
    return is_active(word, Unit::mul0);
  }
  if (!is_active(word, operand.unit)) return false;
  if (operand.unit == Unit::complex) return cplx_operation(word).operands != 0;
  const bool adder = operand.unit == Unit::acc0 || operand.unit == Unit::acc1;
  return !(adder && operand.b && acc_operation(word).operands == 1);
}

/// True if the pass unit takes its bounds from the memory load.
inline bool takes_bounds(const Word128& word) {
  constexpr std::uint32_t bounded = opcodes_where(pass_ops, [](const auto& row) { return row.traits.bounds; });
  return (bounded >> get(word, word::pass_op) & 1) != 0 && is_active(word, Unit::pass);
}
/// True if the word sets address register `k`.
inline bool sets_address(const Word128& word, unsigned k) {
  return (cplx_operation(word).traits.addresses >> k & 1) != 0;
}
/// True if what `unit` makes in this word is there only two words later: complex1.
inline bool is_late(const Word128& word, Unit unit) { return unit == Unit::mul0 && mul_operation(word).traits.late; }

/// The operand that a unit copies in this word, and whether it changes the sign; none if the unit does anything else.
struct Moved {
  const OperandField* operand = nullptr;
  bool negated = false;
};
MOBULA_INTERNAL Moved moved_by(const Word128& word, Unit unit);

/// The selectors of all live operands, bit n for selector n.
struct SelectorsRead {
  std::uint32_t mask = 0;
  /// Components that are selected of port0, port1, load or previous_port0: bit 0 for x to bit 3 for w.
  [[nodiscard]] constexpr unsigned of(Source source) const { return mask >> first_selector(source) & 15; }
};
MOBULA_INTERNAL SelectorsRead selectors_read(const Word128& word);
/// As SelectorsRead::of.
inline unsigned components_read(const Word128& word, Source source) { return selectors_read(word).of(source); }
/// True if the memory load takes part: a live operand selects it, or a clamp takes its bounds from it.
MOBULA_INTERNAL bool reads_load(const Word128& word);

/// Branch as the hardware takes it: both the branch bit and flow 13 (2.5).
inline bool is_branch(const Word128& word) {
  return get(word, word::branch) != 0 && get(word, word::flow) == flow_branch;
}
/// Word index a branch leads to, 0..511.
inline unsigned branch_target(const Word128& word) {
  return static_cast<unsigned>(get(word, word::branch_target) + (get(word, word::branch_lo) != 0 ? 0 : 256));
}
MOBULA_INTERNAL void set_branch_target(Word128& word, unsigned target);

/// One of the two store halves.
enum class StoreKind : std::uint8_t { none, reg, varying, temporary };
struct StoreHalf {
  StoreKind kind = StoreKind::none;  ///< none = both selectors store nothing
  std::uint8_t index = 0;            ///< register or varying number
  std::uint8_t first_component = 0;  ///< 0 for half 0 (x, y), 2 for half 1 (z, w)
  std::uint8_t selector[2] = {store_nothing, store_nothing};
};
inline StoreHalf store_half(const Word128& word, unsigned half) {
  const bool second = half != 0;
  StoreHalf store;
  store.first_component = second ? 2 : 0;
  store.index = static_cast<std::uint8_t>(get(word, second ? word::st1_index : word::st0_index));
  store.selector[0] = static_cast<std::uint8_t>(get(word, second ? word::st1_z : word::st0_x));
  store.selector[1] = static_cast<std::uint8_t>(get(word, second ? word::st1_w : word::st0_y));
  if (store.selector[0] == store_nothing && store.selector[1] == store_nothing) return store;
  if (get(word, second ? word::st1_temp : word::st0_temp) != 0)
    store.kind = StoreKind::temporary;
  else if (get(word, second ? word::st1_var : word::st0_var) != 0)
    store.kind = StoreKind::varying;
  else
    store.kind = StoreKind::reg;
  return store;
}
inline bool stores_temporary(const Word128& word) {
  return store_half(word, 0).kind == StoreKind::temporary || store_half(word, 1).kind == StoreKind::temporary;
}

}  // namespace mobula::utgard_gp
