// Small Midgard programs for the tests of timing, word by word.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/texture_opcodes.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

class TimingProgram {
 public:
  /// One quadword: r(dst) = r(src) moved by the scalar adder, and a branch if given (offset in quadwords from the next
  /// word).
  TimingProgram& alu(std::optional<Branch> branch = {}, unsigned dst = 0, unsigned src = 0) {
    Bundle bundle{.form = Bundle::Form::alu, .tag = tag_alu_4};
    bundle.control = 1u << info(Unit::sadd).control_bit;
    AluInstruction move{.unit = Unit::sadd};
    std::uint64_t registers = 0;
    set(registers, reg::src1, register_unused);
    set(registers, reg::src2, src);
    set(registers, reg::dst, dst);
    move.registers = static_cast<std::uint16_t>(registers);
    set(move.word, scalar::opcode, 0x30);
    set(move.word, scalar::full, 1);
    bundle.alu[bundle.alu_count++] = move;
    if (branch) {
      std::uint64_t control = bundle.control;
      set(control, control::branch_compact, 1);
      bundle.control = static_cast<std::uint32_t>(control);
      bundle.has_compact = true;
      bundle.compact = encode_compact(*branch);
    }
    return add(bundle);
  }
  /// A load into r(dst) from the thread's memory by the selector (3 = its own storage), or a store.
  TimingProgram& load_store(unsigned op = 0x90, unsigned dst = 0, unsigned selector = 7) {
    std::uint64_t first = 0;
    set(first, ls::op, op);
    set(first, ls::reg, dst);
    set(first, ls::arg, selector);
    Bundle bundle{.form = Bundle::Form::load_store, .tag = tag_load_store};
    set(bundle.word, ldst::first, first);
    set(bundle.word, ldst::second, ls_noop);
    return add(bundle);
  }
  TimingProgram& texture(unsigned out_of_order = 0, unsigned format = 2) {
    Bundle bundle{.form = Bundle::Form::texture, .tag = tag_texture};
    set(bundle.word, tex::op, tex_sample);
    set(bundle.word, tex::format_, format);
    set(bundle.word, tex::out_of_order, out_of_order);
    return add(bundle);
  }
  TimingProgram& barrier() {
    Bundle bundle{.form = Bundle::Form::texture, .tag = tag_barrier};
    set(bundle.word, tex::op, tex_barrier);
    return add(bundle);
  }
  /// A quadword that heads no bundle.
  TimingProgram& raw() { return add({.tag = tag_invalid}); }
  /// The word added last is followed by no other.
  TimingProgram& last() {
    bundles_.back().next = tag_break;
    ends_.resize(bundles_.size());
    ends_.back() = true;
    return *this;
  }

  TimingProgram& add(const Bundle& bundle) {
    bundles_.push_back(bundle);
    return *this;
  }

  /// Every word announces its successor in memory; the last one announces the end.
  [[nodiscard]] Program program(std::string variant, Stage stage = Stage::vertex) const {
    Program result{.file = "test", .machine = "midgard", .variant = std::move(variant)};
    result.interface.stage = stage;
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      Bundle bundle = bundles_[i];
      const bool ends = i + 1 == bundles_.size() || (i < ends_.size() && ends_[i]);
      bundle.next = ends ? tag_break : bundles_[i + 1].tag;
      put_tag(bundle);
      encode_bundle(bundle, result.code);
    }
    return result;
  }

 private:
  static void put_tag(Bundle& bundle) {
    if (bundle.form == Bundle::Form::alu) return;
    bundle.word.low = (bundle.word.low & ~0xFFull) | static_cast<std::uint64_t>(bundle.next << 4 | bundle.tag);
  }

  std::vector<Bundle> bundles_;
  std::vector<bool> ends_;
};

/// Branches by what they do; `offset` counts quadwords from the next word.
inline Branch jump(int offset) {
  return {.op = BranchMeaning::uncond, .dest_tag = tag_alu_4, .call_mode = 1, .lut = 0xFFFF, .offset = offset};
}
inline Branch jump_if(int offset) {
  return {.op = BranchMeaning::cond, .dest_tag = tag_alu_4, .call_mode = 1, .lut = 0xAAAA, .offset = offset};
}
inline Branch discard_if() { return {.op = BranchMeaning::discard, .call_mode = 1, .lut = 0xAAAA, .offset = 2}; }
inline Branch writeout(int offset) {
  return {.op = BranchMeaning::write, .dest_tag = tag_alu_4, .call_mode = 1, .lut = 0xFFFF, .offset = offset};
}

}  // namespace mobula::midgard
