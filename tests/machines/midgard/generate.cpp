#include "machines/midgard/generate.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

constexpr unsigned work_registers = 8, uniform_registers = 4, first_uniform = 24 - uniform_registers;
consteval unsigned opcode_of(AluMeaning does) {
  for (const AluOp& row : alu_ops)
    if (row.does == does) return row.opcode;
  return 0;
}
constexpr unsigned op_flt = opcode_of(AluMeaning::flt), op_imov = opcode_of(AluMeaning::imov);

class Generator {
 public:
  Generator(const Product& product, const GenerateOptions& options)
      : product_(product), options_(options), random_(options.seed) {}

  Program run() {
    for (std::uint32_t i = 0; i < options_.bundles; ++i)
      bundles_.push_back(options_.memory && one_in(5) ? loads() : arithmetic());
    epilogue();
    link();
    Program program;
    program.machine = "midgard";
    program.variant = product_.name;
    program.interface.stage = Stage::fragment;
    program.interface.work_registers = work_registers;
    program.interface.uniform_registers = uniform_registers;
    for (const Bundle& bundle : bundles_) encode_bundle(bundle, program.code);
    return program;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool one_in(std::uint32_t chances) { return below(chances) == 0; }

  // ---------------------------------------------------------------------------------------------- ALU bundles

  Bundle arithmetic() {
    Bundle bundle;
    bundle.form = Bundle::Form::alu;
    const bool branch = options_.branches && one_in(6);
    bundle.has_constants = one_in(3);
    constants_read_ = false;
    const std::uint32_t shift = below(work_registers);
    for (unsigned i = 0; i < unit_count; ++i) {
      const Unit unit = static_cast<Unit>(i);
      const bool compares = branch && unit == Unit::smul;
      if (!compares && one_in(2)) continue;
      // Units of one word write different registers, so that no two writes of a stage overlap.
      const unsigned destination = (shift + i) % work_registers;
      bundle.alu[bundle.alu_count++] = compares ? comparison()
                                       : info(unit).vector
                                           ? vector(unit, destination, bundle.has_constants)
                                           : scalar_instruction(unit, destination, bundle.has_constants);
    }
    if (bundle.alu_count == 0) bundle.alu[bundle.alu_count++] = vector(Unit::vmul, shift, bundle.has_constants);
    // Constants that nothing reads would be legal but are never seen.
    if (!constants_read_) bundle.has_constants = false;
    if (bundle.has_constants)
      for (std::uint32_t& constant : bundle.constants)
        constant = one_in(2) ? static_cast<std::uint32_t>(random_()) : 0x3F000000 + below(0x1000000);
    if (branch) {
      bundle.has_compact = true;
      bundle.compact = encode_compact(
          {.op = BranchMeaning::cond, .call_mode = 1, .lut = static_cast<std::uint16_t>(one_in(2) ? 0xAAAA : 0x5555)});
    }
    for (const AluInstruction& instruction : bundle.alu_instructions())
      bundle.control |= 1u << info(instruction.unit).control_bit;
    if (branch) bundle.control |= 1u << control::branch_compact.low;
    return bundle;
  }

  /// An operation this unit runs, of known semantics and without needs beyond its operands.
  const AluOp& operation(Unit unit) {
    for (;;) {
      const AluOp& row = alu_ops[below(static_cast<std::uint32_t>(alu_ops.size()))];
      const bool steps = row.does == AluMeaning::fatan2_first || row.does == AluMeaning::fatan2_second;
      const bool shuffle_alone = row.does == AluMeaning::ichoose && !info(unit).vector;
      if ((row.units >> static_cast<unsigned>(unit) & 1) == 0 || row.fact.status == Status::unknown) continue;
      if (row.is_select() || shuffle_alone || row.widens || steps || row.does == AluMeaning::fdot_reduced) continue;
      return row;
    }
  }

  unsigned source_register(bool constants) {
    if (constants && one_in(4)) {
      constants_read_ = true;
      return register_constants;
    }
    return one_in(4) ? first_uniform + below(uniform_registers) : below(work_registers);
  }

  std::uint16_t registers(unsigned destination, unsigned source1, unsigned source2) {
    std::uint64_t word = 0;
    set(word, reg::dst, destination);
    set(word, reg::src1, source1);
    set(word, reg::src2, source2);
    return static_cast<std::uint16_t>(word);
  }

  unsigned lane_width(const AluOp& op) {
    constexpr std::array<unsigned, 8> widths{2, 2, 2, 2, 1, 1, 3, 0};
    if (op.look_up || op.does == AluMeaning::ffma) return 2;
    const unsigned mode = widths[below(widths.size())];
    const bool has_float = op.in == Kind::f || op.out == Kind::f;
    return mode == 0 && (has_float || op.reduces != 0) ? 2 : mode;
  }

  std::uint64_t source(const AluOp& op, unsigned mode, bool single_component) {
    const unsigned bits = 8u << mode;
    unsigned expand = one_in(4) ? below(8) : 0;
    if (!expand_allowed(expand, bits) || (op.in == Kind::f && widens(expand) && bits == 16)) expand = 0;
    std::uint64_t word = 0;
    if (op.in == Kind::f)
      set(word, vecsrc::mod, one_in(3) ? below(4) : 0);
    else if (widens(expand))
      set(word, vecsrc::mod, below(2));
    set(word, vecsrc::expand, expand);
    const unsigned component = below(4);
    set(word, vecsrc::swizzle,
        single_component               ? component * 0x55
        : mode == 3 && !widens(expand) ? pair_swizzle()
        : one_in(3)                    ? identity_swizzle
                                       : below(256));
    return word;
  }
  unsigned pair_swizzle() {
    constexpr std::array<unsigned, 4> pairs{0xE4, 0x44, 0xEE, 0x4E};
    return pairs[below(pairs.size())];
  }

  AluInstruction vector(Unit unit, unsigned destination, bool constants) {
    const AluOp& op = operation(unit);
    const unsigned mode = lane_width(op), bits = 8u << mode;
    const bool lut = op.look_up;
    AluInstruction instruction{.unit = unit};
    const unsigned source1 = op.uses_source2 ? register_unused : source_register(constants);
    const bool second = op.operands == 2 || op.uses_source2;
    const unsigned source2 = second ? source_register(constants) : 0;
    instruction.registers = registers(destination, source1, source2);
    set(instruction.word, vec::opcode, op.opcode);
    set(instruction.word, vec::mode, mode);
    if (!op.uses_source2) set(instruction.word, vec::src1, source(op, mode, lut));
    if (second) set(instruction.word, vec::src2, source(op, mode, false));
    const bool narrowed = mode != 0 && one_in(6) && !(op.out == Kind::f && bits == 16);
    set(instruction.word, vec::shrink, narrowed ? below(2) : static_cast<unsigned>(Shrink::none));
    set(instruction.word, vec::outmod,
        op.out == Kind::f ? (one_in(3) ? below(4) : 0)
        : narrowed        ? below(4)
                          : static_cast<unsigned>(IntOutmod::keeplo));
    const unsigned lanes = 128 / bits;
    const bool one_lane = op.is_horizontal();
    unsigned enabled = one_lane    ? 1u << below(std::min(lanes, 4u))
                       : one_in(2) ? (1u << lanes) - 1
                                   : 1 + below((1u << lanes) - 1);
    if (bits == 8) enabled |= enabled << 1 & 0xAAAA, enabled |= enabled >> 1 & 0x5555;
    set(instruction.word, vec::mask, mask_of_lanes(bits, enabled));
    // A one-operand operation has the inline constant 0 in its unused source, as compilers write it.
    if (!second)
      set_inline_constant(instruction, 0);
    else if ((mode == 1 || mode == 2) && one_in(5)) {
      set(instruction.word, vec::src2, 0);
      set_inline_constant(instruction, static_cast<std::uint16_t>(below(0x7C00) | (one_in(2) ? 0x8000 : 0)));
    }
    return instruction;
  }

  AluInstruction scalar_instruction(Unit unit, unsigned destination, bool constants) {
    const AluOp& op = operation(unit);
    AluInstruction instruction{.unit = unit};
    const bool second = op.operands == 2 || op.uses_source2;
    instruction.registers = registers(destination, op.uses_source2 ? register_unused : source_register(constants),
                                      second ? source_register(constants) : 0);
    set(instruction.word, scalar::opcode, op.opcode);
    const bool full1 = op.uses_source2 || !one_in(4);
    set(instruction.word, scalar::src1_full, full1);
    if (!op.uses_source2) {
      set(instruction.word, scalar::src1_component, full1 ? 2 * below(4) : below(8));
      set(instruction.word, scalar::src1_mod, op.in == Kind::f ? (one_in(3) ? below(4) : 0) : full1 ? 0 : below(2));
    }
    const bool full = !one_in(5);
    set(instruction.word, scalar::full, full);
    set(instruction.word, scalar::component, full ? 2 * below(4) : below(8));
    set(instruction.word, scalar::outmod,
        op.out == Kind::f ? (one_in(3) ? below(4) : 0)
        : full            ? static_cast<unsigned>(IntOutmod::keeplo)
                          : below(4));
    if (!second || one_in(4)) {
      set_inline_constant(instruction, static_cast<std::uint16_t>(second ? below(0x7C00) : 0));
      return instruction;
    }
    std::uint64_t word = 0;
    const bool full2 = !one_in(4);
    set(word, scalarsrc::full, full2);
    set(word, scalarsrc::component, full2 ? 2 * below(4) : below(8));
    set(word, scalarsrc::mod, op.in == Kind::f ? (one_in(3) ? below(4) : 0) : full2 ? 0 : below(2));
    set(instruction.word, scalar::src2, word);
    return instruction;
  }

  /// smul.FCMP.lt R31.w, Rn.c, Rm.d: the condition of this bundle's branch.
  AluInstruction comparison() {
    AluInstruction instruction{
        .unit = Unit::smul, .registers = registers(register_condition, below(work_registers), below(work_registers))};
    set(instruction.word, scalar::opcode, op_flt);
    set(instruction.word, scalar::src1_full, 1);
    set(instruction.word, scalar::src1_component, 2 * below(4));
    std::uint64_t word = 0;
    set(word, scalarsrc::full, 1);
    set(word, scalarsrc::component, 2 * below(4));
    set(instruction.word, scalar::src2, word);
    set(instruction.word, scalar::outmod, static_cast<unsigned>(IntOutmod::keeplo));
    set(instruction.word, scalar::full, 1);
    set(instruction.word, scalar::component, 6);
    return instruction;
  }

  // ---------------------------------------------------------------------------------------------- other bundles

  Bundle loads() {
    constexpr std::uint64_t varying = 0x98, uniform = 0xB0;  // ld_vary_32, ld_ubo_128
    Bundle bundle;
    bundle.form = Bundle::Form::load_store;
    bundle.tag = tag_load_store;
    const unsigned destination = below(work_registers);
    set(bundle.word, ldst::first, load(one_in(2) ? varying : uniform, destination));
    set(bundle.word, ldst::second,
        one_in(2) ? ls_noop : load(one_in(2) ? varying : uniform, (destination + 1) % work_registers));
    return bundle;
  }

  std::uint64_t load(std::uint64_t opcode, unsigned destination) {
    constexpr unsigned zero_register = 7, secondary_table = 2;
    const bool varying = find_ls_op(static_cast<unsigned>(opcode))->does == LsMeaning::varying;
    std::uint64_t word = 0;
    set(word, ls::op, opcode);
    set(word, ls::reg, destination);
    set(word, ls::mask, 1 + below(15));
    set(word, ls::swizzle, one_in(2) ? identity_swizzle : below(256));
    set(word, ls::index, zero_register);
    if (varying) {
      set(word, ls::arg, zero_register);
      set(word, ls::index_format, secondary_table);
      set(word, ls::table_offset, below(4));
      set(word, vary::perspective, 1);
      set(word, vary::sample, 1);
    } else {
      set(word, ls::ubo_offset, 16 * below(8));
    }
    return word;
  }

  /// Colour r0 leaves; the second bundle is the retry, which branches to itself.
  void epilogue() {
    for (int i = 0; i < 2; ++i) {
      Bundle bundle;
      bundle.form = Bundle::Form::alu;
      AluInstruction move{.unit = Unit::vmul, .registers = registers(0, register_unused, 0)};
      set(move.word, vec::opcode, op_imov);
      set(move.word, vec::mode, static_cast<unsigned>(RegMode::bits32));
      set(move.word, vec::shrink, static_cast<unsigned>(Shrink::none));
      set(move.word, vec::outmod, static_cast<unsigned>(IntOutmod::keeplo));
      set(move.word, vec::mask, 0xFF);
      std::uint64_t whole = 0;
      set(whole, vecsrc::swizzle, identity_swizzle);
      set(move.word, vec::src2, whole);
      bundle.alu[bundle.alu_count++] = move;
      bundle.has_compact = true;
      bundle.compact = encode_compact({.op = BranchMeaning::write, .call_mode = 1, .lut = 0xFFFF, .offset = -i});
      bundle.control = 1u << info(Unit::vmul).control_bit | 1u << control::branch_compact.low;
      bundles_.push_back(bundle);
    }
  }

  // ---------------------------------------------------------------------------------------------- linking

  /// Tags, lengths, next tags and branch targets.
  void link() {
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      Bundle& bundle = bundles_[i];
      if (bundle.form != Bundle::Form::alu) continue;
      const unsigned length = alu_quadwords(bundle);
      const bool writes = i + 2 >= bundles_.size();
      bundle.tag =
          static_cast<std::uint8_t>((writes && product_.writeout_tags ? tag_alu_writeout_4 : tag_alu_4) + length - 1);
      bundle.quadword_count = static_cast<std::uint8_t>(length);
    }
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      Bundle& bundle = bundles_[i];
      const bool last = i + 2 >= bundles_.size();
      bundle.next = last ? tag_break : bundles_[i + 1].tag;
      if (bundle.form == Bundle::Form::load_store) {
        set(bundle.word, ldst::tag, bundle.tag);
        set(bundle.word, ldst::next, bundle.next);
      }
      if (!bundle.has_compact) continue;
      Branch branch = compact_branch(bundle.compact);
      std::size_t target = i + 1;
      if (!last) {
        target = std::min(i + 1 + below(6), bundles_.size() - 2);
        branch.offset = distance(i + 1, target);
      } else {
        target = bundles_.size() - 1;
      }
      branch.dest_tag = bundles_[target].tag;
      bundle.compact = encode_compact(branch);
    }
  }

  [[nodiscard]] std::int32_t distance(std::size_t from, std::size_t to) const {
    std::int32_t quads = 0;
    for (; from < to; ++from) quads += bundles_[from].quadword_count;
    return quads;
  }

  const Product& product_;
  GenerateOptions options_;
  std::mt19937_64 random_;
  std::vector<Bundle> bundles_;
  bool constants_read_ = false;
};

}  // namespace

Program generate(std::string_view variant, const GenerateOptions& options) {
  return Generator(find_product(variant), options).run();
}

}  // namespace mobula::midgard
