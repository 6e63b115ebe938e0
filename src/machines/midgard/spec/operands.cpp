#include "machines/midgard/spec/operands.h"

namespace mobula::midgard {
namespace {

constexpr Bytes bytes_of(unsigned element, unsigned bits) {
  return static_cast<Bytes>(low_mask(bits / 8) << (element * bits / 8));
}

Bytes vector_source_bytes(const AluInstruction& instruction, unsigned number) {
  const auto source = get(instruction.word, number == 1 ? vec::src1 : vec::src2);
  const auto expand = static_cast<unsigned>(get(source, vecsrc::expand));
  const auto swizzle = static_cast<unsigned>(get(source, vecsrc::swizzle));
  const unsigned bits = lane_bits(instruction), lanes = evaluated_lanes(instruction, number);
  Bytes bytes = 0;
  for (unsigned lane = 0; lane < 128 / bits; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    if (bits == 64) {
      for (const unsigned half : {0u, 1u}) bytes |= bytes_of(wide_lane_source(expand, swizzle, lane, half).element, 32);
    } else {
      const LaneSource from = lane_source(bits, expand, swizzle, lane);
      bytes |= bytes_of(from.element, from.bits);
    }
  }
  return bytes;
}

Bytes scalar_bytes(unsigned component, bool full) {
  return full ? bytes_of(component >> 1, 32) : bytes_of(component, 16);
}

}  // namespace

bool uses_source(unsigned opcode, unsigned number) {
  const AluOp* row = find_alu_op(opcode);
  return row == nullptr || row->operands == 2 || (number == 2) == row->uses_source2;
}

unsigned evaluated_lanes(const AluInstruction& instruction, unsigned number) {
  if (const AluOp* row = find_alu_op(opcode_of(instruction))) {
    if (row->reduces != 0) return (1u << row->reduces) - 1;
    if (row->does == AluMeaning::ffma) return number == 1 ? 3 : 1;
    if (row->does == AluMeaning::ichoose && number == 1) return (1u << (128 / lane_bits(instruction))) - 1;
  }
  return enabled_lanes(lane_bits(instruction), static_cast<unsigned>(get(instruction.word, vec::mask)));
}

Touched source_bytes(const AluInstruction& instruction, unsigned number) {
  const Field& field = number == 1 ? reg::src1 : reg::src2;
  Touched touched{.reg = static_cast<std::uint8_t>(get(instruction.registers, field))};
  if (!uses_source(opcode_of(instruction), number) || (number == 2 && has_inline_constant(instruction))) return {};
  if (info(instruction.unit).vector) {
    touched.bytes = vector_source_bytes(instruction, number);
  } else {
    // Source 1 has the layout of source 2 and lies at its own place.
    const std::uint64_t source =
        number == 1 ? instruction.word >> scalar::src1_mod.low : get(instruction.word, scalar::src2);
    touched.bytes =
        scalar_bytes(static_cast<unsigned>(get(source, scalarsrc::component)), get(source, scalarsrc::full) != 0);
  }
  return touched;
}

Touched destination_bytes(const AluInstruction& instruction) {
  Touched touched{.reg = static_cast<std::uint8_t>(get(instruction.registers, reg::dst))};
  if (!info(instruction.unit).vector) {
    touched.bytes = scalar_bytes(static_cast<unsigned>(get(instruction.word, scalar::component)),
                                 get(instruction.word, scalar::full) != 0);
    return touched;
  }
  const unsigned bits = lane_bits(instruction);
  const auto shrink = static_cast<Shrink>(get(instruction.word, vec::shrink));
  const bool narrow = (shrink == Shrink::lower || shrink == Shrink::upper) && bits > 8;
  const unsigned stored = narrow ? bits / 2 : bits, first = narrow && shrink == Shrink::upper ? 64 / stored : 0;
  const unsigned lanes = enabled_lanes(bits, static_cast<unsigned>(get(instruction.word, vec::mask)));
  for (unsigned lane = 0; lane < 128 / bits; ++lane)
    if (lanes >> lane & 1) touched.bytes |= bytes_of(first + lane, stored);
  return touched;
}

}  // namespace mobula::midgard
