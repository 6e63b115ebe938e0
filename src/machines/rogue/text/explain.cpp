#include "machines/rogue/text/explain.h"

#include <algorithm>
#include <string>

#include "machines/rogue/check/check.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

// ------------------------------------------------------------------------------------------------ fields of a group

std::string register_text(const Register& reg) {
  std::array<char, 24> buffer{};
  std::string text(buffer.data(), put_register(buffer.data(), reg));
  if (reg.bank != Bank::special) return text;
  if (const std::string_view name = special_name(reg.index); !name.empty()) text += " (" + std::string(name) + ')';
  if (const auto bits = constant_value(reg.index)) {
    std::array<char, 24> number{};
    text += " = " + std::string(number.data(), put_hex(number.data(), *bits));
  }
  return text;
}

std::string binary(std::uint64_t bits, unsigned width) {
  std::string text;
  for (unsigned i = width; i-- > 0;) text += (bits >> i & 1) != 0 ? '1' : '0';
  return text;
}

class GroupExplainer {
 public:
  GroupExplainer(const Group& group, std::span<const std::uint8_t> code)
      : group_(group), code_(code.subspan(group.offset, group.size)) {}

  std::vector<ExplainedField> run() {
    if (group_.raw()) {
      add_raw();
      return std::move(rows_);
    }
    add_form(header(), {});
    for (const Word word : words_of(group_.alu))
      if (const Item& item = group_.item(word); item && item.form->bytes != 0) add_form(*item.form, item.op);
    for (const Form* form : {group_.lower, group_.upper})
      if (form != nullptr) add_form(*form, {});
    if (group_.alu == Alu::main) add_form(forms::iss, {});
    if (group_.destination != nullptr) add_form(*group_.destination, {});
    for (; at_ < code_.size(); ++at_)
      rows_.push_back(
          {"padding", "padding", 8 * at_, 8, code_[at_], "fills the group up to its length", Status::binaries, "4.10"});
    return std::move(rows_);
  }

 private:
  [[nodiscard]] const Form& header() const {
    if (group_.alu == Alu::main) return group_.brief ? forms::main_brief : forms::main;
    return group_.alu == Alu::bitwise ? forms::bitwise : forms::control;
  }
  void add_raw() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      const bool here = i == group_.problem.byte;
      rows_.push_back({"raw", "byte", 8 * i, 8, code_[i], here ? std::string(group_.problem.text) : "not decoded",
                       Status::unknown, "4.11"});
    }
  }

  void add_form(const Form& form, const Op* op) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < form.bytes; ++i) bits |= std::uint64_t{code_[at_ + i]} << (8 * i);
    std::vector<ExplainedField> rows;
    for (const Place& place : form.fields()) add_field(form, place, bits, op, rows);
    add_fixed(form, bits, op, rows);
    std::sort(rows.begin(), rows.end(), [](const ExplainedField& a, const ExplainedField& b) { return a.low < b.low; });
    std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
    at_ += form.bytes;
  }

  void add_field(const Form& form, const Place& place, std::uint64_t bits, const Op* op,
                 std::vector<ExplainedField>& rows) const {
    unsigned above = place.width();
    for (std::size_t i = 0; i < place.piece_count; ++i) {
      const Piece piece = place.pieces[i];
      above -= piece.width;
      std::string name(info(place.field).name);
      if (place.piece_count > 1)
        name +=
            '[' + std::to_string(above + piece.width - 1u) + (piece.width > 1 ? ':' + std::to_string(above) : "") + ']';
      const Fact& fact = op != nullptr ? op->fact : form.fact;
      rows.push_back({std::string(form.name), std::move(name), 8 * at_ + piece.low, piece.width,
                      bits >> piece.low & low_mask(piece.width),
                      i == 0 ? meaning(place, bits) : "lower bits of " + std::string(info(place.field).name),
                      fact.status, std::string(fact.source)});
    }
  }
  void add_fixed(const Form& form, std::uint64_t bits, const Op* op, std::vector<ExplainedField>& rows) const {
    for (unsigned low = 0; low < 8u * form.bytes;) {
      unsigned width = 0;
      while (low + width < 8u * form.bytes && (form.fixed_mask >> (low + width) & 1) != 0) ++width;
      if (width != 0) {
        const std::uint64_t value = bits >> low & low_mask(width);
        std::string meaning = "fixed: " + binary(value, width);
        if (op != nullptr) meaning += ", part of what makes it " + std::string(op->name);
        rows.push_back({std::string(form.name), "fixed", 8 * at_ + low, width, value, std::move(meaning),
                        form.fact.status, std::string(form.fact.source)});
      }
      low += std::max(width, 1u);
    }
  }

  [[nodiscard]] std::string meaning(const Place& place, std::uint64_t bits) const {
    const FieldInfo& row = info(place.field);
    const std::uint32_t stored = get(bits, place);
    std::string text(row.meaning);
    for (const FieldValue& each : row.names)
      if (each.value == stored) {
        text += ": " + std::string(each.name);
        if (!each.meaning.empty()) text += ", " + std::string(each.meaning);
      }
    static constexpr std::array<F, 6> slots{F::s0, F::s1, F::s2, F::s3, F::s4, F::s5};
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (place.field == slots[i]) text += ": " + register_text(group_.slots[i]);
    if (place.field == F::d0 || (place.field == F::dN && group_.w0p))
      text += ": W0 to " + register_text(group_.written[0]);
    if (place.field == F::d1 || (place.field == F::dN && !group_.w0p))
      text += ": W1 to " + register_text(group_.written[1]);
    if (place.field == F::length) text += ": " + std::to_string(group_.size) + " bytes";
    if (place.field == F::rpt) text += ": runs " + std::to_string(stored + 1) + (stored == 0 ? " time" : " times");
    if (row.kind == Kind::slot) text += ": s" + std::to_string(stored);
    if (row.kind == Kind::target)
      text += ": to byte " + std::to_string(branch_target(group_, group_.item(Word::control)));
    if (row.kind == Kind::count16) text += ": " + std::to_string(stored == 0 ? 1u << place.width() : stored);
    return text;
  }

  const Group& group_;
  std::span<const std::uint8_t> code_;
  std::uint32_t at_ = 0;
  std::vector<ExplainedField> rows_;
};

// ------------------------------------------------------------------------------------------------ manual

ManualFormat describe(const Form& form) {
  ManualFormat result{.name = std::string(form.name), .width = 8u * form.bytes, .fields = {}};
  for (const Place& place : form.fields())
    for (std::size_t i = 0; i < place.piece_count; ++i) {
      const FieldInfo& row = info(place.field);
      std::string meaning(row.meaning);
      std::string separator = ": ";
      for (const FieldValue& value : row.names) {
        meaning += separator + std::to_string(value.value) + ' ' + std::string(value.name);
        separator = ", ";
      }
      if (i != 0) meaning = "lower bits of " + std::string(row.name);
      result.fields.push_back({std::string(form.name), std::string(row.name), place.pieces[i].low,
                               place.pieces[i].width, 0, std::move(meaning), form.fact.status,
                               std::string(form.fact.source)});
    }
  std::sort(result.fields.begin(), result.fields.end(),
            [](const ExplainedField& a, const ExplainedField& b) { return a.low < b.low; });
  return result;
}

std::string operand_text(const OperandSpec& operand, const Op& op) {
  std::string text(operand.field == F::count_ || operand.what == OperandSpec::What::predicate
                       ? spelling(operand.name)
                       : info(operand.field).name);
  if (operand.what == OperandSpec::What::predicate) text = "(p0|_)";
  if (operand.what == OperandSpec::What::maybe) text = "(" + text + "|_)";
  if (operand.what == OperandSpec::What::mask) text += "{.e0.e1.e2.e3}";
  if (operand.modified <= 2) {
    const SourceModifiers& fields = source_modifiers[operand.modified];
    for (const auto& [field, name] : {std::pair{fields.floor, "flr"}, std::pair{fields.absolute, "abs"},
                                      std::pair{fields.negated, "neg"}, std::pair{fields.element, "eN"}})
      if (field != F::count_ && op.has_field(field)) text += "{." + std::string(name) + '}';
  }
  if (operand.element) text += "{.eN}";
  return operand.optional ? '[' + text + ']' : text;
}

ManualEntry describe(const Op& op) {
  static constexpr std::array<std::string_view, unit_count> units{"phase 0",
                                                                  "phase 1",
                                                                  "phase 2 pack",
                                                                  "phase 2 test",
                                                                  "phase 2 move",
                                                                  "backend",
                                                                  "bitwise phase 0 bitmask",
                                                                  "bitwise phase 0 shift",
                                                                  "bitwise phase 0 count",
                                                                  "bitwise phase 1 logical",
                                                                  "bitwise phase 2 shift",
                                                                  "bitwise phase 2 test",
                                                                  "control"};
  ManualEntry entry{.mnemonic = std::string(op.name), .status = op.fact.status, .source = std::string(op.fact.source)};
  for (std::size_t i = 0; i < unit_count; ++i)
    // A complex operation is in phase 1 where the core has that option.
    if (op.in(static_cast<Unit>(i)) && !(static_cast<Unit>(i) == Unit::p1 && op.has(drives_w0)))
      entry.title += (entry.title.empty() ? "" : " or ") + std::string(units[i]);
  if (!op.meaning.empty()) entry.body = std::string(op.meaning) + ".\n";
  if (!op.encodable()) {
    entry.body += "No encoding is published. It exists as text, and in bytes of the variant rogue:model alone.\n";
    return entry;
  }
  entry.body += std::string(op.name);
  for (const Modifier& each : op.all_modifiers()) {
    std::string names(each.flag);
    if (each.flag.empty())
      for (const FieldValue& row : info(each.field).names) names += (names.empty() ? "" : "|") + std::string(row.name);
    entry.body += each.always ? ".(" + names + ')' : "{." + names + '}';
  }
  std::string separator = " ";
  for (const OperandSpec& operand : op.all_operands()) {
    entry.body += separator + operand_text(operand, op);
    separator = ", ";
  }
  if (op.in(Unit::p1) && op.has(drives_w0)) entry.body += "\nAlso in phase 1 of rogue:complex-p1, beside phase 0.";
  entry.body += "\nForms:";
  for (const Form* form : op.all_forms())
    entry.body += ' ' + std::string(form->name) + " (" + std::to_string(form->bytes) + " bytes)";
  entry.body += "\n";
  return entry;
}

}  // namespace

namespace {

std::vector<ExplainedField> fields_of(const Program& program, const Group& group) {
  if (group.modelled.present)
    return explain_text_only(std::span(program.code).subspan(group.offset, group.size), text_only_of(program, group));
  return GroupExplainer(group, program.code).run();
}

}  // namespace

std::vector<ExplainedWord> explain(const Program& program) {
  const std::vector<Group> groups = decode(program);
  TextBuffer text;
  std::vector<Listing::Word> words;
  print(program, text, &words);
  const Diagnostics findings = check_groups(program);
  std::vector<ExplainedWord> result;
  result.reserve(groups.size());
  std::size_t finding = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    std::string line(text.view().substr(words[i].text_begin, words[i].text_end - words[i].text_begin));
    while (!line.empty() && line.back() == '\n') line.pop_back();
    ExplainedWord& word =
        result.emplace_back(ExplainedWord{group.offset, group.size, std::move(line), fields_of(program, group), {}});
    for (; finding < findings.size() && findings[finding].where.byte_offset.value_or(0) < group.offset + group.size;
         ++finding)
      word.diagnostics.push_back(findings[finding]);
  }
  return result;
}

Manual manual() {
  Manual result;
  std::vector<const Form*> seen{&forms::main_brief, &forms::main, &forms::bitwise, &forms::control};
  for (const Form& form : forms::lower) seen.push_back(&form);
  for (const Form& form : forms::upper) seen.push_back(&form);
  seen.push_back(&forms::iss);
  for (const Form& form : forms::one_destination) seen.push_back(&form);
  for (const Form& form : forms::two_destinations) seen.push_back(&form);
  for (const Op& op : ops()) {
    result.entries.push_back(describe(op));
    for (const Form* form : op.all_forms())
      if (form->bytes != 0 && std::find(seen.begin(), seen.end(), form) == seen.end()) seen.push_back(form);
  }
  for (const Form* form : seen) result.formats.push_back(describe(*form));
  return result;
}

}  // namespace mobula::rogue
