// ALU operands: an instruction decoded, and its source lanes as operands of micro-operations (2.4-2.7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "machines/midgard/lift/bundle.h"

namespace mobula::midgard {

/// A source of a vector instruction, or of a scalar one (one lane, chosen by `component`).
struct AluSource {
  unsigned reg = 0;
  unsigned mod = 0;
  bool is_inline = false;
  std::uint16_t constant = 0;        ///< inline
  unsigned expand = 0, swizzle = 0;  ///< vector
  bool full = false;                 ///< scalar: a 32-bit component
  unsigned component = 0;            ///< scalar: in units of 16 bits
};

/// An ALU instruction with the scalar units' seen as vectors of one 32-bit lane.
struct AluView {
  const AluOp* op = nullptr;  ///< nullptr: unassigned
  Unit unit = Unit::vmul;
  bool is_vector = false;
  unsigned opcode = 0;
  unsigned bits = 32;  ///< lane width
  unsigned mask = 0;   ///< vector
  std::array<AluSource, 2> source;
  unsigned dst = 0;
  unsigned dst_component = 0;  ///< scalar: in units of 16 bits
  Shrink shrink = Shrink::none;
  unsigned outmod = 0;

  [[nodiscard]] bool uses(unsigned index) const { return op->operands == 2 || index == (op->uses_source2 ? 1u : 0u); }
  [[nodiscard]] bool is_shrunk() const { return shrink == Shrink::lower || shrink == Shrink::upper; }
  /// Where a lane of up to 32 bits of this source comes from.
  [[nodiscard]] LaneSource element(unsigned index, unsigned lane) const;
};
AluView view(const AluInstruction& instruction);

/// Source lanes as operands, modifiers applied. Preparations are emitted once per element.
class SourceLanes {
 public:
  SourceLanes(const BundleContext& context, const AluView& instruction, unsigned index)
      : context_(context), instruction_(instruction), source_(instruction.source[index]), index_(index) {}

  /// A lane of the instruction's width and input type.
  ir::Operand operator()(unsigned lane);
  /// The half-width element this lane is widened from, if it is one element extended in a way that keeps its low half.
  std::optional<ir::Operand> unwidened(unsigned lane);
  /// The lane's value if it is a constant of the bundle.
  std::optional<std::uint64_t> constant(unsigned lane);
  /// True if both lanes are the same element.
  [[nodiscard]] bool same(unsigned lane, unsigned other) const;

 private:
  struct Value {
    ir::Operand at;
    std::uint64_t bits = 0;
    bool is_known = false;  ///< `bits` is the value
  };
  [[nodiscard]] bool is_float() const { return input_kind(instruction_.opcode) == Kind::f; }
  [[nodiscard]] ir::Type lane_type() const;
  [[nodiscard]] ir::Type half_type() const;
  Value inline_value() const;
  Value element(unsigned bits, unsigned index) const;
  Value lane_value(unsigned lane);
  Value wide_lane_value(unsigned lane);
  Value widened(Value narrow);
  Value widened_integer(Value narrow);
  Value joined(Value low, Value high);
  Value word_of(Value wide, bool high);
  Value modified(Value value);
  ir::Operand operand(Value value, ir::Type type);

  const BundleContext& context_;
  const AluView& instruction_;
  const AluSource& source_;
  unsigned index_;
  std::array<ir::Operand, 16> prepared_{};  // by element; by lane for 64-bit lanes
};

/// IEEE binary16 to binary32 and binary32 to binary64, exactly; a NaN becomes the canonical quiet one.
std::uint32_t widen_half(std::uint16_t half);
std::uint64_t widen_single(std::uint32_t single);

}  // namespace mobula::midgard
