// An instruction as written against a row of the table.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/counted.h"
#include "machines/rogue/text/group_assembler.h"
#include "machines/rogue/text/group_names.h"

namespace mobula::rogue {
namespace {

/// Bits of the field in the widest form.
unsigned width_in(const Op& op, F field) {
  unsigned width = 0;
  for (const Form* form : op.all_forms())
    if (const Place* place = form->find(field)) width = std::max(width, place->width());
  return width;
}

std::string joined(const TextOperand& text) {
  std::string all = (text.bang ? "!" : "") + std::string(text.base.text);
  for (const LineToken& each : text.modifiers) all += '.' + std::string(each.text);
  return all;
}

}  // namespace

bool GroupAssembler::match(const TextOp& text, Match& match) const {
  for (std::size_t i = 0; i < match.op->required_count; ++i) {
    at(match.values, match.op->required[i].first) = match.op->required[i].second;
    match.said[static_cast<std::size_t>(match.op->required[i].first)] = true;
  }
  if (!match_modifiers(text, match)) return false;
  match.progress = 1;
  std::size_t next = 0;
  for (const OperandSpec& operand : match.op->all_operands()) {
    if (next == text.operands.size()) {
      if (operand.optional && operand.what != OperandSpec::What::maybe) continue;
      return match.fail(text.span,
                        quote(text.name.text) + " wants " + counted(match.op->operand_count, "operand") + "; " +
                            std::to_string(text.operands.size()) +
                            (text.operands.size() == 1 ? " is there" : " are there"),
                        "write `" + usage_of(*match.op) + '`');
    }
    if (match_operand(operand, text.operands[next], match)) {
      ++next;
      match.progress = 1 + next;
    } else if (!operand.optional || operand.what == OperandSpec::What::maybe) {
      return false;
    }
  }
  if (next != text.operands.size() && text.operands[next].is(Name::p0))
    return match.breaks("RG040", text.operands[next].span, quote(text.name.text) + " takes no carry");
  if (next != text.operands.size())
    return match.fail(text.operands[next].span, quote(text.name.text) + " takes no operand here");
  return match_forced(text, match);
}

bool GroupAssembler::match_modifiers(const TextOp& text, Match& match) const {
  std::string_view rest = match.op->name;
  std::array<bool, 8> wanted_found{};
  std::vector<std::string_view> wanted;
  while (rest.find('.') != std::string_view::npos) {
    rest.remove_prefix(rest.find('.') + 1);
    wanted.push_back(base_name(rest));
  }
  const auto say = [&](F field, std::uint32_t value) {
    at(match.values, field) = value;
    match.said[static_cast<std::size_t>(field)] = true;
  };
  for (const LineToken& token : text.modifiers) {
    if (token.text.find_first_not_of('x') == std::string_view::npos) continue;  // form markers: see apply()
    bool known = false;
    for (std::size_t i = 0; i < wanted.size() && !known; ++i)
      if (!wanted_found[i] && wanted[i] == token.text) known = wanted_found[i] = true;
    const std::string_view spelled = modifier_spelling(token.text);
    for (const Modifier& each : match.op->all_modifiers()) {
      if (known) break;
      if (!each.flag.empty()) {
        known = spelled == each.flag || spelled == each.also;
        if (known) say(each.field, each.inverted ? 0 : 1);
      } else if (const auto value = value_named(each.field, spelled)) {
        known = true;
        say(each.field, *value);
      }
    }
    if (!known) return match.fail(token.span(), quote(match.op->name) + " has no modifier ." + std::string(token.text));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!wanted_found[i])
      return match.fail(text.name.span(), quote(text.name.text) + " needs its modifier ." + std::string(wanted[i]));
  for (const Modifier& each : match.op->all_modifiers())
    if (each.always && !match.said[static_cast<std::size_t>(each.field)])
      return match.fail(text.name.span(), quote(text.name.text) + " does not say which it is",
                        "one of: " + names_of(each.field));
  return true;
}

bool GroupAssembler::match_source_modifiers(const OperandSpec& operand, const TextOperand& text, Match& match) const {
  const auto set = [&](F field, std::uint32_t value) {
    if (field == F::count_ || !match.op->has_field(field)) return false;
    at(match.values, field) = value;
    match.said[static_cast<std::size_t>(field)] = true;
    return true;
  };
  const SourceModifiers none{F::count_, F::count_, F::count_, F::count_, F::count_};
  const SourceModifiers& fields = operand.modified <= 2 ? source_modifiers[operand.modified] : none;
  const auto refuse = [&](Span span, std::string_view name) {
    const Does does = match.op->does;
    std::string hint;
    if (operand_modifier(name) == OperandModifier::neg) {
      if (does == does::Early::multiply || does == does::Pack::multiply) hint = "negate the first operand instead";
      if (does == does::Early::add || does == does::Pack::add)
        hint = "swap the operands, or negate in an earlier group";
    }
    return match.breaks("RG032", span, "this operand of " + quote(match.op->name) + " takes no ." + std::string(name),
                        hint);
  };
  if (text.bang) return match.fail(text.span, "a source cannot be inverted with '!'");
  if (text.minus && !set(fields.negated, 1)) return refuse(text.span, "neg");
  for (const LineToken& token : text.modifiers) {
    const OperandModifier modifier = operand_modifier(token.text);
    if (const auto element = element_of(modifier)) {
      if (operand.element) {
        if (match.said[static_cast<std::size_t>(F::elem)] && at(match.values, F::elem) != *element)
          return match.fail(token.span(), "both operands of a test take the same element");
        if (set(F::elem, *element)) continue;
      }
      if (*element == 0) continue;
      if (fields.element_high != F::count_
              ? set(fields.element, *element & 1) && set(fields.element_high, *element >> 1)
              : set(fields.element, *element))
        continue;
      return refuse(token.span(), token.text);
    }
    const bool done = (modifier == OperandModifier::neg && set(fields.negated, 1)) ||
                      (modifier == OperandModifier::abs && set(fields.absolute, 1)) ||
                      (modifier == OperandModifier::flr && set(fields.floor, 1));
    if (!done) return refuse(token.span(), token.text);
  }
  return true;
}

bool GroupAssembler::match_source(const OperandSpec& operand, const TextOperand& text, Match& match) const {
  std::string complaint, hint;
  const auto reg = source_of(text, complaint, hint);
  if (!complaint.empty()) return match.fail(text.span, complaint, hint);
  const Name name = operand.name;
  const std::string_view word = text.base.text;
  const auto is_word = [&](Name wanted) { return text.name == wanted && text.is_plain(); };
  const auto external = [&] {
    if (reg) match.external.emplace_back(*reg, text.span);
    match.uses_external = true;
  };
  if (name == Name::fte || name == Name::is0) {
    const auto slot = slot_of(text);
    if (slot && name == Name::is0)
      match.selectors.emplace_back(
          0u, static_cast<std::uint8_t>(std::find(is0_slots.begin(), is0_slots.end(), *slot) - is0_slots.begin()));
    else if (!reg && !is_word(Name::fte) && !is_word(Name::is0))
      return match.fail(text.span, "expected " + std::string(spelling(name)) + " or a register, found " + quote(word));
    external();
  } else if (is_selector(name)) {
    static constexpr std::array<F, 4> fields{F::is0, F::is1, F::is2, F::is3};
    const unsigned selector = number_of(name);
    const std::uint8_t fte = selector == 3 ? external_feed : 1;
    if (reg || is_word(Name::is0)) {
      match.selectors.emplace_back(selector, fte);
      external();
    } else if (is_word(name)) {
      match.selectors.emplace_back(selector, std::uint8_t{0xFF});  // named, not chosen
    } else if (const auto value = value_named(fields[selector], word)) {
      match.selectors.emplace_back(selector, static_cast<std::uint8_t>(*value));
      if (*value == fte) external();
    } else {
      if (is_feedthrough(text)) match.code = "RG029";
      return match.fail(text.span, "expected " + std::string(spelling(name)) + ", a register or one of " +
                                       names_of(fields[selector]) + ", found " + quote(word));
    }
  } else {
    unsigned slot = number_of(name);
    if (match.unit == Unit::p1 && slot < upper_slot) slot += upper_slot;
    if (const auto named = slot_of(text)) {
      if (*named != slot)
        return match.breaks("RG021", text.span,
                            "this operand is read from s" + std::to_string(slot) + ", not from " + quote(word),
                            "phase 0 reads s0, s1, s2; phase 1 reads s3, s4, s5 (V-21)");
      match.named_slots.push_back(slot);
    } else if (reg) {
      match.slots.push_back({slot, {*reg, text.span}});
    } else {
      return match.fail(text.span, "expected s" + std::to_string(slot) + " or a register, found " + quote(word));
    }
  }
  return match_source_modifiers(operand, text, match);
}

bool GroupAssembler::match_field(F field, const TextOperand& text, Match& match) const {
  const auto say = [&](std::uint32_t value) {
    at(match.values, field) = value;
    match.said[static_cast<std::size_t>(field)] = true;
    return true;
  };
  std::string complaint;
  const auto reg = register_of(text, complaint);
  const FieldInfo& row = info(field);
  const unsigned width = field == F::miscctl ? 1 : width_in(*match.op, field);
  const std::uint64_t limit = low_mask(width);
  std::uint64_t number = 0;
  const bool is_number =
      text.base.kind == LineToken::Kind::number && parse_integer(text.base.text, number) && !text.minus;
  const std::string about = row.kind == Kind::drc
                                ? "there are two fence counters"
                                : "it is the " + std::string(row.name) + ": " + std::string(row.meaning);
  const auto in_range = [&](std::uint64_t low, std::uint64_t high) {
    if (is_number && number >= low && number <= high) return true;
    return match.fail(text.span,
                      "expected a number from " + std::to_string(low) + " to " + std::to_string(high) + ", found " +
                          quote(joined(text)),
                      about);
  };
  const auto want = [&](std::string_view what) {
    if (!complaint.empty()) return match.fail(text.span, complaint);
    return match.fail(text.span, "expected " + std::string(what) + ", found " + quote(joined(text)), about);
  };
  switch (row.kind) {
    case Kind::names:
      if (const auto value = value_named(field, joined(text))) {
        if (is_feed(field) && *value == external_feed) match.uses_external = true;
        return say(*value);
      }
      if (reg && is_feed(field)) {
        match.external.emplace_back(*reg, text.span);
        match.uses_external = true;
        return say(external_feed);
      }
      if (is_number && field == F::pcnd && number <= limit) return say(static_cast<std::uint32_t>(number));
      return want("one of " + names_of(field));
    case Kind::slot:
    case Kind::coverage:
      if (row.kind == Kind::coverage && text.is(Name::nothing)) {
        if (at(match.values, F::nottiled) == 0)
          return match.fail(text.span, "a tiled store has a coverage mask", "name its slot or register");
        return say(0);
      }
      if (const auto slot = slot_of(text)) {
        match.named_slots.push_back(*slot);
        return say(*slot);
      }
      if (!reg) return want("a slot or a register");
      match.slot_fields.push_back({field, {*reg, text.span}});
      return say(0);
    case Kind::drc:
      if (text.is(Name::drc0)) return say(0);
      if (text.is(Name::drc1)) return say(1);
      if (text.base.text.starts_with("drc")) match.code = "RG042";
      return want("drc0 or drc1");
    case Kind::count16:
      return in_range(1, limit + 1) && say(static_cast<std::uint32_t>(number & limit));
    case Kind::plus1:
      return in_range(1, limit + 1) && say(static_cast<std::uint32_t>(number - 1));
    case Kind::quad:
      return in_range(0, 4 * limit) && (number % 4 == 0 || want("a multiple of 4")) &&
             say(static_cast<std::uint32_t>(number / 4));
    case Kind::temporary:
      if (!reg || reg->bank != Bank::temporary || reg->index > limit) return want("a temporary register");
      return say(reg->index);
    case Kind::coefficient:
    case Kind::w_coefficient: {
      if (!reg) return want("a cf register");
      const bool indexed = reg->indexed() && reg->index_bank() == indexed_coefficient;
      const unsigned index = indexed ? reg->offset() : reg->index;
      if ((!indexed && reg->bank != Bank::coefficient) || index % 4 != 0 || index / 4 > limit)
        return want("a cf register whose number is a multiple of 4");
      const F control = row.kind == Kind::coefficient ? F::coff_idx_ctrl : F::woff_idx_ctrl;
      at(match.values, control) = indexed ? (reg->bank == Bank::idx0 ? 1 : 2) : 0;
      match.said[static_cast<std::size_t>(control)] = true;
      return say(index / 4);
    }
    case Kind::shared_quad:
      if (!reg || reg->bank != Bank::shared || reg->index % 4 != 0 || reg->index / 4 > limit)
        return want("an sh register whose number is a multiple of 4");
      return say(reg->index / 4);
    case Kind::immediate: {
      float real = 0;
      if (is_number) return in_range(0, limit) && say(static_cast<std::uint32_t>(number));
      const auto say_float = [&](float value) {
        return say(std::bit_cast<std::uint32_t>(text.minus ? -value : value));
      };
      if (const auto named = float_named(text.base.text)) return say_float(*named);
      if (text.base.kind == LineToken::Kind::number && parse_real(text.base.text, real)) {
        if (text.base.text.find('.') == std::string_view::npos) {
          if (parse_integer(text.base.text, number) && number <= 0x80000000)
            return say(static_cast<std::uint32_t>(0 - number));
          return want("a number of 32 bits");
        }
        if (!std::isfinite(real)) return want("a number that a 32-bit float can hold");
        return say_float(real);
      }
      return want("a number");
    }
    case Kind::target:
      if (reg) return want("a label or an offset");
      match.branch_target = text;
      return say(0);
    case Kind::flag:
    case Kind::number:
      break;
  }
  return in_range(0, limit) && say(static_cast<std::uint32_t>(number));
}

bool GroupAssembler::match_operand(const OperandSpec& operand, const TextOperand& text, Match& match) const {
  std::string complaint;
  switch (operand.what) {
    case OperandSpec::What::source:
      return match_source(operand, text, match);
    case OperandSpec::What::maybe:
      return text.is(Name::nothing) || match_source(operand, text, match);
    case OperandSpec::What::field:
      return match_field(operand.field, text, match);
    case OperandSpec::What::predicate:
      if (!text.is(Name::p0) && !text.is(Name::nothing))
        return match.fail(text.span, "expected p0 or _, found " + quote(joined(text)));
      at(match.values, operand.field) = text.is(Name::p0) ? 1 : 0;
      match.said[static_cast<std::size_t>(operand.field)] = true;
      return true;
    case OperandSpec::What::mask: {
      const auto reg = register_of(text, complaint);
      if (!reg && text.name != Name::w0)
        return match.fail(text.span,
                          complaint.empty() ? "expected w0 or a register, found " + quote(joined(text)) : complaint);
      if (reg) match.outputs.push_back({Name::w0, {*reg, text.span}});
      std::uint32_t mask = text.modifiers.empty() ? info(F::maskw0).default_value : 0;
      for (const LineToken& each : text.modifiers) {
        const OperandModifier modifier = operand_modifier(each.text);
        if (modifier == OperandModifier::no_element) continue;
        const auto element = element_of(modifier);
        if (!element) return match.fail(each.span(), "bytes of W0 are .e0 to .e3");
        mask |= 1u << *element;
      }
      at(match.values, F::maskw0) = mask;
      match.said[static_cast<std::size_t>(F::maskw0)] = true;
      return true;
    }
    case OperandSpec::What::fixed:
      break;
  }
  const Name name = in_unit(operand.name, match.unit);
  if (text.is(name)) return true;
  const bool destination = &operand == match.op->operands.data() || is_port(name) || name == Name::fte;
  if (destination)
    if (const auto reg = register_of(text, complaint)) {
      match.outputs.push_back({name, {*reg, text.span}});
      return true;
    }
  return match.fail(text.span, complaint.empty()
                                   ? "expected " + std::string(spelling(name)) + ", found " + quote(joined(text))
                                   : complaint);
}

bool GroupAssembler::match_forced(const TextOp& text, Match& match) const {
  for (const TextOp::Forced& each : text.forced) {
    const auto is_it = [&](const FieldInfo& candidate) { return candidate.name == each.field.text; };
    const auto field =
        static_cast<F>(std::find_if(field_infos.begin(), field_infos.end(), is_it) - field_infos.begin());
    const unsigned width = field == F::miscctl && match.unit == Unit::control ? 1
                           : field == F::count_                               ? 0
                                                                              : width_in(*match.op, field);
    if (width == 0)
      return match.fail(each.field.span(), quote(match.op->name) + " has no field " + quote(each.field.text));
    if (each.value > low_mask(width))
      return match.fail(each.field.span(),
                        "the field " + quote(each.field.text) + " is " + counted(width, "bit") + " wide");
    at(match.values, field) = each.value;
    match.said[static_cast<std::size_t>(field)] = true;
  }
  return true;
}

}  // namespace mobula::rogue
