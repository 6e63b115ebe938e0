#include "execute/shared_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "ir/operands.h"

namespace mobula {
namespace {

using WordFlags = std::vector<std::uint8_t>;  // vector<bool> would take several times as long

/// What is known of each word at one place of the program.
struct Knowledge {
  WordFlags shared;  ///< the same in all lanes
  WordFlags row;     ///< and only in the first vector of them
};

/// The words that an access touches, and whether it covers each of them.
template <class Use>
void for_each_word(const ir::Access& access, Use use) {
  if (!access.operand.is_state()) return;
  const std::uint32_t begin = access.operand.byte(), end = begin + access.bytes();
  for (std::uint32_t word = begin / 4; word * 4 < end; ++word) use(word, begin <= word * 4 && word * 4 + 4 <= end);
}

/// Whether two accesses touch the same word.
bool overlap(const ir::Access& a, const ir::Access& b) {
  bool is_common = false;
  for_each_word(a, [&](std::uint32_t of_a, bool) {
    for_each_word(b, [&](std::uint32_t of_b, bool) { is_common = is_common || of_a == of_b; });
  });
  return is_common;
}

class Search {
 public:
  Search(const ir::Program& program, const SharingRules& rules)
      : program_(program), rules_(rules), words_((program.state_bytes + 3) / 4), before_(program.blocks.size()) {}

  SharedWords run() {
    SharedWords found;
    found.operations.resize(program_.operations.size());
    found.blocks.resize(program_.blocks.size());
    found.calls.resize(program_.calls.size());
    for (Knowledge& each : before_) each = {WordFlags(words_, 1), WordFlags(words_)};
    for (std::size_t word = 0; word < words_; ++word)
      if (rules_.differs_at_start[word]) before_[program_.entry].shared[word] = false;
    settle(
        &Knowledge::shared, [](bool after, bool before) { return after && before; }, found);
    settle(
        &Knowledge::row, [](bool after, bool before) { return after || before; }, found);
    for (std::uint32_t block = 0; block < program_.blocks.size(); ++block) leave(block, found);
    return found;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> ways_out(const ir::Block& block) const {
    std::vector<std::uint32_t> next;
    for (const ir::Operation& operation : std::span(program_.operations).subspan(block.first, block.count)) {
      if (operation.op == ir::Op::branch) next.push_back(operation.extra);
      if (ir::always_leaves(operation)) return next;
    }
    if (block.next) next.push_back(*block.next);
    return next;
  }

  /// Goes through the blocks until what is known of their beginnings no longer changes.
  template <class Join>
  void settle(WordFlags Knowledge::*what, Join join, SharedWords& found) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Block& block : program_.blocks) {
        const Knowledge after = pass(block, found);
        for (const std::uint32_t next : ways_out(block))
          for (std::size_t word = 0; word < words_; ++word) {
            const bool old = (before_[next].*what)[word], joined = join((after.*what)[word], old);
            if (joined == old || (what == &Knowledge::row && !before_[next].shared[word])) continue;
            (before_[next].*what)[word] = joined;
            changed = true;
          }
      }
    }
  }

  void leave(std::uint32_t number, SharedWords& found) {
    const ir::Block& block = program_.blocks[number];
    const Knowledge after = pass(block, found);
    const auto next = ways_out(block);
    for (std::uint32_t word = 0; word < words_; ++word) {
      if (!after.row[word]) continue;
      const bool differs_then =
          std::any_of(next.begin(), next.end(), [&](std::uint32_t each) { return !before_[each].shared[word]; });
      (differs_then ? found.blocks[number].spread : found.blocks[number].rows).push_back(word);
    }
  }

  /// Goes through a block, and writes down what it finds of each operation.
  Knowledge pass(const ir::Block& block, SharedWords& found) {
    Knowledge known = before_[static_cast<std::size_t>(&block - program_.blocks.data())];
    bool is_masked = false;
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const ir::Operation& operation = program_.operations[i];
      found.operations[i] = {};
      if (operation.op == ir::Op::call) {
        pass_call(operation, is_masked, known, found.operations[i], found.calls[operation.extra]);
      } else {
        const bool is_control = ir::is_control(operation.op) || operation.op == ir::Op::enable;
        pass_operation(operation, is_control ? LaneAccess::by_vector : rules_.access(operation), is_masked, known,
                       found.operations[i]);
      }
      if (operation.op == ir::Op::enable) is_masked = !operation.src[0].is_none();
    }
    return known;
  }

  void spread(std::uint32_t word, Knowledge& known, SharedWords::Operation& found) const {
    if (!known.row[word]) return;
    known.row[word] = false;
    found.spread.push_back(word);
  }

  void pass_operation(const ir::Operation& operation, LaneAccess access, bool is_masked, Knowledge& known,
                      SharedWords::Operation& found) const {
    const ir::Access result{.operand = operation.dst, .type = ir::result_type(operation), .is_write = true};
    std::array<bool, 3> are_shared{true, true, true};
    for (std::size_t k = 0; k < operation.src.size(); ++k)
      for_each_word(source_of(operation, k),
                    [&](std::uint32_t word, bool) { are_shared[k] = are_shared[k] && known.shared[word]; });
    found.is_shared = access == LaneAccess::by_vector_alone && !operation.dst.is_none() && !is_masked &&
                      are_shared == std::array{true, true, true} && can_be_row(result, known);
    for (std::size_t k = 0; k < operation.src.size(); ++k) {
      const ir::Access source = source_of(operation, k);
      // What one vector of lanes writes must not be what the next one reads.
      const bool stays = found.is_shared || !overlap(source, result);
      if (are_shared[k] && stays && access != LaneAccess::by_lane) {
        if (!source.operand.is_none()) found.rows = static_cast<std::uint8_t>(found.rows | 1u << k);
      } else {
        for_each_word(source, [&](std::uint32_t word, bool) { spread(word, known, found); });
      }
    }
    if (!operation.dst.is_none()) write(result, is_masked, known, found);
  }
  [[nodiscard]] static ir::Access source_of(const ir::Operation& operation, std::size_t k) {
    return {.operand = operation.src[k], .type = ir::source_type(operation)};
  }

  /// Whether the words are rows afterwards if all lanes write the same there.
  [[nodiscard]] static bool can_be_row(const ir::Access& result, const Knowledge& known) {
    bool can_be = true;
    for_each_word(result,
                  [&](std::uint32_t word, bool is_whole) { can_be = can_be && (is_whole || known.shared[word]); });
    return can_be;
  }

  void write(const ir::Access& result, bool is_masked, Knowledge& known, SharedWords::Operation& found) const {
    for_each_word(result, [&](std::uint32_t word, bool is_whole) {
      if (!found.is_shared && (is_masked || !is_whole)) spread(word, known, found);
      known.shared[word] = known.row[word] = found.is_shared;
    });
  }

  void pass_call(const ir::Operation& operation, bool is_masked, Knowledge& known, SharedWords::Operation& found,
                 SharedWords::Call& call_found) const {
    const ir::Call& call = program_.calls[operation.extra];
    bool are_all_shared = !is_masked && rules_.gives_same(call);
    bool are_rows = are_all_shared;
    ir::for_each_access(program_, operation, [&](const ir::Access& access) {
      if (access.is_write) {
        are_rows = are_rows && can_be_row(access, known);
      } else if (ir::info(call.service).data == ir::DataUse::loads) {
        for_each_word(access, [&](std::uint32_t word, bool) { are_all_shared = are_all_shared && known.shared[word]; });
      }
    });
    found.is_shared = are_all_shared && are_rows;
    const Knowledge before = known;
    ir::for_each_access(program_, operation, [&](const ir::Access& access) {
      if (access.is_write) write(access, is_masked, known, found);
    });
    call_found = {before.shared, {}, found.is_shared};
    for (std::uint32_t word = 0; word < words_; ++word) {
      const bool is_spread = std::find(found.spread.begin(), found.spread.end(), word) != found.spread.end();
      if (before.row[word] && !is_spread) call_found.rows.push_back(word);
    }
  }

  const ir::Program& program_;
  const SharingRules& rules_;
  const std::size_t words_;
  std::vector<Knowledge> before_;
};

/// Whether no two operations make the same call: what is found of a call is written down once.
bool calls_are_made_once(const ir::Program& program) {
  std::vector<bool> is_made(program.calls.size());
  for (const ir::Operation& operation : program.operations) {
    if (operation.op != ir::Op::call) continue;
    if (is_made[operation.extra]) return false;
    is_made[operation.extra] = true;
  }
  return true;
}

}  // namespace

SharedWords find_shared_words(const ir::Program& program, const SharingRules& rules) {
  constexpr std::size_t worth_it = std::size_t{1} << 22;  // words of all blocks and calls
  const auto goes_anywhere = [](const ir::Operation& each) { return each.op == ir::Op::branch_indirect; };
  const std::size_t places = program.blocks.size() + program.calls.size();
  if (places * ((program.state_bytes + 3) / 4) > worth_it ||
      std::any_of(program.operations.begin(), program.operations.end(), goes_anywhere) || !calls_are_made_once(program))
    return {};
  return Search(program, rules).run();
}

}  // namespace mobula
