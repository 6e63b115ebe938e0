#include "machines/midgard/spec/codec.h"
#include "core/counted.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace mobula::midgard {
namespace {

std::uint64_t load(const std::uint8_t* bytes, unsigned count) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, count);  // little-endian hosts only, as everywhere in mobula
  return value;
}

void append(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// Bytes of control word, register words, unit fields and branches.
unsigned field_bytes(std::uint32_t control) {
  unsigned bytes = 4;
  for (const UnitInfo& unit : units)
    if (control >> unit.control_bit & 1) bytes += 2 + unit.bytes;
  if (get(control, control::branch_compact) != 0) bytes += 2;
  if (get(control, control::branch_extended) != 0) bytes += 6;
  return bytes;
}

constexpr unsigned round_up_quadwords(unsigned bytes) { return (bytes + quadword_bytes - 1) / quadword_bytes; }

Bundle raw_bundle(const std::uint8_t* bytes, std::uint32_t position) {
  Bundle bundle;
  bundle.position = position;
  bundle.tag = bytes[0] & 15;
  bundle.next = bytes[0] >> 4;
  bundle.word = {load(bytes, 8), load(bytes + 8, 8)};
  return bundle;
}

void decode_alu(const std::uint8_t* bytes, unsigned fields, bool constants, Bundle& bundle) {
  bundle.form = Bundle::Form::alu;
  const auto control = static_cast<std::uint32_t>(load(bytes, 4));
  bundle.control = control & ~0xFFu;
  const std::uint8_t* registers = bytes + 4;
  for (unsigned i = 0; i < unit_count; ++i)
    if (control >> units[i].control_bit & 1) bundle.alu[bundle.alu_count++].unit = static_cast<Unit>(i);
  const std::uint8_t* cursor = registers + 2 * bundle.alu_count;
  for (unsigned i = 0; i < bundle.alu_count; ++i) {
    AluInstruction& instruction = bundle.alu[i];
    instruction.registers = static_cast<std::uint16_t>(load(registers + 2 * i, 2));
    instruction.word = load(cursor, info(instruction.unit).bytes);
    cursor += info(instruction.unit).bytes;
  }
  if (get(control, control::branch_compact) != 0) {
    bundle.has_compact = true;
    bundle.compact = static_cast<std::uint16_t>(load(cursor, 2));
    cursor += 2;
  }
  if (get(control, control::branch_extended) != 0) {
    bundle.has_extended = true;
    bundle.extended = load(cursor, 6);
    cursor += 6;
  }
  bundle.padding_count = static_cast<std::uint8_t>(round_up_quadwords(fields) * quadword_bytes - fields);
  std::memcpy(bundle.padding.data(), cursor, bundle.padding_count);
  if (constants) {
    bundle.has_constants = true;
    std::memcpy(bundle.constants.data(), cursor + bundle.padding_count, quadword_bytes);
  }
}

}  // namespace

const AluInstruction* Bundle::find(Unit unit) const {
  for (const AluInstruction& instruction : alu_instructions())
    if (instruction.unit == unit) return &instruction;
  return nullptr;
}

Bundle decode_bundle(std::span<const std::uint8_t> code, std::uint32_t position) {
  const std::uint8_t* bytes = code.data() + std::size_t{position} * quadword_bytes;
  const std::size_t left = code.size() / quadword_bytes - position;
  Bundle bundle;
  bundle.position = position;
  bundle.tag = bytes[0] & 15;
  bundle.next = bytes[0] >> 4;
  bundle.quadword_count = static_cast<std::uint8_t>(quadwords(bundle.tag));
  if (is_alu_tag(bundle.tag)) {
    const unsigned fields = field_bytes(static_cast<std::uint32_t>(load(bytes, 4)));
    const unsigned needed = round_up_quadwords(fields);
    const bool sized = bundle.quadword_count == needed || bundle.quadword_count == needed + 1;
    if (!sized || bundle.quadword_count > left) return raw_bundle(bytes, position);
    decode_alu(bytes, fields, bundle.quadword_count > needed, bundle);
    return bundle;
  }
  bundle.word = {load(bytes, 8), load(bytes + 8, 8)};
  if (bundle.tag == tag_load_store) {
    bundle.form = Bundle::Form::load_store;
  } else if (bundle.tag >= tag_texture_vertex && bundle.tag <= tag_barrier) {
    bundle.form = Bundle::Form::texture;
  } else {
    bundle.quadword_count = 1;
  }
  return bundle;
}

unsigned bundle_length(std::span<const std::uint8_t> code, std::uint32_t position) {
  const std::uint8_t* bytes = code.data() + std::size_t{position} * quadword_bytes;
  const unsigned announced = quadwords(bytes[0] & 15);
  if (announced <= 1) return 1;
  const unsigned needed = round_up_quadwords(field_bytes(static_cast<std::uint32_t>(load(bytes, 4))));
  const bool sized = announced == needed || announced == needed + 1;
  return sized && announced <= code.size() / quadword_bytes - position ? announced : 1;
}

std::vector<Bundle> decode_program(std::span<const std::uint8_t> code) {
  std::vector<Bundle> bundles;
  const auto count = static_cast<std::uint32_t>(code.size() / quadword_bytes);
  for (std::uint32_t position = 0; position < count; position += bundles.back().quadword_count)
    bundles.push_back(decode_bundle(code, position));
  return bundles;
}

std::string raw_reason(std::span<const std::uint8_t> code, std::uint32_t position) {
  const Bundle bundle = decode_bundle(code, position);
  if (bundle.form != Bundle::Form::raw) return {};
  const std::string tag = "tag " + std::to_string(bundle.tag);
  if (!is_alu_tag(bundle.tag))
    return tag + " (" + std::string(tags[bundle.tag].name) + ") does not begin a known bundle";
  const auto control = static_cast<std::uint32_t>(bundle.word.low);
  const unsigned needed = round_up_quadwords(field_bytes(control)), announced = quadwords(bundle.tag);
  const std::size_t left = code.size() / quadword_bytes - position;
  if (announced > left)
    return tag + " announces " + counted(announced, "quadword") + " but " + counted(left, "is left", "are left");
  return tag + " announces " + counted(announced, "quadword") + " but the units present take " +
         std::to_string(needed) + ", or " + std::to_string(needed + 1) + " with constants";
}

unsigned alu_quadwords(const Bundle& bundle) {
  return round_up_quadwords(field_bytes(bundle.control)) + (bundle.has_constants ? 1 : 0);
}

void encode_bundle(const Bundle& bundle, std::vector<std::uint8_t>& out) {
  if (bundle.form != Bundle::Form::alu) {
    append(out, bundle.word.low, 8);
    append(out, bundle.word.high, 8);
    return;
  }
  append(out, bundle.control | static_cast<std::uint32_t>(bundle.next << 4 | bundle.tag), 4);
  for (const AluInstruction& instruction : bundle.alu_instructions()) append(out, instruction.registers, 2);
  for (const AluInstruction& instruction : bundle.alu_instructions())
    append(out, instruction.word, info(instruction.unit).bytes);
  if (bundle.has_compact) append(out, bundle.compact, 2);
  if (bundle.has_extended) append(out, bundle.extended, 6);
  const unsigned fields = field_bytes(bundle.control);
  const unsigned gap = round_up_quadwords(fields) * quadword_bytes - fields;
  for (unsigned i = 0; i < gap; ++i) out.push_back(gap == bundle.padding_count ? bundle.padding[i] : 0);
  if (bundle.has_constants)
    for (const std::uint32_t constant : bundle.constants) append(out, constant, 4);
}

Branch compact_branch(std::uint16_t word) {
  Branch branch;
  branch.op = static_cast<BranchMeaning>(get(word, branch::op));
  branch.dest_tag = static_cast<std::uint8_t>(get(word, branch::dest_tag));
  branch.call_mode = 1;
  if (branch.op == BranchMeaning::uncond) {
    branch.call_mode = static_cast<std::uint8_t>(get(word, bruncond::call_mode));
    branch.offset = static_cast<std::int32_t>(get_signed(word, bruncond::offset));
  } else {
    branch.offset = static_cast<std::int32_t>(get_signed(word, brcond::offset));
    branch.lut = static_cast<std::uint16_t>(get(word, brcond::condition) * 0x5555);
  }
  return branch;
}

Branch extended_branch(std::uint64_t word) {
  Branch branch;
  branch.extended = true;
  branch.op = static_cast<BranchMeaning>(get(word, branch::op));
  branch.dest_tag = static_cast<std::uint8_t>(get(word, branch::dest_tag));
  branch.call_mode = static_cast<std::uint8_t>(get(word, brx::call_mode));
  branch.offset = static_cast<std::int32_t>(get_signed(word, brx::offset));
  branch.lut = static_cast<std::uint16_t>(get(word, brx::lut));
  return branch;
}

bool fits_compact(const Branch& branch) {
  if (branch.offset < -64 || branch.offset > 63) return false;
  if (branch.op == BranchMeaning::uncond) return branch.lut == 0xFFFF;
  return branch.call_mode == 1 && branch.lut == (branch.lut & 3) * 0x5555;
}

std::uint16_t encode_compact(const Branch& branch) {
  std::uint64_t word = 0;
  set(word, branch::op, opcode_of(branch.op));
  set(word, branch::dest_tag, branch.dest_tag);
  if (branch.op == BranchMeaning::uncond) {
    set(word, bruncond::call_mode, branch.call_mode);
    set(word, bruncond::offset, static_cast<std::uint32_t>(branch.offset));
  } else {
    set(word, brcond::offset, static_cast<std::uint32_t>(branch.offset));
    set(word, brcond::condition, branch.lut & 3);
  }
  return static_cast<std::uint16_t>(word);
}

std::uint64_t encode_extended(const Branch& branch) {
  std::uint64_t word = 0;
  set(word, branch::op, opcode_of(branch.op));
  set(word, branch::dest_tag, branch.dest_tag);
  set(word, brx::call_mode, branch.call_mode);
  set(word, brx::offset, static_cast<std::uint32_t>(branch.offset));
  set(word, brx::lut, branch.lut);
  return word;
}

Branches branches(const Bundle& bundle) {
  Branches result;
  if (bundle.has_compact) result.items[result.count++] = compact_branch(bundle.compact);
  if (bundle.has_extended) result.items[result.count++] = extended_branch(bundle.extended);
  return result;
}

std::uint16_t inline_constant(const AluInstruction& instruction) {
  const std::uint64_t high = get(instruction.registers, reg::src2) << 11;
  if (info(instruction.unit).vector) {
    const std::uint64_t source = get(instruction.word, vec::src2);
    return static_cast<std::uint16_t>(high | get(source, vecinline::bits_10_8) << 8 | get(source, vecinline::bits_7_0));
  }
  const std::uint64_t source = get(instruction.word, scalar::src2);
  return static_cast<std::uint16_t>(high | get(source, scalarinline::bits_10_9) << 9 |
                                    get(source, scalarinline::bit_8) << 8 | get(source, scalarinline::bits_7_5) << 5 |
                                    get(source, scalarinline::bits_4_0));
}

void set_inline_constant(AluInstruction& instruction, std::uint16_t constant) {
  std::uint64_t registers = instruction.registers;
  set(registers, reg::src2, constant >> 11);
  set(registers, reg::inline_constant, 1);
  instruction.registers = static_cast<std::uint16_t>(registers);
  if (info(instruction.unit).vector) {
    std::uint64_t source = get(instruction.word, vec::src2);
    set(source, vecinline::bits_10_8, constant >> 8);
    set(source, vecinline::bits_7_0, constant);
    set(instruction.word, vec::src2, source);
    return;
  }
  std::uint64_t source = 0;
  set(source, scalarinline::bits_10_9, constant >> 9);
  set(source, scalarinline::bit_8, constant >> 8);
  set(source, scalarinline::bits_7_5, constant >> 5);
  set(source, scalarinline::bits_4_0, constant);
  set(instruction.word, scalar::src2, source);
}

LaneSource lane_source(unsigned lane_width, unsigned expand, unsigned swizzle, unsigned lane) {
  const auto selector = [&](unsigned k) { return (swizzle >> (2 * (k & 3))) & 3; };
  const unsigned half_lanes = 64 / lane_width;  // lanes of one 64-bit half, full width
  const unsigned half = lane / half_lanes;
  if (lane_width == 32) {
    if (widens(expand)) return {static_cast<std::uint8_t>((expand & 1) * 4 + selector(lane)), 16};
    return {static_cast<std::uint8_t>(selector(lane)), 32};
  }
  // The half of the (possibly widened) operand that this lane's half takes.
  unsigned from = half;
  if (expand == 1 || expand == 2) from = expand - 1;
  if (expand == 3 || expand >= 6) from = 1 - half;
  if (lane_width == 16) {
    if (widens(expand)) return {static_cast<std::uint8_t>((expand & 1) * 8 + from * 4 + selector(lane)), 8};
    return {static_cast<std::uint8_t>(from * 4 + selector(lane)), 16};
  }
  return {static_cast<std::uint8_t>(8 * from + 2 * selector(lane >> 1) + (lane & 1)), 8};
}

WideLaneSource wide_lane_source(unsigned expand, unsigned swizzle, unsigned lane, unsigned half) {
  const unsigned selected = (swizzle >> (2 * (2 * lane + half))) & 3;
  if (!widens(expand)) return {static_cast<std::uint8_t>(selected), false};
  return {static_cast<std::uint8_t>((expand & 1) * 2 + selected / 2), (selected & 1) != 0};
}

std::uint16_t enabled_lanes(unsigned lane_width, unsigned mask) {
  unsigned lanes = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    if (lane_width == 8)
      lanes |= 3u << (2 * bit);
    else
      lanes |= 1u << (bit * 16 / lane_width);
  }
  return static_cast<std::uint16_t>(lanes);
}

std::uint8_t mask_of_lanes(unsigned lane_width, unsigned lanes) {
  unsigned mask = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    if (lanes >> (lane_width == 8 ? 2 * bit : bit * 16 / lane_width) & 1) mask |= 1u << bit;
  return static_cast<std::uint8_t>(mask);
}

bool mask_is_regular(unsigned lane_width, unsigned mask) {
  return mask_of_lanes(lane_width, enabled_lanes(lane_width, mask)) == mask;
}

}  // namespace mobula::midgard
