// Several threads as one workload.
#include <limits>
#include <map>

#include "core/counted.h"
#include "mobula/scoreboard/reshape.h"

namespace mobula::scoreboard {
namespace {

/// One thread's operations with the registers and groups they have among the others'.
class Thread {
 public:
  Thread(const Workload& workload, std::uint32_t& last_group, std::map<std::uint8_t, std::uint32_t>& registers_in_use)
      : workload_(workload), last_group_(last_group) {
    const auto name = [&](const RegisterBytes& operand) {
      if (operand.used()) numbers_[operand.file].emplace(operand.number, 0);
      if (operand.bytes == RegisterBytes::quad) numbers_[operand.file].emplace(operand.number + 1, 0);
    };
    for (const RegisterValue& initial : workload.registers) name(initial.which);
    for (const Operation& op : workload.operations) {
      for (const RegisterBytes& operand : op.sources) name(operand);
      for (const RegisterBytes& operand : op.destinations) name(operand);
    }
    for (auto& [file, numbers] : numbers_)
      for (auto& [number, own] : numbers) own = registers_in_use[file]++;
    find_turns();
  }

  [[nodiscard]] bool done() const { return at_ == workload_.operations.size(); }

  void add_registers(Workload& all) const {
    for (RegisterValue initial : workload_.registers) {
      renumber(initial.which);
      all.registers.push_back(initial);
    }
  }

  /// An operation and what must follow it.
  void take_turn(Workload& all) {
    do {
      Operation op = workload_.operations[at_];
      const std::uint32_t group = op.group;
      if (group != 0)
        op.group = at_ != 0 && workload_.operations[at_ - 1].group == group ? last_group_of_this_ : ++last_group_;
      last_group_of_this_ = op.group;
      for (RegisterBytes& operand : op.sources) renumber(operand);
      for (RegisterBytes& operand : op.destinations) renumber(operand);
      op.id = static_cast<std::uint32_t>(all.operations.size());
      all.operations.push_back(op);
      ++at_;
    } while (!done() && joined_[at_]);
  }

 private:
  /// Which operations belong to the turn of the one before: of its group, or with one ahead, up to the next branch,
  /// that runs on one path of the branch after them.
  void find_turns() {
    const std::vector<Operation>& operations = workload_.operations;
    joined_.resize(operations.size());
    bool conditional_ahead = false;
    for (std::size_t i = operations.size(); i-- != 0;) {
      conditional_ahead &= operations[i].unit != UnitClass::branch;
      conditional_ahead |= operations[i].path != Path::always;
      joined_[i] =
          conditional_ahead || (i != 0 && operations[i].group != 0 && operations[i].group == operations[i - 1].group);
    }
  }
  void renumber(RegisterBytes& operand) const {
    if (operand.used()) operand.number = static_cast<std::uint16_t>(numbers_.at(operand.file).at(operand.number));
  }

  const Workload& workload_;
  std::size_t at_ = 0;
  std::vector<bool> joined_;
  std::uint32_t& last_group_;
  std::uint32_t last_group_of_this_ = 0;
  std::map<std::uint8_t, std::map<std::uint16_t, std::uint32_t>> numbers_;
};

}  // namespace

Result<Workload> interleave(std::span<const Workload> threads) {
  Workload all;
  std::uint32_t last_group = 0;
  std::map<std::uint8_t, std::uint32_t> registers;
  std::vector<Thread> running;
  running.reserve(threads.size());
  for (const Workload& thread : threads) {
    if (all.name.empty()) all.name = thread.name;
    running.emplace_back(thread, last_group, registers);
  }
  for (const auto& [file, count] : registers)
    if (count > std::numeric_limits<std::uint16_t>::max())
      return fail("SB145",
                  "the threads have " + counted(count, "register") + " of file " + static_cast<char>('A' + file),
                  "fewer threads, or each in fewer registers");
  for (const Thread& thread : running) thread.add_registers(all);
  for (bool more = true; more;) {
    more = false;
    for (Thread& thread : running) {
      if (thread.done()) continue;
      thread.take_turn(all);
      more = true;
    }
  }
  return all;
}

}  // namespace mobula::scoreboard
