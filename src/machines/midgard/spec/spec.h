// Midgard's encoding as data: every word format with every field, and the tables of opcodes, tags and products.
// Decoder, encoder, text, explain, manual, checker, lifter and fuzzers all read these rows. Facts are cited as sections
// of the Midgard reference; bit 0 is the lowest bit of the little-endian word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/format.h"
#include "mobula/isa/ir.h"

namespace mobula::midgard {

// ------------------------------------------------------------------------------------------------ tags (2.1)

enum class Pipe : std::uint8_t { none, alu, load_store, texture };

struct TagInfo {
  std::string_view name;       ///< as the field prints it
  std::uint8_t quadwords = 0;  ///< 0 = may not head a bundle
  Pipe pipe = Pipe::none;
  std::string_view meaning;
  Fact fact;
};

inline constexpr std::uint8_t tag_invalid = 0, tag_break = 1, tag_texture_vertex = 2, tag_texture = 3, tag_barrier = 4,
                              tag_load_store = 5, tag_alu_4 = 8, tag_alu_16 = 11, tag_alu_writeout_4 = 12;

/// By tag.
inline constexpr std::array<TagInfo, 16> tags{{
    {"invalid", 0, Pipe::none, "never legal", {Status::driver, "2.1"}},
    {"break", 0, Pipe::none, "as next or target tag: the thread ends", {Status::driver, "2.1"}},
    {"tex/vt", 1, Pipe::texture, "texture without quad synchronisation", {Status::driver, "2.1"}},
    {"tex", 1, Pipe::texture, "texture with quad synchronisation", {Status::driver, "2.1"}},
    {"tex/bar", 1, Pipe::texture, "barrier", {Status::driver, "2.1"}},
    {"ldst", 1, Pipe::load_store, "load/store", {Status::seed, "2.1"}},
    {"unk1", 1, Pipe::none, "unknown; length assumed", {Status::unknown, "2.1"}},
    {"unk2", 1, Pipe::none, "unknown; length assumed", {Status::unknown, "2.1"}},
    {"alu/4", 1, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/8", 2, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/12", 3, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/16", 4, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"aluw/4", 1, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/8", 2, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/12", 3, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/16", 4, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
}};

constexpr bool is_alu_tag(unsigned tag) { return tag >= tag_alu_4; }
constexpr bool is_writeout_tag(unsigned tag) { return tag >= tag_alu_writeout_4; }
/// Bundle length by tag; 0 for tags that head no bundle. Tags 6 and 7 are assumed to be one quadword.
constexpr unsigned quadwords(unsigned tag) { return tags[tag & 15].quadwords; }

// ------------------------------------------------------------------------------------------------ registers (1.3, 1.4)

inline constexpr unsigned register_count = 32, last_uniform_register = 23, register_tmp0 = 24, register_tmp1 = 25,
                          register_constants = 26, register_load_store0 = 26, register_load_store1 = 27,
                          register_texture0 = 28, register_texture1 = 29, register_unknown = 30,
                          register_condition = 31, register_unused = 24;

/// What load/store words name besides registers (1.5); see value::selector.
inline constexpr unsigned selector_pc_sp = 2, selector_local_storage = 3, selector_local_id = 4, selector_group = 5,
                          selector_global_id = 6, selector_zero = 7;

/// What some registers in a row are for, by direction.
struct RegisterRole {
  std::uint8_t first = 0, last = 0;
  std::string_view names;  ///< in text, a space between each two
  std::string_view read, written;
  Fact fact;
};
// clang-format off
inline constexpr auto register_roles = std::to_array<RegisterRole>({
    {0, 15, "", "work registers, as many as the program announces", "the same; a load may write them too", {Status::driver, "1.4"}},
    {8, 23, "U0 U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 U12 U13 U14 U15", "uniforms, from r23 down, as many as the program announces: Un is r(23 - n)",
        "not those that hold uniforms", {Status::driver, "1.4"}},
    {24, 24, "TMP0", "what stage 1 of the same word wrote; of no operand, nothing", "for stage 2 of the same word; of stage 2, nowhere", {Status::driver, "1.3"}},
    {25, 25, "TMP1", "what stage 1 of the same word wrote", "for stage 2 of the same word; of stage 2, nowhere", {Status::driver, "1.3"}},
    {26, 26, "K AL0", "K, the constants at the end of the word", "AL0, input of the load/store pipe", {Status::driver, "1.3"}},
    {27, 27, "AL1", "unknown", "AL1, input of the load/store pipe", {Status::driver, "1.3"}},
    {28, 29, "TA0 TA1 AT0 AT1", "TA0 and TA1, results of the texture pipe", "AT0 and AT1, inputs of the texture pipe", {Status::driver, "1.3"}},
    {30, 30, "", "unknown", "unknown", {Status::unknown, "1.3"}},
    {31, 31, "PC_SP COND", "PC_SP: x and y the program counter, z and w the stack pointer",
        "COND: the condition of a select or branch of the same word, in w, or in every component", {Status::driver, "1.3"}},
});
// clang-format on

// ------------------------------------------------------------------------------------------------ ALU units (1.2)

enum class Unit : std::uint8_t { vmul, sadd, vadd, smul, vlut };
inline constexpr unsigned unit_count = 5;

// ------------------------------------------------------------------------------------------------ value names

enum class RegMode : std::uint8_t { bits8, bits16, bits32, bits64 };
enum class Expand : std::uint8_t { none, rep_low, rep_high, swap, low, high, low_swap, high_swap };
enum class Shrink : std::uint8_t { lower, upper, none, invalid };
enum class FloatOutmod : std::uint8_t { none, clamp_0_inf, clamp_m1_1, clamp_0_1 };
enum class IntOutmod : std::uint8_t { ssat, usat, keeplo, keephi };
enum class IntSourceMod : std::uint8_t { sext, zext, replicate, lshift };

/// What a branch does; the value is its operation field.
enum class BranchMeaning : std::uint8_t { uncond = 1, cond = 2, discard = 4, tilebuffer = 6, write = 7 };
constexpr unsigned opcode_of(BranchMeaning does) { return static_cast<unsigned>(does); }

namespace value {
inline constexpr auto tag = [] {
  std::array<FieldValue, tags.size()> rows;
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = {i, tags[i].name, tags[i].meaning};
  return rows;
}();
inline constexpr FieldValue reg_mode[] = {{0, "8", "16 lanes of 8 bits"},
                                          {1, "16", "8 lanes of 16 bits"},
                                          {2, "32", "4 lanes of 32 bits"},
                                          {3, "64", "2 lanes of 64 bits"}};
inline constexpr FieldValue source_mod[] = {
    {0, "none / sext", "float: as is; widened integer: sign extend"},
    {1, "abs / zext", "float: absolute value; widened integer: zero extend"},
    {2, "neg / replicate", "float: negate; widened integer: element in both halves"},
    {3, "abs neg / lshift", "float: minus absolute value; widened integer: in the upper half"}};
inline constexpr FieldValue expand[] = {{0, "none", "register as is"},
                                        {1, "rep_low", "low half for both halves"},
                                        {2, "rep_high", "high half for both halves"},
                                        {3, "swap", "halves exchanged"},
                                        {4, "low", "low half widened"},
                                        {5, "high", "high half widened"},
                                        {6, "low_swap", "low half widened, halves exchanged"},
                                        {7, "high_swap", "high half widened, halves exchanged"}};
inline constexpr FieldValue shrink[] = {{0, "lower", "narrowed into the lower half"},
                                        {1, "upper", "narrowed into the upper half"},
                                        {2, "none", "full width"},
                                        {3, "invalid", "never seen"}};
inline constexpr FieldValue outmod[] = {
    {0, "none / ssat", "float: as is; integer: signed saturate"},
    {1, "clamp_0_inf / usat", "float: max(x, 0); integer: unsigned saturate"},
    {2, "clamp_m1_1 / keeplo", "float: clamp to [-1, 1]; integer: keep the low half"},
    {3, "clamp_0_1 / keephi", "float: clamp to [0, 1]; integer: keep the high half"}};
inline constexpr FieldValue branch_op[] = {
    {opcode_of(BranchMeaning::uncond), "uncond", "jump"},
    {opcode_of(BranchMeaning::cond), "cond", "jump if the condition holds"},
    {opcode_of(BranchMeaning::discard), "discard", "end the fragment if the condition holds"},
    {opcode_of(BranchMeaning::tilebuffer), "tilebuffer", "jump while the tile buffer is not ready"},
    {opcode_of(BranchMeaning::write), "write", "hand r0 to the tile writer; jump if it must be retried"}};
inline constexpr FieldValue call_mode[] = {{0, "reserved", "what Mesa's extended branches carry"},
                                           {1, "default", "jump"},
                                           {2, "call", "call"},
                                           {3, "return", "return"}};
inline constexpr FieldValue condition[] = {{0, "write0", "never"},
                                           {1, "false", "taken if the bit is 0"},
                                           {2, "true", "taken if the bit is 1"},
                                           {3, "always", "always taken"}};
inline constexpr FieldValue condition_lut[] = {{0x0000, "never", "never taken"},
                                               {0x5555, "false", "taken if the bit is 0"},
                                               {0xAAAA, "true", "taken if the bit is 1"},
                                               {0xFFFF, "always", "always taken"}};
inline constexpr FieldValue texture_mode[] = {{1, "normal", "d/dy for a derivative"},
                                              {0, "zero", "d/dx for a derivative"},
                                              {5, "shadow", "depth comparison"},
                                              {6, "gather_shadow", "four comparisons"},
                                              {8, "gather_x", "four texels, component x"},
                                              {9, "gather_y", "four texels, component y"},
                                              {10, "gather_z", "four texels, component z"},
                                              {11, "gather_w", "four texels, component w"}};
inline constexpr FieldValue execution[] = {{0, "reserved", ""},
                                           {1, "skip", "helper threads give coordinates only"},
                                           {2, "kill", "helper threads end here"},
                                           {3, "none", "helper threads run normally"}};
inline constexpr FieldValue texture_format[] = {
    {0, "cube", "cube map"}, {1, "1d", "1D or buffer"}, {2, "2d", "2D"}, {3, "3d", "3D"}};
inline constexpr FieldValue sampler_type[] = {
    {0, "none", "moves and barriers"}, {1, "f", "float"}, {2, "u", "unsigned"}, {3, "s", "signed"}};
inline constexpr FieldValue selector[] = {{0, "AL0", "r26"},
                                          {1, "AL1", "r27"},
                                          {2, "PC_SP", "program counter, stack pointer"},
                                          {3, "LOCAL_STORAGE_PTR", "thread-local, workgroup-local pointer"},
                                          {4, "LOCAL_THREAD_ID", "local invocation id"},
                                          {5, "GROUP_ID", "workgroup id"},
                                          {6, "GLOBAL_THREAD_ID", "global invocation id"},
                                          {7, "0", "zero"}};
inline constexpr FieldValue special[] = {{0x01, "special.colour", "colour of the frame buffer, converted"},
                                         {0x10, "special.raw", "contents of the tile buffer, as they are"},
                                         {0x60, "special.sample_mask", "samples that the fragment covers"},
                                         {0x61, "special.sample_id", "number of the sample"}};
inline constexpr FieldValue attribute[] = {{16, "attribute.vertex_id", "number of the vertex, an integer"},
                                           {17, "attribute.instance_id", "number of the instance, an integer"}};
inline constexpr FieldValue index_format[] = {{0, "reserved", "attribute ops: primary table"},
                                              {1, "u64", "64-bit index; attribute ops: auto32"},
                                              {2, "u32", "zero-extended; attribute ops: secondary table"},
                                              {3, "s32", "sign-extended; attribute ops: auto32, secondary table"}};
}  // namespace value

// Rows stay on one line each.
// clang-format off

// ------------------------------------------------------------------------------------------------ ALU words

/// ALU control word, 32 bits (2.3).
namespace control {
inline constexpr Field tag{.name = "tag", .low = 0, .width = 4, .meaning = "kind and length of this bundle", .fact = {Status::driver, "2.1"}, .values = value::tag};
inline constexpr Field next{.name = "next", .low = 4, .width = 4, .meaning = "tag of the next bundle in memory; 1 ends", .fact = {Status::driver, "2.1"}, .values = value::tag};
inline constexpr Field unknown_8{.name = "unknown_8", .low = 8, .width = 9, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr Field vmul{.name = "vmul", .low = 17, .meaning = "vector multiplier present", .fact = {Status::seed, "2.3"}};
inline constexpr Field unknown_18{.name = "unknown_18", .low = 18, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr Field sadd{.name = "sadd", .low = 19, .meaning = "scalar adder present", .fact = {Status::seed, "2.3"}};
inline constexpr Field unknown_20{.name = "unknown_20", .low = 20, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr Field vadd{.name = "vadd", .low = 21, .meaning = "vector adder present", .fact = {Status::seed, "2.3"}};
inline constexpr Field unknown_22{.name = "unknown_22", .low = 22, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr Field smul{.name = "smul", .low = 23, .meaning = "scalar multiplier present", .fact = {Status::seed, "2.3"}};
inline constexpr Field unknown_24{.name = "unknown_24", .low = 24, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr Field vlut{.name = "lut", .low = 25, .meaning = "look-up unit present", .fact = {Status::seed, "2.3"}};
inline constexpr Field branch_compact{.name = "br", .low = 26, .meaning = "compact branch present", .fact = {Status::seed, "2.3"}};
inline constexpr Field branch_extended{.name = "brx", .low = 27, .meaning = "extended branch present", .fact = {Status::seed, "2.3"}};
inline constexpr Field unknown_28{.name = "unknown_28", .low = 28, .width = 4, .meaning = "always zero so far", .fact = {Status::unknown, "2.3"}, .reserved = true};
inline constexpr std::array<const Field*, 15> fields{
    &tag, &next, &unknown_8, &vmul, &unknown_18, &sadd, &unknown_20, &vadd, &unknown_22, &smul, &unknown_24, &vlut,
    &branch_compact, &branch_extended, &unknown_28};
inline constexpr Format format{.name = "alu.control", .width = 32, .fields = fields, .meaning = "head of an ALU bundle"};
/// All bits whose meaning is unknown.
inline constexpr std::uint32_t reserved_mask = [] {
  std::uint64_t bits = 0;
  for (const Field* field : fields)
    if (field->reserved) set(bits, *field, ~std::uint64_t{0});
  return static_cast<std::uint32_t>(bits);
}();
static_assert(tiles(format) && values_fit(format));
}  // namespace control

// clang-format on
struct UnitInfo {
  std::string_view name;     ///< prefix in text
  std::uint8_t control_bit;  ///< bit of the ALU control word
  std::uint8_t bytes;        ///< size of its instruction field
  bool vector;               ///< vector encoding; otherwise scalar
  std::uint8_t stage;        ///< 1 or 2
};
inline constexpr std::array<UnitInfo, unit_count> units{{
    {control::vmul.name, control::vmul.low, 6, true, 1},
    {control::sadd.name, control::sadd.low, 4, false, 1},
    {control::vadd.name, control::vadd.low, 6, true, 2},
    {control::smul.name, control::smul.low, 4, false, 2},
    {control::vlut.name, control::vlut.low, 6, true, 2},
}};
constexpr const UnitInfo& info(Unit unit) { return units[static_cast<std::size_t>(unit)]; }
// clang-format off

/// Register word of one unit, 16 bits (2.4).
namespace reg {
inline constexpr Field src1{.name = "src1", .low = 0, .width = 5, .meaning = "source 1 register", .fact = {Status::seed, "2.4"}};
inline constexpr Field src2{.name = "src2", .low = 5, .width = 5, .meaning = "source 2 register, or bits 15-11 of the inline constant", .fact = {Status::seed, "2.4"}};
inline constexpr Field dst{.name = "dst", .low = 10, .width = 5, .meaning = "destination register", .fact = {Status::seed, "2.4"}};
inline constexpr Field inline_constant{.name = "inline", .low = 15, .meaning = "source 2 is an inline constant", .fact = {Status::seed, "2.4"}};
inline constexpr std::array<const Field*, 4> fields{&src1, &src2, &dst, &inline_constant};
inline constexpr Format format{.name = "alu.registers", .width = 16, .fields = fields, .meaning = "registers of one ALU unit"};
static_assert(tiles(format));
}  // namespace reg

/// Vector instruction, 48 bits (2.6). The 13-bit sources are formats of their own.
namespace vec {
inline constexpr Field opcode{.name = "opcode", .low = 0, .width = 8, .meaning = "operation", .fact = {Status::seed, "2.6"}};
inline constexpr Field mode{.name = "mode", .low = 8, .width = 2, .meaning = "lane width", .fact = {Status::driver, "2.6"}, .values = value::reg_mode};
inline constexpr Field src1{.name = "src1", .low = 10, .width = 13, .meaning = "source 1", .fact = {Status::driver, "2.6"}};
inline constexpr Field src2{.name = "src2", .low = 23, .width = 13, .meaning = "source 2 or inline constant", .fact = {Status::driver, "2.6"}};
inline constexpr Field shrink{.name = "shrink", .low = 36, .width = 2, .meaning = "result narrowed to half width", .fact = {Status::driver, "2.6.3"}, .values = value::shrink};
inline constexpr Field outmod{.name = "outmod", .low = 38, .width = 2, .meaning = "output modifier", .fact = {Status::driver, "2.6.3"}, .values = value::outmod};
inline constexpr Field mask{.name = "mask", .low = 40, .width = 8, .meaning = "write mask, 16 bits of result each", .fact = {Status::driver, "2.6.4"}};
inline constexpr std::array<const Field*, 7> fields{&opcode, &mode, &src1, &src2, &shrink, &outmod, &mask};
inline constexpr Format format{.name = "alu.vector", .width = 48, .fields = fields, .meaning = "instruction of vmul, vadd or lut"};
static_assert(tiles(format) && values_fit(format));
}  // namespace vec

/// 13-bit source of a vector instruction (2.6.1, 2.6.2).
namespace vecsrc {
inline constexpr Field mod{.name = "mod", .low = 0, .width = 2, .meaning = "source modifier", .fact = {Status::driver, "2.6.1"}, .values = value::source_mod};
inline constexpr Field expand{.name = "expand", .low = 2, .width = 3, .meaning = "expand mode", .fact = {Status::driver, "2.6.2"}, .values = value::expand};
inline constexpr Field swizzle{.name = "swizzle", .low = 5, .width = 8, .meaning = "four 2-bit selectors, lane 0 lowest", .fact = {Status::driver, "2.6"}};
inline constexpr std::array<const Field*, 3> fields{&mod, &expand, &swizzle};
inline constexpr Format format{.name = "alu.vector.source", .width = 13, .fields = fields, .meaning = "register source of a vector instruction"};
static_assert(tiles(format) && values_fit(format));
}  // namespace vecsrc

/// 13-bit source 2 of a vector instruction when it is an inline constant (2.5.3).
namespace vecinline {
inline constexpr Field mod{.name = "mod", .low = 0, .width = 2, .meaning = "source modifier; effect on a constant unknown", .fact = {Status::unknown, "2.5.2"}, .values = value::source_mod};
inline constexpr Field bits_10_8{.name = "constant_10_8", .low = 2, .width = 3, .meaning = "bits 10-8 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr Field bits_7_0{.name = "constant_7_0", .low = 5, .width = 8, .meaning = "bits 7-0 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr std::array<const Field*, 3> fields{&mod, &bits_10_8, &bits_7_0};
inline constexpr Format format{.name = "alu.vector.inline", .width = 13, .fields = fields, .meaning = "inline constant of a vector instruction"};
static_assert(tiles(format) && values_fit(format));
}  // namespace vecinline

/// Scalar instruction, 32 bits (2.7).
namespace scalar {
inline constexpr FieldValue full_values[] = {{0, "half", "16-bit component"}, {1, "full", "32-bit component"}};
inline constexpr Field opcode{.name = "opcode", .low = 0, .width = 8, .meaning = "operation", .fact = {Status::seed, "2.7"}};
inline constexpr Field src1_mod{.name = "src1.mod", .low = 8, .width = 2, .meaning = "source 1 modifier", .fact = {Status::driver, "2.7"}, .values = value::source_mod};
inline constexpr Field src1_full{.name = "src1.full", .low = 10, .meaning = "source 1 size", .fact = {Status::seed, "2.7"}, .values = full_values};
inline constexpr Field src1_component{.name = "src1.component", .low = 11, .width = 3, .meaning = "source 1 component in 16-bit units", .fact = {Status::driver, "2.7"}};
inline constexpr Field src2{.name = "src2", .low = 14, .width = 11, .meaning = "source 2 or inline constant", .fact = {Status::driver, "2.7"}};
inline constexpr Field unknown_25{.name = "unknown_25", .low = 25, .meaning = "always zero so far", .fact = {Status::unknown, "2.7"}, .reserved = true};
inline constexpr Field outmod{.name = "outmod", .low = 26, .width = 2, .meaning = "output modifier", .fact = {Status::driver, "2.7"}, .values = value::outmod};
inline constexpr Field full{.name = "full", .low = 28, .meaning = "destination size", .fact = {Status::seed, "2.7"}, .values = full_values};
inline constexpr Field component{.name = "component", .low = 29, .width = 3, .meaning = "destination component in 16-bit units", .fact = {Status::driver, "2.7"}};
inline constexpr std::array<const Field*, 9> fields{&opcode, &src1_mod, &src1_full, &src1_component, &src2, &unknown_25, &outmod, &full, &component};
inline constexpr Format format{.name = "alu.scalar", .width = 32, .fields = fields, .meaning = "instruction of sadd or smul"};
static_assert(tiles(format) && values_fit(format));
}  // namespace scalar

/// 11-bit source 2 of a scalar instruction (2.7).
namespace scalarsrc {
inline constexpr Field mod{.name = "mod", .low = 0, .width = 2, .meaning = "source 2 modifier", .fact = {Status::driver, "2.7"}, .values = value::source_mod};
inline constexpr Field full{.name = "full", .low = 2, .meaning = "source 2 size", .fact = {Status::seed, "2.7"}, .values = scalar::full_values};
inline constexpr Field component{.name = "component", .low = 3, .width = 3, .meaning = "source 2 component in 16-bit units", .fact = {Status::driver, "2.7"}};
inline constexpr Field unknown_6{.name = "unknown_6", .low = 6, .width = 5, .meaning = "always zero so far", .fact = {Status::unknown, "2.7"}, .reserved = true};
inline constexpr std::array<const Field*, 4> fields{&mod, &full, &component, &unknown_6};
inline constexpr Format format{.name = "alu.scalar.source", .width = 11, .fields = fields, .meaning = "register source 2 of a scalar instruction"};
static_assert(tiles(format) && values_fit(format));
}  // namespace scalarsrc

/// 11-bit source 2 of a scalar instruction when it is an inline constant (2.5.3).
namespace scalarinline {
inline constexpr Field bits_10_9{.name = "constant_10_9", .low = 0, .width = 2, .meaning = "bits 10-9 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr Field bit_8{.name = "constant_8", .low = 2, .meaning = "bit 8 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr Field bits_7_5{.name = "constant_7_5", .low = 3, .width = 3, .meaning = "bits 7-5 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr Field bits_4_0{.name = "constant_4_0", .low = 6, .width = 5, .meaning = "bits 4-0 of the constant", .fact = {Status::seed, "2.5.3"}};
inline constexpr std::array<const Field*, 4> fields{&bits_10_9, &bit_8, &bits_7_5, &bits_4_0};
inline constexpr Format format{.name = "alu.scalar.inline", .width = 11, .fields = fields, .meaning = "inline constant of a scalar instruction"};
static_assert(tiles(format));
}  // namespace scalarinline

// ------------------------------------------------------------------------------------------------ branches (2.8)

/// Fields every branch form shares.
namespace branch {
inline constexpr Field op{.name = "op", .low = 0, .width = 3, .meaning = "branch operation", .fact = {Status::driver, "2.8.4"}, .values = value::branch_op};
inline constexpr Field dest_tag{.name = "dest_tag", .low = 3, .width = 4, .meaning = "tag of the target bundle", .fact = {Status::driver, "2.8"}, .values = value::tag};
}  // namespace branch

/// Compact form, ops other than 1, 16 bits (2.8.1).
namespace brcond {
inline constexpr Field offset{.name = "offset", .low = 7, .width = 7, .meaning = "quadwords from the next bundle", .fact = {Status::seed, "2.8.1"}, .is_signed = true};
inline constexpr Field condition{.name = "condition", .low = 14, .width = 2, .meaning = "truth table of the condition bit", .fact = {Status::driver, "2.8.5"}, .values = value::condition};
inline constexpr std::array<const Field*, 4> fields{&branch::op, &branch::dest_tag, &offset, &condition};
inline constexpr Format format{.name = "branch.compact", .width = 16, .fields = fields, .meaning = "compact conditional branch, discard, tile wait or writeout"};
static_assert(tiles(format) && values_fit(format));
}  // namespace brcond

/// Compact form of op 1, 16 bits (2.8.2).
namespace bruncond {
inline constexpr Field call_mode{.name = "call_mode", .low = 7, .width = 2, .meaning = "jump, call or return", .fact = {Status::driver, "2.8.2"}, .values = value::call_mode};
inline constexpr Field offset{.name = "offset", .low = 9, .width = 7, .meaning = "quadwords from the next bundle", .fact = {Status::seed, "2.8.2"}, .is_signed = true};
inline constexpr std::array<const Field*, 4> fields{&branch::op, &branch::dest_tag, &call_mode, &offset};
inline constexpr Format format{.name = "branch.compact.uncond", .width = 16, .fields = fields, .meaning = "compact jump"};
static_assert(tiles(format) && values_fit(format));
}  // namespace bruncond

/// Extended form, 48 bits (2.8.3).
namespace brx {
inline constexpr Field call_mode{.name = "call_mode", .low = 7, .width = 2, .meaning = "jump, call or return", .fact = {Status::driver, "2.8.3"}, .values = value::call_mode};
inline constexpr Field offset{.name = "offset", .low = 9, .width = 23, .meaning = "quadwords from the next bundle", .fact = {Status::seed, "2.8.3"}, .is_signed = true};
inline constexpr Field lut{.name = "lut", .low = 32, .width = 16, .meaning = "truth table of four condition bits", .fact = {Status::driver, "2.8.5"}, .values = value::condition_lut};
inline constexpr std::array<const Field*, 5> fields{&branch::op, &branch::dest_tag, &call_mode, &offset, &lut};
inline constexpr Format format{.name = "branch.extended", .width = 48, .fields = fields, .meaning = "extended branch"};
static_assert(tiles(format) && values_fit(format));
}  // namespace brx

// ------------------------------------------------------------------------------------------------ texture word (2.9)

namespace tex {
inline constexpr Field tag{.name = "tag", .low = 0, .width = 4, .meaning = "kind of this bundle", .fact = {Status::driver, "2.9"}, .values = value::tag};
inline constexpr Field next{.name = "next", .low = 4, .width = 4, .meaning = "tag of the next bundle in memory; 1 ends", .fact = {Status::driver, "2.1"}, .values = value::tag};
inline constexpr Field op{.name = "op", .low = 8, .width = 4, .meaning = "texture operation", .fact = {Status::driver, "3.9"}};
inline constexpr Field mode{.name = "mode", .low = 12, .width = 4, .meaning = "normal, shadow, gather, or the derivative's axis", .fact = {Status::driver, "2.9"}, .values = value::texture_mode};
inline constexpr Field exec{.name = "exec", .low = 16, .width = 2, .meaning = "what helper threads do", .fact = {Status::driver, "2.9"}, .values = value::execution};
inline constexpr Field format_{.name = "format", .low = 18, .width = 2, .meaning = "texture dimensions", .fact = {Status::driver, "2.9"}, .values = value::texture_format};
inline constexpr Field sampler_register{.name = "sampler_register", .low = 20, .meaning = "sampler number is in a register", .fact = {Status::driver, "2.9"}};
inline constexpr Field texture_register{.name = "texture_register", .low = 21, .meaning = "texture number is in a register", .fact = {Status::driver, "2.9"}};
inline constexpr Field lod_register{.name = "lod_register", .low = 22, .meaning = "LOD or bias is in a register", .fact = {Status::driver, "2.9"}};
inline constexpr Field offset_register{.name = "offset_register", .low = 23, .meaning = "offset is in a register", .fact = {Status::driver, "2.9"}};
inline constexpr Field in_full{.name = "in.full", .low = 24, .meaning = "32-bit coordinates", .fact = {Status::driver, "2.9"}};
inline constexpr Field in_select{.name = "in.select", .low = 25, .meaning = "coordinate register: r28/r29 (r26/r27 where registers alias)", .fact = {Status::driver, "2.9"}};
inline constexpr Field in_upper{.name = "in.upper", .low = 26, .meaning = "16-bit coordinates from the upper half", .fact = {Status::driver, "2.9"}};
inline constexpr Field in_swizzle{.name = "in.swizzle", .low = 27, .width = 8, .meaning = "coordinate swizzle", .fact = {Status::driver, "2.9"}};
inline constexpr Field unknown_35{.name = "unknown_35", .low = 35, .width = 2, .meaning = "always zero so far", .fact = {Status::unknown, "2.9"}, .reserved = true};
inline constexpr Field out_full{.name = "out.full", .low = 37, .meaning = "32-bit results", .fact = {Status::driver, "2.9"}};
inline constexpr Field sampler_type{.name = "sampler_type", .low = 38, .width = 2, .meaning = "type of the result", .fact = {Status::driver, "2.9"}, .values = value::sampler_type};
inline constexpr Field out_select{.name = "out.select", .low = 40, .meaning = "result register: r28/r29 (r0/r1 where registers alias)", .fact = {Status::driver, "2.9"}};
inline constexpr Field out_upper{.name = "out.upper", .low = 41, .meaning = "16-bit results into the upper half", .fact = {Status::driver, "2.9"}};
inline constexpr Field mask{.name = "mask", .low = 42, .width = 4, .meaning = "write mask", .fact = {Status::driver, "2.9"}};
inline constexpr Field outmod{.name = "outmod", .low = 46, .width = 2, .meaning = "float output modifier", .fact = {Status::driver, "2.9"}, .values = value::outmod};
inline constexpr Field swizzle{.name = "swizzle", .low = 48, .width = 8, .meaning = "result swizzle", .fact = {Status::driver, "2.9"}};
inline constexpr Field out_of_order{.name = "ooo", .low = 56, .width = 4, .meaning = "following ALU and load/store bundles that may overtake", .fact = {Status::driver, "2.9"}};
inline constexpr Field unknown_60{.name = "unknown_60", .low = 60, .width = 8, .meaning = "always zero so far", .fact = {Status::unknown, "2.9"}, .reserved = true};
inline constexpr Field offset{.name = "offset", .low = 68, .width = 12, .meaning = "three signed 4-bit offsets, or a register source", .fact = {Status::driver, "2.9"}};
inline constexpr Field lod_fraction{.name = "lod", .low = 80, .width = 8, .meaning = "LOD fraction of 256, LOD of a fetch, or register select", .fact = {Status::driver, "2.9"}};
inline constexpr Field lod_integer{.name = "lod_integer", .low = 88, .width = 8, .meaning = "integer part of LOD or bias", .fact = {Status::driver, "2.9"}, .is_signed = true};
inline constexpr Field sampler{.name = "sampler", .low = 96, .width = 16, .meaning = "sampler number, or register select in the low 8 bits", .fact = {Status::driver, "2.9"}};
inline constexpr Field texture{.name = "texture", .low = 112, .width = 16, .meaning = "texture number, or register select in the low 8 bits", .fact = {Status::driver, "2.9"}};
inline constexpr std::array<const Field*, 29> fields{
    &tag, &next, &op, &mode, &exec, &format_, &sampler_register, &texture_register, &lod_register, &offset_register,
    &in_full, &in_select, &in_upper, &in_swizzle, &unknown_35, &out_full, &sampler_type, &out_select, &out_upper, &mask,
    &outmod, &swizzle, &out_of_order, &unknown_60, &offset, &lod_fraction, &lod_integer, &sampler, &texture};
inline constexpr Format format{.name = "texture", .width = 128, .fields = fields, .meaning = "texture bundle"};
static_assert(tiles(format) && values_fit(format));
}  // namespace tex

/// Register select byte of LOD, sampler and texture numbers (2.9).
namespace texselect {
inline constexpr Field full{.name = "full", .low = 0, .meaning = "32-bit component", .fact = {Status::driver, "2.9"}};
inline constexpr Field select{.name = "select", .low = 1, .meaning = "r28/r29 (r26/r27 where registers alias)", .fact = {Status::driver, "2.9"}};
inline constexpr Field upper{.name = "upper", .low = 2, .meaning = "16-bit component of the upper half", .fact = {Status::driver, "2.9"}};
inline constexpr Field component{.name = "component", .low = 3, .width = 2, .meaning = "component", .fact = {Status::driver, "2.9"}};
inline constexpr Field unknown_5{.name = "unknown_5", .low = 5, .width = 3, .meaning = "always zero so far", .fact = {Status::unknown, "2.9"}, .reserved = true};
inline constexpr std::array<const Field*, 5> fields{&full, &select, &upper, &component, &unknown_5};
inline constexpr Format format{.name = "texture.select", .width = 8, .fields = fields, .meaning = "scalar register operand of a texture bundle"};
static_assert(tiles(format));
}  // namespace texselect

/// Immediate form of tex::offset (2.9).
namespace texoffset {
inline constexpr Field x{.name = "x", .low = 0, .width = 4, .meaning = "x offset in texels", .fact = {Status::driver, "2.9"}, .is_signed = true};
inline constexpr Field y{.name = "y", .low = 4, .width = 4, .meaning = "y offset in texels", .fact = {Status::driver, "2.9"}, .is_signed = true};
inline constexpr Field z{.name = "z", .low = 8, .width = 4, .meaning = "z offset in texels", .fact = {Status::driver, "2.9"}, .is_signed = true};
inline constexpr std::array<const Field*, 3> fields{&x, &y, &z};
inline constexpr Format format{.name = "texture.offset", .width = 12, .fields = fields, .meaning = "immediate offset of a texture bundle"};
static_assert(tiles(format));
}  // namespace texoffset

/// Register form of tex::offset (2.9).
namespace texoffsetreg {
inline constexpr Field full{.name = "full", .low = 0, .meaning = "32-bit components", .fact = {Status::driver, "2.9"}};
inline constexpr Field select{.name = "select", .low = 1, .meaning = "r28/r29 (r26/r27 where registers alias)", .fact = {Status::driver, "2.9"}};
inline constexpr Field upper{.name = "upper", .low = 2, .meaning = "16-bit components of the upper half", .fact = {Status::driver, "2.9"}};
inline constexpr Field swizzle{.name = "swizzle", .low = 3, .width = 8, .meaning = "swizzle, x y z used", .fact = {Status::driver, "2.9"}};
inline constexpr Field unknown_11{.name = "unknown_11", .low = 11, .meaning = "always zero so far", .fact = {Status::unknown, "2.9"}, .reserved = true};
inline constexpr std::array<const Field*, 5> fields{&full, &select, &upper, &swizzle, &unknown_11};
inline constexpr Format format{.name = "texture.offset.register", .width = 12, .fields = fields, .meaning = "register offset of a texture bundle"};
static_assert(tiles(format));
}  // namespace texoffsetreg

// ------------------------------------------------------------------------------------------------ load/store (2.10)

/// Load/store bundle, 128 bits: two 60-bit instructions.
namespace ldst {
inline constexpr Field tag{.name = "tag", .low = 0, .width = 4, .meaning = "kind of this bundle", .fact = {Status::driver, "2.10"}, .values = value::tag};
inline constexpr Field next{.name = "next", .low = 4, .width = 4, .meaning = "tag of the next bundle in memory; 1 ends", .fact = {Status::driver, "2.1"}, .values = value::tag};
inline constexpr Field first{.name = "first", .low = 8, .width = 60, .meaning = "instruction 1", .fact = {Status::seed, "2.10"}};
inline constexpr Field second{.name = "second", .low = 68, .width = 60, .meaning = "instruction 2", .fact = {Status::seed, "2.10"}};
inline constexpr std::array<const Field*, 4> fields{&tag, &next, &first, &second};
inline constexpr Format format{.name = "ldst", .width = 128, .fields = fields, .meaning = "load/store bundle"};
static_assert(tiles(format) && values_fit(format));
}  // namespace ldst

/// One load/store instruction, 60 bits (2.10).
namespace ls {
inline constexpr Field op{.name = "op", .low = 0, .width = 8, .meaning = "operation", .fact = {Status::seed, "2.10"}};
inline constexpr Field reg{.name = "reg", .low = 8, .width = 5, .meaning = "destination register; source selector of a store", .fact = {Status::driver, "2.10"}};
inline constexpr Field mask{.name = "mask", .low = 13, .width = 4, .meaning = "32-bit lanes written; quarters stored", .fact = {Status::driver, "2.10"}};
inline constexpr Field swizzle{.name = "swizzle", .low = 17, .width = 8, .meaning = "result or source swizzle; operand of an atomic", .fact = {Status::driver, "2.10"}};
inline constexpr Field arg_component{.name = "arg.component", .low = 25, .width = 2, .meaning = "32-bit component of the argument", .fact = {Status::driver, "2.10"}};
inline constexpr Field arg{.name = "arg", .low = 27, .width = 3, .meaning = "argument selector", .fact = {Status::driver, "2.10"}, .values = value::selector};
inline constexpr Field toggle{.name = "toggle", .low = 30, .meaning = "64-bit argument, fp32, explicit vertex or 3 coordinates, by operation", .fact = {Status::driver, "2.10"}};
inline constexpr Field index_format{.name = "index.format", .low = 31, .width = 2,
    .meaning = "how the index is extended; attribute table and auto32", .fact = {Status::driver, "2.10"}, .values = value::index_format};
inline constexpr Field index_component{.name = "index.component", .low = 33, .width = 2, .meaning = "component of the index", .fact = {Status::driver, "2.10"}};
inline constexpr Field index{.name = "index", .low = 35, .width = 3, .meaning = "index selector; comparison value of CMPXCHG", .fact = {Status::driver, "2.10"}, .values = value::selector};
inline constexpr Field shift{.name = "index.shift", .low = 38, .width = 4, .meaning = "left shift of the index", .fact = {Status::driver, "2.10"}};
inline constexpr Field offset{.name = "offset", .low = 42, .width = 18, .meaning = "displacement, divided by kind of operation", .fact = {Status::driver, "2.10"}, .is_signed = true};
inline constexpr std::array<const Field*, 12> fields{&op, &reg, &mask, &swizzle, &arg_component, &arg, &toggle, &index_format, &index_component, &index, &shift, &offset};
inline constexpr Format format{.name = "ldst.instruction", .width = 60, .fields = fields, .meaning = "one load/store instruction"};
static_assert(tiles(format) && values_fit(format));

// Views that overlay the fields above for some kinds of operation.
inline constexpr Field auto32{.name = "auto32", .low = 31, .meaning = "type inferred from the descriptor, moved as 32 bits", .fact = {Status::driver, "2.10"}};
inline constexpr Field secondary{.name = "secondary", .low = 32, .meaning = "descriptor table: primary or secondary", .fact = {Status::driver, "2.10"}};
inline constexpr Field pixel_format{.name = "format", .low = 38, .width = 22, .meaning = "pixel format, presumably as descriptors number them", .fact = {Status::inferred, "2.10"}};
inline constexpr Field ubo_immediate{.name = "ubo", .low = 25, .width = 8, .meaning = "uniform buffer number", .fact = {Status::binaries, "2.10"}};
inline constexpr Field ubo_register{.name = "ubo.register", .low = 42, .meaning = "buffer number is in the argument register", .fact = {Status::inferred, "2.10"}};
inline constexpr Field ubo_unknown{.name = "ubo.unknown_43", .low = 43, .meaning = "unknown", .fact = {Status::unknown, "2.10"}, .reserved = true};
inline constexpr Field ubo_offset{.name = "ubo.offset", .low = 44, .width = 16, .meaning = "byte displacement", .fact = {Status::driver, "2.10"}, .is_signed = true};
inline constexpr Field vertex_offset{.name = "vertex.offset", .low = 42, .width = 9, .meaning = "vertex displacement when toggle is set", .fact = {Status::driver, "2.10"}, .is_signed = true};
inline constexpr Field table_offset{.name = "table.offset", .low = 51, .width = 9,
    .meaning = "attribute, varying, image or selector number displacement", .fact = {Status::driver, "2.10"}, .is_signed = true};
inline constexpr Field atomic_component{.name = "operand.component", .low = 17, .width = 2, .meaning = "component of the operand", .fact = {Status::driver, "2.10"}};
inline constexpr Field atomic_operand{.name = "operand", .low = 19, .width = 3, .meaning = "operand selector", .fact = {Status::driver, "2.10"}, .values = value::selector};
inline constexpr Field atomic_unknown{.name = "operand.unknown_22", .low = 22, .width = 3, .meaning = "zero so far", .fact = {Status::unknown, "2.10"}, .reserved = true};
inline constexpr Field tile_sample_register{.name = "sample.register", .low = 42, .meaning = "sample number is in the argument register", .fact = {Status::driver, "2.10"}};
inline constexpr Field tile_target{.name = "target", .low = 33, .width = 5, .meaning = "render target; 0x1F depth, 0x1E stencil", .fact = {Status::driver, "2.10"}};
inline constexpr Field tile_sample{.name = "sample", .low = 25, .width = 5, .meaning = "sample number", .fact = {Status::driver, "2.10"}};
}  // namespace ls

/// Low 9 bits of ls::offset for varying loads (2.10).
namespace vary {
inline constexpr FieldValue modifier_values[] = {{0, "none", ""}, {1, "div_y", "divide by y"}, {2, "div_z", "divide by z"}, {3, "div_w", "divide by w"}, {4, "cubemap", "result is a cube descriptor"}};
inline constexpr Field modifier{.name = "vary.modifier", .low = 42, .width = 3, .meaning = "division or cube descriptor", .fact = {Status::driver, "2.10"}, .values = modifier_values};
inline constexpr Field flat{.name = "vary.flat", .low = 45, .meaning = "flat shading", .fact = {Status::driver, "2.10"}};
inline constexpr Field perspective{.name = "vary.perspective", .low = 46, .meaning = "perspective correction", .fact = {Status::driver, "2.10"}};
inline constexpr Field centroid{.name = "vary.centroid", .low = 47, .meaning = "centroid", .fact = {Status::driver, "2.10"}};
inline constexpr Field sample{.name = "vary.sample", .low = 48, .meaning = "interpolate at sample", .fact = {Status::driver, "2.10"}};
inline constexpr Field unknown_49{.name = "vary.unknown_49", .low = 49, .meaning = "zero", .fact = {Status::driver, "2.10"}, .reserved = true};
inline constexpr Field position_bit{.name = "vary.position", .low = 50, .meaning = "lowest bit of the direct sample position", .fact = {Status::driver, "2.10"}};
}  // namespace vary

// ------------------------------------------------------------------------------------------------ opcode tables (3)

/// What decides modifiers and text of an ALU operand.
enum class Kind : std::uint8_t { f, i, u };  ///< float, signed (or sign-neutral) integer, unsigned integer

/// Units where the operation may issue, by bit 1 << Unit (what compilers do; hardware limits are unpublished).
using UnitMask = std::uint8_t;
inline constexpr UnitMask on_vmul = 1, on_sadd = 2, on_vadd = 4, on_smul = 8, on_vlut = 16;
inline constexpr UnitMask on_add = on_vadd | on_sadd, on_mul = on_vmul | on_smul, on_most = on_add | on_mul, on_all = on_most | on_vlut, on_vec = on_vmul | on_vadd;

/// What an ALU operation does. Where signed and unsigned integers differ, the kinds of the row tell which are meant; how
/// it rounds and what becomes of its operands before are members of the row.
enum class AluMeaning : std::uint8_t {
  fadd = 1, fmul, ffma, fdot, fdot_reduced, freduce, fmin, fmin_nan, fmax, fmax_nan, fmov, fround, fround_away,
  iadd, isub, iadd_sat, isub_sat, imul, imul_wide, imul_wide_mixed, imin, imax, iavg, iravg, iabsdiff,
  iasr, ilsr, ishl, ishl_sat, iand, ior, inand, inor, iandnot, iornot, ixor, inxor, iclz, ipopcnt, imov, ichoose,
  feq, fne, flt, fle, ieq, ine, ilt, ile, f2i, i2f, select_by_lane, select_by_w,
  frcp, frsqrt, fsqrt, fexp2, flog2, fsinpi, fcospi, fatan2_first, fatan2_second, fpow, fpown, fpowr,
};
/// How a comparison of several lanes becomes one result.
enum class Join : std::uint8_t { none, all, any };
/// What nobody has published of an operation that is otherwise understood.
enum class Unpublished : std::uint8_t {
  nothing,
  rounding,      ///< of intermediate results
  scaling,       ///< which it does before or after
  step,          ///< of a longer computation: all of it
  counting,      ///< in lanes or in bytes
  lane_mapping,  ///< which source lanes a wide result comes from
  range,         ///< what becomes of results that do not fit
  wrapping,      ///< of large shift amounts
  condition,     ///< which part of r31 a narrow lane tests
};

struct AluOp {
  std::uint8_t opcode = 0;
  std::string_view name;      ///< unique name, lower case (3.2)
  std::string_view mnemonic;  ///< as Mesa prints it; not unique
  AluMeaning does{};
  ir::Round round = ir::Round::even;
  bool absolutes = false;     ///< takes absolute values of its sources
  bool shift1 = false;        ///< source 1 is doubled
  bool widens = false;        ///< result lanes are twice as wide as source lanes
  bool bitwise = false;       ///< sources are patterns of bits rather than numbers
  bool look_up = false;       ///< one source component, any number of equal result lanes (3.4)
  Join joins = Join::none;
  std::uint8_t reduces = 0;   ///< number of source lanes combined into one result lane
  Unpublished unpublished = Unpublished::nothing;
  std::uint8_t operands = 2;  ///< sources really used
  bool uses_source2 = false;  ///< the single operand is source 2
  UnitMask units = 0;
  Kind in = Kind::f, out = Kind::f;
  std::string_view meaning;
  Fact fact;

  /// One result from several lanes of the sources.
  [[nodiscard]] constexpr bool is_horizontal() const { return reduces != 0 || does == AluMeaning::ffma; }
  /// A mux whose condition is r31.
  [[nodiscard]] constexpr bool is_select() const { return does == AluMeaning::select_by_lane || does == AluMeaning::select_by_w; }
  /// The sources may change places.
  [[nodiscard]] constexpr bool commutes() const;
};

constexpr bool AluOp::commutes() const {
  switch (does) {
    using enum AluMeaning;
    case fadd:
    case fmul:
    case fdot:
    case fdot_reduced:
    case fmin:
    case fmin_nan:
    case fmax:
    case fmax_nan:
    case iadd:
    case iadd_sat:
    case imul:
    case imul_wide:
    case imin:
    case imax:
    case iavg:
    case iravg:
    case iabsdiff:
    case iand:
    case ior:
    case inand:
    case inor:
    case ixor:
    case inxor:
    case feq:
    case fne:
    case ieq:
    case ine:
      return !shift1;
    case ffma:
    case freduce:
    case fmov:
    case fround:
    case fround_away:
    case isub:
    case isub_sat:
    case imul_wide_mixed:
    case iasr:
    case ilsr:
    case ishl:
    case ishl_sat:
    case iandnot:
    case iornot:
    case iclz:
    case ipopcnt:
    case imov:
    case ichoose:
    case flt:
    case fle:
    case ilt:
    case ile:
    case f2i:
    case i2f:
    case select_by_lane:
    case select_by_w:
    case frcp:
    case frsqrt:
    case fsqrt:
    case fexp2:
    case flog2:
    case fsinpi:
    case fcospi:
    case fatan2_first:
    case fatan2_second:
    case fpow:
    case fpown:
    case fpowr:
      return false;
  }
  return false;
}

namespace rows {
inline constexpr Fact f_seed{Status::seed, "3.2"}, f_mesa{Status::driver, "3.2"}, f_unknown{Status::unknown, "3.2"};
}

inline constexpr auto alu_ops = std::to_array<AluOp>({
    {.opcode = 0x10, .name = "fadd", .mnemonic = "FADD", .does = AluMeaning::fadd, .operands = 2, .units = on_add, .in = Kind::f, .out = Kind::f,
        .meaning = "a + b, rounded to nearest even", .fact = rows::f_mesa},
    {.opcode = 0x11, .name = "fadd_rtz", .mnemonic = "FADD.rtz", .does = AluMeaning::fadd, .round = ir::Round::zero, .operands = 2, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a + b, rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0x12, .name = "fadd_rtn", .mnemonic = "FADD.rtn", .does = AluMeaning::fadd, .round = ir::Round::down, .operands = 2, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a + b, rounded toward -inf", .fact = rows::f_mesa},
    {.opcode = 0x13, .name = "fadd_rtp", .mnemonic = "FADD.rtp", .does = AluMeaning::fadd, .round = ir::Round::up, .operands = 2, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a + b, rounded toward +inf", .fact = rows::f_mesa},
    {.opcode = 0x14, .name = "fmul", .mnemonic = "FMUL", .does = AluMeaning::fmul, .operands = 2, .units = on_mul | on_vlut, .in = Kind::f,
        .out = Kind::f, .meaning = "a * b, rounded to nearest even", .fact = rows::f_mesa},
    {.opcode = 0x15, .name = "fmul_rtz", .mnemonic = "FMUL.rtz", .does = AluMeaning::fmul, .round = ir::Round::zero, .operands = 2,
        .units = on_mul | on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "a * b, rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0x16, .name = "fmul_rtn", .mnemonic = "FMUL.rtn", .does = AluMeaning::fmul, .round = ir::Round::down, .operands = 2,
        .units = on_mul | on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "a * b, rounded toward -inf", .fact = rows::f_mesa},
    {.opcode = 0x17, .name = "fmul_rtp", .mnemonic = "FMUL.rtp", .does = AluMeaning::fmul, .round = ir::Round::up, .operands = 2,
        .units = on_mul | on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "a * b, rounded toward +inf", .fact = rows::f_mesa},
    {.opcode = 0x28, .name = "fmin", .mnemonic = "FMIN", .does = AluMeaning::fmin, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::f,
        .meaning = "minimum; a NaN operand loses", .fact = rows::f_mesa},
    {.opcode = 0x29, .name = "fmin_nan", .mnemonic = "FMIN.nan", .does = AluMeaning::fmin_nan, .operands = 2, .units = on_most, .in = Kind::f,
        .out = Kind::f, .meaning = "minimum; NaN propagates", .fact = rows::f_mesa},
    {.opcode = 0x2A, .name = "fabsmin", .mnemonic = "FABSMIN", .does = AluMeaning::fmin, .absolutes = true, .operands = 2, .units = on_most,
        .in = Kind::f, .out = Kind::f, .meaning = "minimum of absolute values; a NaN operand loses", .fact = rows::f_mesa},
    {.opcode = 0x2B, .name = "fabsmin_nan", .mnemonic = "FABSMIN.nan", .does = AluMeaning::fmin_nan, .absolutes = true, .operands = 2,
        .units = on_most, .in = Kind::f, .out = Kind::f, .meaning = "minimum of absolute values; NaN propagates", .fact = rows::f_mesa},
    {.opcode = 0x2C, .name = "fmax", .mnemonic = "FMAX", .does = AluMeaning::fmax, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::f,
        .meaning = "maximum; a NaN operand loses", .fact = rows::f_mesa},
    {.opcode = 0x2D, .name = "fmax_nan", .mnemonic = "FMAX.nan", .does = AluMeaning::fmax_nan, .operands = 2, .units = on_most, .in = Kind::f,
        .out = Kind::f, .meaning = "maximum; NaN propagates", .fact = rows::f_mesa},
    {.opcode = 0x2E, .name = "fabsmax", .mnemonic = "FABSMAX", .does = AluMeaning::fmax, .absolutes = true, .operands = 2, .units = on_most,
        .in = Kind::f, .out = Kind::f, .meaning = "maximum of absolute values; a NaN operand loses", .fact = rows::f_mesa},
    {.opcode = 0x2F, .name = "fabsmax_nan", .mnemonic = "FABSMAX.nan", .does = AluMeaning::fmax_nan, .absolutes = true, .operands = 2,
        .units = on_most, .in = Kind::f, .out = Kind::f, .meaning = "maximum of absolute values; NaN propagates", .fact = rows::f_mesa},
    {.opcode = 0x30, .name = "fmov", .mnemonic = "FMOV", .does = AluMeaning::fmov, .operands = 1, .uses_source2 = true, .units = on_all,
        .in = Kind::f, .out = Kind::f, .meaning = "b, converted to nearest even; bit for bit when nothing changes", .fact = rows::f_mesa},
    {.opcode = 0x31, .name = "fmov_rtz", .mnemonic = "FMOV.rtz", .does = AluMeaning::fmov, .round = ir::Round::zero, .operands = 1,
        .uses_source2 = true, .units = on_all, .in = Kind::f, .out = Kind::f,
        .meaning = "b, converted toward zero; bit for bit when nothing changes", .fact = rows::f_mesa},
    {.opcode = 0x32, .name = "fmov_rtn", .mnemonic = "FMOV.rtn", .does = AluMeaning::fmov, .round = ir::Round::down, .operands = 1,
        .uses_source2 = true, .units = on_all, .in = Kind::f, .out = Kind::f,
        .meaning = "b, converted toward -inf; bit for bit when nothing changes", .fact = rows::f_mesa},
    {.opcode = 0x33, .name = "fmov_rtp", .mnemonic = "FMOV.rtp", .does = AluMeaning::fmov, .round = ir::Round::up, .operands = 1,
        .uses_source2 = true, .units = on_all, .in = Kind::f, .out = Kind::f,
        .meaning = "b, converted toward +inf; bit for bit when nothing changes", .fact = rows::f_mesa},
    {.opcode = 0x34, .name = "froundeven", .mnemonic = "FROUNDEVEN", .does = AluMeaning::fround, .operands = 1, .units = on_add, .in = Kind::f,
        .out = Kind::f, .meaning = "a rounded to integral, ties to even", .fact = rows::f_mesa},
    {.opcode = 0x35, .name = "ftrunc", .mnemonic = "FTRUNC", .does = AluMeaning::fround, .round = ir::Round::zero, .operands = 1, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0x36, .name = "ffloor", .mnemonic = "FFLOOR", .does = AluMeaning::fround, .round = ir::Round::down, .operands = 1, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a rounded down", .fact = rows::f_seed},
    {.opcode = 0x37, .name = "fceil", .mnemonic = "FCEIL", .does = AluMeaning::fround, .round = ir::Round::up, .operands = 1, .units = on_add,
        .in = Kind::f, .out = Kind::f, .meaning = "a rounded up", .fact = rows::f_seed},
    {.opcode = 0x38, .name = "ffma", .mnemonic = "FMA", .does = AluMeaning::ffma, .operands = 2, .units = on_vlut, .in = Kind::f, .out = Kind::f,
        .meaning = "a.x * a.y + b.x fused, rounded to nearest even", .fact = rows::f_mesa},
    {.opcode = 0x39, .name = "ffma_rtz", .mnemonic = "FMA.rtz", .does = AluMeaning::ffma, .round = ir::Round::zero, .operands = 2, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "a.x * a.y + b.x fused, rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0x3A, .name = "ffma_rtn", .mnemonic = "FMA.rtn", .does = AluMeaning::ffma, .round = ir::Round::down, .operands = 2, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "a.x * a.y + b.x fused, rounded toward -inf", .fact = rows::f_mesa},
    {.opcode = 0x3B, .name = "ffma_rtp", .mnemonic = "FMA.rtp", .does = AluMeaning::ffma, .round = ir::Round::up, .operands = 2, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "a.x * a.y + b.x fused, rounded toward +inf", .fact = rows::f_mesa},
    {.opcode = 0x3C, .name = "fdot3", .mnemonic = "FDOT3", .does = AluMeaning::fdot, .reduces = 3, .unpublished = Unpublished::rounding,
        .operands = 2, .units = on_vmul, .in = Kind::f, .out = Kind::f, .meaning = "three-component dot product; order of rounding unknown",
        .fact = rows::f_seed},
    {.opcode = 0x3D, .name = "fdot3r", .mnemonic = "FDOT3R", .does = AluMeaning::fdot_reduced, .reduces = 3, .unpublished = Unpublished::scaling,
        .operands = 2, .units = on_vmul, .in = Kind::f, .out = Kind::f,
        .meaning = "three-component dot product with argument reduction; scaling unknown", .fact = {Status::inferred, "3.2"}},
    {.opcode = 0x3E, .name = "fdot4", .mnemonic = "FDOT4", .does = AluMeaning::fdot, .reduces = 4, .unpublished = Unpublished::rounding,
        .operands = 2, .units = on_vmul, .in = Kind::f, .out = Kind::f, .meaning = "four-component dot product; order of rounding unknown",
        .fact = rows::f_seed},
    {.opcode = 0x3F, .name = "freduce", .mnemonic = "FREDUCE", .does = AluMeaning::freduce, .unpublished = Unpublished::scaling, .operands = 2,
        .units = on_all, .in = Kind::f, .out = Kind::f, .meaning = "vector argument reduction; details unknown", .fact = rows::f_unknown},
    {.opcode = 0x40, .name = "iadd", .mnemonic = "ADD", .does = AluMeaning::iadd, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a + b", .fact = rows::f_seed},
    {.opcode = 0x41, .name = "ishladd", .mnemonic = "ADD", .does = AluMeaning::iadd, .shift1 = true, .operands = 2, .units = on_mul, .in = Kind::i,
        .out = Kind::i, .meaning = "(a << 1) + b", .fact = rows::f_mesa},
    {.opcode = 0x46, .name = "isub", .mnemonic = "SUB", .does = AluMeaning::isub, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a - b", .fact = rows::f_seed},
    {.opcode = 0x47, .name = "ishlsub", .mnemonic = "SUB", .does = AluMeaning::isub, .shift1 = true, .operands = 2, .units = on_mul, .in = Kind::i,
        .out = Kind::i, .meaning = "(a << 1) - b", .fact = rows::f_mesa},
    {.opcode = 0x48, .name = "iaddsat", .mnemonic = "ADDSAT", .does = AluMeaning::iadd_sat, .operands = 2, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "signed saturating a + b", .fact = rows::f_mesa},
    {.opcode = 0x49, .name = "uaddsat", .mnemonic = "ADDSAT", .does = AluMeaning::iadd_sat, .operands = 2, .units = on_add, .in = Kind::u,
        .out = Kind::u, .meaning = "unsigned saturating a + b", .fact = rows::f_mesa},
    {.opcode = 0x4E, .name = "isubsat", .mnemonic = "SUBSAT", .does = AluMeaning::isub_sat, .operands = 2, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "signed saturating a - b", .fact = rows::f_mesa},
    {.opcode = 0x4F, .name = "usubsat", .mnemonic = "SUBSAT", .does = AluMeaning::isub_sat, .operands = 2, .units = on_add, .in = Kind::u,
        .out = Kind::u, .meaning = "unsigned saturating a - b", .fact = rows::f_mesa},
    {.opcode = 0x58, .name = "imul", .mnemonic = "MUL", .does = AluMeaning::imul, .operands = 2, .units = on_mul, .in = Kind::i, .out = Kind::i,
        .meaning = "product at lane width", .fact = rows::f_mesa},
    {.opcode = 0x59, .name = "iwmul", .mnemonic = "WMUL.s", .does = AluMeaning::imul_wide, .widens = true, .unpublished = Unpublished::lane_mapping,
        .operands = 2, .units = on_vmul, .in = Kind::i, .out = Kind::i, .meaning = "signed widening product; lane mapping unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x5A, .name = "uwmul", .mnemonic = "WMUL.u", .does = AluMeaning::imul_wide, .widens = true, .unpublished = Unpublished::lane_mapping,
        .operands = 2, .units = on_vmul, .in = Kind::u, .out = Kind::u, .meaning = "unsigned widening product; lane mapping unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x5B, .name = "iuwmul", .mnemonic = "WMUL.su", .does = AluMeaning::imul_wide_mixed, .widens = true,
        .unpublished = Unpublished::lane_mapping, .operands = 2, .units = on_vmul, .in = Kind::i, .out = Kind::i,
        .meaning = "signed by unsigned widening product; lane mapping unknown", .fact = rows::f_mesa},
    {.opcode = 0x60, .name = "imin", .mnemonic = "MIN", .does = AluMeaning::imin, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "signed minimum", .fact = rows::f_mesa},
    {.opcode = 0x61, .name = "umin", .mnemonic = "MIN", .does = AluMeaning::imin, .operands = 2, .units = on_most, .in = Kind::u, .out = Kind::u, .meaning = "unsigned minimum", .fact = rows::f_mesa},
    {.opcode = 0x62, .name = "imax", .mnemonic = "MAX", .does = AluMeaning::imax, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "signed maximum", .fact = rows::f_mesa},
    {.opcode = 0x63, .name = "umax", .mnemonic = "MAX", .does = AluMeaning::imax, .operands = 2, .units = on_most, .in = Kind::u, .out = Kind::u, .meaning = "unsigned maximum", .fact = rows::f_mesa},
    {.opcode = 0x64, .name = "iavg", .mnemonic = "AVG.rtz", .does = AluMeaning::iavg, .operands = 2, .units = on_add, .in = Kind::i, .out = Kind::i,
        .meaning = "(a + b) >> 1 without overflow", .fact = rows::f_mesa},
    {.opcode = 0x65, .name = "uavg", .mnemonic = "AVG.rtz", .does = AluMeaning::iavg, .operands = 2, .units = on_add, .in = Kind::u, .out = Kind::u,
        .meaning = "(a + b) >> 1 without overflow", .fact = rows::f_mesa},
    {.opcode = 0x66, .name = "iravg", .mnemonic = "AVG.round", .does = AluMeaning::iravg, .operands = 2, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "(a + b + 1) >> 1 without overflow", .fact = rows::f_mesa},
    {.opcode = 0x67, .name = "uravg", .mnemonic = "AVG.round", .does = AluMeaning::iravg, .operands = 2, .units = on_add, .in = Kind::u,
        .out = Kind::u, .meaning = "(a + b + 1) >> 1 without overflow", .fact = rows::f_mesa},
    {.opcode = 0x68, .name = "iasr", .mnemonic = "ASR", .does = AluMeaning::iasr, .unpublished = Unpublished::wrapping, .operands = 2,
        .units = on_add, .in = Kind::i, .out = Kind::i, .meaning = "arithmetic shift right", .fact = rows::f_mesa},
    {.opcode = 0x69, .name = "ilsr", .mnemonic = "LSR", .does = AluMeaning::ilsr, .unpublished = Unpublished::wrapping, .operands = 2,
        .units = on_add, .in = Kind::i, .out = Kind::i, .meaning = "logical shift right", .fact = rows::f_mesa},
    {.opcode = 0x6C, .name = "ishlsat", .mnemonic = "SHL.sat", .does = AluMeaning::ishl_sat, .unpublished = Unpublished::wrapping, .operands = 2,
        .units = on_add, .in = Kind::i, .out = Kind::i, .meaning = "left shift, signed saturation", .fact = rows::f_mesa},
    {.opcode = 0x6D, .name = "ushlsat", .mnemonic = "SHL.sat", .does = AluMeaning::ishl_sat, .unpublished = Unpublished::wrapping, .operands = 2,
        .units = on_add, .in = Kind::u, .out = Kind::u, .meaning = "left shift, unsigned saturation", .fact = rows::f_mesa},
    {.opcode = 0x6E, .name = "ishl", .mnemonic = "SHL", .does = AluMeaning::ishl, .unpublished = Unpublished::wrapping, .operands = 2,
        .units = on_add, .in = Kind::i, .out = Kind::i, .meaning = "left shift", .fact = rows::f_mesa},
    {.opcode = 0x70, .name = "iand", .mnemonic = "AND", .does = AluMeaning::iand, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "a & b", .fact = rows::f_mesa},
    {.opcode = 0x71, .name = "ior", .mnemonic = "OR", .does = AluMeaning::ior, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "a | b", .fact = rows::f_mesa},
    {.opcode = 0x72, .name = "inand", .mnemonic = "NAND", .does = AluMeaning::inand, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "~(a & b)", .fact = rows::f_mesa},
    {.opcode = 0x73, .name = "inor", .mnemonic = "NOR", .does = AluMeaning::inor, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "~(a | b)", .fact = rows::f_mesa},
    {.opcode = 0x74, .name = "iandnot", .mnemonic = "ANDNOT", .does = AluMeaning::iandnot, .bitwise = true, .operands = 2, .units = on_most,
        .in = Kind::i, .out = Kind::i, .meaning = "a & ~b", .fact = rows::f_mesa},
    {.opcode = 0x75, .name = "iornot", .mnemonic = "ORNOT", .does = AluMeaning::iornot, .bitwise = true, .operands = 2, .units = on_most,
        .in = Kind::i, .out = Kind::i, .meaning = "a | ~b", .fact = rows::f_mesa},
    {.opcode = 0x76, .name = "ixor", .mnemonic = "XOR", .does = AluMeaning::ixor, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "a ^ b", .fact = rows::f_mesa},
    {.opcode = 0x77, .name = "inxor", .mnemonic = "NXOR", .does = AluMeaning::inxor, .bitwise = true, .operands = 2, .units = on_most, .in = Kind::i,
        .out = Kind::i, .meaning = "~(a ^ b)", .fact = rows::f_mesa},
    {.opcode = 0x78, .name = "iclz", .mnemonic = "CLZ", .does = AluMeaning::iclz, .bitwise = true, .operands = 1, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "leading zeros; lane width for 0", .fact = rows::f_mesa},
    {.opcode = 0x7A, .name = "ipopcnt", .mnemonic = "POPCNT", .does = AluMeaning::ipopcnt, .bitwise = true, .unpublished = Unpublished::counting,
        .operands = 1, .units = on_vadd, .in = Kind::i, .out = Kind::i, .meaning = "one bits; whether per 8-bit group is unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x7B, .name = "imov", .mnemonic = "MOV", .does = AluMeaning::imov, .operands = 1, .uses_source2 = true, .units = on_all,
        .in = Kind::i, .out = Kind::i, .meaning = "b, bit for bit", .fact = rows::f_mesa},
    {.opcode = 0x7C, .name = "iabsdiff", .mnemonic = "ABSDIFF", .does = AluMeaning::iabsdiff, .operands = 2, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "|a - b|, signed", .fact = rows::f_mesa},
    {.opcode = 0x7D, .name = "uabsdiff", .mnemonic = "ABSDIFF", .does = AluMeaning::iabsdiff, .operands = 2, .units = on_add, .in = Kind::u,
        .out = Kind::u, .meaning = "|a - b|, unsigned", .fact = rows::f_mesa},
    {.opcode = 0x7E, .name = "ichoose", .mnemonic = "CHOOSE", .does = AluMeaning::ichoose, .operands = 2, .units = on_add, .in = Kind::i,
        .out = Kind::i, .meaning = "lane i = a[b[i]]", .fact = rows::f_mesa},
    {.opcode = 0x80, .name = "feq", .mnemonic = "FCMP.eq", .does = AluMeaning::feq, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::i, .meaning = "a == b, ordered", .fact = rows::f_mesa},
    {.opcode = 0x81, .name = "fne", .mnemonic = "FCMP.ne", .does = AluMeaning::fne, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::i,
        .meaning = "a != b or unordered", .fact = rows::f_mesa},
    {.opcode = 0x82, .name = "flt", .mnemonic = "FCMP.lt", .does = AluMeaning::flt, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::i, .meaning = "a < b, ordered", .fact = rows::f_mesa},
    {.opcode = 0x83, .name = "fle", .mnemonic = "FCMP.le", .does = AluMeaning::fle, .operands = 2, .units = on_most, .in = Kind::f, .out = Kind::i, .meaning = "a <= b, ordered", .fact = rows::f_mesa},
    {.opcode = 0x88, .name = "fball_eq", .mnemonic = "FCMP.all.eq", .does = AluMeaning::feq, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "all four lanes satisfy eq", .fact = rows::f_mesa},
    {.opcode = 0x89, .name = "fball_neq", .mnemonic = "FCMP.all.ne", .does = AluMeaning::fne, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "all four lanes satisfy ne", .fact = rows::f_mesa},
    {.opcode = 0x8A, .name = "fball_lt", .mnemonic = "FCMP.all.lt", .does = AluMeaning::flt, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "all four lanes satisfy lt", .fact = rows::f_mesa},
    {.opcode = 0x8B, .name = "fball_lte", .mnemonic = "FCMP.all.le", .does = AluMeaning::fle, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "all four lanes satisfy le", .fact = rows::f_mesa},
    {.opcode = 0x90, .name = "fbany_eq", .mnemonic = "FCMP.any.eq", .does = AluMeaning::feq, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "any of four lanes satisfies eq", .fact = rows::f_mesa},
    {.opcode = 0x91, .name = "fbany_neq", .mnemonic = "FCMP.any.ne", .does = AluMeaning::fne, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "any of four lanes satisfies ne", .fact = rows::f_mesa},
    {.opcode = 0x92, .name = "fbany_lt", .mnemonic = "FCMP.any.lt", .does = AluMeaning::flt, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "any of four lanes satisfies lt", .fact = rows::f_mesa},
    {.opcode = 0x93, .name = "fbany_lte", .mnemonic = "FCMP.any.le", .does = AluMeaning::fle, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::f, .out = Kind::i, .meaning = "any of four lanes satisfies le", .fact = rows::f_mesa},
    {.opcode = 0x98, .name = "f2i_rte", .mnemonic = "F2I", .does = AluMeaning::f2i, .unpublished = Unpublished::range, .operands = 1,
        .units = on_add, .in = Kind::f, .out = Kind::i, .meaning = "to signed integer, rounded to nearest even; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x99, .name = "f2i_rtz", .mnemonic = "F2I.rtz", .does = AluMeaning::f2i, .round = ir::Round::zero, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::i, .meaning = "to signed integer, rounded toward zero; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9A, .name = "f2i_rtn", .mnemonic = "F2I.rtn", .does = AluMeaning::f2i, .round = ir::Round::down, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::i, .meaning = "to signed integer, rounded toward -inf; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9B, .name = "f2i_rtp", .mnemonic = "F2I.rtp", .does = AluMeaning::f2i, .round = ir::Round::up, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::i, .meaning = "to signed integer, rounded toward +inf; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9C, .name = "f2u_rte", .mnemonic = "F2U", .does = AluMeaning::f2i, .unpublished = Unpublished::range, .operands = 1,
        .units = on_add, .in = Kind::f, .out = Kind::u, .meaning = "to unsigned integer, rounded to nearest even; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9D, .name = "f2u_rtz", .mnemonic = "F2U.rtz", .does = AluMeaning::f2i, .round = ir::Round::zero, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::u, .meaning = "to unsigned integer, rounded toward zero; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9E, .name = "f2u_rtn", .mnemonic = "F2U.rtn", .does = AluMeaning::f2i, .round = ir::Round::down, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::u, .meaning = "to unsigned integer, rounded toward -inf; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0x9F, .name = "f2u_rtp", .mnemonic = "F2U.rtp", .does = AluMeaning::f2i, .round = ir::Round::up, .unpublished = Unpublished::range,
        .operands = 1, .units = on_add, .in = Kind::f, .out = Kind::u, .meaning = "to unsigned integer, rounded toward +inf; out of range unknown",
        .fact = rows::f_mesa},
    {.opcode = 0xA0, .name = "ieq", .mnemonic = "CMP.eq", .does = AluMeaning::ieq, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a == b", .fact = rows::f_seed},
    {.opcode = 0xA1, .name = "ine", .mnemonic = "CMP.ne", .does = AluMeaning::ine, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a != b", .fact = rows::f_seed},
    {.opcode = 0xA2, .name = "ult", .mnemonic = "CMP.lt", .does = AluMeaning::ilt, .operands = 2, .units = on_most, .in = Kind::u, .out = Kind::u, .meaning = "a < b, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xA3, .name = "ule", .mnemonic = "CMP.le", .does = AluMeaning::ile, .operands = 2, .units = on_most, .in = Kind::u, .out = Kind::u, .meaning = "a <= b, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xA4, .name = "ilt", .mnemonic = "CMP.lt", .does = AluMeaning::ilt, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a < b, signed", .fact = rows::f_mesa},
    {.opcode = 0xA5, .name = "ile", .mnemonic = "CMP.le", .does = AluMeaning::ile, .operands = 2, .units = on_most, .in = Kind::i, .out = Kind::i, .meaning = "a <= b, signed", .fact = rows::f_mesa},
    {.opcode = 0xA8, .name = "iball_eq", .mnemonic = "CMP.all.eq", .does = AluMeaning::ieq, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "all four lanes satisfy eq", .fact = rows::f_mesa},
    {.opcode = 0xA9, .name = "iball_neq", .mnemonic = "CMP.all.ne", .does = AluMeaning::ine, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "all four lanes satisfy ne", .fact = rows::f_mesa},
    {.opcode = 0xAA, .name = "uball_lt", .mnemonic = "CMP.all.lt", .does = AluMeaning::ilt, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::u, .out = Kind::u, .meaning = "all four lanes satisfy lt, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xAB, .name = "uball_lte", .mnemonic = "CMP.all.le", .does = AluMeaning::ile, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::u, .out = Kind::u, .meaning = "all four lanes satisfy le, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xAC, .name = "iball_lt", .mnemonic = "CMP.all.lt", .does = AluMeaning::ilt, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "all four lanes satisfy lt, signed", .fact = rows::f_mesa},
    {.opcode = 0xAD, .name = "iball_lte", .mnemonic = "CMP.all.le", .does = AluMeaning::ile, .joins = Join::all, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "all four lanes satisfy le, signed", .fact = rows::f_mesa},
    {.opcode = 0xB0, .name = "ibany_eq", .mnemonic = "CMP.any.eq", .does = AluMeaning::ieq, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "any of four lanes satisfies eq", .fact = rows::f_mesa},
    {.opcode = 0xB1, .name = "ibany_neq", .mnemonic = "CMP.any.ne", .does = AluMeaning::ine, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "any of four lanes satisfies ne", .fact = rows::f_mesa},
    {.opcode = 0xB2, .name = "ubany_lt", .mnemonic = "CMP.any.lt", .does = AluMeaning::ilt, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::u, .out = Kind::u, .meaning = "any of four lanes satisfies lt, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xB3, .name = "ubany_lte", .mnemonic = "CMP.any.le", .does = AluMeaning::ile, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::u, .out = Kind::u, .meaning = "any of four lanes satisfies le, unsigned", .fact = rows::f_mesa},
    {.opcode = 0xB4, .name = "ibany_lt", .mnemonic = "CMP.any.lt", .does = AluMeaning::ilt, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "any of four lanes satisfies lt, signed", .fact = rows::f_mesa},
    {.opcode = 0xB5, .name = "ibany_lte", .mnemonic = "CMP.any.le", .does = AluMeaning::ile, .joins = Join::any, .reduces = 4, .operands = 2,
        .units = on_vec, .in = Kind::i, .out = Kind::i, .meaning = "any of four lanes satisfies le, signed", .fact = rows::f_mesa},
    {.opcode = 0xB8, .name = "i2f_rte", .mnemonic = "I2F", .does = AluMeaning::i2f, .operands = 1, .units = on_add, .in = Kind::i, .out = Kind::f,
        .meaning = "signed integer to float, rounded to nearest even", .fact = rows::f_mesa},
    {.opcode = 0xB9, .name = "i2f_rtz", .mnemonic = "I2F.rtz", .does = AluMeaning::i2f, .round = ir::Round::zero, .operands = 1, .units = on_add,
        .in = Kind::i, .out = Kind::f, .meaning = "signed integer to float, rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0xBA, .name = "i2f_rtn", .mnemonic = "I2F.rtn", .does = AluMeaning::i2f, .round = ir::Round::down, .operands = 1, .units = on_add,
        .in = Kind::i, .out = Kind::f, .meaning = "signed integer to float, rounded toward -inf", .fact = rows::f_mesa},
    {.opcode = 0xBB, .name = "i2f_rtp", .mnemonic = "I2F.rtp", .does = AluMeaning::i2f, .round = ir::Round::up, .operands = 1, .units = on_add,
        .in = Kind::i, .out = Kind::f, .meaning = "signed integer to float, rounded toward +inf", .fact = rows::f_mesa},
    {.opcode = 0xBC, .name = "u2f_rte", .mnemonic = "U2F", .does = AluMeaning::i2f, .operands = 1, .units = on_add, .in = Kind::u, .out = Kind::f,
        .meaning = "unsigned integer to float, rounded to nearest even", .fact = rows::f_mesa},
    {.opcode = 0xBD, .name = "u2f_rtz", .mnemonic = "U2F.rtz", .does = AluMeaning::i2f, .round = ir::Round::zero, .operands = 1, .units = on_add,
        .in = Kind::u, .out = Kind::f, .meaning = "unsigned integer to float, rounded toward zero", .fact = rows::f_mesa},
    {.opcode = 0xBE, .name = "u2f_rtn", .mnemonic = "U2F.rtn", .does = AluMeaning::i2f, .round = ir::Round::down, .operands = 1, .units = on_add,
        .in = Kind::u, .out = Kind::f, .meaning = "unsigned integer to float, rounded toward -inf", .fact = rows::f_mesa},
    {.opcode = 0xBF, .name = "u2f_rtp", .mnemonic = "U2F.rtp", .does = AluMeaning::i2f, .round = ir::Round::up, .operands = 1, .units = on_add,
        .in = Kind::u, .out = Kind::f, .meaning = "unsigned integer to float, rounded toward +inf", .fact = rows::f_mesa},
    {.opcode = 0xC0, .name = "icsel_v", .mnemonic = "CSEL.vector", .does = AluMeaning::select_by_lane, .unpublished = Unpublished::condition,
        .operands = 2, .units = on_vadd | on_smul, .in = Kind::i, .out = Kind::i, .meaning = "bitwise mux by r31, lane by lane",
        .fact = rows::f_mesa},
    {.opcode = 0xC1, .name = "icsel", .mnemonic = "CSEL.scalar", .does = AluMeaning::select_by_w, .unpublished = Unpublished::condition,
        .operands = 2, .units = on_vadd | on_smul, .in = Kind::i, .out = Kind::i, .meaning = "bitwise mux by r31.w", .fact = rows::f_mesa},
    {.opcode = 0xC4, .name = "fcsel_v", .mnemonic = "FCSEL.vector", .does = AluMeaning::select_by_lane, .unpublished = Unpublished::condition,
        .operands = 2, .units = on_vadd | on_smul, .in = Kind::f, .out = Kind::f, .meaning = "bitwise mux by r31, lane by lane",
        .fact = rows::f_mesa},
    {.opcode = 0xC5, .name = "fcsel", .mnemonic = "FCSEL.scalar", .does = AluMeaning::select_by_w, .unpublished = Unpublished::condition,
        .operands = 2, .units = on_vadd | on_smul, .in = Kind::f, .out = Kind::f, .meaning = "bitwise mux by r31.w", .fact = rows::f_mesa},
    {.opcode = 0xC6, .name = "froundaway", .mnemonic = "FROUNDAWAY", .does = AluMeaning::fround_away, .operands = 1, .units = on_add, .in = Kind::f,
        .out = Kind::f, .meaning = "a rounded to integral, ties away from zero", .fact = rows::f_mesa},
    {.opcode = 0xE8, .name = "fatan2_pt2", .mnemonic = "FATAN2_PT2", .does = AluMeaning::fatan2_second, .look_up = true, .operands = 2,
        .units = on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "second step of the arc tangent", .fact = rows::f_seed},
    {.opcode = 0xEC, .name = "fpow_pt1", .mnemonic = "FPOW_PT1", .does = AluMeaning::fpow, .look_up = true, .unpublished = Unpublished::step,
        .operands = 2, .units = on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "first step of pow; unknown", .fact = rows::f_unknown},
    {.opcode = 0xED, .name = "fpown_pt1", .mnemonic = "FPOWN_PT1", .does = AluMeaning::fpown, .look_up = true, .unpublished = Unpublished::step,
        .operands = 2, .units = on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "first step of pown; unknown", .fact = rows::f_unknown},
    {.opcode = 0xEE, .name = "fpowr_pt1", .mnemonic = "FPOWR_PT1", .does = AluMeaning::fpowr, .look_up = true, .unpublished = Unpublished::step,
        .operands = 2, .units = on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "first step of powr; unknown", .fact = rows::f_unknown},
    {.opcode = 0xF0, .name = "frcp", .mnemonic = "FRCP", .does = AluMeaning::frcp, .look_up = true, .operands = 1, .units = on_vlut, .in = Kind::f,
        .out = Kind::f, .meaning = "1 / a; table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF2, .name = "frsqrt", .mnemonic = "FRSQRT", .does = AluMeaning::frsqrt, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "1 / sqrt(a); table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF3, .name = "fsqrt", .mnemonic = "FSQRT", .does = AluMeaning::fsqrt, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "sqrt(a); table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF4, .name = "fexp2", .mnemonic = "FEXP2", .does = AluMeaning::fexp2, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "2^a; table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF5, .name = "flog2", .mnemonic = "FLOG2", .does = AluMeaning::flog2, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "log2(a); table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF6, .name = "fsinpi", .mnemonic = "FSINPI", .does = AluMeaning::fsinpi, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "sin(pi a); table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF7, .name = "fcospi", .mnemonic = "FCOSPI", .does = AluMeaning::fcospi, .look_up = true, .operands = 1, .units = on_vlut,
        .in = Kind::f, .out = Kind::f, .meaning = "cos(pi a); table accuracy unknown", .fact = rows::f_seed},
    {.opcode = 0xF9, .name = "fatan2_pt1", .mnemonic = "FATAN2_PT1", .does = AluMeaning::fatan2_first, .look_up = true, .operands = 2,
        .units = on_vlut, .in = Kind::f, .out = Kind::f, .meaning = "first step of the arc tangent; intermediate components unknown",
        .fact = rows::f_seed},
});

/// True if every row says what it does.
template <class Rows>
constexpr bool all_mean_something(const Rows& all) {
  for (const auto& row : all)
    if (row.does == decltype(row.does){}) return false;
  return true;
}
static_assert(all_mean_something(alu_ops));

/// Row number plus one by opcode, 0 for unassigned ones.
template <class Rows>
constexpr std::array<std::uint8_t, 256> index_by_opcode(const Rows& all) {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < all.size(); ++i) table[all[i].opcode] = static_cast<std::uint8_t>(i + 1);
  return table;
}
inline constexpr auto alu_op_index = index_by_opcode(alu_ops);

/// Row of an opcode; nullptr when unassigned.
constexpr const AluOp* find_alu_op(unsigned opcode) {
  const std::uint8_t row = alu_op_index[opcode & 0xFF];
  return row == 0 ? nullptr : &alu_ops[row - 1];
}

/// Opcodes in a row that do similar things: what text and rules take an opcode without a row of its own for.
struct AluRange {
  std::uint8_t first = 0, last = 0;
  Kind kind = Kind::f;  ///< of operands and result
  bool bitwise = false, look_up = false;
};
inline constexpr auto alu_ranges = std::to_array<AluRange>({
    {.first = 0x00, .last = 0x3F},
    {.first = 0x40, .last = 0x6F, .kind = Kind::i},
    {.first = 0x70, .last = 0x7A, .kind = Kind::i, .bitwise = true},
    {.first = 0x7B, .last = 0x7E, .kind = Kind::i},
    {.first = 0x7F, .last = 0x9F},
    {.first = 0xA0, .last = 0xC1, .kind = Kind::i},
    {.first = 0xC2, .last = 0xE7},
    {.first = 0xE8, .last = 0xFF, .look_up = true},
});
static_assert([] {
  unsigned next = 0;
  for (const AluRange& range : alu_ranges) {
    if (range.first != next || range.last < range.first) return false;
    next = range.last + 1u;
  }
  return next == 0x100;
}());
constexpr const AluRange& range_of(unsigned opcode) {
  const AluRange* range = alu_ranges.data();
  while (range->last < (opcode & 0xFF)) ++range;
  return *range;
}

constexpr Kind input_kind(unsigned opcode) {
  const AluOp* row = find_alu_op(opcode);
  return row != nullptr ? row->in : range_of(opcode).kind;
}
constexpr Kind output_kind(unsigned opcode) {
  const AluOp* row = find_alu_op(opcode);
  return row != nullptr ? row->out : range_of(opcode).kind;
}
constexpr bool is_bitwise(unsigned opcode) {
  const AluOp* row = find_alu_op(opcode);
  return row != nullptr ? row->bitwise : range_of(opcode).bitwise;
}
constexpr bool is_look_up(unsigned opcode) {
  const AluOp* row = find_alu_op(opcode);
  return row != nullptr ? row->look_up : range_of(opcode).look_up;
}

/// What a load/store operation does; the row tells with data of which type and size.
enum class LsMeaning : std::uint8_t {
  nop = 1, pack, unpack, lea, lea_image, cubemap, move, perspective, atomic, load, store, attribute, varying, load_special,
  ubo, load_image, load_tile, store_varying, store_image, store_special, store_tile, trap,
};
/// Type of the data a load/store operation moves.
enum class LsType : std::uint8_t { bits, f32, f16, u32, s32, u8, s8, u16, s16 };

struct LsOp {
  std::uint8_t opcode = 0;
  std::string_view name;      ///< unique name, lower case (3.8)
  std::string_view mnemonic;  ///< as Mesa prints it (put right where its table is wrong)
  LsMeaning does{};
  ir::AtomicOp atomic{};     ///< of an atomic
  std::uint8_t divisor = 0;  ///< of a perspective division: component of the argument
  LsType type = LsType::bits;
  std::uint8_t bytes = 0;  ///< bytes moved by a memory access; 0 where it does not apply
  std::uint8_t swap = 0;   ///< bytes are swapped within groups of this size; 0 = not
  std::string_view meaning;
  Fact fact;

  /// Compare-and-exchange, whose index field holds the value compared.
  [[nodiscard]] constexpr bool is_exchange() const { return does == LsMeaning::atomic && atomic == ir::AtomicOp::compare_exchange; }
};

inline constexpr auto ls_ops = std::to_array<LsOp>({
    {.opcode = 0x03, .name = "ld_st_noop", .mnemonic = "NOP", .does = LsMeaning::nop, .type = LsType::bits, .meaning = "no operation", .fact = {Status::seed, "3.8"}},
    {.opcode = 0x04, .name = "unpack_colour_f32", .mnemonic = "UNPACK.f32", .does = LsMeaning::unpack, .type = LsType::f32, .meaning = "native pixel format to f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x05, .name = "unpack_colour_f16", .mnemonic = "UNPACK.f16", .does = LsMeaning::unpack, .type = LsType::f16, .meaning = "native pixel format to f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x06, .name = "unpack_colour_u32", .mnemonic = "UNPACK.u32", .does = LsMeaning::unpack, .type = LsType::u32, .meaning = "native pixel format to u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x07, .name = "unpack_colour_s32", .mnemonic = "UNPACK.s32", .does = LsMeaning::unpack, .type = LsType::s32, .meaning = "native pixel format to s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x08, .name = "pack_colour_f32", .mnemonic = "PACK.f32", .does = LsMeaning::pack, .type = LsType::f32, .meaning = "f32 to native pixel format", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x09, .name = "pack_colour_f16", .mnemonic = "PACK.f16", .does = LsMeaning::pack, .type = LsType::f16, .meaning = "f16 to native pixel format", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x0A, .name = "pack_colour_u32", .mnemonic = "PACK.u32", .does = LsMeaning::pack, .type = LsType::u32, .meaning = "u32 to native pixel format", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x0B, .name = "pack_colour_s32", .mnemonic = "PACK.s32", .does = LsMeaning::pack, .type = LsType::s32, .meaning = "s32 to native pixel format", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x0C, .name = "lea", .mnemonic = "LEA", .does = LsMeaning::lea, .type = LsType::bits, .meaning = "effective address, 64 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x0D, .name = "lea_image", .mnemonic = "LEA_IMAGE", .does = LsMeaning::lea_image, .type = LsType::bits,
        .meaning = "address of an image texel, 64 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x0E, .name = "ld_cubemap_coords", .mnemonic = "CUBEMAP", .does = LsMeaning::cubemap, .type = LsType::bits,
        .meaning = "direction to cube descriptor; its layout is unknown", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x10, .name = "ldst_mov", .mnemonic = "LDST_MOV", .does = LsMeaning::move, .type = LsType::bits, .meaning = "copy of the argument register", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x11, .name = "ldst_perspective_div_y", .mnemonic = "LDST_PERSPECTIVE_DIV_Y", .does = LsMeaning::perspective, .divisor = 1,
        .type = LsType::bits, .meaning = "(x, y, z, w) / y with 1 in place of the divisor", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x12, .name = "ldst_perspective_div_z", .mnemonic = "LDST_PERSPECTIVE_DIV_Z", .does = LsMeaning::perspective, .divisor = 2,
        .type = LsType::bits, .meaning = "(x, y, z, w) / z with 1 in place of the divisor", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x13, .name = "ldst_perspective_div_w", .mnemonic = "LDST_PERSPECTIVE_DIV_W", .does = LsMeaning::perspective, .divisor = 3,
        .type = LsType::bits, .meaning = "(x, y, z, w) / w with 1 in place of the divisor", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x40, .name = "atomic_add_32", .mnemonic = "AADD.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::add, .type = LsType::bits,
        .bytes = 4, .meaning = "atomic add, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x41, .name = "atomic_add_64", .mnemonic = "AADD.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::add, .type = LsType::bits,
        .bytes = 8, .meaning = "atomic add, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x42, .name = "atomic_add_32_be", .mnemonic = "AADD.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::add,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic add, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x43, .name = "atomic_add_64_be", .mnemonic = "AADD.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::add,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic add, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x44, .name = "atomic_and_32", .mnemonic = "AAND.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::and_, .type = LsType::bits,
        .bytes = 4, .meaning = "atomic and, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x45, .name = "atomic_and_64", .mnemonic = "AAND.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::and_, .type = LsType::bits,
        .bytes = 8, .meaning = "atomic and, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x46, .name = "atomic_and_32_be", .mnemonic = "AAND.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::and_,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic and, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x47, .name = "atomic_and_64_be", .mnemonic = "AAND.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::and_,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic and, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x48, .name = "atomic_or_32", .mnemonic = "AOR.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::or_, .type = LsType::bits,
        .bytes = 4, .meaning = "atomic or, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x49, .name = "atomic_or_64", .mnemonic = "AOR.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::or_, .type = LsType::bits,
        .bytes = 8, .meaning = "atomic or, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4A, .name = "atomic_or_32_be", .mnemonic = "AOR.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::or_,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic or, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4B, .name = "atomic_or_64_be", .mnemonic = "AOR.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::or_,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic or, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4C, .name = "atomic_xor_32", .mnemonic = "AXOR.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::xor_, .type = LsType::bits,
        .bytes = 4, .meaning = "atomic exclusive or, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4D, .name = "atomic_xor_64", .mnemonic = "AXOR.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::xor_, .type = LsType::bits,
        .bytes = 8, .meaning = "atomic exclusive or, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4E, .name = "atomic_xor_32_be", .mnemonic = "AXOR.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::xor_,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic exclusive or, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x4F, .name = "atomic_xor_64_be", .mnemonic = "AXOR.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::xor_,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic exclusive or, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x50, .name = "atomic_imin_32", .mnemonic = "AMIN.s.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_s,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic signed minimum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x51, .name = "atomic_imin_64", .mnemonic = "AMIN.s.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_s,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic signed minimum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x52, .name = "atomic_imin_32_be", .mnemonic = "AMIN.s.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_s,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic signed minimum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x53, .name = "atomic_imin_64_be", .mnemonic = "AMIN.s.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_s,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic signed minimum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x54, .name = "atomic_umin_32", .mnemonic = "AMIN.u.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_u,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic unsigned minimum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x55, .name = "atomic_umin_64", .mnemonic = "AMIN.u.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_u,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic unsigned minimum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x56, .name = "atomic_umin_32_be", .mnemonic = "AMIN.u.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_u,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic unsigned minimum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x57, .name = "atomic_umin_64_be", .mnemonic = "AMIN.u.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::min_u,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic unsigned minimum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x58, .name = "atomic_imax_32", .mnemonic = "AMAX.s.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_s,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic signed maximum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x59, .name = "atomic_imax_64", .mnemonic = "AMAX.s.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_s,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic signed maximum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5A, .name = "atomic_imax_32_be", .mnemonic = "AMAX.s.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_s,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic signed maximum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5B, .name = "atomic_imax_64_be", .mnemonic = "AMAX.s.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_s,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic signed maximum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5C, .name = "atomic_umax_32", .mnemonic = "AMAX.u.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_u,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic unsigned maximum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5D, .name = "atomic_umax_64", .mnemonic = "AMAX.u.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_u,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic unsigned maximum, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5E, .name = "atomic_umax_32_be", .mnemonic = "AMAX.u.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_u,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic unsigned maximum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x5F, .name = "atomic_umax_64_be", .mnemonic = "AMAX.u.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::max_u,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic unsigned maximum, old value returned, big endian",
        .fact = {Status::driver, "3.8"}},
    {.opcode = 0x60, .name = "atomic_xchg_32", .mnemonic = "XCHG.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::exchange,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic exchange, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x61, .name = "atomic_xchg_64", .mnemonic = "XCHG.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::exchange,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic exchange, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x62, .name = "atomic_xchg_32_be", .mnemonic = "XCHG.32.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::exchange,
        .type = LsType::bits, .bytes = 4, .swap = 4, .meaning = "atomic exchange, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x63, .name = "atomic_xchg_64_be", .mnemonic = "XCHG.64.be", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::exchange,
        .type = LsType::bits, .bytes = 8, .swap = 8, .meaning = "atomic exchange, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x64, .name = "atomic_cmpxchg_32", .mnemonic = "CMPXCHG.32", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::compare_exchange,
        .type = LsType::bits, .bytes = 4, .meaning = "atomic compare and exchange, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x65, .name = "atomic_cmpxchg_64", .mnemonic = "CMPXCHG.64", .does = LsMeaning::atomic, .atomic = ir::AtomicOp::compare_exchange,
        .type = LsType::bits, .bytes = 8, .meaning = "atomic compare and exchange, old value returned", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x66, .name = "atomic_cmpxchg_32_be", .mnemonic = "CMPXCHG.32.be", .does = LsMeaning::atomic,
        .atomic = ir::AtomicOp::compare_exchange, .type = LsType::bits, .bytes = 4, .swap = 4,
        .meaning = "atomic compare and exchange, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x67, .name = "atomic_cmpxchg_64_be", .mnemonic = "CMPXCHG.64.be", .does = LsMeaning::atomic,
        .atomic = ir::AtomicOp::compare_exchange, .type = LsType::bits, .bytes = 8, .swap = 8,
        .meaning = "atomic compare and exchange, old value returned, big endian", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x80, .name = "ld_u8", .mnemonic = "LD.u8", .does = LsMeaning::load, .type = LsType::u8, .bytes = 1, .meaning = "load 8 bits, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x81, .name = "ld_i8", .mnemonic = "LD.s8", .does = LsMeaning::load, .type = LsType::s8, .bytes = 1, .meaning = "load 8 bits, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x84, .name = "ld_u16", .mnemonic = "LD.u16", .does = LsMeaning::load, .type = LsType::u16, .bytes = 2, .meaning = "load 16 bits, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x85, .name = "ld_i16", .mnemonic = "LD.s16", .does = LsMeaning::load, .type = LsType::s16, .bytes = 2, .meaning = "load 16 bits, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x86, .name = "ld_u16_be", .mnemonic = "LD.u16.be", .does = LsMeaning::load, .type = LsType::u16, .bytes = 2, .swap = 2,
        .meaning = "load 16 bits, bytes swapped, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x87, .name = "ld_i16_be", .mnemonic = "LD.s16.be", .does = LsMeaning::load, .type = LsType::s16, .bytes = 2, .swap = 2,
        .meaning = "load 16 bits, bytes swapped, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x88, .name = "ld_32", .mnemonic = "LD.32", .does = LsMeaning::load, .type = LsType::bits, .bytes = 4, .meaning = "load 32 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x89, .name = "ld_32_bswap2", .mnemonic = "LD.32.bswap2", .does = LsMeaning::load, .type = LsType::bits, .bytes = 4, .swap = 2,
        .meaning = "load 32 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x8A, .name = "ld_32_bswap4", .mnemonic = "LD.32.bswap4", .does = LsMeaning::load, .type = LsType::bits, .bytes = 4, .swap = 4,
        .meaning = "load 32 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x8C, .name = "ld_64", .mnemonic = "LD.64", .does = LsMeaning::load, .type = LsType::bits, .bytes = 8, .meaning = "load 64 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x8D, .name = "ld_64_bswap2", .mnemonic = "LD.64.bswap2", .does = LsMeaning::load, .type = LsType::bits, .bytes = 8, .swap = 2,
        .meaning = "load 64 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x8E, .name = "ld_64_bswap4", .mnemonic = "LD.64.bswap4", .does = LsMeaning::load, .type = LsType::bits, .bytes = 8, .swap = 4,
        .meaning = "load 64 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x8F, .name = "ld_64_bswap8", .mnemonic = "LD.64.bswap8", .does = LsMeaning::load, .type = LsType::bits, .bytes = 8, .swap = 8,
        .meaning = "load 64 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x90, .name = "ld_128", .mnemonic = "LD.128", .does = LsMeaning::load, .type = LsType::bits, .bytes = 16, .meaning = "load 128 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x91, .name = "ld_128_bswap2", .mnemonic = "LD.128.bswap2", .does = LsMeaning::load, .type = LsType::bits, .bytes = 16, .swap = 2,
        .meaning = "load 128 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x92, .name = "ld_128_bswap4", .mnemonic = "LD.128.bswap4", .does = LsMeaning::load, .type = LsType::bits, .bytes = 16, .swap = 4,
        .meaning = "load 128 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x93, .name = "ld_128_bswap8", .mnemonic = "LD.128.bswap8", .does = LsMeaning::load, .type = LsType::bits, .bytes = 16, .swap = 8,
        .meaning = "load 128 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x94, .name = "ld_attr_32", .mnemonic = "LD_ATTR.f32", .does = LsMeaning::attribute, .type = LsType::f32, .meaning = "vertex attribute as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x95, .name = "ld_attr_16", .mnemonic = "LD_ATTR.f16", .does = LsMeaning::attribute, .type = LsType::f16, .meaning = "vertex attribute as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x96, .name = "ld_attr_32u", .mnemonic = "LD_ATTR.u32", .does = LsMeaning::attribute, .type = LsType::u32, .meaning = "vertex attribute as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x97, .name = "ld_attr_32i", .mnemonic = "LD_ATTR.s32", .does = LsMeaning::attribute, .type = LsType::s32, .meaning = "vertex attribute as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x98, .name = "ld_vary_32", .mnemonic = "LD_VARY.f32", .does = LsMeaning::varying, .type = LsType::f32, .meaning = "interpolated varying as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x99, .name = "ld_vary_16", .mnemonic = "LD_VARY.f16", .does = LsMeaning::varying, .type = LsType::f16, .meaning = "interpolated varying as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9A, .name = "ld_vary_32u", .mnemonic = "LD_VARY.u32", .does = LsMeaning::varying, .type = LsType::u32, .meaning = "interpolated varying as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9B, .name = "ld_vary_32i", .mnemonic = "LD_VARY.s32", .does = LsMeaning::varying, .type = LsType::s32, .meaning = "interpolated varying as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9C, .name = "ld_special_32f", .mnemonic = "LD_SPECIAL.f32", .does = LsMeaning::load_special, .type = LsType::f32, .meaning = "special value as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9D, .name = "ld_special_16f", .mnemonic = "LD_SPECIAL.f16", .does = LsMeaning::load_special, .type = LsType::f16, .meaning = "special value as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9E, .name = "ld_special_32u", .mnemonic = "LD_SPECIAL.u32", .does = LsMeaning::load_special, .type = LsType::u32, .meaning = "special value as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0x9F, .name = "ld_special_32i", .mnemonic = "LD_SPECIAL.s32", .does = LsMeaning::load_special, .type = LsType::s32, .meaning = "special value as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA0, .name = "ld_ubo_u8", .mnemonic = "LD_UBO.u8", .does = LsMeaning::ubo, .type = LsType::u8, .bytes = 1,
        .meaning = "uniform buffer load 8 bits, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA1, .name = "ld_ubo_i8", .mnemonic = "LD_UBO.s8", .does = LsMeaning::ubo, .type = LsType::s8, .bytes = 1,
        .meaning = "uniform buffer load 8 bits, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA4, .name = "ld_ubo_u16", .mnemonic = "LD_UBO.u16", .does = LsMeaning::ubo, .type = LsType::u16, .bytes = 2,
        .meaning = "uniform buffer load 16 bits, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA5, .name = "ld_ubo_i16", .mnemonic = "LD_UBO.s16", .does = LsMeaning::ubo, .type = LsType::s16, .bytes = 2,
        .meaning = "uniform buffer load 16 bits, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA6, .name = "ld_ubo_u16_be", .mnemonic = "LD_UBO.u16.be", .does = LsMeaning::ubo, .type = LsType::u16, .bytes = 2, .swap = 2,
        .meaning = "uniform buffer load 16 bits, bytes swapped, zero extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA7, .name = "ld_ubo_i16_be", .mnemonic = "LD_UBO.s16.be", .does = LsMeaning::ubo, .type = LsType::s16, .bytes = 2, .swap = 2,
        .meaning = "uniform buffer load 16 bits, bytes swapped, sign extended", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA8, .name = "ld_ubo_32", .mnemonic = "LD_UBO.32", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 4, .meaning = "uniform buffer load 32 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xA9, .name = "ld_ubo_32_bswap2", .mnemonic = "LD_UBO.32.bswap2", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 4, .swap = 2,
        .meaning = "uniform buffer load 32 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xAA, .name = "ld_ubo_32_bswap4", .mnemonic = "LD_UBO.32.bswap4", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 4, .swap = 4,
        .meaning = "uniform buffer load 32 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xAC, .name = "ld_ubo_64", .mnemonic = "LD_UBO.64", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 8, .meaning = "uniform buffer load 64 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xAD, .name = "ld_ubo_64_bswap2", .mnemonic = "LD_UBO.64.bswap2", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 8, .swap = 2,
        .meaning = "uniform buffer load 64 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xAE, .name = "ld_ubo_64_bswap4", .mnemonic = "LD_UBO.64.bswap4", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 8, .swap = 4,
        .meaning = "uniform buffer load 64 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xAF, .name = "ld_ubo_64_bswap8", .mnemonic = "LD_UBO.64.bswap8", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 8, .swap = 8,
        .meaning = "uniform buffer load 64 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB0, .name = "ld_ubo_128", .mnemonic = "LD_UBO.128", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 16,
        .meaning = "uniform buffer load 128 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB1, .name = "ld_ubo_128_bswap2", .mnemonic = "LD_UBO.128.bswap2", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 16,
        .swap = 2, .meaning = "uniform buffer load 128 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB2, .name = "ld_ubo_128_bswap4", .mnemonic = "LD_UBO.128.bswap4", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 16,
        .swap = 4, .meaning = "uniform buffer load 128 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB3, .name = "ld_ubo_128_bswap8", .mnemonic = "LD_UBO.128.bswap8", .does = LsMeaning::ubo, .type = LsType::bits, .bytes = 16,
        .swap = 8, .meaning = "uniform buffer load 128 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB4, .name = "ld_image_32f", .mnemonic = "LD_IMAGE.f32", .does = LsMeaning::load_image, .type = LsType::f32, .meaning = "image load as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB5, .name = "ld_image_16f", .mnemonic = "LD_IMAGE.f16", .does = LsMeaning::load_image, .type = LsType::f16, .meaning = "image load as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB6, .name = "ld_image_32u", .mnemonic = "LD_IMAGE.u32", .does = LsMeaning::load_image, .type = LsType::u32, .meaning = "image load as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB7, .name = "ld_image_32i", .mnemonic = "LD_IMAGE.s32", .does = LsMeaning::load_image, .type = LsType::s32, .meaning = "image load as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB8, .name = "ld_tilebuffer_32f", .mnemonic = "LD_TILEBUFFER.f32", .does = LsMeaning::load_tile, .type = LsType::f32,
        .meaning = "frame buffer load as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xB9, .name = "ld_tilebuffer_16f", .mnemonic = "LD_TILEBUFFER.f16", .does = LsMeaning::load_tile, .type = LsType::f16,
        .meaning = "frame buffer load as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xBA, .name = "ld_tilebuffer_raw", .mnemonic = "LD_TILEBUFFER.raw", .does = LsMeaning::load_tile, .type = LsType::bits,
        .meaning = "frame buffer load, raw bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC0, .name = "st_u8", .mnemonic = "ST.u8", .does = LsMeaning::store, .type = LsType::u8, .bytes = 1, .meaning = "store 8 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC1, .name = "st_i8", .mnemonic = "ST.s8", .does = LsMeaning::store, .type = LsType::s8, .bytes = 1, .meaning = "store 8 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC4, .name = "st_u16", .mnemonic = "ST.u16", .does = LsMeaning::store, .type = LsType::u16, .bytes = 2, .meaning = "store 16 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC5, .name = "st_i16", .mnemonic = "ST.s16", .does = LsMeaning::store, .type = LsType::s16, .bytes = 2, .meaning = "store 16 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC6, .name = "st_u16_be", .mnemonic = "ST.u16.be", .does = LsMeaning::store, .type = LsType::u16, .bytes = 2, .swap = 2,
        .meaning = "store 16 bits, bytes swapped", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC7, .name = "st_i16_be", .mnemonic = "ST.s16.be", .does = LsMeaning::store, .type = LsType::s16, .bytes = 2, .swap = 2,
        .meaning = "store 16 bits, bytes swapped", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC8, .name = "st_32", .mnemonic = "ST.32", .does = LsMeaning::store, .type = LsType::bits, .bytes = 4, .meaning = "store 32 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xC9, .name = "st_32_bswap2", .mnemonic = "ST.32.bswap2", .does = LsMeaning::store, .type = LsType::bits, .bytes = 4, .swap = 2,
        .meaning = "store 32 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xCA, .name = "st_32_bswap4", .mnemonic = "ST.32.bswap4", .does = LsMeaning::store, .type = LsType::bits, .bytes = 4, .swap = 4,
        .meaning = "store 32 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xCC, .name = "st_64", .mnemonic = "ST.64", .does = LsMeaning::store, .type = LsType::bits, .bytes = 8, .meaning = "store 64 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xCD, .name = "st_64_bswap2", .mnemonic = "ST.64.bswap2", .does = LsMeaning::store, .type = LsType::bits, .bytes = 8, .swap = 2,
        .meaning = "store 64 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xCE, .name = "st_64_bswap4", .mnemonic = "ST.64.bswap4", .does = LsMeaning::store, .type = LsType::bits, .bytes = 8, .swap = 4,
        .meaning = "store 64 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xCF, .name = "st_64_bswap8", .mnemonic = "ST.64.bswap8", .does = LsMeaning::store, .type = LsType::bits, .bytes = 8, .swap = 8,
        .meaning = "store 64 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD0, .name = "st_128", .mnemonic = "ST.128", .does = LsMeaning::store, .type = LsType::bits, .bytes = 16, .meaning = "store 128 bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD1, .name = "st_128_bswap2", .mnemonic = "ST.128.bswap2", .does = LsMeaning::store, .type = LsType::bits, .bytes = 16, .swap = 2,
        .meaning = "store 128 bits, bytes swapped within groups of 2", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD2, .name = "st_128_bswap4", .mnemonic = "ST.128.bswap4", .does = LsMeaning::store, .type = LsType::bits, .bytes = 16, .swap = 4,
        .meaning = "store 128 bits, bytes swapped within groups of 4", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD3, .name = "st_128_bswap8", .mnemonic = "ST.128.bswap8", .does = LsMeaning::store, .type = LsType::bits, .bytes = 16, .swap = 8,
        .meaning = "store 128 bits, bytes swapped within groups of 8", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD4, .name = "st_vary_32", .mnemonic = "ST_VARY.f32", .does = LsMeaning::store_varying, .type = LsType::f32, .meaning = "varying of this vertex as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD5, .name = "st_vary_16", .mnemonic = "ST_VARY.f16", .does = LsMeaning::store_varying, .type = LsType::f16, .meaning = "varying of this vertex as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD6, .name = "st_vary_32u", .mnemonic = "ST_VARY.u32", .does = LsMeaning::store_varying, .type = LsType::u32,
        .meaning = "varying of this vertex as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD7, .name = "st_vary_32i", .mnemonic = "ST_VARY.s32", .does = LsMeaning::store_varying, .type = LsType::s32,
        .meaning = "varying of this vertex as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD8, .name = "st_image_32f", .mnemonic = "ST_IMAGE.f32", .does = LsMeaning::store_image, .type = LsType::f32, .meaning = "image store as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xD9, .name = "st_image_16f", .mnemonic = "ST_IMAGE.f16", .does = LsMeaning::store_image, .type = LsType::f16, .meaning = "image store as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDA, .name = "st_image_32u", .mnemonic = "ST_IMAGE.u32", .does = LsMeaning::store_image, .type = LsType::u32, .meaning = "image store as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDB, .name = "st_image_32i", .mnemonic = "ST_IMAGE.s32", .does = LsMeaning::store_image, .type = LsType::s32, .meaning = "image store as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDC, .name = "st_special_32f", .mnemonic = "ST_SPECIAL.f32", .does = LsMeaning::store_special, .type = LsType::f32,
        .meaning = "special value store as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDD, .name = "st_special_16f", .mnemonic = "ST_SPECIAL.f16", .does = LsMeaning::store_special, .type = LsType::f16,
        .meaning = "special value store as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDE, .name = "st_special_32u", .mnemonic = "ST_SPECIAL.u32", .does = LsMeaning::store_special, .type = LsType::u32,
        .meaning = "special value store as u32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xDF, .name = "st_special_32i", .mnemonic = "ST_SPECIAL.s32", .does = LsMeaning::store_special, .type = LsType::s32,
        .meaning = "special value store as s32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xE8, .name = "st_tilebuffer_32f", .mnemonic = "ST_TILEBUFFER.f32", .does = LsMeaning::store_tile, .type = LsType::f32,
        .meaning = "frame buffer store as f32", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xE9, .name = "st_tilebuffer_16f", .mnemonic = "ST_TILEBUFFER.f16", .does = LsMeaning::store_tile, .type = LsType::f16,
        .meaning = "frame buffer store as f16", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xEA, .name = "st_tilebuffer_raw", .mnemonic = "ST_TILEBUFFER.raw", .does = LsMeaning::store_tile, .type = LsType::bits,
        .meaning = "frame buffer store, raw bits", .fact = {Status::driver, "3.8"}},
    {.opcode = 0xFC, .name = "trap", .mnemonic = "TRAP", .does = LsMeaning::trap, .type = LsType::bits, .meaning = "raise a trap with an immediate code", .fact = {Status::driver, "3.8"}},
});

static_assert(all_mean_something(ls_ops));
inline constexpr auto ls_op_index = index_by_opcode(ls_ops);

/// Row of a load/store opcode; nullptr when unassigned.
constexpr const LsOp* find_ls_op(unsigned opcode) {
  const std::uint8_t row = ls_op_index[opcode & 0xFF];
  return row == 0 ? nullptr : &ls_ops[row - 1];
}

/// Which fields of a load/store instruction mean something, and what it touches.
struct LsForm {
  bool stores = false;       ///< `reg` selects what is stored
  bool writes = false;       ///< `reg` is a destination
  bool has_address = false;  ///< a byte address: base, index and displacement
  bool is_image = false;     ///< texel coordinates
  bool uses_table = false;   ///< goes through descriptors; bits 31 and 32 are auto32 and the table
  bool uses_toggle = false;  ///< bit 30 has a meaning
  bool mesa_swizzles_argument = false;  ///< Mesa prints the swizzle beside the argument
};
/// By LsMeaning, see ls_forms.
constexpr LsForm make_form(LsMeaning does) {
  switch (does) {
    case LsMeaning::nop:
    case LsMeaning::trap: return {};
    case LsMeaning::pack:
    case LsMeaning::unpack:
    case LsMeaning::move: return {.writes = true, .mesa_swizzles_argument = true};
    case LsMeaning::cubemap:
    case LsMeaning::perspective: return {.writes = true, .uses_toggle = true, .mesa_swizzles_argument = true};
    case LsMeaning::lea:
    case LsMeaning::atomic:
    case LsMeaning::load: return {.writes = true, .has_address = true, .uses_toggle = true};
    case LsMeaning::store: return {.stores = true, .has_address = true, .uses_toggle = true};
    case LsMeaning::attribute: return {.writes = true, .uses_table = true, .uses_toggle = true};
    case LsMeaning::varying: return {.writes = true, .uses_table = true};
    case LsMeaning::store_varying: return {.stores = true, .uses_table = true};
    case LsMeaning::ubo: return {.writes = true, .uses_toggle = true};
    case LsMeaning::load_special:
    case LsMeaning::load_tile: return {.writes = true};
    case LsMeaning::store_special:
    case LsMeaning::store_tile: return {.stores = true};
    case LsMeaning::lea_image:
    case LsMeaning::load_image: return {.writes = true, .is_image = true, .uses_table = true, .uses_toggle = true};
    case LsMeaning::store_image: return {.stores = true, .is_image = true, .uses_table = true, .uses_toggle = true};
  }
  return {};
}
/// By LsMeaning.
inline constexpr auto ls_forms = [] {
  std::array<LsForm, static_cast<std::size_t>(LsMeaning::trap) + 1> forms{};
  for (const LsOp& row : ls_ops) forms[static_cast<std::size_t>(row.does)] = make_form(row.does);
  return forms;
}();
constexpr const LsForm& form_of(LsMeaning does) { return ls_forms[static_cast<std::size_t>(does)]; }
/// The 60-bit no-operation.
inline constexpr std::uint64_t ls_noop = 3;

/// What documents and tools call an operation that has another name here (3.2, 3.8).
struct OtherName {
  std::string_view name;
  std::uint8_t opcode = 0;
};
template <class Rows>
consteval OtherName other_name(const Rows& rows, std::string_view name, std::string_view row_name) {
  for (const auto& row : rows)
    if (row.name == row_name) return {name, row.opcode};
  throw "no such row";
}
inline constexpr OtherName alu_other_names[] = {
    other_name(alu_ops, "f2i", "f2i_rtz"),          other_name(alu_ops, "i2f", "i2f_rte"),
    other_name(alu_ops, "csel", "fcsel"),           other_name(alu_ops, "fsin", "fsinpi"),
    other_name(alu_ops, "fcos", "fcospi"),          other_name(alu_ops, "fatan_pt2", "fatan2_pt2"),
    other_name(alu_ops, "fatan_pt1", "fatan2_pt1"), other_name(alu_ops, "ball", "iball_neq"),
    other_name(alu_ops, "bany", "ibany_neq")};
inline constexpr OtherName ls_other_names[] = {other_name(ls_ops, "noop", "ld_st_noop"),
                                               other_name(ls_ops, "ld_uniform_16", "ld_ubo_64"),
                                               other_name(ls_ops, "ld_uniform_32", "ld_ubo_128")};

/// What a texture operation does; the value is its opcode.
enum class TexMeaning : std::uint8_t {
  sample = 1, gradient = 2, fetch = 4, gradient_of_derivatives = 9, move = 10, barrier = 11, gradient_of_coordinates = 12, derivative = 13,
};
constexpr unsigned opcode_of(TexMeaning does) { return static_cast<unsigned>(does); }

struct TexOp {
  TexMeaning does{};
  std::string_view name;      ///< unique name, lower case (3.9)
  std::string_view mnemonic;  ///< as Mesa prints it
  std::string_view arm_name;
  std::string_view meaning;
  Fact fact;
};
inline constexpr auto tex_ops = std::to_array<TexOp>({
    {.does = TexMeaning::sample, .name = "normal", .mnemonic = "TEX", .arm_name = "TEX", .meaning = "sample; LOD from quad derivatives plus bias", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::gradient, .name = "gradient", .mnemonic = "TEX_GRAD", .arm_name = "TEXGRD", .meaning = "sample with explicit LOD or gradient descriptor", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::fetch, .name = "fetch", .mnemonic = "TEX_FETCH", .arm_name = "TEX_INDEX", .meaning = "unfiltered fetch by integer coordinates", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::gradient_of_derivatives, .name = "grad_from_derivative", .mnemonic = "DER_TO_GRAD", .arm_name = "GRDESC_DER",
        .meaning = "gradient descriptor from derivatives; its layout is unknown", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::move, .name = "mov", .mnemonic = "MOV", .arm_name = "MOV", .meaning = "copy of the input register", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::barrier, .name = "barrier", .mnemonic = "BARRIER", .arm_name = "NOP", .meaning = "execution and memory barrier", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::gradient_of_coordinates, .name = "grad_from_coords", .mnemonic = "COORDS_TO_GRAD", .arm_name = "GRDESC",
        .meaning = "gradient descriptor from coordinates; its layout is unknown", .fact = {Status::driver, "3.9"}},
    {.does = TexMeaning::derivative, .name = "derivative", .mnemonic = "DERIVATIVE", .arm_name = "DELTA", .meaning = "d/dx or d/dy of the coordinates", .fact = {Status::driver, "3.9"}},
});
static_assert(all_mean_something(tex_ops));

inline constexpr auto tex_op_index = [] {
  std::array<std::uint8_t, 16> table{};
  for (std::size_t i = 0; i < tex_ops.size(); ++i) table[opcode_of(tex_ops[i].does)] = static_cast<std::uint8_t>(i + 1);
  return table;
}();

/// Row of a texture opcode; nullptr when unassigned.
constexpr const TexOp* find_tex_op(unsigned opcode) {
  const std::uint8_t row = tex_op_index[opcode & 15];
  return row == 0 ? nullptr : &tex_ops[row - 1];
}
constexpr const TexOp* find_tex_op(TexMeaning does) { return find_tex_op(opcode_of(does)); }
/// True for the operations that read a texture.
constexpr bool is_lookup(TexMeaning does) {
  switch (does) {
    case TexMeaning::sample:
    case TexMeaning::gradient:
    case TexMeaning::fetch: return true;
    case TexMeaning::gradient_of_derivatives:
    case TexMeaning::move:
    case TexMeaning::barrier:
    case TexMeaning::gradient_of_coordinates:
    case TexMeaning::derivative: return false;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------ products (1.6)

struct Product {
  std::string_view name;       ///< as typed after "midgard:"
  std::string_view marketing;  ///< "Mali-T860"
  std::uint16_t gpu_id = 0;    ///< product number software uses
  std::uint8_t arch = 5;       ///< 4 or 5
  std::uint8_t alu_pipes = 2;  ///< arithmetic pipes of one core
  // ISA-visible features (kernel driver's list) and compiler quirks; true = present.
  bool interpipe_aliasing = false;
  bool auto32 = true;
  bool tilebuffer = true;
  bool lea_image = true;
  bool writeout_condition = true;
  bool writeout_tags = false;  ///< tags 0xC-0xF exist
  bool out_of_order = true;
  bool broken_lod = false;  ///< gradient lookups ignore sampler LOD clamp and bias
  bool old_blend = false;   ///< frame buffer reads use LD_SPECIAL
  bool broken_blend_loads = false;
  bool unaligned_access_fails = false;  ///< erratum 6402
  bool linear_float = true;
  bool multiple_targets = true;
  Fact fact;
};
inline constexpr auto products = std::to_array<Product>({
    {.name = "t860", .marketing = "Mali-T860", .gpu_id = 0x860, .writeout_tags = true, .fact = {Status::document, "1.6"}},
    {.name = "t604", .marketing = "Mali-T604", .gpu_id = 0x600, .arch = 4, .auto32 = false, .tilebuffer = false, .writeout_condition = false,
        .out_of_order = false, .broken_lod = true, .old_blend = true, .broken_blend_loads = true, .unaligned_access_fails = true,
        .multiple_targets = false, .fact = {Status::document, "1.6"}},
    {.name = "t620", .marketing = "Mali-T622, T624, T628", .gpu_id = 0x620, .arch = 4, .tilebuffer = false, .writeout_condition = false,
        .out_of_order = false, .broken_lod = true, .old_blend = true, .broken_blend_loads = true, .unaligned_access_fails = true,
        .multiple_targets = false, .fact = {Status::document, "1.6"}},
    {.name = "t650", .marketing = "Mali-T658, T678", .gpu_id = 0x650, .arch = 4, .alu_pipes = 4, .tilebuffer = false, .writeout_condition = false,
        .out_of_order = false, .broken_lod = true, .old_blend = true, .broken_blend_loads = true, .unaligned_access_fails = true,
        .multiple_targets = false, .fact = {Status::document, "1.6"}},
    {.name = "t720",
     .marketing = "Mali-T720",
     .gpu_id = 0x720,
     .arch = 4,
     .alu_pipes = 1,
     .interpipe_aliasing = true,
     .tilebuffer = false,
     .lea_image = false,
     .writeout_condition = false,
     .out_of_order = false,
     .broken_lod = true,
     .old_blend = true,
     .linear_float = false,
     .multiple_targets = false,
     .fact = {Status::document, "1.6"}},
    {.name = "t760", .marketing = "Mali-T760", .gpu_id = 0x750, .fact = {Status::document, "1.6"}},
    {.name = "t820", .marketing = "Mali-T820", .gpu_id = 0x820, .alu_pipes = 1, .interpipe_aliasing = true, .writeout_tags = true, .fact = {Status::document, "1.6"}},
    {.name = "t830", .marketing = "Mali-T830", .gpu_id = 0x830, .interpipe_aliasing = true, .writeout_tags = true, .fact = {Status::document, "1.6"}},
    {.name = "t880", .marketing = "Mali-T880", .gpu_id = 0x880, .alu_pipes = 3, .writeout_tags = true, .fact = {Status::document, "1.6"}},
});
/// Other names of the products above.
struct ProductAlias {
  std::string_view alias, name;
};
inline constexpr auto product_aliases = std::to_array<ProductAlias>({
    {"t600", "t604"}, {"t622", "t620"}, {"t624", "t620"}, {"t628", "t620"}, {"t658", "t650"}, {"t678", "t650"}, {"t750", "t760"},
});
/// Product by name or alias; the first row (t860) for an empty or unknown name.
constexpr const Product& find_product(std::string_view name) {
  for (const ProductAlias& row : product_aliases)
    if (row.alias == name) name = row.name;
  for (const Product& row : products)
    if (row.name == name) return row;
  return products.front();
}

// clang-format on

/// Every format, for explain, the manual and the self-checks.
std::span<const Format* const> formats();

}  // namespace mobula::midgard
