// Utgard GP's encoding as data: the one 128-bit word, its selectors and opcodes. Decoder, encoder, text, explain,
// manual, checker, lifter and fuzzers all read these rows. Facts are cited as sections of the Utgard GP reference; bit
// 0 is the lowest bit of word 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/format.h"

namespace mobula::utgard_gp {

// ------------------------------------------------------------------------------------------------ limits (1.2)

inline constexpr unsigned word_bytes = 16, max_words = 512, register_count = 16, attribute_count = 16,
                          varying_count = 16, memory_vec4s = 512;
/// Uniform memory a Mali-400 really has; MaliGP2's is unknown.
inline constexpr unsigned memory_vec4s_mali400 = 304;

// ------------------------------------------------------------------------------------------------ selectors (2.2, 2.4)

/// The units whose results can be forwarded or stored, in the order Mesa numbers results (7.1).
enum class Unit : std::uint8_t { acc0, acc1, mul0, mul1, pass, complex };
inline constexpr unsigned unit_count = 6;
struct UnitInfo {
  std::string_view name;         ///< short name in text
  std::string_view mesa_suffix;  ///< suffix of Mesa's mnemonics
};
inline constexpr std::array<UnitInfo, unit_count> units{
    {{"a0", "a0"}, {"a1", "a1"}, {"m0", "m0"}, {"m1", "m1"}, {"p", "p"}, {"c", "c"}}};
constexpr const UnitInfo& info(Unit unit) { return units[static_cast<std::size_t>(unit)]; }

/// Load offset that adds no address register (2.3).
inline constexpr unsigned no_offset = 7;

/// What an ALU source selector reads.
enum class Source : std::uint8_t { port0, port1, load, result, previous_port0, unused, identity_or_complex, unknown };
inline constexpr unsigned source_count = 8;
struct Selector {
  Source source = Source::unknown;
  std::uint8_t component = 0;  ///< x y z w for port0, port1, load, previous_port0
  Unit unit = Unit::acc0;      ///< for result
  std::uint8_t age = 0;        ///< 1 or 2 instructions ago, for result
};
inline constexpr unsigned selector_unused = 21, selector_identity = 22, selector_complex1 = 26;
/// All 32 values. 22 is the identity in b operands of adders and multipliers and complex[-1] elsewhere.
inline constexpr std::array<Selector, 32> selectors{{
    {Source::port0, 0},
    {Source::port0, 1},
    {Source::port0, 2},
    {Source::port0, 3},
    {Source::port1, 0},
    {Source::port1, 1},
    {Source::port1, 2},
    {Source::port1, 3},
    {},
    {},
    {},
    {},
    {Source::load, 0},
    {Source::load, 1},
    {Source::load, 2},
    {Source::load, 3},
    {Source::result, 0, Unit::acc0, 1},
    {Source::result, 0, Unit::acc1, 1},
    {Source::result, 0, Unit::mul0, 1},
    {Source::result, 0, Unit::mul1, 1},
    {Source::result, 0, Unit::pass, 1},
    {Source::unused},
    {Source::identity_or_complex, 0, Unit::complex, 1},
    {Source::result, 0, Unit::pass, 2},
    {Source::result, 0, Unit::acc0, 2},
    {Source::result, 0, Unit::acc1, 2},
    {Source::result, 0, Unit::mul0, 2},
    {Source::result, 0, Unit::mul1, 2},
    {Source::previous_port0, 0},
    {Source::previous_port0, 1},
    {Source::previous_port0, 2},
    {Source::previous_port0, 3},
}};
/// The first selector of each source; those of port0, port1, load and previous_port0 are x y z w in a row.
inline constexpr std::array<std::uint8_t, source_count> first_selectors = [] {
  std::array<std::uint8_t, source_count> first{};
  for (std::size_t i = selectors.size(); i-- > 0;)
    first[static_cast<std::size_t>(selectors[i].source)] = static_cast<std::uint8_t>(i);
  return first;
}();
/// Store selectors 0-7 (2.4): unit results of the current instruction.
inline constexpr unsigned store_unknown = 5, store_complex = 6, store_nothing = 7;
/// Unit a store selector takes; meaningless for 5 and 7.
constexpr Unit stored_unit(unsigned selector) {
  return selector == store_complex ? Unit::complex : static_cast<Unit>(selector);
}
/// Store selector that takes a unit.
constexpr unsigned store_selector(Unit unit) {
  return unit == Unit::complex ? store_complex : static_cast<unsigned>(unit);
}

// ------------------------------------------------------------------------------------------------ opcodes (3)

struct Opcode {
  std::string_view name;      ///< empty when unknown
  std::uint8_t operands = 0;  ///< operands a unit really reads
  std::string_view meaning;
  Fact fact;
};

// clang-format off
namespace rows {
inline constexpr Fact seed{Status::seed, "3"}, driver{Status::driver, "3"}, unknown{Status::unknown, "11"};
}
inline constexpr unsigned mul_mul = 0, mul_complex1 = 1, mul_complex2 = 3, mul_select = 4;
inline constexpr std::array<Opcode, 8> mul_ops{{
    {"mul", 2, "a * b, both units", rows::seed},
    {"complex1", 4, "second stage of a function; result on mul0 two instructions later", rows::seed},
    {"", 4, "unknown", rows::unknown},
    {"complex2", 2, "first stage beside a table operation; mul1 multiplies", rows::seed},
    {"select", 3, "mul0.b != 0 ? mul1.a : mul0.a", rows::driver},
    {"", 4, "unknown", rows::unknown},
    {"", 4, "unknown", rows::unknown},
    {"", 4, "unknown", rows::unknown},
}};
inline constexpr unsigned acc_add = 0, acc_floor = 1, acc_sign = 2, acc_ge = 4, acc_lt = 5, acc_min = 6, acc_max = 7;
inline constexpr std::array<Opcode, 8> acc_ops{{
    {"add", 2, "a + b", rows::seed},
    {"floor", 1, "floor(a)", rows::seed},
    {"sign", 1, "-1, 0 or 1 by the sign of a", rows::seed},
    {"", 2, "unknown", rows::unknown},
    {"ge", 2, "a >= b ? 1 : 0", rows::seed},
    {"lt", 2, "a < b ? 1 : 0", rows::seed},
    {"min", 2, "minimum; and of truth values", rows::seed},
    {"max", 2, "maximum; or of truth values", rows::seed},
}};
inline constexpr unsigned cplx_nop = 0, cplx_exp2 = 2, cplx_log2 = 3, cplx_rsqrt = 4, cplx_rcp = 5, cplx_mov = 9, cplx_set_a01 = 10, cplx_set_a0 = 12, cplx_set_a1 = 13, cplx_set_a2 = 14, cplx_set_a3 = 15;
inline constexpr std::array<Opcode, 16> cplx_ops{{
    {"nop", 0, "idle", rows::seed},
    {"", 1, "unknown", rows::unknown},
    {"exp2", 1, "table stage of 2^x", rows::seed},
    {"log2", 1, "table stage of log2 x", rows::seed},
    {"rsqrt", 1, "table stage of 1 / sqrt x", rows::seed},
    {"rcp", 1, "table stage of 1 / x", rows::seed},
    {"", 1, "unknown", rows::unknown},
    {"", 1, "unknown", rows::unknown},
    {"", 1, "unknown", rows::unknown},
    {"mov", 1, "copy", rows::seed},
    {"setA01", 0, "A0 and A1 from the pass unit's result", rows::seed},
    {"", 1, "unknown", rows::unknown},
    {"setA0", 1, "temporary store address, at once", rows::seed},
    {"setA1", 1, "load offset 1, four instructions later", rows::seed},
    {"setA2", 1, "load offset 2, four instructions later", rows::seed},
    {"setA3", 1, "load offset 3, four instructions later", rows::seed},
}};
inline constexpr unsigned pass_mov = 2, pass_preexp2 = 4, pass_postlog2 = 5, pass_clamp = 6;
inline constexpr std::array<Opcode, 8> pass_ops{{
    {"", 1, "unknown; seen idle", rows::unknown},
    {"", 1, "unknown", rows::unknown},
    {"mov", 1, "copy; tests a branch condition", rows::seed},
    {"", 1, "unknown", rows::unknown},
    {"preexp2", 1, "number conversion before exp2", rows::driver},
    {"postlog2", 1, "number conversion after log2", rows::driver},
    {"clamp", 1, "min(max(in, ld.x), ld.y)", {Status::binaries, "3.4"}},
    {"", 1, "unknown", rows::unknown},
}};

// ------------------------------------------------------------------------------------------------ the word (2.1)

namespace value {
inline constexpr FieldValue source[] = {{0, "p0.x", "port 0"}, {1, "p0.y", "port 0"}, {2, "p0.z", "port 0"}, {3, "p0.w", "port 0"}, {4, "p1.x", "port 1"}, {5, "p1.y", "port 1"}, {6, "p1.z", "port 1"}, {7, "p1.w", "port 1"}, {8, "s8", "unknown"}, {9, "s9", "unknown"}, {10, "s10", "unknown"}, {11, "s11", "unknown"}, {12, "ld.x", "memory load"}, {13, "ld.y", "memory load"}, {14, "ld.z", "memory load"}, {15, "ld.w", "memory load"}, {16, "a0[-1]", "earlier result"}, {17, "a1[-1]", "earlier result"}, {18, "m0[-1]", "earlier result"}, {19, "m1[-1]", "earlier result"}, {20, "p[-1]", "earlier result"}, {21, "unused", "unit idle"}, {22, "c[-1]", "earlier result"}, {23, "p[-2]", "earlier result"}, {24, "a0[-2]", "earlier result"}, {25, "a1[-2]", "earlier result"}, {26, "m0[-2]", "earlier result"}, {27, "m1[-2]", "earlier result"}, {28, "p0[-1].x", "port 0 of the previous instruction"}, {29, "p0[-1].y", "port 0 of the previous instruction"}, {30, "p0[-1].z", "port 0 of the previous instruction"}, {31, "p0[-1].w", "port 0 of the previous instruction"}};
inline constexpr FieldValue source_b[] = {{0, "p0.x", "port 0"}, {1, "p0.y", "port 0"}, {2, "p0.z", "port 0"}, {3, "p0.w", "port 0"}, {4, "p1.x", "port 1"}, {5, "p1.y", "port 1"}, {6, "p1.z", "port 1"}, {7, "p1.w", "port 1"}, {8, "s8", "unknown"}, {9, "s9", "unknown"}, {10, "s10", "unknown"}, {11, "s11", "unknown"}, {12, "ld.x", "memory load"}, {13, "ld.y", "memory load"}, {14, "ld.z", "memory load"}, {15, "ld.w", "memory load"}, {16, "a0[-1]", "earlier result"}, {17, "a1[-1]", "earlier result"}, {18, "m0[-1]", "earlier result"}, {19, "m1[-1]", "earlier result"}, {20, "p[-1]", "earlier result"}, {21, "unused", "unit idle"}, {22, "ident", "1.0 for multipliers, 0.0 for adders"}, {23, "p[-2]", "earlier result"}, {24, "a0[-2]", "earlier result"}, {25, "a1[-2]", "earlier result"}, {26, "m0[-2]", "earlier result"}, {27, "m1[-2]", "earlier result"}, {28, "p0[-1].x", "port 0 of the previous instruction"}, {29, "p0[-1].y", "port 0 of the previous instruction"}, {30, "p0[-1].z", "port 0 of the previous instruction"}, {31, "p0[-1].w", "port 0 of the previous instruction"}};
inline constexpr FieldValue stored[] = {{0, "a0", "acc0"}, {1, "a1", "acc1"}, {2, "m0", "mul0"}, {3, "m1", "mul1"}, {4, "p", "pass"}, {5, "x5", "unknown"}, {6, "c", "complex"}, {7, "-", "nothing stored"}};
inline constexpr FieldValue load_offset[] = {{0, "A0", "never seen"}, {1, "A1", "address register 1 added"}, {2, "A2", "address register 2 added"}, {3, "A3", "address register 3 added"}, {7, "none", "no offset"}};
inline constexpr FieldValue flow[] = {{0, "normal", ""}, {12, "temporary", "a store half writes a temporary"}, {13, "branch", "branch enabled"}};
inline constexpr FieldValue mul_op[] = {{0, "mul", "multiply"}, {1, "complex1", "wide"}, {3, "complex2", "mul0 only"}, {4, "select", "wide"}};
inline constexpr FieldValue acc_op[] = {{0, "add", ""}, {1, "floor", ""}, {2, "sign", ""}, {4, "ge", ""}, {5, "lt", ""}, {6, "min", ""}, {7, "max", ""}};
inline constexpr FieldValue cplx_op[] = {{0, "nop", "idle"}, {2, "exp2", "table stage"}, {3, "log2", "table stage"}, {4, "rsqrt", "table stage"}, {5, "rcp", "table stage"}, {9, "mov", "copy"}, {10, "setA01", "address registers 0 and 1"}, {12, "setA0", "address register 0"}, {13, "setA1", "address register 1"}, {14, "setA2", "address register 2"}, {15, "setA3", "address register 3"}};
inline constexpr FieldValue pass_op[] = {{2, "mov", "copy"}, {4, "preexp2", "before exp2"}, {5, "postlog2", "after log2"}, {6, "clamp", "to a uniform pair"}};
}  // namespace value

namespace word {
inline constexpr Field mul0_a{.name = "mul0.a", .low = 0, .width = 5, .meaning = "operand a of mul0", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field mul0_b{.name = "mul0.b", .low = 5, .width = 5, .meaning = "operand b of mul0; condition of select", .fact = {Status::seed, "2.1"}, .values = value::source_b};
inline constexpr Field mul1_a{.name = "mul1.a", .low = 10, .width = 5, .meaning = "operand a of mul1", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field mul1_b{.name = "mul1.b", .low = 15, .width = 5, .meaning = "operand b of mul1", .fact = {Status::seed, "2.1"}, .values = value::source_b};
inline constexpr Field mul0_neg{.name = "mul0.neg", .low = 20, .width = 1, .meaning = "mul0 result negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field mul1_neg{.name = "mul1.neg", .low = 21, .width = 1, .meaning = "mul1 result negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field acc0_a{.name = "acc0.a", .low = 22, .width = 5, .meaning = "operand a of acc0", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field acc0_b{.name = "acc0.b", .low = 27, .width = 5, .meaning = "operand b of acc0", .fact = {Status::seed, "2.1"}, .values = value::source_b};
inline constexpr Field acc1_a{.name = "acc1.a", .low = 32, .width = 5, .meaning = "operand a of acc1", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field acc1_b{.name = "acc1.b", .low = 37, .width = 5, .meaning = "operand b of acc1", .fact = {Status::seed, "2.1"}, .values = value::source_b};
inline constexpr Field acc0_a_neg{.name = "acc0.a.neg", .low = 42, .width = 1, .meaning = "acc0 operand a negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field acc0_b_neg{.name = "acc0.b.neg", .low = 43, .width = 1, .meaning = "acc0 operand b negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field acc1_a_neg{.name = "acc1.a.neg", .low = 44, .width = 1, .meaning = "acc1 operand a negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field acc1_b_neg{.name = "acc1.b.neg", .low = 45, .width = 1, .meaning = "acc1 operand b negated", .fact = {Status::seed, "2.1"}};
inline constexpr Field ld_addr{.name = "ld.addr", .low = 46, .width = 9, .meaning = "vec4 address of the memory load", .fact = {Status::seed, "2.1"}};
inline constexpr Field ld_off{.name = "ld.off", .low = 55, .width = 3, .meaning = "address register added to the load address", .fact = {Status::driver, "2.1"}, .values = value::load_offset};
inline constexpr Field port0_index{.name = "port0.index", .low = 58, .width = 4, .meaning = "register or attribute number", .fact = {Status::seed, "2.1"}};
inline constexpr Field port0_attr{.name = "port0.attr", .low = 62, .width = 1, .meaning = "port 0 loads an attribute", .fact = {Status::seed, "2.1"}};
inline constexpr Field port1_index{.name = "port1.index", .low = 63, .width = 4, .meaning = "register number", .fact = {Status::seed, "2.1"}};
inline constexpr Field st0_temp{.name = "st0.temp", .low = 67, .width = 1, .meaning = "store 0 writes a temporary", .fact = {Status::seed, "2.1"}};
inline constexpr Field st1_temp{.name = "st1.temp", .low = 68, .width = 1, .meaning = "store 1 writes a temporary", .fact = {Status::seed, "2.1"}};
inline constexpr Field branch{.name = "branch", .low = 69, .width = 1, .meaning = "branch", .fact = {Status::seed, "2.1"}};
inline constexpr Field branch_lo{.name = "branch.lo", .low = 70, .width = 1, .meaning = "target below 256 (inverted bit 8)", .fact = {Status::seed, "2.1"}};
inline constexpr Field st0_x{.name = "st0.x", .low = 71, .width = 3, .meaning = "what store 0 writes to x", .fact = {Status::seed, "2.1"}, .values = value::stored};
inline constexpr Field st0_y{.name = "st0.y", .low = 74, .width = 3, .meaning = "what store 0 writes to y", .fact = {Status::seed, "2.1"}, .values = value::stored};
inline constexpr Field st1_z{.name = "st1.z", .low = 77, .width = 3, .meaning = "what store 1 writes to z", .fact = {Status::seed, "2.1"}, .values = value::stored};
inline constexpr Field st1_w{.name = "st1.w", .low = 80, .width = 3, .meaning = "what store 1 writes to w", .fact = {Status::seed, "2.1"}, .values = value::stored};
inline constexpr Field acc_op{.name = "acc.op", .low = 83, .width = 3, .meaning = "operation of both adders", .fact = {Status::seed, "2.1"}, .values = value::acc_op};
inline constexpr Field cplx_op{.name = "cplx.op", .low = 86, .width = 4, .meaning = "operation of the complex unit", .fact = {Status::seed, "2.1"}, .values = value::cplx_op};
inline constexpr Field st0_index{.name = "st0.index", .low = 90, .width = 4, .meaning = "register or varying number of store 0", .fact = {Status::seed, "2.1"}};
inline constexpr Field st0_var{.name = "st0.var", .low = 94, .width = 1, .meaning = "store 0 writes a varying", .fact = {Status::seed, "2.1"}};
inline constexpr Field st1_index{.name = "st1.index", .low = 95, .width = 4, .meaning = "register or varying number of store 1", .fact = {Status::seed, "2.1"}};
inline constexpr Field st1_var{.name = "st1.var", .low = 99, .width = 1, .meaning = "store 1 writes a varying", .fact = {Status::seed, "2.1"}};
inline constexpr Field mul_op{.name = "mul.op", .low = 100, .width = 3, .meaning = "operation of both multipliers", .fact = {Status::seed, "2.1"}, .values = value::mul_op};
inline constexpr Field pass_op{.name = "pass.op", .low = 103, .width = 3, .meaning = "operation of the pass unit", .fact = {Status::seed, "2.1"}, .values = value::pass_op};
inline constexpr Field cplx_in{.name = "cplx.in", .low = 106, .width = 5, .meaning = "operand of the complex unit", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field pass_in{.name = "pass.in", .low = 111, .width = 5, .meaning = "operand of the pass unit", .fact = {Status::seed, "2.1"}, .values = value::source};
inline constexpr Field flow{.name = "flow", .low = 116, .width = 4, .meaning = "kind of word", .fact = {Status::driver, "2.1"}, .values = value::flow};
inline constexpr Field branch_target{.name = "branch.target", .low = 120, .width = 8, .meaning = "low 8 bits of the branch target", .fact = {Status::seed, "2.1"}};
inline constexpr std::array<const Field*, 39> fields{&mul0_a, &mul0_b, &mul1_a, &mul1_b, &mul0_neg, &mul1_neg, &acc0_a, &acc0_b, &acc1_a, &acc1_b, &acc0_a_neg, &acc0_b_neg, &acc1_a_neg, &acc1_b_neg, &ld_addr, &ld_off, &port0_index, &port0_attr, &port1_index, &st0_temp, &st1_temp, &branch, &branch_lo, &st0_x, &st0_y, &st1_z, &st1_w, &acc_op, &cplx_op, &st0_index, &st0_var, &st1_index, &st1_var, &mul_op, &pass_op, &cplx_in, &pass_in, &flow, &branch_target};
inline constexpr Format format{.name = "gp", .width = 128, .fields = fields, .meaning = "one instruction"};
static_assert(tiles(format) && values_fit(format));
}  // namespace word
// clang-format on

/// The word with nothing in it, as every compiler leaves unused fields (2.1).
inline constexpr Word128 nop{0x038002B5AD4AD6B5, 0x000AD5000007FF80};

/// The ALU operand fields with what reads them; `b` operands take 22 as the identity.
struct OperandField {
  const Field* field;
  const Field* negate;  ///< input negation, or nullptr
  Unit unit;
  bool b;
};
inline constexpr std::array<OperandField, 10> operand_fields{{
    {&word::mul0_a, nullptr, Unit::mul0, false},
    {&word::mul0_b, nullptr, Unit::mul0, true},
    {&word::mul1_a, nullptr, Unit::mul1, false},
    {&word::mul1_b, nullptr, Unit::mul1, true},
    {&word::acc0_a, &word::acc0_a_neg, Unit::acc0, false},
    {&word::acc0_b, &word::acc0_b_neg, Unit::acc0, true},
    {&word::acc1_a, &word::acc1_a_neg, Unit::acc1, false},
    {&word::acc1_b, &word::acc1_b_neg, Unit::acc1, true},
    {&word::cplx_in, nullptr, Unit::complex, false},
    {&word::pass_in, nullptr, Unit::pass, false},
}};

// ------------------------------------------------------------------------------------------------ products (1.5)

struct Product {
  std::string_view name, marketing;
  unsigned mbs_version = 6;                ///< CVER version word
  unsigned memory = memory_vec4s_mali400;  ///< vec4s of uniform memory
  Fact fact;
};
inline constexpr auto products = std::to_array<Product>({
    {"mali400", "Mali-400 GP", 6, memory_vec4s_mali400, {Status::driver, "1.2"}},
    {"mali450", "Mali-450 GP", 6, memory_vec4s_mali400, {Status::driver, "1.5"}},
    {"mali200", "MaliGP2 (Mali-200)", 2, memory_vec4s, {Status::unknown, "1.5"}},
});
constexpr const Product& find_product(std::string_view name) {
  for (const Product& row : products)
    if (row.name == name) return row;
  return products.front();
}

}  // namespace mobula::utgard_gp
