// The generator's modules, one function a file, and what they have in common.
//
// Names of signals: `issue_s_p` is the vector of units that take part p (0 low, 1 high half of a pair) of the operation
// in issue slot s; a *line set* is one such (s, p), with lines of its own for sources and destinations. Vectors of
// columns have column (row * lanes + lane); lanes that no group has are left out.
#pragma once

#include <string>
#include <vector>

#include "scoreboard/rtl/geometry.h"
#include "scoreboard/rtl/text.h"

namespace mobula::scoreboard {

/// What all modules of one configuration share.
struct Rtl {
  const Config& config;
  Geometry g;
  std::vector<std::uint32_t> lanes;  ///< of g.lanes, their indices

  [[nodiscard]] std::uint64_t columns() const { return std::uint64_t{g.rows} * lanes.size(); }
  [[nodiscard]] std::uint64_t columns(const GroupGeometry& group) const { return g.columns(group.lanes); }
  /// Operations keep their virtual registers until they are done.
  [[nodiscard]] bool keeps_rows() const { return !g.tables.empty() && config.virtual_registers.until_completion; }
  /// Of the signal that says which virtual registers a group's units still need: by column, or by row.
  [[nodiscard]] std::uint64_t live_bits(const GroupGeometry& group) const {
    return keeps_rows() ? g.rows : columns(group);
  }
  [[nodiscard]] std::vector<std::string> line_sets() const;
  [[nodiscard]] std::uint32_t sources() const { return g.sources(); }
  [[nodiscard]] std::uint32_t destinations() const { return g.hardware.destinations; }
  [[nodiscard]] bool quads() const { return g.quads; }
  /// Operands of a unit, with the second registers of quads, which come after all the first ones.
  [[nodiscard]] std::uint32_t source_registers() const { return sources() * (quads() ? 2u : 1u); }
  [[nodiscard]] std::uint32_t destination_registers() const { return destinations() * (quads() ? 2u : 1u); }
  /// Writes go to physical registers that nobody uses.
  [[nodiscard]] bool renames() const { return config.waw == Waw::rename; }
  /// What the matrices call a register is found at issue, not told.
  [[nodiscard]] bool finds_rows() const { return !g.tables.empty() || renames(); }
  /// The grant line of an operand's port.
  [[nodiscard]] std::uint32_t read_grant(std::uint32_t port) const { return g.read_grants == 1 ? 0 : port; }
  [[nodiscard]] std::uint32_t write_grant(std::uint32_t port) const { return g.write_grants == 1 ? 0 : port; }
  [[nodiscard]] bool precise() const { return config.hazards != Hazards::conservative; }
  /// Conservative vectors do not say whether the unit that is issued reads and writes at all. A multi-port unit that
  /// does not would never lose what it waits for.
  [[nodiscard]] bool tells_use() const { return !precise() && config.ports.per_operand; }
  /// Sets of hazard vectors: one for each line set, or one for all.
  [[nodiscard]] std::vector<std::string> hazard_sets() const;
  /// The set that belongs to a line set.
  [[nodiscard]] std::string hazard_set(const std::string& line_set) const { return precise() ? line_set : "all"; }
  /// Line sets whose destinations are compared with outstanding writes.
  [[nodiscard]] std::vector<std::string> compared_sets() const;
  [[nodiscard]] bool cascade() const { return config.lanes == Lanes::full || config.lanes == Lanes::two_level; }
  [[nodiscard]] bool stalls_for_writes() const { return config.waw == Waw::stall_issue; }
  [[nodiscard]] bool traps() const { return config.trap_shadows || config.waw == Waw::shadow_all; }
  [[nodiscard]] bool branches() const { return g.branch_units != 0; }
  [[nodiscard]] bool speculates() const { return branches() || config.trap_shadows; }
  /// With renaming, what is on one way of a branch is issued when the branch is known, and dies for traps only.
  [[nodiscard]] bool kills_by_branch() const { return branches() && !renames(); }
  [[nodiscard]] bool kills() const { return branches() || traps(); }
  [[nodiscard]] bool orders_memory() const { return g.memory_units != 0; }
  [[nodiscard]] bool lockstep() const { return g.parts == 2 && config.ports.lockstep_pairs; }
  /// Halves of a pair may be done with their writes in different clocks; the pair ends with the later one.
  [[nodiscard]] bool halves_end_apart() const {
    return g.parts == 2 && (config.ports.per_operand || !config.ports.lockstep_pairs);
  }
  /// The low half of a pair may use a port that the high one does not: a narrow operand.
  [[nodiscard]] bool halves_use_ports_apart() const { return lockstep() && config.ports.per_operand; }
  [[nodiscard]] bool independent_pairs() const { return g.parts == 2 && !config.ports.lockstep_pairs; }
  [[nodiscard]] bool picks_oldest() const {
    return config.ports.priority == Priority::oldest &&
           (config.ports.read != 0 || config.ports.write != 0 || selective(true) || selective(false));
  }
  [[nodiscard]] bool drops_overwritten() const { return config.waw == Waw::last_writer; }
  [[nodiscard]] bool needs_age() const { return picks_oldest() || traps() || drops_overwritten(); }
  [[nodiscard]] std::uint32_t banks() const {
    return static_cast<std::uint32_t>(config.files.size()) * config.banks.count;
  }
  [[nodiscard]] bool banked(bool reads) const { return (reads ? config.banks.read : config.banks.write) != 0; }
  /// Of a register; with renaming, the physical one says all but which half of it.
  [[nodiscard]] bool tells_banks(bool reads) const {
    return banked(reads) && !(renames() && config.banks.mapping == Mapping::modulo);
  }
  /// Word lanes that units share, as they do when quads read through the next unit's; 0 = each has its own.
  [[nodiscard]] std::uint32_t word_lanes() const {
    return config.banks.lanes < g.units || quads() ? config.banks.lanes : 0;
  }
  /// A lane routes one narrow operand a clock. To a unit with its own lane this matters only if it reads operand by
  /// operand: one that reads all at once has one narrow operand at most (SB204).
  [[nodiscard]] bool routes_one() const {
    return !config.banks.byte_crossbar && (word_lanes() != 0 || config.ports.per_operand);
  }
  /// Readers of one word share a port.
  [[nodiscard]] bool broadcasts() const {
    return config.banks.broadcast && banked(true) && std::uint64_t{g.units} * sources() > 1;
  }
  /// What a unit is granted depends on what others want, not only on how many.
  [[nodiscard]] bool selective(bool reads) const {
    return banked(reads) || (reads && (word_lanes() != 0 || routes_one()));
  }
  /// The pickers compare the registers that a unit reads with those of others.
  [[nodiscard]] bool compares_registers(std::uint32_t unit) const {
    const std::uint32_t shared = word_lanes();
    return broadcasts() || (shared != 0 && (quads() || unit >= shared || unit + shared < g.units));
  }
};

/// Bytes of a register that a lane covers.
std::uint32_t bytes_of_lane(Lanes lanes, std::uint32_t lane);

/// SB401. (rtl.cpp)
Result<Rtl> make_rtl(const Config& config, const Hardware& hardware);

// Cells (cells.cpp)
std::string sr_name(std::uint64_t width);  ///< of the storage primitive
Module sr_module(std::uint64_t width);
/// An instance whose outputs are wires `name`_q, _qi and _qlq; those not wanted get a name that says so.
void storage(ModuleText& m, const std::string& name, std::uint64_t width, const std::string& set,
             const std::string& reset, std::initializer_list<std::string_view> wanted);
Module expand_module(const Rtl& rtl);
std::vector<Module> fureg_modules(const Rtl& rtl, std::size_t group);
std::vector<Module> fufu_modules(const Rtl& rtl);
std::vector<Module> shadow_modules(const Rtl& rtl);
Module unit_module(const Rtl& rtl);
// Arbitration (pick.cpp)
Module pick_module(const Rtl& rtl, bool reads);
// Issue (issue.cpp)
Module issue_module(const Rtl& rtl);
Module table_module(const Rtl& rtl);
/// An operand of the issue bus, "src0" of a slot and part.
struct BusOperand {
  std::string kind;
  std::uint32_t port = 0, slot = 0, part = 0;
  bool second = false;  ///< the next register of a quad
  [[nodiscard]] std::string first_reg() const;
  [[nodiscard]] std::string lanes() const;
  /// Whether there is one.
  [[nodiscard]] std::string used() const;
  /// The row of the matrices it goes to.
  [[nodiscard]] std::string row() const;
  [[nodiscard]] std::string columns() const;
};
/// In the order in which they claim virtual registers: by part, sources first.
std::vector<BusOperand> operands_of(const Rtl& rtl, std::uint32_t slot);
/// The number of its register: of a second one, a wire that this makes.
std::string register_of(ModuleText& m, const Rtl& rtl, const BusOperand& operand);
/// Inputs that tell of an operand's register and whether it is there; of second ones, those that first ones have not.
void operand_inputs(ModuleText& m, const Rtl& rtl, const BusOperand& operand);
/// The lowest bit that is set.
std::string lowest(const std::string& vector, std::uint64_t width);
// Renaming (rename.cpp): the map of registers, the free physical ones, the window
std::vector<Module> renaming_modules(const Rtl& rtl);
/// Bits of the number of a place in the window.
std::uint32_t window_bits(const Rtl& rtl);
// Shadows, memory, and writes that come too late (order.cpp)
Module speculation_module(const Rtl& rtl);
Module memory_module(const Rtl& rtl);
Module overwritten_module(const Rtl& rtl);
// All together (top.cpp)
Module top_module(const Rtl& rtl);
/// Number of bits of a register's number.
std::uint32_t register_bits(const Rtl& rtl);
/// The same of a register that holds values: with renaming, of a physical one.
std::uint32_t place_bits(const Rtl& rtl);

/// A signal of the top's issue bus.
struct BusSignal {
  std::string name;
  std::uint64_t width = 0;  ///< 0 = scalar
};
/// Of one slot, in the order of the ports.
std::vector<BusSignal> slot_bus(const Rtl& rtl, std::uint32_t slot);
/// What ALUs and memory report, in the order of the ports.
std::vector<BusSignal> result_bus(const Rtl& rtl);
/// What the co-simulation looks at, in the order of the ports.
std::vector<BusSignal> observed_bus(const Rtl& rtl);

}  // namespace mobula::scoreboard
