// Merging two main groups. Each is split into what its phases compute and who uses it.
#include <algorithm>

#include "machines/rogue/merge/merge.h"
#include "machines/rogue/merge/parts.h"

namespace mobula::rogue {
namespace merging {
namespace {

bool is_copy(const Item& item) { return item && is_plain_copy(*item.op, item); }

bool names_slot(const OperandSpec& operand) {
  return (operand.what == OperandSpec::What::source || operand.what == OperandSpec::What::maybe) &&
         is_slot(operand.name);
}

/// Reads one group into the parts. False if it does something that cannot be split.
class PartsReader {
 public:
  PartsReader(const Group& group, bool first, Parts& parts) : group_(group), first_(first), parts_(parts) {}

  bool run() {
    return read_early(Word::p0) && read_early(Word::p1) && read_pack() && read_test() && read_move() &&
           read_backend() && read_outputs();
  }

 private:
  [[nodiscard]] const Item& item(Word word) const { return group_.item(word); }

  /// What a register holds for this group: a result of the group before, or what it held before both.
  [[nodiscard]] Value value_of(const Register& reg) {
    if (!first_)
      for (const Output& each : parts_.outputs)
        if (each.of_first && each.reg == reg) return each.value;
    return {Value::Kind::reg, 0, reg};
  }
  /// True if the group before writes the register in a way that cannot be handed on, or if this group cannot take it.
  [[nodiscard]] bool is_written_before(const Register& reg) const {
    if (first_) return false;
    if (parts_.special_w0 == reg || parts_.special_w1 == reg) return true;
    return std::any_of(parts_.outputs.begin(), parts_.outputs.end(),
                       [&](const Output& each) { return each.of_first && each.reg == reg; });
  }
  /// Nothing where a register's value is a result that no feedthrough carries.
  std::optional<Value> register_value(const Register& reg) {
    if (!first_ && (parts_.special_w0 == reg || parts_.special_w1 == reg)) return std::nullopt;
    return value_of(reg);
  }
  std::optional<Value> feed(unsigned code) {
    const Value result{Value::Kind::early, early_[code & 1], {}};
    switch (code) {
      case ft0:
      case ft1: {
        const Item& op = item(code == ft0 ? Word::p0 : Word::p1);
        if (!op) return std::nullopt;
        return is_copy(op) ? register_value(group_.slots[code == ft0 ? 0 : upper_slot]) : result;
      }
      case ft2:
        if (!item(Word::pack)) return std::nullopt;
        return Value{Value::Kind::pack, 0, {}};
      default:
        if (item(Word::p0) && item(Word::p0).op->has(high_result)) return Value{Value::Kind::high, early_[0], {}};
        return register_value(group_.slots[group_.external_slot()]);
    }
  }
  bool take(unsigned code, Value& value) {
    const auto found = feed(code);
    if (found) value = *found;
    return found.has_value();
  }

  bool read_early(Word word) {
    const Item& op = item(word);
    if (!op || is_copy(op)) return true;
    const unsigned base = word == Word::p0 ? 0 : upper_slot;
    EarlyOp early{.item = op, .in_p0 = word == Word::p0};
    for (const OperandSpec& operand : op.op->all_operands()) {
      if (!names_slot(operand)) continue;
      const unsigned source = number_of(operand.name);
      if (source > 2) return false;  // fred
      early.sources[source] = group_.slots[base + source];
      early.used |= 1u << source;
      if (is_written_before(early.sources[source])) return false;
    }
    if (op.op->has(reads_is0)) {
      if (parts_.is0_source || is_written_before(group_.slots[group_.external_slot()])) return false;
      parts_.is0_source = group_.slots[group_.external_slot()];
    }
    if (op.op->has(drives_w1)) return false;
    if (op.op->has(drives_w0)) {
      if (parts_.w0_taken) return false;
      parts_.w0_taken = true;
      complex_ = true;
    }
    early_[word == Word::p0 ? 0 : 1] = parts_.early.size();
    parts_.early.push_back(early);
    return true;
  }

  bool read_pack() {
    const Item& op = item(Word::pack);
    if (!op) return true;
    if (parts_.pack) return false;
    parts_.pack = op;
    for (const OperandSpec& operand : op.op->all_operands()) {
      if (operand.what != OperandSpec::What::source) continue;
      constexpr unsigned s2 = 2;
      if (operand.name == Name::is3 && (group_.selector(3) == s2 || !take(group_.selector(3), parts_.pack_source)))
        return false;
      if (operand.name == Name::fte && !take(fte, parts_.pack_external)) return false;
    }
    return true;
  }

  bool read_test() {
    const Item& op = item(Word::test);
    if (!op) return true;
    if (parts_.test) return false;
    parts_.test = op;
    const bool carries = item(Word::p0) && item(Word::p0).op->has(gives_carry);
    if (op.op->does == does::Test::carry && !carries) return false;
    for (const OperandSpec& operand : op.op->all_operands()) {
      if (operand.what != OperandSpec::What::source) continue;
      const unsigned which = operand.name == Name::is1 ? 0 : 1;
      const unsigned code = group_.selector(which + 1) != 0 ? static_cast<unsigned>(fte) : which;
      if (!take(code, parts_.tested[which])) return false;
    }
    return true;
  }

  bool read_move() {
    const Item& op = item(Word::move);
    if (!op) return true;
    const std::uint32_t mask = op.get(F::maskw0);
    constexpr std::uint32_t all = 15;
    whole_move_ = op.op->does == does::Move::replace && (mask == all || mask == 0);
    if (whole_move_) return !complex_;
    if (parts_.move || parts_.w0_taken) return false;
    parts_.move = op;
    parts_.w0_taken = true;
    if (!take(op.get(F::movw0), parts_.moved[0]) || !take(group_.selector(4), parts_.unmoved[0])) return false;
    if (op.op->does != does::Move::choose || !group_.w1p) return true;
    parts_.moves_w1 = parts_.w1_taken = true;
    return take(op.get(F::movw1), parts_.moved[1]) && take(group_.selector(5), parts_.unmoved[1]);
  }

  bool read_backend() {
    const Item& op = item(Word::backend);
    if (!op) return true;
    if (parts_.backend) return join_backend(op);
    parts_.backend = op;
    for (const OperandSpec& operand : op.op->all_operands()) {
      if (operand.what == OperandSpec::What::fixed && is_port(operand.name) && !op.op->has(reads_w0))
        return false;  // drives a port
      if (names_slot(operand)) use_backend_slot(number_of(operand.name));
      if (operand.what != OperandSpec::What::field) continue;
      const Kind kind = info(operand.field).kind;
      if (kind == Kind::slot || (kind == Kind::coverage && (op.get(operand.field) != 0 || op.get(F::nottiled) == 0)))
        use_backend_slot(op.get(operand.field));
    }
    if (!op.op->has(reads_w0)) return true;
    Value value;
    const bool second = op.get(F::dsel) != 0 || op.get(F::ressel) != 0;
    if (!port_value(second ? 1 : 0, value)) return false;
    parts_.sent = value;
    return true;
  }
  void use_backend_slot(unsigned slot) {
    parts_.backend_used |= 1u << slot;
    parts_.backend_slots[slot] = group_.slots[slot];
  }
  /// uvsw.write and then uvsw.emit.endtask are one instruction (V-44).
  bool join_backend(const Item& op) {
    const Item& earlier = parts_.backend;
    if (!earlier || !earlier.form->is(forms::uvsw_write_imm) || !op.form->is(forms::uvsw_emit_endtask)) return false;
    if (group_.condition != Condition::always) return false;
    Values values = default_values;
    read(*parts_.backend.form, parts_.backend.bits, values);
    const Form& form = forms::uvsw_write_emit_endtask_imm;
    parts_.backend.form = &form;
    parts_.backend.bits = write(form, values);
    parts_.backend.op = find_op(Unit::backend, form, parts_.backend.bits);
    return true;
  }

  /// What a port carries, where one value says it.
  bool port_value(unsigned port, Value& value) {
    const Item& move = item(Word::move);
    if (port == 0 && complex_) return false;
    if (move && !whole_move_ && (port == 0 || move.op->does == does::Move::choose)) return false;
    if (move && whole_move_ && port == 0 && move.get(F::maskw0) != 0) return take(move.get(F::movw0), value);
    if (move && whole_move_ && port == 1) return false;  // whether a move changes W1 is not known
    return take(group_.selector(4 + port), value);
  }

  bool read_outputs() {
    std::vector<Output> outputs;
    for (unsigned port = 0; port < 2; ++port) {
      if (port == 0 ? !group_.w0p : !group_.w1p) continue;
      const Register& reg = group_.written[port];
      const bool by_move = item(Word::move) && !whole_move_ && (port == 0 || parts_.moves_w1);
      if ((port == 0 && complex_) || by_move) {
        (port == 0 ? parts_.special_w0 : parts_.special_w1) = reg;
        continue;
      }
      Value value;
      if (!port_value(port, value)) return false;
      outputs.push_back({reg, value, first_});
    }
    parts_.outputs.insert(parts_.outputs.end(), outputs.begin(), outputs.end());
    return true;
  }

  const Group& group_;
  bool first_;
  Parts& parts_;
  std::array<std::size_t, 2> early_{};
  bool complex_ = false, whole_move_ = false;
};

/// True if the group's backend instruction uses a register that the other group writes: through a slot, or beyond it,
/// such as the second half of an address. It reads by itself, when is not known.
bool backend_uses_results(const Group& group, const Group& other) {
  Group alone;
  alone.slots = group.slots;
  alone.lower = group.lower;
  alone.item(Word::backend) = group.item(Word::backend);
  const Access access = access_of(alone), written = access_of(other);
  const RegisterSet used = access.reads | access.late_reads | access.late_writes;
  if ((used & (written.writes | written.late_writes)).any()) return true;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((slots_read(alone) >> slot & 1) != 0 &&
        ((other.w0p && other.written[0] == group.slots[slot]) || (other.w1p && other.written[1] == group.slots[slot])))
      return true;
  return false;
}

/// Drops results that are overwritten, and those that nobody needs.
void drop_unneeded(Parts& parts, const Group& second, const RegisterSet& dead) {
  const auto overwritten = [&](const Register& reg) {
    return (second.w0p && second.written[0] == reg) || (second.w1p && second.written[1] == reg);
  };
  std::erase_if(parts.outputs, [&](const Output& each) {
    return each.of_first && (overwritten(each.reg) || is_dead(each.reg, dead));
  });
}

}  // namespace
}  // namespace merging

std::optional<Group> merge_main(const Group& first, const Group& second, const RegisterSet& dead) {
  using namespace merging;
  if (backend_uses_results(first, second) || backend_uses_results(second, first)) return {};
  Parts parts;
  if (!PartsReader(first, true, parts).run()) return {};
  const auto special = parts.special_w0;
  const auto special1 = parts.special_w1;
  if (!PartsReader(second, false, parts).run()) return {};
  // A special result that the second group overwrites would have to be dropped from its port: not worth a form.
  for (const auto& reg : {special, special1})
    if (reg && ((second.w0p && second.written[0] == *reg) || (second.w1p && second.written[1] == *reg))) return {};
  drop_unneeded(parts, second, dead);
  if (parts.early.size() > 2 || parts.outputs.size() > 2) return {};
  return build_main(parts);
}

}  // namespace mobula::rogue
