#include "compile/passes/tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compile/ssa/dominators.h"

namespace mobula::ssa {
namespace {

bool is_access(const Instruction& each) { return each.op == Op::load || each.op == Op::store; }
bool is_indexed(const Instruction& each) { return each.operands.size() > (each.op == Op::store ? 1U : 0U); }

/// What true is, differs between registers and memory.
bool has_booleans(const Variable& variable) {
  return std::ranges::any_of(variable.slots, [](const Slot& slot) { return slot.type.base == Base::boolean; });
}

struct Place {
  std::uint32_t block = 0, at = 0;
};

class Finder {
 public:
  explicit Finder(Program& program) : program_(program), constants_(program.values.size()) {
    for (const Block& block : program.blocks)
      for (const Instruction& each : block.instructions)
        if (each.op == Op::constant) constants_[each.result] = each.data;
  }

  bool run() {
    find_accesses();
    bool any = false;
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i)
      if (may_be_table(i)) {
        become_table(i);
        any = true;
      }
    if (any)
      for (Block& block : program_.blocks)
        std::erase_if(block.instructions,
                      [&](const Instruction& each) { return each.op == Op::store && made_[each.variable]; });
    return unite() || any;
  }

 private:
  void find_accesses() {
    const std::size_t count = program_.variables.size();
    stores_.resize(count);
    loads_.resize(count);
    is_read_by_index_.resize(count);
    is_written_by_index_.resize(count);
    made_.resize(count);
    for (std::uint32_t block = 0; block < program_.blocks.size(); ++block)
      for (std::uint32_t at = 0; at < program_.blocks[block].instructions.size(); ++at) {
        const Instruction& each = program_.blocks[block].instructions[at];
        if (!is_access(each) || program_.variables[each.variable].storage != Storage::local) continue;
        const bool stores = each.op == Op::store;
        (stores ? stores_ : loads_)[each.variable].push_back({block, at});
        if (is_indexed(each)) (stores ? is_written_by_index_ : is_read_by_index_)[each.variable] = true;
      }
  }

  /// Each element is stored once, as a constant, on every way to everything that is read.
  bool may_be_table(std::uint32_t variable) {
    if (stores_[variable].empty() || !is_read_by_index_[variable] || is_written_by_index_[variable]) return false;
    const Variable& array = program_.variables[variable];
    if (!array.initial.empty() || has_booleans(array)) return false;
    std::vector<bool> is_stored(array.slots.size());
    for (const Place& place : stores_[variable]) {
      const Instruction& store = at(place);
      if (!constants_[store.operands[0]] || is_stored[store.data[0]]) return false;
      is_stored[store.data[0]] = true;
    }
    return std::ranges::all_of(stores_[variable], [&](const Place& store) {
      return std::ranges::all_of(loads_[variable], [&](const Place& load) { return comes_before(store, load); });
    });
  }
  bool comes_before(const Place& first, const Place& second) {
    if (first.block == second.block) return first.at < second.at;
    if (!tree_) tree_.emplace(program_);
    return tree_->dominates(first.block, second.block);
  }
  void become_table(std::uint32_t variable) {
    Variable& table = program_.variables[variable];
    table.initial.resize(table.slots.size());
    for (const Place& place : stores_[variable]) table.initial[at(place).data[0]] = *constants_[at(place).operands[0]];
    made_[variable] = true;
  }
  [[nodiscard]] const Instruction& at(const Place& place) const {
    return program_.blocks[place.block].instructions[place.at];
  }

  /// Reads of a table that is equal to an earlier one are of that one.
  bool unite() {
    const std::vector<bool> is_table = tables_of(program_);
    std::map<std::vector<std::array<std::uint32_t, 4>>, std::vector<std::uint32_t>> known;
    std::map<std::uint32_t, std::uint32_t> replaced;
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
      if (!is_table[i] || loads_[i].empty()) continue;
      std::vector<std::uint32_t>& equal = known[program_.variables[i].initial];
      const auto same = std::ranges::find_if(equal, [&](std::uint32_t other) { return has_same_types(other, i); });
      if (same == equal.end())
        equal.push_back(i);
      else
        replaced[i] = *same;
    }
    if (replaced.empty()) return false;
    for (Block& block : program_.blocks)
      for (Instruction& each : block.instructions)
        if (const auto found = replaced.find(each.variable); each.op == Op::load && found != replaced.end())
          each.variable = found->second;
    return true;
  }
  [[nodiscard]] bool has_same_types(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::equal(program_.variables[a].slots, program_.variables[b].slots,
                              [](const Slot& x, const Slot& y) { return x.type.same_numbers(y.type); });
  }

  Program& program_;
  std::vector<std::optional<std::array<std::uint32_t, 4>>> constants_;  ///< by value
  std::vector<std::vector<Place>> stores_, loads_;                      ///< by variable
  std::vector<bool> is_read_by_index_, is_written_by_index_, made_;     ///< the same
  std::optional<DominatorTree> tree_;
};

}  // namespace

std::vector<bool> tables_of(const Program& program) {
  std::vector<bool> is_table;
  for (const Variable& variable : program.variables)
    is_table.push_back(variable.storage == Storage::local && !variable.initial.empty());
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.op == Op::store) is_table[each.variable] = false;
  return is_table;
}

bool find_tables(Program& program) { return Finder(program).run(); }

void tables_to_uniforms(Program& program, std::uint32_t most_words) {
  const std::vector<bool> is_table = tables_of(program);
  std::vector<bool> is_read_by_index(program.variables.size());
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.op == Op::load && is_indexed(each)) is_read_by_index[each.variable] = true;
  std::size_t words = 0;
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    Variable& variable = program.variables[i];
    if (!is_table[i] || !is_read_by_index[i] || has_booleans(variable) ||
        words + 4 * variable.slots.size() > most_words)
      continue;
    words += 4 * variable.slots.size();
    variable.storage = Storage::uniform;
    variable.is_table = true;
  }
}

void store_initial(Program& program, Storage storage) {
  std::vector<Instruction> first;
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    Variable& variable = program.variables[i];
    if (variable.storage != storage) continue;
    for (std::uint32_t slot = 0; slot < variable.initial.size(); ++slot) {
      program.values.push_back(variable.slots[slot].type);
      const auto value = static_cast<Value>(program.values.size() - 1);
      first.push_back({.op = Op::constant, .type = variable.slots[slot].type, .result = value});
      first.back().data = variable.initial[slot];
      first.push_back({.op = Op::store, .operands = {value}});
      first.back().data[0] = slot;
      first.back().variable = i;
    }
    variable.initial.clear();
  }
  auto& begin = program.blocks.front().instructions;
  begin.insert(begin.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
}

}  // namespace mobula::ssa
