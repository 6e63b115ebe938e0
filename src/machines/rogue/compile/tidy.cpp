#include "machines/rogue/compile/tidy.h"

#include <algorithm>

namespace mobula::rogue_compiler {
namespace {

struct Uses {
  std::uint32_t reads = 0, writes = 0;
};

std::vector<Uses> uses_of(const Code& code) {
  std::vector<Uses> all(code.first_of_row.size());
  const auto each_word = [&](const Operand& operand, std::uint32_t Uses::*kind) {
    if (operand.kind == Operand::Kind::word || operand.kind == Operand::Kind::indexed_word)
      for (std::uint32_t i = 0; i < operand.count; ++i) ++(all[operand.number + i].*kind);
  };
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code)
      each_operand(
          each, [&](const Operand& operand) { each_word(operand, &Uses::reads); },
          [&](const Operand& operand) { each_word(operand, &Uses::writes); });
  return all;
}

/// Whether all that the group does is to write words that nobody reads.
bool is_idle(const Instruction& each, const std::vector<Uses>& uses) {
  if (each.is_label() || each.row->is_late || each.row == &rows::sine) return false;
  bool any = false, all = true;
  for (const Operand& result : each.results) {
    if (result.kind == Operand::Kind::none) continue;
    any = true;
    all = all && result.is_word() && uses[result.number].reads == 0;
  }
  return any && all;
}

/// True if something went.
bool drop_idle(Code& code) {
  const std::vector<Uses> uses = uses_of(code);
  std::size_t dropped = 0;
  for (Block& block : code.blocks)
    dropped += std::erase_if(block.code, [&](const Instruction& each) { return is_idle(each, uses); });
  return dropped != 0;
}

/// The result of a group that is the only one to write this word; none if there is none before `end`.
Operand* find_result(Block& block, std::size_t end, std::uint32_t word) {
  for (std::size_t i = end; i-- > 0;) {
    Instruction& each = block.code[i];
    for (Operand& result : each.results)
      if (result.is_word() && result.number <= word && word < result.number + result.count)
        return each.row->is_late || each.condition != Condition::always ? nullptr : &result;
  }
  return nullptr;
}

void forward_outputs(Code& code) {
  const std::vector<Uses> uses = uses_of(code);
  for (Block& block : code.blocks)
    for (std::size_t i = block.code.size(); i-- > 0;) {
      const Instruction& each = block.code[i];
      const Operand from = each.sources[0], to = each.results[0];
      const bool is_copy = each.row == &rows::move && each.condition == Condition::always && from.is_word() &&
                           from.is_plain() && to.kind == Operand::Kind::output;
      if (!is_copy || uses[from.number].reads != 1 || uses[from.number].writes != 1) continue;
      Operand* const made = find_result(block, i, from.number);
      if (made == nullptr) continue;
      *made = to;
      block.code.erase(block.code.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

}  // namespace

void tidy(Code& code) {
  while (drop_idle(code)) {
  }
  forward_outputs(code);
}

}  // namespace mobula::rogue_compiler
