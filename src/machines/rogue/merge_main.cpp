// Merging two main groups. Each is taken apart into what its phases compute and who uses it; then every way to fill
// phase 0, phase 1 and FTE is tried, and the shortest group that serves all users is kept.
#include <algorithm>
#include <vector>

#include "machines/rogue/merge.h"
#include "machines/rogue/slots.h"

namespace mobula::rogue {
namespace {

/// Codes of feedthroughs as IS3, IS4 and IS5 have them.
enum Feed : std::uint8_t { ft0, ft1, ft2, fte };

/// What a feedthrough can carry.
struct Value {
  enum class Kind : std::uint8_t { nothing, early, pack, high, reg };
  Kind kind = Kind::nothing;
  std::size_t op = 0;  ///< early and high: position in Parts::early
  Register reg;        ///< reg
  friend bool operator==(const Value&, const Value&) = default;
};

/// An instruction of phase 0 or 1 that is no copy, with the registers of its first to third source.
struct EarlyOp {
  Item item;
  std::array<Register, 3> sources{};
  unsigned used = 0;  ///< sources, a bit each
  bool in_p0 = true;
};

/// A register that is written, and what with.
struct Output {
  Register reg;
  Value value;
  bool of_first = false;
};

/// What both groups do, with values instead of feedthroughs.
struct Parts {
  std::vector<EarlyOp> early;
  Item pack, test, move, backend;
  Value pack_source, pack_external;                ///< IS3 and FTE
  std::array<Value, 2> tested, moved;              ///< IS1 and IS2; sources of a move that chooses
  std::array<Value, 2> unmoved;                    ///< what W0 and W1 are where it does not
  bool moves_w1 = false;                           ///< W1 is written by a move that chooses
  std::optional<Register> special_w0, special_w1;  ///< registers of ports that no selector alone drives
  bool w0_taken = false, w1_taken = false;         ///< by such results, kept in a register or not
  std::optional<Value> sent;                       ///< value the backend takes from a port
  std::optional<Register> is0_source;              ///< FTE's register as an operand of a 64-bit operation
  std::array<Register, slot_count> backend_slots{};
  unsigned backend_used = 0;
  std::vector<Output> outputs;
};

bool is_copy(const Item& item) {
  return item && item.op->name == "mbyp" && item.get(F::s0neg) == 0 && item.get(F::s0abs) == 0;
}

bool names_slot(const Operand& operand) {
  return (operand.what == Operand::What::source || operand.what == Operand::What::maybe) && operand.name.size() == 2 &&
         operand.name[0] == 's';
}

/// Reads one group into the parts. False if it does something that is not taken apart.
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
    for (const Operand& operand : op.op->all_operands()) {
      if (!names_slot(operand)) continue;
      const auto source = static_cast<unsigned>(operand.name[1] - '0');
      if (source > 2) return false;  // fred
      early.sources[source] = group_.slots[base + source];
      early.used |= 1u << source;
      if (is_written_before(early.sources[source])) return false;
    }
    if (op.op->has(reads_is0)) {
      if (parts_.is0_source || is_written_before(group_.slots[group_.external_slot()])) return false;
      parts_.is0_source = group_.slots[group_.external_slot()];
    }
    if (op.op->has(complex_w1)) return false;
    if (op.op->has(complex_result)) {
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
    for (const Operand& operand : op.op->all_operands()) {
      if (operand.what != Operand::What::source) continue;
      constexpr unsigned s2 = 2;
      if (operand.name == "is3" && (group_.selector(3) == s2 || !take(group_.selector(3), parts_.pack_source)))
        return false;
      if (operand.name == "fte" && !take(fte, parts_.pack_external)) return false;
    }
    return true;
  }

  bool read_test() {
    const Item& op = item(Word::test);
    if (!op) return true;
    if (parts_.test) return false;
    parts_.test = op;
    const bool carries = item(Word::p0) && item(Word::p0).op->has_field(F::int32_64_op);
    if (op.op->name == "tstc" && !carries) return false;
    for (const Operand& operand : op.op->all_operands()) {
      if (operand.what != Operand::What::source) continue;
      const unsigned which = operand.name == "is1" ? 0 : 1;
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
    whole_move_ = op.op->name == "mov" && (mask == all || mask == 0);
    if (whole_move_) return !complex_;
    if (parts_.move || parts_.w0_taken) return false;
    parts_.move = op;
    parts_.w0_taken = true;
    if (!take(op.get(F::movw0), parts_.moved[0]) || !take(group_.selector(4), parts_.unmoved[0])) return false;
    if (op.op->name != "movc" || !group_.w1p) return true;
    parts_.moves_w1 = parts_.w1_taken = true;
    return take(op.get(F::movw1), parts_.moved[1]) && take(group_.selector(5), parts_.unmoved[1]);
  }

  bool read_backend() {
    const Item& op = item(Word::backend);
    if (!op) return true;
    if (parts_.backend) return join_backend(op);
    parts_.backend = op;
    for (const Operand& operand : op.op->all_operands()) {
      if (operand.what == Operand::What::fixed && (operand.name == "w0" || operand.name == "w1") &&
          !op.op->has(reads_w0))
        return false;  // drives a port
      if (names_slot(operand)) use_backend_slot(static_cast<unsigned>(operand.name[1] - '0'));
      if (operand.what != Operand::What::field) continue;
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
    if (parts_.backend.form != &forms::uvsw_write_imm || op.form != &forms::uvsw_emit_endtask) return false;
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
    if (move && !whole_move_ && (port == 0 || move.op->name == "movc")) return false;
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

/// Builds groups of the parts and keeps the shortest.
class GroupBuilder {
 public:
  explicit GroupBuilder(const Parts& parts) : parts_(parts) {
    collect(parts.pack_source);
    collect(parts.pack_external);
    for (const auto* values : {&parts.tested, &parts.moved, &parts.unmoved})
      for (const Value& each : *values) collect(each);
    if (parts.sent) collect(*parts.sent);
    if (parts.is0_source) collect({Value::Kind::reg, 0, *parts.is0_source});
    for (const Output& each : parts.outputs) collect(each.value);
  }

  std::optional<Group> run() {
    // What phases 0 and 1 may hold: an instruction, a copy of a register, or nothing.
    std::vector<Value> contents{{}};
    for (std::size_t i = 0; i < parts_.early.size(); ++i) contents.push_back({Value::Kind::early, i, {}});
    for (const Register& reg : registers_) contents.push_back({Value::Kind::reg, 0, reg});
    std::vector<std::optional<Register>> externals{std::nullopt};
    for (const Register& reg : registers_) externals.emplace_back(reg);
    for (const Value& p0 : contents)
      for (const Value& p1 : contents)
        for (const auto& external : externals) try_contents(p0, p1, external);
    return best_;
  }

 private:
  void collect(const Value& value) {
    if (value.kind == Value::Kind::reg &&
        std::find(registers_.begin(), registers_.end(), value.reg) == registers_.end())
      registers_.push_back(value.reg);
  }

  void try_contents(const Value& p0, const Value& p1, const std::optional<Register>& external) {
    if (p0 == p1 && p0.kind != Value::Kind::nothing) return;
    for (std::size_t i = 0; i < parts_.early.size(); ++i) {
      const Value op{Value::Kind::early, i, {}};
      if (p0 != op && p1 != op) return;
    }
    group_ = Group{};
    group_.alu = Alu::main;
    contents_ = {p0, p1};
    external_ = external;
    carried_ = {p0, p1, parts_.pack ? Value{Value::Kind::pack, 0, {}} : Value{},
                external ? Value{Value::Kind::reg, 0, *external} : Value{}};
    bound_ = 0;
    if (!place_early() || !place_phase2()) return;
    for (const bool swapped : {false, true}) try_ports(swapped);
  }

  // ---- phases 0 and 1

  bool place_early() {
    for (unsigned phase = 0; phase < 2; ++phase) {
      const Value& content = contents_[phase];
      const Word word = phase == 0 ? Word::p0 : Word::p1;
      if (content.kind == Value::Kind::nothing) continue;
      const unsigned base = phase == 0 ? 0 : upper_slot;
      if (content.kind == Value::Kind::reg) {
        group_.item(word) = copy_item();
        if (!bind(base, content.reg)) return false;
        continue;
      }
      const EarlyOp& op = parts_.early[content.op];
      if (phase == 1 && !may_stand_in_p1(op)) return false;
      if (op.item.op->has(complex_result) && contents_[1].kind != Value::Kind::nothing) return false;
      group_.item(word) = op.item;
      for (unsigned source = 0; source < 3; ++source)
        if ((op.used >> source & 1) != 0 && !bind(base + source, op.sources[source])) return false;
      if (op.item.op->has(high_result)) {
        carried_[fte] = {Value::Kind::high, content.op, {}};
        if (external_ != parts_.is0_source) return false;
      }
    }
    return contents_[1].kind == Value::Kind::nothing || contents_[0].kind != Value::Kind::nothing;
  }
  /// V-08.
  static bool may_stand_in_p1(const EarlyOp& op) {
    static constexpr std::array<std::string_view, 8> both{"fadd", "fmul", "fmad",  "mbyp",
                                                          "fdsx", "fdsy", "fdsxf", "fdsyf"};
    return std::find(both.begin(), both.end(), op.item.op->name) != both.end();
  }
  static Item copy_item() {
    const Op* mbyp = nullptr;
    for (const Op& op : ops())
      if (op.name == "mbyp") mbyp = &op;
    Values values = default_values;
    at(values, F::sngl_op) = mbyp->required[0].second;
    const Form* form = shortest_form(*mbyp, values);
    return {form, mbyp, write(*form, values)};
  }

  bool bind(unsigned slot, const Register& reg) {
    if ((bound_ >> slot & 1) != 0) return group_.slots[slot] == reg;
    if (forbidden_in_slot(slot, reg)) return false;
    bound_ |= 1u << slot;
    group_.slots[slot] = reg;
    return true;
  }

  // ---- phase 2 and backend

  /// A feedthrough among `allowed` (bits by Feed) that carries the value.
  [[nodiscard]] std::optional<unsigned> find(const Value& value, unsigned allowed) const {
    for (unsigned feed = 0; feed < carried_.size(); ++feed)
      if ((allowed >> feed & 1) != 0 && carried_[feed] == value && value.kind != Value::Kind::nothing) return feed;
    return std::nullopt;
  }

  bool place_phase2() {
    constexpr unsigned any = 15;
    const auto choose = [&](const Value& value, unsigned allowed, unsigned selector) {
      const auto feed = find(value, allowed);
      if (!feed) return false;
      group_.selectors[selector] = static_cast<std::uint8_t>(selector < 3 ? (*feed == fte ? 1 : 0) : *feed);
      return true;
    };
    if (parts_.pack) {
      group_.item(Word::pack) = parts_.pack;
      if (parts_.pack_source.kind != Value::Kind::nothing &&
          !choose(parts_.pack_source, 1u << ft0 | 1u << ft1 | 1u << fte, 3))
        return false;
      if (parts_.pack_external.kind != Value::Kind::nothing && carried_[fte] != parts_.pack_external) return false;
    }
    if (parts_.test) {
      group_.item(Word::test) = parts_.test;
      if (parts_.tested[0].kind != Value::Kind::nothing && !choose(parts_.tested[0], 1u << ft0 | 1u << fte, 1))
        return false;
      if (parts_.tested[1].kind != Value::Kind::nothing && !choose(parts_.tested[1], 1u << ft1 | 1u << fte, 2))
        return false;
    }
    if (parts_.move) {
      group_.item(Word::move) = parts_.move;
      if (!parts_.moves_w1) set(Word::move, F::movw1, 0);
      for (unsigned port = 0; port < (parts_.moves_w1 ? 2u : 1u); ++port) {
        const auto from = find(parts_.moved[port], any);
        if (!from || !choose(parts_.unmoved[port], any, 4 + port)) return false;
        set(Word::move, port == 0 ? F::movw0 : F::movw1, *from);
      }
    }
    return place_backend() && finish_phase2();
  }

  bool place_backend() {
    if (!parts_.backend) return true;
    group_.item(Word::backend) = parts_.backend;
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((parts_.backend_used >> slot & 1) != 0 && !bind(slot, parts_.backend_slots[slot])) return false;
    // The phases that a backend instruction asks for (V-02): a pack that nobody reads, a copy of whatever s0 is.
    const bool phase2 = parts_.pack || parts_.test || parts_.move;
    const bool phase0 = group_.item(Word::p0).form != nullptr;
    if (phase0 && !phase2) {
      group_.item(Word::pack) = zero_item();
    } else if (phase2 && !phase0) {
      group_.item(Word::p0) = copy_item();
      if (!bind(0, group_.slots[0])) return false;
    }
    return true;
  }
  static Item zero_item() {
    for (const Op& op : ops()) {
      if (op.name != "pck.zero") continue;
      Values values = default_values;
      for (std::size_t i = 0; i < op.required_count; ++i) at(values, op.required[i].first) = op.required[i].second;
      const Form* form = shortest_form(op, values);
      return {form, &op, write(*form, values)};
    }
    return {};
  }

  /// The chain of phase 2: which instruction is its last.
  bool finish_phase2() {
    const bool pack = group_.item(Word::pack).form != nullptr, test = group_.item(Word::test).form != nullptr;
    if (group_.item(Word::move)) set(Word::move, F::p2end, pack || test ? 0 : 1);
    if (test) set(Word::test, F::p2end, pack ? 0 : 1);
    return true;
  }
  void set(Word word, F field, std::uint32_t value) {
    Item& item = group_.item(word);
    Values values = default_values;
    read(*item.form, item.bits, values);
    for (std::size_t i = 0; i < item.op->required_count; ++i)
      at(values, item.op->required[i].first) = item.op->required[i].second;
    at(values, field) = value;
    item.form = shortest_form(*item.op, values);
    item.bits = write(*item.form, values);
  }

  // ---- ports

  /// Results go to the ports that are free, in one order or the other.
  void try_ports(bool swapped) {
    const Group before = group_;
    if (place_ports(swapped)) finish();
    group_ = before;
  }
  bool place_ports(bool swapped) {
    std::array<bool, 2> taken{parts_.w0_taken, parts_.w1_taken};
    std::array<bool, 2> chosen{};
    std::array<Value, 2> values;
    const auto use = [&](unsigned port, const Value& value) {
      if (taken[port]) return false;
      if (chosen[port]) return values[port] == value;
      const auto feed = find(value, 15);
      if (!feed) return false;
      chosen[port] = true;
      values[port] = value;
      group_.selectors[4 + port] = static_cast<std::uint8_t>(*feed);
      return true;
    };
    if (parts_.special_w0) group_.w0p = true, group_.written[0] = *parts_.special_w0;
    if (parts_.special_w1) group_.w1p = true, group_.written[1] = *parts_.special_w1;
    std::size_t next = 0;
    for (const unsigned port : swapped ? std::array<unsigned, 2>{1, 0} : std::array<unsigned, 2>{0, 1}) {
      if (taken[port] || next == parts_.outputs.size()) continue;
      const Output& output = parts_.outputs[next++];
      if (!use(port, output.value)) return false;
      (port == 0 ? group_.w0p : group_.w1p) = true;
      group_.written[port] = output.reg;
    }
    if (next != parts_.outputs.size()) return false;
    if (parts_.sent) {
      const bool second = !use(0, *parts_.sent);
      if (second && !use(1, *parts_.sent)) return false;
      const bool link = group_.item(Word::backend).form == &forms::setl;
      if (group_.item(Word::backend).form->find(F::dsel) != nullptr || link)
        set(Word::backend, link ? F::ressel : F::dsel, second ? 1 : 0);
      else if (second)
        return false;
    }
    return place_w1_of_move(chosen[1]);
  }
  /// A move that chooses changes W1, too: both of its choices are then the same. Of other moves that is not known.
  bool place_w1_of_move(bool w1_chosen) {
    const Item& move = group_.item(Word::move);
    if (!w1_chosen || !move) return true;
    if (move.op->name != "movc") return false;
    set(Word::move, F::movw1, group_.selectors[5]);
    return true;
  }

  void finish() {
    const bool needs_external = (selectors_used(group_) & 1) != 0;
    if (needs_external != external_.has_value()) return;
    for (unsigned i = 0; i < slot_count; ++i) {
      const unsigned slot = is0_slots[i];
      const Group before = group_;
      const unsigned bound = bound_;
      if (needs_external) {
        if (!bind(slot, *external_)) continue;
        group_.selectors[0] = static_cast<std::uint8_t>(i);
      }
      keep_if_shorter();
      group_ = before;
      bound_ = bound;
      if (!needs_external) break;
    }
  }
  void keep_if_shorter() {
    const bool any = std::any_of(group_.items.begin(), group_.items.end(), [](const Item& item) { return bool(item); });
    const Phases phases{group_.item(Word::p0).form != nullptr, group_.item(Word::p1).form != nullptr,
                        group_.item(Word::pack) || group_.item(Word::test) || group_.item(Word::move),
                        group_.item(Word::backend).form != nullptr};
    if (!any || std::find(phase_sets.begin(), phase_sets.end(), phases) == phase_sets.end()) return;
    if (group_.w0p && group_.w1p && group_.written[0] == group_.written[1]) return;
    const bool complex = phases.p0 && group_.item(Word::p0).op->has(complex_result);
    if (complex && (group_.item(Word::test) || phases.backend)) return;  // V-07
    group_.lower = shortest_lower(group_);
    group_.upper = shortest_upper(group_);
    group_.destination = group_.w0p || group_.w1p ? shortest_destination(group_) : nullptr;
    if (group_.lower == nullptr || group_.upper == nullptr) return;
    if ((group_.w0p || group_.w1p) && group_.destination == nullptr) return;
    if (!best_ || content_bytes(group_) < content_bytes(*best_)) best_ = group_;
  }

  const Parts& parts_;
  std::vector<Register> registers_;
  Group group_;
  std::array<Value, 2> contents_;
  std::array<Value, 4> carried_;
  std::optional<Register> external_;
  unsigned bound_ = 0;
  std::optional<Group> best_;
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

std::optional<Group> merge_main(const Group& first, const Group& second, const RegisterSet& dead) {
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
  return GroupBuilder(parts).run();
}

}  // namespace mobula::rogue
