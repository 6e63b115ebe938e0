#include "machines/rogue/compile/tidy.h"

#include <algorithm>
#include <utility>

namespace mobula::rogue_compiler {
namespace {

struct Uses {
  std::uint32_t reads = 0, writes = 0;
};

std::vector<Uses> uses_of(const Code& code) {
  std::vector<Uses> all(code.first_of_row.size());
  const auto count = [&](const Operand& operand, std::uint32_t Uses::*kind) {
    each_word(operand, [&](std::uint32_t word) { ++(all[word].*kind); });
  };
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code)
      each_operand(
          each, [&](const Operand& operand) { count(operand, &Uses::reads); },
          [&](const Operand& operand) { count(operand, &Uses::writes); });
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

/// Once what is not read has gone, neither may be what only it read: each group is looked at when it is found, and
/// again when the last reader of one of its words went.
class Idle {
 public:
  explicit Idle(Code& code) : code_(code), uses_(uses_of(code)), writers_(code.first_of_row.size()) {
    for (std::uint32_t block = 0; block < code.blocks.size(); ++block) {
      const auto& groups = code.blocks[block].code;
      gone_.emplace_back(groups.size());
      for (std::uint32_t i = 0; i < groups.size(); ++i)
        for (const Operand& result : groups[i].results)
          if (result.is_word()) writers_[result.number].push_back({block, i});
    }
  }

  void drop() {
    for (std::uint32_t block = 0; block < gone_.size(); ++block)
      for (std::uint32_t i = 0; i < gone_[block].size(); ++i) look_at({block, i});
    while (!open_.empty()) {
      const std::uint32_t word = open_.back();
      open_.pop_back();
      for (const Place& each : writers_[word]) look_at(each);
    }
    for (std::uint32_t block = 0; block < gone_.size(); ++block) {
      std::vector<Instruction> kept;
      for (std::uint32_t i = 0; i < gone_[block].size(); ++i)
        if (!gone_[block][i]) kept.push_back(code_.blocks[block].code[i]);
      code_.blocks[block].code = std::move(kept);
    }
  }

 private:
  struct Place {
    std::uint32_t block = 0, index = 0;
  };
  void look_at(const Place& place) {
    const Instruction& each = code_.blocks[place.block].code[place.index];
    if (gone_[place.block][place.index] || !is_idle(each, uses_)) return;
    gone_[place.block][place.index] = true;
    each_operand(
        each,
        [&](const Operand& source) {
          each_word(source, [&](std::uint32_t word) {
            if (--uses_[word].reads == 0) open_.push_back(word);
          });
        },
        [](const Operand&) {});
  }

  Code& code_;
  std::vector<Uses> uses_;
  std::vector<std::vector<Place>> writers_;  ///< by word
  std::vector<std::uint32_t> open_;          ///< words that nobody reads any more
  std::vector<std::vector<bool>> gone_;      ///< by block and place
};

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
  Idle(code).drop();
  forward_outputs(code);
}

}  // namespace mobula::rogue_compiler
