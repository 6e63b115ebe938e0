#include "machines/utgard_gp/compile/spill.h"

#include <algorithm>
#include <bit>

namespace mobula::utgard_gp_compiler {
namespace {

/// How long a value is needed, in operations before which it is, and how often it is read.
struct Life {
  std::uint32_t length = 0, reads = 0;
  bool is_made_by_operation = false;
};

class Search {
 public:
  explicit Search(const Code& code) : code_(code), live_(find_live(code)), lives_(code.values) {
    for (const std::uint32_t number : code.order) look_at(number);
  }

  /// The one that it costs least to load, for as long as it occupies a register.
  [[nodiscard]] Value best() const {
    Value best = no_value;
    for (Value value = 0; value < code_.values; ++value) {
      if (!fullest_[value] || !lives_[value].is_made_by_operation) continue;
      if (best == no_value || worth(value) > worth(best)) best = value;
    }
    return best;
  }

 private:
  void look_at(std::uint32_t number) {
    const Block& block = code_.blocks[number];
    std::vector<bool> now(code_.values);
    std::size_t count = 0;
    const auto use = [&](const Operand& operand) {
      if (!operand.is_value()) return;
      ++lives_[operand.number].reads;
      count += now[operand.number] ? 0 : 1;
      now[operand.number] = true;
    };
    for (const std::uint32_t next : block.successors) {
      for (Value value = 0; value < code_.values; ++value)
        if (live_[next][value] && !now[value]) {
          now[value] = true;
          ++count;
        }
      for (const Phi& phi : code_.blocks[next].phis) use(phi.operands[way_from(code_.blocks[next], number)]);
    }
    use(block.condition);
    for (auto each = block.operations.rbegin(); each != block.operations.rend(); ++each) {
      if (count > most_) {
        most_ = count;
        fullest_ = now;
      }
      for (Value value = 0; value < code_.values; ++value)
        if (now[value]) ++lives_[value].length;
      if (each->result != no_value) {
        lives_[each->result].is_made_by_operation = true;
        count -= now[each->result] ? 1 : 0;
        now[each->result] = false;
      }
      each_operand(*each, use);
    }
    if (count > most_) {
      most_ = count;
      fullest_ = std::move(now);
    }
  }
  [[nodiscard]] double worth(Value value) const {
    return static_cast<double>(lives_[value].length) / (lives_[value].reads + 1);
  }

  const Code& code_;
  std::vector<std::vector<bool>> live_;
  std::vector<Life> lives_;
  std::vector<bool> fullest_ = std::vector<bool>(code_.values);
  std::size_t most_ = 0;
};

}  // namespace

bool spill(Code& code, Layout& layout) {
  const Value value = Search(code).best();
  if (value == no_value) return false;
  const Operand kept = layout.temporary();
  const Operand address = layout.constant(std::bit_cast<std::uint32_t>(static_cast<float>(kept.number)));
  const auto load = [&](Operand& operand) {
    if (!operand.is_value() || operand.number != value) return;
    const bool negative = operand.negative;
    operand = kept;
    operand.negative = negative;
  };
  for (Block& block : code.blocks) {
    for (Operation& each : block.operations) {
      each_operand(each, load);
      if (each.result != value) continue;
      each.result = no_value;
      each.temporary = static_cast<std::int32_t>(4 * kept.number + kept.component);
      each.address = address;
    }
    for (Phi& phi : block.phis) std::ranges::for_each(phi.operands, load);
    load(block.condition);
  }
  return true;
}

}  // namespace mobula::utgard_gp_compiler
