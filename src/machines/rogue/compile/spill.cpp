#include "machines/rogue/compile/spill.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
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

class Spiller {
 public:
  explicit Spiller(Code& code) : code_(code), own_(code.add(2)) {}

  /// \return false if there is nothing left that could be.
  bool spill_some() {
    const std::vector<std::uint32_t> words = longest();
    for (const std::uint32_t word : words) places_[word] = bytes_of_a_place * count_++;
    for (Block& block : code_.blocks) rewrite(block);
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

  /// A load before each group that reads what is in memory, a store behind each that writes it.
  void rewrite(Block& block) {
    std::vector<Instruction> code = std::exchange(block.code, {});
    made_ = &block.code;
    for (Instruction& each : code) {
      std::map<std::uint32_t, Operand> loaded;
      for (Operand& source : each.sources)
        if (is_kept(source)) {
          auto found = loaded.find(source.number);
          if (found == loaded.end()) found = loaded.emplace(source.number, load(source.number, each.line)).first;
          source.number = found->second.number;
        }
      std::vector<std::pair<Operand, std::uint32_t>> stored;
      for (Operand& result : each.results)
        if (is_kept(result)) {
          stored.emplace_back(brief(), result.number);
          result.number = stored.back().first.number;
        }
      const Instruction done = each;
      made_->push_back(each);
      for (const auto& [value, number] : stored) store(value, number, done);
    }
  }
  [[nodiscard]] bool is_kept(const Operand& operand) const {
    return operand.is_word() && operand.count == 1 && places_.contains(operand.number);
  }
  Operand brief() {
    const Operand made = code_.add();
    is_short_.insert(made.number);
    return made;
  }
  /// Two words, for a place in memory.
  Operand address_of(std::uint32_t kept, const Instruction& model) {
    const std::uint32_t offset = places_.at(kept);
    if (offset == 0) return own_;
    const Operand bytes = brief(), address = code_.add(2);
    add(group(rows::number, Operation::none, {}, {bytes}, offset), model);
    add(group(rows::address, Operation::none, {word(own_.number), word(own_.number + 1), bytes},
              {word(address.number), word(address.number + 1)}),
        model);
    return address;
  }
  Operand load(std::uint32_t kept, std::uint32_t line) {
    Instruction model;
    model.line = line;
    const Operand value = brief(), address = address_of(kept, model);
    add(group(rows::load, Operation::none, {address}, {value}, 1), model);
    add(group(rows::wait, Operation::none, {}, {}), model);
    return value;
  }
  /// Where its maker does something.
  void store(const Operand& value, std::uint32_t kept, const Instruction& maker) {
    const Operand address = address_of(kept, maker);
    Instruction made = group(rows::store, Operation::none, {value, address}, {}, 1);
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
};

}  // namespace

std::vector<std::uint32_t> allocate_with_memory(Code& code, Layout& layout) {
  std::vector<std::uint32_t> registers = allocate(code, layout.first_free_input);
  if (!registers.empty() || code.first_of_row.empty()) return registers;
  Interface& interface = layout.interface;
  const std::uint32_t address = *interface.ubo_count + 4 * static_cast<std::uint32_t>(interface.system_values.size());
  Spiller spiller(code);
  while (spiller.spill_some()) {
    Code whole = spiller.with_beginning(address);
    registers = allocate(whole, layout.first_free_input);
    if (registers.empty()) continue;
    code = std::move(whole);
    interface.system_values.push_back({static_cast<std::uint32_t>(SystemValueType::instance_memory), spiller.bytes()});
    interface.workgroup_local_bytes = bytes_before + instances_of_a_cluster * spiller.bytes();
    return registers;
  }
  return {};
}

}  // namespace mobula::rogue_compiler
