// What happens at the edge that ends a clock: operands, results, and cells that are cleared. And what can be seen of
// it.
#include <algorithm>

#include "scoreboard/core.h"
#include "scoreboard/units.h"

namespace mobula::scoreboard {

void Core::watch() {
  for (std::size_t column = 0; column < pending_reads_.size(); ++column) {
    pending_reads_[column] = lanes_read(column);
    pending_writes_[column] = lanes_written(column);
  }
}

// ---- Values ----

void Core::move_data() {
  const auto reads = [&] {
    for (std::uint32_t k = 0; k < read_ports_; ++k) for_each(go_rd_[k], [&](std::uint32_t unit) { capture(unit, k); });
  };
  const auto writes = [&] {
    for (std::uint32_t k = 0; k < write_ports_; ++k)
      for_each(go_wr_[k] & ~die_, [&](std::uint32_t unit) { write(unit, k); });
  };
  if (config_.forwarding != Forwarding::write_through) reads();
  writes();
  if (config_.forwarding == Forwarding::write_through) reads();
  for_each(started_, [&](std::uint32_t leader) { compute(leader); });
}

void Core::capture(std::uint32_t unit, std::uint32_t port) {
  const Unit& row = units_[unit];
  SourceValues& values = units_[row.leader].values;
  for (const PlannedOperand& operand : plan_.sources(row.op, row.part)) {
    if (grant_port(operand.port) != port) continue;
    std::uint64_t reg = registers_[operand.reg];
    if (config_.forwarding == Forwarding::result_latch) forward(unit, operand, reg);
    values[operand.port] |= (reg >> 8 * operand.first & byte_mask(operand.bytes)) << 8 * operand.offset;
  }
}

/// Bytes that finished units have not written yet, of the youngest unit before the reader.
void Core::forward(std::uint32_t unit, const PlannedOperand& operand, std::uint64_t& reg) const {
  Units writers = 0;
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
    const auto planned = plan_.destinations(units_[oldest].op, units_[oldest].part);
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (planned[i].reg != operand.reg || !units_[oldest].destinations[i].set) continue;
      for (std::uint32_t k = 0; k < planned[i].bytes; ++k)
        if ((units_[oldest].destinations[i].dead >> (planned[i].first + k) & 1) == 0)
          reg = replace_bytes(reg, planned[i].first + k, 1,
                              units_[oldest].results[planned[i].port] >> 8 * (planned[i].offset + k));
    }
  }
}

void Core::compute(std::uint32_t leader) {
  Unit& unit = units_[leader];
  const Operation& op = operation_at(unit.op);
  if (op.has_immediate) unit.values[1] = op.immediate;
  std::uint64_t loaded = 0;
  if (has(loads_, leader)) loaded = memory_.load(op.address, op.memory_bytes);
  for (std::size_t k = 0; k < max_destinations; ++k) unit.results[k] = evaluate(op, unit.values, loaded, k);
  unit.ok = op.unit == UnitClass::branch && is_ok(op, unit.values);
  if (has(pair_low_, leader)) units_[leader + 1].results = unit.results;
}

void Core::write(std::uint32_t unit, std::uint32_t port) {
  const Unit& row = units_[unit];
  const auto planned = plan_.destinations(row.op, row.part);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const PlannedOperand& operand = planned[i];
    if (grant_port(operand.port) != port) continue;
    const std::uint64_t value = row.results[operand.port] >> 8 * operand.offset;
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
void Core::bury_older_writes(std::uint32_t unit, const RowOperand& row, const PlannedOperand& operand) {
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

void Core::clear_source(std::uint32_t unit, std::size_t index) {
  Unit& row = units_[unit];
  if (!row.sources[index].set) return;
  row.sources[index].set = false;
  const std::uint16_t column = row.sources[index].column;
  if (source_lanes(unit, column) != 0) return;
  readers_[column] &= ~bit(unit);
  if ((readers_[column] | writers_[column]) == 0) virtual_.release(column);
}

void Core::clear_destination(std::uint32_t unit, std::size_t index) {
  Unit& row = units_[unit];
  if (!row.destinations[index].set) return;
  row.destinations[index].set = false;
  const std::uint16_t column = row.destinations[index].column;
  if (destination_lanes(unit, column) != 0) return;
  writers_[column] &= ~bit(unit);
  if ((readers_[column] | writers_[column]) == 0) virtual_.release(column);
}

namespace {

/// Clears columns in the rows of `rows`; those that are empty then leave it.
void clear_columns(Units& rows, std::span<std::array<Units, 64>> cells, std::span<const Units> columns) {
  Units kept = 0;
  for_each(rows, [&](std::uint32_t row) {
    Units left = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) left |= cells[k][row] &= ~columns[k];
    if (left != 0) kept |= bit(row);
  });
  rows = kept;
}

}  // namespace

void Core::clear_cells() {
  for (std::uint32_t k = 0; k < read_ports_; ++k) {
    for_each(go_rd_[k], [&](std::uint32_t unit) {
      for (std::size_t i = 0; i < units_[unit].source_count; ++i)
        if (units_[unit].sources[i].port == k) clear_source(unit, i);
    });
  }
  if (now_.go_rd != 0) clear_columns(any_r_, std::span(r_).first(read_ports_), go_rd_);
  std::array<Units, max_ports> available{};
  for (std::uint32_t k = 0; k < write_ports_; ++k) {
    for_each(go_wr_[k], [&](std::uint32_t unit) {
      for (std::size_t i = 0; i < units_[unit].destination_count; ++i)
        if (units_[unit].destinations[i].port == k) clear_destination(unit, i);
    });
    available[k] = go_wr_[k] | forwardable_;
  }
  if ((now_.go_wr | forwardable_) != 0) clear_columns(any_w_, std::span(w_).first(write_ports_), available);
  if (end_ != 0) clear_columns(any_order_, {&order_, 1}, {&end_, 1});
  if (safe_ != 0) clear_columns(any_speculation_, {&speculation_, 1}, {&safe_, 1});
  const Units memory_done = (end_ & stores_) | (started_ & loads_);
  if (memory_done != 0) clear_columns(any_memory_, {&memory_hold_, 1}, {&memory_done, 1});
  loads_ &= ~started_;
  traps_ &= ~safe_;
  for_each(end_ & ~die_, [&](std::uint32_t unit) { end(unit); });
  if (die_ == 0) return;
  kill(die_);
  const auto keep_rows_in_use = [](Units& any, auto in_use) {
    for_each(any, [&](std::uint32_t row) {
      if (!in_use(row)) any &= ~bit(row);
    });
  };
  keep_rows_in_use(any_w_, [&](std::uint32_t row) { return waits_for_write(row) != 0; });
  keep_rows_in_use(any_r_, [&](std::uint32_t row) { return waits_for_read(row) != 0; });
  keep_rows_in_use(any_order_, [&](std::uint32_t row) { return order_[row] != 0; });
  keep_rows_in_use(any_speculation_, [&](std::uint32_t row) { return speculation_[row] != 0; });
  keep_rows_in_use(any_memory_, [&](std::uint32_t row) { return memory_hold_[row] != 0; });
}

void Core::end(std::uint32_t unit) {
  const Unit& row = units_[unit];
  const Operation& op = operation_at(row.op);
  times_[row.op].write = clock_;
  if (row.part == 0 && op.memory_bytes != 0 && op.unit != UnitClass::load)
    memory_.store(op.address, op.memory_bytes, row.results[0]);
  if (row.op == fetch_barrier_) fetch_barrier_ = no_operation;
  const Units others = units_of_operation(unit) & ~bit(unit);
  if (others == 0 || units_[lowest(others)].op != row.op) ++executed_;
  forget(bit(unit));
}

/// The units hold nothing any more.
void Core::forget(Units units) {
  for_each(units, [&](std::uint32_t unit) { units_[unit].op = no_operation; });
  for (Units* set : {&valid_, &forwardable_, &written_, &executing_, &waiting_to_start_, &pair_low_, &pair_high_,
                     &branches_, &predicted_, &traps_, &taking_, &loads_, &stores_, &address_known_})
    *set &= ~units;
  if (!per_operand_) return;
  for (std::size_t k = 0; k < max_ports; ++k) {
    reads_[k] &= ~units;
    writes_[k] &= ~units;
  }
}

/// §7.4: rows and columns of every matrix.
void Core::kill(Units units) {
  for_each(units, [&](std::uint32_t unit) {
    Unit& row = units_[unit];
    if (row.part == 0) {
      times_[row.op].kill = clock_;
      ++killed_;
    }
    for (std::size_t i = 0; i < row.source_count; ++i) clear_source(unit, i);
    for (std::size_t i = 0; i < row.destination_count; ++i) clear_destination(unit, i);
    for (auto& cells : w_) cells[unit] = 0;
    for (auto& cells : r_) cells[unit] = 0;
    order_[unit] = speculation_[unit] = memory_hold_[unit] = 0;
  });
  for (std::uint32_t row = 0; row < unit_count_; ++row) {
    for (auto& cells : w_) cells[row] &= ~units;
    for (auto& cells : r_) cells[row] &= ~units;
    order_[row] &= ~units;
    speculation_[row] &= ~units;
    memory_hold_[row] &= ~units;
  }
  forget(units);
}

void Core::clock_edge() {
  now_.die = die_;
  progress_ |= (now_.issue | now_.go_rd | now_.go_wr | loaded_ | started_ | end_ | die_ | executing_ | valid_now_) != 0;
  issue_last_ = issued_;
  loaded_last_ = loaded_;
  end_last_ = end_;
  die_last_ = die_;
  go_rd_last_ = go_rd_;
  go_wr_last_ = go_wr_;
  occupied_ = (opc_ | issued_) & ~(end_ | die_);
  fetch();
}

void Core::fetch() {
  if (trapped_ != no_operation) {
    queue_.clear();
    next_fetch_ = static_cast<std::uint32_t>(plan_.operations.size());
    return;
  }
  const std::size_t dropped = std::erase_if(queue_, [&](std::uint32_t op) { return wrong_path(op); });
  skipped_ += dropped;
  progress_ |= dropped != 0;
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

// ---- What can be seen ----

std::string Core::column(std::size_t index) const {
  const std::uint16_t reg = virtual_.reg(index);
  return reg == VirtualRegisters::none ? "-" : print(plan_.registers[reg]);
}

Units Core::waits_for_write(std::uint32_t unit) const {
  Units waits = 0;
  for (std::uint32_t k = 0; k < write_ports_; ++k) waits |= w_[k][unit];
  return waits;
}

Units Core::waits_for_read(std::uint32_t unit) const {
  Units waits = 0;
  for (std::uint32_t k = 0; k < read_ports_; ++k) waits |= r_[k][unit];
  return waits;
}

Units Core::held_by(std::uint32_t unit) const { return order_[unit] | speculation_[unit]; }

std::uint16_t Core::source_lanes(std::uint32_t unit, std::size_t column) const {
  std::uint16_t lanes = 0;
  const Unit& row = units_[unit];
  for (std::size_t i = 0; i < row.source_count; ++i)
    if (row.sources[i].set && row.sources[i].column == column) lanes |= row.sources[i].lanes;
  return lanes;
}

std::uint16_t Core::destination_lanes(std::uint32_t unit, std::size_t column) const {
  std::uint16_t lanes = 0;
  const Unit& row = units_[unit];
  for (std::size_t i = 0; i < row.destination_count; ++i)
    if (row.destinations[i].set && row.destinations[i].column == column) lanes |= row.destinations[i].lanes;
  return lanes;
}

std::uint32_t Core::operation(std::uint32_t unit) const { return units_[unit].op; }

Core::Wait Core::wait_of(std::uint32_t unit) const {
  const Unit& row = units_[unit];
  const std::uint32_t leader = row.leader;
  const auto because = [](StallReason reason, Units units) {
    return Wait{reason, units == 0 ? no_index : lowest(units)};
  };
  if (has(executing_, leader)) return {};
  if (has(valid_, unit)) {
    if (speculation_[unit] != 0) return because(StallReason::branch, speculation_[unit]);
    if (order_[unit] != 0) return because(StallReason::write_after_write, order_[unit]);
    if (waits_for_read(unit) != 0) return because(StallReason::write_after_read, waits_for_read(unit));
    if (memory_hold_[unit] != 0) return because(StallReason::memory, memory_hold_[unit]);
    if (has(taking_, unit)) return because(StallReason::drain, 0);
    return because(StallReason::register_port, 0);
  }
  if (has(waiting_to_start_, leader)) {
    if (has(loads_ & any_memory_, leader)) return because(StallReason::memory, memory_hold_[leader]);
    return because(StallReason::unit_busy, 0);
  }
  if (waits_for_write(unit) != 0) return because(StallReason::read_after_write, waits_for_write(unit));
  return because(StallReason::register_port, 0);
}

std::vector<std::string> Core::waits() const {
  std::vector<std::string> sentences;
  const auto label = [&](std::uint32_t unit) {
    return "operation " + std::to_string(plan_.workload->operations[units_[unit].op].id) + " in unit " +
           std::to_string(unit);
  };
  for_each(occupied_, [&](std::uint32_t unit) {
    const Wait wait = wait_of(unit);
    std::string text = label(unit) + " waits: " + std::string(info(wait.reason).name);
    if (wait.unit != no_index) text += ", for " + label(wait.unit);
    sentences.push_back(std::move(text));
  });
  if (!queue_.empty())
    sentences.push_back("operation " + std::to_string(plan_.workload->operations[queue_.front()].id) +
                        " is not issued: " + std::string(name(cause_)));
  return sentences;
}

}  // namespace mobula::scoreboard
