#include "compile/passes/control_flow.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "compile/passes/blocks.h"
#include "compile/ssa/dominators.h"

namespace mobula::ssa {
namespace {

class Straightener {
 public:
  explicit Straightener(Program& program) : program_(program) {}

  bool run() {
    bool any = false;
    do {
      changed_ = false;
      settle_branches();
      changed_ |= drop_unreached(program_);
      forget_loops();
      find_ends_of_loops();
      const auto blocks = std::views::iota(0U, static_cast<std::uint32_t>(program_.blocks.size()));
      // so that each leads at once to where all of a chain lead in the end
      sweep(blocks | std::views::drop(1) | std::views::reverse, &Straightener::lead_past);
      sweep(blocks, &Straightener::join_with_next);
      any |= changed_;
    } while (changed_);
    if (any) find_meetings(program_);
    return any;
  }

 private:
  Block& block(std::uint32_t number) { return program_.blocks[number]; }

  template <class Numbers>
  void sweep(const Numbers& numbers, void (Straightener::*act)(std::uint32_t)) {
    replaced_.assign(program_.blocks.size(), none);
    for (const std::uint32_t number : numbers) (this->*act)(number);
    const auto follow = [&](std::uint32_t& number) {
      while (number != none && replaced_[number] != none) number = replaced_[number];
    };
    for (Block& each : program_.blocks) follow(each.merge), follow(each.next_turn);
    changed_ |= drop_unreached(program_);
  }

  /// Of those that branch by what is known, and by the opposite of something.
  void settle_branches() {
    std::vector<const Instruction*> makers(program_.values.size());
    for (const Block& each : program_.blocks)
      for (const Instruction& instruction : each.instructions)
        if (instruction.op == Op::constant || instruction.op == Op::bnot) makers[instruction.result] = &instruction;
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      End& end = block(i).end;
      while (end.kind == End::Kind::branch && makers[end.condition] != nullptr) {
        const Instruction& condition = *makers[end.condition];
        if (condition.op == Op::bnot) {
          end.condition = condition.operands[0];
          std::swap(end.targets[0], end.targets[1]);
          continue;
        }
        const bool yes = condition.data[0] != 0;
        forget_way(program_, i, end.targets[yes ? 1 : 0]);
        end = {End::Kind::jump, none, {end.targets[yes ? 0 : 1], none}};
        changed_ = true;
      }
    }
  }

  /// A loop that nothing leads back to is none.
  void forget_loops() {
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      Block& head = block(i);
      if (head.next_turn == none) continue;
      if (std::ranges::any_of(head.predecessors, [&](std::uint32_t from) { return from >= i; })) continue;
      head.next_turn = head.merge = none;
      changed_ = true;
    }
  }

  void find_ends_of_loops() {
    ends_loop_.assign(program_.blocks.size(), false);
    for (const Block& head : program_.blocks)
      if (head.next_turn != none && head.merge != none) ends_loop_[head.merge] = true;
  }

  /// Who leads to an empty block leads to what follows it. Not of the blocks that tell where a loop ends or turns.
  void lead_past(std::uint32_t number) {
    const Block& empty = block(number);
    if (!empty.instructions.empty() || empty.end.kind != End::Kind::jump || empty.next_turn != none) return;
    const std::uint32_t next = empty.end.targets[0];
    if (next <= number || !can_meet_in(number, next) || ends_loop_[number]) return;
    for (const std::uint32_t from : std::vector(empty.predecessors)) lead_to(from, number, next);
    replaced_[number] = next;
    changed_ = true;
  }
  /// Whether a block that leads to both brings the same values on both ways.
  [[nodiscard]] bool can_meet_in(std::uint32_t number, std::uint32_t next) const {
    const Block& target = program_.blocks[next];
    const auto place_of = [&](std::uint32_t from) {
      return std::ranges::find(target.predecessors, from) - target.predecessors.begin();
    };
    const auto through = place_of(number);
    for (const std::uint32_t from : program_.blocks[number].predecessors) {
      const auto directly = place_of(from);
      if (directly == std::ssize(target.predecessors)) continue;
      for (const Instruction& each : target.instructions) {
        if (each.op != Op::phi) break;
        if (each.operands[static_cast<std::size_t>(directly)] != each.operands[static_cast<std::size_t>(through)])
          return false;
      }
    }
    return true;
  }
  void lead_to(std::uint32_t from, std::uint32_t number, std::uint32_t next) {
    End& end = block(from).end;
    std::ranges::replace(end.targets, number, next);
    std::erase(block(number).predecessors, from);
    if (end.targets[0] == end.targets[1]) {
      end = {End::Kind::jump, none, {next, none}};
      return;  // it is known there already
    }
    Block& target = block(next);
    const auto through = std::ranges::find(target.predecessors, number) - target.predecessors.begin();
    target.predecessors.push_back(from);
    for (Instruction& each : target.instructions) {
      if (each.op != Op::phi) break;
      const Value same = each.operands[static_cast<std::size_t>(through)];
      each.operands.push_back(same);
    }
  }

  /// At the place of the second one: a block that leads out of a loop then stands behind the loop.
  void join_with_next(std::uint32_t number) {
    Block& first = block(number);
    if (first.end.kind != End::Kind::jump || first.end.targets[0] <= number) return;
    const std::uint32_t next = first.end.targets[0];
    Block& second = block(next);
    if (second.predecessors.size() != 1 || (first.next_turn != none && second.merge != none)) return;
    if (number == 0 && next != 1) return;  // another block would be where it begins
    for (Instruction& each : second.instructions) {
      if (each.op != Op::phi) break;
      become_copy(each, each.operands[0]);
    }
    first.instructions.insert(first.instructions.end(), std::make_move_iterator(second.instructions.begin()),
                              std::make_move_iterator(second.instructions.end()));
    second.instructions = std::move(first.instructions);
    second.predecessors = std::move(first.predecessors);
    if (first.line != 0) second.line = first.line;
    if (first.next_turn != none) second.merge = first.merge, second.next_turn = first.next_turn;
    for (const std::uint32_t from : second.predecessors) std::ranges::replace(block(from).end.targets, number, next);
    replaced_[number] = next;
    first = {.end = {End::Kind::unreachable}};
    if (number == 0) {
      first = std::move(second);
      second = {.end = {End::Kind::unreachable}};
      replaced_[number] = none;
      for (const std::uint32_t target : first.end.targets)
        if (target != none) std::ranges::replace(block(target).predecessors, next, number);
    }
    changed_ = true;
  }

  Program& program_;
  std::vector<std::uint32_t> replaced_;  ///< by block: the one that took its place in this sweep
  std::vector<bool> ends_loop_;          ///< by block
  bool changed_ = false;
};

}  // namespace

bool straighten(Program& program) { return Straightener(program).run(); }

}  // namespace mobula::ssa
