#include "compile/passes/promote.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "compile/passes/blocks.h"
#include "compile/passes/tables.h"

namespace mobula::ssa {
namespace {

bool is_local(const Program& program, const Instruction& each) {
  return (each.op == Op::load || each.op == Op::store) && program.variables[each.variable].storage == Storage::local;
}

// -------------------------------------------------------------------------------------------- values of an index

/// 0, step, 2 * step and so on up to most.
struct Range {
  std::uint32_t most = 0, step = 1;
};

class Chooser {
 public:
  Chooser(Program& program, unsigned most_elements)
      : program_(program),
        most_elements_(most_elements),
        makers_(program.values.size()),
        is_table_(tables_of(program)) {
    for (const Block& block : program.blocks)
      for (const Instruction& each : block.instructions)
        if (each.result != none) makers_[each.result] = each;
  }

  bool run() {
    bool any = false;
    for (Block& block : program_.blocks) {
      out_.clear();
      for (Instruction& each : block.instructions) {
        if (choose(each))
          any = true;
        else
          out_.push_back(std::move(each));
      }
      std::swap(block.instructions, out_);
    }
    return any;
  }

 private:
  bool choose(const Instruction& each) {
    const bool stores = each.op == Op::store;
    if (!is_local(program_, each) || each.operands.size() == (stores ? 1 : 0)) return false;
    const std::optional<Range> range = range_of(each.operands.back());
    const std::size_t slots = program_.variables[each.variable].slots.size();
    // A table is indexed where it is, which costs less than to choose among three.
    if (range && is_table_[each.variable] && range->most / range->step > 1) return false;
    if (!range || range->most / range->step >= most_elements_ || each.data[0] + std::size_t{range->most} >= slots)
      return false;
    if (stores)
      choose_stores(each, *range);
    else
      choose_load(each, *range);
    return true;
  }

  /// What an index may be; nothing if it may be anything.
  [[nodiscard]] std::optional<Range> range_of(Value value) const {
    const Instruction& from = makers_[value];
    const auto constant_at = [&](std::size_t i) -> std::optional<std::uint32_t> {
      const Instruction& operand = makers_[from.operands[i]];
      return operand.op == Op::constant ? std::optional(operand.data[0]) : std::nullopt;
    };
    constexpr std::uint32_t enough = 1 << 16;  // no product of two overflows
    switch (from.op) {
      case Op::imin_u:
      case Op::iand: {
        const auto most = constant_at(1);
        return most && *most < enough ? std::optional(Range{*most, 1}) : std::nullopt;
      }
      case Op::imul: {
        const auto inner = range_of(from.operands[0]);
        const auto factor = constant_at(1);
        if (!inner || !factor || *factor == 0 || *factor >= enough || inner->most * *factor >= enough) return {};
        return Range{inner->most * *factor, inner->step * *factor};
      }
      case Op::ishl: {
        const auto inner = range_of(from.operands[0]);
        const auto shift = constant_at(1);
        if (!inner || !shift || *shift >= 16 || inner->most << *shift >= enough) return {};
        return Range{inner->most << *shift, inner->step << *shift};
      }
      case Op::iadd: {
        const auto a = range_of(from.operands[0]), b = range_of(from.operands[1]);
        if (!a || !b || a->most + b->most >= enough) return {};
        return Range{a->most + b->most, std::gcd(a->step, b->step)};
      }
      default:
        return {};
    }
  }

  Value add(const Instruction& model, Op op, Type type, std::vector<Value> operands,
            std::array<std::uint32_t, 4> data = {}) {
    out_.push_back(make_beside(program_, model, op, type, std::move(operands)));
    out_.back().data = data;
    return out_.back().result;
  }
  Value load_of(const Instruction& model, Type type, std::uint32_t slot) {
    const Value loaded = add(model, Op::load, type, {}, {slot});
    out_.back().variable = model.variable;
    return loaded;
  }
  /// Whether the index is this one, as often as the value has components.
  Value is_index(const Instruction& model, std::uint32_t index, std::uint8_t components) {
    const Value wanted = add(model, Op::constant, {Base::integer}, {}, {index});
    const Value is = add(model, Op::ieq, {Base::boolean}, {model.operands.back(), wanted});
    return components == 1 ? is : add(model, Op::swizzle, {Base::boolean, components}, {is});
  }

  /// Whether that slot may be meant: sums of two indices also have values between, at other members of structures.
  [[nodiscard]] bool fits(const Instruction& each, std::uint32_t index, const Type& type) const {
    return program_.variables[each.variable].slots[each.data[0] + index].type.same_numbers(type);
  }
  void choose_load(const Instruction& each, const Range& range) {
    Value chosen = load_of(each, each.type, each.data[0]);
    for (std::uint32_t i = range.step; i <= range.most; i += range.step) {
      if (!fits(each, i, each.type)) continue;
      const Value other = load_of(each, each.type, each.data[0] + i);
      const Value is = is_index(each, i, each.type.components);
      chosen = add(each, Op::select, each.type, {is, other, chosen});
    }
    Instruction copy = each;
    become_copy(copy, chosen);
    out_.push_back(std::move(copy));
  }
  void choose_stores(const Instruction& each, const Range& range) {
    const Type type = program_.values[each.operands[0]];
    for (std::uint32_t i = 0; i <= range.most; i += range.step) {
      if (!fits(each, i, type)) continue;
      const Value before = load_of(each, type, each.data[0] + i);
      const Value is = is_index(each, i, type.components);
      Instruction store = each;
      store.operands = {add(each, Op::select, type, {is, each.operands[0], before})};
      store.data[0] += i;
      out_.push_back(std::move(store));
    }
  }

  Program& program_;
  unsigned most_elements_;
  std::vector<Instruction> makers_;  ///< by value
  std::vector<bool> is_table_;       ///< by variable
  std::vector<Instruction> out_;
};

// -------------------------------------------------------------------------------------------- slots as values

class Promoter {
 public:
  explicit Promoter(Program& program) : program_(program) {}

  bool run() {
    find_accesses();
    bool any = false;
    for (std::uint32_t variable = 0; variable < program_.variables.size(); ++variable)
      for (std::uint32_t slot = 0; slot < slots_[variable].size(); ++slot)
        if (gains(variable, slot)) {
          promote_slot(variable, slot);
          any = true;
        }
    if (any) finish();
    return any;
  }

 private:
  struct Access {
    std::uint32_t block = 0;
    std::size_t at = 0;
  };

  /// Stores may go, or there are loads that may.
  [[nodiscard]] bool gains(std::uint32_t variable, std::uint32_t slot) {
    return std::ranges::any_of(slots_[variable][slot],
                               [&](const Access& each) { return !keeps_stores_[variable] || at(each).op == Op::load; });
  }

  /// Of each slot of variables that no index writes which is known at run time only, in the order in which they stand.
  void find_accesses() {
    std::vector<bool> may_go;
    for (const Variable& variable : program_.variables) may_go.push_back(variable.storage == Storage::local);
    keeps_stores_.resize(program_.variables.size());
    for (const Block& block : program_.blocks)
      for (const Instruction& each : block.instructions) {
        if (!is_local(program_, each) || each.operands.size() == (each.op == Op::store ? 1 : 0)) continue;
        if (each.op == Op::store) may_go[each.variable] = false;
        keeps_stores_[each.variable] = true;
      }
    slots_.resize(program_.variables.size());
    for (std::uint32_t i = 0; i < slots_.size(); ++i)
      if (may_go[i]) slots_[i].resize(program_.variables[i].slots.size());
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i)
      for (std::size_t at = 0; at < program_.blocks[i].instructions.size(); ++at) {
        const Instruction& each = program_.blocks[i].instructions[at];
        const bool is_known = each.operands.size() == (each.op == Op::store ? 1 : 0);
        if (is_local(program_, each) && may_go[each.variable] && is_known)
          slots_[each.variable][each.data[0]].push_back({i, at});
      }
    added_.resize(program_.blocks.size());
    at_end_.resize(program_.blocks.size(), none);
    is_wanted_.resize(program_.blocks.size());
    stores_.resize(program_.blocks.size());
  }

  /// What the slot holds is followed through the blocks that it matters in. At the head of a loop it is a phi, that
  /// simplify() drops if it is none.
  void promote_slot(std::uint32_t variable, std::uint32_t slot) {
    const std::vector<Access>& accesses = slots_[variable][slot];
    type_ = program_.variables[variable].slots[slot].type;
    const Value first = first_value(variable, slot);
    if (std::ranges::none_of(accesses, [&](const Access& each) { return at(each).op == Op::store; })) {
      for (const Access& each : accesses) become_copy(at(each), first);
      return;
    }
    const std::vector<std::uint32_t> blocks = blocks_between(accesses);
    open_.clear();
    auto next = accesses.begin();
    for (const std::uint32_t block : blocks) {
      Value now = block == 0 ? first : is_wanted_[block] ? value_at(block) : none;
      for (; next != accesses.end() && next->block == block; ++next) {
        Instruction& each = at(*next);
        if (each.op == Op::load)
          become_copy(each, now);
        else
          now = each.operands[0];
        if (each.op == Op::store && !keeps_stores_[variable]) each = {};
      }
      at_end_[block] = now;
    }
    for (const auto& [block, index] : open_) {
      Instruction& phi = added_[block][index];
      for (const std::uint32_t from : program_.blocks[block].predecessors) phi.operands.push_back(at_end_[from]);
    }
    for (const std::uint32_t block : blocks) at_end_[block] = none, is_wanted_[block] = stores_[block] = false;
  }

  /// Where the slot is accessed, and all that lies between a load and the stores in front of it, in order: elsewhere
  /// nobody asks what it holds.
  std::vector<std::uint32_t> blocks_between(const std::vector<Access>& accesses) {
    std::vector<std::uint32_t> blocks, wanted;
    const auto want = [&](std::uint32_t block) {
      if (!is_wanted_[block]) wanted.push_back(block);
      is_wanted_[block] = true;
    };
    for (const Access& each : accesses) {
      const bool is_first = blocks.empty() || blocks.back() != each.block;
      if (is_first) blocks.push_back(each.block);
      if (is_first && at(each).op == Op::load) want(each.block);
      if (at(each).op == Op::store) stores_[each.block] = true;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      for (const std::uint32_t from : program_.blocks[wanted[i]].predecessors)
        if (!stores_[from]) want(from);
    blocks.insert(blocks.end(), wanted.begin(), wanted.end());
    std::ranges::sort(blocks);
    const auto twice = std::ranges::unique(blocks);
    blocks.erase(twice.begin(), twice.end());
    return blocks;
  }
  Instruction& at(const Access& access) { return program_.blocks[access.block].instructions[access.at]; }

  Value first_value(std::uint32_t variable, std::uint32_t slot) {
    const auto& initial = program_.variables[variable].initial;
    firsts_.push_back(make_beside(program_, {}, Op::constant, type_, {}));
    if (slot < initial.size()) firsts_.back().data = initial[slot];
    return firsts_.back().result;
  }

  Value value_at(std::uint32_t block) {
    const auto& from = program_.blocks[block].predecessors;
    const bool all_known = std::ranges::all_of(from, [&](std::uint32_t each) { return each < block; });
    const auto differs = [&](std::uint32_t each) { return at_end_[each] != at_end_[from[0]]; };
    if (all_known && std::ranges::none_of(from, differs)) return at_end_[from[0]];
    open_.emplace_back(block, added_[block].size());
    added_[block].push_back(make_beside(program_, {}, Op::phi, type_, {}));
    return added_[block].back().result;
  }

  void finish() {
    added_[0].insert(added_[0].begin(), firsts_.begin(), firsts_.end());
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      auto& instructions = program_.blocks[i].instructions;
      // What was a store.
      std::erase_if(instructions,
                    [](const Instruction& each) { return each.op == Op::undefined && each.result == none; });
      instructions.insert(instructions.begin(), added_[i].begin(), added_[i].end());
    }
  }

  Program& program_;
  std::vector<std::vector<std::vector<Access>>> slots_;  ///< by variable and slot
  std::vector<bool> keeps_stores_;                       ///< by variable: it is read at an index that is not known
  std::vector<std::vector<Instruction>> added_;          ///< phis, by block
  std::vector<Instruction> firsts_;                      ///< what slots hold at first
  Type type_;
  std::vector<Value> at_end_;                                ///< by block: what the slot holds then
  std::vector<bool> is_wanted_, stores_;                     ///< by block: whether the slot's value is asked for there
  std::vector<std::pair<std::uint32_t, std::size_t>> open_;  ///< phis that wait for their operands
};

}  // namespace

bool choose_elements(Program& program, unsigned most_elements) { return Chooser(program, most_elements).run(); }

bool promote(Program& program) { return Promoter(program).run(); }

}  // namespace mobula::ssa
