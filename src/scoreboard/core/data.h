// Of the template in core.h, for core.cpp: what happens at the edge that ends a clock: operands, results, and cells
// that are cleared. And what can be seen of it.
#pragma once

#include <algorithm>

#include "scoreboard/core/core.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

template <class Set, bool Plain>
void CoreOf<Set, Plain>::watch() {
  for (std::size_t column = 0; column < pending_reads_.size(); ++column) {
    pending_reads_[column] = lanes_read(column);
    pending_writes_[column] = lanes_written(column);
    registers_in_clock_[column] = virtual_.reg(column);
  }
}

// ---- Values ----

template <class Set, bool Plain>
void CoreOf<Set, Plain>::move_data() {
  if ((granted_ | started_) == 0) return;
  const auto reads = [&] {
    for (std::uint32_t k = 0; k < read_ports(); ++k)
      for_each(go_rd_[k], [&](std::uint32_t unit) {
        capture(unit, k);
        clear_operands(unit, units_[unit].own_sources(), k, readers_);
      });
  };
  const auto writes = [&] {
    for (std::uint32_t k = 0; k < write_ports(); ++k)
      for_each(go_wr_[k] & ~die_, [&](std::uint32_t unit) { write(unit, k); });
  };
  if (!writes_through()) reads();
  writes();
  if (writes_through()) reads();
  for_each(started_, [&](std::uint32_t leader) { compute(leader); });
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::capture(std::uint32_t unit, std::uint32_t port) {
  const Unit& row = units_[unit];
  SourceValues& values = units_[row.leader].values;
  times_[row.op].read = clock_;
  for (const PlannedOperand& operand : row.planned_sources()) {
    if (grant_port(operand.port) != port) continue;
    std::uint64_t reg = registers_[operand.reg];
    if (latches_results()) forward(unit, operand, reg);
    if (operand.merge) {
      // The old bytes, before the new ones are written over them.
      for (const PlannedOperand& destination : row.planned_destinations())
        if (destination.port == operand.offset) registers_[destination.reg] = reg;
      continue;
    }
    values[operand.half(max_sources)] |= (reg >> 8 * operand.first & byte_mask(operand.bytes)) << operand.shift();
    if (operand.repeats) repeat_for_quads(values, operand.port, operand.bytes);
  }
}

/// Bytes that finished units have not written yet, of the youngest unit before the reader.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::forward(std::uint32_t unit, const PlannedOperand& operand, std::uint64_t& reg) const {
  Set writers = 0;
  const std::uint16_t column = virtual_.row(operand.reg);
  for_each(writers_[column] & forwardable_, [&](std::uint32_t x) {
    if (units_[x].op < units_[unit].op) writers |= bit(x);
  });
  while (writers != 0) {  // the oldest first, so that younger ones replace it
    std::uint32_t oldest = lowest(writers);
    for_each(writers, [&](std::uint32_t x) {
      if (units_[x].op < units_[oldest].op) oldest = x;
    });
    writers &= ~bit(oldest);
    const auto planned = units_[oldest].planned_destinations();
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (planned[i].reg != operand.reg || !units_[oldest].destinations[i].set) continue;
      for (std::uint32_t k = 0; k < planned[i].bytes; ++k)
        if ((units_[oldest].destinations[i].dead >> (planned[i].first + k) & 1) == 0)
          reg =
              replace_bytes(reg, planned[i].first + k, 1,
                            units_[oldest].results[planned[i].half(max_destinations)] >> (planned[i].shift() + 8 * k));
    }
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::compute(std::uint32_t leader) {
  Unit& unit = units_[leader];
  const Operation& op = operation_at(unit.op);
  const std::uint32_t width = plan_.operations[unit.op].width;
  if (op.has_immediate) take_immediate(unit.values, op, width);
  for (std::size_t half = 0; half < (width > 8 ? 2u : 1u); ++half) {
    std::uint64_t loaded = 0;
    if (has(loads_, leader)) loaded = memory_.load(op.address + 8 * half, std::min<std::uint32_t>(op.memory_bytes, 8));
    for (std::size_t k = 0; k < max_destinations; ++k)
      if (op.destinations[k].used() || (k == 0 && op.memory_bytes != 0))  // for a register, or to be stored
        unit.results[k + half * max_destinations] =
            evaluate(op, width, unit.values, loaded, k + half * max_destinations);
  }
  unit.ok = op.unit == UnitClass::branch && is_ok(op, width, unit.values);
  if (has(pair_low_, leader)) units_[leader + 1].results = unit.results;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::write(std::uint32_t unit, std::uint32_t port) {
  const Unit& row = units_[unit];
  const auto planned = row.planned_destinations();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const PlannedOperand& operand = planned[i];
    if (grant_port(operand.port) != port) continue;
    const std::uint64_t value = row.results[operand.half(max_destinations)] >> operand.shift();
    if (config_.waw == Waw::last_writer) {
      for (std::uint32_t k = 0; k < operand.bytes; ++k)
        if ((row.destinations[i].dead >> (operand.first + k) & 1) == 0)
          registers_[operand.reg] = replace_bytes(registers_[operand.reg], operand.first + k, 1, value >> 8 * k);
      bury_older_writes(unit, row.destinations[i], operand);
    } else {
      registers_[operand.reg] = replace_bytes(registers_[operand.reg], operand.first, operand.bytes, value);
    }
  }
}

/// What older units still have to write to these bytes is out of date: nobody before this unit reads it any more, or
/// this unit could not have written.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::bury_older_writes(std::uint32_t unit, const RowOperand& row, const PlannedOperand& operand) {
  for_each(writers_[row.column] & ~bit(unit), [&](std::uint32_t x) {
    Unit& other = units_[x];
    if (other.op > units_[unit].op) return;
    for (std::size_t k = 0; k < other.destination_count; ++k)
      if (other.destinations[k].column == row.column)
        other.destinations[k].dead =
            static_cast<std::uint8_t>(other.destinations[k].dead | ((1u << operand.bytes) - 1) << operand.first);
  });
}

// ---- Cells ----

/// Operands of one direction that port `port` has moved.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::clear_operands(std::uint32_t unit, std::span<RowOperand> operands, std::uint32_t port,
                                        std::vector<Set>& units_of_column) {
  for (RowOperand& operand : operands) {
    if (operand.port != port || !operand.set) continue;
    operand.set = false;
    const bool another = per_operand() && std::ranges::any_of(operands, [&](const RowOperand& other) {
                           return other.set && other.column == operand.column;
                         });
    if (!another) leave_column(units_of_column, unit, operand.column);
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::leave_column(std::vector<Set>& units_of_column, std::uint32_t unit, std::uint16_t column) {
  if (!has(units_of_column[column], unit)) return;
  units_of_column[column] &= ~bit(unit);
  if ((readers_[column] | writers_[column]) == 0 && !keeps_rows()) virtual_.release(column);
}

/// Of an operation that is done, if it has kept its rows until now.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::give_up_rows(std::uint32_t unit) {
  if (!keeps_rows()) return;
  const auto give_up = [&](std::span<const RowOperand> operands) {
    for (const RowOperand& operand : operands) {
      if (!has(holders_[operand.column], unit)) continue;
      holders_[operand.column] &= ~bit(unit);
      if (holders_[operand.column] == 0) virtual_.release(operand.column);
    }
  };
  give_up(units_[unit].own_sources());
  give_up(units_[unit].own_destinations());
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::clear_cells() {
  if ((granted_ | forwardable_ | end_ | safe_ | started_ | die_) == 0) return;
  for (std::uint32_t k = 0; k < read_ports(); ++k) r_[k].clear_columns(go_rd_[k]);
  for (std::uint32_t k = 0; k < write_ports(); ++k) {
    for_each(go_wr_[k],
             [&](std::uint32_t unit) { clear_operands(unit, units_[unit].own_destinations(), k, writers_); });
    w_[k].clear_columns(go_wr_[k] | forwardable_);
  }
  order_.clear_columns(end_);
  speculation_.clear_columns(safe_);
  memory_hold_.clear_columns((end_ & stores_) | (started_ & loads_));
  loads_ &= ~started_;
  traps_ &= ~safe_;
  for_each(end_ & ~die_, [&](std::uint32_t unit) { end(unit); });
  forget(end_ & ~die_);
  kill(die_);
  if (is_renaming() && trapped_ != no_operation) {
    const std::uint32_t in_vain = renaming_.undo();
    executed_ -= in_vain;
    killed_ += in_vain;
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::store(const Operation& op, std::span<const std::uint64_t> results) {
  memory_.store(op.address, std::min<std::uint32_t>(op.memory_bytes, 8), results[0]);
  if (op.memory_bytes > 8) memory_.store(op.address + 8, 8, results[max_destinations]);
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::end(std::uint32_t unit) {
  Unit& row = units_[unit];
  const Operation& op = operation_at(row.op);
  times_[row.op].write = clock_;
  if (row.part == 0 && op.memory_bytes != 0 && op.unit != UnitClass::load) store(op, row.results);
  if (row.op == fetch_barrier_) fetch_barrier_ = no_operation;
  if (row.part == 0) ++executed_;
  give_up_rows(unit);
  if (is_renaming()) renaming_.done(row.window_place);
  row.op = no_operation;
}

/// The units hold nothing any more.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::forget(Set units) {
  if (units == 0) return;
  const Set kept = ~units;
  valid_ &= kept, forwardable_ &= kept, written_ &= kept, executing_ &= kept, waiting_to_start_ &= kept;
  pair_low_ &= kept, pair_high_ &= kept;
  branches_ &= kept, predicted_ &= kept, traps_ &= kept, taking_ &= kept;
  loads_ &= kept, stores_ &= kept, address_known_ &= kept;
  if (!per_operand()) return;
  for (std::size_t k = 0; k < port_count; ++k) {
    reads_[k] &= kept;
    writes_[k] &= kept;
  }
}

/// §7.4: rows and columns of every matrix.
template <class Set, bool Plain>
void CoreOf<Set, Plain>::kill(Set units) {
  if (units == 0) return;
  for_each(units, [&](std::uint32_t unit) {
    Unit& row = units_[unit];
    if (row.part == 0) {
      times_[row.op].kill = clock_;
      ++killed_;
    }
    for (std::uint32_t k = 0; k < port_count; ++k) {
      clear_operands(unit, row.own_sources(), k, readers_);
      clear_operands(unit, row.own_destinations(), k, writers_);
    }
    give_up_rows(unit);
  });
  for_each(units & executing_, [&](std::uint32_t unit) { due_in(units_[unit].valid_at) &= ~bit(unit); });
  for (Waits<Set>& waits : w_) waits.forget(units);
  for (Waits<Set>& waits : r_) waits.forget(units);
  for (Waits<Set>* waits : {&order_, &speculation_, &memory_hold_}) waits->forget(units);
  for_each(units, [&](std::uint32_t unit) { units_[unit].op = no_operation; });
  forget(units);
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::clock_edge() {
  now_.die = die_;
  progress_ |= (issued_ | granted_ | loaded_ | started_ | end_ | die_ | valid_now_) != 0;
  issue_last_ = issued_;
  loaded_last_ = loaded_;
  end_last_ = end_;
  die_last_ = die_;
  go_rd_last_ = go_rd_;
  go_wr_last_ = go_wr_;
  occupied_ = (opc_ | issued_) & ~(end_ | die_);
  fetch();
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::fetch() {
  if (trapped_ != no_operation) {
    queue_.clear();
    queue_head_ = 0;
    next_fetch_ = static_cast<std::uint32_t>(plan_.operations.size());
    return;
  }
  if (queue_empty()) {
    queue_.clear();
    queue_head_ = 0;
  } else if (queue_.size() + config_.issue.fetch > queue_.capacity()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(queue_head_));
    queue_head_ = 0;
  }
  if (branch_resolved_) drop_wrong_path();
  // The removal of this clock is not credited (§2.10).
  for (std::uint32_t added = 0; added < config_.issue.fetch && now_.queue + added < config_.issue.queue;) {
    if (fetch_barrier_ != no_operation || next_fetch_ == plan_.operations.size()) return;
    const std::uint32_t op = next_fetch_++;
    progress_ = true;
    if (wrong_path(op)) {
      ++skipped_;
      continue;
    }
    if (operation_at(op).prediction == Prediction::wrong) fetch_barrier_ = op;
    queue_.push_back(op);
    ++added;
  }
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::drop_wrong_path() {
  const auto first = queue_.begin() + static_cast<std::ptrdiff_t>(queue_head_);
  const auto kept = std::remove_if(first, queue_.end(), [&](std::uint32_t op) { return wrong_path(op); });
  const auto dropped = static_cast<std::uint64_t>(queue_.end() - kept);
  queue_.erase(kept, queue_.end());
  skipped_ += dropped;
  progress_ |= dropped != 0;
}

// ---- What can be seen ----

template <class Set, bool Plain>
std::string CoreOf<Set, Plain>::name_of(std::uint16_t reg) const {
  return reg == VirtualRegisters::none ? "-" : print(plan_.registers[reg]);
}
template <class Set, bool Plain>
std::string CoreOf<Set, Plain>::column(std::size_t index) const {
  return is_renaming() ? renaming_.name(index) : name_of(virtual_.reg(index));
}
template <class Set, bool Plain>
std::string CoreOf<Set, Plain>::column_in_clock(std::size_t index) const {
  return is_renaming() ? renaming_.name(index) : name_of(registers_in_clock_[index]);
}

template <class Set, bool Plain>
Units CoreOf<Set, Plain>::waits_for_write(std::uint32_t unit) const {
  Set waits = 0;
  for (std::uint32_t k = 0; k < write_ports(); ++k) waits |= w_[k].row(unit);
  return waits;
}

template <class Set, bool Plain>
Units CoreOf<Set, Plain>::waits_for_read(std::uint32_t unit) const {
  Set waits = 0;
  for (std::uint32_t k = 0; k < read_ports(); ++k) waits |= r_[k].row(unit);
  return waits;
}

template <class Set, bool Plain>
Units CoreOf<Set, Plain>::held_by(std::uint32_t unit) const {
  return order_.row(unit) | speculation_.row(unit);
}

template <class Set, bool Plain>
std::uint16_t CoreOf<Set, Plain>::source_lanes(std::uint32_t unit, std::size_t column) const {
  std::uint16_t lanes = 0;
  const Unit& row = units_[unit];
  for (std::size_t i = 0; i < row.source_count; ++i)
    if (row.sources[i].set && row.sources[i].column == column) lanes |= row.sources[i].lanes;
  return lanes;
}

template <class Set, bool Plain>
std::uint16_t CoreOf<Set, Plain>::destination_lanes(std::uint32_t unit, std::size_t column) const {
  std::uint16_t lanes = 0;
  const Unit& row = units_[unit];
  for (std::size_t i = 0; i < row.destination_count; ++i)
    if (row.destinations[i].set && row.destinations[i].column == column) lanes |= row.destinations[i].lanes;
  return lanes;
}

template <class Set, bool Plain>
std::uint32_t CoreOf<Set, Plain>::operation(std::uint32_t unit) const {
  return units_[unit].op;
}

template <class Set, bool Plain>
Wait CoreOf<Set, Plain>::wait_of(std::uint32_t unit) const {
  const Unit& row = units_[unit];
  const std::uint32_t leader = row.leader;
  const auto because = [](StallReason reason, Units units) {
    return Wait{reason, units == 0 ? no_index : lowest(units)};
  };
  if (has(executing_, leader)) return {};
  if (has(valid_, unit)) {
    if (speculation_.row(unit) != 0) return because(StallReason::branch, speculation_.row(unit));
    if (order_.row(unit) != 0) return because(StallReason::write_after_write, order_.row(unit));
    if (waits_for_read(unit) != 0) return because(StallReason::write_after_read, waits_for_read(unit));
    if (memory_hold_.row(unit) != 0) return because(StallReason::memory, memory_hold_.row(unit));
    if (has(taking_, unit)) return because(StallReason::drain, 0);
    return because(StallReason::register_port, 0);
  }
  if (has(waiting_to_start_, leader)) {
    if (has(loads_ & memory_hold_.any(), leader)) return because(StallReason::memory, memory_hold_.row(leader));
    return because(StallReason::unit_busy, 0);
  }
  if (waits_for_write(unit) != 0) return because(StallReason::read_after_write, waits_for_write(unit));
  return because(StallReason::register_port, 0);
}

}  // namespace mobula::scoreboard
