#include "machines/afuc/views/statement.h"

#include <algorithm>
#include <utility>

#include "core/hexadecimal.h"
#include "machines/afuc/text/annotate.h"
#include "machines/afuc/text/tokens.h"

namespace mobula::afuc {
namespace {

constexpr std::size_t longest_value = 72;
constexpr std::uint32_t all_registers = 0xFFFFFFFF;

std::string small(std::uint32_t value) { return value < 10 ? std::to_string(value) : hexadecimal(value); }

std::string in_parentheses(const Expression& value) { return '(' + value.text + ')'; }
std::string atom(const Expression& value) { return value.symbol.empty() ? value.text : in_parentheses(value); }

/// Parentheses around every other operator, so that nobody has to know which binds closer.
Expression binary(const Expression& a, std::string_view symbol, const Expression& b) {
  const bool joins = symbol != "<<" && symbol != ">>" && a.symbol == symbol;
  return {(joins ? a.text : atom(a)) + ' ' + std::string(symbol) + ' ' + atom(b), symbol};
}
Expression called(std::string_view function, const std::vector<Expression>& operands) {
  std::string text(function);
  text += '(';
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + operands[i].text;
  return {text + ')', {}};
}

Expression apply(const Opcode& opcode, const std::vector<Expression>& operands) {
  const std::string_view symbol = opcode.op.symbol;
  switch (opcode.op.notation) {
    case Notation::call:
      return called(symbol.empty() ? opcode.name : symbol, operands);
    case Notation::infix:
      return binary(operands[0], symbol, operands[1]);
    case Notation::carrying:
      // The carry of a subtraction is -1 or 0, so it is added here too.
      return {binary(operands[0], symbol, operands[1]).text + " + carry", "carry"};
    case Notation::inverted:
      return {'~' + atom(operands[0]), {}};
    case Notation::masked:
      return binary(operands[0], "&", {'~' + atom(operands[1]), {}});
    case Notation::copied:
    case Notation::inserted:
      return operands[0];
    case Notation::extracted:
      return {atom(operands[0]) + '[' + operands[2].text + ':' + operands[1].text + ']', {}};
  }
  return {};
}

class Maker {
 public:
  Maker(const Image& image, const Core& core) : image_(image), core_(core) {}

  Statement make(std::uint32_t index) const {
    Statement statement;
    statement.word = index;
    const std::uint32_t word = image_.word(index);
    statement.opcode = image_.code(index);
    if (statement.opcode == nullptr) {
      statement.kind = Statement::Kind::other;
      statement.comment = "header word " + hexadecimal(word, 8);
      return statement;
    }
    const Opcode& opcode = *statement.opcode;
    const auto has = [&](const Field& field) { return has_field(opcode, field) && field_of(word, field) != 0; };
    statement.repeats = has(field::rep);
    const bool is_peek = has(field::peek);
    for (const OperandSpec& operand : opcode.operands) add_operand(statement, word, operand, is_peek);
    if (has(field::xmov)) add_moves(statement, word, field_of(word, field::xmov));
    if (has(field::sds)) {
      statement.effect = true;
      statement.extra = "sds(" + times(statement.operands[0].text, field_of(word, field::sds)) + ")";
    }
    statement.comment = annotation(image_, core_, index, word, opcode, false);
    return statement;
  }

 private:
  static std::string times(const std::string& text, std::uint32_t count) {
    std::string all = text;
    while (--count != 0) all += ", " + text;
    return all;
  }

  [[nodiscard]] Expression source(unsigned reg, bool is_peek) const {
    Expression value{register_text(image_, reg, false), {}};
    value.registers = 1u << reg;
    value.moves = is_fifo(reg);
    if (is_peek && reg == reg_data) value.text = "peek(" + value.text + ')';
    return value;
  }

  void add_destination(Statement& statement, unsigned reg) const {
    if (reg != reg_zero) statement.target = register_text(image_, reg, true);
    if (is_fifo(reg))
      statement.effect = true;
    else if (reg != reg_zero)
      statement.writes = reg;
  }

  void add_operand(Statement& statement, std::uint32_t word, const OperandSpec& operand, bool is_peek) const {
    const std::uint32_t value = operand.field == nullptr ? 0 : field_of(word, *operand.field);
    switch (operand.kind) {
      case OperandKind::source:
        statement.operands.push_back(source(value, is_peek));
        return;
      case OperandKind::destination:
        add_destination(statement, value);
        if (statement.opcode->op.notation != Notation::inserted) return;
        statement.target += '[' + std::to_string(field_of(word, field::high_bit)) + ':' +
                            std::to_string(field_of(word, field::low_bit)) + ']';
        statement.target_registers |= 1u << value;
        return;
      case OperandKind::number:
      case OperandKind::shifted:
        statement.operands.push_back({number(statement, word, operand, value), {}});
        return;
      case OperandKind::bit:
        statement.operands.push_back({std::to_string(value), {}});
        return;
      case OperandKind::control:
      case OperandKind::sqe:
      case OperandKind::memory:
        add_access(statement, word, operand.kind);
        return;
      case OperandKind::relative:
      case OperandKind::absolute:
      case OperandKind::skip:
      case OperandKind::secure:
        return;  // of transfers, which are not statements
    }
  }

  [[nodiscard]] std::string number(const Statement& statement, std::uint32_t word, const OperandSpec& operand,
                                   std::uint32_t value) const {
    const std::uint32_t shift = operand.kind == OperandKind::shifted ? field_of(word, field::shift) : 0;
    if (const Symbolic* address = image_.symbolic(statement.word))
      return shift == 0 ? address->text : '(' + address->text + " << " + std::to_string(shift) + ')';
    if (statement.opcode->op.traits.shifts) return std::to_string(value);
    return small(value << shift);
  }

  void add_access(Statement& statement, std::uint32_t word, OperandKind kind) const {
    const std::uint32_t offset = field_of(word, field::offset);
    const unsigned base = field_of(word, field::base);
    const bool pre = field_of(word, field::pre) != 0;
    const char mark = kind == OperandKind::control ? '@' : '%';
    RegisterName name;
    if (!pre && kind == OperandKind::control) name = image_.control_name(offset);
    if (!pre && kind == OperandKind::sqe) name = sqe_register(offset);
    std::string place = kind == OperandKind::control ? hexadecimal(offset, 3) : hexadecimal(offset);
    if (name) {
      place = mark + std::string(name.name);
      if (name.offset != 0) place += '+' + hexadecimal(name.offset);
    }
    std::string text;
    if (kind != OperandKind::memory && base == reg_zero && !pre) {
      text = name ? place : mark + place;
    } else {
      std::string space = kind == OperandKind::memory ? "mem" : kind == OperandKind::control ? "control" : "sqe";
      if (kind == OperandKind::memory)
        if (const std::uint32_t bits = field_of(word, access_bits) & ~4u; bits != 0)
          space += '{' + hexadecimal(bits) + '}';
      const std::string at = register_text(image_, base, false);
      const bool plain = !pre && (base == reg_zero || (offset == 0 && kind == OperandKind::memory));
      text = space + '[' + (plain ? (base == reg_zero ? place : at) : at + (pre ? " += " : " + ") + place) + ']';
    }
    const std::uint32_t registers = base == reg_zero ? 0 : 1u << base;
    // Written back before the access; nothing is folded into or across that.
    if (pre) statement.kind = Statement::Kind::other;
    if (statement.opcode->op.traits.writes) {
      statement.target = std::move(text);
      statement.target_registers |= registers;
      statement.effect = true;
    } else {
      Expression value{std::move(text), {}};
      value.registers = registers;
      value.moves = true;
      statement.operands.push_back(std::move(value));
    }
  }

  /// "xmov($data, $usraddr, $data = $data)": what further words go to, while the packet has some.
  void add_moves(Statement& statement, std::uint32_t word, std::uint32_t count) const {
    const unsigned destination = field_of(word, field::dst);
    std::string to = is_fifo(destination) ? "$data" : "$00";
    const std::string middle = is_fifo(destination) ? register_text(image_, destination, true) : "$00";
    std::string text = "xmov(" + to;
    if (count >= 2) text += ", " + (count == 3 ? middle : to);
    if (count == 3) text += ", " + to;
    std::string from;
    for (const Expression& operand : statement.operands)
      if (operand.moves && from.empty()) from = operand.text;
    statement.extra = text + " = " + (from.empty() ? statement.operands.back().text : from) + ')';
    statement.effect = true;
  }

  const Image& image_;
  const Core& core_;
};

std::size_t times_read(const Statement& statement, unsigned reg) {
  std::size_t count = (statement.target_registers >> reg & 1) != 0 ? 2 : 0;  // an address is left as it is
  for (const Expression& operand : statement.operands)
    if ((operand.registers >> reg & 1) != 0) count += operand.symbol.empty() && !operand.moves ? 1 : 2;
  return count;
}

bool can_be_moved(const Statement& from) {
  return from.kind == Statement::Kind::assign && from.writes && *from.writes != reg_rem && !from.effect &&
         !from.repeats && from.extra.empty() && from.target_registers == 0 && from.opcode != nullptr;
}
/// add and sub leave a carry, which the next addhi or subhi takes.
bool reads_carry(const Statement& statement) {
  return statement.opcode != nullptr && statement.opcode->op.traits.carry == Carry::takes;
}
bool writes_carry(const Statement& statement) {
  return statement.opcode != nullptr && statement.opcode->op.traits.carry == Carry::leaves;
}
bool moves(const Statement& statement) {
  return std::any_of(statement.operands.begin(), statement.operands.end(),
                     [](const Expression& each) { return each.moves; });
}

/// The statement that alone uses what `at` assigns, and assigns to the same register itself.
std::optional<std::size_t> only_use(const std::vector<Statement>& block, std::size_t at) {
  const Statement& from = block[at];
  const unsigned reg = *from.writes;
  const Expression value = from.value();
  constexpr std::uint32_t rem_bit = 1u << reg_rem;
  const bool at_once = value.moves || (value.registers & rem_bit) != 0;
  for (std::size_t i = at + 1; i < block.size(); ++i) {
    const Statement& to = block[i];
    if (to.kind != Statement::Kind::assign) return std::nullopt;
    const bool needs_carry =
        (writes_carry(from) && (reads_carry(to) || writes_carry(to))) || (reads_carry(from) && writes_carry(to));
    if ((to.reads() >> reg & 1) != 0) {
      const bool fits = times_read(to, reg) == 1 && to.writes == reg && !to.repeats && to.extra.empty() &&
                        !needs_carry && !(value.moves && moves(to)) && value.text.size() < longest_value;
      return fits ? std::optional(i) : std::nullopt;
    }
    if (to.writes && (*to.writes == reg || (value.registers >> *to.writes & 1) != 0)) return std::nullopt;
    if (at_once || needs_carry) return std::nullopt;
  }
  return std::nullopt;
}

void fold(std::vector<Statement>& block) {
  std::vector<bool> gone(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!can_be_moved(block[i])) continue;
    const auto use = only_use(block, i);
    if (!use) continue;
    // A comment says something about one number.
    if (!block[i].comment.empty() && !block[*use].comment.empty()) continue;
    if (!block[i].comment.empty()) block[*use].comment = block[i].comment;
    for (Expression& operand : block[*use].operands)
      if ((operand.registers >> *block[i].writes & 1) != 0) operand = block[i].value();
    gone[i] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    if (!gone[i]) {
      if (kept != i) block[kept] = std::move(block[i]);
      ++kept;
    }
  block.resize(kept);
}

/// What it means that a bit of a register is set: what cmp was asked, if the bit is one of its answers.
Condition bit_is_set(const std::vector<Statement>& block, const std::string& tested, unsigned reg,
                     std::uint32_t number) {
  // The bits that cmp leaves: equal, less or equal, less (3.1).
  struct Order {
    std::string_view holds, fails, bit, no_bit;
  };
  constexpr Order orders[] = {{"==", "!=", ".eq", ".ne"}, {"<=", ">", ".le", ".gt"}, {"<", ">=", ".lt", ".ge"}};
  std::uint32_t changed = 0;
  for (std::size_t i = block.size(); number < std::size(orders) && i-- > 0;) {
    const Statement& statement = block[i];
    if (statement.kind == Statement::Kind::other) break;
    if (statement.writes == reg) {
      if (statement.in_slot || statement.opcode->op != Alu::cmp || statement.repeats) break;
      const Order& order = orders[number];
      const Expression &a = statement.operands[0], &b = statement.operands[1];
      const bool still =
          !a.moves && !b.moves && ((a.registers | b.registers) & (changed | 1u << reg | 1u << reg_rem)) == 0;
      if (still) return {binary(a, order.holds, b).text, binary(a, order.fails, b).text};
      return {tested + std::string(order.bit), tested + std::string(order.no_bit)};
    }
    if (statement.writes) changed |= 1u << *statement.writes;
  }
  return {tested + ".b" + std::to_string(number), '!' + tested + ".b" + std::to_string(number)};
}
Condition opposite(Condition condition) { return {std::move(condition.no), std::move(condition.yes)}; }

}  // namespace

std::string register_text(const Image& image, unsigned reg, bool destination) {
  if (reg == reg_zero && !destination) return "0";
  return std::string(register_name(reg, destination, generation_of(image.map())));
}

Expression Statement::value() const {
  Expression result = apply(*opcode, operands);
  result.registers = 0;
  for (const Expression& operand : operands) {
    result.registers |= operand.registers;
    result.moves |= operand.moves;
  }
  return result;
}

std::uint32_t Statement::reads() const {
  if (kind == Kind::other) return all_registers;
  std::uint32_t registers = target_registers;
  for (const Expression& operand : operands) registers |= operand.registers;
  return registers;
}

std::string Statement::text() const {
  if (opcode == nullptr) return {};
  std::string text = repeats ? "repeat ($rem) " : "";
  if (opcode->op == Op::nop) return text + "nop";
  if (!extra.empty() && repeats) text += "{ ";
  text += target.empty() ? "(void)" + atom(value()) : target + " = " + value().text;
  if (!extra.empty()) text += "; " + extra + (repeats ? "; }" : "");
  return text;
}

std::vector<Statement> statements(const Image& image, const Core& core, const Functions& functions,
                                  const FlowBlock& block) {
  const Maker maker(image, core);
  std::vector<Statement> all;
  std::optional<Statement> call;
  for (const FlowStep& step : block.steps) {
    const Opcode* opcode = image.code(step.word);
    const bool slot_of_call = call && step.slot;
    if (call && !slot_of_call) all.push_back(std::move(*std::exchange(call, {})));
    if (opcode != nullptr && is_call(opcode->op)) {
      call.emplace();
      call->kind = Statement::Kind::other;
      call->word = step.word;
      call->opcode = opcode;
      const auto to = Image::target(core, step.word, image.word(step.word), *opcode);
      call->target = std::string(opcode->op == Op::bl ? "bl " : "") + (to ? functions.name(*to) : "?") + "()";
      continue;
    }
    if (opcode != nullptr && is_transfer(opcode->op)) {
      if (!is_conditional(opcode->op) || step.word != block.transfer) continue;
      Statement asks;
      asks.kind = Statement::Kind::condition;
      asks.word = step.word;
      const unsigned reg = field_of(image.word(step.word), field::tested);
      asks.operands.push_back({register_text(image, reg, false), {}, 1u << reg, is_fifo(reg)});
      all.push_back(std::move(asks));
      continue;
    }
    Statement statement = maker.make(step.word);
    statement.in_slot = step.slot && !slot_of_call;
    const bool links = slot_of_call && call->opcode->op == Op::bl;
    if (links && ((statement.reads() >> reg_lr & 1) != 0 || statement.writes == reg_lr))
      statement.comment = "in the delay slot: $lr is the return address already";
    const bool nothing = opcode != nullptr && opcode->op == Op::nop && !statement.repeats;
    if (!nothing) all.push_back(std::move(statement));
    if (slot_of_call) all.push_back(std::move(*std::exchange(call, {})));
  }
  if (call) all.push_back(std::move(*call));
  fold(all);
  return all;
}

Condition condition(const Image& image, const std::vector<Statement>& block, std::uint32_t branch) {
  const std::uint32_t word = image.word(branch), number = field_of(word, field::compare);
  const unsigned reg = field_of(word, field::tested);
  const std::string tested = register_text(image, reg, false);
  const auto equals = [&] { return Condition{tested + " == " + small(number), tested + " != " + small(number)}; };
  switch (image.decoder().find(word)->op.test) {
    case Test::equals:
      return equals();
    case Test::differs:
      return opposite(equals());
    case Test::bit_set:
      return bit_is_set(block, tested, reg, number);
    case Test::bit_clear:
      return opposite(bit_is_set(block, tested, reg, number));
  }
  return {};
}

}  // namespace mobula::afuc
