#include "machines/rogue/draft.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "machines/rogue/slots.h"
#include "machines/rogue/text_print.h"

namespace mobula::rogue {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }
std::string text_of(const Register& reg) {
  std::array<char, 24> buffer{};
  return {buffer.data(), put_register(buffer.data(), reg)};
}

/// The part of a name before its first point.
std::string_view base_name(std::string_view name) { return name.substr(0, name.find('.')); }

/// Instructions by base name.
const std::unordered_map<std::string_view, std::vector<const Op*>>& by_name() {
  static const auto map = [] {
    std::unordered_map<std::string_view, std::vector<const Op*>> all;
    for (const Op& op : ops()) all[base_name(op.name)].push_back(&op);
    return all;
  }();
  return map;
}

bool is_bitwise(Unit unit) { return unit >= Unit::bitmask && unit <= Unit::bit_test; }
bool belongs(Alu alu, Unit unit) {
  if (unit == Unit::control) return alu == Alu::control;
  return is_bitwise(unit) == (alu == Alu::bitwise) && alu != Alu::control;
}
std::string_view alu_name(Alu alu) {
  static constexpr std::array<std::string_view, 3> names{"main", "bitwise", "control"};
  return names[static_cast<std::size_t>(alu)];
}

/// 0..5 for "s0".."s5".
std::optional<unsigned> slot_of(const TextOperand& text) {
  const std::string_view word = text.base.text;
  if (word.size() != 2 || (word[0] != 's' && word[0] != 'S') || word[1] < '0' || word[1] > '5') return std::nullopt;
  return static_cast<unsigned>(word[1] - '0');
}

std::optional<std::uint32_t> value_named(F field, std::string_view name) {
  for (const FieldValue& row : info(field).names)
    if (row.name == name) return row.value;
  return std::nullopt;
}
std::string names_of(F field) {
  std::string all;
  for (const FieldValue& row : info(field).names) all += (all.empty() ? "" : ", ") + std::string(row.name);
  return all;
}

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

bool is_feedthrough(const TextOperand& text) {
  const std::string_view word = text.base.text;
  return text.modifiers.empty() &&
         (word == "fte" || (word.size() == 3 && word.starts_with("ft") && word[2] >= '0' && word[2] <= '5'));
}

bool is_register(const TextOperand& text) {
  std::string ignored;
  return register_of(text, ignored).has_value();
}

}  // namespace

std::optional<Register> register_of(const TextOperand& text, std::string& complaint) {
  if (text.base.kind != LineToken::Kind::word) return std::nullopt;
  std::string_view word = text.base.text;
  constexpr unsigned max_offset = 255;
  if (word == "idx0" || word == "idx1") {
    if (text.index_register || text.bracketed.value_or(0) > max_offset) return std::nullopt;
    return Register{word == "idx0" ? Bank::idx0 : Bank::idx1,
                    static_cast<std::uint16_t>(text.bracketed.value_or(0) << 3 | index_register)};
  }
  const auto named = parse_register(word);
  if (!named || text.bracketed) return std::nullopt;
  if (!text.index_register) {
    if (!named->reg)
      complaint = std::string(word) + (named->index_bank == indexed_constant_memory
                                           ? " is always indexed: write " + std::string(word) + "[idx0]"
                                           : " does not exist: pixel outputs are o0 to o7");
    return named->reg;
  }
  if (!named->index_bank) {
    complaint = std::string(word) + " cannot be indexed";
    return std::nullopt;
  }
  const unsigned offset = named->number;
  if (offset > max_offset) {
    complaint = "the constant part of an index is at most 255";
    return std::nullopt;
  }
  return Register{*text.index_register == 0 ? Bank::idx0 : Bank::idx1,
                  static_cast<std::uint16_t>(offset << 3 | *named->index_bank)};
}

Draft::Draft(Alu alu, bool isr, Span span, const Complain& complain) : complain_(complain), span_(span), isr_(isr) {
  group.alu = alu;
  values_.fill(default_values);
}

void Draft::error(Span span, std::string code, std::string message, std::string hint) {
  failed_ = true;
  complain_(Severity::error, span, std::move(code), std::move(message), std::move(hint));
}

// ------------------------------------------------------------------------------------------------ bindings

void Draft::bind_slot(unsigned slot, const Register& reg, Span span) {
  if (bound_[slot] && group.slots[slot] != reg) {
    error(span, "RG113",
          "s" + std::to_string(slot) + " is " + text_of(group.slots[slot]) + " already, and now " + text_of(reg),
          "a slot reads one register a group: use another slot, or a group before to copy one of the two");
    return;
  }
  bound_[slot] = true;
  group.slots[slot] = reg;
  slot_spans_[slot] = span;
}

void Draft::bind_result(unsigned port, const Register& reg, Span span) {
  if (result_bound_[port]) {
    error(span, "RG113", "w" + std::to_string(port) + " is written to " + text_of(group.written[port]) + " already",
          "a group writes one register from each port");
    return;
  }
  result_bound_[port] = true;
  group.written[port] = reg;
  (port == 0 ? group.w0p : group.w1p) = true;
}

void Draft::select(unsigned selector, const LineToken& name) {
  static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
  const auto value = value_named(fields[selector], name.text);
  if (!value) {
    error(name.span(), "RG029", "is" + std::to_string(selector) + " cannot be " + quoted(name.text),
          "allowed: " + names_of(fields[selector]));
    return;
  }
  if (selected_[selector] && group.selectors[selector] != *value) {
    error(name.span(), "RG113", "is" + std::to_string(selector) + " is chosen a second time",
          "a selector has one value a group");
    return;
  }
  selected_[selector] = true;
  group.selectors[selector] = static_cast<std::uint8_t>(*value);
}

// ------------------------------------------------------------------------------------------------ instructions

void Draft::set_group_modifiers(TextOp& op) {
  const bool own_end = op.name.text == "nop" || op.name.text == "phas";
  std::erase_if(op.modifiers, [&](const LineToken& each) {
    if (each.text == "olchk") return group.olchk = true;
    if (each.text == "atom") return group.atom = true;
    if (each.text == "end" && !own_end) return group.end = true;
    return false;
  });
}

/// Synonyms and short ways of writing.
void Draft::rewrite(TextOp& op) {
  static constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
      {"mul", "fmul"}, {"mad", "fmad"}, {"add", "fadd"}, {"mbyp0", "mbyp"}, {"unpack", "unpck"}, {"pack", "pck"}};
  for (const auto& [from, to] : synonyms)
    if (op.name.text == from && group.alu == Alu::main) op.name.text = to;
  const bool two = op.operands.size() == 2;
  if (op.name.text == "mov" && group.alu == Alu::bitwise) op.name.text = "byp";
  if (op.name.text == "mov" && two && op.modifiers.empty()) {
    const TextOperand &to = op.operands[0], &from = op.operands[1];
    const bool early = to.is("ft0") || to.is("ft1");
    if (early || (is_register(to) && (is_register(from) || slot_of(from)))) op.name.text = "mbyp";
  }
  if (op.name.text == "uvsw" && op.modifiers.empty()) {
    address_missing_ = true;
    LineToken write = op.name;
    write.text = "write";
    op.modifiers.push_back(write);
    TextOperand address;
    address.base = {LineToken::Kind::number, "0", op.name.offset};
    address.span = op.name.span();
    op.operands.push_back(address);
  }
  // Phase 2 adds and multiplies a feedthrough and FTE: the external value may be written first.
  if ((op.name.text == "fmul" || op.name.text == "fadd") && op.operands.size() == 3 &&
      op.operands[0].base.text == "ft2") {
    const TextOperand &first = op.operands[1], &second = op.operands[2];
    const bool external = first.base.text == "is0" || first.base.text == "fte" || is_register(first);
    if (external && (second.base.text == "ft0" || second.base.text == "ft1")) std::swap(op.operands[1], op.operands[2]);
  }
}

/// "mov r6, ft0": a register for a feedthrough. In the reference's style also "mov w0, ft0".
bool Draft::take_output(const TextOp& op) {
  if (op.name.text != "mov" || op.operands.size() != 2 || !op.modifiers.empty()) return false;
  const TextOperand &to = op.operands[0], &from = op.operands[1];
  std::string ignored;
  if (!to.modifiers.empty() || !from.modifiers.empty()) return false;
  if (isr_ && group.alu == Alu::main && (to.is("w0") || to.is("w1"))) {
    const unsigned port = to.is("w0") ? 0 : 1;
    LineToken source = from.base;
    if (const auto reg = register_of(from, ignored)) {
      external_.emplace_back(*reg, from.span);
      source.text = "fte";
    }
    select(4 + port, source);
    uses_external_ = uses_external_ || source.text == "fte";
    return true;
  }
  if (!is_feedthrough(from)) return false;
  const auto reg = register_of(to, ignored);
  if (!reg) return false;
  outputs_.push_back({from.base.text, *reg, to.span});
  return true;
}

void Draft::add(TextOp op) {
  set_group_modifiers(op);
  if (take_output(op)) return;
  rewrite(op);
  const auto found = by_name().find(op.name.text);
  if (found == by_name().end()) {
    Nearest nearest(op.name.text);
    for (const auto& entry : by_name()) nearest.offer(entry.first);
    error(op.name.span(), "RG105", quoted(op.name.text) + " is no instruction", nearest.hint());
    return;
  }
  Match best;
  bool tried = false, encodable = false, other_alu = true;
  for (const Op* row : found->second)
    for (std::size_t i = 0; i < unit_count; ++i) {
      const auto unit = static_cast<Unit>(i);
      if (!row->in(unit)) continue;
      encodable = encodable || row->encodable();
      if (!belongs(group.alu, unit)) continue;
      other_alu = false;
      if (!row->encodable()) continue;
      if (!op.phase.text.empty() && op.phase.text != phase_name(unit)) continue;
      Match attempt{.op = row, .unit = unit};
      if (match(op, attempt)) {
        apply(op, attempt);
        return;
      }
      if (!tried || attempt.progress > best.progress) best = std::move(attempt);
      tried = true;
    }
  if (!encodable)
    error(op.name.span(), "RG115", quoted(op.name.text) + " has no published encoding",
          "it exists as text only: " + std::string(found->second.front()->meaning) + "; no bytes can be made of it");
  else if (other_alu)
    error(op.name.span(), "RG001",
          quoted(op.name.text) + " is no instruction of a " + std::string(alu_name(group.alu)) + " group",
          "a group uses one ALU: put it into a group of its own");
  else if (!tried)
    error(op.phase.span(), "RG008", quoted(op.name.text) + " does not exist in phase " + quoted(op.phase.text),
          "see `mobula isa rogue " + std::string(op.name.text) + "`");
  else
    error(best.at, std::string(best.code), best.message, best.hint);
}

bool Draft::match(const TextOp& text, Match& match) const {
  for (std::size_t i = 0; i < match.op->required_count; ++i) {
    at(match.values, match.op->required[i].first) = match.op->required[i].second;
    match.said[static_cast<std::size_t>(match.op->required[i].first)] = true;
  }
  if (!match_modifiers(text, match)) return false;
  match.progress = 1;
  std::size_t next = 0;
  for (const Operand& operand : match.op->all_operands()) {
    if (next == text.operands.size()) {
      if (operand.optional && operand.what != Operand::What::maybe) continue;
      return match.fail(text.span, quoted(text.name.text) + " wants " + std::to_string(match.op->operand_count) +
                                       " operands; " + std::to_string(text.operands.size()) + " are there");
    }
    if (match_operand(operand, text.operands[next], match)) {
      ++next;
      match.progress = 1 + next;
    } else if (!operand.optional || operand.what == Operand::What::maybe) {
      return false;
    }
  }
  if (next != text.operands.size() && text.operands[next].is("p0"))
    return match.breaks("RG040", text.operands[next].span, quoted(text.name.text) + " takes no carry");
  if (next != text.operands.size())
    return match.fail(text.operands[next].span, quoted(text.name.text) + " takes no operand here");
  return match_forced(text, match);
}

bool Draft::match_modifiers(const TextOp& text, Match& match) const {
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
    const std::string_view spelling = token.text == "rndzero" ? std::string_view("roundzero") : token.text;
    for (const Modifier& each : match.op->all_modifiers()) {
      if (known) break;
      if (!each.flag.empty()) {
        known = spelling == each.flag || (each.field == F::scale_rtz && spelling == "roundzero");
        if (known) say(each.field, each.inverted ? 0 : 1);
      } else if (const auto value = value_named(each.field, spelling)) {
        known = true;
        say(each.field, *value);
      }
    }
    if (!known)
      return match.fail(token.span(), quoted(match.op->name) + " has no modifier ." + std::string(token.text));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!wanted_found[i])
      return match.fail(text.name.span(), quoted(text.name.text) + " needs its modifier ." + std::string(wanted[i]));
  for (const Modifier& each : match.op->all_modifiers())
    if (each.always && !match.said[static_cast<std::size_t>(each.field)])
      return match.fail(text.name.span(), quoted(text.name.text) + " does not say which it is",
                        "one of: " + names_of(each.field));
  return true;
}

bool Draft::match_source_modifiers(const Operand& operand, const TextOperand& text, Match& match) const {
  const auto set = [&](F field, std::uint32_t value) {
    if (field == F::count_ || !match.op->has_field(field)) return false;
    at(match.values, field) = value;
    match.said[static_cast<std::size_t>(field)] = true;
    return true;
  };
  const SourceModifiers none{F::count_, F::count_, F::count_, F::count_, F::count_};
  const SourceModifiers& fields = operand.modified <= 2 ? source_modifiers[operand.modified] : none;
  const auto refuse = [&](Span span, std::string_view name) {
    std::string hint;
    if (name == "neg" && match.op->name == "fmul") hint = "negate the first operand instead";
    if (name == "neg" && match.op->name == "fadd") hint = "swap the operands, or negate in a group before";
    return match.breaks("RG032", span, "this operand of " + quoted(match.op->name) + " takes no ." + std::string(name),
                        hint);
  };
  if (text.bang) return match.fail(text.span, "a source is not inverted with '!'");
  if (text.minus && !set(fields.negated, 1)) return refuse(text.span, "neg");
  for (const LineToken& token : text.modifiers) {
    const std::string_view name = token.text;
    if (name.size() == 2 && name[0] == 'e' && name[1] >= '0' && name[1] <= '3') {
      const std::uint32_t element = static_cast<std::uint32_t>(name[1] - '0');
      if (operand.element) {
        if (match.said[static_cast<std::size_t>(F::elem)] && at(match.values, F::elem) != element)
          return match.fail(token.span(), "both operands of a test are of the same element");
        if (set(F::elem, element)) continue;
      }
      if (element == 0) continue;
      if (fields.element_high != F::count_ ? set(fields.element, element & 1) && set(fields.element_high, element >> 1)
                                           : set(fields.element, element))
        continue;
      return refuse(token.span(), name);
    }
    const bool done = (name == "neg" && set(fields.negated, 1)) || (name == "abs" && set(fields.absolute, 1)) ||
                      (name == "flr" && set(fields.floor, 1));
    if (!done) return refuse(token.span(), name);
  }
  return true;
}

bool Draft::match_source(const Operand& operand, const TextOperand& text, Match& match) const {
  std::string complaint;
  const auto reg = register_of(text, complaint);
  if (!complaint.empty()) return match.fail(text.span, complaint);
  const std::string_view name = operand.name;
  const std::string_view word = text.base.text;
  const auto is_word = [&](std::string_view spelling) {
    return word == spelling && !text.index_register && !text.bracketed;
  };
  const auto external = [&] {
    if (reg) match.external.emplace_back(*reg, text.span);
    match.uses_external = true;
  };
  if (name == "fte" || name == "is0") {
    const auto slot = slot_of(text);
    if (slot && name == "is0")
      match.selectors.emplace_back(
          0u, static_cast<std::uint8_t>(std::find(is0_slots.begin(), is0_slots.end(), *slot) - is0_slots.begin()));
    else if (!reg && !is_word("fte") && !is_word("is0"))
      return match.fail(text.span, "expected " + std::string(name) + " or a register, found " + quoted(word));
    external();
  } else if (name.starts_with("is")) {
    static constexpr std::array<F, 4> fields{F::is0, F::is1, F::is2, F::is3};
    const unsigned selector = static_cast<unsigned>(name[2] - '0');
    constexpr std::uint8_t fte3 = 3;
    const std::uint8_t fte = selector == 3 ? fte3 : 1;
    if (reg || is_word("is0")) {
      match.selectors.emplace_back(selector, fte);
      external();
    } else if (is_word(name)) {
      match.selectors.emplace_back(selector, std::uint8_t{0xFF});  // named, not chosen
    } else if (const auto value = value_named(fields[selector], word)) {
      match.selectors.emplace_back(selector, static_cast<std::uint8_t>(*value));
      if (*value == fte) external();
    } else {
      if (is_feedthrough(text)) match.code = "RG029";
      return match.fail(text.span, "expected " + std::string(name) + ", a register or one of " +
                                       names_of(fields[selector]) + ", found " + quoted(word));
    }
  } else {
    unsigned slot = static_cast<unsigned>(name[1] - '0');
    if (match.unit == Unit::p1 && slot < upper_slot) slot += upper_slot;
    if (const auto named = slot_of(text)) {
      if (*named != slot)
        return match.breaks("RG021", text.span,
                            "this operand is read from s" + std::to_string(slot) + ", not from " + quoted(word),
                            "phase 0 reads s0, s1, s2; phase 1 reads s3, s4, s5 (V-21)");
      match.named_slots.push_back(slot);
    } else if (reg) {
      match.slots.push_back({slot, {*reg, text.span}});
    } else {
      return match.fail(text.span, "expected s" + std::to_string(slot) + " or a register, found " + quoted(word));
    }
  }
  return match_source_modifiers(operand, text, match);
}

bool Draft::match_field(F field, const TextOperand& text, Match& match) const {
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
  const auto in_range = [&](std::uint64_t low, std::uint64_t high) {
    if (is_number && number >= low && number <= high) return true;
    return match.fail(text.span, "expected a number from " + std::to_string(low) + " to " + std::to_string(high) +
                                     ": " + std::string(row.meaning) + "; found " + quoted(joined(text)));
  };
  const auto want = [&](std::string_view what) {
    return match.fail(text.span, "expected " + std::string(what) + ": " + std::string(row.meaning) + "; found " +
                                     quoted(joined(text)));
  };
  switch (row.kind) {
    case Kind::names:
      if (const auto value = value_named(field, joined(text))) {
        if ((field == F::movw0 || field == F::movw1) && *value == 3) match.uses_external = true;
        return say(*value);
      }
      if (reg && (field == F::movw0 || field == F::movw1)) {
        match.external.emplace_back(*reg, text.span);
        match.uses_external = true;
        return say(3);
      }
      if (is_number && field == F::pcnd && number <= limit) return say(static_cast<std::uint32_t>(number));
      return want("one of " + names_of(field));
    case Kind::slot:
    case Kind::coverage:
      if (row.kind == Kind::coverage && text.is("_")) {
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
      if (text.is("drc0")) return say(0);
      if (text.is("drc1")) return say(1);
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
      if (text.base.kind == LineToken::Kind::number && parse_real(text.base.text, real)) {
        if (text.base.text.find('.') == std::string_view::npos) {
          if (parse_integer(text.base.text, number) && number <= 0x80000000)
            return say(static_cast<std::uint32_t>(0 - number));
          return want("a number of 32 bits");
        }
        return say(std::bit_cast<std::uint32_t>(text.minus ? -real : real));
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

bool Draft::match_operand(const Operand& operand, const TextOperand& text, Match& match) const {
  std::string complaint;
  switch (operand.what) {
    case Operand::What::source:
      return match_source(operand, text, match);
    case Operand::What::maybe:
      return text.is("_") || match_source(operand, text, match);
    case Operand::What::field:
      return match_field(operand.field, text, match);
    case Operand::What::predicate:
      if (!text.is("p0") && !text.is("_"))
        return match.fail(text.span, "expected p0 or _, found " + quoted(joined(text)));
      at(match.values, operand.field) = text.is("p0") ? 1 : 0;
      match.said[static_cast<std::size_t>(operand.field)] = true;
      return true;
    case Operand::What::mask: {
      const auto reg = register_of(text, complaint);
      if (!reg && text.base.text != "w0")
        return match.fail(text.span, "expected w0 or a register, found " + quoted(joined(text)));
      if (reg) match.outputs.push_back({"w0", {*reg, text.span}});
      std::uint32_t mask = text.modifiers.empty() ? info(F::maskw0).default_value : 0;
      for (const LineToken& each : text.modifiers) {
        if (each.text == "none") continue;
        if (each.text.size() != 2 || each.text[0] != 'e' || each.text[1] < '0' || each.text[1] > '3')
          return match.fail(each.span(), "bytes of W0 are .e0 to .e3");
        mask |= 1u << (each.text[1] - '0');
      }
      at(match.values, F::maskw0) = mask;
      match.said[static_cast<std::size_t>(F::maskw0)] = true;
      return true;
    }
    case Operand::What::fixed:
      break;
  }
  const std::string_view name =
      match.unit == Unit::p1 && operand.name == "ft0" ? std::string_view("ft1") : operand.name;
  if (text.is(name)) return true;
  const bool destination = &operand == match.op->operands.data() || name == "w0" || name == "w1" || name == "fte";
  if (destination)
    if (const auto reg = register_of(text, complaint)) {
      match.outputs.push_back({name, {*reg, text.span}});
      return true;
    }
  return match.fail(text.span, "expected " + std::string(name) + ", found " + quoted(joined(text)));
}

bool Draft::match_forced(const TextOp& text, Match& match) const {
  for (const TextOp::Forced& each : text.forced) {
    const auto* const row = std::find_if(field_infos.begin(), field_infos.end(),
                                         [&](const FieldInfo& candidate) { return candidate.name == each.field.text; });
    const auto field = static_cast<F>(row - field_infos.begin());
    const unsigned width = field == F::miscctl && match.unit == Unit::control ? 1
                           : field == F::count_                               ? 0
                                                                              : width_in(*match.op, field);
    if (width == 0)
      return match.fail(each.field.span(), quoted(match.op->name) + " has no field " + quoted(each.field.text));
    if (each.value > low_mask(width))
      return match.fail(each.field.span(),
                        "the field " + quoted(each.field.text) + " is " + std::to_string(width) + " bits wide");
    at(match.values, field) = each.value;
    match.said[static_cast<std::size_t>(field)] = true;
  }
  return true;
}

void Draft::apply(const TextOp& text, Match& match) {
  const auto unit = static_cast<std::size_t>(match.unit);
  if (ops_[unit] != nullptr) {
    const bool bitwise = is_bitwise(match.unit);
    error(text.span,
          bitwise                     ? "RG009"
          : group.alu == Alu::control ? "RG011"
          : match.unit == Unit::pack  ? "RG004"
                                      : "RG003",
          quoted(text.name.text) + " stands where " + quoted(ops_[unit]->name) + " is already",
          "one instruction for each unit: put the second into a group behind this one");
    return;
  }
  for (std::size_t later = unit + 1; later < unit_count; ++later)
    if (ops_[later] != nullptr) {
      error(
          text.span, "RG005", quoted(text.name.text) + " belongs in front of " + quoted(ops_[later]->name),
          "the order is phase 0, phase 1, pack, test, move, backend; of bitwise groups bitmask, shift, count, logical, "
          "shift, test");
      return;
    }
  ops_[unit] = match.op;
  spans_[unit] = text.span;
  const Word word = word_of(match.unit);
  Values& all = values(word);
  for (std::size_t i = 0; i < field_count; ++i)
    if (match.said[i]) all[i] = match.values[i];
  for (const LineToken& token : text.modifiers)
    if (token.text.find_first_not_of('x') == std::string_view::npos)
      steps_[static_cast<std::size_t>(word)] = static_cast<unsigned>(token.text.size());
  if (match.unit == Unit::control) {
    group.ctrlop = match.op->required[0].second;
    group.miscctl = static_cast<std::uint8_t>(at(all, F::miscctl));
  }
  for (const auto& [slot, bound] : match.slots) bind_slot(slot, bound.first, bound.second);
  for (const unsigned slot : match.named_slots) {
    named_[slot] = true;
    if (slot_spans_[slot].length == 0) slot_spans_[slot] = text.span;
  }
  registers_only_[static_cast<std::size_t>(word)] = match.named_slots.empty() && !match.slots.empty();
  for (const auto& [selector, value] : match.selectors) {
    constexpr std::uint8_t only_named = 0xFF;
    if (value != only_named) {
      if (selected_[selector] && group.selectors[selector] != value)
        error(text.span, "RG113", "is" + std::to_string(selector) + " is chosen a second time");
      selected_[selector] = true;
      group.selectors[selector] = value;
    } else if (isr_ && selector == 1 && !selected_[1]) {
      // The seed calls IS1 an external source; the encoding has one, FTE (D1).
      selected_[1] = true;
      group.selectors[1] = 1;
      uses_external_ = true;
    }
  }
  external_.insert(external_.end(), match.external.begin(), match.external.end());
  uses_external_ = uses_external_ || match.uses_external;
  for (const auto& [field, bound] : match.slot_fields) pending_.push_back({word, field, bound.first, bound.second});
  for (const auto& [source, bound] : match.outputs) outputs_.push_back({source, bound.first, bound.second});
  if (match.branch_target) target = match.branch_target;
}

// ------------------------------------------------------------------------------------------------ choices

bool Draft::check_phases() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  const auto span = [&](Unit unit) { return spans_[static_cast<std::size_t>(unit)]; };
  const bool any = std::any_of(ops_.begin(), ops_.end(), [](const Op* op) { return op != nullptr; });
  if (!any) {
    if (!failed_) error(span_, group.alu == Alu::control ? "RG011" : "RG002", "this group has no instruction", "");
    return false;
  }
  if (group.alu != Alu::main) return true;
  const Phases phases{present(Unit::p0), present(Unit::p1),
                      present(Unit::pack) || present(Unit::test) || present(Unit::move), present(Unit::backend)};
  if (std::find(phase_sets.begin(), phase_sets.end(), phases) != phase_sets.end()) return true;
  if (phases.p1 && !phases.p0)
    error(span(Unit::p1), "RG002", "phase 1 is present without phase 0",
          "write the instruction in phase 0: it drives ft0 and reads s0, s1, s2");
  else
    error(span(Unit::backend), "RG002", "a backend instruction stands alone or with both phase 0 and phase 2",
          "split: one group with the other phases that writes a register, then a group with the backend instruction "
          "alone, which reads it");
  return false;
}

void Draft::choose_outputs() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  for (const Output& each : outputs_)
    if (each.source == "w0" || each.source == "w1") bind_result(each.source == "w0" ? 0 : 1, each.reg, each.span);
  const std::string_view driven = present(Unit::shift2) ? "ft5" : present(Unit::logical) ? "ft4" : "ft1";
  for (const Output& each : outputs_) {
    if (each.source == "w0" || each.source == "w1") continue;
    if (group.alu == Alu::bitwise) {
      if (each.source == "ft3")
        bind_result(1, each.reg, each.span);
      else if (each.source == driven)
        bind_result(0, each.reg, each.span);
      else
        error(each.span, "RG033", std::string(each.source) + " reaches no port of this group",
              "W0 is " + std::string(driven) + " here and W1 is ft3: split the group behind the unit that drives " +
                  std::string(each.source));
      continue;
    }
    const auto source = value_named(F::is4, each.source);
    const unsigned port = result_bound_[0] ? 1 : 0;
    if (!source || result_bound_[port]) {
      error(each.span, "RG033", "a group writes at most two registers, from feedthroughs ft0, ft1, ft2 and fte",
            "split: write the other result in a group behind this one");
      continue;
    }
    bind_result(port, each.reg, each.span);
    selected_[4 + port] = true;
    group.selectors[4 + port] = static_cast<std::uint8_t>(*source);
    if (*source == 3) uses_external_ = uses_external_ || !present(Unit::p0) || !ops_[0]->has(high_result);
  }
  if (!isr_ || group.alu != Alu::main) return;
  // Without a word about it, the last phase present drives W0 and the one before it W1.
  std::vector<std::uint8_t> phases;
  for (const auto& [unit, code] : {std::pair{Unit::pack, 2}, std::pair{Unit::p1, 1}, std::pair{Unit::p0, 0}})
    if (present(unit)) phases.push_back(static_cast<std::uint8_t>(code));
  const bool complex = present(Unit::p0) && ops_[0]->has(complex_result);
  if (!selected_[4] && !phases.empty() && !complex) group.selectors[4] = phases[0];
  if (!selected_[5] && phases.size() > 1 && (result_bound_[1] || present(Unit::move))) group.selectors[5] = phases[1];
}

bool Draft::is_commutable(Word word) const {
  const Op* op = word == Word::p0 ? ops_[0] : ops_[1];
  if (op == nullptr || !op->has(commutes) || !registers_only_[static_cast<std::size_t>(word)]) return false;
  const Values& all = values_[static_cast<std::size_t>(word)];
  if (at(all, F::s0flr) != 0 || at(all, F::s0ch) != at(all, F::s1ch)) return false;
  const bool fields = op->has_field(F::s1neg) || op->name == "fmul" || at(all, F::s0neg) == 0;
  return fields;
}

void Draft::commute(Word word) {
  const std::size_t first = word == Word::p0 ? 0 : upper_slot;
  Values& all = values(word);
  std::swap(group.slots[first], group.slots[first + 1]);
  std::swap(slot_spans_[first], slot_spans_[first + 1]);
  std::swap(at(all, F::s0abs), at(all, F::s1abs));
  const Op* op = word == Word::p0 ? ops_[0] : ops_[1];
  if (op->has_field(F::s1neg)) std::swap(at(all, F::s0neg), at(all, F::s1neg));
}

/// Puts what is open into slots, one after the other, in all ways the rules allow, and keeps the shortest group.
void Draft::try_slots(std::size_t next, std::optional<Group>& best) {
  const bool external = !external_.empty();
  if (next == pending_.size() + (external ? 1 : 0)) {
    try_group(best);
    return;
  }
  const bool is_external = next == pending_.size();
  const Register reg = is_external ? external_.front().first : pending_[next].reg;
  for (unsigned i = 0; i < slot_count; ++i) {
    const unsigned slot = is_external ? is0_slots[i] : i;
    const bool free = !bound_[slot] && !named_[slot];
    if (!free && (!bound_[slot] || group.slots[slot] != reg)) continue;
    if (forbidden_in_slot(slot, reg)) continue;
    if (is_external && selected_[0] && is0_slots[group.selectors[0]] != slot) continue;
    const Register before = group.slots[slot];
    const bool was_bound = bound_[slot];
    const std::uint8_t is0 = group.selectors[0];
    group.slots[slot] = reg;
    bound_[slot] = true;
    if (is_external)
      group.selectors[0] = static_cast<std::uint8_t>(i);
    else
      at(values(pending_[next].word), pending_[next].field) = slot;
    try_slots(next + 1, best);
    group.slots[slot] = before;
    bound_[slot] = was_bound;
    group.selectors[0] = is0;
  }
}

void Draft::try_group(std::optional<Group>& best) {
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if (bound_[slot] && (registers_only_[0] || registers_only_[1] || !pending_.empty() || !external_.empty()) &&
        forbidden_in_slot(slot, group.slots[slot]) && (isr_ || !named_[slot]))
      return;
  const Group before = group;
  if (choose_items() && choose_maps(false))
    if (!best || content_bytes(group) < content_bytes(*best)) best = group;
  group = before;
}

/// Why no slots could be found.
void Draft::explain_slots() {
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    if (!bound_[slot]) continue;
    const auto rule = forbidden_in_slot(slot, group.slots[slot]);
    if (!rule) continue;
    static constexpr std::array<std::string_view, 4> codes{"RG024", "RG025", "RG026", "RG027"};
    static constexpr std::array<std::string_view, 4> reasons{
        "s1, s4 and s5 have two bits for the bank: r, vi, cf and special registers only",
        "s1, s4 and s5 hold register numbers up to 255, the others up to 2047",
        "cf, sh, pixel outputs and indexed registers are read through s0, s2 and s3 only",
        "special registers are read through s1, s2 and s4 only"};
    const auto index = static_cast<std::size_t>(*rule);
    error(slot_spans_[slot], std::string(codes[index]),
          text_of(group.slots[slot]) + " cannot be read through s" + std::to_string(slot) + ": " +
              std::string(reasons[index]),
          "split: a group before with `mov r0, " + text_of(group.slots[slot]) +
              "` (r0: any free temporary), then read it here");
    return;
  }
  for (const auto& [reg, span] : external_) {
    error(span, "RG028", "no source slot is left for " + text_of(reg) + ", which phase 2 needs through FTE",
          "split: copy it to a register that one of the slots reads already, or do phase 2 in a group behind");
    return;
  }
  error(span_, "RG021", "the sources of this group do not fit into its slots", "split it");
}

/// FTE is one value: all registers that phase 2 reads directly have to be the same.
bool Draft::check_external() {
  for (std::size_t i = 1; i < external_.size(); ++i)
    if (external_[i].first != external_[0].first) {
      error(external_[i].second, "RG031",
            "phase 2 reads two registers, " + text_of(external_[0].first) + " and " + text_of(external_[i].first) +
                "; only one value beside ft0 and ft1 reaches it, through FTE",
            "bring one of them in by phase 0 or 1: `mov ft0, " + text_of(external_[i].first) +
                "`, or split the group in front of phase 2");
      return false;
    }
  return true;
}

bool Draft::choose_slots() {
  std::optional<Group> best;
  for (const bool swap0 : {false, true})
    for (const bool swap1 : {false, true}) {
      if ((swap0 && !is_commutable(Word::p0)) || (swap1 && !is_commutable(Word::p1))) continue;
      if (swap0) commute(Word::p0);
      if (swap1) commute(Word::p1);
      try_slots(0, best);
      if (swap0) commute(Word::p0);
      if (swap1) commute(Word::p1);
    }
  if (!best) return false;
  group = *best;
  return true;
}

bool Draft::choose_items() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  if (group.alu == Alu::main) {
    at(values(Word::move), F::p2end) = present(Unit::test) || present(Unit::pack) ? 0 : 1;
    at(values(Word::test), F::p2end) = present(Unit::pack) ? 0 : 1;
  }
  for (const Unit unit : text_order) {
    const Op* op = ops_[static_cast<std::size_t>(unit)];
    const Word word = word_of(unit);
    if (op == nullptr && is_bitwise(unit) && !group.item(word)) {
      // A phase with one instruction holds idle ones beside it.
      const bool needed = (unit == Unit::bitmask && (present(Unit::shift1) || present(Unit::count))) ||
                          (unit == Unit::shift2 && present(Unit::bit_test));
      if (needed) op = unit == Unit::bitmask ? by_name().at("byp").front() : by_name().at("lsl").back();
    }
    if (op == nullptr || group.item(word)) continue;
    const Form* form = shortest_form(*op, values(word));
    if (form == nullptr) return false;
    const auto forms = op->all_forms();
    const unsigned steps = steps_[static_cast<std::size_t>(word)];
    const auto index = static_cast<unsigned>(std::find(forms.begin(), forms.end(), form) - forms.begin());
    // Some instructions have a long form only; the marker is true of it.
    if (index + steps < forms.size()) form = forms[index + steps];
    if (!holds(*form, values(word))) return false;
    group.item(word) = {form, op, write(*form, values(word))};
  }
  return true;
}

bool Draft::choose_maps(bool report) {
  const Item& control = group.item(Word::control);
  const bool sources = group.alu != Alu::control || has_sources(*control.op);
  if (sources) {
    group.lower = forced_maps_[0] != nullptr ? forced_maps_[0] : shortest_lower(group);
    group.upper = forced_maps_[1] != nullptr ? forced_maps_[1] : shortest_upper(group);
    if (group.lower == nullptr || group.upper == nullptr) {
      if (report) explain_slots();
      return false;
    }
  }
  if (group.w0p || group.w1p) {
    group.destination = forced_maps_[2] != nullptr ? forced_maps_[2] : shortest_destination(group);
    if (group.destination == nullptr) {
      if (report)
        error(span_, "RG033", "no destination map holds these registers", "numbers of two results go up to 2047");
      return false;
    }
  }
  return true;
}

void Draft::explain_template() {
  std::string missing;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if (named_[slot] && !bound_[slot]) missing += (missing.empty() ? "s" : ", s") + std::to_string(slot);
  if (!missing.empty())
    error(span_, "RG116", "this group is a template: nothing says which registers " + missing + " are",
          "add lines such as `s0 = r0` to the group, and `w0 = r6` for results to be kept");
  if (address_missing_)
    error(spans_[static_cast<std::size_t>(Unit::backend)], "RG116", "'uvsw' names neither what it does nor an address",
          "write `uvsw.write w0, 0`");
  if (failed_ && uses_external_ && !selected_[0] && external_.empty())
    complain_(Severity::note, span_, "RG116",
              "phase 2 reads an external value, and nothing says which slot it comes from; s0 is taken",
              "write `is0 = s0` to say so");
}

bool Draft::finish() {
  if (!check_phases() || failed_) return false;
  choose_outputs();
  if (!check_external()) return false;
  if (isr_) explain_template();
  if (failed_) return false;
  if (group.alu == Alu::control) {
    const bool wants = has_destination(*ops_[static_cast<std::size_t>(Unit::control)]);
    if (wants != group.w0p || group.w1p) {
      error(span_, "RG033", wants ? "this instruction writes W0" : "this instruction writes no register",
            wants ? "add `w0 = r0` or name a register in its place" : "");
      return false;
    }
  }
  const bool maps =
      std::any_of(forced_maps_.begin(), forced_maps_.end(), [](const Form* form) { return form != nullptr; });
  if (maps) {
    // Maps that are given have to hold what the group says, whatever that is.
    const std::array<const Form*, 3> forced = std::exchange(forced_maps_, {});
    if (!choose_slots()) return explain_slots(), false;
    for (std::size_t i = 0; i < forced.size(); ++i) {
      if (forced[i] == nullptr) continue;
      const Form*& chosen = i == 0 ? group.lower : i == 1 ? group.upper : group.destination;
      const Form* shortest = std::exchange(chosen, forced[i]);
      if (shortest == nullptr || !map_holds(*forced[i], group)) {
        error(span_, "RG114", "the map " + std::string(forced[i]->name) + " does not hold these registers",
              "leave it out to get the shortest that does");
        return false;
      }
    }
  } else if (!choose_slots()) {
    explain_slots();
    return false;
  }
  if (!long_header) choose_header(group);
  group.content = content_bytes(group);
  if (group.content > max_group_bytes) {
    error(span_, "RG012", "the group is " + std::to_string(group.content) + " bytes long; a group has at most 32",
          "split it");
    return false;
  }
  return true;
}

}  // namespace mobula::rogue
