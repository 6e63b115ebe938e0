#include "machines/rogue/compile/saturate.h"

#include <algorithm>
#include <optional>

namespace mobula::rogue_compiler {
namespace {

constexpr std::uint32_t constant_zero = 0, constant_one = 64, constant_minus_zero = 141;

bool is_constant(const Operand& operand, std::uint32_t number) {
  return operand == machine(Operand::Kind::constant, number);
}

class Saturating {
 public:
  explicit Saturating(Code& code) : code_(code), writes_(code.first_of_row.size()), reads_(code.first_of_row.size()) {
    for (const Block& block : code.blocks)
      for (const Instruction& each : block.code) {
        for (const Operand& result : each.results)
          shared_changes_ =
              shared_changes_ || result.kind == Operand::Kind::shared || result.kind == Operand::Kind::indexed_shared;
        each_operand(
            each, [&](const Operand& source) { each_word(source, [&](std::uint32_t word) { ++reads_[word]; }); },
            [&](const Operand& result) { each_word(result, [&](std::uint32_t word) { ++writes_[word]; }); });
      }
  }

  void run() {
    for (Block& block : code_.blocks)
      for (std::size_t i = 0; i < block.code.size(); ++i) look_at(block, i);
  }

 private:
  /// The operand beside the constant in a group that chooses by such a test; nothing if it is another group.
  static std::optional<Operand> beside(const Instruction& each, Operation test, std::uint32_t constant) {
    if (each.row != &rows::choose_tested || each.operation != test || each.condition != Condition::always) return {};
    for (const std::size_t side : {0, 1})
      if (is_constant(each.sources[1 - side], constant)) return each.sources[side];
    return {};
  }
  /// The group in front that makes the word, if it is the only one.
  [[nodiscard]] const Instruction* maker(const Block& block, std::size_t end, const Operand& operand) const {
    if (!operand.is_word() || !operand.is_plain() || operand.count != 1 || writes_[operand.number] != 1) return nullptr;
    for (std::size_t i = end; i-- > 0;)
      if (!block.code[i].is_label() && block.code[i].results[0] == operand) return &block.code[i];
    return nullptr;
  }
  /// True if the operand is the same later in the block.
  [[nodiscard]] bool stays(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::none:
      case Operand::Kind::immediate:
      case Operand::Kind::constant:
      case Operand::Kind::coefficient:
      case Operand::Kind::input:
        return true;
      case Operand::Kind::word:
        return writes_[operand.number] == 1;
      case Operand::Kind::shared:
        return !shared_changes_;
      case Operand::Kind::output:
      case Operand::Kind::internal:
      case Operand::Kind::special:
      case Operand::Kind::index:
      case Operand::Kind::indexed_word:
      case Operand::Kind::indexed_shared:
        return false;
    }
    return false;
  }

  void look_at(Block& block, std::size_t place) {
    Instruction& least = block.code[place];
    if (least.is_label()) return;
    const auto above = beside(least, Operation::tstl, constant_one);
    const Instruction* const most = above ? maker(block, place, *above) : nullptr;
    const auto clamped = most != nullptr ? beside(*most, Operation::tstg, constant_zero) : std::nullopt;
    if (!clamped || !stays(*clamped)) return;
    const Instruction* const made = maker(block, place, *clamped);
    const bool is_last_reader = made != nullptr && reads_[clamped->number] == 1;
    const Row* const row = made == nullptr                    ? nullptr
                           : made->row == &rows::add          ? &rows::add_saturated
                           : made->row == &rows::multiply_add ? &rows::multiply_add_saturated
                                                              : nullptr;
    if (row != nullptr && is_last_reader && made->condition == Condition::always &&
        std::ranges::all_of(made->sources, [&](const Operand& each) { return stays(each); })) {
      least.row = row;
      least.operation = made->operation;
      least.sources = made->sources;
    } else {
      least.row = &rows::add_saturated;
      least.operation = Operation::fadd;
      least.sources = {*clamped, machine(Operand::Kind::constant, constant_minus_zero)};
    }
  }

  Code& code_;
  std::vector<std::uint32_t> writes_, reads_;  ///< by word
  bool shared_changes_ = false;
};

}  // namespace

void saturate(Code& code) { Saturating(code).run(); }

}  // namespace mobula::rogue_compiler
