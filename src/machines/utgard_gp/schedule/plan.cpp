#include "machines/utgard_gp/schedule/plan.h"

#include <algorithm>
#include <optional>
#include <string>

#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

/// The selector of a load's component.
constexpr unsigned selector_of(Source source, unsigned component) { return first_selector(source) + component; }

/// Writes the words from the last to the first, so that it is known of each piece of work whether anything needs it:
/// the rest is left out.
class Emitter {
 public:
  Emitter(const Task& task, const Plan& plan) : task_(task), plan_(plan), needs_(plan.size()) { last_load_.fill(-1); }

  Result<std::vector<Word128>> run() {
    std::vector<Word128> words(plan_.size(), nop);
    for (at_ = plan_.size(); at_-- > 0;) {
      word_ = nop;
      emit_word();
      words[at_] = word_;
    }
    if (!problem_.empty()) return fail("GP390", problem_, "this is a bug of the scheduler; please report the program");
    return words;
  }

 private:
  /// What of a planned word something needs.
  struct Needs {
    std::array<bool, unit_count> units{};
    bool load = false, port0 = false, port1 = false;
  };

  [[nodiscard]] const PlannedWord& planned() const { return plan_[at_]; }
  [[nodiscard]] bool needed(Unit unit) const { return needs_[at_].units[static_cast<std::size_t>(unit)]; }
  void need(std::size_t word, Unit unit) { needs_[word].units[static_cast<std::size_t>(unit)] = true; }
  void put(const Field& field, std::uint64_t value) { set(word_, field, value); }

  void emit_word() {
    const PlannedWord& plan = planned();
    emit_store(0, {&word::st0_index, &word::st0_var, &word::st0_temp}, {&word::st0_x, &word::st0_y});
    emit_store(1, {&word::st1_index, &word::st1_var, &word::st1_temp}, {&word::st1_z, &word::st1_w});
    if (plan.branch >= 0) {
      put(word::branch, 1);
      put(word::flow, flow_branch);
      need(at_, Unit::pass);
    }
    emit_adder(Unit::acc0, word::acc0_a, word::acc0_b, word::acc0_a_neg, word::acc0_b_neg);
    emit_adder(Unit::acc1, word::acc1_a, word::acc1_b, word::acc1_a_neg, word::acc1_b_neg);
    emit_multipliers();
    emit_complex();
    emit_pass();
    const Needs& needs = needs_[at_];
    if (needs.load) {
      put(word::ld_addr, static_cast<std::uint64_t>(plan.load) % memory_vec4s);
      if (const unsigned k = static_cast<unsigned>(plan.load) / memory_vec4s; k != 0) put(word::ld_off, k);
    }
    if (needs.port0) {
      put(word::port0_attr, is_attribute_port(plan.port0) ? 1 : 0);
      put(word::port0_index, static_cast<std::uint64_t>(plan.port0) % register_count);
    }
    if (needs.port1) put(word::port1_index, static_cast<std::uint64_t>(plan.port1));
  }

  // ---------------------------------------------------------------------------------------------- operands

  /// How a word reads a value: the selector, and what that needs.
  struct Found {
    unsigned selector = selector_unused;
    bool* need = nullptr;
    int flat = -1;  ///< scalar place, loaded in word `loaded`
    std::size_t loaded = 0;
  };

  /// How this word reads a node; complex results only if `complex`.
  std::optional<Found> find(NodeId id, bool complex) {
    const PlannedWord& plan = planned();
    const Node& node = task_.nodes[id];
    Needs& here = needs_[at_];
    for (const PlannedWord::Feed& feed : plan.feeds) {
      if (feed.node != id) continue;
      const unsigned component = feed.flat % 4u;
      switch (feed.port) {
        case PlannedWord::Feed::port0:
          return Found{selector_of(Source::port0, component), &here.port0, feed.flat, at_};
        case PlannedWord::Feed::port1:
          return Found{selector_of(Source::port1, component), &here.port1, feed.flat, at_};
        case PlannedWord::Feed::load:
          return Found{selector_of(Source::load, component), &here.load, is_temporary_place(feed.flat) ? feed.flat : -1,
                       at_};
        case PlannedWord::Feed::port0_before:
          return Found{selector_of(Source::previous_port0, component), &needs_[at_ - 1].port0, feed.flat, at_ - 1};
      }
    }
    if (node.make == Make::uniform && plan.load == load_at(node.index))
      return Found{selector_of(Source::load, node.component), &here.load};
    if (node.make == Make::attribute) {
      if (plan.port0 == port_of_attribute(node.index))
        return Found{selector_of(Source::port0, node.component), &here.port0};
      if (at_ > 0 && plan_[at_ - 1].port0 == port_of_attribute(node.index))
        return Found{selector_of(Source::previous_port0, node.component), &needs_[at_ - 1].port0};
    }
    for (unsigned unit = 0; unit < unit_count && at_ > 0; ++unit) {
      const PlannedWord::Work& work = plan_[at_ - 1].units[unit];
      const bool number = work.part == Part::whole || work.part == Part::move || work.part == Part::post;
      if (work.node == id && number && (complex || unit != static_cast<unsigned>(Unit::complex)))
        return Found{result_selector(static_cast<Unit>(unit), 1), &needs_[at_ - 1].units[unit]};
    }
    for (unsigned unit = 0; unit < unit_count && at_ > 1; ++unit) {
      const PlannedWord::Work& work = plan_[at_ - 2].units[unit];
      const bool number = work.part == Part::whole || work.part == Part::move || work.part == Part::post ||
                          (work.part == Part::combine && node.make != Make::log2);
      const unsigned selector = result_selector(static_cast<Unit>(unit), 2);
      if (work.node == id && number && selector != selector_unused)
        return Found{selector, &needs_[at_ - 2].units[unit]};
    }
    return std::nullopt;
  }

  unsigned selector(NodeId id, bool complex) {
    if (const auto found = find(id, complex)) {
      *found->need = true;
      if (found->flat >= 0) {
        int& last = last_load_[static_cast<std::size_t>(found->flat)];
        last = std::max(last, static_cast<int>(found->loaded));
      }
      return found->selector;
    }
    if (problem_.empty())
      problem_ = "value " + std::to_string(id) + " cannot be reached in word " + std::to_string(at_) + " of its trace";
    return selector_unused;
  }

  // ---------------------------------------------------------------------------------------------- units

  void emit_adder(Unit unit, const Field& a, const Field& b, const Field& a_negate, const Field& b_negate) {
    const auto [id, part] = planned().at(unit);
    if (part == Part::none || !needed(unit)) return;
    const Node& node = task_.nodes[id];
    if (part == Part::move || node.make == Make::negation) {
      put(a, selector(part == Part::move ? id : node.operands[0].node, true));
      put(a_negate, part == Part::move ? 0 : 1);
      put(b, selector_identity);
      put(b_negate, 1);
      return;
    }
    put(word::acc_op, opcode_of(node.make));
    NodeUse x = node.operands[0], y = node.operands[1];
    if (node.operand_count == 1) {
      put(a, selector(x.node, true));
      put(a_negate, x.negate ? 1 : 0);
      put(b, 0);  // Mesa's form; the operand is dead
      return;
    }
    if (y.node != no_node && !find(y.node, false)) exchange(node.make, x, y);
    put(a, selector(x.node, true));
    put(a_negate, x.negate ? 1 : 0);
    put(b, y.node == no_node ? selector_identity : selector(y.node, false));
    put(b_negate, y.negate ? 1 : 0);
  }

  void emit_multipliers() {
    const PlannedWord::Work& first = planned().at(Unit::mul0);
    const bool first_needed = needed(Unit::mul0);
    if (first_needed && first.part == Part::combine) return emit_combine(task_.nodes[first.node]);
    if (first_needed && first.part == Part::whole && task_.nodes[first.node].make == Make::select)
      return emit_select(task_.nodes[first.node]);
    if (first_needed && first.part == Part::square) {
      const Node& node = task_.nodes[first.node];
      const unsigned argument = node.make == Make::exp2 ? converted(1) : selector(node.operands[0].node, false);
      put(word::mul_op, opcode_of(MulOp::complex2));
      put(word::mul0_a, argument);
      put(word::mul0_b, argument);
    } else if (first_needed) {
      emit_multiplier(first, word::mul0_a, word::mul0_b, word::mul0_neg);
    }
    if (needed(Unit::mul1)) emit_multiplier(planned().at(Unit::mul1), word::mul1_a, word::mul1_b, word::mul1_neg);
  }

  void emit_multiplier(const PlannedWord::Work& work, const Field& a, const Field& b, const Field& negate) {
    if (work.part == Part::none) return;
    const Node& node = task_.nodes[work.node];
    if (work.part == Part::move || node.make == Make::negation) {
      put(a, selector(work.part == Part::move ? work.node : node.operands[0].node, true));
      put(b, selector_identity);
      put(negate, work.part == Part::move ? 0 : 1);
      return;
    }
    NodeId x = node.operands[0].node, y = node.operands[1].node;
    if (!find(y, false)) std::swap(x, y);
    put(a, selector(x, true));
    put(b, selector(y, false));
    put(negate, node.negate ? 1 : 0);
  }

  /// The result of preexp2 one or two words before this one.
  unsigned converted(std::size_t age) {
    need(at_ - age, Unit::pass);
    return result_selector(Unit::pass, age);
  }
  /// complex2 is one or two words before complex1.
  unsigned square(const Node& node) {
    const PlannedWord::Work& before = plan_[at_ - 1].at(Unit::mul0);
    const bool near = before.part == Part::square && &task_.nodes[before.node] == &node;
    const std::size_t age = near ? 1 : 2;
    need(at_ - age, Unit::mul0);
    return result_selector(Unit::mul0, age);
  }

  void emit_combine(const Node& node) {
    need(at_ - 1, Unit::complex);
    put(word::mul_op, opcode_of(MulOp::complex1));
    put(word::mul0_a, selector_identity);
    put(word::mul0_b, square(node));
    put(word::mul1_a, selector_identity);
    put(word::mul1_b, node.make == Make::exp2 ? converted(2) : selector(node.operands[0].node, false));
  }

  void emit_select(const Node& node) {
    put(word::mul_op, opcode_of(MulOp::select));
    put(word::mul0_b, selector(node.operands[0].node, false));
    put(word::mul0_a, selector(node.operands[1].node, true));
    put(word::mul1_a, selector(node.operands[2].node, true));
  }

  void emit_complex() {
    const auto [id, part] = planned().at(Unit::complex);
    const unsigned address = planned().address_register;
    if (part == Part::none || (!needed(Unit::complex) && address == 0)) return;
    if (part == Part::address) {
      put(word::cplx_op, opcode_that_sets(address));
      put(word::cplx_in, selector(id, true));
      return;
    }
    const Node& node = task_.nodes[id];
    if (part == Part::move) {
      put(word::cplx_op, opcode_of(ComplexOp::mov));
      put(word::cplx_in, selector(id, true));
      return;
    }
    put(word::cplx_op, sequence_of(node.make).table);
    put(word::cplx_in, node.make == Make::exp2 ? converted(1) : selector(node.operands[0].node, true));
  }

  void emit_pass() {
    const auto [id, part] = planned().at(Unit::pass);
    if (part == Part::none || !needed(Unit::pass)) return;
    const Node& node = task_.nodes[id];
    switch (part) {
      case Part::pre:
        put(word::pass_op, opcode_of(PassOp::preexp2));
        put(word::pass_in, selector(node.operands[0].node, true));
        return;
      case Part::post:
        put(word::pass_op, opcode_of(PassOp::postlog2));
        put(word::pass_in, result_selector(Unit::mul0, 2));
        need(at_ - 2, Unit::mul0);
        return;
      case Part::whole:
        put(word::pass_op, opcode_of(PassOp::clamp));
        needs_[at_].load = true;
        put(word::pass_in, selector(node.operands[0].node, true));
        return;
      case Part::move:
        put(word::pass_in, selector(id, true));
        return;
      case Part::none:
      case Part::table:
      case Part::square:
      case Part::combine:
      case Part::address:
        return;  // of other units
    }
  }

  struct StoreFields {
    const Field *index, *varying, *temporary;
  };
  void emit_store(unsigned half, const StoreFields& fields, std::array<const Field*, 2> components) {
    const PlannedWord::Store& store = planned().stores[half];
    if (store.kind == StoreKind::none) return;
    const bool temporary = store.kind == StoreKind::temporary;
    for (unsigned i = 0; i < 2; ++i) {
      if (store.nodes[i] == no_node || !is_needed(store, 2 * half + i, store.nodes[i])) continue;
      put(*fields.index, temporary ? 0 : store.index);
      put(*fields.varying, store.kind == StoreKind::varying ? 1 : 0);
      if (temporary) {
        put(*fields.temporary, 1);
        put(word::flow, flow_temporary);
        need(at_, Unit::complex);
      }
      const auto producer = std::find_if(planned().units.begin(), planned().units.end(), [&](const auto& work) {
        return work.node == store.nodes[i] &&
               (work.part == Part::whole || work.part == Part::move || work.part == Part::post);
      });
      if (producer == planned().units.end()) {
        problem_ = "nothing makes the value that word " + std::to_string(at_) + " of its trace stores";
        return;
      }
      const auto unit = producer - planned().units.begin();
      needs_[at_].units[static_cast<std::size_t>(unit)] = true;
      put(*components[i], store_selector(static_cast<Unit>(unit)));
    }
  }

  /// False for places that nothing outside the trace reads and that are not loaded before they change again.
  [[nodiscard]] bool is_needed(const PlannedWord::Store& store, unsigned component, NodeId id) const {
    if (store.kind == StoreKind::varying) return true;
    if (store.kind == StoreKind::temporary) {
      if (store.index == 0) return true;
      const unsigned place = flat_registers + 4u * (store.index - 1u) + component;
      return last_load_[place] >= static_cast<int>(at_) + static_cast<int>(temporary_latency);
    }
    const unsigned flat = 4u * store.index + component;
    if (last_load_[flat] >= static_cast<int>(at_) + static_cast<int>(register_latency)) return true;
    return std::any_of(task_.nodes[id].outputs.begin(), task_.nodes[id].outputs.end(), [&](std::uint16_t number) {
      return task_.outputs[number].kind == StoreKind::reg && task_.outputs[number].flat() == flat;
    });
  }

  const Task& task_;
  const Plan& plan_;
  std::vector<Needs> needs_;                  ///< by word
  std::array<int, flat_places> last_load_{};  ///< of each scalar place, in a word already written; -1 = none
  std::size_t at_ = 0;
  Word128 word_;
  std::string problem_;
};

}  // namespace

Result<std::vector<Word128>> emit(const Task& task, const Plan& plan) { return Emitter(task, plan).run(); }

}  // namespace mobula::utgard_gp
