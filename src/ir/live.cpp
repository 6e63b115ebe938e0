#include "mobula/isa/live.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mobula::ir {
namespace {

/// A bit for each byte of the architectural state.
using ByteSet = std::vector<std::uint64_t>;

bool contains(const ByteSet& set, std::uint32_t byte) { return (set[byte / 64] >> byte % 64 & 1) != 0; }
void insert(ByteSet& set, const ByteRange& range) {
  for (std::uint32_t byte = range.byte; byte < range.byte + range.bytes; ++byte)
    set[byte / 64] |= std::uint64_t{1} << byte % 64;
}

std::vector<ByteRange> ranges_of(const ByteSet& set, std::uint32_t bytes) {
  std::vector<ByteRange> ranges;
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    if (!contains(set, byte)) continue;
    if (!ranges.empty() && ranges.back().byte + ranges.back().bytes == byte)
      ++ranges.back().bytes;
    else
      ranges.push_back({byte, 1});
  }
  return ranges;
}

/// Where a block may continue.
struct Successors {
  std::vector<std::uint32_t> blocks;
  bool anywhere = false;
};
Successors successors(const Program& program, const Block& block) {
  Successors found;
  for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
    const Operation& operation = program.operations[i];
    if (operation.op == Op::branch) found.blocks.push_back(operation.extra);
    found.anywhere |= operation.op == Op::branch_indirect;
    const bool may_leave = operation.op == Op::branch || operation.op == Op::discard || operation.op == Op::end ||
                           operation.op == Op::trap;
    if (operation.op == Op::branch_indirect || (may_leave && operation.src[0].is_none())) return found;
  }
  if (block.next) found.blocks.push_back(*block.next);
  return found;
}

class LiveFinder {
 public:
  explicit LiveFinder(const Program& program)
      : program_(program), empty_((program.temporary_byte + 63) / 64), kept_(empty_) {
    insert(kept_, {0, program.temporary_byte});
    for (const ByteRange& range : program.volatile_state)
      for (std::uint32_t byte = range.byte; byte < std::min(range.byte + range.bytes, program.temporary_byte); ++byte)
        kept_[byte / 64] &= ~(std::uint64_t{1} << byte % 64);
  }

  std::vector<LiveWord> run() {
    const auto count = static_cast<std::uint32_t>(program_.blocks.size());
    std::vector<LiveWord> words(count);
    std::vector<ByteSet> reads(count, empty_), overwritten(count, empty_);
    std::vector<Successors> next(count);
    before_.assign(count, empty_);
    after_.assign(count, empty_);
    for (std::uint32_t i = 0; i < count; ++i) {
      words[i] = {program_.blocks[i].address, effects(program_, i), {}};
      next[i] = successors(program_, program_.blocks[i]);
      for (const ByteRange& range : words[i].effects.reads) insert(reads[i], range);
      for (const ByteRange& range : words[i].effects.writes) insert(overwritten[i], range);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = count; i-- > 0;) {
        ByteSet live = next[i].anywhere ? kept_ : empty_;
        for (const std::uint32_t to : next[i].blocks)
          for (std::size_t k = 0; k < live.size(); ++k) live[k] |= before_[to][k] & kept_[k];
        ByteSet before = reads[i];
        for (std::size_t k = 0; k < live.size(); ++k) before[k] |= live[k] & ~overwritten[i][k];
        changed |= live != after_[i] || before != before_[i];
        after_[i] = std::move(live);
        before_[i] = std::move(before);
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) words[i].live = ranges_of(after_[i], program_.temporary_byte);
    return words;
  }

 private:
  const Program& program_;
  const ByteSet empty_;
  ByteSet kept_;  ///< what does not end with its block
  std::vector<ByteSet> before_, after_;
};

/// Calls use(slot) for each slot that the ranges touch. Both are in order of bytes.
template <class Use>
void for_each_slot(const Program& program, std::span<const ByteRange> ranges, Use use) {
  auto range = ranges.begin();
  for (const Slot& slot : program.slots) {
    while (range != ranges.end() && range->byte + range->bytes <= slot.byte) ++range;
    if (range == ranges.end()) return;
    if (range->byte < slot.byte + slot.bytes) use(slot);
  }
}

constexpr std::string_view component_letters = "xyzw";
/// "r0" and "x" of "r0.x"; names without a component are registers by themselves.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  if (name.size() < 3 || name[name.size() - 2] != '.' || component_letters.find(name.back()) == std::string_view::npos)
    return {name, {}};
  return {name.substr(0, name.size() - 2), name.substr(name.size() - 1)};
}

std::string bank_of(std::string_view name) {
  if (name.find('@') != std::string_view::npos) return "@";
  return std::string(name.substr(0, name.find_first_of("0123456789[.")));
}

}  // namespace

Result<std::vector<LiveWord>> live_words(const Program& program) {
  constexpr std::uint64_t most_bits = std::uint64_t{1} << 32;
  const std::uint64_t bits = std::uint64_t{program.blocks.size()} * program.temporary_byte;
  if (bits > most_bits)
    return fail("IR001",
                "the program has " + std::to_string(program.blocks.size()) + " words, whose live values take " +
                    std::to_string(bits >> 20) + " Mbit; allowed: " + std::to_string(most_bits >> 20),
                "take a part of it");
  return LiveFinder(program).run();
}

std::vector<std::string> names_of(const Program& program, std::span<const ByteRange> ranges) {
  std::vector<std::string> names;
  std::string_view last;
  for_each_slot(program, ranges, [&](const Slot& slot) {
    const auto [reg, component] = split(slot.name);
    if (!component.empty() && reg == last)
      names.back() += component;
    else
      names.push_back(slot.name);
    last = component.empty() ? std::string_view() : reg;
  });
  return names;
}

std::map<std::string, Pressure> pressure(const Program& program, std::span<const ByteRange> ranges) {
  std::map<std::string, Pressure> banks;
  std::string_view last;
  for_each_slot(program, ranges, [&](const Slot& slot) {
    Pressure& bank = banks[bank_of(slot.name)];
    const std::string_view reg = split(slot.name).first;
    ++bank.slots;
    if (reg != last) ++bank.registers;
    last = reg;
  });
  return banks;
}

std::vector<LiveRange> live_ranges(const Program& program, std::span<const LiveWord> words) {
  struct Open {
    std::size_t first = 0, last = 0;
    bool is_open = false;
  };
  std::vector<Open> open(program.slots.size());
  std::vector<std::vector<LiveRange>> found(program.slots.size());
  const auto close = [&](std::size_t slot) {
    if (open[slot].is_open)
      found[slot].push_back(
          {program.slots[slot].name, words[open[slot].first].address, words[open[slot].last].address});
    open[slot].is_open = false;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    for_each_slot(program, words[i].live, [&](const Slot& slot) {
      const auto number = static_cast<std::size_t>(&slot - program.slots.data());
      if (open[number].is_open && open[number].last + 1 != i) close(number);
      if (!open[number].is_open) open[number].first = i;
      open[number].last = i;
      open[number].is_open = true;
    });
  }
  std::vector<LiveRange> all;
  for (std::size_t slot = 0; slot < open.size(); ++slot) {
    close(slot);
    all.insert(all.end(), found[slot].begin(), found[slot].end());
  }
  return all;
}

}  // namespace mobula::ir
