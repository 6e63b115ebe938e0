#include "machines/utgard_gp/schedule_plan.h"

#include <algorithm>
#include <optional>
#include <string>

namespace mobula::utgard_gp {
namespace {

constexpr unsigned selector_load = 12, selector_port1 = 4, selector_previous_port0 = 28, selector_pass = 20;
/// Selectors of results by unit; 0 = none.
constexpr std::array<std::uint8_t, unit_count> selectors_at_1{16, 17, 18, 19, 20, 22},
    selectors_at_2{24, 25, 26, 27, 23, 0};

class Emitter {
 public:
  Emitter(const Task& task, const Plan& plan) : task_(task), plan_(plan) {}

  Result<std::vector<Word128>> run() {
    std::vector<Word128> words;
    for (at_ = 0; at_ < plan_.size(); ++at_) {
      word_ = nop;
      emit_word();
      words.push_back(word_);
    }
    if (!problem_.empty()) return fail("GP390", problem_, "this is a bug of the scheduler; please report the program");
    return words;
  }

 private:
  [[nodiscard]] const PlannedWord& planned() const { return plan_[at_]; }
  void put(const Field& field, std::uint64_t value) { set(word_, field, value); }

  void emit_word() {
    const PlannedWord& plan = planned();
    if (plan.load != port_free) put(word::ld_addr, static_cast<std::uint64_t>(plan.load));
    if (plan.port0 != port_free) {
      put(word::port0_attr, is_attribute_port(plan.port0) ? 1 : 0);
      put(word::port0_index, static_cast<std::uint64_t>(plan.port0) % register_count);
    }
    if (plan.port1 != port_free) put(word::port1_index, static_cast<std::uint64_t>(plan.port1));
    emit_adder(Unit::acc0, word::acc0_a, word::acc0_b, word::acc0_a_neg, word::acc0_b_neg);
    emit_adder(Unit::acc1, word::acc1_a, word::acc1_b, word::acc1_a_neg, word::acc1_b_neg);
    emit_multipliers();
    emit_complex();
    emit_pass();
    emit_store(0, word::st0_index, word::st0_var, {&word::st0_x, &word::st0_y});
    emit_store(1, word::st1_index, word::st1_var, {&word::st1_z, &word::st1_w});
    if (plan.branch >= 0) {
      put(word::branch, 1);
      put(word::flow, 13);
    }
  }

  // ---------------------------------------------------------------------------------------------- operands

  /// The selector through which this word reads a node; complex results only if `complex`.
  std::optional<unsigned> find(NodeId id, bool complex) const {
    const PlannedWord& plan = planned();
    const Node& node = task_.nodes[id];
    for (const PlannedWord::Feed& feed : plan.feeds)
      if (feed.node == id)
        return (feed.port == 0 ? 0 : feed.port == 1 ? selector_port1 : selector_previous_port0) + feed.flat % 4;
    if (node.make == Make::uniform && plan.load == static_cast<std::int16_t>(node.index))
      return selector_load + node.component;
    if (node.make == Make::attribute) {
      if (plan.port0 == port_of_attribute(node.index)) return node.component;
      if (at_ > 0 && plan_[at_ - 1].port0 == port_of_attribute(node.index))
        return selector_previous_port0 + node.component;
    }
    for (unsigned unit = 0; unit < unit_count && at_ > 0; ++unit) {
      const PlannedWord::Work& work = plan_[at_ - 1].units[unit];
      const bool number = work.part == Part::whole || work.part == Part::move || work.part == Part::post;
      if (work.node == id && number && (complex || unit != static_cast<unsigned>(Unit::complex)))
        return selectors_at_1[unit];
    }
    for (unsigned unit = 0; unit < unit_count && at_ > 1; ++unit) {
      const PlannedWord::Work& work = plan_[at_ - 2].units[unit];
      const bool number = work.part == Part::whole || work.part == Part::move || work.part == Part::post ||
                          (work.part == Part::combine && node.make != Make::log2);
      if (work.node == id && number && selectors_at_2[unit] != 0) return selectors_at_2[unit];
    }
    return std::nullopt;
  }

  unsigned selector(NodeId id, bool complex) {
    if (const auto found = find(id, complex)) return *found;
    if (problem_.empty())
      problem_ = "value " + std::to_string(id) + " cannot be reached in word " + std::to_string(at_) + " of its trace";
    return selector_unused;
  }

  // ---------------------------------------------------------------------------------------------- units

  void emit_adder(Unit unit, const Field& a, const Field& b, const Field& a_negate, const Field& b_negate) {
    const auto [id, part] = planned().at(unit);
    if (part == Part::none) return;
    const Node& node = task_.nodes[id];
    if (part == Part::move || node.make == Make::negation) {
      put(a, selector(part == Part::move ? id : node.operands[0].node, true));
      put(a_negate, part == Part::move ? 0 : 1);
      put(b, selector_identity);
      put(b_negate, 1);
      return;
    }
    constexpr std::array<std::uint8_t, 8> opcodes{acc_add, acc_floor, acc_sign, acc_ge, acc_lt, acc_min, acc_max};
    put(word::acc_op, opcodes[static_cast<std::size_t>(node.make) - static_cast<std::size_t>(Make::add)]);
    NodeUse x = node.operands[0], y = node.operands[1];
    if (node.operand_count == 1) {
      put(a, selector(x.node, true));
      put(a_negate, x.negate ? 1 : 0);
      put(b, 0);  // Mesa's form; the operand is dead
      return;
    }
    if (y.node != no_node && !find(y.node, false)) {
      std::swap(x, y);
      if (node.make == Make::ge || node.make == Make::lt) {  // x >= y is -y >= -x
        x.negate = !x.negate;
        y.negate = !y.negate;
      }
    }
    put(a, selector(x.node, true));
    put(a_negate, x.negate ? 1 : 0);
    put(b, y.node == no_node ? selector_identity : selector(y.node, false));
    put(b_negate, y.negate ? 1 : 0);
  }

  void emit_multipliers() {
    const PlannedWord::Work& first = planned().at(Unit::mul0);
    if (first.part == Part::combine) return emit_combine(task_.nodes[first.node]);
    if (first.part == Part::whole && task_.nodes[first.node].make == Make::select)
      return emit_select(task_.nodes[first.node]);
    if (first.part == Part::square) {
      const Node& node = task_.nodes[first.node];
      const unsigned argument = node.make == Make::exp2 ? selector_pass : selector(node.operands[0].node, false);
      put(word::mul_op, mul_complex2);
      put(word::mul0_a, argument);
      put(word::mul0_b, argument);
    } else {
      emit_multiplier(first, word::mul0_a, word::mul0_b, word::mul0_neg);
    }
    emit_multiplier(planned().at(Unit::mul1), word::mul1_a, word::mul1_b, word::mul1_neg);
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

  /// complex2 stands one or two words before complex1.
  [[nodiscard]] unsigned square(const Node& node) const {
    const PlannedWord::Work& before = plan_[at_ - 1].at(Unit::mul0);
    const bool near = before.part == Part::square && &task_.nodes[before.node] == &node;
    return (near ? selectors_at_1 : selectors_at_2)[static_cast<std::size_t>(Unit::mul0)];
  }

  void emit_combine(const Node& node) {
    put(word::mul_op, mul_complex1);
    put(word::mul0_a, selector_identity);
    put(word::mul0_b, square(node));
    put(word::mul1_a, selector_identity);
    put(word::mul1_b, node.make == Make::exp2 ? selectors_at_2[static_cast<std::size_t>(Unit::pass)]
                                              : selector(node.operands[0].node, false));
  }

  void emit_select(const Node& node) {
    put(word::mul_op, mul_select);
    put(word::mul0_b, selector(node.operands[0].node, false));
    put(word::mul0_a, selector(node.operands[1].node, true));
    put(word::mul1_a, selector(node.operands[2].node, true));
  }

  void emit_complex() {
    const auto [id, part] = planned().at(Unit::complex);
    if (part == Part::none) return;
    const Node& node = task_.nodes[id];
    if (part == Part::move) {
      put(word::cplx_op, cplx_mov);
      put(word::cplx_in, selector(id, true));
      return;
    }
    put(word::cplx_op, node.make == Make::rcp     ? cplx_rcp
                       : node.make == Make::rsqrt ? cplx_rsqrt
                       : node.make == Make::exp2  ? cplx_exp2
                                                  : cplx_log2);
    put(word::cplx_in, node.make == Make::exp2 ? selector_pass : selector(node.operands[0].node, true));
  }

  void emit_pass() {
    const auto [id, part] = planned().at(Unit::pass);
    if (part == Part::none) return;
    const Node& node = task_.nodes[id];
    switch (part) {
      case Part::pre:
        put(word::pass_op, pass_preexp2);
        put(word::pass_in, selector(node.operands[0].node, true));
        return;
      case Part::post:
        put(word::pass_op, pass_postlog2);
        put(word::pass_in, selector_complex1);
        return;
      case Part::whole:
        put(word::pass_op, pass_clamp);
        put(word::pass_in, selector(node.operands[0].node, true));
        return;
      default:
        put(word::pass_in, selector(id, true));
    }
  }

  void emit_store(unsigned half, const Field& index, const Field& varying, std::array<const Field*, 2> components) {
    const PlannedWord::Store& store = planned().stores[half];
    if (store.kind == StoreKind::none) return;
    put(index, store.index);
    put(varying, store.kind == StoreKind::varying ? 1 : 0);
    for (unsigned i = 0; i < 2; ++i) {
      if (store.nodes[i] == no_node) continue;
      const auto producer = std::find_if(planned().units.begin(), planned().units.end(), [&](const auto& work) {
        return work.node == store.nodes[i] &&
               (work.part == Part::whole || work.part == Part::move || work.part == Part::post);
      });
      if (producer == planned().units.end()) {
        problem_ = "nothing makes the value that word " + std::to_string(at_) + " of its trace stores";
        return;
      }
      const auto unit = static_cast<unsigned>(producer - planned().units.begin());
      put(*components[i], unit == static_cast<unsigned>(Unit::complex) ? store_complex : unit);
    }
  }

  const Task& task_;
  const Plan& plan_;
  std::size_t at_ = 0;
  Word128 word_;
  std::string problem_;
};

}  // namespace

Result<std::vector<Word128>> emit(const Task& task, const Plan& plan) { return Emitter(task, plan).run(); }

}  // namespace mobula::utgard_gp
