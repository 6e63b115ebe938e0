#include "machines/rogue/compile/allocate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "machines/rogue/spec/spec.h"

namespace mobula::rogue_compiler {
namespace {

/// Places in the code, two an instruction: what it reads, and what it writes.
struct Range {
  std::uint32_t first = 0, last = 0;
};
using Ranges = std::vector<Range>;
using Words = std::vector<bool>;

template <class Act>
void each_word(const Operand& operand, Act act) {
  if (operand.kind != Operand::Kind::word && operand.kind != Operand::Kind::indexed_word) return;
  for (std::uint32_t i = 0; i < operand.count; ++i) act(operand.number + i);
}
bool replaces(const Instruction& each, const Operand& result) {
  return each.replaces && result.kind == Operand::Kind::word;
}

class Lives {
 public:
  explicit Lives(const Code& code) : code_(code), ranges_(code.first_of_row.size()) {
    find_entering();
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < code.blocks.size(); ++i) {
      collect(i, place);
      place += 2 * static_cast<std::uint32_t>(code.blocks[i].code.size()) + 2;
    }
    for (Ranges& ranges : ranges_) join(ranges);
  }
  std::vector<Ranges> take() { return std::move(ranges_); }

 private:
  [[nodiscard]] Words leaving(std::uint32_t block) const {
    Words lives(ranges_.size());
    for (const std::uint32_t next : code_.blocks[block].successors)
      for (std::size_t i = 0; i < lives.size(); ++i) lives[i] = lives[i] || entering_[next][i];
    return lives;
  }
  void find_entering() {
    entering_.assign(code_.blocks.size(), Words(ranges_.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = static_cast<std::uint32_t>(code_.blocks.size()); i-- > 0;) {
        Words lives = leaving(i);
        const auto& code = code_.blocks[i].code;
        for (auto each = code.rbegin(); each != code.rend(); ++each) {
          each_operand(
              *each, [](const Operand&) {},
              [&](const Operand& result) {
                if (replaces(*each, result)) each_word(result, [&](std::uint32_t word) { lives[word] = false; });
              });
          each_operand(
              *each, [&](const Operand& source) { each_word(source, [&](std::uint32_t word) { lives[word] = true; }); },
              [](const Operand&) {});
        }
        changed = changed || lives != entering_[i];
        entering_[i] = std::move(lives);
      }
    }
  }

  /// The ranges of a block, whose beginning is a place of its own.
  void collect(std::uint32_t block, std::uint32_t place) {
    const auto& code = code_.blocks[block].code;
    const std::uint32_t end = place + 2 * static_cast<std::uint32_t>(code.size()) + 1;
    std::map<std::uint32_t, std::uint32_t> open;  // word to the last place where it is needed
    std::uint32_t wait = 0;                       // what comes late has its registers until then
    const Words lives = leaving(block);
    for (std::uint32_t word = 0; word < lives.size(); ++word)
      if (lives[word]) open[word] = end;
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
  std::vector<Words> entering_;
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

std::vector<std::uint32_t> allocate(const Code& code) {
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
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return begins[row]; });
  std::vector<Register> registers(rogue::temporary_count);
  std::vector<std::uint32_t> given(count, no_number);
  for (const std::uint32_t row : rows) {
    const auto fits = [&](std::uint32_t base) {
      if (base + size[row] > registers.size()) return false;
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
