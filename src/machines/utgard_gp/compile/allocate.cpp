#include "machines/utgard_gp/compile/allocate.h"

#include <algorithm>
#include <bitset>
#include <optional>

namespace mobula::utgard_gp_compiler {
namespace {

using Values = std::vector<bool>;

/// Values get registers in an order in which each is made before it is read, so that no more are taken than values are
/// needed at a time.
class Allocator {
 public:
  explicit Allocator(const Code& code) : code_(code), live_(find_live(code)) {
    made_.place.resize(code.values);
    made_.copies.resize(code.blocks.size());
    is_placed_.resize(code.values);
    wish_.resize(code.values, no_value);
    for (const Block& block : code.blocks)
      for (const Phi& phi : block.phis)
        for (const Operand& operand : phi.operands)
          if (operand.is_value()) wish_[operand.number] = phi.result;
  }

  std::optional<Allocation> run() {
    for (const std::uint32_t block : code_.order) place(block);
    if (overflows_) return {};
    for (const std::uint32_t block : code_.order) copy(block);
    return std::move(made_);
  }

 private:
  void place(std::uint32_t number) {
    const Block& block = code_.blocks[number];
    std::bitset<register_places> taken;
    for (Value value = 0; value < code_.values; ++value)
      if (live_[number][value]) taken.set(made_.place[value]);
    for (const Phi& phi : block.phis) {
      std::optional<std::uint8_t> wish;
      for (const Operand& operand : phi.operands)
        if (operand.is_value() && is_placed_[operand.number]) wish = made_.place[operand.number];
      give(phi.result, wish, taken);
    }
    const std::vector<std::size_t> last = last_reads(number);
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
      const Operation& each = block.operations[i];
      each_operand(each, [&](const Operand& operand) {
        if (operand.is_value() && last[operand.number] == i) taken.reset(made_.place[operand.number]);
      });
      if (each.result == no_value) continue;
      std::optional<std::uint8_t> wish;
      if (const Value phi = wish_[each.result]; phi != no_value && is_placed_[phi]) wish = made_.place[phi];
      give(each.result, wish, taken);
    }
  }

  /// By value, the operation of the block that is the last to read it; none if it is needed at its end.
  [[nodiscard]] std::vector<std::size_t> last_reads(std::uint32_t number) const {
    const Block& block = code_.blocks[number];
    constexpr std::size_t at_end = ~std::size_t{0};
    std::vector<std::size_t> last(code_.values, at_end);
    for (std::size_t i = 0; i < block.operations.size(); ++i)
      each_operand(block.operations[i], [&](const Operand& operand) {
        if (operand.is_value()) last[operand.number] = i;
      });
    const auto keep = [&](const Operand& operand) {
      if (operand.is_value()) last[operand.number] = at_end;
    };
    keep(block.condition);
    for (const std::uint32_t next : block.successors) {
      for (Value value = 0; value < code_.values; ++value)
        if (live_[next][value]) last[value] = at_end;
      for (const Phi& phi : code_.blocks[next].phis) keep(phi.operands[way_from(code_.blocks[next], number)]);
    }
    return last;
  }

  void give(Value value, std::optional<std::uint8_t> wish, std::bitset<register_places>& taken) {
    std::uint8_t place = 0;
    while (place < register_places && taken[place]) ++place;
    if (place == register_places) {
      overflows_ = true;
      place = 0;
    }
    if (wish && !taken[*wish]) place = *wish;
    taken.set(place);
    made_.place[value] = place;
    is_placed_[value] = true;
  }

  void copy(std::uint32_t number) {
    const Block& block = code_.blocks[number];
    if (block.successors.size() != 1) return;
    const Block& next = code_.blocks[block.successors[0]];
    Copies& copies = made_.copies[number];
    std::bitset<register_places> taken;
    for (Value value = 0; value < code_.values; ++value)
      if (live_[block.successors[0]][value]) taken.set(made_.place[value]);
    for (const Phi& phi : next.phis) {
      const Operand& from = phi.operands[way_from(next, number)];
      const std::uint8_t to = made_.place[phi.result];
      taken.set(to);
      if (from.is_value()) taken.set(made_.place[from.number]);
      if (!from.is_value() || from.negative || made_.place[from.number] != to) copies.all.push_back({to, from});
    }
    while (copies.spare < register_places && taken[copies.spare]) ++copies.spare;
  }

  const Code& code_;
  std::vector<Values> live_;
  Allocation made_;
  std::vector<bool> is_placed_;
  std::vector<Value> wish_;  ///< by value: a phi that it is for
  bool overflows_ = false;
};

}  // namespace

std::optional<Allocation> allocate(const Code& code) { return Allocator(code).run(); }

}  // namespace mobula::utgard_gp_compiler
