// A program as groups of the machine whose temporaries have no numbers yet. A group is written as the assembler reads
// it (docs/rogue-text.md), with places for its operands.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::rogue_compiler {

inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

/// What a group reads or writes: registers in a row, usually one.
struct Operand {
  enum class Kind : std::uint8_t {
    none,
    word,         ///< a temporary, by its number in the code
    immediate,    ///< bits, which no group reads as they are
    constant,     ///< special constant
    shared,       ///< uniforms
    coefficient,  ///< of an iteration
    input,        ///< vertex input
    output,       ///< pixel output
    internal,
    special,
    index,           ///< index register
    indexed_word,    ///< temporary `number` of an array, plus index register 0
    indexed_shared,  ///< shared register plus index register 0
  };
  Kind kind = Kind::none;
  std::uint32_t number = 0;
  std::uint16_t count = 1;
  // In this order: rounded down, without its sign, negated.
  bool floored = false, absolute = false, negated = false;

  friend bool operator==(const Operand&, const Operand&) = default;
  [[nodiscard]] bool is_word() const { return kind == Kind::word; }
  [[nodiscard]] bool is_plain() const { return !floored && !absolute && !negated; }
};
inline Operand word(std::uint32_t number, std::uint16_t count = 1) { return {Operand::Kind::word, number, count}; }
inline Operand machine(Operand::Kind kind, std::uint32_t number) { return {kind, number}; }
inline Operand immediate(std::uint32_t bits) { return {Operand::Kind::immediate, bits}; }
inline Operand internal(std::uint32_t number) { return {Operand::Kind::internal, number}; }

/// What an operand of a group may be (reference 2.4: V-24, V-26, V-32).
struct Slot {
  bool wide = false;  ///< every bank; otherwise temporaries, vertex inputs and constants
  bool negated = false, absolute = false, floored = false;
  bool special = false;  ///< special registers, and nothing else that is told apart here
};

/// What groups of one form differ in.
enum class Operation : std::uint8_t {
  none,  ///< the form has one only
  fadd,
  fmul,
  frcp,
  frsq,
  flog,
  fexp,
  fdsxf,
  fdsyf,
  unpck_s32,
  unpck_u32,
  pck_s32,
  pck_u32,
  pck_u32_toward_zero,
  pck_half,
  pck_u8888,
  pck_s8888,
  pck_u1616,
  tstl,
  tstg,
  tste,
  tstne,
  tstle,
  tstl_s32,
  tstg_s32,
  tstle_s32,
  tstl_u32,
  tstg_u32,
  tste_u32,
  tstne_u32,
  tstle_u32,
  umadd64,
  smadd64,
  and_,
  or_,
  xor_,
  nor_,
  lsl,
  shr,
  asr,
  cbs,
  ftb,
  fred_sin,
  fred_sin_second,
  fred_cos,
  fred_cos_second,
  atom_add,
  atom_umin,
  atom_imin,
  atom_umax,
  atom_imax,
  atom_and,
  atom_or,
  atom_xor,
  atom_xchg,
  smp,  ///< its modifiers are the instruction's
};

/// What a sample is: its dimensions and modifiers.
struct Sample {
  enum class Level : std::uint8_t { implicit, bias, given, gradients };
  std::uint8_t dimensions = 0;
  Level level = Level::implicit;
  bool is_real = false, in_texels = false, layered = false, has_offsets = false, has_number = false;
  bool is_raw = false;  ///< the four texels of a filter, four words each
  bool writes = false;  ///< to an image; its words come last
};

/// What executes a group; at its end the program, too, or for one instance after the other.
enum class Alu : std::uint8_t { main, main_end, main_in_turn, bitwise, bitwise_in_turn, control };

/// A kind of group. In its text $0 to $3 are operands, $d and $e results, $t the operation, where several have the same
/// form, and $n a number.
struct Row {
  Alu alu = Alu::main;
  std::string_view text;
  std::array<Slot, 4> slots{};
  bool is_late = false;  ///< the result comes with the wait that follows
  bool repeats = false;  ///< once for each register of its operand
};

/// Internal registers that belong to no instance's program alone.
inline constexpr std::uint32_t mask_register = 0, next_register = 1, discarded_register = 2;

enum class Condition : std::uint8_t { always, if_p0, if_not_p0, in_all };

struct Instruction {
  const Row* row = nullptr;
  Operation operation = Operation::none;
  Sample sample;
  std::uint32_t number = 0;
  std::array<Operand, 4> sources{};
  std::array<Operand, 2> results{};
  Condition condition = Condition::always;
  bool replaces = true;              ///< where the condition does not hold, nobody needs what the result was before
  std::uint32_t target = no_number;  ///< of a branch: a place in the code, of those that `label` numbers
  std::uint32_t label = no_number;   ///< this place
  std::uint32_t line = 0;
  [[nodiscard]] bool is_label() const { return row == nullptr; }
};

struct Block {
  std::vector<Instruction> code;
  std::vector<std::uint32_t> successors;
};

struct Code {
  std::vector<Block> blocks;  ///< those of the form, and one more for the end of the program
  /// By word: the first of the words that need registers in a row.
  std::vector<std::uint32_t> first_of_row;
  /// Words that are copied into each other, which should be one register.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> alike;
  std::uint32_t labels = 0;

  /// New words, registers in a row.
  Operand add(std::uint16_t count = 1) {
    const auto first = static_cast<std::uint32_t>(first_of_row.size());
    first_of_row.insert(first_of_row.end(), count, first);
    return word(first, count);
  }
};

/// Reaches every operand that is read, and every one that is written.
template <class Read, class Write>
void each_operand(const Instruction& each, Read read, Write write) {
  for (const Operand& operand : each.sources)
    if (operand.kind != Operand::Kind::none) read(operand);
  for (const Operand& operand : each.results)
    if (operand.kind != Operand::Kind::none) write(operand);
}

/// Reaches the number of every word of an operand.
template <class Act>
void each_word(const Operand& operand, Act act) {
  if (operand.kind != Operand::Kind::word && operand.kind != Operand::Kind::indexed_word) return;
  for (std::uint32_t i = 0; i < operand.count; ++i) act(operand.number + i);
}

// The groups that there are.
namespace rows {
inline constexpr Slot any{.wide = true}, narrow{}, sign{.wide = true, .negated = true, .absolute = true},
    narrow_sign{.negated = true, .absolute = true};
inline constexpr Slot all{.wide = true, .negated = true, .absolute = true, .floored = true};

inline constexpr Row add{Alu::main, "p0: $t ft0, $0, $1; w0 = $d", {all, {.absolute = true}}};
inline constexpr Row multiply_add{Alu::main, "p0: fmad ft0, $0, $1, $2; w0 = $d", {sign, narrow_sign, all}};
inline constexpr Row add_saturated{Alu::main, "p0: $t.sat ft0, $0, $1; w0 = $d", {all, {.absolute = true}}};
inline constexpr Row multiply_add_saturated{
    Alu::main, "p0: fmad.sat ft0, $0, $1, $2; w0 = $d", {sign, narrow_sign, all}};
inline constexpr Row complex{Alu::main, "p0: $t w0, $0; w0 = $d", {sign}};
inline constexpr Row move{Alu::main, "p0: mbyp ft0, $0; w0 = $d", {sign}};
inline constexpr Row unary{Alu::main, "p0: $t ft0, $0; w0 = $d", {sign}};
inline constexpr Row unpack{Alu::main, "p0: $t ft0, $0; w0 = $d", {any}};
inline constexpr Row unpack_low{Alu::main, "p0: unpck.f16f16 ft0, $0.e0; w0 = $d", {any}};
inline constexpr Row unpack_high{Alu::main, "p0: unpck.f16f16 ft0, $0.e1; w0 = $d", {any}};
inline constexpr Row pack{Alu::main, "p2: $t ft2, $0; w0 = $d", {any}};
/// A word of a pixel.
inline constexpr Row pack_pixel{.alu = Alu::main, .text = "p2: $t ft2, $0; w0 = $d", .slots = {any}, .repeats = true};
inline constexpr Row special{Alu::main, "p2: mov w0, $0; w0 = $d", {Slot{.special = true}}};
inline constexpr Row number{Alu::bitwise, "p0: byp ft0, ft1, s0, $n; w0 = $d"};
/// The first operand where the test of both holds, otherwise the second.
inline constexpr Row choose_tested{
    Alu::main,
    "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: $t ftt, _, ft0, ft1; movc w0, w1, ftt, ft0, ft0; w0 = $d; is4 = ft1",
    {sign, sign}};
/// All ones where the test of both holds, otherwise 0.
inline constexpr Row compare{Alu::main,
                             "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: pck.zero ft2; $t ftt, _, ft0, ft1; movc w0, w1, "
                             "ftt, sc143, sc143; w0 = $d; is4 = ft2",
                             {sign, sign}};
/// The first where the third is 0, otherwise the second.
inline constexpr Row choose{
    Alu::main,
    "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: tstz.u32 ftt, _, $2; movc w0, w1, ftt, ft0, ft0; w0 = $d; is4 = ft1",
    {sign, sign, any}};
inline constexpr Row test{Alu::main, "p2: tstz.u32 ftt, p0, $0", {any}};
/// a * b + c, and a * b - c, where the sign is an integer's.
inline constexpr Row integer{Alu::main, "p0: umadd32 ft0, $0, $1, $2; w0 = $d", {any, narrow, any}};
inline constexpr Row integer_minus{Alu::main, "p0: umadd32 ft0, $0, $1, $2.neg; w0 = $d", {any, narrow, any}};
inline constexpr Row magnitude{Alu::main, "p0: smadd32 ft0, $0.abs, sc1, sc0; w0 = $d", {any}};
inline constexpr Row high_half{Alu::main, "p0: $t ft0, fte, $0, $1, sc0, sc0, _; w0 = $d; is4 = fte", {any, narrow}};
inline constexpr Row logical{Alu::bitwise, "p0: byp ft2, $0; p1: $t ft4, _, ft2, _, $1; w0 = $d", {any, any}};
inline constexpr Row shift{
    Alu::bitwise, "p0: byp ft2, $0; p1: or ft4, _, ft2, _, sc0; p2: $t ft5, ft4, $1; w0 = $d", {any, narrow}};
inline constexpr Row count{Alu::bitwise, "p0: byp ft2, $0; p0: $t ft3, ft2; w1 = $d", {any}};
inline constexpr Row reverse{Alu::bitwise, "p0: rev ft2, $0; p1: or ft4, _, ft2, _, sc0; w0 = $d", {any}};
inline constexpr Row reduce{Alu::main, "p0: $t w0, w1, _, 0, $0, _; w0 = $d; w1 = $e", {sign}};
inline constexpr Row sine{Alu::main, "p0: fsinc w0, p0, $0; w0 = $d", {any}};
inline constexpr Row iterate{Alu::main, "be: fitr.pixel $d, drc0, $0, $n", {any}, true};
inline constexpr Row iterate_perspective{Alu::main, "be: fitrp.pixel $d, drc0, $0, $1, $n", {any, any}, true};
inline constexpr Row sample{Alu::main, "be: $t drc0, $0, $1, $0, _, $d, $n", {any, any}, true};
inline constexpr Row write_texel{Alu::main, "be: $t drc0, $0, $1, $0, _, $2, $n", {any, any, any}};
/// P0 where the second operand compares with the first as the third says.
inline constexpr Row compare_texel{Alu::main, "be: atst.ifb p0, $0, $1, $2", {any, narrow, any}};
/// The first operand is the first of two words, an address in bytes, to which the third is added.
inline constexpr Row address{
    Alu::main, "p0: uadd6432 ft0, fte, $0, $1, $2, _; w0 = $d; w1 = $e; is4 = ft0; is5 = fte", {any, narrow, any}};
inline constexpr Row load{Alu::main, "be: ld $d, drc0, $n, $0", {any}, true};
inline constexpr Row store{Alu::main, "be: st $0, 2, drc0, $n, $1", {any, any}};
/// Until the stores before it can be seen.
inline constexpr Row fence{Alu::main, "be: idf drc0, $0", {any}};
/// Three words: an address and a number.
inline constexpr Row change{Alu::main, "be: $t $d, drc0, $0", {any}, true};
// Of a shared register, the first operand and the second result: what it was, and what it is from then on.
inline constexpr Row shared_add{
    Alu::main_in_turn, "p0: umadd32 ft0, $0, sc1, $1; w0 = $d; w1 = $e; is0 = s0; is4 = fte; is5 = ft0", {any, any}};
inline constexpr Row shared_exchange{
    Alu::main_in_turn, "p0: mbyp ft0, $0; p1: mbyp ft1, $1; w0 = $d; w1 = $e; is4 = ft0; is5 = ft1", {any, any}};
inline constexpr Row shared_tested{Alu::main_in_turn,
                                   "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: $t ftt, _, ft0, ft1; movc w0, w1, ftt, "
                                   "ft0, ft0; w0 = $d; w1 = $e; is4 = ft0; is5 = ft1",
                                   {any, any}};
/// The second operand where it was the third.
inline constexpr Row shared_exchange_equal{
    Alu::main_in_turn,
    "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: tste.u32 ftt, _, ft0, $2; movc w0, w1, ftt, ft0, ft1; w0 = $d; w1 = $e; "
    "is4 = ft0; is5 = ft0",
    {any, any, narrow}};
inline constexpr Row shared_logical{
    Alu::bitwise_in_turn, "p0: byp ft2, $0; p0: byp ft3, ft2; p1: $t ft4, _, ft2, _, $1; w0 = $e; w1 = $d", {any, any}};
inline constexpr Row wait{Alu::control, "wdf drc0"};
inline constexpr Row lock{Alu::control, "mutex.lock $n"};
inline constexpr Row release{Alu::control, "mutex.release $n"};
inline constexpr Row sleep{Alu::control, "mutex.release.sleep $n"};
inline constexpr Row wake{Alu::control, "mutex.release.wakeup $n"};
/// P0 where the operands are equal.
inline constexpr Row test_equal{
    Alu::main, "p0: mbyp ft0, $0; p1: mbyp ft1, $1; p2: tste.u32 ftt, p0, ft0, ft1", {any, any}};
inline constexpr Row put_out{Alu::main, "s0 = $0; is0 = s0; is4 = fte; be: uvsw.write w0, $n", {any}};
inline constexpr Row depth{Alu::main, "s0 = $0; is0 = s0; is4 = fte; be: depthf w0", {any}};
/// The pixel is seen where the operand is 0: 2 stands for "equal".
inline constexpr Row seen{Alu::main, "be: atst _, sc0, $0, sc2", {narrow}};
inline constexpr Row set_mask{Alu::control, "cndsm always, $d, sc0, $0", {any}};
inline constexpr Row branch{Alu::control, "br $l"};
inline constexpr Row branch_reading{Alu::control, "br $l", {any, any, any, any}};
inline constexpr Row branch_if_none{Alu::control, "br.allinst $l"};
inline constexpr Row end_vertex{Alu::main_end, "be: uvsw.emit.endtask"};
inline constexpr Row end{Alu::control, "nop.end"};
}  // namespace rows

}  // namespace mobula::rogue_compiler
