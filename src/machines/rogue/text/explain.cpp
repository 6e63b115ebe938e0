#include "machines/rogue/text/explain.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/counted.h"
#include "core/listing_pieces.h"
#include "machines/rogue/check/check.h"
#include "machines/rogue/text/group_names.h"
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
    if (place.field == F::length) text += ": " + counted(group_.size, "byte");
    if (place.field == F::rpt) text += ": runs " + counted(stored + 1, "time");
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
  for (const std::string_view synonym : synonyms_of(base_name(op.name))) entry.names.emplace_back(synonym);
  if (!op.mesa.empty() && op.mesa != op.name) entry.names.emplace_back(op.mesa);
  if (!op.meaning.empty()) entry.body = std::string(op.meaning) + ".\n";
  if (!op.encodable()) {
    entry.body += "No encoding is published. It exists as text, and in bytes of the variant rogue:model alone.\n";
    return entry;
  }
  entry.body += usage_of(op);
  if (op.in(Unit::p1) && op.has(drives_w0)) entry.body += "\nAlso in phase 1 of rogue:complex-p1, beside phase 0.";
  entry.body += "\nForms:";
  for (const Form* form : op.all_forms())
    entry.body += ' ' + std::string(form->name) + " (" + counted(form->bytes, "byte") + ")";
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

void explain_each(const Program& program, const ExplainedWordSink& each) {
  const Diagnostics findings = check_groups(program);
  std::size_t finding = 0;
  for_each_word(in_pieces(program, print, {.words = true}), [&](const Listing::Word& place, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const auto offset = static_cast<std::uint32_t>(place.byte_offset);
    ExplainedWord word{
        place.byte_offset, place.byte_length, std::string(text), fields_of(program, decode_group(program, offset)), {}};
    for (; finding < findings.size() && findings[finding].where.byte_offset.value_or(0) < offset + place.byte_length;
         ++finding)
      word.diagnostics.push_back(findings[finding]);
    each(std::move(word));
  });
}

namespace {

/// What the words of a group's text stand for.
struct Role {
  std::string_view mnemonic, names;  ///< a space between each two names
  std::string_view title, body;
  Fact fact;
};
constexpr Role roles[] = {
    {"s0-s2",
     "s0 s1 s2",
     "source",
     "a register that the group reads, bound as in s0 = r4; phase 0 has s0, s1 and s2",
     {Status::driver, "V-21"}},
    {"s3-s5",
     "s3 s4 s5",
     "source",
     "a register that the group reads, bound as in s3 = r4; phase 1 has s3, s4 and s5",
     {Status::driver, "V-21"}},
    {"ft0",
     "",
     "feedthrough",
     "result of phase 0; of a bitwise group S0, or the top bit of the mask",
     {Status::driver, "2.1"}},
    {"ft1",
     "",
     "feedthrough",
     "result of phase 1; of a bitwise group the mask or the immediate",
     {Status::driver, "2.1"}},
    {"ft2",
     "",
     "feedthrough",
     "result of the pack, add or multiply of phase 2; of a bitwise group that of the first shift",
     {Status::driver, "2.1"}},
    {"ft3", "", "feedthrough", "of a bitwise group: result of the count", {Status::driver, "3.7"}},
    {"ft4", "", "feedthrough", "of a bitwise group: result of the logical operation", {Status::driver, "3.7"}},
    {"ft5", "", "feedthrough", "of a bitwise group: result of the second shift", {Status::driver, "3.7"}},
    {"fte",
     "",
     "feedthrough",
     "the one register that reaches phase 2, chosen by is0; after some instructions the high half of their result",
     {Status::driver, "V-31"}},
    {"ftt", "", "feedthrough", "result of the test of phase 2, for the move after it", {Status::seed, "3.8"}},
    {"w0, w1",
     "w0 w1",
     "port",
     "an output of the ALU: a register that is written, or what the back end takes",
     {Status::seed, "2.1"}},
    {"tau",
     "",
     "unit",
     "the texture address unit: computes texel addresses for gta, of four instances at a time, and takes all phases",
     {Status::seed, "3.4"}},
    {"test",
     "",
     "part of phase 2",
     "compares, and gives ftt to the move after it and p0 to the group; in text before the move",
     {Status::seed, "3.8"}},
    {"p0",
     "",
     "predicate",
     "one bit of each instance: written by tests, read by conditions, carries and loops",
     {Status::driver, "5.1"}},
    {"drc0, drc1",
     "drc0 drc1",
     "fence counter",
     "counts what is on its way; wdf waits until it is 0",
     {Status::binaries, "5.6"}},
    {"rN", "r", "temporary register", "r0 to r247, of each instance; r4[idx0] is indexed", {Status::binaries, "1.2"}},
    {"viN", "vi", "vertex input", "vi0 to vi247, of each instance; vi4[idx0] is indexed", {Status::binaries, "1.2"}},
    {"cfN",
     "cf",
     "coefficient register",
     "what iteration reads, of the task; cf4[idx0] is indexed",
     {Status::binaries, "1.2"}},
    {"cfaN", "cfa", "alternate coefficient register", "of the task; cfa4[idx0] is indexed", {Status::driver, "1.2"}},
    {"shN",
     "sh",
     "shared register",
     "what all instances of a task share: uniforms and texture state; sh4[idx0] is indexed",
     {Status::binaries, "1.2"}},
    {"scN", "sc cN", "special constant", "number N of bank 0, where that is a constant", {Status::binaries, "1.3"}},
    {"srN", "sr", "special register", "number N of bank 0, where that is not a constant", {Status::driver, "1.4"}},
    {"iN", "i", "internal register", "i0 to i7, numbers 36 to 43 of bank 0", {Status::binaries, "1.2"}},
    {"slN", "sl", "internal register, counted from the other end", "sl0 is i7", {Status::document, "1.2"}},
    {"gN", "g", "global register", "g0 to g7, numbers 104 to 111 of bank 0", {Status::binaries, "1.2"}},
    {"poN",
     "po oN o",
     "pixel output",
     "po0 to po7, also o0 to o7: what emitpix sends; po0[idx0] is indexed",
     {Status::driver, "1.2"}},
    {"dcN", "dc", "constant memory", "always indexed: dc4[idx0]", {Status::driver, "1.2"}},
    {"idx0, idx1",
     "idx0 idx1 idxN",
     "index register",
     "added to the number of an indexed operand",
     {Status::driver, "1.2"}},
    {"neg", "", "modifier of a source", "the value negated, after .abs", {Status::driver, "V-32"}},
    {"e0-e3",
     "e0 e1 e2 e3 eN",
     "modifier of an operand",
     "an element: 16 bits of e0 and e1, bytes of e0 to e3",
     {Status::driver, "3.8"}},
    {"oneminus", "", "modifier of a source", "1 minus the value, in a sum of products", {Status::document, "3.3"}},
};

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> all;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    all.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return all;
}

ManualEntry describe(const Role& role) {
  return {.mnemonic = std::string(role.mnemonic),
          .title = std::string(role.title),
          .body = std::string(role.body) + ".\n",
          .status = role.fact.status,
          .source = std::string(role.fact.source),
          .names = split(role.names),
          .in_words = false};
}

ManualEntry describe_selector(unsigned selector) {
  static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
  const FieldInfo& row = info(fields[selector]);
  std::string body = std::string(row.meaning) + ": " + names_of(fields[selector]) + ".\n";
  if (selector == 1)
    body +=
        "The page's second external source is another name for the first, as is1 = s1 for is0 = s1 (decision 0028).\n";
  return {.mnemonic = std::string(row.name),
          .title = "selector",
          .body = std::move(body),
          .status = Status::driver,
          .source = "4.4",
          .names = {},
          .in_words = false};
}

/// What the numbers of bank 0 hold.
void add_special_registers(std::vector<ManualEntry>& entries) {
  constexpr unsigned numbers = 168;
  for (unsigned index = 0; index < numbers; ++index) {
    const Register reg{Bank::special, static_cast<std::uint16_t>(index)};
    const std::string_view name = special_name(index);
    const bool constant = is(reg, Special::constant);
    if (constant ? !constant_value(index) : name.empty()) continue;
    entries.push_back({.mnemonic = text_of(reg),
                       .title = constant ? "special constant" : "special register",
                       .body = register_text(reg) + ".\n",
                       .status = constant ? Status::binaries : Status::driver,
                       .source = constant ? "1.3" : "1.4",
                       .names = constant || name.empty() ? std::vector<std::string>{} : split(name),
                       .in_words = false});
  }
}

/// Words for the values of fields, where nothing else has that name.
void add_values(std::vector<ManualEntry>& entries) {
  std::set<std::string, std::less<>> taken;
  for (const ManualEntry& entry : entries) {
    taken.insert(entry.mnemonic);
    taken.insert(entry.names.begin(), entry.names.end());
  }
  std::map<std::string_view, ManualEntry> values;
  for (const FieldInfo& field : field_infos)
    for (const FieldValue& row : field.names) {
      if (taken.contains(row.name)) continue;
      ManualEntry& entry = values[row.name];
      entry.mnemonic = row.name;
      entry.title = "value of a field";
      entry.body += "field " + std::string(field.name) + ", " + std::string(field.meaning) + ": " +
                    std::to_string(row.value) + (row.meaning.empty() ? "" : ", " + std::string(row.meaning)) + '\n';
      entry.status = Status::driver;
      entry.source = "4";
      entry.in_words = false;
    }
  for (auto& [name, entry] : values) entries.push_back(std::move(entry));
}

}  // namespace

Manual manual() {
  Manual result;
  using enum TextPattern::Kind;
  result.patterns = {
      {unit, "\\b(?:p[012]|be)(?=\\s*:)", "<%(p[012]|be)(\\s*:)@="},
      {unit, "\\b(?:main|bitwise|bit|control|ctrl|if)(?=\\s*[({])", "<%(main|bitwise|bit|control|ctrl|if)(\\s*[({])@="},
      {number, "^\\s*[0-9]+(?=\\s*:)", "^\\s*[0-9]+(\\s*:)@="}};
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
  for (const Role& role : roles) result.entries.push_back(describe(role));
  for (unsigned selector = 0; selector < 6; ++selector) result.entries.push_back(describe_selector(selector));
  add_special_registers(result.entries);
  add_values(result.entries);
  return result;
}

}  // namespace mobula::rogue
