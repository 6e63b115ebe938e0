// What instructions do: a closed enumeration for each kind of unit, so that whoever cares switches over it without a
// default and the compiler names every place that a new instruction must reach. Every row of the table in spec.cpp says
// its own; nobody goes by a row's name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mobula::rogue {

namespace does {

/// Phases 0 and 1 of the main ALU.
enum class Early : std::uint8_t {
  multiply_add,
  add,
  multiply,
  copy,
  reciprocal,
  reciprocal_root,
  log2,
  log2_variant,
  exp2,
  sinc,
  arctan_ratio,
  to_srgb,
  from_srgb,
  reduce,
  derivative_x,
  derivative_y,
  fine_derivative_x,
  fine_derivative_y,
  narrow_add,
  narrow_multiply,
  narrow_multiply_add,
  add_word_to_pair,
  add_pairs,
  multiply_add_word,
  multiply_add_pair,
  unpack,
};

/// Phase 2 of the main ALU: what drives FT2.
enum class Pack : std::uint8_t { add, multiply, zero, one, pack, pack_by_word };

enum class Test : std::uint8_t {
  zero,
  positive,
  not_negative,
  carry,
  equal,
  greater,
  at_least,
  unequal,
  less,
  at_most,
};

/// `replace`: bytes of W0, always. `choose`: W0 and W1, where the test holds.
enum class Move : std::uint8_t { replace, choose };

// The bitwise ALU.
enum class Bitmask : std::uint8_t { pass, pass_immediate, mask };
enum class Shift1 : std::uint8_t { pass, interleave, reverse, left };
enum class Count : std::uint8_t { pass, set_bits, top_bit };
enum class Logical : std::uint8_t { or_, and_, xor_, nor, nand, xnor, pass };
/// Arithmetic shifts to the right are told apart by the bit that holds the sign: 31, 15, FT0's, FT3's.
enum class Shift2 : std::uint8_t {
  left,
  right,
  rotate,
  set_or_clear,
  arithmetic_31,
  arithmetic_15,
  arithmetic_ft0,
  arithmetic_ft3,
};
enum class BitTest : std::uint8_t { zero, not_zero };

enum class Backend : std::uint8_t {
  write_output,
  emit,
  cut,
  emit_cut,
  end_task,
  emit_end_task,
  write_emit_end_task,
  execution_mask,
  sample_mask,
  save_mask,
  change_phase,
  set_link,
  depth,
  alpha_test,
  iterate,
  iterate_perspective,
  emit_pixel,
  fence,
  atomic,
  load,
  store,
  sample,
  sample_by_byte,
};

enum class Control : std::uint8_t {
  branch,
  return_to_link,
  save_link,
  start_mask,
  else_mask,
  set_mask,
  test_loop,
  end_mask,
  select_link_a,
  select_link_b,
  end_call,
  wait_output,
  wait_fence,
  mutex_release,
  mutex_release_sleep,
  mutex_release_wakeup,
  mutex_lock,
  nothing,
  iterate_and_sample,
  base_of_coefficients,
  base_of_shared,
  iterate,
};

/// Instructions of which no encoding is published, whatever their unit.
enum class Unencoded : std::uint8_t {
  square_root,
  from_f64,
  to_f64,
  f64_multiply,
  f64_add,
  f64_multiply_add,
  f64_divide,
  f64_reciprocal,
  f64_square_root,
  f64_reciprocal_root,
  f64_copy,
  sum_of_products,
  four_multiply_adds,
  move_beside_sum,
  texel_address,
  test_less,
  test_at_least,
  top_bit_unlike_sign,
  top_bit_from_top,
  write_tessellator,
  store_texels,
  return_from_breakpoint,
  uniq,
  fetch,
};

}  // namespace does

/// One of them.
class Does {
 public:
  enum class Family : std::uint8_t {
    early,
    pack,
    test,
    move,
    bitmask,
    shift1,
    count,
    logical,
    shift2,
    bit_test,
    backend,
    control,
    unencoded
  };

  // Implicit, so that rows and comparisons name the enumerator alone.
  constexpr Does(does::Early x) : Does(Family::early, x) {}
  constexpr Does(does::Pack x) : Does(Family::pack, x) {}
  constexpr Does(does::Test x) : Does(Family::test, x) {}
  constexpr Does(does::Move x) : Does(Family::move, x) {}
  constexpr Does(does::Bitmask x) : Does(Family::bitmask, x) {}
  constexpr Does(does::Shift1 x) : Does(Family::shift1, x) {}
  constexpr Does(does::Count x) : Does(Family::count, x) {}
  constexpr Does(does::Logical x) : Does(Family::logical, x) {}
  constexpr Does(does::Shift2 x) : Does(Family::shift2, x) {}
  constexpr Does(does::BitTest x) : Does(Family::bit_test, x) {}
  constexpr Does(does::Backend x) : Does(Family::backend, x) {}
  constexpr Does(does::Control x) : Does(Family::control, x) {}
  constexpr Does(does::Unencoded x) : Does(Family::unencoded, x) {}

  [[nodiscard]] constexpr Family family() const { return family_; }
  /// The enumerator, to switch over. Precondition: it is of that enumeration, which the unit says.
  template <class Enumeration>
  [[nodiscard]] constexpr Enumeration as() const {
    return static_cast<Enumeration>(value_);
  }
  /// In a table of all there are, with gaps.
  [[nodiscard]] constexpr std::size_t position() const { return 32u * static_cast<std::size_t>(family_) + value_; }
  static constexpr std::size_t position_count = 13 * 32;
  friend constexpr bool operator==(Does, Does) = default;

 private:
  template <class Enumeration>
  constexpr Does(Family family, Enumeration value) : family_(family), value_(static_cast<std::uint8_t>(value)) {}

  Family family_;
  std::uint8_t value_;
};

}  // namespace mobula::rogue
