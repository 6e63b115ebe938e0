// Words from operands; and, when all labels are known, what depends on them.
#include <array>

#include "core/counted.h"
#include "machines/afuc/text/assembler.h"

namespace mobula::afuc {

bool Assembler::fits(const Opcode& opcode, const std::vector<Written>& operands) const {
  if (opcode.operands.size() != operands.size()) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    using Kind = Written::Kind;
    const Written& written = operands[i];
    const OperandSpec& operand = opcode.operands[i];
    bool good = false;
    switch (operand.kind) {
      case OperandKind::source:
      case OperandKind::destination:
        good = written.kind == Kind::reg && (operand.field != nullptr || written.reg == reg_lr);
        break;
      case OperandKind::secure:
        good = written.kind == Kind::reg && written.reg == reg_secure;
        break;
      case OperandKind::number:
        // A label as a number looks like a target.
        good = (written.kind == Kind::number || (written.kind == Kind::target && !written.number.is_plain())) &&
               !written.shifted;
        break;
      case OperandKind::shifted:
        good = written.kind == Kind::number || (written.kind == Kind::target && !written.number.is_plain());
        break;
      case OperandKind::bit:
        good = written.kind == Kind::bit;
        break;
      case OperandKind::control:
      case OperandKind::sqe:
      case OperandKind::memory:
        good = written.kind == Kind::access;
        break;
      case OperandKind::relative:
      case OperandKind::absolute:
      case OperandKind::skip:
        good = written.kind == Kind::target && !written.shifted;
        break;
    }
    if (!good) return false;
  }
  return true;
}

void Assembler::encode(const Opcode& opcode, const std::vector<Written>& operands,
                       const std::vector<LineToken>& prefix_tokens, const std::vector<const Prefix*>& used) {
  std::uint32_t word = opcode.match;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Prefix& prefix = *used[i];
    if (!has_field(opcode, *prefix.field))
      error(prefix_tokens[i].span(), "AF129",
            "this form of '" + std::string(opcode.name) + "' takes no (" + std::string(prefix.name) + ")");
    else if (field_of(word, *prefix.field) != 0)
      error(prefix_tokens[i].span(), "AF129", "(" + std::string(prefix.name) + ") contradicts a prefix before it");
    else
      word |= std::uint32_t{prefix.value} << prefix.field->low;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) put_operand(word, opcode.operands[i], operands[i], opcode);
  add_word(word);
}

void Assembler::put_operand(std::uint32_t& word, const OperandSpec& operand, const Written& written,
                            const Opcode& opcode) {
  switch (operand.kind) {
    case OperandKind::source:
    case OperandKind::destination:
      if (operand.field != nullptr) word |= written.reg << operand.field->low;
      return;
    case OperandKind::secure:
      return;
    case OperandKind::shifted:
      word |= written.shift << field::shift.low;
      put_number(word, *operand.field, written.number);
      return;
    case OperandKind::number:
      put_number(word, *operand.field, written.number);
      return;
    case OperandKind::bit:
      word |= written.bit << operand.field->low;
      return;
    case OperandKind::control:
    case OperandKind::sqe:
    case OperandKind::memory:
      put_access(word, operand, written, opcode);
      return;
    case OperandKind::relative:
      fix(Fixup::Kind::relative, written.number);
      return;
    case OperandKind::absolute:
      fix(Fixup::Kind::absolute, written.number);
      return;
    case OperandKind::skip:
      fix(Fixup::Kind::skip, written.number);
      return;
  }
}

void Assembler::put_access(std::uint32_t& word, const OperandSpec& operand, const Written& written,
                           const Opcode& opcode) {
  word |= written.reg << field::base.low;
  if (written.pre) word |= 1u << field::pre.low;
  put_number(word, *operand.field, written.number);
  if (!written.flags) return;
  // The flags are the bits, whatever the mnemonic implies: old listings call an swrite of a6xx cwrite with flag 8, and
  // a store of a5xx cwrite without it.
  const std::uint32_t bits = *written.flags << access_bits.low;
  const std::uint32_t prefixed = word & (1u << field::pre.low | 3u << field::sds.low);
  word = (word & ~(0xFu << access_bits.low)) | prefixed | bits;
  const Opcode* now = decoder_->find(word);
  if (now == nullptr || !is_canonical(word, *now))
    error(written.where, "AF118",
          "'" + std::string(opcode.name) + "' cannot have the flags " + std::to_string(*written.flags),
          "flags are bits 15:12 of the word");
}

void Assembler::put_number(std::uint32_t& word, const Field& field, const Number& number) {
  if (!number.is_plain()) {
    fix(Fixup::Kind::field, number, &field);
    return;
  }
  const auto largest = static_cast<std::int64_t>(low_mask(field.width));
  if (number.value < 0 || number.value > largest) {
    error(number.where, "AF130",
          "the number " + std::to_string(number.value) + " does not fit in " + counted(field.width, "bit"),
          "allowed: 0 to " + std::to_string(largest) + (field.width == 16 ? "; mov takes NUMBER << SHIFT" : ""));
    return;
  }
  word |= static_cast<std::uint32_t>(number.value) << field.low;
}

// ------------------------------------------------------------------------------------------------ labels

std::optional<std::int64_t> Assembler::value_of(const Number& number, const Section& section) {
  // Sums of hostile texts wrap; whoever asked checks the range.
  auto value = static_cast<std::uint64_t>(number.value);
  for (const Term& term : number.terms) {
    std::optional<std::uint64_t> at;
    if (!term.symbol) {
      const auto label = section.labels.find(term.name);
      if (label != section.labels.end()) at = label->second - section.start;
    } else if (term.name == end_symbol) {
      at = words_.size();
    } else {
      for (const Section& each : sections_)
        if (each.name == term.name) at = each.start;
    }
    if (!at) {
      Nearest nearest(term.name);
      for (const auto& [name, word] : section.labels) nearest.offer(name);
      error(term.where, "AF131", std::string("there is no ") + (term.symbol ? "program " : "label ") + quote(term.name),
            names_ == Names::mesa22
                ? "listings of Mesa 22.3.6 do not say where words of data seem to lead: write such a "
                  "word as [xxxxxxxx], which afuc-disasm -v shows"
                : nearest.hint());
      return std::nullopt;
    }
    value += *at * static_cast<std::uint64_t>(term.factor);
  }
  return static_cast<std::int64_t>(value);
}

void Assembler::resolve() {
  // Words beyond the limit are not there; that is an error already.
  for (const Fixup& fixup : fixups_)
    if (fixup.word < words_.size() && diagnostics_.size() < most_parse_errors) resolve(fixup);
  fill_tables();
}

void Assembler::resolve(const Fixup& fixup) {
  const Section& section = sections_[fixup.section];
  std::uint32_t& word = words_[fixup.word];
  const bool labelled = !fixup.number.is_plain();
  const auto value = value_of(fixup.number, section);
  if (!value) return;
  const auto here = static_cast<std::int64_t>(fixup.word - section.start);
  switch (fixup.kind) {
    case Fixup::Kind::field:
      if (*value < 0 || *value > static_cast<std::int64_t>(low_mask(fixup.field->width))) {
        error(
            fixup.number.where, "AF130",
            "this address is " + std::to_string(*value) + " and does not fit in " + counted(fixup.field->width, "bit"));
        return;
      }
      word |= static_cast<std::uint32_t>(*value) << fixup.field->low;
      return;
    case Fixup::Kind::payload: {
      constexpr std::int64_t largest = 0xFFFFFF;
      if (*value < 0 || *value > largest)
        error(fixup.number.where, "AF130",
              "this address is " + std::to_string(*value) + " and does not fit in 24 bits");
      word = decoder_->nop_with(static_cast<std::uint32_t>(*value));
      return;
    }
    case Fixup::Kind::relative: {
      const std::int64_t distance = labelled ? *value - here : *value;
      if (distance < -0x8000 || distance > 0x7FFF) {
        error(fixup.number.where, "AF132", "this target is " + std::to_string(distance) + " words away",
              "allowed: -32768 to 32767; jumpa and call reach everything");
        return;
      }
      word |= static_cast<std::uint32_t>(distance) & 0xFFFF;
      return;
    }
    case Fixup::Kind::absolute: {
      // Mesa's disassembler shows the field with a sign where it holds no address of the image.
      constexpr std::int64_t least = -(std::int64_t{1} << 25);
      if (!labelled && *value < 0 && *value >= least) {
        word |= static_cast<std::uint32_t>(*value) & static_cast<std::uint32_t>(low_mask(field::target.width));
        return;
      }
      if (*value < 0 || *value > static_cast<std::int64_t>(low_mask(field::target.width))) {
        error(fixup.number.where, "AF132", "this target is word " + std::to_string(*value), "allowed: 0 to 67108863");
        return;
      }
      word |= static_cast<std::uint32_t>(*value);
      return;
    }
    case Fixup::Kind::skip:
      if ((labelled ? *value - here : *value) != 3)
        error(fixup.number.where, "AF133", "setsecure goes three words on, but this label is not there",
              "put the label after the two words that follow");
      return;
  }
}

/// Mesa 22.3.6's assembler put the packet table after the code by itself and its address into word 1; its disassembler
/// leaves out the table of an a5xx, and shows that of an a6xx as words.
void Assembler::append_table() {
  constexpr std::uint32_t address_bits = 0xFFFF;
  Section& section = sections_.front();
  if (sections_.size() != 1 || section.table || words_.size() < 2) return;
  const bool any_packet = std::any_of(section.labels.begin(), section.labels.end(), [&](const auto& label) {
    return find_packet(chip_->map, label.first).has_value();
  });
  const std::uint32_t told = words_[1] & address_bits;
  const bool wanted = told == words_.size() || (names_ == Names::mesa22 && (told == 0 || told > words_.size()));
  if (!any_packet || !wanted) return;
  section.table = words_.size();
  words_[1] = (words_[1] & ~address_bits) | static_cast<std::uint32_t>(words_.size());
  for (unsigned i = 0; i < packet_table_words; ++i) add_word(0);
}

void Assembler::fill_tables() {
  for (const Section& section : sections_) {
    if (!section.table || *section.table + packet_table_words > words_.size()) continue;
    std::array<std::string_view, packet_table_words> taken{};
    for (const auto& [name, word] : section.labels) {
      const auto entry = find_packet(chip_->map, name);
      if (!entry) continue;
      std::uint32_t& handler = words_[*section.table + *entry];
      if (!taken[*entry].empty() && handler != word - section.start)
        error(span_of(name), "AF135", "labels " + quote(taken[*entry]) + " and " + quote(name) + " are the same packet",
              "a packet has one handler");
      taken[*entry] = name;
      handler = static_cast<std::uint32_t>(word - section.start);
    }
  }
}

}  // namespace mobula::afuc
