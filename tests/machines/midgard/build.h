// Words for tests, built from named fields. Defaults are the plainest legal word of each form.
#pragma once

#include <optional>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/texture_opcodes.h"
#include "mobula/isa/program.h"

namespace mobula::midgard::build {

inline constexpr unsigned fadd = 0x10, fmul = 0x14, fdot3 = 0x3C, iadd = 0x40, imov = 0x7B, ieq = 0xA0, icsel_v = 0xC0,
                          icsel = 0xC1, frcp = 0xF0;

/// The output modifier that does nothing.
inline unsigned neutral_outmod(unsigned opcode) { return output_kind(opcode) == Kind::f ? 0 : 2; }

struct Vector {
  unsigned opcode = fmul, dst = 0, src1 = 0, src2 = 0, mode = 2;
  unsigned mod1 = 0, expand1 = 0, swizzle1 = 0xE4, mod2 = 0, expand2 = 0, swizzle2 = 0xE4;
  unsigned shrink = 2, mask = 0xFF;
  std::optional<unsigned> outmod{};
  std::optional<std::uint16_t> constant{};
};

inline std::uint16_t registers(unsigned dst, unsigned src1, unsigned src2) {
  std::uint64_t word = 0;
  set(word, reg::dst, dst), set(word, reg::src1, src1), set(word, reg::src2, src2);
  return static_cast<std::uint16_t>(word);
}

inline AluInstruction alu(Unit unit, const Vector& op) {
  AluInstruction instruction{.unit = unit, .registers = registers(op.dst, op.src1, op.src2)};
  const auto source = [](unsigned mod, unsigned expand, unsigned swizzle) {
    std::uint64_t word = 0;
    set(word, vecsrc::mod, mod), set(word, vecsrc::expand, expand), set(word, vecsrc::swizzle, swizzle);
    return word;
  };
  std::uint64_t& word = instruction.word;
  set(word, vec::opcode, op.opcode), set(word, vec::mode, op.mode);
  set(word, vec::src1, source(op.mod1, op.expand1, op.swizzle1));
  set(word, vec::src2, source(op.mod2, op.expand2, op.swizzle2));
  set(word, vec::shrink, op.shrink), set(word, vec::mask, op.mask);
  set(word, vec::outmod, op.outmod.value_or(neutral_outmod(op.opcode)));
  if (op.constant) set_inline_constant(instruction, *op.constant);
  return instruction;
}

/// Components count 16-bit halves.
struct Scalar {
  unsigned opcode = fmul, dst = 0, component = 0, src1 = 0, component1 = 0, src2 = 0, component2 = 0;
  bool full = true, full1 = true, full2 = true;
  unsigned mod1 = 0, mod2 = 0, reserved = 0;
  std::optional<unsigned> outmod{};
  std::optional<std::uint16_t> constant{};
};

inline AluInstruction alu(Unit unit, const Scalar& op) {
  AluInstruction instruction{.unit = unit, .registers = registers(op.dst, op.src1, op.src2)};
  std::uint64_t source = 0;
  set(source, scalarsrc::mod, op.mod2), set(source, scalarsrc::full, op.full2);
  set(source, scalarsrc::component, op.component2);
  std::uint64_t& word = instruction.word;
  set(word, scalar::opcode, op.opcode), set(word, scalar::src1_mod, op.mod1), set(word, scalar::src1_full, op.full1);
  set(word, scalar::src1_component, op.component1), set(word, scalar::src2, source);
  set(word, scalar::unknown_25, op.reserved), set(word, scalar::full, op.full);
  set(word, scalar::component, op.component);
  set(word, scalar::outmod, op.outmod.value_or(neutral_outmod(op.opcode)));
  if (op.constant) set_inline_constant(instruction, *op.constant);
  return instruction;
}

/// A comparison on a scalar unit that writes r31.w.
inline AluInstruction condition(Unit unit) { return alu(unit, Scalar{.opcode = ieq, .dst = 31, .component = 6}); }

struct Word {
  std::vector<AluInstruction> units{};  ///< in the order of the control word
  std::optional<Branch> branch{};       ///< compact or extended, as it says
  bool constants = false, writeout_tag = false;
  std::uint32_t control = 0;  ///< further bits
};

inline Bundle bundle(const Word& word) {
  Bundle result{.form = Bundle::Form::alu};
  result.control = word.control;
  for (const AluInstruction& instruction : word.units) {
    result.alu[result.alu_count++] = instruction;
    result.control |= 1u << info(instruction.unit).control_bit;
  }
  if (word.branch && word.branch->extended) {
    result.has_extended = true;
    result.extended = encode_extended(*word.branch);
    result.control |= 1u << control::branch_extended.low;
  } else if (word.branch) {
    result.has_compact = true;
    result.compact = encode_compact(*word.branch);
    result.control |= 1u << control::branch_compact.low;
  }
  result.has_constants = word.constants;
  result.quadword_count = static_cast<std::uint8_t>(alu_quadwords(result));
  result.tag =
      static_cast<std::uint8_t>((word.writeout_tag ? tag_alu_writeout_4 : tag_alu_4) + result.quadword_count - 1);
  return result;
}

struct LoadStore {
  unsigned op = 0x88, reg = 0, mask = 15, swizzle = 0xE4, arg = 7, arg_component = 0, toggle = 0, index_format = 2,
           index = 7, index_component = 0, shift = 0;
  int offset = 0;
};

inline std::uint64_t instruction(const LoadStore& op) {
  std::uint64_t word = 0;
  set(word, ls::op, op.op), set(word, ls::reg, op.reg), set(word, ls::mask, op.mask),
      set(word, ls::swizzle, op.swizzle);
  set(word, ls::arg, op.arg), set(word, ls::arg_component, op.arg_component), set(word, ls::toggle, op.toggle);
  set(word, ls::index_format, op.index_format), set(word, ls::index, op.index);
  set(word, ls::index_component, op.index_component), set(word, ls::shift, op.shift);
  set(word, ls::offset, static_cast<std::uint32_t>(op.offset));
  return word;
}

inline Bundle bundle(std::uint64_t first, std::uint64_t second = ls_noop) {
  Bundle result{.form = Bundle::Form::load_store, .tag = tag_load_store};
  set(result.word, ldst::first, first), set(result.word, ldst::second, second);
  return result;
}
inline Bundle bundle(const LoadStore& op) { return bundle(instruction(op)); }
inline Bundle bundle(const LoadStore& first, const LoadStore& second) {
  return bundle(instruction(first), instruction(second));
}

struct Texture {
  std::uint8_t tag = tag_texture;
  unsigned op = tex_sample, mode = 1, exec = 3, format = 2, in_full = 1, in_upper = 0, out_full = 1, out_upper = 0,
           mask = 15, type = 1, outmod = 0, ooo = 0, offset = 0, offset_register = 0, lod_register = 0, lod = 0,
           lod_integer = 0;
};

inline Bundle bundle(const Texture& op) {
  Bundle result{.form = Bundle::Form::texture, .tag = op.tag};
  Word128& word = result.word;
  set(word, tex::op, op.op), set(word, tex::mode, op.mode), set(word, tex::exec, op.exec);
  set(word, tex::format_, op.format), set(word, tex::in_full, op.in_full), set(word, tex::in_upper, op.in_upper);
  set(word, tex::in_swizzle, 0xE4), set(word, tex::out_full, op.out_full), set(word, tex::out_upper, op.out_upper);
  set(word, tex::mask, op.mask), set(word, tex::sampler_type, op.type), set(word, tex::outmod, op.outmod);
  set(word, tex::swizzle, 0xE4), set(word, tex::out_of_order, op.ooo), set(word, tex::offset, op.offset);
  set(word, tex::offset_register, op.offset_register), set(word, tex::lod_register, op.lod_register);
  set(word, tex::lod_fraction, op.lod), set(word, tex::lod_integer, op.lod_integer);
  return result;
}

/// The words one after another, each announcing the tag of the next and the last one the end.
inline Program program(std::vector<Bundle> bundles, std::string variant = {}, const Interface& interface = {}) {
  Program result;
  result.machine = "midgard";
  result.variant = std::move(variant);
  result.interface = interface;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    Bundle& word = bundles[i];
    word.next = i + 1 < bundles.size() ? bundles[i + 1].tag : tag_break;
    if (word.form != Bundle::Form::alu) {
      set(word.word, ldst::tag, word.tag);
      set(word.word, ldst::next, word.next);
    }
    encode_bundle(word, result.code);
  }
  return result;
}

}  // namespace mobula::midgard::build
