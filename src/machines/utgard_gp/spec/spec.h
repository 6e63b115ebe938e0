// Utgard GP's encoding as data: the one 128-bit word, its selectors and opcodes. Decoder, encoder, text, explain,
// manual, checker, lifter and fuzzers all read these rows. Facts are cited as sections of docs/reference/utgard-gp.md;
// bit 0 is the lowest bit of word 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/format.h"

namespace mobula::utgard_gp {

// ------------------------------------------------------------------------------------------------ limits (1.2)

inline constexpr unsigned word_bytes = 16, max_words = 512, register_count = 16, attribute_count = 16,
                          varying_count = 16, memory_vec4s = 512;
/// The fragment side takes no more than these, besides position and point size.
inline constexpr unsigned fragment_varyings = 12;
/// A0 addresses stores of temporaries, A1 to A3 loads.
inline constexpr unsigned address_registers = 4;
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
/// Kinds of words other than normal (2.5).
inline constexpr unsigned flow_temporary = 12, flow_branch = 13;

/// What an ALU source selector reads.
enum class Source : std::uint8_t { port0, port1, load, result, previous_port0, unused, identity_or_complex, unknown };
inline constexpr unsigned source_count = 8;
struct Selector {
  Source source = Source::unknown;
  std::uint8_t component = 0;  ///< x y z w for port0, port1, load, previous_port0
  Unit unit = Unit::acc0;      ///< for result
  std::uint8_t age = 0;        ///< 1 or 2 instructions ago, for result
};
inline constexpr unsigned selector_unused = 21, selector_identity = 22;
/// Seen once in a field that no unit was to use; decision 0027.
inline constexpr unsigned selector_perhaps_unused = 8;
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
constexpr std::uint8_t first_selector(Source source) { return first_selectors[static_cast<std::size_t>(source)]; }
/// The selector that reads what a unit made `age` words ago, [age - 1][unit]; selector_unused if there is none.
inline constexpr std::array<std::array<std::uint8_t, unit_count>, 2> result_selectors = [] {
  std::array<std::array<std::uint8_t, unit_count>, 2> found{};
  for (auto& of_age : found) of_age.fill(selector_unused);
  for (std::size_t i = 0; i < selectors.size(); ++i)
    if (const Selector& row = selectors[i]; row.age != 0)
      found[row.age - 1U][static_cast<std::size_t>(row.unit)] = static_cast<std::uint8_t>(i);
  return found;
}();
constexpr unsigned result_selector(Unit unit, std::size_t age) {
  return result_selectors[age - 1][static_cast<std::size_t>(unit)];
}
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

// ------------------------------------------------------------------------------------------------ operations (3)

// What each operation does. Whoever needs that switches over these without a default, so that the compiler names every
// place a new one has to reach; `unknown` stands for all opcodes whose meaning is unknown.
enum class MulOp : std::uint8_t { unknown, mul, complex1, complex2, select };
enum class AccOp : std::uint8_t { unknown, add, floor, sign, ge, lt, min, max };
enum class ComplexOp : std::uint8_t {
  unknown,
  nop,
  exp2,
  log2,
  rsqrt,
  rcp,
  mov,
  set_addresses,
  set_addresses_from_pass
};
enum class PassOp : std::uint8_t { unknown, mov, preexp2, postlog2, clamp };

/// What kind of bits a result is. Partial results make sense only inside their sequence (3.5, 3.6).
enum class ResultKind : std::uint8_t {
  number,
  pre_exp2,    ///< result of preexp2
  table_exp2,  ///< table results of the complex unit
  table_log2,
  table_rsqrt,
  table_rcp,
  square,           ///< complex2 of a number
  square_pre_exp2,  ///< complex2 of a preexp2 result
  raw_log2,         ///< complex1 of log2, before postlog2
  undefined,        ///< nothing known to be there: the unit was idle, or complex1 is half done
  mixed,            ///< one kind or another, depending on the path
};

/// What an operation gives when its two operands change places.
enum class Exchanged : std::uint8_t {
  other,    ///< something else
  same,     ///< the same: it commutes
  negated,  ///< the same if both are negated, too
};

/// What sets an operation apart from a plain one, which runs on one unit and leaves a number for the next word.
struct Traits {
  bool wide = false;       ///< takes the operands of both multipliers; mul1 has no result
  bool always = false;     ///< its unit works whatever its operands select
  bool late = false;       ///< the result is there two words later and in no store
  bool copies = false;     ///< the result is the operand
  bool step = false;       ///< a step of a function's sequence (3.5)
  bool bounds = false;     ///< takes ld.x and ld.y as well
  bool moves = false;      ///< copies its a operand if b is the identity (of adders, negated)
  bool negates = false;    ///< the negation bit of a multiplier changes the sign of the result
  bool selects = false;    ///< gives mul1.a or mul0.a, as mul0.b says
  bool squares = false;    ///< complex2: takes one argument twice, mul1 multiplies beside it
  bool combines = false;   ///< complex1: takes a table result twice, a square and the argument
  bool from_pass = false;  ///< takes the pass unit's result of its word
  Exchanged exchanged = Exchanged::other;
  ResultKind takes = ResultKind::number;
  ResultKind result = ResultKind::number;  ///< as far as its operands have no say in that
  std::uint8_t addresses = 0;              ///< address registers it sets, bit k for Ak
};

/// What only some operations have words for.
struct Wording {
  std::string_view infix{};   ///< operator in decompiled text
  std::string_view mesa{};    ///< name in Mesa's text, where it is another
  std::string_view usage{};   ///< what else the manual says, with a line break after it
  std::string_view called{};  ///< what documents call it, a space between each two
};

/// A row of a unit's table, at its opcode.
template <class Does>
struct Operation {
  Does does;
  std::uint8_t operands = 0;  ///< operands a unit really reads
  Traits traits;
  std::string_view name;     ///< empty when unknown
  std::string_view meaning;  ///< in the manual
  std::string_view note;     ///< beside its name as a value of its field
  Fact fact;
  Wording wording{};
};

// clang-format off
namespace rows {
inline constexpr Fact seed{Status::seed, "3"}, driver{Status::driver, "3"}, no_fact{Status::unknown, "11"};
template <class Does>
constexpr Operation<Does> unknown(std::uint8_t operands, std::string_view meaning = "unknown", bool wide = false) {
  return {Does::unknown, operands, {.wide = wide}, "", meaning, "", no_fact};
}
}  // namespace rows
/// Unknown operations are taken to be wide.
inline constexpr auto mul_ops = std::to_array<Operation<MulOp>>({
    {MulOp::mul, 2, {.moves = true, .negates = true, .exchanged = Exchanged::same}, "mul", "a * b, both units", "multiply", rows::seed, {.infix = "*", .called = "multiply"}},
    {MulOp::complex1, 4, {.wide = true, .always = true, .late = true, .step = true, .combines = true}, "complex1",
        "second stage of a function; result two instructions later", "wide", rows::seed,
     {.usage = "m01 = complex1 c[-1], Q, c[-1], X ends the sequence of a function: c[-1] is the table result of the word before, Q the complex2 of "
         "the argument one or two words before, X the argument. The result is readable two words later as m0[-2] and nowhere else; it cannot be "
         "stored.\n"}},
    rows::unknown<MulOp>(4, "unknown", true),
    {MulOp::complex2, 2, {.always = true, .step = true, .squares = true}, "complex2", "first stage of a function; mul1 multiplies", "mul0 only", rows::seed,
     {.usage = "m0 = complex2 X, X; m1 stays an ordinary multiplier.\n"}},
    {MulOp::select, 3, {.wide = true, .always = true, .selects = true}, "select", "mul0.b != 0 ? mul1.a : mul0.a", "wide", rows::driver,
     {.mesa = "sel", .usage = "m01 = select condition ? a : b, the condition 1.0 or 0.0.\n"}},
    rows::unknown<MulOp>(4, "unknown", true),
    rows::unknown<MulOp>(4, "unknown", true),
    rows::unknown<MulOp>(4, "unknown", true),
});
inline constexpr auto acc_ops = std::to_array<Operation<AccOp>>({
    {AccOp::add, 2, {.moves = true, .exchanged = Exchanged::same}, "add", "a + b", "", rows::seed, {.infix = "+"}},
    {AccOp::floor, 1, {}, "floor", "floor(a)", "", rows::seed},
    {AccOp::sign, 1, {}, "sign", "-1, 0 or 1 by the sign of a", "", rows::driver},
    rows::unknown<AccOp>(2),
    {AccOp::ge, 2, {.exchanged = Exchanged::negated}, "ge", "a >= b ? 1 : 0", "", rows::seed, {.infix = ">=", .called = "step greater-equal"}},
    {AccOp::lt, 2, {.exchanged = Exchanged::negated}, "lt", "a < b ? 1 : 0", "", rows::driver, {.infix = "<", .called = "less-than"}},
    {AccOp::min, 2, {.exchanged = Exchanged::same}, "min", "minimum; and of truth values", "", rows::seed, {.called = "and"}},
    {AccOp::max, 2, {.exchanged = Exchanged::same}, "max", "maximum; or of truth values", "", rows::seed, {.usage = "max(x, -x) is abs(x).\n", .called = "or abs"}},
});
inline constexpr auto cplx_ops = std::to_array<Operation<ComplexOp>>({
    {ComplexOp::nop, 0, {}, "nop", "idle", "idle", rows::seed},
    rows::unknown<ComplexOp>(1),
    {ComplexOp::exp2, 1, {.step = true, .takes = ResultKind::pre_exp2, .result = ResultKind::table_exp2}, "exp2", "stage of 2^x", "stage of a function", rows::seed,
     {.usage = "exp2(x): p = preexp2 x; next word c = exp2 p[-1] with m0 = complex2 p[-1], p[-1]; next word m01 = complex1 c[-1], m0[-1], c[-1], p[-2]; the result is m0[-2] two words later.\n"}},
    {ComplexOp::log2, 1, {.step = true, .result = ResultKind::table_log2}, "log2", "stage of log2 x", "stage of a function", rows::seed,
     {.usage = "log2(x): c = log2 x with m0 = complex2 x, x; next word m01 = complex1 c[-1], m0[-1], c[-1], x; two words later p = postlog2 m0[-2]; the result is p[-1] in the word after.\n"}},
    {ComplexOp::rsqrt, 1, {.step = true, .result = ResultKind::table_rsqrt}, "rsqrt", "stage of 1 / sqrt x", "stage of a function", rows::seed,
     {.usage = "1/sqrt(x): c = rsqrt x with m0 = complex2 x, x; next word m01 = complex1 c[-1], m0[-1], c[-1], x; the result is m0[-2] two words later.\n", .called = "inversesqrt"}},
    {ComplexOp::rcp, 1, {.step = true, .result = ResultKind::table_rcp}, "rcp", "stage of 1 / x", "stage of a function", rows::seed,
     {.usage = "1/x: c = rcp x with m0 = complex2 x, x; next word m01 = complex1 c[-1], m0[-1], c[-1], x; the result is m0[-2] two words later.\n", .called = "reciprocal"}},
    rows::unknown<ComplexOp>(1),
    rows::unknown<ComplexOp>(1),
    rows::unknown<ComplexOp>(1),
    {ComplexOp::mov, 1, {.copies = true}, "mov", "copy", "copy", rows::seed, {.called = "passthrough"}},
    {ComplexOp::set_addresses_from_pass, 0, {.from_pass = true, .addresses = 0b0011}, "setA01", "A0 and A1 from the pass unit's result", "address registers 0 and 1", rows::seed, {.mesa = "unk10"}},
    rows::unknown<ComplexOp>(1),
    {ComplexOp::set_addresses, 1, {.addresses = 0b0001}, "setA0", "temporary store address, at once", "address register 0", rows::seed, {.mesa = "mov"}},
    {ComplexOp::set_addresses, 1, {.addresses = 0b0010}, "setA1", "load offset 1, four instructions later", "address register 1", rows::seed, {.mesa = "mov"}},
    {ComplexOp::set_addresses, 1, {.addresses = 0b0100}, "setA2", "load offset 2, four instructions later", "address register 2", rows::seed, {.mesa = "mov"}},
    {ComplexOp::set_addresses, 1, {.addresses = 0b1000}, "setA3", "load offset 3, four instructions later", "address register 3", rows::seed, {.mesa = "mov"}},
});
inline constexpr auto pass_ops = std::to_array<Operation<PassOp>>({
    rows::unknown<PassOp>(1, "unknown; seen idle"),
    rows::unknown<PassOp>(1),
    {PassOp::mov, 1, {.copies = true}, "mov", "copy; tests a branch condition", "copy", rows::driver, {.called = "passthrough"}},
    rows::unknown<PassOp>(1),
    {PassOp::preexp2, 1, {.step = true, .result = ResultKind::pre_exp2}, "preexp2", "number conversion before exp2", "before exp2", rows::driver},
    {PassOp::postlog2, 1, {.step = true, .takes = ResultKind::raw_log2}, "postlog2", "number conversion after log2", "after log2", rows::driver},
    {PassOp::clamp, 1, {.bounds = true}, "clamp", "min(max(in, ld.x), ld.y)", "to a uniform pair", {Status::binaries, "3.4"},
     {.usage = "The bounds are ld.x (low) and ld.y (high) of this word's memory load.\n"}},
    rows::unknown<PassOp>(1),
});
// clang-format on

/// True if exactly the rows without a meaning have no name, and no two rows say the same.
template <class Does, std::size_t count>
constexpr bool is_said_once(const std::array<Operation<Does>, count>& table) {
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].name.empty() != (table[i].does == Does::unknown)) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (table[i].does != Does::unknown && table[i].does == table[j].does &&
          table[i].traits.addresses == table[j].traits.addresses)
        return false;
  }
  return true;
}
static_assert(is_said_once(mul_ops) && is_said_once(acc_ops) && is_said_once(cplx_ops) && is_said_once(pass_ops));

/// The opcodes of which something holds, bit n for opcode n: for what is asked of every word that is printed.
template <class Does, std::size_t count, class Holds>
constexpr std::uint32_t opcodes_where(const std::array<Operation<Does>, count>& table, Holds holds) {
  std::uint32_t opcodes = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (holds(table[i])) opcodes |= 1U << i;
  return opcodes;
}

/// The operation of the complex unit that makes such a partial result, or nullptr.
constexpr const Operation<ComplexOp>* table_operation(ResultKind result) {
  for (const Operation<ComplexOp>& row : cplx_ops)
    if (result != ResultKind::number && row.traits.result == result) return &row;
  return nullptr;
}
/// What complex2 makes of such an argument.
constexpr ResultKind square_of(ResultKind argument) {
  return argument == ResultKind::pre_exp2 ? ResultKind::square_pre_exp2 : ResultKind::square;
}

/// The opcode that does this, and of those that set address registers the one that sets these. There must be one.
template <class Does, std::size_t count>
constexpr std::uint8_t opcode_in(const std::array<Operation<Does>, count>& table, Does does,
                                 std::uint8_t addresses = 0) {
  std::uint8_t opcode = 0;
  while (table[opcode].does != does || (addresses != 0 && table[opcode].traits.addresses != addresses)) ++opcode;
  return opcode;
}
consteval std::uint8_t opcode_of(MulOp does) { return opcode_in(mul_ops, does); }
consteval std::uint8_t opcode_of(AccOp does) { return opcode_in(acc_ops, does); }
consteval std::uint8_t opcode_of(ComplexOp does) { return opcode_in(cplx_ops, does); }
consteval std::uint8_t opcode_of(PassOp does) { return opcode_in(pass_ops, does); }
/// The opcode that sets address register `k` to its operand.
constexpr std::uint8_t opcode_that_sets(unsigned k) {
  return opcode_in(cplx_ops, ComplexOp::set_addresses, static_cast<std::uint8_t>(1U << k));
}

// ------------------------------------------------------------------------------------------------ the word (2.1)

// clang-format off
namespace value {
/// The known operations of a table as values of its field.
template <const auto& table>
constexpr auto names_of() {
  std::array<FieldValue, std::count_if(table.begin(), table.end(), [](const auto& row) { return !row.name.empty(); })> values;
  std::size_t known = 0;
  for (std::uint32_t opcode = 0; opcode < table.size(); ++opcode)
    if (!table[opcode].name.empty()) values[known++] = {opcode, table[opcode].name, table[opcode].note};
  return values;
}
inline constexpr auto source = std::to_array<FieldValue>({{0, "p0.x", "port 0"}, {1, "p0.y", "port 0"}, {2, "p0.z", "port 0"}, {3, "p0.w", "port 0"},
    {4, "p1.x", "port 1"}, {5, "p1.y", "port 1"}, {6, "p1.z", "port 1"}, {7, "p1.w", "port 1"}, {8, "s8", "unknown"}, {9, "s9", "unknown"},
    {10, "s10", "unknown"}, {11, "s11", "unknown"}, {12, "ld.x", "memory load"}, {13, "ld.y", "memory load"}, {14, "ld.z", "memory load"},
    {15, "ld.w", "memory load"}, {16, "a0[-1]", "earlier result"}, {17, "a1[-1]", "earlier result"}, {18, "m0[-1]", "earlier result"},
    {19, "m1[-1]", "earlier result"}, {20, "p[-1]", "earlier result"}, {21, "unused", "unit idle"}, {22, "c[-1]", "earlier result"},
    {23, "p[-2]", "earlier result"}, {24, "a0[-2]", "earlier result"}, {25, "a1[-2]", "earlier result"}, {26, "m0[-2]", "earlier result"},
    {27, "m1[-2]", "earlier result"}, {28, "p0[-1].x", "port 0 of the previous instruction"}, {29, "p0[-1].y", "port 0 of the previous instruction"},
    {30, "p0[-1].z", "port 0 of the previous instruction"}, {31, "p0[-1].w", "port 0 of the previous instruction"}});
/// Of b operands.
inline constexpr auto source_b = [] {
  auto values = source;
  values[selector_identity] = {selector_identity, "ident", "1.0 for multipliers, 0.0 for adders"};
  return values;
}();
inline constexpr FieldValue stored[] = {{0, "a0", "acc0"}, {1, "a1", "acc1"}, {2, "m0", "mul0"}, {3, "m1", "mul1"}, {4, "p", "pass"},
    {5, "x5", "unknown"}, {6, "c", "complex"}, {7, "-", "nothing stored"}};
inline constexpr FieldValue load_offset[] = {{0, "A0", "never seen"}, {1, "A1", "address register 1 added"}, {2, "A2", "address register 2 added"},
    {3, "A3", "address register 3 added"}, {no_offset, "none", "no offset"}};
inline constexpr FieldValue flow[] = {{0, "normal", ""}, {flow_temporary, "temporary", "a store half writes a temporary"}, {flow_branch, "branch", "branch enabled"}};
inline constexpr auto mul_op = names_of<mul_ops>();
inline constexpr auto acc_op = names_of<acc_ops>();
inline constexpr auto cplx_op = names_of<cplx_ops>();
inline constexpr auto pass_op = names_of<pass_ops>();
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
inline constexpr Field ld_addr{.name = "ld.addr", .low = 46, .width = 9, .meaning = "vec4 address of the memory load", .fact = {Status::driver, "2.1"}};
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
inline constexpr std::array<const Field*, 39> fields{&mul0_a, &mul0_b, &mul1_a, &mul1_b, &mul0_neg, &mul1_neg, &acc0_a, &acc0_b, &acc1_a, &acc1_b,
    &acc0_a_neg, &acc0_b_neg, &acc1_a_neg, &acc1_b_neg, &ld_addr, &ld_off, &port0_index, &port0_attr, &port1_index, &st0_temp, &st1_temp, &branch,
    &branch_lo, &st0_x, &st0_y, &st1_z, &st1_w, &acc_op, &cplx_op, &st0_index, &st0_var, &st1_index, &st1_var, &mul_op, &pass_op, &cplx_in, &pass_in,
    &flow, &branch_target};
inline constexpr Format format{.name = "gp", .width = 128, .fields = fields, .meaning = "one instruction"};
static_assert(tiles(format) && values_fit(format));
static_assert(mul_ops.size() == 1U << mul_op.width && acc_ops.size() == 1U << acc_op.width && cplx_ops.size() == 1U << cplx_op.width && pass_ops.size() == 1U << pass_op.width);
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
constexpr const OperandField& operand_of(const Field& field) {
  std::size_t i = 0;
  while (operand_fields[i].field != &field) ++i;
  return operand_fields[i];
}

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
