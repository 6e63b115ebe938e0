// Where an instance's registers lie in the state of the micro-operations (reference 1.2, 5.1).
//
// Registers that a task shares (cf, cfa, sh, g) are in the state of each of its instances; whoever writes one writes
// all copies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "machines/rogue/spec/codec.h"
#include "mobula/isa/ir.h"

namespace mobula::rogue::lifting {

// What the lifter speaks of: micro-operations, not the instructions of spec.h, which have some of the same names.
using ir::Op;
using ir::Operand;
using ir::Round;
using ir::Type;

/// Register classes as the state knows them.
enum class Space : std::uint8_t {
  temporary,
  vertex_input,
  coefficient,
  coefficient_alt,
  shared,
  pixel_output,
  internal,
  global,
};
inline constexpr std::size_t space_count = 8;
/// True if all instances of a task see one register.
constexpr bool is_task_wide(Space space) {
  return space == Space::coefficient || space == Space::coefficient_alt || space == Space::shared ||
         space == Space::global;
}

/// True if a register of the class may hold a value that is still on its way.
constexpr bool may_be_late(Space space) { return space == Space::temporary || space == Space::vertex_input; }

/// Number of the special register that is 1 in instances that fill more than a quad.
inline constexpr unsigned instance_valid = 63;

/// A register of a class by its number in it. Constants and special registers are of none.
struct RegisterPlace {
  Space space{};
  unsigned number = 0;
  friend constexpr bool operator<(const RegisterPlace& a, const RegisterPlace& b) {
    return a.space != b.space ? a.space < b.space : a.number < b.number;
  }
};
/// Nothing for constants, special registers, index registers, indexed operands.
std::optional<RegisterPlace> place_of(const Register& reg);
/// The class that an indexed operand indexes; nothing for constants in memory and codes that are unassigned.
std::optional<Space> indexed_space(const Register& reg);

class State {
 public:
  /// Has room for every register that the groups name, and for a useful number of those they may index. `base_unit` is
  /// the number of registers that sbo counts as one; 0 = sbo is not executed.
  /// `several_tasks`: they make a workgroup together, which has its shared registers in memory.
  /// `shared_registers`: that the program is known to have, as an index may lead to each.
  State(std::span<const Group> groups, unsigned base_unit, bool several_tasks, unsigned shared_registers);

  [[nodiscard]] const std::vector<ir::Slot>& slots() const { return slots_; }
  /// What lasts no longer than its group: feedthroughs and ports.
  [[nodiscard]] std::vector<ir::ByteRange> group_local() const;

  /// Registers of a class that a group can name.
  [[nodiscard]] unsigned count(Space space) const { return counts_[static_cast<std::size_t>(space)]; }
  /// Those, and the ones after them that only a base offset reaches.
  [[nodiscard]] unsigned extent(Space space) const {
    const auto& offsets = bases(space);
    return count(space) + (offsets.empty() ? 0 : *offsets.rbegin());
  }
  /// Base offsets in registers, other than 0, that some sbo of the program sets.
  [[nodiscard]] const std::set<unsigned>& bases(Space space) const {
    static const std::set<unsigned> none;
    return space == Space::coefficient ? base_offsets_[0] : space == Space::shared ? base_offsets_[1] : none;
  }
  /// The base offset that is set now, in registers. `space` is coefficient or shared.
  [[nodiscard]] Operand base(Space space) const { return space == Space::coefficient ? base_cf : base_sh; }
  /// Precondition: number < extent(space).
  [[nodiscard]] Operand at(Space space, unsigned number) const {
    return Operand::state(first_bytes_[static_cast<std::size_t>(space)] + 4 * number);
  }
  /// Precondition: `index` of bank 000 is a special register that some group names.
  [[nodiscard]] Operand special(unsigned index) const { return Operand::state(specials_.at(index)); }
  [[nodiscard]] Operand index_register(unsigned number) const { return number == 0 ? idx0 : idx1; }
  /// A register that something writes late: its value arrives when a fence counter is waited for; see fence.h.
  struct Late {
    RegisterPlace place;
    Operand value;    ///< what it will hold
    Operand counter;  ///< 1 + the counter it is waited for with; 0 = nothing is on its way
  };
  [[nodiscard]] std::span<const Late> late() const { return late_; }
  /// Precondition: some group writes it late.
  [[nodiscard]] const Late& late(RegisterPlace place) const;

  /// Main feedthroughs ft0..ft2, bitwise ft3..ft5.
  std::array<Operand, 6> ft{};
  Operand fte, ftt, w0, w1;
  Operand p0;      ///< all ones or 0
  Operand masked;  ///< all ones where PE is 0: state begins as 0, and PE as 1
  Operand idx0, idx1;
  Operand link;    ///< byte address
  Operand kept_w;  ///< 1 / W of the last iteration that keeps it
  Operand done;    ///< all ones in instances that have had their turn in a group with `atom`
  Operand base_cf, base_sh;
  Operand mutexes;  ///< that the task holds, a bit each
  Operand visible;  ///< all ones in instances that told the depth test that they are seen
  Operand depth;    ///< that depthf gave
  // Of workgroups of several tasks: where their memory begins, and of a task that sleeps at a mutex all ones, and how
  // often tasks had been woken there when it fell asleep.
  Operand memory_low, memory_high, asleep, wakings;
  Operand next_phase;  ///< byte address of the phase after this one, and bit 0 set; 0 = there is none

 private:
  Operand add(std::string name);
  void add_space(Space space, std::string_view name);
  void measure(std::span<const Group> groups);
  void collect_bases(std::span<const Group> groups, unsigned unit);
  void measure(const Register& reg, unsigned extent);
  void add_late(std::span<const Group> groups);

  std::vector<ir::Slot> slots_;
  std::array<unsigned, space_count> counts_{};
  unsigned shared_registers_ = 0;
  std::array<std::uint32_t, space_count> first_bytes_{};
  std::vector<Late> late_;  ///< by class and number
  std::array<std::set<unsigned>, 2> base_offsets_;
  std::map<unsigned, std::uint32_t> specials_;
  std::uint32_t next_byte_ = 0, local_begin_ = 0, local_end_ = 0;
};

}  // namespace mobula::rogue::lifting
