// Words and rules of the text that printer and parser share, so that no syntax exists one way only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/text_buffer.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/spec/spec.h"

namespace mobula::midgard {

/// Names of a register's elements, lowest first: 4 of 32 bits, 8 of 16, 16 of 8.
inline constexpr std::string_view element_letters = "xyzwefghijklmnop";
inline constexpr std::string_view wide_letters = "XY";  ///< the two 64-bit elements
/// Index of a letter in element_letters, or -1.
constexpr int element_of(char letter) {
  const std::size_t at = element_letters.find(letter);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

inline constexpr unsigned identity_swizzle = 0xE4;
constexpr unsigned selector(unsigned swizzle, unsigned k) { return swizzle >> (2 * k) & 3; }

/// Equal, letters' case aside.
bool same_word(std::string_view a, std::string_view b);

// ------------------------------------------------------------------------------------------------ names

/// Registers by number as an ALU source and as an ALU or load destination. Uniform registers are also U0.. (r23 down).
extern const std::array<Token<8>, register_count> source_names, destination_names, uniform_names, load_names;
/// Register number of a name in any of the tables above or R0..R31, or -1. Case is ignored.
int find_register(std::string_view name, std::span<const Token<8>> names);
inline constexpr unsigned last_uniform_name = 15;  ///< U0..U15

inline constexpr std::array<std::string_view, 4> float_outmods{"", "clamp_0_inf", "clamp_m1_1", "clamp_0_1"};
inline constexpr std::array<std::string_view, 4> int_outmods{"ssat", "usat", "keeplo", "keephi"};
inline constexpr std::array<std::string_view, 4> widen_mods{"sext", "zext", "replicate", "lshift"};

/// What is before the lane width: 'f' for float results, 's' or 'u' where one mnemonic means two operations, else
/// 'i'.
char type_letter(unsigned opcode);
/// True if the two operations read alike in text but for the type letter.
constexpr bool same_mnemonic(const AluOp& a, const AluOp& b) {
  return a.mnemonic == b.mnemonic && a.shift1 == b.shift1;
}

std::string_view texture_mode_name(TexMeaning op, unsigned mode);  ///< empty: none, or the plain mode of the operation
inline constexpr unsigned texture_mode_count = 16;
unsigned default_texture_mode(TexMeaning op);

/// Letter of the sampler's type, by value of tex::sampler_type; "" for none.
inline constexpr std::array<std::string_view, 4> sampler_letters{"", "f", "u", "i"};

// ------------------------------------------------------------------------------------------------ lanes

/// Enabled lanes whose operands the text spells: those of the mask, or what a horizontal operation reads. Never 0.
unsigned spelled_lanes(unsigned opcode, unsigned width, unsigned lanes, unsigned source);
/// The swizzle's selector that lane `lane` uses; for 64-bit lanes the first of two.
constexpr unsigned selector_slot(unsigned width, unsigned lane) {
  return width == 32 ? lane : width == 16 ? lane & 3 : width == 8 ? lane >> 1 & 3 : 2 * lane;
}
/// The swizzle with the selectors that the text does not spell filled in: that of the nearest spelled lane to the left,
/// left of the first one that lane's own (reference 6.4).
unsigned fill_swizzle(unsigned width, unsigned swizzle, unsigned lanes);

/// Expand modes in the order in which letters are taken to mean them.
std::span<const std::uint8_t> expand_order(unsigned width, bool widening);
/// The mode the letters of these lanes will be read as.
unsigned spelled_expand(unsigned width, unsigned expand, unsigned lanes);

/// The selectors of a load's or store's lanes that are not enabled continue as the first enabled one began, within the
/// `elements` the operation has.
unsigned fill_result_swizzle(unsigned swizzle, unsigned mask, unsigned elements);

// ------------------------------------------------------------------------------------------------ ALU words

/// Register and source bits of an operand that an operation does not use: "_" in text.
struct UnusedOperand {
  bool source2 = false;  ///< which of the two
  std::uint16_t registers = 0;
  std::uint64_t word = 0;
  std::uint16_t registers_mask = 0;
  std::uint64_t word_mask = 0;
};
/// The unused encoding of source 1 or 2.
UnusedOperand unused_operand(bool vector, bool source2);
inline bool matches(const AluInstruction& instruction, const UnusedOperand& unused) {
  return (instruction.registers & unused.registers_mask) == unused.registers &&
         (instruction.word & unused.word_mask) == unused.word;
}

// ------------------------------------------------------------------------------------------------ notes

/// A field that a "!key=value" note may set, flattened into the line's word.
struct NoteField {
  Token<24> key;
  Field field;
};
extern const std::span<const NoteField> vector_notes, scalar_notes, compact_notes, jump_notes, extended_notes, ls_notes,
    texture_notes, control_notes;
inline constexpr std::string_view note_tag = "tag", note_next = "next", note_constants = "constants",
                                  note_padding = "padding", note_padding_high = "padding_high";

// ------------------------------------------------------------------------------------------------ constants line

/// Element types of the line that spells the embedded constants.
struct ConstantsKind {
  std::string_view name;
  std::uint8_t bits;
  bool real;
};
inline constexpr std::array<ConstantsKind, 4> constants_kinds{{
    {"uconst", 32, false},
    {"fconst", 32, true},
    {"hconst", 16, true},
    {"dconst", 64, true},
}};

// ------------------------------------------------------------------------------------------------ load/store shapes

/// A piece of an operand of a load/store line. Printer and reader go through the same pieces.
struct LsPiece {
  enum class Kind : std::uint8_t {
    result,               ///< R0.xy~~: register, mask, swizzle
    lanes,                ///< R0.~y~~: register and mask; the swizzle means something else
    stored,               ///< AL0, or R8 and on which no store has: `reg` of a store
    selector,             ///< AL0
    component,            ///< .y
    component_but_x,      ///< the same, unsaid where it is x
    scalar,               ///< AL0.y: a selector and, in `second`, its component
    letters,              ///< .xxyz
    letters_but_xyzw,     ///< the same, unsaid where it is all in order
    size,                 ///< .u32 or .u64
    base,                 ///< AL0.u64.x, or 0
    address_index,        ///< + AL1.u32.y << 2, or nothing
    table_index,          ///< AL1.y << 2 - 0x4, the displacement in `field`
    displacement,         ///< - 0x4
    vertex_displacement,  ///< the same, with .vertex only
    hexadecimal,          ///< 0x5
    target,               ///< rt[0] to rt[29], rt[depth] or rt[stencil]
    numbered,             ///< ubo[AL0.x] if `second` is set, else ubo[5]
  };
  Kind kind = Kind::selector;
  const Field* field = nullptr;
  const Field* second = nullptr;
  std::string_view name;  ///< what is before a bracket
  std::string_view what;  ///< what a reader of it expects
};

/// One operand of a load/store line.
struct LsPart {
  std::string_view example;
  std::span<const LsPiece> pieces;
  bool may_be_left_out = false;  ///< where the zero selector is meant
};

/// A word after the mnemonic. Those of one field exclude each other.
struct LsModifier {
  std::string_view name;
  const Field* field;
  std::uint8_t value;
  std::uint8_t default_value;  ///< what the field is without any of its words; 0xFF: one of them must be there
};

struct LsShape {
  std::span<const LsPart* const> parts;
  std::span<const LsModifier> modifiers;
  std::uint64_t defaults = 0;  ///< the bits no part or modifier covers
};
const LsShape& ls_shape(const LsOp& op);
/// Elements of 32 bits that a load has, for fill_result_swizzle.
unsigned result_elements(const LsOp& op);

inline constexpr unsigned zero_selector = 7, target_depth = 0x1F, target_stencil = 0x1E;
inline constexpr std::string_view target_depth_name = "depth", target_stencil_name = "stencil";
/// Bits of arg, arg.component and toggle that make "0" of a base; of index, component, format and shift that leave the
/// index out.
inline constexpr std::uint64_t no_base = [] {
  std::uint64_t word = 0;
  set(word, ls::arg, zero_selector);
  set(word, ls::toggle, 1);
  return word;
}();
inline constexpr std::uint64_t no_index = [] {
  std::uint64_t word = 0;
  set(word, ls::index, zero_selector);
  set(word, ls::index_format, 2);
  return word;
}();
constexpr std::uint64_t mask_of(const Field& field) { return low_mask(field.width) << field.low; }
inline constexpr std::uint64_t base_bits = mask_of(ls::arg) | mask_of(ls::arg_component) | mask_of(ls::toggle);
inline constexpr std::uint64_t index_bits =
    mask_of(ls::index) | mask_of(ls::index_component) | mask_of(ls::index_format) | mask_of(ls::shift);
inline constexpr std::string_view index_formats[] = {"reserved", "u64", "u32", "s32"};

// ------------------------------------------------------------------------------------------------ texture words

/// The word as the parser makes it from what the printer says: everything unsaid at its usual value.
Word128 spelled_texture(const Word128& word);

/// Tag of a texture bundle by operation and the ".vtx" mark.
constexpr unsigned texture_tag(TexMeaning op, bool vertex) {
  return op == TexMeaning::barrier ? tag_barrier : vertex ? tag_texture_vertex : tag_texture;
}

// ------------------------------------------------------------------------------------------------ bundles

/// Tag of an ALU bundle made from its contents.
unsigned computed_tag(const Bundle& bundle, const Product& product);
/// The next tag a bundle has unless the text says otherwise: break at the end and for a writeout that is retried by the
/// bundle after it, else the tag of the bundle after it. `following` is that tag, or 0 if there is none.
unsigned implied_next(const Branches& branches, unsigned following);

inline constexpr std::int32_t discard_offset = 2;  ///< what a discard without a target encodes; its dest_tag is 0
inline constexpr unsigned never_lut = 0x0000;

/// Types of texture registers: where they alias, input is AL0/AL1 and output R0/R1.
constexpr unsigned texture_input(const Product& product) {
  return product.interpipe_aliasing ? register_load_store0 : register_texture0;
}
constexpr unsigned texture_output(const Product& product) { return product.interpipe_aliasing ? 0 : register_texture0; }

/// Values of a note or branch that are tags.
constexpr bool holds_tag(const Field& field) { return field.values.data() == value::tag.data(); }

}  // namespace mobula::midgard
