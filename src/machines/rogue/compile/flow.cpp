#include "machines/rogue/compile/flow.h"

#include <algorithm>

namespace mobula::rogue_compiler {
namespace {

using ssa::Op;

class Search {
 public:
  explicit Search(const ssa::Program& program) : program_(program), end_(count(program)) {
    flow_.is_masked.assign(end_ + 1, false);
    flow_.differs.assign(program.values.size(), false);
    parts_.assign(end_ + 1, false);
    meets_.assign(end_ + 1, false);
    find_certain();
  }

  Flow run() {
    for (bool changed = true; changed;) {
      changed = mark_values();
      for (std::uint32_t i = 0; i < end_; ++i) {
        const ssa::End& end = program_.blocks[i].end;
        if (parts_[i] || end.kind != ssa::End::Kind::branch || !flow_.differs[end.condition]) continue;
        parts_[i] = changed = true;
        mask_behind(i);
      }
    }
    return std::move(flow_);
  }

 private:
  static std::uint32_t count(const ssa::Program& program) { return static_cast<std::uint32_t>(program.blocks.size()); }

  /// By block, those that every way from it leads through that does not end in discard.
  void find_certain() {
    certain_.assign(end_ + 1, Blocks(end_ / bits_of_a_word + 1, ~std::uint64_t{0}));
    std::ranges::fill(certain_[end_], 0);
    add(certain_[end_], end_);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = end_; i-- > 0;) {
        Blocks all(certain_[i].size(), ~std::uint64_t{0});
        for (const std::uint32_t way : ways_of(program_, i))
          for (std::size_t k = 0; k < all.size(); ++k) all[k] &= certain_[way][k];
        add(all, i);
        if (all == certain_[i]) continue;
        certain_[i] = std::move(all);
        changed = true;
      }
    }
  }
  using Blocks = std::vector<std::uint64_t>;  ///< a bit each
  static constexpr std::uint32_t bits_of_a_word = 64;
  static void add(Blocks& blocks, std::uint32_t block) {
    blocks[block / bits_of_a_word] |= std::uint64_t{1} << block % bits_of_a_word;
  }
  [[nodiscard]] bool is_certain(std::uint32_t from, std::uint32_t block) const {
    return (certain_[from][block / bits_of_a_word] >> block % bits_of_a_word & 1) != 0;
  }

  bool mark_values() {
    bool any = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < end_; ++i)
        for (const ssa::Instruction& each : program_.blocks[i].instructions) {
          if (each.result == ssa::none || flow_.differs[each.result] || !may_differ(each, i)) continue;
          flow_.differs[each.result] = any = changed = true;
        }
    }
    return any;
  }
  [[nodiscard]] bool may_differ(const ssa::Instruction& each, std::uint32_t block) const {
    if (each.op == Op::constant || each.op == Op::undefined) return false;
    if (each.op == Op::phi && (meets_[block] || flow_.is_masked[block])) return true;
    const bool differs = std::ranges::any_of(each.operands, [&](ssa::Value value) { return flow_.differs[value]; });
    if (ssa::only_computes(each.op) || each.op == Op::phi) return differs || flow_.is_masked[block];
    const bool is_uniform =
        (each.op == Op::load && program_.variables[each.variable].storage == ssa::Storage::uniform) ||
        each.op == Op::length;
    return differs || flow_.is_masked[block] || !is_uniform;
  }

  /// From a block where instances part to the first behind it where all of them arrive.
  void mask_behind(std::uint32_t block) {
    for (std::uint32_t meeting = block + 1; meeting <= end_; ++meeting)
      if (is_certain(block, meeting) && mask_until(block, meeting)) return;
  }
  /// False if some get beyond the meeting without having been there.
  bool mask_until(std::uint32_t block, std::uint32_t meeting) {
    std::vector<bool> between(end_ + 1, false);
    std::vector<std::uint32_t> open = ways_of(program_, block);
    std::uint32_t first = meeting;
    const auto spread = [&] {
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == meeting || between[at]) continue;
        if (at > meeting) return false;
        between[at] = true;
        first = std::min(first, at);
        const std::vector<std::uint32_t> ways = ways_of(program_, at);
        open.insert(open.end(), ways.begin(), ways.end());
      }
      return true;
    };
    if (!spread()) return false;
    // What stands among them is gone through with them.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = std::min(first, block + 1); i < meeting; ++i) {
        if (between[i] || (i == block && first > block)) continue;
        open.push_back(i);
        changed = true;
      }
      if (!spread()) return false;
    }
    for (std::uint32_t i = 0; i < meeting; ++i) flow_.is_masked[i] = flow_.is_masked[i] || between[i];
    meets_[meeting] = true;
    return true;
  }

  const ssa::Program& program_;
  const std::uint32_t end_;
  Flow flow_;
  std::vector<Blocks> certain_;
  std::vector<bool> parts_, meets_;
};

}  // namespace

std::vector<std::uint32_t> ways_of(const ssa::Program& program, std::uint32_t block) {
  const auto end = static_cast<std::uint32_t>(program.blocks.size());
  if (block == end) return {};
  const ssa::End& at = program.blocks[block].end;
  switch (at.kind) {
    case ssa::End::Kind::jump:
      return {at.targets[0]};
    case ssa::End::Kind::branch:
      return {at.targets[0], at.targets[1]};
    case ssa::End::Kind::leave:
      return {end};
    case ssa::End::Kind::discard:
    case ssa::End::Kind::unreachable:
      break;
  }
  return {};
}

Flow find_flow(const ssa::Program& program) { return Search(program).run(); }

}  // namespace mobula::rogue_compiler
