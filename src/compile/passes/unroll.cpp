#include "compile/passes/unroll.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "compile/evaluate/operations.h"
#include "compile/passes/blocks.h"
#include "compile/ssa/dominators.h"

namespace mobula::ssa {
namespace {

/// Programs do not grow beyond it, however loops nest.
constexpr std::size_t most_values = 1 << 16;

/// A loop whose blocks stand together: all but the first are reached through it, and all ways out lead to `end`.
struct Loop {
  std::uint32_t head = 0, end = 0;
  std::uint32_t latch = none;  ///< that leads back to the head
  [[nodiscard]] bool has(std::uint32_t block) const { return block >= head && block < end; }
};

std::optional<Loop> loop_at(const Program& program, std::uint32_t head, const DominatorTree& tree) {
  Loop loop{head, program.blocks[head].merge};
  if (program.blocks[head].next_turn == none || loop.end == none || loop.end <= head) return {};
  for (const std::uint32_t from : program.blocks[head].predecessors) {
    if (from < head) continue;
    if (loop.latch != none || from >= loop.end) return {};
    loop.latch = from;
  }
  if (loop.latch == none) return {};
  for (const std::uint32_t from : program.blocks[loop.end].predecessors)
    if (!loop.has(from)) return {};
  for (std::uint32_t i = head; i < loop.end; ++i) {
    if (!tree.dominates(head, i)) return {};
    for (const std::uint32_t target : program.blocks[i].end.targets)
      if (target != none && target != loop.end && !loop.has(target)) return {};
  }
  return loop;
}

/// Executes what is known of a loop, to find out how often it turns.
class TurnCounter {
 public:
  TurnCounter(const Program& program, const DominatorTree& tree)
      : program_(program), tree_(tree), known_(program.values.size()), bits_(program.values.size()) {
    for (const Block& block : program.blocks)
      for (const Instruction& each : block.instructions)
        if (each.op == Op::constant) learn(each.result, each.data);
  }

  /// Whole turns, if they are known and no more than so many.
  std::optional<unsigned> count(const Loop& loop, unsigned most_turns) {
    const std::vector<bool> staying = find_staying(loop);
    for (unsigned turns = 0; turns <= most_turns; ++turns) {
      const std::vector<std::optional<Bits>> carried = carried_into(loop, turns);
      forget(loop);
      take_turn(loop, carried);
      const std::optional<bool> leaves = leaves_now(loop, staying);
      if (!leaves) break;
      if (*leaves) {
        forget(loop);
        return turns;
      }
    }
    forget(loop);
    return {};
  }

 private:
  void learn(Value value, const Bits& bits) {
    known_[value] = true;
    bits_[value] = bits;
  }
  [[nodiscard]] std::optional<Bits> known(Value value) const {
    return known_[value] ? std::optional(bits_[value]) : std::nullopt;
  }

  /// What the phis of the head have in this turn.
  [[nodiscard]] std::vector<std::optional<Bits>> carried_into(const Loop& loop, unsigned turn) const {
    std::vector<std::optional<Bits>> carried;
    const Block& head = program_.blocks[loop.head];
    for (const Instruction& phi : head.instructions) {
      if (phi.op != Op::phi) break;
      carried.push_back(
          same_of(phi, [&](std::size_t i) { return (head.predecessors[i] == loop.latch) == (turn > 0); }));
    }
    return carried;
  }
  /// What all of those operands are, if it is known.
  template <class Choose>
  [[nodiscard]] std::optional<Bits> same_of(const Instruction& phi, const Choose& choose) const {
    std::optional<Bits> same;
    for (std::size_t i = 0; i < phi.operands.size(); ++i) {
      if (!choose(i)) continue;
      const std::optional<Bits> one = known(phi.operands[i]);
      if (!one || (same && *same != *one)) return {};
      same = one;
    }
    return same;
  }

  void forget(const Loop& loop) {
    for (std::uint32_t i = loop.head; i < loop.end; ++i)
      for (const Instruction& each : program_.blocks[i].instructions)
        if (each.result != none && each.op != Op::constant) known_[each.result] = false;
  }

  void take_turn(const Loop& loop, std::span<const std::optional<Bits>> carried) {
    std::size_t next = 0;
    for (std::uint32_t i = loop.head; i < loop.end; ++i)
      for (const Instruction& each : program_.blocks[i].instructions) {
        if (each.op == Op::phi) {
          const auto found = i == loop.head ? carried[next++] : same_of(each, [](std::size_t) { return true; });
          if (found) learn(each.result, *found);
        } else if (only_computes(each.op)) {
          execute(each);
        }
      }
  }
  void execute(const Instruction& each) {
    std::vector<Bits> operands;
    std::vector<Type> types;
    for (const Value operand : each.operands) {
      if (!known_[operand]) return;
      operands.push_back(bits_[operand]);
      types.push_back(program_.values[operand]);
    }
    learn(each.result, compute(each, operands, types));
  }

  /// By block of a loop, whether another turn can come after it.
  [[nodiscard]] std::vector<bool> find_staying(const Loop& loop) const {
    std::vector<bool> stays(loop.end - loop.head);
    std::vector<std::uint32_t> open{loop.latch};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      if (!loop.has(block) || stays[block - loop.head]) continue;
      stays[block - loop.head] = true;
      if (block == loop.head) continue;
      const auto& before = program_.blocks[block].predecessors;
      open.insert(open.end(), before.begin(), before.end());
    }
    return stays;
  }

  /// Whether this turn ends the loop, by a branch that every turn comes to. What it still does then is in the loop,
  /// too.
  [[nodiscard]] std::optional<bool> leaves_now(const Loop& loop, const std::vector<bool>& staying) const {
    const auto stays = [&](std::uint32_t block) { return loop.has(block) && staying[block - loop.head]; };
    std::optional<bool> result;
    for (std::uint32_t i = loop.head; i <= loop.latch; ++i) {
      const End& end = program_.blocks[i].end;
      if (end.kind != End::Kind::branch || (stays(end.targets[0]) && stays(end.targets[1]))) continue;
      if (!tree_.dominates(i, loop.latch) || !known_[end.condition]) continue;
      const bool leaves = !stays(end.targets[bits_[end.condition][0] != 0 ? 0 : 1]);
      if (leaves) return true;
      result = false;
    }
    return result;
  }

  const Program& program_;
  const DominatorTree& tree_;
  std::vector<bool> known_;
  std::vector<Bits> bits_;
};

/// Writes the turns of a loop one behind the other.
class Unroller {
 public:
  Unroller(Program& program, const Loop& loop, unsigned copies)
      : program_(program), loop_(loop), copies_(copies), length_(loop.end - loop.head) {}

  void run() {
    name_what_leaves();
    number_values();
    std::vector<Block> blocks;
    for (std::uint32_t i = 0; i < loop_.head; ++i) blocks.push_back(std::move(program_.blocks[i]));
    for (unsigned copy = 0; copy < copies_; ++copy)
      for (std::uint32_t i = loop_.head; i < loop_.end; ++i) blocks.push_back(copy_of(i, copy));
    for (std::uint32_t i = 0; i < loop_.head; ++i) move_ways(blocks[i], 0);
    for (std::uint32_t i = loop_.end; i < program_.blocks.size(); ++i) {
      blocks.push_back(std::move(program_.blocks[i]));
      move_ways(blocks.back(), 0);
      if (i == loop_.end) enter_end(blocks.back());
    }
    program_.blocks = std::move(blocks);
  }

 private:
  [[nodiscard]] std::uint32_t place_of(std::uint32_t block, unsigned copy) const {
    if (block == none || block < loop_.head) return block;
    return block + length_ * (block >= loop_.end ? copies_ - 1 : copy);
  }
  void move_ways(Block& block, unsigned copy) const {
    for (std::uint32_t& from : block.predecessors) from = place_of(from, copy);
    for (std::uint32_t& target : block.end.targets) target = place_of(target, copy);
    block.merge = place_of(block.merge, copy);
    block.next_turn = place_of(block.next_turn, copy);
  }

  /// What is read behind the loop goes through a phi where the loop ends.
  void name_what_leaves() {
    std::vector<bool> inside(program_.values.size());
    for_each_made([&](const Instruction& each) { inside[each.result] = true; });
    std::vector<Value> name(program_.values.size(), none);
    std::vector<Instruction> phis;
    const auto rename = [&](Value& value) {
      if (value == none || value >= inside.size() || !inside[value]) return;
      if (name[value] == none) {
        const std::vector<Value> operands(program_.blocks[loop_.end].predecessors.size(), value);
        phis.push_back(make_beside(program_, {}, Op::phi, program_.values[value], operands));
        name[value] = phis.back().result;
      }
      value = name[value];
    };
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      if (loop_.has(i)) continue;
      for (Instruction& each : program_.blocks[i].instructions)
        if (i != loop_.end || each.op != Op::phi) std::ranges::for_each(each.operands, rename);
      rename(program_.blocks[i].end.condition);
    }
    auto& end = program_.blocks[loop_.end].instructions;
    end.insert(end.begin(), phis.begin(), phis.end());
  }

  template <class Act>
  void for_each_made(const Act& act) const {
    for (std::uint32_t i = loop_.head; i < loop_.end; ++i)
      for (const Instruction& each : program_.blocks[i].instructions)
        if (each.result != none) act(each);
  }

  /// The first turn keeps its values; each of the others has its own.
  void number_values() {
    number_.assign(program_.values.size(), none);
    std::vector<Type> types;
    for_each_made([&](const Instruction& each) {
      number_[each.result] = static_cast<Value>(types.size());
      types.push_back(each.type);
    });
    first_new_ = static_cast<Value>(program_.values.size());
    made_ = static_cast<Value>(types.size());
    for (unsigned copy = 1; copy < copies_; ++copy)
      program_.values.insert(program_.values.end(), types.begin(), types.end());
  }
  [[nodiscard]] Value value_in(Value value, unsigned copy) const {
    if (value == none || number_[value] == none || copy == 0) return value;
    return first_new_ + (copy - 1) * made_ + number_[value];
  }

  [[nodiscard]] Block copy_of(std::uint32_t number, unsigned copy) const {
    Block block = program_.blocks[number];
    for (Instruction& each : block.instructions) {
      if (each.result != none) each.result = value_in(each.result, copy);
      if (number == loop_.head && each.op == Op::phi)
        each.operands = carried(each.operands, copy);
      else
        for (Value& operand : each.operands) operand = value_in(operand, copy);
    }
    block.end.condition = value_in(block.end.condition, copy);
    if (number == loop_.head) {
      block.next_turn = block.merge = none;
      block.predecessors.clear();
    }
    move_ways(block, copy);
    if (number == loop_.head) block.predecessors = entries(copy);
    if (number == loop_.latch) lead_on(block, copy);
    return block;
  }
  /// Of a phi of the head: what comes from in front of the loop, or from the turn before.
  [[nodiscard]] std::vector<Value> carried(const std::vector<Value>& operands, unsigned copy) const {
    const std::vector<std::uint32_t>& from = program_.blocks[loop_.head].predecessors;
    std::vector<Value> result;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if ((from[i] == loop_.latch) == (copy > 0))
        result.push_back(copy > 0 ? value_in(operands[i], copy - 1) : operands[i]);
    return result;
  }
  [[nodiscard]] std::vector<std::uint32_t> entries(unsigned copy) const {
    if (copy > 0) return {place_of(loop_.latch, copy - 1)};
    std::vector<std::uint32_t> result = program_.blocks[loop_.head].predecessors;
    std::erase(result, loop_.latch);
    return result;
  }
  /// The end of a turn leads to the next one; that of the last, which is left before, nowhere.
  void lead_on(Block& block, unsigned copy) const {
    const auto [first, second] = block.end.targets;
    const std::uint32_t here = place_of(loop_.head, copy);
    if (copy + 1 < copies_)
      std::ranges::replace(block.end.targets, here, here + length_);
    else if (block.end.kind == End::Kind::jump)
      block.end = {End::Kind::unreachable};
    else
      block.end = {End::Kind::jump, none, {first == here ? second : first, none}};
  }

  /// The block behind the loop is reached from every turn.
  void enter_end(Block& end) const {
    const std::vector<std::uint32_t> from = std::move(end.predecessors);  // of the first turn
    end.predecessors.clear();
    for (unsigned copy = 0; copy < copies_; ++copy)
      for (const std::uint32_t each : from) end.predecessors.push_back(each + length_ * copy);
    for (Instruction& phi : end.instructions) {
      if (phi.op != Op::phi) break;
      const std::vector<Value> operands = std::move(phi.operands);
      phi.operands.clear();
      for (unsigned copy = 0; copy < copies_; ++copy)
        for (const Value each : operands) phi.operands.push_back(value_in(each, copy));
    }
  }

  Program& program_;
  Loop loop_;
  unsigned copies_;
  std::uint32_t length_;
  std::vector<Value> number_;  ///< by value of the loop, its place among them
  Value first_new_ = 0, made_ = 0;
};

/// How many copies a loop becomes; 0: it stays.
unsigned copies_of(const Program& program, const Loop& loop, TurnCounter& counter, unsigned most_operations) {
  unsigned operations = 0;
  std::size_t values = 0;
  for (std::uint32_t i = loop.head; i < loop.end; ++i) {
    operations += count_operations(program.blocks[i]);
    values += program.blocks[i].instructions.size();
  }
  const auto turns = counter.count(loop, most_operations / std::max(1U, operations));
  if (!turns || program.values.size() + (*turns + 1) * values > most_values) return 0;
  return *turns + 1;  // the last is left at its condition
}

/// What is found out about a whole program, until a loop of it becomes copies.
struct Known {
  DominatorTree tree;
  TurnCounter counter;

  explicit Known(const Program& program) : tree(program), counter(program, tree) {}
};

}  // namespace

bool unroll(Program& program, unsigned most_operations) {
  bool any = false;
  std::optional<Known> known;
  std::uint32_t done = none;  // a loop around one that became copies has to wait: they are to be made simpler first
  for (auto head = static_cast<std::uint32_t>(program.blocks.size()); head-- > 0;) {
    if (program.blocks[head].next_turn == none) continue;
    if (!known) known.emplace(program);
    const auto loop = loop_at(program, head, known->tree);
    if (!loop || (done != none && loop->has(done))) continue;
    const unsigned copies = copies_of(program, *loop, known->counter, most_operations);
    if (copies == 0) continue;
    Unroller(program, *loop, copies).run();
    known.reset();
    done = head;
    any = true;
  }
  return any;
}

}  // namespace mobula::ssa
