#include "machines/rogue/compile/spill.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "machines/rogue/compile/allocate.h"

namespace mobula::rogue_compiler {
namespace {

constexpr std::uint32_t bytes_of_a_place = 4;
// The memory of an instance is that of its place among those that run at once: its cluster, its task's slot, and its
// number in the task (reference 1.4).
constexpr std::uint32_t cluster_register = 45, slot_register = 48, instance_register = 51;
constexpr std::uint32_t slots_of_a_cluster = 128, instances_of_a_cluster = slots_of_a_cluster * task_threads;
constexpr std::uint32_t task_as_shift = 5, cluster_as_shift = 12;
static_assert(1U << task_as_shift == task_threads && 1U << cluster_as_shift == instances_of_a_cluster);
/// Of the memory that runs give a workgroup, what comes before that of instances.
constexpr std::uint32_t bytes_before = 0x10000;

Operand constant(std::uint32_t number) { return machine(Operand::Kind::constant, number); }
Instruction group(const Row& row, Operation operation, std::array<Operand, 4> sources, std::array<Operand, 2> results,
                  std::uint32_t number = 0) {
  Instruction made{.row = &row, .operation = operation, .number = number};
  made.sources = sources;
  made.results = results;
  return made;
}

/// By its first word, the words of each array that is indexed.
std::map<std::uint32_t, std::uint32_t> arrays_of(const Code& code) {
  std::map<std::uint32_t, std::uint32_t> arrays;
  const auto look = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::indexed_word) arrays[code.first_of_row[operand.number]] = 0;
  };
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code) each_operand(each, look, look);
  for (const std::uint32_t first : code.first_of_row)
    if (const auto found = arrays.find(first); found != arrays.end()) ++found->second;
  return arrays;
}
bool is_long(std::uint32_t array) { return array > most_array_in_registers; }

class Spiller {
 public:
  explicit Spiller(Code& code) : code_(code), own_(code.add(2)) {}

  /// The arrays that no bank of registers could hold.
  void spill_long_arrays() {
    std::vector<std::uint32_t> words;
    for (const auto& [first, size] : arrays_of(code_))
      if (is_long(size)) append(words, first, size);
    spill(words);
  }
  /// \return false if there is nothing left that could be.
  bool spill_some() {
    std::vector<std::uint32_t> words = longest();
    const auto arrays = words.empty() ? arrays_of(code_) : std::map<std::uint32_t, std::uint32_t>();
    const auto largest = std::ranges::max_element(arrays, {}, [](const auto& array) { return array.second; });
    if (largest != arrays.end()) append(words, largest->first, largest->second);
    spill(words);
    return !words.empty();
  }
  [[nodiscard]] std::uint32_t bytes() const { return bytes_of_a_place * count_; }

  /// The code, with what finds the instance's memory.
  [[nodiscard]] Code with_beginning(std::uint32_t address_register) const {
    Code code = code_;
    std::vector<Instruction> first;
    const auto make = [&](const Row& row, Operation operation, std::array<Operand, 4> sources,
                          std::uint32_t number = 0) {
      const Operand result = code.add();
      first.push_back(group(row, operation, sources, {result}, number));
      return result;
    };
    const auto special = [&](std::uint32_t number) {
      return make(rows::special, Operation::none, {machine(Operand::Kind::special, number)});
    };
    const auto shifted = [&](const Operand& value, std::uint32_t places) {
      return make(rows::shift, Operation::lsl, {value, constant(places)});
    };
    const Operand cluster = shifted(special(cluster_register), cluster_as_shift);
    const Operand slot = shifted(special(slot_register), task_as_shift);
    const Operand task = make(rows::integer, Operation::none, {cluster, constant(1), slot});
    const Operand instance = make(rows::integer, Operation::none, {task, constant(1), special(instance_register)});
    const Operand size = make(rows::number, Operation::none, {}, bytes());
    const Operand offset = make(rows::integer, Operation::none, {instance, size, constant(0)});
    const Operand high = make(rows::move, Operation::none, {machine(Operand::Kind::shared, address_register + 1)});
    first.push_back(group(rows::address, Operation::none,
                          {machine(Operand::Kind::shared, address_register), high, offset},
                          {word(own_.number), word(own_.number + 1)}));
    auto& begin = code.blocks.front().code;
    begin.insert(begin.begin(), first.begin(), first.end());
    return code;
  }

 private:
  static void append(std::vector<std::uint32_t>& words, std::uint32_t first, std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) words.push_back(first + i);
  }
  void spill(const std::vector<std::uint32_t>& words) {
    for (const std::uint32_t word : words) places_[word] = bytes_of_a_place * count_++;
    for (Block& block : code_.blocks) rewrite(block);
  }

  struct Use {
    std::uint32_t first = no_number, last = 0, count = 0;
    bool stays = false;  ///< in a register
  };

  /// Those that live long and are used seldom.
  std::vector<std::uint32_t> longest() {
    const std::vector<Use> uses = find_uses();
    std::vector<std::uint32_t> words;
    constexpr std::uint32_t least_life = 32;
    for (std::uint32_t i = 0; i < uses.size(); ++i)
      if (!uses[i].stays && uses[i].count != 0 && uses[i].last - uses[i].first >= least_life) words.push_back(i);
    const auto gain = [&](std::uint32_t word) { return (uses[word].last - uses[word].first) / uses[word].count; };
    std::ranges::stable_sort(words, std::greater{}, gain);
    constexpr std::size_t least = 16, part = 8;
    words.resize(std::min(words.size(), std::max(least, words.size() / part)));
    return words;
  }
  std::vector<Use> find_uses() {
    std::vector<Use> uses(code_.first_of_row.size());
    for (std::uint32_t i = 0; i < uses.size(); ++i) {
      const bool is_in_a_row = code_.first_of_row[i] != i || (i + 1 < uses.size() && code_.first_of_row[i + 1] == i);
      uses[i].stays = is_in_a_row || places_.contains(i) || is_short_.contains(i);
    }
    std::uint32_t at = 0;
    for (const Block& block : code_.blocks)
      for (const Instruction& each : block.code) {
        ++at;
        const auto use = [&](const Operand& operand) {
          each_word(operand, [&](std::uint32_t word) {
            Use& of = uses[word];
            of.first = std::min(of.first, at);
            of.last = at;
            ++of.count;
            of.stays = of.stays || operand.kind == Operand::Kind::indexed_word ||
                       (each.row->is_late && &operand == &each.results[0]);
          });
        };
        each_operand(each, use, use);
      }
    return uses;
  }

  /// A load before each group that reads what is in memory, a store behind each that writes it; vectors as a whole.
  void rewrite(Block& block) {
    const std::vector<Instruction> code = std::exchange(block.code, {});
    made_ = &block.code;
    for (std::size_t i = 0; i < code.size();) {
      const std::size_t read = together(code, i, source_of), written = together(code, i, result_of);
      if (read > 1)
        copy_from_memory(std::span(code).subspan(i, read));
      else if (written > 1)
        copy_to_memory(std::span(code).subspan(i, written));
      else
        rewrite(code[i]);
      i += std::max({std::size_t{1}, read, written});
    }
  }
  static const Operand& source_of(const Instruction& each) { return each.sources[0]; }
  static const Operand& result_of(const Instruction& each) { return each.results[0]; }

  /// Whether the group reads its first operand from memory, or has its only result there, and does nothing else.
  [[nodiscard]] bool only_copies(const Instruction& each) const {
    const auto in_memory = [&](const Operand& operand) { return is_kept(operand); };
    const bool reads = std::ranges::any_of(each.sources, in_memory), writes = is_kept(each.results[0]);
    if (each.is_label() || each.row->is_late || reads == writes || each.results[1].kind != Operand::Kind::none)
      return false;
    return writes || (each.row == &rows::move && each.results[0].is_word());
  }
  /// How many such groups from here on are about numbers that lie in a row in memory; at most a vector.
  template <class Place>
  std::size_t together(const std::vector<Instruction>& code, std::size_t at, Place place) const {
    constexpr std::size_t vector = 4;
    const Operand& first = place(code[at]);
    std::size_t count = 0;
    for (; count < vector && at + count < code.size(); ++count) {
      const Instruction& each = code[at + count];
      const bool goes_on = only_copies(each) && each.condition == code[at].condition;
      if (!goes_on || !is_kept(place(each)) || place(each).kind != first.kind ||
          places_.at(place(each).number) != places_.at(first.number) + bytes_of_a_place * count)
        break;
    }
    return count;
  }
  void copy_from_memory(std::span<const Instruction> copies) {
    const Operand row = load(source_of(copies[0]), copies[0].line, copies.size());
    for (std::uint32_t i = 0; i < copies.size(); ++i) {
      Instruction copy = copies[i];
      in_register(copy.sources[0], word(row.number + i));
      made_->push_back(copy);
    }
  }
  void copy_to_memory(std::span<const Instruction> copies) {
    const Operand row = brief(copies.size());
    for (std::uint32_t i = 0; i < copies.size(); ++i) {
      Instruction copy = copies[i];
      in_register(copy.results[0], word(row.number + i));
      made_->push_back(copy);
    }
    store(row, result_of(copies[0]), copies[0]);
  }
  void rewrite(Instruction each) {
    std::map<std::pair<Operand::Kind, std::uint32_t>, Operand> loaded;
    for (Operand& source : each.sources)
      if (is_kept(source)) {
        const auto [found, is_new] = loaded.try_emplace({source.kind, source.number});
        if (is_new) found->second = load(source, each.line);
        in_register(source, found->second);
      }
    std::vector<std::pair<Operand, Operand>> stored;
    for (Operand& result : each.results)
      if (is_kept(result)) {
        stored.emplace_back(brief(), result);
        in_register(result, stored.back().first);
      }
    if (each.results[0].kind == Operand::Kind::index) index_ = each.sources[0];
    made_->push_back(each);
    for (const auto& [value, kept] : stored) store(value, kept, each);
  }
  [[nodiscard]] bool is_kept(const Operand& operand) const {
    const bool is_one = operand.is_word() && operand.count == 1;
    return (is_one || operand.kind == Operand::Kind::indexed_word) && places_.contains(operand.number);
  }
  static void in_register(Operand& operand, const Operand& word) {
    operand.kind = word.kind;
    operand.number = word.number;
    operand.count = word.count;
  }
  Operand brief(std::size_t count = 1) {
    const Operand made = code_.add(static_cast<std::uint16_t>(count));
    is_short_.insert(made.number);
    return made;
  }
  /// Two words, for a place in memory.
  Operand address_of(const Operand& kept, const Instruction& model) {
    const std::uint32_t offset = places_.at(kept.number);
    const bool is_indexed = kept.kind == Operand::Kind::indexed_word;
    if (offset == 0 && !is_indexed) return own_;
    Operand bytes = brief();
    const Operand address = code_.add(2);
    add(group(rows::number, Operation::none, {}, {bytes}, offset), model);
    if (is_indexed) {
      const Operand first = std::exchange(bytes, brief());
      add(group(rows::integer, Operation::none, {index_, constant(bytes_of_a_place), first}, {bytes}), model);
    }
    add(group(rows::address, Operation::none, {word(own_.number), word(own_.number + 1), bytes},
              {word(address.number), word(address.number + 1)}),
        model);
    return address;
  }
  Operand load(const Operand& kept, std::uint32_t line, std::size_t count = 1) {
    Instruction model;
    model.line = line;
    const Operand value = brief(count), address = address_of(kept, model);
    add(group(rows::load, Operation::none, {address}, {value}, value.count), model);
    add(group(rows::wait, Operation::none, {}, {}), model);
    return value;
  }
  /// Where its maker does something.
  void store(const Operand& value, const Operand& kept, const Instruction& maker) {
    const Operand address = address_of(kept, maker);
    Instruction made = group(rows::store, Operation::none, {value, address}, {}, value.count);
    made.condition = maker.condition;
    add(made, maker);
    add(group(rows::wait, Operation::none, {}, {}), maker);
  }
  void add(Instruction made, const Instruction& model) {
    made.line = model.line;
    made_->push_back(made);
  }

  Code& code_;
  const Operand own_;
  std::uint32_t count_ = 0;
  std::map<std::uint32_t, std::uint32_t> places_;  ///< bytes from the beginning, by word that is in memory
  std::set<std::uint32_t> is_short_;               ///< what holds such a word for a group
  std::vector<Instruction>* made_ = nullptr;
  Operand index_;  ///< what was last put into the index register
};

}  // namespace

std::vector<std::uint32_t> allocate_with_memory(Code& code, Layout& layout) {
  const bool has_long_arrays =
      std::ranges::any_of(arrays_of(code), [](const auto& array) { return is_long(array.second); });
  std::vector<std::uint32_t> registers;
  if (!has_long_arrays) registers = allocate(code, layout.first_free_input);
  if (!registers.empty() || code.first_of_row.empty()) return registers;
  Interface& interface = layout.interface;
  const std::uint32_t address = *interface.ubo_count + 4 * static_cast<std::uint32_t>(interface.system_values.size());
  Spiller spiller(code);
  if (has_long_arrays)
    spiller.spill_long_arrays();
  else if (!spiller.spill_some())
    return {};
  do {
    Code whole = spiller.with_beginning(address);
    registers = allocate(whole, layout.first_free_input);
    if (registers.empty()) continue;
    code = std::move(whole);
    interface.system_values.push_back({static_cast<std::uint32_t>(SystemValueType::instance_memory), spiller.bytes()});
    interface.workgroup_local_bytes = bytes_before + instances_of_a_cluster * spiller.bytes();
    return registers;
  } while (spiller.spill_some());
  return {};
}

}  // namespace mobula::rogue_compiler
