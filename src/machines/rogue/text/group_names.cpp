#include "machines/rogue/text/group_names.h"

#include <bit>
#include <cmath>
#include <unordered_map>

namespace mobula::rogue {
namespace {

using OpsByName = std::unordered_map<std::string_view, std::vector<const Op*>>;

/// What documents and other assemblers call instructions.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"mul", "fmul"}, {"mad", "fmad"}, {"add", "fadd"}, {"mbyp0", "mbyp"}, {"unpack", "unpck"}, {"pack", "pck"}};

const OpsByName& by_name() {
  static const auto map = [] {
    OpsByName all;
    for (const Op& op : ops()) all[base_name(op.name)].push_back(&op);
    for (const auto& [name, meant] : synonyms) all[name] = all[meant];
    return all;
  }();
  return map;
}

std::string operand_text(const OperandSpec& operand, const Op& op) {
  std::string text(operand.field == F::count_ || operand.what == OperandSpec::What::predicate
                       ? spelling(operand.name)
                       : info(operand.field).name);
  if (operand.field != F::count_ && info(operand.field).kind == Kind::drc) text = "(drc0|drc1)";
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

}  // namespace

std::string usage_of(const Op& op) {
  std::string usage(op.name);
  for (const Modifier& each : op.all_modifiers()) {
    std::string names(each.flag);
    if (each.flag.empty())
      for (const FieldValue& row : info(each.field).names) names += (names.empty() ? "" : "|") + std::string(row.name);
    usage += each.always ? ".(" + names + ')' : "{." + names + '}';
  }
  std::string separator = " ";
  for (const OperandSpec& operand : op.all_operands()) {
    usage += separator + operand_text(operand, op);
    separator = ", ";
  }
  return usage;
}

std::vector<std::string_view> synonyms_of(std::string_view base) {
  std::vector<std::string_view> all;
  for (const auto& [name, meant] : synonyms)
    if (meant == base) all.push_back(name);
  return all;
}

std::span<const Op* const> ops_named(std::string_view base) {
  const auto found = by_name().find(base);
  if (found == by_name().end()) return {};
  return found->second;
}

std::string nearest_op(std::string_view name) {
  Nearest nearest(name);
  for (const auto& entry : by_name()) nearest.offer(entry.first);
  return nearest.hint();
}

Name operand_named(std::string_view word) {
  if (word.size() == 2 && word[0] == 'S' && word[1] >= '0' && word[1] <= '5')
    return static_cast<Name>(static_cast<unsigned>(Name::s0) + static_cast<unsigned>(word[1] - '0'));
  return name_spelled(word);
}

std::optional<unsigned> slot_of(const TextOperand& text) {
  if (!is_slot(text.name)) return std::nullopt;
  return number_of(text.name);
}

bool is_feedthrough(const TextOperand& text) { return text.modifiers.empty() && is_feedthrough(text.name); }

GroupFlag group_flag(std::string_view name) {
  static constexpr std::pair<std::string_view, GroupFlag> flags[] = {
      {"olchk", GroupFlag::olchk}, {"atom", GroupFlag::atom}, {"end", GroupFlag::end},
      {"rpt", GroupFlag::rpt},     {"hdr", GroupFlag::hdr},   {"len", GroupFlag::len}};
  for (const auto& [spelled, flag] : flags)
    if (spelled == name) return flag;
  return GroupFlag::none;
}

OperandModifier operand_modifier(std::string_view name) {
  static constexpr std::pair<std::string_view, OperandModifier> modifiers[] = {
      {"neg", OperandModifier::neg},        {"abs", OperandModifier::abs},
      {"flr", OperandModifier::flr},        {"oneminus", OperandModifier::one_minus},
      {"e0", OperandModifier::e0},          {"e1", OperandModifier::e1},
      {"e2", OperandModifier::e2},          {"e3", OperandModifier::e3},
      {"none", OperandModifier::no_element}};
  for (const auto& [spelled, modifier] : modifiers)
    if (spelled == name) return modifier;
  return OperandModifier::none;
}

std::string_view modifier_spelling(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> synonyms[] = {{"rndzero", "roundzero"}};
  for (const auto& [from, to] : synonyms)
    if (from == name) return to;
  return name;
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

std::optional<Register> source_of(const TextOperand& text, std::string& complaint, std::string& hint) {
  if (!is_literal(text)) return register_of(text, complaint);
  const std::string_view word = text.base.text;
  const auto named = float_named(word);
  float value = named.value_or(0);
  const bool is_float = named || (!word.starts_with("0x") && word.find_first_of(".eE") != std::string_view::npos);
  if (!is_float || !text.is_plain()) {
    std::uint64_t integer = 0;
    complaint = "the number " + std::string(word) + " may be an integer or a float";
    const bool held = parse_integer(word, integer) && integer < 32;
    hint = "write " + std::string(word) + ".0 for the float" +
           (held ? ", sc" + std::to_string(integer) + " for the integer" : std::string());
    return std::nullopt;
  }
  if (!named && parse_real(word, value) && std::isinf(value)) {
    complaint = std::string(word) + " is more than a float holds";
    hint = "sc142 holds infinity";
    return std::nullopt;
  }
  const auto held = constant_with(std::bit_cast<std::uint32_t>(value));
  if (!held) {
    complaint = "no special constant holds " + std::string(word);
    hint = "load it in an earlier group: `mov r0, " + std::string(word) + "` (r0: any free temporary)";
  }
  return held;
}

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
  if (!named)
    if (const std::string last = last_before(word); !last.empty())
      complaint = std::string(word) + " does not exist: the last one is " + last;
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

}  // namespace mobula::rogue
