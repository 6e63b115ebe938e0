// Operands and the numbers, names and labels in them.
#include "core/hexadecimal.h"
#include "machines/afuc/text/assembler.h"

namespace mobula::afuc {

std::optional<unsigned> Assembler::parse_register(const LineToken& token) {
  for (const RegisterAlias& alias : register_aliases)
    if (token.is(alias.name)) return alias.reg;
  std::uint64_t value = 0;
  if (token.text.size() == 3 && parse_integer("0x" + std::string(token.text.substr(1)), value) &&
      value < register_count)
    return static_cast<unsigned>(value);
  error(token.span(), "AF122", quote(token.text) + " is not a register",
        "registers: $00 to $1f, $rem $memdata $addr $regdata $usraddr $data $sp $lr");
  return std::nullopt;
}

bool Assembler::parse_operand(Written& operand) {
  const LineToken first = peek();
  operand.where = first.span();
  if (first.kind == LineToken::Kind::word && first.text.starts_with('$')) {
    take();
    const auto reg = parse_register(first);
    operand.kind = Written::Kind::reg;
    operand.reg = reg.value_or(0);
    return reg.has_value();
  }
  if (accept("[")) return parse_access(operand);
  if (first.is("#")) return parse_target(operand);
  std::uint64_t bit = 0;
  if (first.kind == LineToken::Kind::word && first.text.size() <= 3 && first.text.starts_with('b') &&
      parse_integer(first.text.substr(1), bit)) {
    take();
    operand.kind = Written::Kind::bit;
    operand.bit = static_cast<unsigned>(bit);
    if (bit <= 31) return true;
    error(first.span(), "AF123", "bit " + std::to_string(bit) + " of a 32-bit register", "allowed: b0 to b31");
    return false;
  }
  operand.number.where = first.span();
  if (!parse_number(operand.number)) return false;
  if (!accept("<<")) return true;
  const auto shift = integer("a shift");
  if (!shift) return false;
  if (*shift > 31) {
    error(first.span(), "AF124", "a shift by " + std::to_string(*shift), "allowed: 0 to 31");
    return false;
  }
  operand.shifted = true;
  operand.shift = static_cast<std::uint32_t>(*shift);
  return true;
}

/// "[$02 + @NAME+0x1]!", after the bracket.
bool Assembler::parse_access(Written& operand) {
  operand.kind = Written::Kind::access;
  const LineToken base = take();
  const auto reg = parse_register(base);
  if (!reg) return false;
  operand.reg = *reg;
  operand.number.where = peek().span();
  if (!expect("+")) return false;
  operand.number.where = peek().span();
  if (!parse_number(operand.number) || !expect("]")) return false;
  operand.pre = accept("!");
  return true;
}

/// "#label", "#.LPAC*4 - #.BV*4", "#+12", and "(#69, 04a2)" of old listings after it, which says nothing new.
bool Assembler::parse_target(Written& operand) {
  operand.kind = Written::Kind::target;
  operand.number.where = peek().span();
  const LineToken& second = peek(1);
  if (second.kind == LineToken::Kind::number || second.is("+") || second.is("-")) {
    take();
    const bool negative = accept("-");
    if (!negative) accept("+");
    const auto value = integer("a target");
    if (!value || *value > most_assembled_words) {
      if (value) error(operand.where, "AF125", "this target is outside any program");
      return false;
    }
    operand.number.value = negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
  } else if (!parse_number(operand.number)) {
    return false;
  }
  if (accept("(")) {
    while (!at_end() && !peek().is(")")) take();
    return expect(")");
  }
  if (!accept("<<")) return true;
  const auto shift = integer("a shift");
  operand.shifted = true;
  operand.shift = static_cast<std::uint32_t>(std::min<std::uint64_t>(shift.value_or(0), 32));
  if (shift && *shift <= 31) return true;
  if (shift) error(operand.where, "AF124", "a shift by " + std::to_string(*shift), "allowed: 0 to 31");
  return false;
}

bool Assembler::parse_number(Number& number) {
  std::int64_t sign = accept("-") ? -1 : 1;
  while (true) {
    if (!parse_term(number, sign)) return false;
    if (accept("+"))
      sign = 1;
    else if (accept("-"))
      sign = -1;
    else
      return true;
  }
}

bool Assembler::parse_term(Number& number, std::int64_t sign) {
  constexpr std::uint64_t largest = 0xFFFFFFFF;
  const LineToken first = peek();
  if (accept("#")) {
    const bool symbol = accept(".");
    const LineToken name = take();
    if (name.kind != LineToken::Kind::word) {
      error(name.span(), "AF126", "expected the name of a label after '#'");
      return false;
    }
    Term term{name.text, symbol, sign, name.span()};
    if (accept("*")) {
      const auto factor = integer("a factor");
      if (!factor) return false;
      if (*factor > largest) {
        error(first.span(), "AF127", "this number has more than 32 bits");
        return false;
      }
      term.factor *= static_cast<std::int64_t>(*factor);
    }
    number.terms.push_back(term);
    return true;
  }
  if (first.is("@") || first.is("%") || first.kind == LineToken::Kind::word) return parse_name(number, sign);
  const auto value = integer("a number");
  if (!value) return false;
  if (*value > largest) {
    error(first.span(), "AF127", "this number has more than 32 bits");
    return false;
  }
  number.value += sign * static_cast<std::int64_t>(*value);
  return true;
}

bool Assembler::add_control_register(Number& number, std::int64_t sign, const LineToken& name) {
  const auto meanings = control_registers_named(chip_->map, name.text, names_);
  if (meanings.size() == 1) {
    number.value += sign * static_cast<std::int64_t>(meanings.front().number);
    return true;
  }
  if (meanings.empty()) {
    Nearest nearest(name.text);
    for (const std::string_view each : control_register_names(chip_->map)) nearest.offer(each);
    const std::string hint = nearest.hint();
    error(name.span(), "AF128", quote(name.text) + " is not a control register of " + std::string(chip_->name),
          hint.empty() ? "write its number" : hint);
    return false;
  }
  std::string list;
  for (const NamedControl& each : meanings)
    list += (list.empty() ? "" : ", ") + hexadecimal(each.number, 3) + " in " + releases_text(each.releases);
  error(name.span(), "AF136", "releases of Mesa mean different control registers by " + quote(name.text) + ": " + list,
        "--syntax mesa-22, mesa (25.0.7) or mesa-26 says whose text this is; or write the number");
  return false;
}

/// "@NAME" of a control register, "%NAME" of an SQE register, "NAME[0x2].MEMBER" of a GPU register.
bool Assembler::parse_name(Number& number, std::int64_t sign) {
  const bool control = accept("@"), sqe = !control && accept("%");
  const LineToken name = take();
  if (control && name.kind == LineToken::Kind::word) return add_control_register(number, sign, name);
  std::optional<unsigned> value;
  if (name.kind == LineToken::Kind::word) {
    if (sqe) {
      value = find_sqe_register(name.text);
    } else {
      std::optional<unsigned> index;
      std::string_view member;
      if (accept("[")) {
        const auto read = integer("an index");
        if (!read || !expect("]")) return false;
        index = static_cast<unsigned>(std::min<std::uint64_t>(*read, 0xFFFF));
        if (accept(".")) member = take().text;
      }
      value = find_gpu_register(chip_->map, name.text, index, member);
    }
  }
  if (value) {
    number.value += sign * static_cast<std::int64_t>(*value);
    return true;
  }
  std::string hint;
  if (!control && !sqe) {
    Nearest nearest(name.text);
    for (const std::string_view each : gpu_register_names(chip_->map)) nearest.offer(each);
    hint = nearest.hint();
  }
  error(name.span(), "AF128",
        quote(name.text) + " is not " +
            (control ? "a control"
             : sqe   ? "an SQE"
                     : "a GPU") +
            " register of " + std::string(chip_->name),
        hint.empty() ? "write its number" : hint);
  return false;
}

}  // namespace mobula::afuc
