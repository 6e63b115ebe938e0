#include "machines/rogue/compile/allocate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "machines/rogue/spec/spec.h"

namespace mobula::rogue_compiler {
namespace {

/// Places in the code, two an instruction: what it reads, and what it writes.
struct Range {
  std::uint32_t first = 0, last = 0;
};
using Ranges = std::vector<Range>;

bool replaces(const Instruction& each, const Operand& result) {
  return each.replaces && result.kind == Operand::Kind::word;
}

class Lives {
 public:
  explicit Lives(const Code& code) : code_(code), ranges_(code.first_of_row.size()) {
    find_leaving();
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < code.blocks.size(); ++i) {
      collect(i, place);
      place += 2 * static_cast<std::uint32_t>(code.blocks[i].code.size()) + 2;
    }
    for (Ranges& ranges : ranges_) join(ranges);
  }
  std::vector<Ranges> take() { return std::move(ranges_); }

 private:
  /// From each block that reads a word before it writes it, back to those that write it. What this takes is the blocks
  /// that words live through, and not all blocks for each word.
  void find_leaving() {
    const auto blocks = static_cast<std::uint32_t>(code_.blocks.size());
    leaving_.resize(blocks);
    std::vector<std::vector<std::uint32_t>> predecessors(blocks), writers(ranges_.size()), readers(ranges_.size());
    for (std::uint32_t i = 0; i < blocks; ++i) {
      for (const std::uint32_t next : code_.blocks[i].successors) predecessors[next].push_back(i);
      find_reads(i, writers, readers);
    }
    // By block, the last word that was found to be written there, to enter it, and to leave it.
    std::vector<std::uint32_t> written(blocks, no_number), entered(blocks, no_number), left(blocks, no_number);
    for (std::uint32_t word = 0; word < ranges_.size(); ++word) {
      for (const std::uint32_t block : writers[word]) written[block] = word;
      std::vector<std::uint32_t>& open = readers[word];
      while (!open.empty()) {
        const std::uint32_t block = open.back();
        open.pop_back();
        if (std::exchange(entered[block], word) == word) continue;
        for (const std::uint32_t before : predecessors[block]) {
          if (std::exchange(left[before], word) == word) continue;
          leaving_[before].push_back(word);
          if (written[before] != word) open.push_back(before);
        }
      }
    }
  }
  /// Words that the block replaces, and those that it reads before.
  void find_reads(std::uint32_t block, std::vector<std::vector<std::uint32_t>>& writers,
                  std::vector<std::vector<std::uint32_t>>& readers) const {
    const auto add = [&](std::vector<std::vector<std::uint32_t>>& all, std::uint32_t word) {
      if (all[word].empty() || all[word].back() != block) all[word].push_back(block);
    };
    for (const Instruction& each : code_.blocks[block].code) {
      each_operand(
          each,
          [&](const Operand& source) {
            each_word(source, [&](std::uint32_t word) {
              if (writers[word].empty() || writers[word].back() != block) add(readers, word);
            });
          },
          [](const Operand&) {});
      each_operand(
          each, [](const Operand&) {},
          [&](const Operand& result) {
            if (replaces(each, result)) each_word(result, [&](std::uint32_t word) { add(writers, word); });
          });
    }
  }

  /// The ranges of a block, whose beginning is a place of its own.
  void collect(std::uint32_t block, std::uint32_t place) {
    const auto& code = code_.blocks[block].code;
    const std::uint32_t end = place + 2 * static_cast<std::uint32_t>(code.size()) + 1;
    std::map<std::uint32_t, std::uint32_t> open;  // word to the last place where it is needed
    std::uint32_t wait = 0;                       // what comes late has its registers until then
    for (const std::uint32_t word : leaving_[block]) open[word] = end;
    for (std::size_t i = code.size(); i-- > 0;) {
      const std::uint32_t reads = place + 2 * static_cast<std::uint32_t>(i) + 1;
      const Instruction& each = code[i];
      if (each.row == &rows::wait) wait = reads;
      // What comes late must not be what the group still reads.
      const bool is_late = each.row != nullptr && each.row->is_late;
      const std::uint32_t writes = is_late ? reads : reads + 1, least = is_late ? wait : writes;
      each_operand(
          each, [](const Operand&) {},
          [&](const Operand& result) {
            each_word(result, [&](std::uint32_t word) {
              const auto found = open.find(word);
              ranges_[word].push_back({writes, found == open.end() ? least : found->second});
              if (replaces(each, result) && found != open.end()) open.erase(found);
            });
          });
      each_operand(
          each,
          [&](const Operand& source) { each_word(source, [&](std::uint32_t word) { open.try_emplace(word, reads); }); },
          [](const Operand&) {});
    }
    for (const auto& [word, last] : open) ranges_[word].push_back({place, last});
  }

  static void join(Ranges& ranges) {
    std::ranges::sort(ranges, {}, &Range::first);
    Ranges joined;
    for (const Range& each : ranges)
      if (!joined.empty() && each.first <= joined.back().last + 1)
        joined.back().last = std::max(joined.back().last, each.last);
      else
        joined.push_back(each);
    ranges = std::move(joined);
  }

  const Code& code_;
  std::vector<std::vector<std::uint32_t>> leaving_;  ///< by block, words in order
  std::vector<Ranges> ranges_;
};

/// What is taken of a register.
class Register {
 public:
  [[nodiscard]] bool is_free(const Ranges& ranges) const {
    return std::ranges::all_of(ranges, [&](const Range& each) {
      const auto behind = taken_.upper_bound(each.first);
      if (behind != taken_.end() && behind->first <= each.last) return false;
      return behind == taken_.begin() || std::prev(behind)->second < each.first;
    });
  }
  void take(const Ranges& ranges) {
    for (const Range& each : ranges) taken_[each.first] = each.last;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> taken_;  ///< first and last places
};

}  // namespace

std::vector<std::uint32_t> allocate(const Code& code, std::uint32_t first_free_input) {
  const std::vector<Ranges> ranges = Lives(code).take();
  const auto count = static_cast<std::uint32_t>(ranges.size());
  std::vector<std::vector<std::uint32_t>> alike(count);
  for (const auto& [a, b] : code.alike) {
    alike[a].push_back(b);
    alike[b].push_back(a);
  }
  // Rows in the order in which they begin to live.
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> begins(count, no_number), size(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = code.first_of_row[i];
    if (row == i) rows.push_back(i);
    ++size[row];
    if (!ranges[i].empty()) begins[row] = std::min(begins[row], ranges[i].front().first);
  }
  // What is in memory instead, no group names any more.
  std::erase_if(rows, [&](std::uint32_t row) { return begins[row] == no_number; });
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return begins[row]; });
  std::vector<Register> registers(rogue::temporary_count + rogue::vertex_input_count);
  const std::uint32_t first_free = rogue::temporary_count + first_free_input;
  std::vector<std::uint32_t> given(count, no_number);
  for (const std::uint32_t row : rows) {
    const auto fits = [&](std::uint32_t base) {
      const std::uint32_t end = base + size[row];
      const bool is_temporary = end <= rogue::temporary_count;
      if (!is_temporary && (base < first_free || end > registers.size())) return false;
      for (std::uint32_t i = 0; i < size[row]; ++i)
        if (!registers[base + i].is_free(ranges[row + i])) return false;
      return true;
    };
    std::uint32_t base = no_number;
    for (std::uint32_t i = 0; i < size[row] && base == no_number; ++i)
      for (const std::uint32_t other : alike[row + i])
        if (given[other] != no_number && given[other] >= i && fits(given[other] - i)) {
          base = given[other] - i;
          break;
        }
    for (std::uint32_t at = 0; at < registers.size() && base == no_number; ++at)
      if (fits(at)) base = at;
    if (base == no_number) return {};
    for (std::uint32_t i = 0; i < size[row]; ++i) {
      given[row + i] = base + i;
      registers[base + i].take(ranges[row + i]);
    }
  }
  return given;
}

}  // namespace mobula::rogue_compiler
