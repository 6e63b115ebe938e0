#include <algorithm>
#include <bit>
#include <optional>

#include "execute/semantics.h"
#include "machines/utgard_gp/schedule/expression.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::uint32_t one = 0x3F800000, minus_one = 0xBF800000, minus_zero = 0x80000000;
constexpr std::uint32_t memory_limit = memory_vec4s_mali400;

class Lowering {
 public:
  Lowering(Expressions& expressions, Values& values)
      : expressions_(expressions), values_(values), forms_(expressions.scalars.size()) {}

  Result<Flow> run() {
    for (ScalarId id = 0; id < forms_.size(); ++id) simplify(id);
    mark_needed();
    place_clamp_bounds();
    place_numbers();
    if (vec4s() > memory_limit)
      return fail("GP154", "the numbers need " + std::to_string(vec4s() - memory_limit) +
                               " vec4s more than uniform memory has after the declared uniforms");
    for (ScalarId id = 0; id < forms_.size(); ++id)
      if (needed_[id]) make(id);
    for (const Slot& slot : slots_) expressions_.interface.constants.push_back({slot.word, slot.bits});
    return flow();
  }

 private:
  /// What a scalar reduces to: a number, another scalar, that one negated, or itself.
  struct Form {
    std::optional<std::uint32_t> number;
    ScalarId same = 0;
    bool negated = false;
    ValueId value = no_value;
  };
  /// A number in uniform memory.
  struct Slot {
    std::uint32_t word, bits;
  };

  [[nodiscard]] const Scalar& scalar(ScalarId id) const { return expressions_.scalars[id]; }
  /// The scalar this one is the same as.
  [[nodiscard]] ScalarId root(ScalarId id) const { return forms_[id].negated ? id : forms_[id].same; }

  void simplify(ScalarId id) {
    const Scalar& made = scalar(id);
    Form& form = forms_[id];
    form.same = id;
    if (made.is_number) form.number = made.bits;
    if (made.is_number || is_leaf(made.make)) return;
    const unsigned count = operand_count(made.make);
    std::array<std::uint32_t, 3> bits{};
    bool all_numbers = true;
    for (unsigned k = 0; k < count; ++k) {
      const auto& number = forms_[made.operands[k]].number;
      all_numbers &= number.has_value();
      bits[k] = number.value_or(0);
    }
    if (all_numbers) {
      form.number = evaluate(made.make, bits[0], bits[1], bits[2]);
      return;
    }
    for (unsigned k = 0; k < 2 && (made.make == Make::mul || made.make == Make::add); ++k) {
      const auto& number = forms_[made.operands[1 - k]].number;
      if (!number) continue;
      const ScalarId other = root(made.operands[k]);
      if (*number == (made.make == Make::mul ? one : minus_zero)) form.same = other;
      if (made.make == Make::mul && *number == minus_one) {
        form.same = other;
        form.negated = true;
      }
    }
  }

  void mark_needed() {
    needed_.assign(forms_.size(), false);
    for (const Expressions::Store& store : expressions_.stores) needed_[root(store.value)] = true;
    for (ScalarId id = static_cast<ScalarId>(forms_.size()); id-- > 0;) {
      if (!needed_[id] || forms_[id].number) continue;
      if (forms_[id].negated) {
        needed_[forms_[id].same] = true;
        continue;
      }
      for (unsigned k = 0; k < operand_count(scalar(id).make); ++k) needed_[root(scalar(id).operands[k])] = true;
    }
  }

  /// Bounds that are numbers go to the x and y of a vec4, from where the pass unit clamps.
  void place_clamp_bounds() {
    for (ScalarId id = 0; id < forms_.size(); ++id) {
      if (!needed_[id] || forms_[id].number || scalar(id).make != Make::min) continue;
      const auto high = forms_[scalar(id).operands[1]].number;
      const Scalar& raised = scalar(root(scalar(id).operands[0]));
      if (!high || raised.is_number || raised.make != Make::max) continue;
      const auto low = forms_[raised.operands[1]].number;
      if (!low) continue;
      const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        const auto next = static_cast<std::size_t>(&slot - slots_.data()) + 1;
        return slot.word % 4 == 0 && slot.bits == *low && next < slots_.size() && slots_[next].bits == *high;
      });
      if (known != slots_.end()) continue;
      const std::uint32_t word = 4 * vec4s();
      if (word > 4 * memory_limit) return;
      slots_.push_back({word, *low});
      slots_.push_back({word + 1, *high});
    }
  }
  void place_numbers() {
    const std::size_t pairs = slots_.size();
    const auto used = [&](std::uint32_t word) {
      return std::any_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(pairs),
                         [&](const Slot& slot) { return slot.word == word; });
    };
    std::uint32_t word = 4 * expressions_.uniform_vec4s;
    for (ScalarId id = 0; id < forms_.size(); ++id) {
      if (!needed_[id] || !forms_[id].number || find_slot(*forms_[id].number) != nullptr) continue;
      while (used(word)) ++word;
      slots_.push_back({word++, *forms_[id].number});
      if (word > 4 * memory_limit) return;
    }
  }
  [[nodiscard]] const Slot* find_slot(std::uint32_t bits) const {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.bits == bits; });
    return found == slots_.end() ? nullptr : &*found;
  }
  /// Vec4s of uniform memory in use.
  [[nodiscard]] std::uint32_t vec4s() const {
    std::uint32_t count = expressions_.uniform_vec4s;
    for (const Slot& slot : slots_) count = std::max(count, slot.word / 4 + 1);
    return count;
  }

  void make(ScalarId id) {
    Form& form = forms_[id];
    if (form.number) {
      form.value = leaf(*find_slot(*form.number));
    } else if (form.negated) {
      form.value = values_.negated(forms_[form.same].value);
    } else {
      form.value = make(scalar(id));
    }
  }
  ValueId leaf(const Slot& slot) { return values_.leaf(Make::uniform, slot.word / 4, slot.word % 4); }

  ValueId make(const Scalar& made) {
    const auto operand = [&](unsigned k) { return forms_[root(made.operands[k])].value; };
    switch (kind_of(made.make)) {
      case MakeKind::leaf:
        if (made.make == Make::load) return values_.load(made.index, operand(0), made.component, no_value);
        break;
      case MakeKind::state:  // not in expressions
        break;
      case MakeKind::product:
        return made.make == Make::negation ? values_.negated(operand(0)) : values_.mul(operand(0), operand(1));
      case MakeKind::select:
        return values_.select(operand(0), operand(1), operand(2));
      case MakeKind::function:
        return values_.function(made.make, operand(0));
      case MakeKind::adder:
        if (const auto clamped = clamp(made)) return *clamped;
        return values_.adder(made.make, {operand(0)},
                             operand_count(made.make) == 2 ? ValueUse{operand(1)} : ValueUse{});
    }
    return values_.leaf(made.make, made.index, made.component);
  }
  /// min(max(x, low), high) with both bounds from one vec4.
  std::optional<ValueId> clamp(const Scalar& made) {
    if (made.make != Make::min) return std::nullopt;
    const auto high = forms_[made.operands[1]].number;
    const ScalarId raised = root(made.operands[0]);
    if (!high || scalar(raised).is_number || scalar(raised).make != Make::max) return std::nullopt;
    const auto low = forms_[scalar(raised).operands[1]].number;
    if (!low) return std::nullopt;
    for (std::size_t i = 0; i + 1 < slots_.size(); ++i) {
      if (slots_[i].word % 4 != 0 || slots_[i].bits != *low || slots_[i + 1].word != slots_[i].word + 1 ||
          slots_[i + 1].bits != *high)
        continue;
      const ValueId x = forms_[root(scalar(raised).operands[0])].value;
      const ValueId maximum = values_.adder(Make::max, {x}, {leaf(slots_[i])});
      return values_.adder(Make::min, {maximum}, {leaf(slots_[i + 1])});
    }
    return std::nullopt;
  }

  Flow flow() {
    Segment segment;
    segment.end = own_contents(values_);
    for (const Expressions::Store& store : expressions_.stores)
      segment.varyings.push_back({store.varying, store.component, forms_[root(store.value)].value});
    Trace trace;
    trace.entry = segment.end;
    trace.segments.push_back(std::move(segment));
    return Flow{{std::move(trace)}};
  }

  Expressions& expressions_;
  Values& values_;
  std::vector<Form> forms_;
  std::vector<bool> needed_;
  std::vector<Slot> slots_;
};

}  // namespace

std::uint32_t evaluate(Make make, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto f32 = [](ir::Op op, std::uint32_t x, std::uint32_t y = 0) {
    ir::Operation operation;
    operation.op = op;
    operation.type = ir::Type::f32;
    operation.round = op == ir::Op::fround ? ir::Round::down : ir::Round::even;
    return static_cast<std::uint32_t>(ir::evaluate(operation, x, y, 0));
  };
  const auto one_if = [](bool holds) { return holds ? one : 0; };
  switch (make) {
    case Make::mul:
      return f32(ir::Op::fmul, a, b);
    case Make::negation:
      return a ^ minus_zero;
    case Make::add:
      return f32(ir::Op::fadd, a, b);
    case Make::floor:
      return f32(ir::Op::fround, a);
    case Make::sign:
      return f32(ir::Op::flt, 0, a) != 0 ? one : f32(ir::Op::flt, a, 0) != 0 ? minus_one : 0;
    case Make::ge:
      return one_if(f32(ir::Op::fle, b, a) != 0);
    case Make::lt:
      return one_if(f32(ir::Op::flt, a, b) != 0);
    case Make::min:
      return f32(ir::Op::fmin, a, b);
    case Make::max:
      return f32(ir::Op::fmax, a, b);
    case Make::select:
      return f32(ir::Op::fne, a, 0) != 0 ? c : b;
    case Make::rcp:
      return f32(ir::Op::frcp, a);
    case Make::rsqrt:
      return f32(ir::Op::frsqrt, a);
    case Make::exp2:
      return f32(ir::Op::fexp2, a);
    case Make::log2:
      return f32(ir::Op::flog2, a);
    case Make::attribute:
    case Make::uniform:
    case Make::load:
    case Make::reg:
    case Make::address:
    case Make::memory:
    case Make::store:
      break;  // nothing to compute
  }
  return 0;
}

std::int64_t loaded_vec4(std::uint32_t base, std::uint32_t address) {
  ir::Operation operation;
  operation.op = ir::Op::f2i;
  operation.type = ir::Type::i32;
  operation.from = ir::Type::f32;
  operation.round = ir::Round::down;
  return std::int64_t{base} + static_cast<std::int32_t>(ir::evaluate(operation, address, 0, 0));
}

Result<Flow> lower(Expressions& expressions, Values& values) { return Lowering(expressions, values).run(); }

}  // namespace mobula::utgard_gp
