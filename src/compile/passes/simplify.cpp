#include "compile/passes/simplify.h"

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compile/evaluate/operations.h"
#include "compile/ssa/dominators.h"

namespace mobula::ssa {
namespace {

/// A component of a value.
struct Part {
  Value value = none;
  std::uint32_t component = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

class Simplifier {
 public:
  explicit Simplifier(Program& program) : program_(program), tree_(program) {}

  void run() {
    // What a loop hands back to its head is known only after the head has been read.
    do {
      changed_ = false;
      same_.resize(program_.values.size());
      for (Value i = 0; i < same_.size(); ++i) same_[i] = i;
      made_.assign(program_.values.size(), {});
      known_.emplace(program_.values.size(), Hash{this}, Same{this}, &memory_);
      for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) read_block(i);
      known_.reset();
      memory_.release();
      replace_operands();
    } while (changed_);
    drop_the_unread();
    number_anew();
  }

 private:
  struct Made {
    std::uint32_t block = none;
    std::size_t at = 0;
  };

  /// The instruction of a value, if it has been read.
  [[nodiscard]] const Instruction* maker(Value value) const {
    const Made& made = made_[value];
    return made.block == none ? nullptr : &program_.blocks[made.block].instructions[made.at];
  }
  [[nodiscard]] const Type& type_of(Value value) const { return program_.values[value]; }

  void read_block(std::uint32_t number) {
    auto& instructions = program_.blocks[number].instructions;
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      Instruction& each = instructions[at];
      for (Value& operand : each.operands) operand = same_[operand];
      if (each.result == none) {
        settle_place(each);
        continue;
      }
      fold(each);
      settle_place(each);
      see_through(each);
      made_[each.result] = {number, at};
      if (const Value equal = equal_value(each, number); equal != none) {
        same_[each.result] = equal;
        changed_ = true;
      }
    }
  }

  void fold(Instruction& each) {
    if (!only_computes(each.op) || each.operands.empty()) return;
    std::vector<Bits> operands;
    std::vector<Type> types;
    for (const Value operand : each.operands) {
      const Instruction* const from = maker(operand);
      if (from == nullptr || from->op != Op::constant) return;
      operands.push_back(from->data);
      types.push_back(type_of(operand));
    }
    const Bits bits = compute(each, operands, types);
    each.op = Op::constant;
    each.operands.clear();
    each.data = bits;
    changed_ = true;
  }

  /// What is known of an index is part of the place.
  void settle_place(Instruction& each) {
    const bool in_slots = each.op == Op::load || each.op == Op::store,
               in_bytes = each.op == Op::read || each.op == Op::write;
    const std::size_t index = has_effect(each.op) ? 1 : 0;
    if ((!in_slots && !in_bytes) || each.operands.size() <= index) return;
    const Instruction* const added = maker(each.operands[index]);
    if (added == nullptr || (added->op != Op::constant && added->op != Op::iadd)) return;
    const Instruction* const known = added->op == Op::constant ? added : maker(added->operands[1]);
    if (known == nullptr || known->op != Op::constant) return;
    const std::uint32_t place = each.data[0] + known->data[0];
    if (in_slots && place >= program_.variables[each.variable].slots.size()) return;
    each.data[0] = place;
    if (added->op == Op::constant)
      each.operands.pop_back();
    else
      each.operands[index] = added->operands[0];
    changed_ = true;
  }

  /// Where a component comes from, through what only moves components.
  [[nodiscard]] Part origin(Part part) const {
    for (;;) {
      const Instruction* const from = maker(part.value);
      if (from == nullptr || (from->op != Op::swizzle && from->op != Op::compose)) return part;
      part = part_of(*from, part.component);
    }
  }
  /// What a swizzle or a compose takes for a component.
  [[nodiscard]] Part part_of(const Instruction& each, std::uint32_t component) const {
    if (each.op == Op::swizzle) return {each.operands[0], each.data[component]};
    for (const Value operand : each.operands) {
      const std::uint32_t count = type_of(operand).components;
      if (component < count) return {operand, component};
      component -= count;
    }
    return {};
  }

  /// What takes the components of one value, by whatever way, takes them from it at once.
  void see_through(Instruction& each) {
    take_by_number(each);
    if (each.op != Op::swizzle && each.op != Op::compose) return;
    std::array<std::uint32_t, 4> components{};
    Value source = none;
    for (std::uint32_t i = 0; i < each.type.components; ++i) {
      const Part part = origin(part_of(each, i));
      if (i > 0 && part.value != source) return;
      source = part.value;
      components[i] = part.component;
    }
    if (each.op == Op::swizzle && each.operands[0] == source) return;
    each.op = Op::swizzle;
    each.operands = {source};
    each.data = components;
    changed_ = true;
  }
  /// An index that is known is a swizzle.
  void take_by_number(Instruction& each) {
    if (each.op != Op::extract) return;
    const Instruction* const index = maker(each.operands[1]);
    if (index == nullptr || index->op != Op::constant || index->data[0] >= type_of(each.operands[0]).components) return;
    each.op = Op::swizzle;
    each.data = {index->data[0]};
    each.operands.pop_back();
    changed_ = true;
  }

  /// A value made before that is the same; none if there is none.
  Value equal_value(const Instruction& each, std::uint32_t block) {
    if (each.op == Op::phi) return only_operand(each);
    if (each.op == Op::swizzle && is_whole(each)) return each.operands[0];
    if (!is_repeatable(each)) return none;
    Value& known = known_->try_emplace(each.result, each.result).first->second;
    if (known != each.result && tree_.dominates(made_[known].block, block)) return known;
    known = each.result;
    return none;
  }
  [[nodiscard]] Value only_operand(const Instruction& phi) const {
    Value found = none;
    for (const Value operand : phi.operands) {
      if (operand == phi.result || operand == found) continue;
      if (found != none) return none;
      found = operand;
    }
    return found;
  }
  [[nodiscard]] bool is_whole(const Instruction& swizzle) const {
    if (type_of(swizzle.operands[0]).components != swizzle.type.components) return false;
    for (std::uint32_t i = 0; i < swizzle.type.components; ++i)
      if (swizzle.data[i] != i) return false;
    return true;
  }
  /// Whether making it again gives the same: it computes, or reads what no thread writes.
  [[nodiscard]] bool is_repeatable(const Instruction& each) const {
    if (each.op == Op::load || each.op == Op::read) {
      const Storage storage = program_.variables[each.variable].storage;
      return storage == Storage::input || storage == Storage::uniform || storage == Storage::uniform_block;
    }
    return each.op == Op::constant || each.op == Op::length || only_computes(each.op);
  }
  /// By which instructions are known: everything but where they stand.
  struct Hash {
    std::size_t operator()(Value value) const {
      const Instruction& each = *simplifier->maker(value);
      std::uint64_t sum = 0;
      const auto mix = [&](std::uint64_t word) {
        constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
        sum = (std::rotl(sum, 5) ^ word) * golden_ratio;
      };
      mix(static_cast<std::uint64_t>(each.op) | std::uint64_t{each.variable} << 32);
      for (const std::uint32_t word : each.data) mix(word);
      if (is_commutative(each.op))
        mix(std::uint64_t{each.operands[0]} + each.operands[1]);
      else
        for (const Value operand : each.operands) mix(operand);
      return sum;
    }
    const Simplifier* simplifier;
  };
  struct Same {
    bool operator()(Value one, Value other) const {
      const Instruction &a = *simplifier->maker(one), &b = *simplifier->maker(other);
      if (a.op != b.op || a.type != b.type || a.precise != b.precise || a.variable != b.variable || a.data != b.data)
        return false;
      return a.operands == b.operands || (is_commutative(a.op) && std::ranges::is_permutation(a.operands, b.operands));
    }
    const Simplifier* simplifier;
  };

  [[nodiscard]] Value leader(Value value) const {
    while (same_[value] != value) value = same_[value];
    return value;
  }
  void replace_operands() {
    for (Block& block : program_.blocks) {
      for (Instruction& each : block.instructions)
        for (Value& operand : each.operands) operand = leader(operand);
      if (block.end.condition != none) block.end.condition = leader(block.end.condition);
      std::erase_if(block.instructions,
                    [&](const Instruction& each) { return each.result != none && same_[each.result] != each.result; });
    }
  }

  /// Whether it has to stay though nobody reads its result. What no thread reads need not be stored.
  [[nodiscard]] bool stays(const Instruction& each, const std::vector<bool>& loaded) const {
    if (each.op == Op::store && program_.variables[each.variable].storage == Storage::local)
      return loaded[each.variable];
    return has_effect(each.op);
  }
  void drop_the_unread() {
    std::vector<bool> loaded(program_.variables.size());
    std::vector<const Instruction*> makers(program_.values.size());
    for (const Block& block : program_.blocks)
      for (const Instruction& each : block.instructions) {
        if (each.op == Op::load) loaded[each.variable] = true;
        if (each.result != none) makers[each.result] = &each;
      }
    std::vector<bool> read(program_.values.size());
    std::vector<Value> to_do;
    const auto need = [&](Value value) {
      if (value == none || read[value]) return;
      read[value] = true;
      to_do.push_back(value);
    };
    for (const Block& block : program_.blocks) {
      need(block.end.condition);
      for (const Instruction& each : block.instructions)
        if (stays(each, loaded)) std::ranges::for_each(each.operands, need);
    }
    while (!to_do.empty()) {
      const Value value = to_do.back();
      to_do.pop_back();
      std::ranges::for_each(makers[value]->operands, need);
    }
    for (Block& block : program_.blocks)
      std::erase_if(block.instructions, [&](const Instruction& each) {
        return !stays(each, loaded) && (each.result == none || !read[each.result]);
      });
  }

  void number_anew() {
    std::vector<Value> number(program_.values.size(), none);
    std::vector<Type> types;
    for (const Block& block : program_.blocks)
      for (const Instruction& each : block.instructions)
        if (each.result != none) {
          number[each.result] = static_cast<Value>(types.size());
          types.push_back(each.type);
        }
    for (Block& block : program_.blocks) {
      for (Instruction& each : block.instructions) {
        if (each.result != none) each.result = number[each.result];
        for (Value& operand : each.operands) operand = number[operand];
      }
      if (block.end.condition != none) block.end.condition = number[block.end.condition];
    }
    program_.values = std::move(types);
  }

  Program& program_;
  DominatorTree tree_;
  std::vector<Value> same_;  ///< by value: what stands for it
  std::vector<Made> made_;
  std::pmr::monotonic_buffer_resource memory_;
  std::optional<std::pmr::unordered_map<Value, Value, Hash, Same>> known_;  ///< of those that are the same, the last
  bool changed_ = false;
};

}  // namespace

void simplify(Program& program) { Simplifier(program).run(); }

}  // namespace mobula::ssa
