#include "machines/utgard_gp/compile/code.h"

#include <algorithm>

namespace mobula::utgard_gp_compiler {
namespace {

/// How many of the multipliers (complex1 counts as one, complex2 as two) and adders of a word an operation takes.
struct Taken {
  unsigned multipliers = 0, adders = 0;
};

Taken taken(Do does) {
  switch (does) {
    case Do::add:
    case Do::floor:
    case Do::sign:
    case Do::ge:
    case Do::lt:
    case Do::min:
    case Do::max:
      return {.adders = 1};
    case Do::mul:
      return {.multipliers = 1};
    case Do::select:
      return {.multipliers = 2};
    case Do::rcp:
    case Do::rsqrt:
    case Do::exp2:
    case Do::log2:
      return {.multipliers = 3};
    case Do::both:
    case Do::set_address:
      return {};
  }
  return {};
}

}  // namespace

std::size_t way_from(const Block& block, std::uint32_t predecessor) {
  return static_cast<std::size_t>(std::ranges::find(block.predecessors, predecessor) - block.predecessors.begin());
}

void split_edges(Code& code) {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t from : code.order) {
    order.push_back(from);
    if (code.blocks[from].successors.size() < 2) continue;
    // The second way first, so that it is the one to go on with.
    for (std::size_t i = code.blocks[from].successors.size(); i-- > 0;) {
      const std::uint32_t to = code.blocks[from].successors[i];
      if (code.blocks[to].phis.empty()) continue;
      const auto between = static_cast<std::uint32_t>(code.blocks.size());
      code.blocks.emplace_back();
      code.blocks[between].predecessors = {from};
      code.blocks[between].successors = {to};
      code.blocks[from].successors[i] = between;
      code.blocks[to].predecessors[way_from(code.blocks[to], from)] = between;
      order.push_back(between);
    }
  }
  code.order = std::move(order);
}

void drop_unused(Code& code) {
  std::vector<bool> used(code.values);
  bool more = true;
  const auto use = [&](const Operand& operand) {
    if (!operand.is_value() || used[operand.number]) return;
    used[operand.number] = true;
    more = true;
  };
  const auto is_needed = [&](const Operation& each) {
    return each.varying >= 0 || each.does == Do::set_address || used[each.result];
  };
  while (more) {
    more = false;
    for (const Block& block : code.blocks) {
      use(block.condition);
      for (auto each = block.operations.rbegin(); each != block.operations.rend(); ++each)
        if (is_needed(*each)) each_operand(*each, use);
      for (const Phi& phi : block.phis)
        if (used[phi.result]) std::ranges::for_each(phi.operands, use);
    }
  }
  for (Block& block : code.blocks) {
    std::erase_if(block.operations, [&](const Operation& each) { return !is_needed(each); });
    std::erase_if(block.phis, [&](const Phi& phi) { return !used[phi.result]; });
  }
}

std::vector<std::vector<bool>> find_live(const Code& code) {
  std::vector<std::vector<bool>> live(code.blocks.size(), std::vector<bool>(code.values));
  for (bool more = true; more;) {
    more = false;
    for (auto number = code.order.rbegin(); number != code.order.rend(); ++number) {
      const Block& block = code.blocks[*number];
      std::vector<bool> now(code.values);
      const auto use = [&](const Operand& operand) {
        if (operand.is_value()) now[operand.number] = true;
      };
      for (const std::uint32_t next : block.successors) {
        for (Value value = 0; value < code.values; ++value)
          if (live[next][value]) now[value] = true;
        for (const Phi& phi : code.blocks[next].phis) use(phi.operands[way_from(code.blocks[next], *number)]);
      }
      use(block.condition);
      for (auto each = block.operations.rbegin(); each != block.operations.rend(); ++each) {
        if (each->result != no_value) now[each->result] = false;
        each_operand(*each, use);
      }
      for (const Phi& phi : block.phis) now[phi.result] = false;
      if (now == live[*number]) continue;
      live[*number] = std::move(now);
      more = true;
    }
  }
  return live;
}

void choose_units(Code& code) {
  for (Block& block : code.blocks) {
    Taken all;
    for (const Operation& each : block.operations) {
      all.multipliers += taken(each.does).multipliers;
      all.adders += taken(each.does).adders;
    }
    for (Operation& each : block.operations) {
      if (each.does != Do::both) continue;
      const bool multiplies = all.multipliers <= all.adders;
      each.does = multiplies ? Do::mul : Do::min;
      ++(multiplies ? all.multipliers : all.adders);
    }
  }
}

}  // namespace mobula::utgard_gp_compiler
