#include "machines/rogue/text/print_instruction.h"

#include <algorithm>

#include "machines/rogue/spec/slots.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {

// ------------------------------------------------------------------------------------------------ labels

Labels::Labels(std::span<const Group> groups) {
  for (const Group& group : groups) {
    offsets_.push_back(group.offset);
    add_target(group);
  }
  settle();
}

Labels::Labels(const Program& program) {
  for (std::uint32_t offset = 0; offset < program.code.size(); offset += size_of_group(program.code, offset)) {
    offsets_.push_back(offset);
    if (may_be_control_group(program.code, offset)) add_target(decode_group(program, offset));
  }
  settle();
}

void Labels::add_target(const Group& group) {
  const Item& item = group.item(Word::control);
  if (!group.raw() && item && item.op->does == does::Control::branch) targets_.push_back(branch_target(group, item));
}

void Labels::settle() {
  labelled_.resize(offsets_.size());
  for (const std::int64_t target : targets_)
    if (const std::int64_t index = at(target); index >= 0) labelled_[static_cast<std::size_t>(index)] = true;
}

std::int64_t Labels::at(std::int64_t byte_offset) const {
  const auto found = std::lower_bound(offsets_.begin(), offsets_.end(), byte_offset);
  return found != offsets_.end() && *found == byte_offset ? found - offsets_.begin() : -1;
}

// ------------------------------------------------------------------------------------------------ names

std::string_view phase_name(Unit unit) {
  static constexpr std::array<std::string_view, unit_count> names{"p0", "p1", "p2", "p2", "p2", "be", "p0",
                                                                  "p0", "p0", "p1", "p2", "p2", ""};
  return names[static_cast<std::size_t>(unit)];
}

std::string_view condition_name(Condition condition) {
  return condition == Condition::always ? std::string_view() : value::cc[static_cast<std::size_t>(condition)].name;
}

unsigned extra_steps(const Item& item) {
  Values values = default_values;
  read(*item.form, item.bits, values);
  unsigned steps = 0;
  bool counting = false;
  const Form* shortest = shortest_form(*item.op, values);
  for (const Form* form : item.op->all_forms()) {
    if (counting) ++steps;
    if (form->is(*item.form)) break;
    if (form->is(*shortest)) counting = true;
  }
  return counting ? steps : 0;
}

// ------------------------------------------------------------------------------------------------ operands

char* put_external(char* out, const Group& group) {
  const unsigned slot = group.external_slot();
  if (forbidden_in_slot(slot, group.slots[slot])) return put(out, spelling(Name::fte));
  return put_register(out, group.slots[slot]);
}

namespace {

std::string_view named(F field, std::uint32_t value) {
  for (const FieldValue& row : info(field).names)
    if (row.value == value) return row.name;
  return "?";
}

char* put_slot(char* out, const PrintContext& context, unsigned slot) {
  const Register& reg = context.group.slots[slot];
  if (context.style == Style::resolved && !forbidden_in_slot(slot, reg)) return put_register(out, reg);
  return put_decimal(put(out, 's'), slot);
}

/// Feedthroughs are printed as such; FTE, resolved, as the register behind it.
char* put_feedthrough(char* out, const PrintContext& context, Name name) {
  if (context.style != Style::resolved || name != Name::fte) return put(out, spelling(name));
  const Item& p0 = context.group.item(Word::p0);
  if (p0 && p0.op->has(high_result)) return put(out, spelling(name));
  return put_external(out, context.group);
}

/// What a selector passes on; IS3 may pass on S2.
char* put_selected(char* out, const PrintContext& context, unsigned selector) {
  constexpr std::uint8_t second_slot = 2;
  const std::uint8_t code = context.group.selectors[selector];
  if (selector == 3)
    return code == second_slot ? put(out, spelling(Name::s2)) : put_feedthrough(out, context, fed_names[code]);
  if (code != 0) return put_feedthrough(out, context, Name::fte);
  return put(out, spelling(selector == 1 ? Name::ft0 : Name::ft1));
}

char* put_source_name(char* out, const PrintContext& context, Unit unit, Name name) {
  if (name == Name::fte) return put_feedthrough(out, context, name);
  if (is_selector(name)) {
    if (context.style != Style::resolved) return put(out, spelling(name));
    if (name == Name::is0) return put_slot(out, context, context.group.external_slot());
    return put_selected(out, context, number_of(name));
  }
  const unsigned slot = number_of(name);
  return put_slot(out, context, unit == Unit::p1 && slot < upper_slot ? slot + upper_slot : slot);
}

char* put_source(char* out, const PrintContext& context, Unit unit, const OperandSpec& operand, const Item& item) {
  out = put_source_name(out, context, unit, operand.name);
  if (operand.modified <= 2) {
    const SourceModifiers& fields = source_modifiers[operand.modified];
    const auto value_of = [&](F field) { return field == F::count_ ? 0 : item.get(field); };
    if (value_of(fields.floor) != 0) out = put(out, ".flr");
    if (value_of(fields.absolute) != 0) out = put(out, ".abs");
    if (value_of(fields.negated) != 0) out = put(out, ".neg");
    const std::uint32_t element = value_of(fields.element) + 2 * value_of(fields.element_high);
    if (element != 0) out = put_decimal(put(out, ".e"), element);
  }
  if (operand.element && item.get(F::elem) != 0) out = put_decimal(put(out, ".e"), item.get(F::elem));
  return out;
}

char* put_coefficient(char* out, std::uint32_t stored, std::uint32_t index) {
  out = put_decimal(put(out, "cf"), 4 * stored);
  return index == 0 ? out : put(put_decimal(put(out, "[idx"), index - 1), ']');
}

char* put_target(char* out, const PrintContext& context, const Item& item) {
  const std::int64_t target = branch_target(context.group, item);
  if (const std::int64_t label = context.labels.at(target); label >= 0)
    return put_decimal(put(out, 'L'), static_cast<std::uint64_t>(label));
  const bool absolute = item.get(F::abs) != 0;
  const std::int64_t offset = absolute ? target : target - context.group.offset;
  if (!absolute && offset >= 0) out = put(out, '+');
  return put_signed(out, offset);
}

char* put_number(char* out, const PrintContext& context, F field, std::uint32_t number) {
  const bool counts = info(field).kind == Kind::count16 || field == F::imm_addr;
  if (context.style != Style::mesa || !counts) return put_decimal(out, number);
  char* const begin = out;
  out = put_hex(out, number);
  std::transform(begin, out, begin, [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

char* put_field(char* out, const PrintContext& context, F field, const Item& item) {
  const std::uint32_t stored = field == F::miscctl ? context.group.miscctl : item.get(field);
  switch (info(field).kind) {
    case Kind::names:
      return is_feed(field) ? put_feedthrough(out, context, fed_names[stored]) : put(out, named(field, stored));
    case Kind::slot:
      return put_slot(out, context, stored);
    case Kind::coverage:
      if (stored == 0 && item.get(F::nottiled) != 0) return put(out, '_');
      return put_slot(out, context, stored);
    case Kind::drc:
      return put_decimal(put(out, "drc"), stored);
    case Kind::count16: {
      const Place* place = item.form->find(field);
      return put_number(out, context, field, stored == 0 && place != nullptr ? 1u << place->width() : stored);
    }
    case Kind::plus1:
      return put_number(out, context, field, stored + 1);
    case Kind::quad:
      return put_number(out, context, field, 4 * stored);
    case Kind::temporary:
      return put_decimal(put(out, 'r'), stored);
    case Kind::coefficient:
      return put_coefficient(out, stored, item.get(F::coff_idx_ctrl));
    case Kind::w_coefficient:
      return put_coefficient(out, stored, item.get(F::woff_idx_ctrl));
    case Kind::shared_quad:
      return put_decimal(put(out, "sh"), 4 * stored);
    case Kind::immediate:
      if (context.style == Style::mesa) return put(put_decimal(out, stored), 'u');
      return put_hex(out, stored);
    case Kind::target:
      return put_target(out, context, item);
    case Kind::flag:
    case Kind::number:
      break;
  }
  return put_number(out, context, field, stored);
}

char* put_mask(char* out, const Item& item) {
  out = put(out, "w0");
  const std::uint32_t mask = item.get(F::maskw0);
  if (mask == info(F::maskw0).default_value) return out;
  if (mask == 0) return put(out, ".none");
  for (unsigned i = 0; i < 4; ++i)
    if ((mask >> i & 1) != 0) out = put_decimal(put(out, ".e"), i);
  return out;
}

char* put_operand(char* out, const PrintContext& context, Unit unit, const Op& op, const OperandSpec& operand,
                  const Item& item) {
  switch (operand.what) {
    case OperandSpec::What::source:
      return put_source(out, context, unit, operand, item);
    case OperandSpec::What::fixed:
      if (context.style == Style::resolved && is_port(operand.name)) {
        const unsigned port = number_of(operand.name);
        const bool driven = op.has(port == 0 ? drives_w0 : drives_w1) || unit == Unit::control;
        if (driven && (port == 0 ? context.group.w0p : context.group.w1p))
          return put_register(out, context.group.written[port]);
      }
      return put(out, spelling(in_unit(operand.name, unit)));
    case OperandSpec::What::field:
      return put_field(out, context, operand.field, item);
    case OperandSpec::What::predicate:
      return item.get(operand.field) != 0 ? put(out, "p0") : put(out, '_');
    case OperandSpec::What::maybe:
      if (context.group.slots[number_of(operand.name)] == Register{}) return put(out, '_');
      return put_source_name(out, context, unit, operand.name);
    case OperandSpec::What::mask:
      return put_mask(out, item);
  }
  return out;
}

/// True if an operand that may be left out says nothing.
bool is_default(const OperandSpec& operand, const Item& item) {
  return operand.optional && operand.field != F::count_ && item.get(operand.field) == info(operand.field).default_value;
}

char* put_modifiers(char* out, const PrintContext& context, const Op& op, const Item& item) {
  for (const Modifier& each : op.all_modifiers()) {
    const std::uint32_t stored = each.field == F::miscctl ? context.group.miscctl : item.get(each.field);
    if (!each.flag.empty()) {
      if ((stored != 0) != each.inverted) out = put(put(out, '.'), each.flag);
    } else if (each.always || stored != info(each.field).default_value) {
      out = put(put(out, '.'), named(each.field, stored));
    }
  }
  return out;
}

/// True if some visible instruction of the word speaks of the field.
bool is_covered(const Group& group, Word word, F field) {
  return std::any_of(text_order.begin(), text_order.end(), [&](Unit unit) {
    if (word_of(unit) != word) return false;
    const Item& item = group.item(word);
    const Op* op = find_op(unit, *item.form, item.bits);
    if (unit == Unit::control) op = item.op;
    return op != nullptr && op->covered[static_cast<std::size_t>(field)];
  });
}

/// Fields that no part of the text says, where they are not at their defaults.
char* put_forced(char* out, const PrintContext& context, Unit unit, const Op& op, const Item& item, bool& first) {
  const auto put_one = [&](F field, std::uint32_t stored) {
    out = put(out, first ? std::string_view(" ") : std::string_view(", "));
    first = false;
    out = put_decimal(put(put(out, info(field).name), ":="), stored);
  };
  const bool shared = unit == Unit::bitmask || unit == Unit::shift2;
  for (const Place& place : item.form->fields()) {
    const std::uint32_t stored = get(item.bits, place);
    if (stored == info(place.field).default_value || op.covered[static_cast<std::size_t>(place.field)]) continue;
    if (shared && is_covered(context.group, word_of(unit), place.field)) continue;
    put_one(place.field, stored);
  }
  if (unit == Unit::control && context.group.miscctl != 0 && !op.covered[static_cast<std::size_t>(F::miscctl)])
    put_one(F::miscctl, context.group.miscctl);
  return out;
}

}  // namespace

char* put_instruction(char* out, const PrintContext& context, Unit unit, const Op& op, const Item& item) {
  const bool copy = context.style == Style::resolved && op.does == does::Early::copy;
  out = put(out, copy ? op_that(does::Move::replace).name : context.style == Style::mesa ? op.mesa : op.name);
  out = put_modifiers(out, context, op, item);
  const bool leads = unit != Unit::shift1 && unit != Unit::count && unit != Unit::bit_test;
  if (context.style == Style::slots && leads)
    if (const unsigned steps = extra_steps(item); steps != 0)
      out = put(put(out, '.'), std::string_view("xxx").substr(0, steps));
  bool first = true;
  for (const OperandSpec& operand : op.all_operands()) {
    if (is_default(operand, item) && context.style != Style::mesa) continue;
    out = put(out, first ? std::string_view(" ") : std::string_view(", "));
    first = false;
    out = put_operand(out, context, unit, op, operand, item);
  }
  return leads && context.style != Style::mesa ? put_forced(out, context, unit, op, item, first) : out;
}

}  // namespace mobula::rogue
