// Of the template in core.h, for core.cpp: the second half of a clock's decisions, which is what is issued, to which
// unit, and what it will wait for.
#pragma once

#include <algorithm>

#include "scoreboard/core/core.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

template <class Set, bool Plain>
void CoreOf<Set, Plain>::issue() {
  if (queue_empty()) {
    const bool all_fetched = next_fetch_ == plan_.operations.size() || trapped_ != no_operation;
    cause_ = all_fetched ? Cause::drain : fetch_barrier_ != no_operation ? Cause::branch : Cause::queue_empty;
  }
  bool first = true;
  for (std::uint32_t left = config_.issue.width; left != 0 && !queue_empty() && trapped_ == no_operation;) {
    const std::uint32_t size = size_of_head_group();
    if (size > left) break;
    const Cause cause = try_issue(size);
    if (first) cause_ = cause;
    if (cause != Cause::issued) break;
    first = false;
    left -= size;
  }
  if (trapped_ != no_operation) cause_ = Cause::drain;
  now_.issue = issued_;

  // Cells may be set only towards older operations (§4.6): of earlier clocks, or before it in this one.
  Set older = opc_ & ~die_;
  for (std::uint32_t i = 0; i < issue_count_; ++i) {
    const std::uint32_t unit = issue_order_[i];
    if (has(pair_high_, unit)) continue;  // together with its low half
    const Set own = units_of_operation(unit);
    for_each(own, [&](std::uint32_t part) {
      const Set others = config_.issue.mask_same_clock ? older : ((opc_ & ~die_) | issued_) & ~bit(part);
      if (config_.hazards == Hazards::conservative)
        find_conservative(part, others);
      else
        find_precise(part, others);
      find_shadows(part, older);
    });
    find_memory_order(unit, older);
    older |= own;
  }
  now_.shadown = all_units() & ~(order_.any() | speculation_.any());
}

template <class Set, bool Plain>
std::uint32_t CoreOf<Set, Plain>::size_of_head_group() const {
  if (!issues_together()) return 1;
  const std::span<const std::uint32_t> queue = queued();
  const std::uint32_t group = operation_at(queue.front()).group;
  if (group == 0) return 1;
  std::uint32_t size = 1;
  while (size < queue.size() && operation_at(queue[size]).group == group) ++size;
  if (size == queue.size() && more_to_come(group)) ++size;
  return size;
}

template <class Set, bool Plain>
Cause CoreOf<Set, Plain>::try_issue(std::uint32_t size) {
  const std::span<const std::uint32_t> queue = queued();
  if (size > queue.size()) return Cause::queue_empty;  // the rest of its group has not come yet
  std::array<Set, max_units> chosen;
  Set taken = issued_;
  std::size_t operands = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const Cause cause = choose_units(queue[i], taken, chosen[i]);
    if (cause == Cause::fu_busy || cause == Cause::pair_fragment)
      lacked_units_ |= plan_.operations[queue[i]].group + 1u == groups_.size();
    if (cause != Cause::issued) return i == 0 ? cause : Cause::group;
    taken |= chosen[i];
    operands += plan_.operands_of(queue[i]).size();
  }
  if (!virtual_.has_room_for(operands) && !rows_for(queue.first(size))) {
    lacked_rows_ = true;
    return Cause::ir_full;
  }
  if (is_renaming())
    if (const Cause cause = renames(queue.first(size)); cause != Cause::issued) return cause;
  for (std::uint32_t i = 0; i < size; ++i) place(queue[i], chosen[i]);
  queue_head_ += size;
  return Cause::issued;
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::rows_for(std::span<const std::uint32_t> operations) const {
  std::array<std::uint16_t, std::size_t{max_units} * 4 * (max_sources + max_destinations)>
      registers;  // filled as far as named
  std::size_t named = 0;
  for (const std::uint32_t op : operations)
    for (const PlannedOperand& operand : plan_.operands_of(op)) registers[named++] = operand.reg;
  return virtual_.fits(std::span(registers.data(), named));
}

template <class Set, bool Plain>
Cause CoreOf<Set, Plain>::renames(std::span<const std::uint32_t> operations) const {
  if (!renaming_.window_has(operations.size())) return Cause::window;
  std::array<std::uint16_t, std::size_t{max_units} * 2 * max_destinations> written;  // filled as far as named
  std::size_t named = 0;
  for (const std::uint32_t op : operations)
    for (const PlannedOperand& operand : plan_.destinations(op, 0)) written[named++] = operand.reg;
  return renaming_.fits(std::span(written.data(), named)) ? Cause::issued : Cause::ir_full;
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::pending_write(const PlannedOperand& operand) const {
  const std::uint16_t column = virtual_.row(operand.reg);
  return column != VirtualRegisters::none && (lanes_written(column) & operand.blocks) != 0;
}

template <class Set, bool Plain>
Cause CoreOf<Set, Plain>::choose_units(std::uint32_t op, Set taken, Set& chosen) const {
  // A map that is renamed on both ways of a branch could not be put together again.
  if (wrong_path(op) || (is_renaming() && open_path(op))) return Cause::branch;
  const PlannedOperation& planned = plan_.operations[op];
  const GroupState& group = groups_[planned.group];
  const Set free = group.units & ~opc_ & ~taken;
  if (planned.pair) {
    const Set lows = free & free >> 1 & group.low_halves;
    if (lows == 0) return count(free) >= 2 ? Cause::pair_fragment : Cause::fu_busy;
    chosen = Set{3} << lowest(lows);
  } else {
    if (free == 0) return Cause::fu_busy;
    chosen = bit(lowest(free));
  }
  if (config_.waw != Waw::stall_issue && config_.hazards != Hazards::vector) return Cause::issued;
  for (std::uint32_t part = 0; part < 2; ++part) {
    for (const PlannedOperand& operand : plan_.destinations(op, part))
      if (pending_write(operand)) return Cause::waw;
    if (config_.hazards != Hazards::vector) continue;
    for (const PlannedOperand& operand : plan_.sources(op, part))
      if (pending_write(operand)) return Cause::raw;
  }
  return Cause::issued;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::place(std::uint32_t op, Set chosen) {
  const std::uint32_t leader = lowest(chosen);
  const Operation& operation = operation_at(op);
  if (plan_.operations[op].pair) {
    pair_low_ |= bit(leader);
    pair_high_ |= bit(leader + 1);
  }
  for_each(chosen, [&](std::uint32_t unit) {
    issue_order_[issue_count_++] = static_cast<std::uint8_t>(unit);
    fill_row(op, unit, leader);
  });
  if (operation.unit == UnitClass::branch) branches_ |= bit(leader);
  if (operation.prediction != Prediction::none) predicted_ |= bit(leader);
  if (operation.trap != Trap::never) traps_ |= bit(leader);
  if (operation.trap == Trap::takes) taking_ |= bit(leader);
  if (operation.memory_bytes != 0) (operation.unit == UnitClass::load ? loads_ : stores_) |= bit(leader);
  issued_ |= chosen;
  times_[op].issue = clock_;
  times_[op].unit = static_cast<std::uint8_t>(leader);
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::fill_row(std::uint32_t op, std::uint32_t unit, std::uint32_t leader) {
  Unit& row = units_[unit];
  row.op = op;
  row.leader = static_cast<std::uint8_t>(leader);
  row.part = unit == leader ? 0 : 1;
  row.group = plan_.operations[op].group;
  row.values = {};
  row.planned = plan_.sources(op, row.part).data();
  row.source_count = plan_.operations[op].sources[row.part];
  row.destination_count = plan_.operations[op].destinations[row.part];
  if (is_renaming()) {
    row.window_place = renaming_.enter();
    for (std::size_t i = 0; i < std::size_t{row.source_count} + row.destination_count; ++i) {
      renamed_[unit][i] = row.planned[i];
      renaming_.rename(renamed_[unit][i], i >= row.source_count);
    }
    row.planned = renamed_[unit].data();
  }
  for (std::size_t i = 0; i < row.source_count; ++i) {
    fill_operand(row.sources[i], row.planned[i], unit, readers_);
    if (per_operand()) reads_[row.planned[i].port] |= bit(unit);
  }
  for (std::size_t i = 0; i < row.destination_count; ++i) {
    const PlannedOperand& planned = row.planned[row.source_count + i];
    fill_operand(row.destinations[i], planned, unit, writers_);
    if (per_operand()) writes_[planned.port] |= bit(unit);
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::fill_operand(RowOperand& operand, const PlannedOperand& planned, std::uint32_t unit,
                                      std::vector<Set>& units_of_column) {
  const std::uint16_t column = virtual_.claim(planned.reg);
  operand = {.column = column,
             .lanes = planned.lanes,
             .port = static_cast<std::uint8_t>(grant_port(planned.port)),
             .set = true};
  units_of_column[column] |= bit(unit);
  if (keeps_rows()) holders_[column] |= bit(unit);
}

template <class Set, bool Plain>
std::uint16_t CoreOf<Set, Plain>::lanes_read(std::size_t column) const {
  std::uint16_t lanes = 0;
  for_each(readers_[column], [&](std::uint32_t unit) { lanes |= source_lanes(unit, column); });
  return lanes;
}

template <class Set, bool Plain>
std::uint16_t CoreOf<Set, Plain>::lanes_written(std::size_t column) const {
  std::uint16_t lanes = 0;
  for_each(writers_[column], [&](std::uint32_t unit) { lanes |= destination_lanes(unit, column); });
  return lanes;
}

// §2.3 and §2.4. An operand that is granted in this clock is no longer a hazard.

template <class Set, bool Plain>
void CoreOf<Set, Plain>::find_precise(std::uint32_t unit, Set others) {
  const Unit& row = units_[unit];
  // A result that can be taken from its unit already is not waited for any more.
  const Set writers = others & ~forwardable_;
  for (std::size_t i = 0; i < row.source_count; ++i) {
    const std::uint16_t column = row.sources[i].column, blocks = row.planned_sources()[i].blocks;
    for_each(writers_[column] & writers, [&](std::uint32_t x) {
      for (std::size_t k = 0; k < units_[x].destination_count; ++k) {
        const RowOperand& its = units_[x].destinations[k];
        if (!its.set || its.column != column || (its.lanes & blocks) == 0 || has(go_wr_[its.port], x)) continue;
        w_[its.port].add(unit, bit(x));
      }
    });
  }
  for (std::size_t i = 0; i < row.destination_count; ++i) {
    const std::uint16_t column = row.destinations[i].column, blocks = row.planned_destinations()[i].blocks;
    for_each(readers_[column] & others, [&](std::uint32_t x) {
      for (std::size_t k = 0; k < units_[x].source_count; ++k) {
        const RowOperand& its = units_[x].sources[k];
        if (!its.set || its.column != column || (its.lanes & blocks) == 0 || has(go_rd_[its.port], x)) continue;
        r_[its.port].add(unit, bit(x));
      }
    });
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::find_conservative(std::uint32_t unit, Set others) {
  // A single-grant unit asks to read and to write whether it has operands or not; a multi-port unit does not, and would
  // never lose what it waits for.
  const bool reads = !per_operand() || units_[unit].source_count != 0;
  const bool writes = !per_operand() || units_[unit].destination_count != 0;
  for_each(others, [&](std::uint32_t x) {
    const Unit& row = units_[x];
    for (std::size_t k = 0; k < row.destination_count && reads; ++k) {
      const RowOperand& its = row.destinations[k];
      if (!its.set || has(go_wr_[its.port], x)) continue;
      if ((its.lanes & expand(config_.lanes, lanes_read(its.column))) == 0) continue;
      w_[its.port].add(unit, bit(x));
    }
    for (std::size_t k = 0; k < row.source_count && writes; ++k) {
      const RowOperand& its = row.sources[k];
      if (!its.set || has(go_rd_[its.port], x)) continue;
      if ((its.lanes & expand(config_.lanes, lanes_written(its.column))) == 0) continue;
      r_[its.port].add(unit, bit(x));
    }
  });
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::find_shadows(std::uint32_t unit, Set older) {
  const Unit& row = units_[unit];
  const Set open = older & ~end_;
  if (config_.waw == Waw::shadow_all) order_.add(unit, open);
  if (config_.waw == Waw::shadow_same_dest)
    for (std::size_t i = 0; i < row.destination_count; ++i)
      for_each(writers_[row.destinations[i].column] & open, [&](std::uint32_t x) {
        if ((destination_lanes(x, row.destinations[i].column) & row.planned_destinations()[i].blocks) != 0)
          order_.add(unit, bit(x));
      });

  // What goes to a physical register that nobody else has can be given up.
  if (is_renaming() && operation_at(row.op).unit != UnitClass::store) return;
  Set speculative = predicted_;
  if (config_.trap_shadows) speculative |= traps_;
  speculation_.add(unit, speculative & open & ~safe_);
  const std::uint32_t branch = plan_.operations[row.op].branch;
  if (branch != no_operation)
    for_each(branches_ & open, [&](std::uint32_t x) {
      if (units_[x].op == branch) speculation_.add(unit, bit(x));
    });
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::find_memory_order(std::uint32_t unit, Set older) {
  if (!has(loads_ | stores_, unit)) return;
  Set before = stores_ & older & ~end_;
  if (has(stores_, unit)) before |= loads_ & older & ~started_;
  memory_hold_.add(unit, before);
}

}  // namespace mobula::scoreboard
