#include "machines/rogue/text/text_only.h"

#include <algorithm>

namespace mobula::rogue {
namespace {

// Bytes of a group: 0 to 2 as in a header, with the kind in place of the decode assist; 3 how many lines, and what else
// there is; 4 to 15 the slots; 16 to 19 the registers written; 20 to 31 the lines, of two sums in 20 to 29 and beside
// them a complex operation in its form of two bytes.
constexpr std::size_t more_byte = 3, slots_byte = 4, written_byte = 16, lines_byte = 20, complex_byte = 30;
constexpr unsigned no_move = 7;
constexpr std::size_t sop_lines = 2, mad_lines = 4, sop_operands = 4, mad_operands = 3;

void put16(std::uint8_t* at, const Register& reg) {
  const unsigned value = static_cast<unsigned>(reg.bank) << 11 | reg.index;
  at[0] = static_cast<std::uint8_t>(value);
  at[1] = static_cast<std::uint8_t>(value >> 8);
}
std::optional<Register> get16(const std::uint8_t* at) {
  const unsigned value = at[0] | at[1] << 8u;
  if (value >> 14 != 0) return std::nullopt;
  return Register{static_cast<Bank>(value >> 11), static_cast<std::uint16_t>(value & max_index)};
}

std::uint8_t byte_of(const SopOperand& operand) {
  return static_cast<std::uint8_t>(operand.slot | static_cast<unsigned>(operand.view) << 3 |
                                   (operand.negated ? 32u : 0) | (operand.absolute ? 64u : 0) |
                                   (operand.one_minus ? 128u : 0));
}
std::optional<SopOperand> operand_of(std::uint8_t byte) {
  const unsigned view = byte >> 3 & 3u;
  if (view > 2) return std::nullopt;
  if ((byte & 7u) == SopOperand::zero && view != 0) return std::nullopt;
  return SopOperand{static_cast<std::uint8_t>(byte & 7u), static_cast<SopOperand::View>(view), (byte & 32) != 0,
                    (byte & 64) != 0, (byte & 128) != 0};
}

std::uint64_t long_form_of(const Item& item) {
  Values values = default_values;
  read(*item.form, item.bits, values);
  return write(*item.op->all_forms().back(), values);
}
/// The complex operation whose longer form this is, in its shortest one.
std::optional<Item> complex_of(std::uint64_t bits) {
  for (const Candidate& each : candidates(Unit::p1, static_cast<std::uint8_t>(bits))) {
    if (each.form->bytes != 2 || (bits & each.mask) != each.bits || !each.op->has(drives_w0)) continue;
    Values values = default_values;
    read(*each.form, bits, values);
    const Form* form = shortest_form(*each.op, values);
    return Item{form, each.op, write(*form, values)};
  }
  return std::nullopt;
}

/// What a line says beside its operands. The lines of sopmad have their places: W0.e0, W1.e0, W0.e1, W1.e1.
std::uint8_t byte_of(const SopLine& line) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(line.join) | static_cast<unsigned>(line.out) << 3 |
                                   static_cast<unsigned>(line.part) << 5 | line.port << 7u);
}
bool read_line(std::uint8_t byte, SopLine& line) {
  const unsigned join = byte & 7u, out = byte >> 3 & 3u, part = byte >> 5 & 3u;
  if (join > 4 || out > 2 || part > 2) return false;
  line.join = static_cast<SopLine::Join>(join);
  line.out = static_cast<SopLine::Out>(out);
  line.part = static_cast<SopOperand::View>(part);
  line.port = static_cast<std::uint8_t>(byte >> 7);
  return true;
}

}  // namespace

bool is_text_only(Does does) {
  if (does.family() != Does::Family::unencoded) return false;
  using does::Unencoded;
  switch (does.as<Unencoded>()) {
    case Unencoded::sum_of_products:
    case Unencoded::four_multiply_adds:
    case Unencoded::move_beside_sum:
    case Unencoded::texel_address:
      return true;
    case Unencoded::square_root:
    case Unencoded::from_f64:
    case Unencoded::to_f64:
    case Unencoded::f64_multiply:
    case Unencoded::f64_add:
    case Unencoded::f64_multiply_add:
    case Unencoded::f64_divide:
    case Unencoded::f64_reciprocal:
    case Unencoded::f64_square_root:
    case Unencoded::f64_reciprocal_root:
    case Unencoded::f64_copy:
    case Unencoded::test_less:
    case Unencoded::test_at_least:
    case Unencoded::top_bit_unlike_sign:
    case Unencoded::top_bit_from_top:
    case Unencoded::write_tessellator:
    case Unencoded::store_texels:
    case Unencoded::return_from_breakpoint:
    case Unencoded::uniq:
    case Unencoded::fetch:
      break;
  }
  return false;
}

namespace {

/// True if some text says it: no result twice, nothing said of what is not there.
bool is_written_so(const TextOnly& op) {
  const Group& group = op.group;
  for (unsigned port = 0; port < 2; ++port)
    if ((port == 0 ? !group.w0p : !group.w1p) && group.written[port] != Register{}) return false;
  if (op.kind == TextOnly::Kind::gta) return op.lines.empty() && !op.moved;
  if (op.writes_p0 || (op.lines.empty() && !op.moved)) return false;
  const bool mad = op.kind == TextOnly::Kind::sopmad;
  if (mad && op.lines.size() != mad_lines) return false;
  for (std::size_t i = 0; i < op.lines.size(); ++i) {
    const SopLine& line = op.lines[i];
    if (!(mad && line.is_idle()) && (line.port == 0 ? bool(group.item(Word::p1)) : op.moved.has_value())) return false;
    for (std::size_t other = 0; other < i; ++other) {
      const SopLine& before = op.lines[other];
      const bool overlaps =
          before.part == line.part || before.part == SopOperand::View::f32 || line.part == SopOperand::View::f32;
      if (before.port == line.port && overlaps) return false;
    }
  }
  return true;
}

}  // namespace

unsigned TextOnly::slots_used() const {
  constexpr unsigned gta_slots = 0b111011;
  if (kind == Kind::gta) return gta_slots;
  unsigned used = moved ? 1u << *moved : 0;
  if (group.item(Word::p1)) used |= 1u << upper_slot;
  for (const SopLine& line : lines)
    for (const SopOperand& each : line.operands)
      used |= each.slot == SopOperand::z ? 3u : each.slot < slot_count ? 1u << each.slot : 0;
  return used;
}

std::array<std::uint8_t, text_only_bytes> encode_text_only(const TextOnly& op) {
  std::array<std::uint8_t, text_only_bytes> bytes{};
  const Group& group = op.group;
  const auto condition = static_cast<unsigned>(group.condition);
  bytes[0] = static_cast<std::uint8_t>(static_cast<unsigned>(op.kind) << 4);  // length 16 is stored as 0
  bytes[1] = static_cast<std::uint8_t>(0x80u | (group.olchk ? 8u : 0) | (group.w1p ? 4u : 0) | (group.w0p ? 2u : 0) |
                                       (condition & 1));
  bytes[2] = static_cast<std::uint8_t>((group.end ? 0x80u : 0) | 0x20u | condition >> 1);
  bytes[more_byte] =
      static_cast<std::uint8_t>(op.lines.size() | (op.writes_p0 ? 8u : 0) | (op.moved ? *op.moved : no_move) << 4);
  for (std::size_t i = 0; i < slot_count; ++i) put16(&bytes[slots_byte + 2 * i], group.slots[i]);
  for (std::size_t i = 0; i < 2; ++i) put16(&bytes[written_byte + 2 * i], group.written[i]);
  std::size_t at = lines_byte;
  for (const SopLine& line : op.lines) {
    const bool mad = op.kind == TextOnly::Kind::sopmad;
    if (!mad) bytes[at++] = byte_of(line);
    for (std::size_t i = 0; i < (mad ? mad_operands : sop_operands); ++i) bytes[at++] = byte_of(line.operands[i]);
  }
  if (const Item& complex = group.item(Word::p1)) {
    const std::uint64_t bits = long_form_of(complex);
    bytes[complex_byte] = static_cast<std::uint8_t>(bits);
    bytes[complex_byte + 1] = static_cast<std::uint8_t>(bits >> 8);
  }
  return bytes;
}

std::optional<TextOnly> decode_text_only(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != text_only_bytes || (bytes[0] & 15) != 0 || bytes[0] >> 4 > 2) return std::nullopt;
  if ((bytes[1] & 0xF0) != 0x80 || (bytes[2] & 0x7E) != 0x20 || (bytes[more_byte] & 0x80) != 0) return std::nullopt;
  TextOnly op;
  op.kind = static_cast<TextOnly::Kind>(bytes[0] >> 4);
  Group& group = op.group;
  group.size = text_only_bytes;
  group.condition = static_cast<Condition>((bytes[2] & 1) << 1 | (bytes[1] & 1));
  group.olchk = (bytes[1] & 8) != 0;
  group.w1p = (bytes[1] & 4) != 0;
  group.w0p = (bytes[1] & 2) != 0;
  group.end = (bytes[2] & 0x80) != 0;
  const std::size_t count = bytes[more_byte] & 7u;
  const bool mad = op.kind == TextOnly::Kind::sopmad;
  if (count > (mad ? mad_lines : op.kind == TextOnly::Kind::sop ? sop_lines : 0)) return std::nullopt;
  op.writes_p0 = (bytes[more_byte] & 8) != 0;
  if (const unsigned moved = bytes[more_byte] >> 4; moved != no_move) {
    if (moved >= slot_count) return std::nullopt;
    op.moved = static_cast<std::uint8_t>(moved);
  }
  for (std::size_t i = 0; i < slot_count + 2; ++i) {
    const auto reg = get16(&bytes[slots_byte + 2 * i]);
    if (!reg) return std::nullopt;
    (i < slot_count ? group.slots[i] : group.written[i - slot_count]) = *reg;
  }
  std::size_t at = lines_byte;
  for (std::size_t i = 0; i < count; ++i) {
    SopLine line;
    if (mad) {
      line.join = SopLine::Join::mad;
      line.port = static_cast<std::uint8_t>(i % 2);
      line.part = i < 2 ? SopOperand::View::e0 : SopOperand::View::e1;
    } else if (!read_line(bytes[at++], line)) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k < (mad ? mad_operands : sop_operands); ++k) {
      const auto operand = operand_of(bytes[at++]);
      if (!operand) return std::nullopt;
      line.operands[k] = *operand;
    }
    op.lines.push_back(line);
  }
  if (const unsigned bits = bytes[complex_byte] | bytes[complex_byte + 1] << 8u; !mad && bits != 0) {
    const auto complex = complex_of(bits);
    if (!complex || op.kind != TextOnly::Kind::sop) return std::nullopt;
    group.item(Word::p1) = *complex;
  }
  if (!is_written_so(op)) return std::nullopt;
  const auto again = encode_text_only(op);
  if (!std::equal(again.begin(), again.end(), bytes.begin())) return std::nullopt;  // bits that say nothing
  return op;
}

namespace {

void model(Group& group, TextOnly& op) {
  op.group.offset = group.offset;
  op.group.content = text_only_bytes;
  choose_header(op.group);
  op.group.lower = &forms::lower[0];  // its slots count
  op.group.modelled = {true, op.writes_p0, static_cast<std::uint8_t>(op.slots_used())};
  group = op.group;
}

}  // namespace

Group decode_group(const Program& program, std::uint32_t offset) {
  Group group = decode_group(std::span(program.code), offset);
  if (program.variant != model_variant || !group.raw()) return group;
  if (auto op = decode_text_only(std::span(program.code).subspan(offset, group.size))) model(group, *op);
  return group;
}

std::vector<Group> decode(const Program& program) {
  std::vector<Group> groups;
  for (std::uint32_t offset = 0; offset < program.code.size(); offset += groups.back().size)
    groups.push_back(decode_group(program, offset));
  return groups;
}

TextOnly text_only_of(const Program& program, const Group& group) {
  return *decode_text_only(std::span(program.code).subspan(group.offset, group.size));
}

}  // namespace mobula::rogue
