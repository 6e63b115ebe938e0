// One main group of the parts of two: every way to fill phase 0, phase 1 and FTE is tried, and the shortest group that
// serves all users is kept.
#include <algorithm>

#include "machines/rogue/merge/parts.h"
#include "machines/rogue/spec/slots.h"

namespace mobula::rogue::merging {
namespace {

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
      if (phase == 1 && !op.item.op->in(Unit::p1)) return false;
      if (op.item.op->has(drives_w0) && contents_[1].kind != Value::Kind::nothing) return false;
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
  static Item copy_item() {
    static const Item item = item_that(does::Early::copy);
    return item;
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
    static const Item item = item_that(does::Pack::zero);
    return item;
  }
  /// The instruction without modifiers.
  static Item item_that(Does does) {
    const Op& op = op_that(does);
    Values values = default_values;
    for (std::size_t i = 0; i < op.required_count; ++i) at(values, op.required[i].first) = op.required[i].second;
    const Form* form = shortest_form(op, values);
    return {form, &op, write(*form, values)};
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
      const bool link = group_.item(Word::backend).form->find(F::ressel) != nullptr;
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
    if (move.op->does != does::Move::choose) return false;
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
    const bool complex = phases.p0 && group_.item(Word::p0).op->has(drives_w0);
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

}  // namespace

std::optional<Group> build_main(const Parts& parts) { return GroupBuilder(parts).run(); }

}  // namespace mobula::rogue::merging
