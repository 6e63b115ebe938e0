// Bundles: cutting a program into instruction words and putting it together again, every bit kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/export.h"
#include "machines/midgard/spec/spec.h"

namespace mobula::midgard {

inline constexpr unsigned quadword_bytes = 16;

/// One ALU instruction as it lies in the bundle; read it with the fields of `reg`, `vec` and `scalar`.
struct AluInstruction {
  Unit unit = Unit::vmul;
  std::uint16_t registers = 0;
  std::uint64_t word = 0;  ///< 48 bits (vector) or 32 bits (scalar)
};

/// One instruction word. `form` says which members are meaningful; the others are zero.
struct Bundle {
  enum class Form : std::uint8_t { alu, load_store, texture, raw };

  Form form = Form::raw;
  std::uint8_t tag = 0, next = 0;  ///< bits 0-3 and 4-7 of the first word
  std::uint8_t quadword_count = 1;
  std::uint32_t position = 0;  ///< quadword offset in the program

  // alu (2.2)
  std::uint32_t control = 0;  ///< control word without tag and next
  std::uint8_t alu_count = 0;
  bool has_compact = false, has_extended = false, has_constants = false;
  std::array<AluInstruction, unit_count> alu{};
  std::uint16_t compact = 0;       ///< compact branch
  std::uint64_t extended = 0;      ///< extended branch, 48 bits
  std::uint8_t padding_count = 0;  ///< bytes between the fields and the next multiple of 16
  std::array<std::uint8_t, 15> padding{};
  std::array<std::uint32_t, 4> constants{};

  // load_store, texture, raw: the quadword as it is
  Word128 word;

  [[nodiscard]] std::span<const AluInstruction> alu_instructions() const { return {alu.data(), alu_count}; }
  /// The instruction of a unit, or nullptr.
  [[nodiscard]] const AluInstruction* find(Unit unit) const;
};

/// Cuts the bundle at quadword `position`. Never fails: a tag that heads no bundle, an ALU bundle whose length
/// disagrees with its tag, or one cut short by the end of the program comes back as one raw quadword. Precondition:
/// code.size() >= (position + 1) * 16.
MOBULA_INTERNAL Bundle decode_bundle(std::span<const std::uint8_t> code, std::uint32_t position);

/// quadword_count of the bundle that decode_bundle finds there.
unsigned bundle_length(std::span<const std::uint8_t> code, std::uint32_t position);

/// All bundles of a program in order of address. Trailing bytes that fill no quadword are not covered.
std::vector<Bundle> decode_program(std::span<const std::uint8_t> code);

/// Why the quadword at `position` is raw, in words a person understands; empty if it is a good bundle.
std::string raw_reason(std::span<const std::uint8_t> code, std::uint32_t position);

/// Appends the bundle's bytes. The inverse of decode_bundle for every bundle it returns. Of an ALU bundle the length is
/// made from its contents; padding is written if padding_count is what the contents leave, zero otherwise.
MOBULA_INTERNAL void encode_bundle(const Bundle& bundle, std::vector<std::uint8_t>& out);

/// Quadwords an ALU bundle with these contents takes (2.2).
MOBULA_INTERNAL unsigned alu_quadwords(const Bundle& bundle);

// ------------------------------------------------------------------------------------------------ branches (2.8)

/// One branch in a form-independent view.
struct Branch {
  bool extended = false;
  BranchMeaning op{};
  std::uint8_t dest_tag = 0;
  std::uint8_t call_mode = 0;  ///< extended and compact op 1 only; 1 (plain jump) otherwise
  std::uint16_t lut = 0xFFFF;  ///< truth table; a 2-bit condition is repeated eight times
  std::int32_t offset = 0;     ///< quadwords from the end of the bundle
};
Branch compact_branch(std::uint16_t word);
Branch extended_branch(std::uint64_t word);
/// Inverses. The compact form keeps only what fits it: see fits_compact().
MOBULA_INTERNAL std::uint16_t encode_compact(const Branch& branch);
MOBULA_INTERNAL std::uint64_t encode_extended(const Branch& branch);
/// True if the branch can be written in the compact form.
MOBULA_INTERNAL bool fits_compact(const Branch& branch);
/// Branches of a bundle in the order they lie in it: compact, then extended. At most two.
struct Branches {
  std::array<Branch, 2> items{};
  std::uint8_t count = 0;
  [[nodiscard]] const Branch* begin() const { return items.data(); }
  [[nodiscard]] const Branch* end() const { return items.data() + count; }
};
MOBULA_INTERNAL Branches branches(const Bundle& bundle);
/// Quadword the branch leads to; may lie outside the program.
inline std::int64_t target_of(const Bundle& bundle, const Branch& branch) {
  return std::int64_t{bundle.position} + bundle.quadword_count + branch.offset;
}

// ------------------------------------------------------------------------------------------------ ALU operands
// (2.4-2.7)

/// The 16-bit inline constant, put together from its pieces (2.5.3).
std::uint16_t inline_constant(const AluInstruction& instruction);
/// Writes the pieces and sets the inline bit; the vector modifier bits stay.
MOBULA_INTERNAL void set_inline_constant(AluInstruction& instruction, std::uint16_t constant);

inline bool has_inline_constant(const AluInstruction& instruction) {
  return get(instruction.registers, reg::inline_constant) != 0;
}
inline unsigned opcode_of(const AluInstruction& instruction) { return static_cast<unsigned>(instruction.word & 0xFF); }

/// Lane width of an instruction in bits; scalar units always compute in 32.
inline unsigned lane_bits(const AluInstruction& instruction) {
  return info(instruction.unit).vector ? 8u << get(instruction.word, vec::mode) : 32u;
}

/// True for the expand modes that widen (2.6.2).
constexpr bool widens(unsigned expand) { return expand >= 4; }
/// True if the expand mode is defined for the lane width.
constexpr bool expand_allowed(unsigned expand, unsigned bits) {
  if (expand == 0) return true;
  if (expand <= 3) return bits <= 16;
  if (expand <= 5) return bits >= 16;
  return bits == 16;
}

/// Where a lane of a vector operand comes from (2.6.2): `element` counts elements of `bits` from the register's bottom.
/// A 64-bit passthrough lane is two 32-bit elements (low word, high word); a widened 64-bit lane takes the low/high
/// words of the widened vector, so its words may come from different elements.
struct LaneSource {
  std::uint8_t element = 0;
  std::uint8_t bits = 0;  ///< width of the element in the register
};
/// For lane widths 8, 16 and 32.
LaneSource lane_source(unsigned lane_width, unsigned expand, unsigned swizzle, unsigned lane);
/// For 64-bit lanes: half 0 = low word, 1 = high word. Not widening: element = 32-bit component. Widening: element =
/// which 32-bit component is widened, and `high_word` tells which word of the widened value is taken.
struct WideLaneSource {
  std::uint8_t element = 0;
  bool high_word = false;
};
WideLaneSource wide_lane_source(unsigned expand, unsigned swizzle, unsigned lane, unsigned half);

/// Lanes of the write mask by lane index, from the 8-bit field (2.6.4): bit k = lane k enabled. For 8-bit lanes each
/// mask bit enables a pair. A lane counts as enabled if any of its mask bits is set.
std::uint16_t enabled_lanes(unsigned lane_width, unsigned mask);
/// True if the mask bits of each lane agree.
bool mask_is_regular(unsigned lane_width, unsigned mask);
/// The 8-bit field that enables exactly these lanes.
MOBULA_INTERNAL std::uint8_t mask_of_lanes(unsigned lane_width, unsigned lanes);

}  // namespace mobula::midgard
