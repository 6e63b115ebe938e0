// Bundles for tests, made field by field.
#pragma once

#include <optional>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/texture_opcodes.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

inline constexpr unsigned xyzw = 0xE4, xxxx = 0x00, yyyy = 0x55, zzzz = 0xAA, wwww = 0xFF;

/// Operand of a vector instruction.
struct V {
  unsigned reg = register_unused;
  unsigned swizzle = xyzw;
  unsigned mod = 0;
  Expand expand = Expand::none;
  std::optional<std::uint16_t> constant;  ///< inline; of source 2 only
};
/// Operand of a scalar instruction: a 32-bit component, or (half) a 16-bit one.
struct S {
  unsigned reg = register_unused;
  unsigned component = 0;
  unsigned mod = 0;
  bool half = false;
  std::optional<std::uint16_t> constant;  ///< inline; of source 2 only
};

struct Out {
  unsigned outmod = 0;
  Shrink shrink = Shrink::none;
  unsigned mask = 0xFF;
};
inline constexpr unsigned keeplo = 2, keephi = 3, ssat = 0, usat = 1;

inline std::uint64_t encoded(const V& source) {
  std::uint64_t bits = 0;
  set(bits, vecsrc::mod, source.mod);
  set(bits, vecsrc::expand, static_cast<unsigned>(source.expand));
  set(bits, vecsrc::swizzle, source.swizzle);
  return bits;
}

/// A vector instruction; integer opcodes want Out{keeplo}.
inline AluInstruction vector_op(Unit unit, unsigned opcode, RegMode mode, unsigned dst, V a, V b, Out out = {}) {
  AluInstruction instruction{.unit = unit};
  std::uint64_t registers = 0;
  set(registers, reg::src1, a.reg);
  set(registers, reg::src2, b.reg);
  set(registers, reg::dst, dst);
  instruction.registers = static_cast<std::uint16_t>(registers);
  set(instruction.word, vec::opcode, opcode);
  set(instruction.word, vec::mode, static_cast<unsigned>(mode));
  set(instruction.word, vec::src1, encoded(a));
  set(instruction.word, vec::src2, encoded(b));
  set(instruction.word, vec::shrink, static_cast<unsigned>(out.shrink));
  set(instruction.word, vec::outmod, out.outmod);
  set(instruction.word, vec::mask, out.mask);
  if (b.constant) set_inline_constant(instruction, *b.constant);
  return instruction;
}

inline AluInstruction scalar_op(Unit unit, unsigned opcode, S dst, S a, S b, unsigned outmod = 0) {
  AluInstruction instruction{.unit = unit};
  const auto component = [](const S& s) { return s.half ? s.component : 2 * s.component; };
  std::uint64_t registers = 0, second = 0;
  set(registers, reg::src1, a.reg);
  set(registers, reg::src2, b.reg);
  set(registers, reg::dst, dst.reg);
  instruction.registers = static_cast<std::uint16_t>(registers);
  set(second, scalarsrc::mod, b.mod);
  set(second, scalarsrc::full, b.half ? 0 : 1);
  set(second, scalarsrc::component, component(b));
  set(instruction.word, scalar::opcode, opcode);
  set(instruction.word, scalar::src1_mod, a.mod);
  set(instruction.word, scalar::src1_full, a.half ? 0 : 1);
  set(instruction.word, scalar::src1_component, component(a));
  set(instruction.word, scalar::src2, second);
  set(instruction.word, scalar::outmod, outmod);
  set(instruction.word, scalar::full, dst.half ? 0 : 1);
  set(instruction.word, scalar::component, component(dst));
  if (b.constant) set_inline_constant(instruction, *b.constant);
  return instruction;
}

/// An arithmetic bundle; its tag is made from its length. Instructions come in the order of Unit.
inline Bundle alu(std::vector<AluInstruction> instructions,
                  std::optional<std::array<std::uint32_t, 4>> constants = {}) {
  Bundle bundle;
  bundle.form = Bundle::Form::alu;
  for (const AluInstruction& instruction : instructions) {
    bundle.alu[bundle.alu_count++] = instruction;
    bundle.control |= 1u << info(instruction.unit).control_bit;
  }
  if (constants) {
    bundle.has_constants = true;
    bundle.constants = *constants;
  }
  bundle.next = tag_break;
  bundle.quadword_count = static_cast<std::uint8_t>(alu_quadwords(bundle));
  bundle.tag = static_cast<std::uint8_t>(tag_alu_4 + bundle.quadword_count - 1);
  return bundle;
}
/// The same with a branch.
inline Bundle with(Bundle bundle, const Branch& branch) {
  if (branch.extended) {
    bundle.has_extended = true;
    bundle.extended = encode_extended(branch);
    bundle.control |= 1u << control::branch_extended.low;
  } else {
    bundle.has_compact = true;
    bundle.compact = encode_compact(branch);
    bundle.control |= 1u << control::branch_compact.low;
  }
  bundle.quadword_count = static_cast<std::uint8_t>(alu_quadwords(bundle));
  bundle.tag = static_cast<std::uint8_t>(tag_alu_4 + bundle.quadword_count - 1);
  return bundle;
}

/// A load/store instruction; absent registers are the zero selector.
struct Ls {
  unsigned op = 3;
  unsigned reg = 0;
  unsigned mask = 15, swizzle = xyzw;
  unsigned arg = 7, arg_component = 0;
  bool toggle = false;
  unsigned index_format = 0, index = 7, index_component = 0, shift = 0;
  std::int32_t offset = 0;
};
inline std::uint64_t encoded(const Ls& i) {
  if (i.op == 3) return ls_noop;
  std::uint64_t word = 0;
  set(word, ls::op, i.op);
  set(word, ls::reg, i.reg);
  set(word, ls::mask, i.mask);
  set(word, ls::swizzle, i.swizzle);
  set(word, ls::arg, i.arg);
  set(word, ls::arg_component, i.arg_component);
  set(word, ls::toggle, i.toggle ? 1 : 0);
  set(word, ls::index_format, i.index_format);
  set(word, ls::index, i.index);
  set(word, ls::index_component, i.index_component);
  set(word, ls::shift, i.shift);
  set(word, ls::offset, static_cast<std::uint32_t>(i.offset));
  return word;
}
inline Bundle load_store(const Ls& first, const Ls& second = {}) {
  Bundle bundle;
  bundle.form = Bundle::Form::load_store;
  bundle.tag = tag_load_store;
  bundle.next = tag_break;
  set(bundle.word, ldst::first, encoded(first));
  set(bundle.word, ldst::second, encoded(second));
  return bundle;
}
/// Displacement of attribute, varying, image and special numbers, above the nine low bits of the offset field.
constexpr std::int32_t table(std::int32_t number, std::int32_t low = 0) { return number * 512 + low; }

/// A texture bundle: a float 2D lookup in full registers unless said otherwise.
struct Tex {
  unsigned op = tex_sample, mode = 1, format = 2, exec = 3, tag = tag_texture;
  unsigned in_swizzle = xyzw, out_swizzle = xyzw, mask = 15, outmod = 0, sampler_type = 1;
  bool in_full = true, in_select = false, in_upper = false, out_full = true, out_select = false, out_upper = false;
  bool sampler_register = false, texture_register = false, lod_register = false, offset_register = false;
  unsigned offset = 0, lod_fraction = 0, sampler = 0, texture = 0;
  int lod_integer = 0;
};
inline Bundle texture(const Tex& t) {
  Bundle bundle;
  bundle.form = Bundle::Form::texture;
  bundle.tag = static_cast<std::uint8_t>(t.tag);
  bundle.next = tag_break;
  Word128& word = bundle.word;
  set(word, tex::op, t.op);
  set(word, tex::mode, t.mode);
  set(word, tex::exec, t.exec);
  set(word, tex::format_, t.format);
  set(word, tex::sampler_register, t.sampler_register);
  set(word, tex::texture_register, t.texture_register);
  set(word, tex::lod_register, t.lod_register);
  set(word, tex::offset_register, t.offset_register);
  set(word, tex::in_full, t.in_full);
  set(word, tex::in_select, t.in_select);
  set(word, tex::in_upper, t.in_upper);
  set(word, tex::in_swizzle, t.in_swizzle);
  set(word, tex::out_full, t.out_full);
  set(word, tex::sampler_type, t.sampler_type);
  set(word, tex::out_select, t.out_select);
  set(word, tex::out_upper, t.out_upper);
  set(word, tex::mask, t.mask);
  set(word, tex::outmod, t.outmod);
  set(word, tex::swizzle, t.out_swizzle);
  set(word, tex::offset, t.offset);
  set(word, tex::lod_fraction, t.lod_fraction);
  set(word, tex::lod_integer, static_cast<unsigned>(t.lod_integer));
  set(word, tex::sampler, t.sampler);
  set(word, tex::texture, t.texture);
  return bundle;
}

/// A program of bundles, each announcing the tag of the one after it; the last ends the thread.
inline Program program_of(std::vector<Bundle> bundles, std::string variant = {}) {
  Program program;
  program.machine = "midgard";
  program.variant = std::move(variant);
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    Bundle& bundle = bundles[i];
    bundle.next = i + 1 < bundles.size() ? bundles[i + 1].tag : tag_break;
    if (bundle.form != Bundle::Form::alu) {
      set(bundle.word, tex::tag, bundle.tag);
      set(bundle.word, tex::next, bundle.next);
    }
    encode_bundle(bundle, program.code);
  }
  return program;
}

}  // namespace mobula::midgard
