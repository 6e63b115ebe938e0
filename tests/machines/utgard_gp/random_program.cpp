#include "random_program.h"

#include <algorithm>
#include <array>
#include <optional>

#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

using Selectors = std::vector<unsigned>;

constexpr unsigned mul_complex1 = opcode_of(MulOp::complex1), mul_complex2 = opcode_of(MulOp::complex2),
                   mul_select = opcode_of(MulOp::select);
constexpr unsigned acc_add = opcode_of(AccOp::add), acc_floor = opcode_of(AccOp::floor),
                   acc_sign = opcode_of(AccOp::sign), acc_ge = opcode_of(AccOp::ge), acc_lt = opcode_of(AccOp::lt),
                   acc_min = opcode_of(AccOp::min), acc_max = opcode_of(AccOp::max);
constexpr unsigned pass_mov = opcode_of(PassOp::mov), pass_preexp2 = opcode_of(PassOp::preexp2),
                   pass_postlog2 = opcode_of(PassOp::postlog2), pass_clamp = opcode_of(PassOp::clamp);
constexpr unsigned cplx_exp2 = opcode_of(ComplexOp::exp2), cplx_log2 = opcode_of(ComplexOp::log2),
                   cplx_mov = opcode_of(ComplexOp::mov), cplx_set_a0 = opcode_that_sets(0),
                   cplx_set_a1 = opcode_that_sets(1), cplx_set_a2 = opcode_that_sets(2),
                   cplx_set_a3 = opcode_that_sets(3), cplx_set_a01 = opcode_of(ComplexOp::set_addresses_from_pass);

class Generator {
 public:
  Generator(std::mt19937& random, const RandomProgramOptions& options)
      : random_(random),
        options_(options),
        words_(options.words, nop),
        plans_(options.words),
        closed_(options.words),
        quiet_(options.words),
        entered_(options.words) {
    written_.fill(-long_ago);
  }

  std::vector<std::uint8_t> run() {
    if (options_.branches) plan_branches();
    plan_sequences();
    for (at_ = 0; at_ < words_.size(); ++at_) fill_word();
    std::vector<std::uint8_t> code;
    for (const Word128& word : words_) append_word(word, code);
    return code;
  }

 private:
  enum class Step : std::uint8_t { none, preexp2, table, finish, postlog2 };
  struct Plan {
    Step step = Step::none;
    unsigned function = 0;  ///< cplx.op of the table stage
    unsigned x = 0;         ///< selector of the argument, an attribute or uniform component
    std::optional<unsigned> target;
  };

  bool chance(unsigned percent) { return random_() % 100 < percent; }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  unsigned pick(const Selectors& from) { return from[random_() % from.size()]; }
  void put(const Field& field, unsigned value) { set(words_[at_], field, value); }
  unsigned field(std::size_t word, const Field& field) const { return static_cast<unsigned>(get(words_[word], field)); }

  /// Words around which values of different words meet: the last two before and the first two after an edge.
  void plan_branches() {
    const auto count = static_cast<unsigned>(words_.size());
    for (unsigned i = 0; i < 1 + count / 8; ++i) {
      const unsigned from = 4 + below(count - 5), target = 2 + below(count - 2);
      plans_[from].target = target;
      for (const unsigned edge : {from + 1, target}) {
        for (unsigned word = edge - 2; word < std::min(edge + 2, count); ++word) closed_[word] = true;
        for (unsigned word = edge - std::min(edge, 4u); word < edge; ++word) quiet_[word] = options_.patient;
        if (edge < count) entered_[edge] = options_.patient;
      }
    }
  }

  // What patient programs avoid.

  /// Words after the last branch or join before this one; results of so many words can be read.
  [[nodiscard]] std::size_t reach() const {
    std::size_t words = 0;
    while (words < 2 && words < at_ && !entered_[at_ - words]) ++words;
    return words;
  }
  /// This word may write what arrives later.
  [[nodiscard]] bool may_write() const { return !quiet_[at_]; }
  /// A register component (see forwarding.h for the numbers) or address register can be read here.
  [[nodiscard]] bool has_arrived(unsigned delayed) const {
    return !options_.patient || static_cast<int>(at_) - written_[delayed] >= static_cast<int>(latency_of(delayed));
  }
  void note_writes() {
    sets_store_address_ = sets_store_address_ || sets_address(words_[at_], 0);
    const DelayedSet writes = delayed_writes(words_[at_]);
    for (unsigned delayed = 0; delayed < delayed_count; ++delayed)
      if (writes.test(delayed)) written_[delayed] = static_cast<int>(at_);
  }
  void remove_early(Selectors& all) const {
    if (!options_.patient) return;
    std::erase_if(all, [&](unsigned selector) {
      const bool before = selector >= 28;
      const std::size_t word = before ? at_ - 1 : at_;
      const bool port1 = selector >= 4 && selector < 8;
      if (!before && selector >= 8) return false;
      if (!port1 && field(word, word::port0_attr) != 0) return false;
      const unsigned reg = field(word, port1 ? word::port1_index : word::port0_index);
      const unsigned flat = 4 * reg + selector % 4;
      return static_cast<int>(word) - written_[flat] < static_cast<int>(register_latency) &&
             written_[flat] <= static_cast<int>(word);
    });
  }

  void plan_sequences() {
    const auto count = static_cast<unsigned>(words_.size());
    for (unsigned i = 0; i < count / 6; ++i) {
      const unsigned at = 1 + below(count - 1);
      if (at + 4 > count) continue;
      bool free = true;
      for (unsigned word = at - 1; word < at + 4; ++word)
        free = free && plans_[word].step == Step::none && !closed_[word];
      if (!free) continue;
      const unsigned function = 2 + below(4), x = chance(50) ? below(4) : 12 + below(4);
      if (function == cplx_exp2) plans_[at - 1] = {Step::preexp2, function, x, {}};
      plans_[at] = {Step::table, function, x, {}};
      plans_[at + 1] = {Step::finish, function, x, {}};
      if (function == cplx_log2) plans_[at + 3] = {Step::postlog2, function, x, {}};
    }
  }

  /// Selectors an operand may reasonably take in this word.
  Selectors sensible(bool b) {
    Selectors all{0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15};
    if (b) all.insert(all.end(), {selector_identity, selector_identity, selector_identity});
    const auto add = [&](std::initializer_list<unsigned> more) {
      for (int i = 0; i < 3; ++i) all.insert(all.end(), more);
    };
    const std::size_t reach = options_.patient ? this->reach() : at_;
    if (reach >= 1) {
      add({28, 29, 30, 31});
      const std::size_t one = at_ - 1;
      if (is_active(words_[one], Unit::acc0)) add({16});
      if (is_active(words_[one], Unit::acc1)) add({17});
      if (is_active(words_[one], Unit::mul0) && mul_is_number(one, false)) add({18});
      if (is_active(words_[one], Unit::mul1)) add({19});
      if (is_active(words_[one], Unit::pass) && field(one, word::pass_op) != pass_preexp2) add({20});
      if (!b && leaves_number(one)) add({22});
    }
    if (reach >= 2) {
      const std::size_t two = at_ - 2;
      if (is_active(words_[two], Unit::acc0)) add({24});
      if (is_active(words_[two], Unit::acc1)) add({25});
      if (is_active(words_[two], Unit::mul0) && mul_is_number(two, true)) add({26, 26, 26});
      if (is_active(words_[two], Unit::mul1)) add({27});
      if (is_active(words_[two], Unit::pass) && field(two, word::pass_op) != pass_preexp2) add({23});
    }
    remove_early(all);
    if (all.empty()) all.push_back(12);
    return all;
  }
  /// True if the complex unit works on something other than a function.
  bool leaves_number(std::size_t word) const {
    return is_active(words_[word], Unit::complex) && cplx_operation(words_[word]).traits.result == ResultKind::number;
  }
  bool mul_is_number(std::size_t word, bool late) const {
    const unsigned op = field(word, word::mul_op);
    if (op == mul_complex1) return late && plans_[word].step == Step::finish && plans_[word].function != cplx_log2;
    return op != mul_complex2;
  }

  unsigned source(bool b) {
    if (!options_.patient && chance(3)) return pick({0, 4, 12, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31});
    return pick(sensible(b));
  }

  void fill_word() {
    fill_loads();
    fill_multipliers();
    fill_adders();
    fill_pass();
    fill_complex();
    fill_stores();
    if (plans_[at_].target) {
      put(word::branch, 1);
      put(word::flow, 13);
      put(word::pass_op, pass_mov);
      put(word::pass_in,
          options_.patient && reach() > 0 && is_active(words_[at_ - 1], Unit::acc0) ? 16 : source(false));
      set_branch_target(words_[at_], *plans_[at_].target);
    }
    note_writes();
  }

  void fill_loads() {
    put(word::ld_addr, below(12));
    if (const unsigned k = 1 + below(3); chance(20) && has_arrived(delayed_address + k - 1)) put(word::ld_off, k);
    put(word::port0_index, below(4));
    put(word::port0_attr, chance(50) ? 1 : 0);
    put(word::port1_index, below(4));
    // A sequence reads its argument in two words.
    if (plans_[at_].step == Step::table || plans_[at_].step == Step::preexp2 || plans_[at_].step == Step::finish) {
      put(word::port0_attr, 1);
      put(word::port0_index, plans_[at_].x);
      put(word::ld_off, 7);
      put(word::ld_addr, plans_[at_].x);
    }
  }

  void fill_multipliers() {
    const Plan& plan = plans_[at_];
    const bool exponential = plan.function == cplx_exp2;
    const auto operands = [&](unsigned a0, unsigned b0, unsigned a1, unsigned b1) {
      put(word::mul0_a, a0);
      put(word::mul0_b, b0);
      put(word::mul1_a, a1);
      put(word::mul1_b, b1);
    };
    if (plan.step == Step::finish) {
      put(word::mul_op, mul_complex1);
      return operands(22, 18, 22, exponential ? 23 : plan.x);
    }
    if (plan.step == Step::table) {
      put(word::mul_op, mul_complex2);
      const unsigned x = exponential ? 20 : plan.x;
      return operands(x, x, chance(50) ? source(false) : selector_unused, source(true));
    }
    if (options_.loose_sequences && chance(15)) {
      put(word::mul_op, chance(50) ? mul_complex1 : mul_complex2);
      return operands(source(false), source(true), source(false), source(true));
    }
    if (chance(10)) {
      put(word::mul_op, mul_select);
      return operands(source(false), source(true), source(false), selector_unused);
    }
    if (chance(60)) {
      put(word::mul0_a, source(false));
      put(word::mul0_b, source(true));
      put(word::mul0_neg, below(2));
    }
    if (chance(60)) {
      put(word::mul1_a, source(false));
      put(word::mul1_b, source(true));
      put(word::mul1_neg, below(2));
    }
  }

  void fill_adders() {
    if (options_.patient && at_ + 1 < words_.size() && plans_[at_ + 1].target) {  // a branch wants a truth value
      put(word::acc_op, pick({acc_ge, acc_lt}));
      put(word::acc0_a, source(false));
      return put(word::acc0_b, source(true));
    }
    put(word::acc_op, chance(40) ? acc_add : pick({acc_add, acc_floor, acc_sign, acc_ge, acc_lt, acc_min, acc_max}));
    if (chance(60)) {
      put(word::acc0_a, source(false));
      put(word::acc0_b, source(true));
      put(word::acc0_a_neg, below(2));
      put(word::acc0_b_neg, below(2));
    }
    if (chance(60)) {
      put(word::acc1_a, source(false));
      put(word::acc1_b, source(true));
      put(word::acc1_a_neg, below(2));
      put(word::acc1_b_neg, below(2));
    }
  }

  void fill_pass() {
    const Plan& plan = plans_[at_];
    if (plan.step == Step::preexp2) {
      put(word::pass_op, pass_preexp2);
      return put(word::pass_in, plan.x);
    }
    if (plan.step == Step::postlog2) {
      put(word::pass_op, pass_postlog2);
      return put(word::pass_in, result_selector(Unit::mul0, 2));
    }
    if (chance(40)) return;
    put(word::pass_op, options_.loose_sequences && chance(20) ? pick({pass_preexp2, pass_postlog2})
                       : chance(25)                           ? pass_clamp
                                                              : pass_mov);
    put(word::pass_in, source(false));
  }

  void fill_complex() {
    const Plan& plan = plans_[at_];
    if (plan.step == Step::table) {
      put(word::cplx_op, plan.function);
      return put(word::cplx_in, plan.function == cplx_exp2 ? 20 : plan.x);
    }
    if (chance(50)) return;
    if (options_.patient && (chance(40) || !may_write())) return;
    const bool passes = is_active(words_[at_], Unit::pass) && field(at_, word::pass_op) != pass_preexp2;
    const unsigned pair = options_.patient && !passes ? cplx_set_a1 : cplx_set_a01;
    put(word::cplx_op, options_.loose_sequences && chance(20) ? 2 + below(4)
                       : chance(50)                           ? cplx_mov
                                    : pick({cplx_set_a0, cplx_set_a1, cplx_set_a2, cplx_set_a3, pair}));
    put(word::cplx_in, source(false));
  }

  /// Stores results of active units, mostly, and numbers.
  unsigned stored() {
    if (!options_.patient && chance(3)) return pick({0, 1, 2, 3, 4, 6});
    Selectors all;
    for (unsigned selector : {0u, 1u, 2u, 3u, 4u, 6u}) {
      const Unit unit = stored_unit(selector);
      if (!is_active(words_[at_], unit)) continue;
      if (unit == Unit::mul0 && !mul_is_number(at_, false)) continue;
      if (unit == Unit::pass && field(at_, word::pass_op) == pass_preexp2) continue;
      if (unit == Unit::complex && !leaves_number(at_)) continue;
      all.push_back(selector);
    }
    return all.empty() || chance(20) ? store_nothing : pick(all);
  }

  bool uses_complex() const {
    for (const Field* selector : {&word::st0_x, &word::st0_y, &word::st1_z, &word::st1_w})
      if (field(at_, *selector) == store_complex) return true;
    return false;
  }

  void fill_stores() {
    put(word::st0_x, stored());
    put(word::st0_y, stored());
    put(word::st1_z, stored());
    put(word::st1_w, stored());
    put(word::st0_index, below(4));
    put(word::st1_index, below(4));
    put(word::st0_var, may_write() ? below(2) : 1);
    put(word::st1_var, may_write() ? below(2) : 1);
    if (!options_.temporaries || !chance(40) || !may_write()) return;
    if (options_.patient && (plans_[at_].step == Step::table || uses_complex())) return;
    put(word::flow, 12);
    put(word::st0_temp, 1);
    put(word::st1_temp, below(2));
    if (options_.branches && sets_store_address_ && chance(40)) return;  // at the address that an earlier word set
    put(word::cplx_op, cplx_set_a0);
    put(word::cplx_in, source(false));
  }

  std::mt19937& random_;
  RandomProgramOptions options_;
  std::vector<Word128> words_;
  std::vector<Plan> plans_;
  std::vector<bool> closed_;
  std::vector<bool> quiet_,
      entered_;  ///< in patient programs: no delayed writes here; a branch or join stands before it
  static constexpr int long_ago = 100;
  std::array<int, delayed_count> written_{};  ///< last word that wrote this
  bool sets_store_address_ = false;           ///< a word before this one does
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::uint8_t> random_program(std::mt19937& random, const RandomProgramOptions& options) {
  return Generator(random, options).run();
}

}  // namespace mobula::utgard_gp
