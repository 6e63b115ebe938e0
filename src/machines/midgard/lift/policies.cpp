#include "machines/midgard/lift/policies.h"

#include <algorithm>

namespace mobula::midgard {
namespace {

using Values = std::span<const std::string_view>;

template <std::size_t count>
using List = std::array<std::string_view, count>;

constexpr List<2> pc_value{"next", "this"};
constexpr List<2> bit_or_nonzero{"bit0", "nonzero"};
constexpr List<6> condition_lut{"wlo-whi-xlo-xhi", "wlo-whi-xhi-xlo", "wlo-xlo-whi-xhi",
                                "wlo-xlo-xhi-whi", "wlo-xhi-whi-xlo", "wlo-xhi-xlo-whi"};
constexpr List<3> csel16_half{"low", "high", "alternate"};
constexpr List<2> shift_mask{"lane", "five-bits"};
constexpr List<2> popcnt{"lane", "byte"};
constexpr List<2> f2i_overflow{"saturate", "trap"};
constexpr List<2> replicate{"both-halves", "zero-extend"};
constexpr List<2> inline_modifier{"apply", "ignore"};
constexpr List<2> integer_outmod_sign{"operation", "signed"};
constexpr List<3> unshrunk_outmod{"saturate", "ignore", "trap"};
constexpr List<2> partial_mask{"bytes", "lane"};
constexpr List<2> widening_mul{"low-half", "trap"};
constexpr List<2> dot_product{"sequential", "fused"};
constexpr List<2> argument_reduction{"identity", "trap"};
constexpr List<2> pow_step{"product", "trap"};
constexpr List<2> unknown_registers{"trap", "zero"};
constexpr List<2> call_return{"trap", "r1.w"};
constexpr List<2> writeout_r1{"written", "always"};

constexpr Policy row(std::string_view name, Values values, std::string_view summary) {
  return {.name = name, .default_value = values.front(), .values = values, .summary = summary};
}

constexpr std::array<Policy, policy_count> policy_table{{
    row("pc_value", pc_value, "r31.xy as ALU source: the address of the next bundle or of this one"),
    row("condition_bit", bit_or_nonzero, "what a branch tests of a condition that is neither 0 nor ~0"),
    row("condition_lut", condition_lut, "index bits 0 to 3 of a four-condition table: halves of r31.w and r31.x"),
    row("csel16_half", csel16_half, "half of r31.w that selects 16-bit lanes in CSEL.scalar; 8-bit lanes likewise"),
    row("shift_mask", shift_mask, "bits of a shift amount that count for lanes that are not 32 bits wide"),
    row("popcnt", popcnt, "POPCNT counts in the whole lane or in each byte"),
    row("f2i_overflow", f2i_overflow, "float to integer out of range or NaN: saturate with NaN as 0, or stop"),
    row("replicate", replicate, "integer source modifier 2 of a widened element"),
    row("inline_modifier", inline_modifier, "absolute value and negation of a vector inline constant"),
    row("integer_outmod_sign", integer_outmod_sign, "sign of the value a saturating output modifier narrows"),
    row("unshrunk_outmod", unshrunk_outmod, "integer output modifier other than keeplo without shrink"),
    row("partial_mask", partial_mask, "write mask bits that differ within a lane: write those bytes, or the lane"),
    row("widening_mul", widening_mul, "lanes a widening multiply takes: the lower half of them, or stop"),
    row("dot_product", dot_product, "rounding of a dot product: every step, or fused multiply-adds"),
    row("argument_reduction", argument_reduction, "FREDUCE and FDOT3R without scaling, or stop"),
    row("pow_step", pow_step, "FPOW_PT1 and its kin: b * log2(a), or stop"),
    row("unknown_registers", unknown_registers, "registers without a known meaning: stop, or read 0 and ignore writes"),
    row("call_return", call_return, "call and return branches: stop, or keep the return address in r1.w"),
    row("writeout_r1", writeout_r1, "depth, stencil and target of a writeout: only what its bundle writes, or all"),
}};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> choose_settings(const Policies& policies) {
  return Settings::choose("midgard", policy_table, policies, {.no_policy = "MD801", .no_value = "MD802"});
}

}  // namespace mobula::midgard
