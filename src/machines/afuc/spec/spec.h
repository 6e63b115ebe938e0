// Adreno CP microcode's encoding as data: the forms an instruction word takes, and every opcode of every generation.
// Decoder, encoder, text, explain, manual, checker, lifter and fuzzers all read these rows. Facts are cited as sections
// of the afuc reference; bit 0 is the lowest bit of the word, addresses count 32-bit words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/format.h"

namespace mobula::afuc {

inline constexpr unsigned word_bytes = 4, register_count = 32, packet_table_words = 128, section_alignment_words = 8,
                          stack_depth = 8;

// ------------------------------------------------------------------------------------------------ generations

/// Sets of instruction-set generations, as bits.
enum : std::uint8_t {
  g5 = 1,
  g6 = 2,
  g7 = 4,
  g8 = 8,
  g56 = 3,
  g57 = 5,
  g67 = 6,
  g567 = 7,
  g78 = 12,
  g678 = 14,
  g5678 = 15
};

// ------------------------------------------------------------------------------------------------ registers (1.3)

inline constexpr unsigned reg_zero = 0, reg_header = 1, reg_secure = 2, reg_sp = 0x1A, reg_lr = 0x1B, reg_rem = 0x1C,
                          reg_memdata = 0x1D, reg_regdata = 0x1E, reg_data = 0x1F, reg_addr = 0x1D, reg_usraddr = 0x1E;

/// What reading a register gives.
enum class ReadsFrom : std::uint8_t { value, zero, memdata, regdata, data };
/// What becomes of a word that is written to a register.
enum class WritesTo : std::uint8_t { value, nothing, addr, usraddr, data };

namespace value {
/// A register as a source and as a destination: three of them are other queues there.
struct Register {
  std::string_view source, meaning;
  std::string_view destination = source, written = meaning;
  ReadsFrom reads = ReadsFrom::value;
  WritesTo writes = WritesTo::value;
};
inline constexpr std::array<Register, register_count> registers{
    {{"$00", "always 0", "$00", "discarded", ReadsFrom::zero, WritesTo::nothing},
     {"$01", "packet header by convention"},
     {"$02", ""},
     {"$03", ""},
     {"$04", ""},
     {"$05", ""},
     {"$06", ""},
     {"$07", ""},
     {"$08", ""},
     {"$09", ""},
     {"$0a", ""},
     {"$0b", ""},
     {"$0c", ""},
     {"$0d", ""},
     {"$0e", ""},
     {"$0f", ""},
     {"$10", ""},
     {"$11", ""},
     {"$12", "by convention, from a6xx on: level of the indirect buffer in bits 2:0"},
     {"$13", "by convention, from a6xx on: state of events and contexts"},
     {"$14",
      "by convention, from a6xx on: flags: b8, b9 skip IB2; b10 predicate; b11, b21 visibility; b15 GMEM; b29, b30 "
      "mode"},
     {"$15", "by convention, from a6xx on: counts visible draws"},
     {"$16", "by convention: bank of registers 0x2000 to 0x27ff on the a5xx ME; from a6xx on counts visible draws"},
     {"$17",
      "by convention: bank of registers 0xe000 to 0xefff on the a5xx ME; from a6xx on what is prefetched of buffers"},
     {"$18", "by convention: level of the indirect buffer in bits 1:0 on the a5xx PFP"},
     {"$19", ""},
     {"$sp", "stack pointer of compiled code"},
     {"$lr", "return address of bl"},
     {"$rem", "payload words left"},
     {"$memdata", "next word read from memory", "$addr", "GPU or pipe register address", ReadsFrom::memdata,
      WritesTo::addr},
     {"$regdata", "next GPU register read", "$usraddr", "the same, checked against CP_PROTECT", ReadsFrom::regdata,
      WritesTo::usraddr},
     {"$data", "next word of the packet", "$data", "to the register addressed last; on the a5xx PFP to the ME",
      ReadsFrom::data, WritesTo::data}}};
}  // namespace value

/// Reading or writing these moves data through a queue.
inline constexpr std::uint32_t fifo_registers = [] {
  std::uint32_t bits = 0;
  for (unsigned reg = 0; reg < register_count; ++reg) {
    const ReadsFrom reads = value::registers[reg].reads;
    if (reads != ReadsFrom::value && reads != ReadsFrom::zero) bits |= 1u << reg;
  }
  return bits;
}();
constexpr bool is_fifo(unsigned reg) { return (fifo_registers >> reg & 1) != 0; }

// ------------------------------------------------------------------------------------------------ fields (2.2)

namespace value {
inline constexpr auto source = [] {
  std::array<FieldValue, register_count> rows{};
  for (std::uint32_t i = 0; i < register_count; ++i) rows[i] = {i, registers[i].source, registers[i].meaning};
  return rows;
}();
inline constexpr auto destination = [] {
  std::array<FieldValue, register_count> rows{};
  for (std::uint32_t i = 0; i < register_count; ++i) rows[i] = {i, registers[i].destination, registers[i].written};
  return rows;
}();
inline constexpr FieldValue rep[] = {{0, "-", "once"}, {1, "(rep)", "while $rem is not 0"}};
inline constexpr FieldValue xmov[] = {{0, "-", "no extra move"},
                                      {1, "(xmov1)", "$data = next word"},
                                      {2, "(xmov2)", "$data twice"},
                                      {3, "(xmov3)", "$data, the destination, $data"}};
inline constexpr FieldValue peek[] = {{0, "-", "reading $data consumes"},
                                      {1, "(peek)", "reading $data leaves the word"}};
inline constexpr FieldValue sds[] = {{0, "-", "one write"},
                                     {1, "(sds1)", "one word more"},
                                     {2, "(sds2)", "two words more"},
                                     {3, "(sds3)", "three words more"}};
inline constexpr FieldValue pre[] = {{0, "-", ""}, {1, "!", "the sum is written back before the access"}};
}  // namespace value

// A form is named after its operands; every form names the same bits the same way.
// clang-format off
namespace field {
inline constexpr Fact driver{Status::driver, "2.2"}, binaries{Status::binaries, "2.2"}, unknown{Status::unknown, "9.3"};
inline constexpr Field opcode5{"opcode", 27, 5, "primary opcode", driver};
inline constexpr Field opcode6{"opcode", 26, 6, "primary opcode", driver};
inline constexpr Field opcode_nop{"opcode", 24, 2, "1 from a6xx on", driver};
inline constexpr Field opcode5_nop{"opcode", 27, 5, "primary opcode", driver};
inline constexpr Field rep{"rep", 26, 1, "repeat", driver, value::rep};
inline constexpr Field alu{"alu", 0, 5, "operation", driver};
inline constexpr Field zero5{"zero", 5, 3, "zero", binaries, {}, false, true};
inline constexpr Field zero5_4{"zero", 5, 4, "zero", binaries, {}, false, true};
inline constexpr Field peek{"peek", 8, 1, "peek", driver, value::peek};
inline constexpr Field xmov{"xmov", 9, 2, "extra moves", driver, value::xmov};
inline constexpr Field dst{"dst", 11, 5, "destination", driver, value::destination};
inline constexpr Field src2{"src2", 16, 5, "second source", driver, value::source};
inline constexpr Field src1{"src1", 21, 5, "first source", driver, value::source};
inline constexpr Field zero_src1{"zero", 21, 5, "zero", binaries, {}, false, true};
inline constexpr Field dst16{"dst", 16, 5, "destination", driver, value::destination};
inline constexpr Field imm16{"imm", 0, 16, "immediate, zero-extended", driver};
inline constexpr Field imm12{"imm", 0, 12, "immediate, zero-extended", driver};
inline constexpr Field sub12{"sub", 12, 4, "operation", driver};
inline constexpr Field shift{"shift", 21, 5, "left shift of the immediate", driver};
inline constexpr Field bit_value{"set", 0, 1, "1 sets, 0 clears", driver};
inline constexpr Field bit{"bit", 1, 5, "bit number", driver};
inline constexpr Field zero6_10{"zero", 6, 10, "zero", binaries, {}, false, true};
inline constexpr Field zero6_6{"zero", 6, 6, "zero", binaries, {}, false, true};
inline constexpr Field low_bit{"lo", 0, 5, "lowest bit", driver};
inline constexpr Field high_bit{"hi", 5, 5, "highest bit", driver};
inline constexpr Field zero10{"zero", 10, 2, "zero", binaries, {}, false, true};
inline constexpr Field offset{"offset", 0, 12, "register number, or bytes for memory", driver};
inline constexpr Field sds{"sds", 12, 2, "extra words for a draw-state header", driver, value::sds};
inline constexpr Field size{"size", 12, 2, "1 is almost certainly a byte, 2 possibly half a word", {Status::inferred, "2.5"}};
inline constexpr Field zero12{"zero", 12, 2, "zero", binaries, {}, false, true};
inline constexpr Field pre{"pre", 14, 1, "pre-increment", driver, value::pre};
inline constexpr Field space{"space", 15, 1, "chooses the register space", driver};
inline constexpr Field window{"window", 15, 1, "memory access of another kind, possibly without the window check", {Status::unknown, "3.6"}};
inline constexpr Field data_in{"reg", 16, 5, "what is written", driver, value::source};
inline constexpr Field data_out{"reg", 16, 5, "destination", driver, value::destination};
inline constexpr Field base{"base", 21, 5, "offset register", driver, value::source};
inline constexpr Field distance{"distance", 0, 16, "words from this instruction to the target", driver, {}, true};
inline constexpr Field compare{"imm", 16, 5, "number to compare with", driver};
inline constexpr Field test_bit{"bit", 16, 5, "bit to test", driver};
inline constexpr Field tested{"src", 21, 5, "what is tested", driver, value::source};
inline constexpr Field always{"always", 16, 10, "bit 0 of $00 is 0, so the branch is taken", driver};
inline constexpr Field target{"target", 0, 26, "word index of the target in its program", driver};
inline constexpr Field zero26{"zero", 0, 26, "zero", binaries, {}, false, true};
inline constexpr Field zero25{"zero", 0, 25, "zero", binaries, {}, false, true};
inline constexpr Field interrupt{"interrupt", 25, 1, "1 returns from an interrupt", driver};
inline constexpr Field zero21{"zero", 0, 21, "zero", binaries, {}, false, true};
inline constexpr Field jump_register{"src", 21, 5, "word index of the target", binaries, value::source};
inline constexpr Field fixed{"fixed", 0, 26, "the only value seen", driver};
inline constexpr Field payload24{"payload", 0, 24, "firmware id, version and offsets in header words", driver, {}, false, true};
inline constexpr Field payload26{"payload", 0, 26, "firmware id, version and offsets in header words", driver, {}, false, true};
inline constexpr Field zero26_1{"zero", 26, 1, "zero", binaries, {}, false, true};
}  // namespace field

namespace form {
inline constexpr const Field* alu_fields[] = {&field::alu, &field::zero5_4, &field::xmov, &field::dst, &field::src2, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format alu{"alu", 32, alu_fields, "two registers, a5xx and a6xx"};
inline constexpr const Field* alu_peek_fields[] = {&field::alu, &field::zero5, &field::peek, &field::xmov, &field::dst, &field::src2, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format alu_peek{"alu.peek", 32, alu_peek_fields, "two registers, a7xx and later"};
inline constexpr const Field* unary_fields[] = {&field::alu, &field::zero5_4, &field::xmov, &field::dst, &field::src2, &field::zero_src1, &field::rep, &field::opcode5};
inline constexpr Format unary{"alu.unary", 32, unary_fields, "one register, a5xx and a6xx"};
inline constexpr const Field* unary_peek_fields[] = {&field::alu, &field::zero5, &field::peek, &field::xmov, &field::dst, &field::src2, &field::zero_src1, &field::rep, &field::opcode5};
inline constexpr Format unary_peek{"alu.unary.peek", 32, unary_peek_fields, "one register, a7xx and later"};
inline constexpr const Field* imm_fields[] = {&field::imm16, &field::dst16, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format imm{"alu.imm", 32, imm_fields, "a register and 16 bits"};
inline constexpr const Field* unary_imm_fields[] = {&field::imm16, &field::dst16, &field::zero_src1, &field::rep, &field::opcode5};
inline constexpr Format unary_imm{"alu.unary.imm", 32, unary_imm_fields, "16 bits"};
inline constexpr const Field* imm12_fields[] = {&field::imm12, &field::sub12, &field::dst16, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format imm12{"alu.imm12", 32, imm12_fields, "a register and 12 bits, a7xx and later"};
inline constexpr const Field* mov_fields[] = {&field::imm16, &field::dst16, &field::shift, &field::rep, &field::opcode5};
inline constexpr Format mov{"mov", 32, mov_fields, "shifted immediate"};
inline constexpr const Field* bit_fields[] = {&field::bit_value, &field::bit, &field::zero6_10, &field::dst16, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format bit{"bit", 32, bit_fields, "one bit, a5xx and a6xx"};
inline constexpr const Field* bit12_fields[] = {&field::bit_value, &field::bit, &field::zero6_6, &field::sub12, &field::dst16, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format bit12{"bit.sub", 32, bit12_fields, "one bit, a7xx and later"};
inline constexpr const Field* bits_fields[] = {&field::low_bit, &field::high_bit, &field::zero10, &field::sub12, &field::dst16, &field::src1, &field::rep, &field::opcode5};
inline constexpr Format bits{"bitfield", 32, bits_fields, "some bits, a7xx and later"};
inline constexpr const Field* write_fields[] = {&field::offset, &field::zero12, &field::pre, &field::space, &field::data_in, &field::base, &field::rep, &field::opcode5};
inline constexpr Format write{"write", 32, write_fields, "to an SQE register"};
inline constexpr const Field* cwrite_fields[] = {&field::offset, &field::sds, &field::pre, &field::space, &field::data_in, &field::base, &field::rep, &field::opcode5};
inline constexpr Format cwrite{"cwrite", 32, cwrite_fields, "to a control register"};
inline constexpr const Field* read_fields[] = {&field::offset, &field::zero12, &field::pre, &field::space, &field::data_out, &field::base, &field::rep, &field::opcode5};
inline constexpr Format read{"read", 32, read_fields, "from a control or SQE register"};
inline constexpr const Field* store_fields[] = {&field::offset, &field::size, &field::pre, &field::window, &field::data_in, &field::base, &field::rep, &field::opcode5};
inline constexpr Format store{"store", 32, store_fields, "to memory"};
inline constexpr const Field* load_fields[] = {&field::offset, &field::size, &field::pre, &field::window, &field::data_out, &field::base, &field::rep, &field::opcode5};
inline constexpr Format load{"load", 32, load_fields, "from memory"};
inline constexpr const Field* branch_fields[] = {&field::distance, &field::compare, &field::tested, &field::opcode6};
inline constexpr Format branch{"branch", 32, branch_fields, "on a number"};
inline constexpr const Field* branch_bit_fields[] = {&field::distance, &field::test_bit, &field::tested, &field::opcode6};
inline constexpr Format branch_bit{"branch.bit", 32, branch_bit_fields, "on a bit"};
inline constexpr const Field* jump_fields[] = {&field::distance, &field::always, &field::opcode6};
inline constexpr Format jump{"jump", 32, jump_fields, "the branch that is always taken"};
inline constexpr const Field* absolute_fields[] = {&field::target, &field::opcode6};
inline constexpr Format absolute{"absolute", 32, absolute_fields, "to a word of the program"};
inline constexpr const Field* register_fields[] = {&field::zero21, &field::jump_register, &field::opcode6};
inline constexpr Format jump_register{"jump.register", 32, register_fields, "to where a register says"};
inline constexpr const Field* fixed_fields[] = {&field::fixed, &field::opcode6};
inline constexpr Format fixed{"fixed", 32, fixed_fields, "one word"};
inline constexpr const Field* ret_fields[] = {&field::zero25, &field::interrupt, &field::opcode6};
inline constexpr Format ret{"ret", 32, ret_fields, "return"};
inline constexpr const Field* plain_fields[] = {&field::zero26, &field::opcode6};
inline constexpr Format plain{"plain", 32, plain_fields, "no operand"};
inline constexpr const Field* nop5_fields[] = {&field::payload26, &field::rep, &field::opcode5_nop};
inline constexpr Format nop5{"nop.a5xx", 32, nop5_fields, "does nothing, a5xx"};
inline constexpr const Field* nop_fields[] = {&field::payload24, &field::opcode_nop, &field::rep, &field::opcode5_nop};
inline constexpr Format nop{"nop", 32, nop_fields, "does nothing, a6xx and later"};

inline constexpr const Format* all[] = {&alu, &alu_peek, &unary, &unary_peek, &imm, &unary_imm, &imm12, &mov, &bit, &bit12, &bits, &write, &cwrite,
    &read, &store, &load, &branch, &branch_bit, &jump, &absolute, &jump_register, &fixed, &ret, &plain, &nop5, &nop};
static_assert([] { for (const Format* each : all) if (!tiles(*each) || !values_fit(*each)) return false; return true; }());
}  // namespace form
// clang-format on

// ------------------------------------------------------------------------------------------------ operands

/// An operand of the text and the field that holds it. Printer and parser walk the same list.
enum class OperandKind : std::uint8_t {
  source,       ///< $02, $memdata
  destination,  ///< $02, $addr
  number,       ///< 0x12, @NAME, a GPU register's name, an expression of labels
  shifted,      ///< 0x12 << 4: `field` and the field shift
  bit,          ///< b7
  control,      ///< [$02 + @NAME]!: the fields base, offset, pre
  sqe,          ///< [$02 + %NAME]!
  memory,       ///< [$02 + 0x4]!
  relative,     ///< #label, a signed distance
  absolute,     ///< #label, a word index
  skip,         ///< #label that must be three words on; nothing is stored (setsecure)
  secure,       ///< $02 and nothing else; nothing is stored (setsecure)
};
struct OperandSpec {
  OperandKind kind = OperandKind::number;
  const Field* field = nullptr;
};

namespace operands {
inline constexpr OperandSpec three[] = {
    {OperandKind::destination, &field::dst}, {OperandKind::source, &field::src1}, {OperandKind::source, &field::src2}};
inline constexpr OperandSpec two[] = {{OperandKind::destination, &field::dst}, {OperandKind::source, &field::src2}};
inline constexpr OperandSpec imm16[] = {{OperandKind::destination, &field::dst16},
                                        {OperandKind::source, &field::src1},
                                        {OperandKind::number, &field::imm16}};
inline constexpr OperandSpec unary16[] = {{OperandKind::destination, &field::dst16},
                                          {OperandKind::number, &field::imm16}};
inline constexpr OperandSpec imm12[] = {{OperandKind::destination, &field::dst16},
                                        {OperandKind::source, &field::src1},
                                        {OperandKind::number, &field::imm12}};
inline constexpr OperandSpec mov[] = {{OperandKind::destination, &field::dst16}, {OperandKind::shifted, &field::imm16}};
inline constexpr OperandSpec bit[] = {
    {OperandKind::destination, &field::dst16}, {OperandKind::source, &field::src1}, {OperandKind::bit, &field::bit}};
inline constexpr OperandSpec bits[] = {{OperandKind::destination, &field::dst16},
                                       {OperandKind::source, &field::src1},
                                       {OperandKind::bit, &field::low_bit},
                                       {OperandKind::bit, &field::high_bit}};
inline constexpr OperandSpec control_out[] = {{OperandKind::source, &field::data_in},
                                              {OperandKind::control, &field::offset}};
inline constexpr OperandSpec control_in[] = {{OperandKind::destination, &field::data_out},
                                             {OperandKind::control, &field::offset}};
inline constexpr OperandSpec sqe_out[] = {{OperandKind::source, &field::data_in}, {OperandKind::sqe, &field::offset}};
inline constexpr OperandSpec sqe_in[] = {{OperandKind::destination, &field::data_out},
                                         {OperandKind::sqe, &field::offset}};
inline constexpr OperandSpec memory_out[] = {{OperandKind::source, &field::data_in},
                                             {OperandKind::memory, &field::offset}};
inline constexpr OperandSpec memory_in[] = {{OperandKind::destination, &field::data_out},
                                            {OperandKind::memory, &field::offset}};
inline constexpr OperandSpec branch[] = {{OperandKind::source, &field::tested},
                                         {OperandKind::number, &field::compare},
                                         {OperandKind::relative, &field::distance}};
inline constexpr OperandSpec branch_bit[] = {{OperandKind::source, &field::tested},
                                             {OperandKind::bit, &field::test_bit},
                                             {OperandKind::relative, &field::distance}};
inline constexpr OperandSpec jump[] = {{OperandKind::relative, &field::distance}};
inline constexpr OperandSpec absolute[] = {{OperandKind::absolute, &field::target}};
inline constexpr OperandSpec jump_register[] = {{OperandKind::source, &field::jump_register}};
inline constexpr OperandSpec lr[] = {{OperandKind::source, nullptr}};
inline constexpr OperandSpec secure[] = {{OperandKind::secure, nullptr}, {OperandKind::skip, nullptr}};
}  // namespace operands

// ------------------------------------------------------------------------------------------------ opcodes (2.4 - 2.7)

/// What an instruction does, whatever its form and number.
// clang-format off
enum class Op : std::uint8_t { alu, cwrite, cread, swrite, sread, store, load, branch, jump, jumpa, call, bl, jump_register, ret, iret, waitin, setsecure, nop };
/// What one of Op::alu computes.
enum class Alu : std::uint8_t { add, addhi, sub, subhi, band, bor, bxor, bnot, bic, shl, ushr, ishr, rot, mul8, min, max, cmp, mov, setbit, clrbit, replacebit, ubfx, bfi, msb, popcnt };
// clang-format on
/// When one of Op::branch is taken.
enum class Test : std::uint8_t { differs, equals, bit_clear, bit_set };

/// Where control continues. All but `next` and `skip` have a delay slot.
enum class Way : std::uint8_t {
  next,
  branch,    ///< to the target, or on
  jump,      ///< to the target
  call,      ///< to the target, and comes back two words on
  computed,  ///< to where a register says
  back,      ///< to what called or was interrupted
  packet,    ///< to the handler of the next packet
  skip,      ///< on, or three words on
};
/// How an instruction says its target.
enum class Target : std::uint8_t { none, relative, absolute };
/// Kinds of instructions that a user may give cycles, see timing.cpp.
enum class Cost : std::uint8_t { alu, control, sqe, load, store, branch, call, waitin, setsecure, nop };
inline constexpr std::size_t cost_count = static_cast<std::size_t>(Cost::nop) + 1;
/// How pseudo-code says it.
enum class Notation : std::uint8_t {
  call,      ///< f(a, b): the symbol, or the mnemonic where there is none
  infix,     ///< a + b
  carrying,  ///< a + b + carry
  inverted,  ///< ~a
  masked,    ///< a & ~b
  copied,    ///< a
  inserted,  ///< a, to some bits of the destination
  extracted  ///< a[hi:lo]
};
enum class Carry : std::uint8_t { none, leaves, takes };

/// A meaning, and what else all parts of the machine want to know of it.
class Operation {
 public:
  struct Traits {
    Carry carry = Carry::none;
    bool shifts = false;    ///< the second number is a count of bits
    bool composes = false;  ///< addresses are put together by it
    bool writes = false;    ///< registers or memory beyond its destination
  };

  constexpr Operation(Alu computed, Notation written, std::string_view sign, Traits with)
      : what(Op::alu), notation(written), symbol(sign), traits(with), alu(computed) {}
  explicit constexpr Operation(Test asked)
      : what(Op::branch), way(Way::branch), target(Target::relative), cost(Cost::branch), test(asked) {}
  constexpr Operation(Op meant, Cost costs, Traits with)
      : what(meant), cost(costs), notation(Notation::copied), traits(with) {}
  constexpr Operation(Op meant, Cost costs, Way leads, Target given = Target::none)
      : what(meant), way(leads), target(given), cost(costs) {}

  friend constexpr bool operator==(const Operation& operation, Op op) { return operation.what == op; }
  friend constexpr bool operator==(const Operation& operation, Alu alu) {
    return operation.what == Op::alu && operation.alu == alu;
  }

  Op what;
  Way way = Way::next;
  Target target = Target::none;
  Cost cost = Cost::alu;
  Notation notation = Notation::call;
  std::string_view symbol;
  Traits traits;
  Alu alu{};    ///< of Op::alu
  Test test{};  ///< of Op::branch
};

// clang-format off
namespace does {
inline constexpr Operation
    add{Alu::add, Notation::infix, "+", {.carry = Carry::leaves, .composes = true}},
    addhi{Alu::addhi, Notation::carrying, "+", {.carry = Carry::takes}},
    sub{Alu::sub, Notation::infix, "-", {.carry = Carry::leaves}},
    subhi{Alu::subhi, Notation::carrying, "-", {.carry = Carry::takes}},
    band{Alu::band, Notation::infix, "&", {}},
    bor{Alu::bor, Notation::infix, "|", {.composes = true}},
    bxor{Alu::bxor, Notation::infix, "^", {}},
    bnot{Alu::bnot, Notation::inverted, {}, {}},
    bic{Alu::bic, Notation::masked, {}, {}},
    shl{Alu::shl, Notation::infix, "<<", {.shifts = true}},
    ushr{Alu::ushr, Notation::infix, ">>", {.shifts = true}},
    ishr{Alu::ishr, Notation::call, "asr", {.shifts = true}},
    rot{Alu::rot, Notation::call, "rotl", {.shifts = true}},
    mul8{Alu::mul8, Notation::call, {}, {}},
    min{Alu::min, Notation::call, {}, {}},
    max{Alu::max, Notation::call, {}, {}},
    cmp{Alu::cmp, Notation::call, {}, {}},
    mov{Alu::mov, Notation::copied, {}, {.composes = true}},
    setbit{Alu::setbit, Notation::call, {}, {}},
    clrbit{Alu::clrbit, Notation::call, {}, {}},
    replacebit{Alu::replacebit, Notation::call, {}, {}},
    ubfx{Alu::ubfx, Notation::extracted, {}, {}},
    bfi{Alu::bfi, Notation::inserted, {}, {}},
    msb{Alu::msb, Notation::call, {}, {}},
    popcnt{Alu::popcnt, Notation::call, {}, {}},

    cwrite{Op::cwrite, Cost::control, Operation::Traits{.writes = true}},
    cread{Op::cread, Cost::control, Operation::Traits{}},
    swrite{Op::swrite, Cost::sqe, Operation::Traits{.writes = true}},
    sread{Op::sread, Cost::sqe, Operation::Traits{}},
    store{Op::store, Cost::store, Operation::Traits{.writes = true}},
    load{Op::load, Cost::load, Operation::Traits{}},

    brne{Test::differs},
    breq{Test::equals},
    brne_bit{Test::bit_clear},
    breq_bit{Test::bit_set},
    jump{Op::jump, Cost::branch, Way::jump, Target::relative},
    jumpa{Op::jumpa, Cost::branch, Way::jump, Target::absolute},
    call{Op::call, Cost::call, Way::call, Target::absolute},
    bl{Op::bl, Cost::call, Way::call, Target::absolute},
    jump_register{Op::jump_register, Cost::call, Way::computed},
    ret{Op::ret, Cost::call, Way::back},
    iret{Op::iret, Cost::call, Way::back},
    waitin{Op::waitin, Cost::waitin, Way::packet},
    setsecure{Op::setsecure, Cost::setsecure, Way::skip},
    nop{Op::nop, Cost::nop, Way::next};
}  // namespace does
// clang-format on

constexpr std::uint32_t reserved_bits(const Format& format, std::uint32_t mask) {
  std::uint32_t bits = 0;
  for (const Field* field : format.fields)
    if (field->reserved) bits |= static_cast<std::uint32_t>(low_mask(field->width)) << field->low;
  return bits & ~mask;
}

/// A row of the instruction set. None is without an operation: there is no default for it.
struct Opcode {
  std::string_view name;
  Operation op;
  std::uint8_t generations = 0;
  std::uint32_t mask = 0, match = 0;  ///< a word is this instruction if (word & mask) == match; the first row wins
  const Format* format;
  std::span<const OperandSpec> operands;
  std::string_view meaning;
  Fact fact;
  /// Bits of a word that the text does not show; zero in every instruction that is printed.
  std::uint32_t reserved = reserved_bits(*format, mask);
};

// clang-format off
namespace rows {
inline constexpr Fact seed{Status::seed, "2.4"}, driver{Status::driver, "2.4"}, binaries{Status::binaries, "2.4"}, control{Status::driver, "2.5"},
    branch{Status::seed, "2.6"}, driver_branch{Status::driver, "2.6"}, flow{Status::driver, "2.7"}, found{Status::binaries, "2.7"};
inline constexpr std::uint32_t prim = 0xF8000000, reg_mask = 0xF800001F, reg_move = 0xFBE0001F, sub_mask = 0xF800F000, six = 0xFC000000, space_mask = 0xF8008000;
constexpr std::uint32_t reg(std::uint32_t alu) { return 0x98000000 | alu; }
constexpr std::uint32_t imm(std::uint32_t opcode) { return opcode << 27; }
constexpr std::uint32_t sub(std::uint32_t number) { return 0x90000000 | number << 12; }
}  // namespace rows

inline constexpr Opcode opcodes[] = {
    {"add", does::add, g56, rows::reg_mask, rows::reg(0x01), &form::alu, operands::three, "a + b; sets the carry", rows::seed},
    {"add", does::add, g78, rows::reg_mask, rows::reg(0x01), &form::alu_peek, operands::three, "a + b; sets the carry", rows::driver},
    {"add", does::add, g56, rows::prim, rows::imm(0x01), &form::imm, operands::imm16, "a + b; sets the carry", rows::seed},
    {"add", does::add, g78, rows::prim, rows::imm(0x01), &form::imm, operands::imm16, "a + b; sets the carry", rows::driver},
    {"addhi", does::addhi, g56, rows::reg_mask, rows::reg(0x02), &form::alu, operands::three, "a + b + carry", rows::seed},
    {"addhi", does::addhi, g78, rows::reg_mask, rows::reg(0x02), &form::alu_peek, operands::three, "a + b + carry", rows::driver},
    {"addhi", does::addhi, g56, rows::prim, rows::imm(0x02), &form::imm, operands::imm16, "a + b + carry", rows::seed},
    {"addhi", does::addhi, g78, rows::prim, rows::imm(0x02), &form::imm, operands::imm16, "a + b + carry", rows::driver},
    {"sub", does::sub, g56, rows::reg_mask, rows::reg(0x03), &form::alu, operands::three, "a - b; the carry becomes -1 if a < b, else 0", rows::driver},
    {"sub", does::sub, g78, rows::reg_mask, rows::reg(0x03), &form::alu_peek, operands::three, "a - b; the carry becomes -1 if a < b, else 0", rows::driver},
    {"sub", does::sub, g56, rows::prim, rows::imm(0x03), &form::imm, operands::imm16, "a - b; the carry becomes -1 if a < b, else 0", rows::driver},
    {"sub", does::sub, g78, rows::prim, rows::imm(0x03), &form::imm, operands::imm16, "a - b; the carry becomes -1 if a < b, else 0", rows::driver},
    {"subhi", does::subhi, g56, rows::reg_mask, rows::reg(0x04), &form::alu, operands::three, "a - b + carry", rows::seed},
    {"subhi", does::subhi, g78, rows::reg_mask, rows::reg(0x04), &form::alu_peek, operands::three, "a - b + carry", rows::driver},
    {"subhi", does::subhi, g56, rows::prim, rows::imm(0x04), &form::imm, operands::imm16, "a - b + carry", rows::seed},
    {"subhi", does::subhi, g78, rows::prim, rows::imm(0x04), &form::imm, operands::imm16, "a - b + carry", rows::driver},
    {"and", does::band, g56, rows::reg_mask, rows::reg(0x05), &form::alu, operands::three, "a & b", rows::seed},
    {"and", does::band, g78, rows::reg_mask, rows::reg(0x05), &form::alu_peek, operands::three, "a & b", rows::driver},
    {"and", does::band, g56, rows::prim, rows::imm(0x05), &form::imm, operands::imm16, "a & b", rows::seed},
    {"and", does::band, g78, rows::prim, rows::imm(0x05), &form::imm, operands::imm16, "a & b", rows::driver},
    {"mov", does::mov, g56, rows::reg_move, rows::reg(0x06), &form::alu, operands::two, "copy: or with $00", rows::driver},
    {"mov", does::mov, g78, rows::reg_move, rows::reg(0x06), &form::alu_peek, operands::two, "copy: or with $00", rows::driver},
    {"or", does::bor, g56, rows::reg_mask, rows::reg(0x06), &form::alu, operands::three, "a | b", rows::seed},
    {"or", does::bor, g78, rows::reg_mask, rows::reg(0x06), &form::alu_peek, operands::three, "a | b", rows::driver},
    {"or", does::bor, g56, rows::prim, rows::imm(0x06), &form::imm, operands::imm16, "a | b", rows::seed},
    {"or", does::bor, g78, rows::prim, rows::imm(0x06), &form::imm, operands::imm16, "a | b", rows::driver},
    {"xor", does::bxor, g56, rows::reg_mask, rows::reg(0x07), &form::alu, operands::three, "a ^ b", rows::seed},
    {"xor", does::bxor, g78, rows::reg_mask, rows::reg(0x07), &form::alu_peek, operands::three, "a ^ b", rows::driver},
    {"xor", does::bxor, g56, rows::prim, rows::imm(0x07), &form::imm, operands::imm16, "a ^ b", rows::seed},
    {"xor", does::bxor, g78, rows::prim, rows::imm(0x07), &form::imm, operands::imm16, "a ^ b", rows::driver},
    {"not", does::bnot, g56, rows::reg_mask, rows::reg(0x08), &form::unary, operands::two, "~a", rows::seed},
    {"not", does::bnot, g78, rows::reg_mask, rows::reg(0x08), &form::unary_peek, operands::two, "~a", rows::driver},
    {"not", does::bnot, g56, rows::prim, rows::imm(0x08), &form::unary_imm, operands::unary16, "~a", rows::seed},
    {"not", does::bnot, g78, rows::prim, rows::imm(0x08), &form::unary_imm, operands::unary16, "~a", rows::driver},
    {"bic", does::bic, g78, rows::reg_mask, rows::reg(0x09), &form::alu_peek, operands::three, "a & ~b", rows::driver},
    {"bic", does::bic, g78, rows::prim, rows::imm(0x09), &form::imm, operands::imm16, "a & ~b", rows::driver},
    {"shl", does::shl, g56, rows::reg_mask, rows::reg(0x09), &form::alu, operands::three, "a << b", rows::seed},
    {"shl", does::shl, g56, rows::prim, rows::imm(0x09), &form::imm, operands::imm16, "a << b", rows::seed},
    {"shl", does::shl, g78, rows::reg_mask, rows::reg(0x12), &form::alu_peek, operands::three, "a << b", rows::driver},
    {"shl", does::shl, g78, rows::sub_mask, rows::sub(2), &form::imm12, operands::imm12, "a << b", rows::driver},
    {"ushr", does::ushr, g56, rows::reg_mask, rows::reg(0x0A), &form::alu, operands::three, "a >> b, zeros come in", rows::seed},
    {"ushr", does::ushr, g56, rows::prim, rows::imm(0x0A), &form::imm, operands::imm16, "a >> b, zeros come in", rows::seed},
    {"ushr", does::ushr, g78, rows::reg_mask, rows::reg(0x13), &form::alu_peek, operands::three, "a >> b, zeros come in", rows::driver},
    {"ushr", does::ushr, g78, rows::sub_mask, rows::sub(3), &form::imm12, operands::imm12, "a >> b, zeros come in", rows::driver},
    {"ishr", does::ishr, g56, rows::reg_mask, rows::reg(0x0B), &form::alu, operands::three, "a >> b, signs come in", rows::seed},
    {"ishr", does::ishr, g56, rows::prim, rows::imm(0x0B), &form::imm, operands::imm16, "a >> b, signs come in", rows::seed},
    {"ishr", does::ishr, g78, rows::reg_mask, rows::reg(0x14), &form::alu_peek, operands::three, "a >> b, signs come in", rows::driver},
    {"ishr", does::ishr, g78, rows::sub_mask, rows::sub(4), &form::imm12, operands::imm12, "a >> b, signs come in", rows::driver},
    {"rot", does::rot, g56, rows::reg_mask, rows::reg(0x0C), &form::alu, operands::three, "a rotated left by b", rows::seed},
    {"rot", does::rot, g56, rows::prim, rows::imm(0x0C), &form::imm, operands::imm16, "a rotated left by b", rows::seed},
    {"rot", does::rot, g78, rows::reg_mask, rows::reg(0x15), &form::alu_peek, operands::three, "a rotated left by b", rows::driver},
    {"rot", does::rot, g78, rows::sub_mask, rows::sub(5), &form::imm12, operands::imm12, "a rotated left by b", rows::driver},
    {"mul8", does::mul8, g56, rows::reg_mask, rows::reg(0x0D), &form::alu, operands::three, "product of the low bytes", rows::seed},
    {"mul8", does::mul8, g56, rows::prim, rows::imm(0x0D), &form::imm, operands::imm16, "product of the low bytes", rows::seed},
    {"mul8", does::mul8, g78, rows::reg_mask, rows::reg(0x0C), &form::alu_peek, operands::three, "product of the low bytes", rows::driver},
    {"mul8", does::mul8, g78, rows::prim, rows::imm(0x0C), &form::imm, operands::imm16, "product of the low bytes", rows::driver},
    {"min", does::min, g56, rows::reg_mask, rows::reg(0x0E), &form::alu, operands::three, "smaller, unsigned", rows::driver},
    {"min", does::min, g56, rows::prim, rows::imm(0x0E), &form::imm, operands::imm16, "smaller, unsigned", rows::driver},
    {"min", does::min, g78, rows::reg_mask, rows::reg(0x0A), &form::alu_peek, operands::three, "smaller, unsigned", rows::driver},
    {"min", does::min, g78, rows::prim, rows::imm(0x0A), &form::imm, operands::imm16, "smaller, unsigned", rows::driver},
    {"max", does::max, g56, rows::reg_mask, rows::reg(0x0F), &form::alu, operands::three, "larger, unsigned", rows::driver},
    {"max", does::max, g56, rows::prim, rows::imm(0x0F), &form::imm, operands::imm16, "larger, unsigned", rows::driver},
    {"max", does::max, g78, rows::reg_mask, rows::reg(0x0B), &form::alu_peek, operands::three, "larger, unsigned", rows::driver},
    {"max", does::max, g78, rows::prim, rows::imm(0x0B), &form::imm, operands::imm16, "larger, unsigned", rows::driver},
    {"cmp", does::cmp, g56, rows::reg_mask, rows::reg(0x10), &form::alu, operands::three, "0x00 if a > b, 0x2b if equal, 0x1e if a < b, unsigned", rows::driver},
    {"cmp", does::cmp, g56, rows::prim, rows::imm(0x10), &form::imm, operands::imm16, "0x00 if a > b, 0x2b if equal, 0x1e if a < b, unsigned", rows::driver},
    {"cmp", does::cmp, g78, rows::reg_mask, rows::reg(0x0D), &form::alu_peek, operands::three, "0x00 if a > b, 0x2b if equal, 0x1e if a < b, unsigned", rows::driver},
    {"cmp", does::cmp, g78, rows::prim, rows::imm(0x0D), &form::imm, operands::imm16, "0x00 if a > b, 0x2b if equal, 0x1e if a < b, unsigned", rows::driver},
    {"mov", does::mov, g56, rows::prim, rows::imm(0x11), &form::mov, operands::mov, "the immediate, shifted left", rows::driver},
    {"mov", does::mov, g78, rows::prim, rows::imm(0x0E), &form::mov, operands::mov, "the immediate, shifted left", rows::driver},
    {"setbit", does::setbit, g56, rows::prim | 1, 0x90000001, &form::bit, operands::bit, "a with the bit set", rows::driver},
    {"clrbit", does::clrbit, g56, rows::prim | 1, 0x90000000, &form::bit, operands::bit, "a with the bit cleared", rows::driver},
    {"setbit", does::replacebit, g6, rows::reg_mask, rows::reg(0x12), &form::alu, operands::three, "a with bit (b >> 1) & 31 replaced by b & 1", rows::binaries},
    {"setbit", does::setbit, g78, rows::sub_mask | 1, rows::sub(6) | 1, &form::bit12, operands::bit, "a with the bit set", rows::driver},
    {"clrbit", does::clrbit, g78, rows::sub_mask | 1, rows::sub(6), &form::bit12, operands::bit, "a with the bit cleared", rows::driver},
    {"setbit", does::replacebit, g78, rows::reg_mask, rows::reg(0x16), &form::alu_peek, operands::three, "a with bit (b >> 1) & 31 replaced by b & 1", rows::driver},
    {"ubfx", does::ubfx, g78, rows::sub_mask, rows::sub(7), &form::bits, operands::bits, "bits lo to hi of a, moved to bit 0", rows::driver},
    {"bfi", does::bfi, g78, rows::sub_mask, rows::sub(8), &form::bits, operands::bits, "the destination with bits lo to hi replaced by a's low bits", rows::binaries},
    {"msb", does::msb, g56, rows::reg_mask, rows::reg(0x14), &form::unary, operands::two, "number of the highest bit that is set, 0 for 0", rows::driver},
    {"msb", does::msb, g78, rows::reg_mask, rows::reg(0x19), &form::unary_peek, operands::two, "number of the highest bit that is set, 0 for 0", rows::driver},
    {"popcnt", does::popcnt, g8, rows::reg_mask, rows::reg(0x1C), &form::unary_peek, operands::two, "how many bits are set; the name is ours", rows::binaries},

    {"store", does::store, g5, rows::space_mask, 0xA8000000, &form::store, operands::memory_out, "to memory at base + offset", rows::control},
    {"load", does::load, g5, rows::space_mask, 0xB0000000, &form::load, operands::memory_in, "from memory at base + offset", {Status::binaries, "2.5"}},
    {"cwrite", does::cwrite, g5, rows::space_mask, 0xA8008000, &form::cwrite, operands::control_out, "to control register base + offset", {Status::seed, "2.5"}},
    {"cread", does::cread, g5, rows::space_mask, 0xB0008000, &form::read, operands::control_in, "from control register base + offset", {Status::seed, "2.5"}},
    {"store", does::store, g678, rows::prim, 0xA0000000, &form::store, operands::memory_out, "to memory at base + offset", rows::control},
    {"cwrite", does::cwrite, g678, rows::space_mask, 0xA8000000, &form::cwrite, operands::control_out, "to control register base + offset", rows::control},
    {"swrite", does::swrite, g678, rows::space_mask, 0xA8008000, &form::write, operands::sqe_out, "to SQE register base + offset", rows::control},
    {"load", does::load, g678, rows::prim, 0xB0000000, &form::load, operands::memory_in, "from memory at base + offset", rows::control},
    {"cread", does::cread, g678, rows::space_mask, 0xB8000000, &form::read, operands::control_in, "from control register base + offset", rows::control},
    {"sread", does::sread, g678, rows::space_mask, 0xB8008000, &form::read, operands::sqe_in, "from SQE register base + offset", rows::control},

    {"jump", does::jump, g56, 0xFFFF0000, 0xC8000000, &form::jump, operands::jump, "always", rows::branch},
    {"jump", does::jump, g78, 0xFFFF0000, 0xC8000000, &form::jump, operands::jump, "always", rows::driver_branch},
    {"brne", does::brne, g56, rows::six, 0xC0000000, &form::branch, operands::branch, "if a is not the number", rows::branch},
    {"brne", does::brne, g78, rows::six, 0xC0000000, &form::branch, operands::branch, "if a is not the number", rows::driver_branch},
    {"breq", does::breq, g56, rows::six, 0xC4000000, &form::branch, operands::branch, "if a is the number", rows::branch},
    {"breq", does::breq, g78, rows::six, 0xC4000000, &form::branch, operands::branch, "if a is the number", rows::driver_branch},
    {"brne", does::brne_bit, g56, rows::six, 0xC8000000, &form::branch_bit, operands::branch_bit, "if the bit of a is 0", rows::branch},
    {"brne", does::brne_bit, g78, rows::six, 0xC8000000, &form::branch_bit, operands::branch_bit, "if the bit of a is 0", rows::driver_branch},
    {"breq", does::breq_bit, g56, rows::six, 0xCC000000, &form::branch_bit, operands::branch_bit, "if the bit of a is 1", rows::branch},
    {"breq", does::breq_bit, g78, rows::six, 0xCC000000, &form::branch_bit, operands::branch_bit, "if the bit of a is 1", rows::driver_branch},
    {"ret", does::ret, g56, 0xFE000000, 0xD0000000, &form::ret, {}, "to the address on top of the stack", rows::flow},
    {"ret", does::ret, g78, 0xFE000000, 0xD0000000, &form::ret, {}, "to the address on top of the stack", rows::flow},
    {"iret", does::iret, g5678, 0xFE000000, 0xD2000000, &form::ret, {}, "to what an interrupt left", rows::flow},
    {"call", does::call, g56, rows::six, 0xD4000000, &form::absolute, operands::absolute, "pushes the address two words on", rows::flow},
    {"call", does::call, g78, rows::six, 0xD4000000, &form::absolute, operands::absolute, "pushes the address two words on", rows::flow},
    {"waitin", does::waitin, g5678, rows::six, 0xD8000000, &form::plain, {}, "waits for a packet and goes to its handler", rows::flow},
    {"sret", does::jump_register, g78, 0xFFFFFFFF, 0xDF600000, &form::fixed, {}, "to $lr", rows::flow},
    {"jump", does::jump_register, g78, 0xFFFFFFFF, 0xDF70001B, &form::fixed, operands::lr, "to $lr", rows::flow},
    {"jump", does::jump_register, g5678, 0xFC100000, 0xDC000000, &form::jump_register, operands::jump_register, "to the register's word index", rows::found},
    {"bl", does::bl, g5678, rows::six, 0xE0000000, &form::absolute, operands::absolute, "$lr becomes the address two words on", rows::flow},
    {"jumpa", does::jumpa, g5678, rows::six, 0xE4000000, &form::absolute, operands::absolute, "always; seen on a5xx and from a7xx on", rows::found},
    {"setsecure", does::setsecure, g5678, rows::six, 0xEC000000, &form::plain, operands::secure, "asks the secure world; skips two words on success; no delay slot", {Status::driver, "3.9"}},
    {"nop", does::nop, g5, rows::prim, 0x00000000, &form::nop5, {}, "nothing", rows::flow},
    {"nop", does::nop, g678, 0xFB000000, 0x01000000, &form::nop, {}, "nothing", rows::flow},
};
// clang-format on

/// Other spellings that are read.
struct Alias {
  std::string_view name, means;
};
inline constexpr Alias aliases[] = {{"comp", "cmp"}, {"preemptleave", "bl"}, {"popcount", "popcnt"}};

static_assert([] {
  for (const Opcode& row : opcodes)
    if ((row.match & ~row.mask) != 0 || row.generations == 0) return false;
  return true;
}());

/// True if words of the form have that field.
constexpr bool has_field(const Opcode& opcode, const Field& wanted) {
  // By what it is and not by where: each library may have its own copy of the tables.
  for (const Field* field : opcode.format->fields)
    if (field->low == wanted.low && field->name == wanted.name) return true;
  return false;
}

/// The operand of the row that is of a kind, or nullptr.
constexpr const OperandSpec* find_operand(const Opcode& opcode, OperandKind kind) {
  for (const OperandSpec& operand : opcode.operands)
    if (operand.kind == kind) return &operand;
  return nullptr;
}
// Targets are said by operands.
static_assert([] {
  for (const Opcode& row : opcodes)
    if ((find_operand(row, OperandKind::relative) != nullptr) != (row.op.target == Target::relative) ||
        (find_operand(row, OperandKind::absolute) != nullptr) != (row.op.target == Target::absolute))
      return false;
  return true;
}());

}  // namespace mobula::afuc
