#include "compile/verify/reach.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mobula::compile {
namespace {

using ssa::Instruction;
using ssa::Op;
using ssa::Value;

/// Of operand `n`, if the operation does not compare.
Edges edges_of(Op op, std::size_t n) {
  switch (op) {
    case Op::fdiv:
    case Op::fmod:
    case Op::frem:
      return n == 1 ? Edges{{0}} : Edges{};
    case Op::fatan2:
      return {{0}};
    case Op::fsqrt:
    case Op::frsqrt:
    case Op::flog:
    case Op::flog2:
    case Op::fpow:
    case Op::fsign:
      return n == 0 ? Edges{{0}} : Edges{};
    case Op::fasin:
    case Op::facos:
    case Op::fatanh:
      return {{-1, 1}};
    case Op::facosh:
      return {{1}};
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::f_to_s:
    case Op::f_to_u:
      return {{}, true};
    case Op::fround:
      return {{}, false, true};
    default:
      return {};
  }
}

void add(Edges& to, const Edges& more) {
  for (const float each : more.numbers)
    if (std::ranges::find(to.numbers, each) == to.numbers.end()) to.numbers.push_back(each);
  to.wholes |= more.wholes;
  to.halves |= more.halves;
}

Edges numbers_of(const Instruction& constant) {
  Edges edges;
  for (unsigned i = 0; i < constant.type.components; ++i) add(edges, {{std::bit_cast<float>(constant.data[i])}});
  return edges;
}

/// By value, where it is one.
std::vector<const Instruction*> constants_of(const ssa::Program& program) {
  std::vector<const Instruction*> constants(program.values.size());
  for (const ssa::Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.op == Op::constant) constants[each.result] = &each;
  return constants;
}

/// The edge nearest to a number.
std::optional<double> nearest(const Edges& edges, double to) {
  std::optional<double> found;
  const auto take = [&](double edge) {
    if (!found || std::fabs(edge - to) < std::fabs(*found - to)) found = edge;
  };
  for (const float each : edges.numbers) take(each);
  if (edges.wholes) take(std::nearbyint(to));
  if (edges.halves) take(std::floor(to) + 0.5);
  return found;
}

}  // namespace

bool compares_numbers(Op op) { return op == Op::feq || op == Op::fne || op == Op::flt || op == Op::fle; }

std::vector<Edges> edges_of(const ssa::Program& program) {
  std::vector<Edges> all(program.values.size());
  const auto constants = constants_of(program);
  const auto compare = [&](const Instruction& each) {
    const Value a = each.operands[0], b = each.operands[1];
    if (constants[a] == nullptr && constants[b] == nullptr) return add(all[each.result], {{0}});
    if (constants[a] != nullptr) add(all[b], numbers_of(*constants[a]));
    if (constants[b] != nullptr) add(all[a], numbers_of(*constants[b]));
  };
  // From readers to what they read; twice, for what loops hand to their next turn.
  for (int pass = 0; pass < 2; ++pass)
    for (auto block = program.blocks.rbegin(); block != program.blocks.rend(); ++block)
      for (auto each = block->instructions.rbegin(); each != block->instructions.rend(); ++each) {
        if (compares_numbers(each->op)) compare(*each);
        for (std::size_t n = 0; n < each->operands.size(); ++n)
          add(all[each->operands[n]], each->op == Op::phi ? all[each->result] : edges_of(each->op, n));
      }
  return all;
}

Reach::Reach(const ssa::Program& program, std::uint32_t lanes)
    : lanes_(lanes), edges_(edges_of(program)), bounds_(bounds_of(program)), places_(program.values.size() * lanes) {
  for (const ssa::Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (compares_numbers(each.op)) {
        const Bounds &a = bounds_[each.operands[0]], &b = bounds_[each.operands[1]];
        bounds_[each.result] = {a.low - b.high, a.high - b.low};
      }
}

void Reach::note(const Place& at, unsigned i, double number) {
  if (at.turn >= most_turns || !std::isfinite(number)) return;
  std::vector<Turn>& turns = places_[std::size_t{at.value} * lanes_ + at.lane];
  if (turns.size() <= at.turn) turns.resize(at.turn + 1);
  Extent& extent = turns[at.turn][i];
  const auto value = static_cast<float>(number);
  const bool is_first = extent.least > extent.most;
  extent.least = is_first ? value : std::min(extent.least, value);
  extent.most = is_first ? value : std::max(extent.most, value);
}

std::optional<float> Reach::edge(const Place& at, unsigned i, double part, int side) const {
  const std::vector<Turn>& turns = places_[std::size_t{at.value} * lanes_ + at.lane];
  if (at.turn >= turns.size()) return {};
  const Extent& extent = turns[at.turn][i];
  if (extent.least > extent.most) return {};
  // Ways are chance: others go a little further, but not where no way leads.
  const double further = (static_cast<double>(extent.most) - extent.least) / 4;
  const Bounds& limits = bounds_[at.value];
  const double low = std::min<double>(extent.least, std::max(extent.least - further, limits.low));
  const double high = std::max<double>(extent.most, std::min(extent.most + further, limits.high));
  const auto edge = nearest(edges_[at.value], low + part * (high - low));
  if (!edge) return {};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto result = static_cast<float>(*edge);
  if (side != 0) result = std::nextafter(result, side < 0 ? -infinity : infinity);
  if (!(result >= low && result <= high)) return {};
  return result;
}

}  // namespace mobula::compile
