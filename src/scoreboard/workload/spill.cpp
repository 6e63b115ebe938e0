// Registers of a workload fitted into fewer, with loads and stores for those that do not fit (furthest next use).
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "core/counted.h"
#include "mobula/scoreboard/reshape.h"

namespace mobula::scoreboard {
namespace {

/// Where spilled registers go: beyond all memory, below the registers of devices.
constexpr std::uint64_t spill_space = std::uint64_t{1} << 62;
constexpr std::uint64_t spill_bytes = std::uint64_t{26} << 19;  // 26 files of 2^16 registers of 8 bytes
constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

using Register = std::uint32_t;  ///< file and number
Register register_of(const RegisterBytes& operand) { return std::uint32_t{operand.file} << 16 | operand.number; }
std::uint8_t file_of(Register reg) { return static_cast<std::uint8_t>(reg >> 16); }
std::uint64_t slot_of(Register reg) { return spill_space + std::uint64_t{8} * reg; }

std::uint8_t bytes_of(const RegisterBytes& operand) {
  if (operand.bytes == RegisterBytes::whole) return 0xff;
  return static_cast<std::uint8_t>(((1u << operand.bytes) - 1) << operand.first);
}

/// What one operation does with one register.
struct Access {
  Register reg = 0;
  std::uint8_t live_before = 0, live_after = 0;  ///< bytes that it or a later operation reads
  std::uint32_t next = never;                    ///< the next operation that names the register
  bool read = false, written = false;
};

class Allocator {
 public:
  Allocator(const Workload& workload, std::uint32_t registers) : workload_(workload), registers_(registers) {
    for (const RegisterValue& initial : workload.registers) initial_[register_of(initial.which)] = initial.value;
    for (const Operation& op : workload.operations) next_id_ = std::max(next_id_, op.id + 1);
  }

  Result<Spilled> make() {
    if (const auto* op = in_spill_space())
      return fail("SB143", "operation " + std::to_string(op->id) + " accesses memory where spilled registers go",
                  "addresses below 2^62, or from 2^63 on");
    if (const auto* op = quad())
      return fail("SB143", "operation " + std::to_string(op->id) + " has a quad, whose registers are side by side",
                  "spill first, then gather quads");
    find_lives();
    result_.workload.name = workload_.name;
    begin();
    for (std::uint32_t i = 0; i < workload_.operations.size(); ++i)
      if (const auto crowded = place(i)) {
        const Operation& op = workload_.operations[i];
        return fail("SB143",
                    "operation " + std::to_string(op.id) + " (" + print(op) + ") needs more than " +
                        counted(registers_, "register") + " of file " + static_cast<char>('A' + *crowded) + " at once",
                    "more registers");
      }
    return std::move(result_);
  }

 private:
  struct Home {
    std::optional<Register> holds;
    std::uint32_t next = never;
    bool dirty = false, pinned = false;
    std::uint32_t free_since = 0;  ///< a number that grows with each home that is given up
  };
  using Homes = std::vector<Home>;

  [[nodiscard]] const Operation* in_spill_space() const {
    const auto found = std::ranges::find_if(workload_.operations, [](const Operation& op) {
      return op.memory_bytes != 0 && op.address < spill_space + spill_bytes &&
             op.address + op.memory_bytes > spill_space;
    });
    return found == workload_.operations.end() ? nullptr : &*found;
  }

  [[nodiscard]] const Operation* quad() const {
    const auto is_quad = [](const RegisterBytes& operand) { return operand.bytes == RegisterBytes::quad; };
    const auto found = std::ranges::find_if(workload_.operations, [&](const Operation& op) {
      return std::ranges::any_of(op.sources, is_quad) || std::ranges::any_of(op.destinations, is_quad);
    });
    return found == workload_.operations.end() ? nullptr : &*found;
  }

  /// From the last operation to the first: which bytes of registers are read later, and when a register is named next.
  void find_lives() {
    std::map<Register, std::uint8_t> live;
    std::map<Register, std::uint32_t> next;
    accesses_.resize(workload_.operations.size());
    for (auto i = static_cast<std::uint32_t>(workload_.operations.size()); i-- != 0;) {
      const Operation& op = workload_.operations[i];
      std::vector<Access>& accesses = accesses_[i];
      const auto access = [&](const RegisterBytes& operand) -> Access& {
        const Register reg = register_of(operand);
        const auto known = std::ranges::find(accesses, reg, &Access::reg);
        if (known != accesses.end()) return *known;
        const auto later = next.find(reg);
        return accesses.emplace_back(
            Access{.reg = reg, .live_after = live[reg], .next = later == next.end() ? never : later->second});
      };
      for (const RegisterBytes& operand : op.sources)
        if (operand.used()) access(operand).read = true;
      for (const RegisterBytes& operand : op.destinations)
        if (operand.used()) access(operand).written = true;
      // What runs on one path only may not write.
      for (const RegisterBytes& operand : op.destinations)
        if (operand.used() && op.path == Path::always)
          live[register_of(operand)] = static_cast<std::uint8_t>(live[register_of(operand)] & ~bytes_of(operand));
      for (const RegisterBytes& operand : op.sources)
        if (operand.used()) live[register_of(operand)] |= bytes_of(operand);
      for (Access& each : accesses) {
        each.live_before = live[each.reg];
        next[each.reg] = i;
      }
    }
  }

  /// What is alive at the start has registers as far as they go, those that are named first; the rest lies in memory.
  void begin() {
    std::map<Register, std::uint32_t> first;
    std::vector<Register> in_memory;
    for (std::uint32_t i = 0; i < accesses_.size(); ++i)
      for (const Access& access : accesses_[i]) {
        if (!first.emplace(access.reg, i).second || access.live_before == 0) continue;
        if (const auto home = free_home(access.reg)) {
          homes(access.reg)[*home] = {.holds = access.reg, .next = i, .dirty = true};
          const auto value = initial_.find(access.reg);
          if (value != initial_.end()) result_.workload.registers.push_back({at(access.reg, *home), value->second});
        } else {
          in_memory.push_back(access.reg);
        }
      }
    for (const Register reg : in_memory)
      if (const auto value = initial_.find(reg); value != initial_.end() && value->second != 0) put_value(reg);
  }

  /// Brings an initial value to memory through register 0, which gets its own back.
  void put_value(Register reg) {
    const RegisterBytes through = at(reg, 0);
    const auto move = [&](std::uint64_t value) {
      Operation op;
      op.id = next_id_++;
      op.function = Function::move;
      op.destinations[0] = through;
      op.has_immediate = true;
      op.immediate = value;
      result_.workload.operations.push_back(op);
    };
    move(initial_[reg]);
    store(reg, 0, 0);
    const Register own = homes(reg)[0].holds.value_or(reg);
    move(initial_.contains(own) ? initial_[own] : 0);
  }

  Homes& homes(Register reg) {
    Homes& found = files_[file_of(reg)];
    found.resize(registers_);
    return found;
  }
  [[nodiscard]] static RegisterBytes at(Register reg, std::uint32_t home) {
    return {.file = file_of(reg), .bytes = RegisterBytes::whole, .number = static_cast<std::uint16_t>(home)};
  }
  [[nodiscard]] std::optional<std::uint32_t> home_of(Register reg) {
    const Homes& all = homes(reg);
    const auto found = std::ranges::find(all, std::optional(reg), &Home::holds);
    if (found == all.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - all.begin());
  }
  /// The register's own number if it is free: what fits stays as it was. Else what has been free longest: who read it
  /// or wrote it last is done, and need not be waited for.
  [[nodiscard]] std::optional<std::uint32_t> free_home(Register reg) {
    const Homes& all = homes(reg);
    const std::uint32_t own = reg & 0xffff;
    if (own < registers_ && !all[own].holds) return own;
    std::optional<std::uint32_t> longest;
    for (std::uint32_t home = 0; home < registers_; ++home)
      if (!all[home].holds && (!longest || all[home].free_since < all[*longest].free_since)) longest = home;
    return longest;
  }
  void give_up(Home& home) { home = {.free_since = ++given_up_}; }

  Operation move_between(Register reg, std::uint32_t location) {
    Operation op;
    op.id = next_id_++;
    op.function = Function::move;
    op.memory_bytes = 8;
    op.address = slot_of(reg);
    op.location = location;
    return op;
  }
  void store(Register reg, std::uint32_t home, std::uint32_t location) {
    Operation op = move_between(reg, location);
    op.unit = UnitClass::store;
    op.sources[0] = at(reg, home);
    result_.workload.operations.push_back(op);
    ++result_.stores;
  }
  void load(Register reg, std::uint32_t home, std::uint32_t location) {
    Operation op = move_between(reg, location);
    op.unit = UnitClass::load;
    op.destinations[0] = at(reg, home);
    result_.workload.operations.push_back(op);
    ++result_.loads;
  }

  /// A register for `reg`; what was in it goes to memory if it is not there yet. None: the operation needs all.
  std::optional<std::uint32_t> make_room(Register reg, std::uint32_t location) {
    if (const auto home = free_home(reg)) return home;
    Homes& all = homes(reg);
    std::optional<std::uint32_t> victim;
    for (std::uint32_t home = 0; home < registers_; ++home)
      if (!all[home].pinned && (!victim || all[home].next > all[*victim].next)) victim = home;
    if (!victim) return std::nullopt;
    if (all[*victim].dirty) store(*all[*victim].holds, *victim, location);
    all[*victim] = {};
    return victim;
  }

  /// Gives the file that is too small, if there is one.
  std::optional<std::uint8_t> place(std::uint32_t index) {
    Operation op = workload_.operations[index];
    const auto pin = [&](bool value) {
      for (const Access& access : accesses_[index])
        if (const auto home = home_of(access.reg)) homes(access.reg)[*home].pinned = value;
    };
    pin(true);
    for (const Access& access : accesses_[index]) {
      if (access.live_before == 0 || home_of(access.reg)) continue;
      const auto home = make_room(access.reg, op.location);
      if (!home) return file_of(access.reg);
      load(access.reg, *home, op.location);
      homes(access.reg)[*home] = {.holds = access.reg, .next = index, .pinned = true};
    }
    for (RegisterBytes& operand : op.sources)
      if (operand.used()) operand.number = static_cast<std::uint16_t>(*home_of(register_of(operand)));
    // Sources that nobody reads any more make room for results.
    for (const Access& access : accesses_[index])
      if (!access.written && access.live_after == 0) give_up(homes(access.reg)[*home_of(access.reg)]);
    for (const Access& access : accesses_[index]) {
      if (!access.written || home_of(access.reg)) continue;
      const auto home = make_room(access.reg, op.location);
      if (!home) return file_of(access.reg);
      homes(access.reg)[*home] = {.holds = access.reg, .next = index, .pinned = true};
    }
    for (RegisterBytes& operand : op.destinations)
      if (operand.used()) operand.number = static_cast<std::uint16_t>(*home_of(register_of(operand)));
    result_.workload.operations.push_back(op);
    pin(false);
    for (const Access& access : accesses_[index]) {
      const auto home = home_of(access.reg);
      if (!home) continue;
      Home& held = homes(access.reg)[*home];
      held.next = access.next;
      held.dirty |= access.written;
      if (access.live_after == 0) give_up(held);
    }
    return std::nullopt;
  }

  const Workload& workload_;
  std::uint32_t registers_;
  std::uint32_t next_id_ = 0, given_up_ = 0;
  std::map<Register, std::uint64_t> initial_;
  std::vector<std::vector<Access>> accesses_;  ///< by operation
  std::map<std::uint8_t, Homes> files_;
  Spilled result_;
};

}  // namespace

Result<Spilled> spill(const Workload& workload, std::uint32_t registers) {
  return Allocator(workload, registers).make();
}

}  // namespace mobula::scoreboard
