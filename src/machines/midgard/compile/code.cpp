#include "machines/midgard/compile/code.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "machines/midgard/text/numbers.h"

namespace mobula::midgard_compiler {

Source of(Value value, std::array<std::uint8_t, 4> component) {
  Source source;
  source.kind = Source::Kind::value;
  source.number = value;
  source.component = component;
  return source;
}
Source from_component(Value value, unsigned component) {
  const auto at = [&](unsigned i) { return static_cast<std::uint8_t>(std::min(component + i, 3U)); };
  return of(value, {at(0), at(1), at(2), at(3)});
}

std::optional<std::uint16_t> as_half(std::uint32_t bits) {
  const float size = std::fabs(std::bit_cast<float>(bits));
  constexpr float least = 0x1p-14F, too_large = 0x1p16F;
  const bool is_normal = size >= least && size < too_large;
  return is_normal || size == 0 ? midgard::narrow_exactly(bits, 32) : std::nullopt;
}

std::optional<std::uint32_t> rounded_to_half(std::uint32_t bits) {
  constexpr unsigned dropped = 23 - 10;
  const std::uint32_t even = bits >> dropped & 1U;
  const std::uint32_t rounded = (bits + (1U << (dropped - 1)) - 1 + even) >> dropped << dropped;
  return as_half(rounded) ? std::optional(rounded) : std::nullopt;
}

bool are_halves(const Source& constant, std::uint8_t lanes) {
  for (unsigned lane = 0; lane < 4; ++lane)
    if ((lanes >> lane & 1U) != 0 && !as_half(constant.bits[lane])) return false;
  return true;
}

const AluOp* real_twin(const AluOp* op) {
  struct Twin {
    const AluOp *bits, *real;
  };
  static constexpr Twin twins[] = {{alu_row("imov"), alu_row("fmov")},
                                   {alu_row("icsel"), alu_row("fcsel")},
                                   {alu_row("icsel_v"), alu_row("fcsel_v")}};
  const auto* const found = std::ranges::find(twins, op, &Twin::bits);
  return found == std::end(twins) ? nullptr : found->real;
}

Instruction copy_of(const Source& from, Value result, std::uint8_t mask, std::uint32_t line) {
  static constexpr const AluOp* imov = alu_row("imov");
  Instruction copy;
  copy.op = imov;
  copy.outmod = static_cast<std::uint8_t>(midgard::IntOutmod::keeplo);
  copy.result = result;
  copy.mask = mask;
  copy.sources[1] = from;
  copy.line = line;
  return copy;
}

std::uint8_t lanes_read(const Instruction& instruction, unsigned source) {
  constexpr std::uint8_t one = 1, pair = 3, three = 7, all = 15;
  switch (instruction.kind) {
    case Instruction::Kind::alu:
      if (instruction.op->is_horizontal()) return static_cast<std::uint8_t>((1U << instruction.op->reduces) - 1);
      return instruction.mask;
    case Instruction::Kind::load_store:
      if (source == 1) return instruction.argument_is_pair ? pair : instruction.whole_argument ? three : one;
      if (source == 2) return one;
      if (instruction.memory->does == midgard::LsMeaning::store_varying ||
          instruction.memory->does == midgard::LsMeaning::store_image)
        return all;
      if (instruction.memory->bytes == 16) return instruction.stored;
      return instruction.memory->bytes == 8 ? pair : one;
    case Instruction::Kind::texture:
      return source == 0 ? all : source == 2 ? three : one;
    case Instruction::Kind::branch:
      return one;
    case Instruction::Kind::writeout:
      return source == 0 ? all : one;
  }
  return 0;
}

std::uint8_t guard_lanes(const Instruction& instruction) {
  return instruction.guard.by_component ? instruction.mask : std::uint8_t{1};
}

}  // namespace mobula::midgard_compiler
