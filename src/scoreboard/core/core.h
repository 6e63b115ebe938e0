// The core: one call of step() is one clock, with the cells, latches and pickers of §2.
//
// A set of units is a word of 128 bits, so the FU-FU matrix is a word a row and a vector of signals is one word. The
// FU-Reg matrix is kept by row (what each unit still has to read and write) and by column (which units those are).
// Nothing is allocated in step().
//
// Signals are named as in §2: `q` of a latch sees a reset of the same clock, what is registered here is `qi`. Grants of
// a clock depend on registered state only, so they are worked out before the issue of that clock; the published
// sources' loop through the order shadow is false for the same reason.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mobula/scoreboard/scoreboard.h"
#include "scoreboard/core/plan.h"
#include "scoreboard/core/ports.h"
#include "scoreboard/core/renaming.h"
#include "scoreboard/core/units.h"
#include "scoreboard/core/virtual_registers.h"
#include "scoreboard/core/waits.h"

namespace mobula::scoreboard {

enum class Wording : std::uint8_t { names, plain };

/// Why the operation in a unit does not continue: the reason, and the unit it waits for or no_index.
struct Wait {
  StallReason reason = StallReason::none;
  std::uint32_t unit = no_index;
};

/// What timelines see of a core, whatever its sets of units are.
class CoreView : public View {
 public:
  /// What has happened so far, by operation.
  [[nodiscard]] virtual const std::vector<Times>& times() const = 0;
  [[nodiscard]] virtual Wait wait_of(std::uint32_t unit) const = 0;
};

/// Whether a core of the configuration may be `Plain`: operands of a unit are granted together, in one grant port, and
/// nothing is renamed, forwarded, issued together or kept in the table of virtual registers for longer than it is
/// needed.
[[nodiscard]] bool is_plain(const Config& config);

/// With sets of units of type `Set`, std::uint64_t or Units, whose bits are enough for the configuration's units. What
/// `Plain` rules out is not looked at in each clock, but left out.
template <class Set, bool Plain>
class CoreOf final : public CoreView {
 public:
  /// Both must outlive the core. `watched`: pending_reads() and pending_writes() are wanted.
  CoreOf(const Config& config, const Plan& plan, bool watched);

  [[nodiscard]] bool finished() const;
  /// Each phase is called from here alone: as one function a clock takes a tenth fewer instructions.
#ifdef NDEBUG
  [[gnu::flatten]]
#endif
  // clang-format off
  void step();
  // clang-format on
  /// True if the last clock changed nothing, so that no later one will.
  [[nodiscard]] bool stuck() const { return !progress_ && executing_ == 0; }
  /// True if the last clock changed nothing, and the next ones will not either until a result is there.
  [[nodiscard]] bool idle() const { return !progress_ && executing_ != 0; }
  /// Passes the clocks before the one with that result, each of which is like the last one, but no more than `most`.
  /// Gives how many. Precondition: idle().
  std::uint64_t pass_idle_clocks(std::uint64_t most);
  /// A sentence for every operation in flight and the next one: what each waits for.
  [[nodiscard]] std::vector<std::string> waits(Wording wording = Wording::names) const;

  // View
  [[nodiscard]] const Signals& signals() const override { return now_; }
  [[nodiscard]] std::span<const std::uint16_t> pending_reads() const override { return pending_reads_; }
  [[nodiscard]] std::span<const std::uint16_t> pending_writes() const override { return pending_writes_; }
  [[nodiscard]] std::string column(std::size_t index) const override;
  [[nodiscard]] bool row_in_use(std::size_t row) const override { return virtual_.reg(row) != VirtualRegisters::none; }
  [[nodiscard]] std::string column_in_clock(std::size_t index) const override;
  [[nodiscard]] Units waits_for_write(std::uint32_t unit) const override;
  [[nodiscard]] Units waits_for_read(std::uint32_t unit) const override;
  [[nodiscard]] Units held_by(std::uint32_t unit) const override;
  [[nodiscard]] std::uint16_t source_lanes(std::uint32_t unit, std::size_t column) const override;
  [[nodiscard]] std::uint16_t destination_lanes(std::uint32_t unit, std::size_t column) const override;
  [[nodiscard]] std::uint32_t operation(std::uint32_t unit) const override;

  // What has happened so far.
  [[nodiscard]] const std::vector<Times>& times() const override { return times_; }
  [[nodiscard]] std::vector<Times> take_times() { return std::move(times_); }
  [[nodiscard]] const Conflicts& conflicts() const { return conflicts_; }
  [[nodiscard]] Cause cause() const { return cause_; }
  /// Of a group: those that hold an operation.
  [[nodiscard]] std::uint32_t busy_units(std::size_t group) const { return count(opc_ & groups_[group].units); }
  /// Of a register that operations name.
  [[nodiscard]] std::uint64_t value_of(std::size_t reg) const {
    return registers_[is_renaming() ? renaming_.physical(static_cast<std::uint16_t>(reg)) : reg];
  }
  [[nodiscard]] const Memory& memory() const { return memory_; }
  [[nodiscard]] std::uint64_t executed() const { return executed_; }
  [[nodiscard]] std::uint64_t killed() const { return killed_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] std::uint32_t trapped() const { return trapped_; }
  /// Some operation waited for a unit or a pair of the last group, or for a virtual register.
  [[nodiscard]] bool lacked_units() const { return lacked_units_; }
  [[nodiscard]] bool lacked_rows() const { return lacked_rows_; }
  // What units hear from queue, ALUs and memory; for hardware that is run beside the core.
  [[nodiscard]] std::span<const std::uint32_t> queued() const { return std::span(queue_).subspan(queue_head_); }
  /// After what is queued, another operation of this group will be.
  [[nodiscard]] bool more_to_come(std::uint32_t group) const {
    return fetch_barrier_ == no_operation && next_fetch_ < plan_.operations.size() &&
           operation_at(next_fetch_).group == group;
  }
  /// Loads and stores in flight whose address is known.
  [[nodiscard]] Units address_known() const { return address_known_; }
  /// False if a load and a store, or two stores, may touch the same bytes, as far as the configured comparison knows.
  [[nodiscard]] bool addresses_differ(const Operation& a, const Operation& b) const;
  /// Of the branch that was computed last in a unit.
  [[nodiscard]] bool branch_ok(std::uint32_t unit) const { return units_[unit].ok; }
  /// Units that were granted to write in the last clock, by grant port.
  [[nodiscard]] Units go_wr(std::uint32_t port) const { return go_wr_[port]; }
  /// Bytes of the register of a unit's i-th destination that younger operations have written (`last_writer`).
  [[nodiscard]] std::uint8_t overwritten(std::uint32_t unit, std::size_t i) const {
    return units_[unit].destinations[i].dead;
  }
  /// With renaming, after the clock: which physical registers are registers that operations name, and which are free.
  [[nodiscard]] const Renaming& renaming() const { return renaming_; }
  [[nodiscard]] Wait wait_of(std::uint32_t unit) const override;

 private:
  /// Grant ports of either kind that there may be, and those to write.
  static constexpr std::size_t port_count = Plain ? 1 : max_ports, write_port_count = Plain ? 1 : max_destinations;
  struct RowOperand {
    std::uint16_t column = 0, lanes = 0;
    std::uint8_t port = 0;
    bool set = false;       ///< the latch
    std::uint8_t dead = 0;  ///< destination bytes that a younger operation has written
  };
  /// A row of both matrices and its computation unit. It is 256 bytes, whose place is found without a multiplication.
  struct alignas(64) Unit {
    std::uint32_t op = no_operation;
    std::uint8_t leader = 0;  ///< the unit itself, or the low one of its pair
    std::uint8_t part = 0;
    std::uint8_t source_count = 0, destination_count = 0;
    std::uint8_t group = 0;
    bool ok = false;
    std::uint32_t valid_at = 0, window_place = 0;
    const PlannedOperand* planned = nullptr;          ///< its sources, then its destinations
    std::array<RowOperand, 2 * max_sources> sources;  ///< of quads, two registers each
    std::array<RowOperand, 2 * max_destinations> destinations;
    SourceValues values{};  ///< of the leader
    std::array<std::uint64_t, 2 * max_destinations> results{};
    [[nodiscard]] std::span<const PlannedOperand> planned_sources() const { return {planned, source_count}; }
    [[nodiscard]] std::span<const PlannedOperand> planned_destinations() const {
      return {planned + source_count, destination_count};
    }
    [[nodiscard]] std::span<RowOperand> own_sources() { return std::span(sources).first(source_count); }
    [[nodiscard]] std::span<RowOperand> own_destinations() { return std::span(destinations).first(destination_count); }
  };
  struct GroupState {
    Set units = 0, low_halves = 0;
    std::vector<std::uint32_t> free_at;  ///< of shared ALUs
  };

  // Phases of a clock, in order. Among them and what they call, what most configurations or clocks do without is marked
  // so that step() does not take it in, too.
  void look_at_latches();
  void update_valid();
  void grant_reads();
  void grant_writes();
  void start();
  void resolve_branches();
  void resolve_traps();
  void issue();
  [[gnu::noinline]] void watch();
  [[nodiscard]] std::string name_of(std::uint16_t reg) const;
  void move_data();
  void clear_cells();
  void clock_edge();
  void fetch();
  [[gnu::noinline]] void drop_wrong_path();

  /// One direction of the register file: its pickers, one a port, and its banks.
  struct Direction {
    bool reads = false;
    std::uint32_t grants = 0;  ///< a clock and port; 0 = no limit
    std::array<Picker<Set>, port_count> pickers;
    BankPorts banks;
    std::uint64_t& refused;  ///< requests that found no grant
  };
  /// What a picker looks at: of pairs in lock step the low half, when both halves that use the port ask.
  [[nodiscard]] Set whole_pairs(Set requests, Set uses) const;
  Set pick(Direction& direction, Set requests, std::uint32_t port);
  bool take_ports(Direction& direction, std::uint32_t unit, std::uint32_t port);
  [[nodiscard]] std::span<const PlannedOperand> operands_of(const Direction& direction, std::uint32_t unit,
                                                            std::uint32_t port) const;

  /// How many operations at the head of the queue have to be issued in one clock.
  [[nodiscard]] std::uint32_t size_of_head_group() const;
  Cause try_issue(std::uint32_t size);
  /// Whether the table of virtual registers takes all of their operands.
  [[gnu::noinline]] [[nodiscard]] bool rows_for(std::span<const std::uint32_t> operations) const;
  /// With renaming: what the operations lack.
  [[gnu::noinline]] [[nodiscard]] Cause renames(std::span<const std::uint32_t> operations) const;
  Cause choose_units(std::uint32_t op, Set taken, Set& chosen) const;
  void place(std::uint32_t op, Set chosen);
  void fill_row(std::uint32_t op, std::uint32_t unit, std::uint32_t leader);
  void fill_operand(RowOperand& operand, const PlannedOperand& planned, std::uint32_t unit,
                    std::vector<Set>& units_of_column);
  void find_precise(std::uint32_t unit, Set others);
  [[gnu::noinline]] void find_conservative(std::uint32_t unit, Set others);
  void find_shadows(std::uint32_t unit, Set older);
  void find_memory_order(std::uint32_t unit, Set older);
  [[nodiscard]] std::uint16_t lanes_read(std::size_t column) const;
  [[nodiscard]] std::uint16_t lanes_written(std::size_t column) const;
  [[gnu::noinline]] [[nodiscard]] bool pending_write(const PlannedOperand& operand) const;

  void capture(std::uint32_t unit, std::uint32_t port);
  [[gnu::noinline]] void forward(std::uint32_t unit, const PlannedOperand& operand, std::uint64_t& reg) const;
  void compute(std::uint32_t leader);
  void write(std::uint32_t unit, std::uint32_t port);
  [[gnu::noinline]] void bury_older_writes(std::uint32_t unit, const RowOperand& row, const PlannedOperand& operand);
  void clear_operands(std::uint32_t unit, std::span<RowOperand> operands, std::uint32_t port,
                      std::vector<Set>& units_of_column);
  void leave_column(std::vector<Set>& units_of_column, std::uint32_t unit, std::uint16_t column);
  [[gnu::noinline]] void give_up_rows(std::uint32_t unit);
  void store(const Operation& op, std::span<const std::uint64_t> results);
  void end(std::uint32_t unit);
  void forget(Set units);
  [[gnu::noinline]] void kill(Set units);
  [[gnu::noinline]] void compare_addresses(std::uint32_t unit);
  /// On the way that a branch did not take.
  [[nodiscard]] bool wrong_path(std::uint32_t op) const {
    return plan_.operations[op].branch != no_operation && leaves_branch(op);
  }
  [[nodiscard]] bool leaves_branch(std::uint32_t op) const;
  /// On one way of a branch whose outcome is not known.
  [[nodiscard]] bool open_path(std::uint32_t op) const {
    return plan_.operations[op].branch != no_operation && outcomes_[plan_.operations[op].branch] == Outcome::open;
  }
  static std::array<Picker<Set>, port_count> pickers(Priority priority) {
    const Picker<Set> each(priority);
    if constexpr (Plain)
      return {each};
    else
      return {each, each, each, each};
  }
  static constexpr Set bit(std::uint32_t unit) { return Set{1} << unit; }
  /// Units 0..number-1.
  static constexpr Set first_units(std::uint32_t number) {
    return number >= 8 * sizeof(Set) ? ~Set{0} : bit(number) - 1;
  }
  [[nodiscard]] Set units_of_operation(std::uint32_t unit) const;
  /// The units of `leaders` and the high halves of their pairs.
  [[nodiscard]] Set with_high_halves(Set leaders) const { return leaders | (leaders & pair_low_) << 1; }
  /// Low halves of the pairs that are granted together.
  [[nodiscard]] Set lockstep_low_halves() const { return config_.ports.lockstep_pairs ? pair_low_ : 0; }
  /// The grant port of an operand's port.
  [[nodiscard]] std::uint32_t grant_port(std::uint32_t port) const { return per_operand() ? port : 0; }
  [[nodiscard]] const Operation& operation_at(std::uint32_t index) const { return plan_.workload->operations[index]; }
  [[nodiscard]] Set& due_in(std::uint32_t clock) { return due_[clock & due_mask_]; }
  [[nodiscard]] bool queue_empty() const { return queue_head_ == queue_.size(); }
  [[nodiscard]] Set all_units() const { return first_units(unit_count_); }
  /// Those of which a latch of ports 0..ports-1 is set and the port was not granted in this clock.
  [[nodiscard]] static Set still_asking(const std::array<Set, port_count>& latches,
                                        const std::array<Set, port_count>& granted, std::uint32_t ports) {
    Set units = 0;
    for (std::uint32_t k = 0; k < ports; ++k) units |= latches[k] & ~granted[k];
    return units;
  }
  [[nodiscard]] Set still_to_read() const { return still_asking(source_, go_rd_, read_ports()); }
  [[nodiscard]] Set still_to_write() const { return still_asking(request_, go_wr_, write_ports()); }
  template <std::size_t Ports>
  [[nodiscard]] static Set waiting(const std::array<Waits<Set>, Ports>& waits, std::uint32_t ports) {
    Set units = 0;
    for (std::uint32_t k = 0; k < ports; ++k) units |= waits[k].any();
    return units;
  }
  [[nodiscard]] Set waiting_to_read() const { return waiting(w_, write_ports()); }
  [[nodiscard]] Set waiting_to_write() const { return waiting(r_, read_ports()); }

  // What a plain core does without.
  [[nodiscard]] bool per_operand() const { return !Plain && config_.ports.per_operand; }
  [[nodiscard]] bool is_renaming() const { return !Plain && renaming_.active(); }
  [[nodiscard]] bool writes_through() const { return !Plain && scoreboard::writes_through(config_.forwarding); }
  [[nodiscard]] bool latches_results() const { return !Plain && scoreboard::latches_results(config_.forwarding); }
  [[nodiscard]] bool issues_together() const { return !Plain && config_.issue.together; }
  [[nodiscard]] bool keeps_rows() const { return !Plain && config_.virtual_registers.until_completion; }
  [[nodiscard]] std::uint32_t read_ports() const { return per_operand() ? max_sources : 1; }
  [[nodiscard]] std::uint32_t write_ports() const { return per_operand() ? max_destinations : 1; }

  const Config& config_;
  const Plan& plan_;
  bool watched_;
  std::uint32_t unit_count_;

  std::uint32_t clock_ = 0;
  Signals now_;
  Cause cause_ = Cause::queue_empty;
  bool progress_ = true;  ///< in this clock something happened that the next one may look at

  // Computation units (§2.6): latches, and what they were told in the last clock.
  Set opc_ = 0;
  std::array<Set, port_count> source_{}, request_{};  ///< latches by port
  std::array<Set, port_count> reads_{}, writes_{};    ///< units that use the port
  Set issue_last_ = 0, loaded_last_ = 0, end_last_ = 0, die_last_ = 0;
  std::array<Set, port_count> go_rd_last_{}, go_wr_last_{};
  Set executing_ = 0, waiting_to_start_ = 0;  ///< leaders only
  std::vector<Set> due_;                      ///< leaders by the clock of their results, modulo its size, a power of 2
  std::uint32_t due_mask_ = 0;
  Set valid_ = 0, valid_now_ = 0;  ///< alu_valid; since this clock
  Set forwardable_ = 0;            ///< valid results that others may take before they are written
  Set written_ = 0;                ///< units with nothing more to write, until their pairs are done, too

  // In this clock.
  std::array<Set, port_count> go_rd_{}, go_wr_{};
  Set granted_ = 0;  ///< to read or to write
  Set loaded_ = 0, started_ = 0, end_ = 0, die_ = 0, issued_ = 0, safe_ = 0;
  std::array<std::uint8_t, max_units> issue_order_{};
  std::uint32_t issue_count_ = 0;

  // Matrices.
  std::vector<Unit> units_;
  std::vector<std::array<PlannedOperand, 2 * (max_sources + max_destinations)>> renamed_;  ///< by unit, with renaming
  std::array<Waits<Set>, write_port_count> w_;  ///< by destination port of the unit waited for
  std::array<Waits<Set>, port_count> r_;        ///< by source port of the unit waited for
  Waits<Set> order_, speculation_, memory_hold_;
  std::vector<Set> readers_, writers_;  ///< by column
  std::vector<Set> holders_;            ///< by column: whose operations name it, if rows are kept until completion
  Set occupied_ = 0;                    ///< units that hold an operation, from the clock after its issue
  Set pair_low_ = 0, pair_high_ = 0;
  Set branches_ = 0, predicted_ = 0, traps_ = 0, taking_ = 0, loads_ = 0, stores_ = 0, address_known_ = 0;

  Conflicts conflicts_;
  std::vector<GroupState> groups_;
  Renaming renaming_;
  VirtualRegisters virtual_;
  Direction reading_, writing_;

  // The program.
  std::vector<std::uint32_t> queue_;  ///< from queue_head_ on
  std::size_t queue_head_ = 0;
  bool branch_resolved_ = false;  ///< in this clock
  std::uint32_t next_fetch_ = 0;
  std::uint32_t fetch_barrier_ = no_operation;  ///< a wrongly predicted branch that is not resolved
  std::vector<std::uint64_t> registers_;        ///< with renaming, physical ones
  Memory memory_;
  std::vector<Times> times_;
  enum class Outcome : std::uint8_t { open, not_ok, ok };
  std::vector<Outcome> outcomes_;  ///< of branches, by operation
  std::uint64_t executed_ = 0, killed_ = 0, skipped_ = 0;
  bool lacked_units_ = false, lacked_rows_ = false;
  std::uint32_t trapped_ = no_operation;
  std::vector<std::uint16_t> pending_reads_, pending_writes_, registers_in_clock_;  ///< by column, while watched
};

extern template class CoreOf<std::uint64_t, true>;
extern template class CoreOf<std::uint64_t, false>;
extern template class CoreOf<Units, false>;
/// Takes every configuration.
using Core = CoreOf<Units, false>;

}  // namespace mobula::scoreboard
