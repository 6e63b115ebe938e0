#include "scoreboard/core/core.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "scoreboard/core/data.h"
#include "scoreboard/core/issue.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

bool is_plain(const Config& config) {
  return !config.ports.per_operand && config.waw != Waw::rename && config.forwarding == Forwarding::none &&
         !config.issue.together && !config.virtual_registers.until_completion;
}

template <class Set, bool Plain>
CoreOf<Set, Plain>::CoreOf(const Config& config, const Plan& plan, bool watched)
    : config_(config),
      plan_(plan),
      watched_(watched),
      unit_count_(config.units()),
      units_(unit_count_),
      renaming_(config, plan),
      virtual_(config, plan, static_cast<std::uint32_t>(renaming_.physical_registers())),
      reading_{true, config.ports.read, pickers(config.ports.priority),
               BankPorts(config, config.banks.read, true, plan.counts_banks), conflicts_.read_grant},
      writing_{false, config.ports.write, pickers(config.ports.priority),
               BankPorts(config, config.banks.write, false, plan.counts_banks), conflicts_.write_grant},
      registers_(is_renaming() ? renaming_.initial() : plan.initial),
      memory_(plan.memory),
      times_(plan.operations.size()),
      outcomes_(plan.operations.size(), Outcome::open) {
  std::uint32_t first = 0;
  for (const Group& group : config.groups) {
    GroupState state;
    state.units = first_units(group.units) << first;
    for (std::uint32_t low = 0; low + 1 < group.units; low += 2) state.low_halves |= bit(first + low);
    state.free_at.assign(group.alus, 0);
    groups_.push_back(std::move(state));
    first += group.units;
  }
  due_.assign(std::bit_ceil(plan.longest_latency + 2u), 0);
  due_mask_ = static_cast<std::uint32_t>(due_.size() - 1);
  readers_.assign(virtual_.rows(), 0);
  writers_.assign(virtual_.rows(), 0);
  if (is_renaming()) renamed_.resize(unit_count_);
  if (keeps_rows()) holders_.assign(virtual_.rows(), 0);
  if (watched_) {
    pending_reads_.assign(virtual_.rows(), 0);
    pending_writes_.assign(virtual_.rows(), 0);
    registers_in_clock_.assign(virtual_.rows(), VirtualRegisters::none);
  }
  if (!per_operand()) reads_[0] = writes_[0] = first_units(unit_count_);
  queue_.reserve(2 * std::size_t{config.issue.queue} + 16);
  fetch();
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::finished() const {
  return occupied_ == 0 && queue_empty() && next_fetch_ == plan_.operations.size();
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::step() {
  ++clock_;
  look_at_latches();
  update_valid();
  // A read that sees the write of its own clock needs to know that write first.
  if (writes_through()) grant_writes();
  grant_reads();
  if (!writes_through()) grant_writes();
  start();
  resolve_branches();
  resolve_traps();
  issue();
  if (watched_) watch();
  move_data();
  clear_cells();
  clock_edge();
}

template <class Set, bool Plain>
std::uint64_t CoreOf<Set, Plain>::pass_idle_clocks(std::uint64_t most) {
  std::uint32_t clocks = 0;
  while (clocks < most && due_in(clock_ + clocks + 1) == 0) ++clocks;
  if (clocks < 2) return 0;
  const Conflicts before = conflicts_;
  step();
  // What was put off in one clock is put off in each.
  const std::uint32_t more = clocks - 1;
  const auto repeat = [&](std::uint64_t Conflicts::*count) {
    conflicts_.*count += more * (conflicts_.*count - before.*count);
  };
  for (const auto count :
       {&Conflicts::read_grant, &Conflicts::write_grant, &Conflicts::read_bank, &Conflicts::write_bank,
        &Conflicts::lane_mux, &Conflicts::byte_crossbar, &Conflicts::alu, &Conflicts::memory})
    repeat(count);
  clock_ += more;
  now_.clock = clock_;
  return clocks;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::look_at_latches() {
  now_.clock = clock_;
  now_.queue = static_cast<std::uint32_t>(queue_.size() - queue_head_);
  now_.virtual_rows = is_renaming() ? renaming_.in_use() : virtual_.in_use();
  granted_ = started_ = end_ = die_ = issued_ = safe_ = valid_now_ = 0;
  issue_count_ = 0;
  progress_ = branch_resolved_ = false;

  opc_ = (opc_ & ~(end_last_ | die_last_)) | issue_last_;
  now_.busy = opc_;
  Set asking = 0;
  for (std::uint32_t k = 0; k < read_ports(); ++k) {
    source_[k] = (source_[k] & ~(go_rd_last_[k] | die_last_)) | (issue_last_ & reads_[k]);
    asking |= source_[k];
  }
  now_.rd_rel = asking & opc_;
  for (std::uint32_t k = 0; k < write_ports(); ++k)
    request_[k] = (request_[k] & ~(go_wr_last_[k] | die_last_)) | (loaded_last_ & writes_[k]);
  // A multi-port unit without sources has nothing to ask for.
  loaded_ = issue_last_ & ~asking;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::update_valid() {
  if (Set& due = due_in(clock_); due != 0) {
    for_each(due, [&](std::uint32_t leader) { times_[units_[leader].op].complete = clock_ - 1; });
    executing_ &= ~due;
    valid_now_ = with_high_halves(due);
    valid_ |= valid_now_;
    due = 0;
  }
  if (!latches_results()) return;
  forwardable_ = 0;
  // A result on one way of an open branch may never come to be.
  for_each(valid_, [&](std::uint32_t unit) {
    if (!has(speculation_.any(), unit) || plan_.operations[units_[unit].op].branch == no_operation)
      forwardable_ |= bit(unit);
  });
}

// ---- Grants ----

template <class Set, bool Plain>
Set CoreOf<Set, Plain>::whole_pairs(Set requests, Set uses) const {
  if (lockstep_low_halves() == 0) return requests;
  // A narrow operand is in the low half only.
  return (requests & ~(pair_low_ | pair_high_)) | (requests & pair_low_ & (requests | ~uses) >> 1);
}

template <class Set, bool Plain>
std::span<const PlannedOperand> CoreOf<Set, Plain>::operands_of(const Direction& direction, std::uint32_t unit,
                                                                std::uint32_t port) const {
  const Unit& row = units_[unit];
  const auto all = direction.reads ? row.planned_sources() : row.planned_destinations();
  if (!per_operand()) return all;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].port == port) return all.subspan(i, i + 1 < all.size() && all[i + 1].port == port ? 2 : 1);
  return {};
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::take_ports(Direction& direction, std::uint32_t unit, std::uint32_t port) {
  BankPorts& banks = direction.banks;
  if (banks.unlimited()) return true;
  const bool pair = (lockstep_low_halves() & bit(unit)) != 0;
  const UnitOperands own{unit, operands_of(direction, unit, port)};
  if (banks.counted()) {
    const PlannedOperation& planned = plan_.operations[units_[unit].op];
    const BankCounts accesses = direction.reads ? planned.reads : planned.writes;
    if (!pair) return banks.take_counted(accesses, own, {}, conflicts_);
    return banks.take_counted(accesses, own, {unit + 1, operands_of(direction, unit + 1, port)}, conflicts_);
  }
  const std::size_t before = banks.mark();
  if (!banks.take(own, units_[unit].leader, conflicts_)) return false;
  if (!pair || banks.take({unit + 1, operands_of(direction, unit + 1, port)}, unit, conflicts_)) return true;
  banks.undo(before);
  return false;
}

template <class Set, bool Plain>
Set CoreOf<Set, Plain>::pick(Direction& direction, Set requests, std::uint32_t port) {
  if (requests == 0) return 0;
  const Set high_halves = lockstep_low_halves();
  Set left = whole_pairs(requests, direction.reads ? reads_[port] : writes_[port]), granted = 0;
  if (direction.grants == 0 && direction.banks.unlimited()) return left | ((left & high_halves) << 1 & requests);
  for (std::uint32_t grants = 0; left != 0;) {
    if (direction.grants != 0 && grants == direction.grants) {
      direction.refused += count(left);
      break;
    }
    const std::uint32_t unit = direction.pickers[port].next(left, [&](std::uint32_t u) { return units_[u].op; });
    left &= ~bit(unit);
    if (!take_ports(direction, unit, port)) continue;
    granted |= bit(unit) | ((bit(unit) & high_halves) << 1 & requests);
    direction.pickers[port].granted(unit);
    ++grants;
  }
  return granted;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::grant_reads() {
  Set waiting = waiting_to_read();
  if (writes_through()) {
    waiting = 0;
    for (std::uint32_t k = 0; k < write_ports(); ++k) waiting |= w_[k].any_but(go_wr_[k]);
  }
  const Set readable = all_units() & ~waiting;
  now_.readable = readable;
  reading_.banks.begin_clock();
  Set granted = 0;
  for (std::uint32_t k = 0; k < read_ports(); ++k) {
    go_rd_[k] = pick(reading_, source_[k] & opc_ & readable, k);
    granted |= go_rd_[k];
  }
  loaded_ |= granted & ~still_to_read();
  now_.go_rd = granted;
  granted_ |= granted;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::grant_writes() {
  const Set writable = all_units() & ~waiting_to_write();
  now_.writable = writable;
  const Set held = order_.any() | speculation_.any() | with_high_halves((memory_hold_.any() & stores_) | taking_);
  const Set able = valid_ & opc_ & ~held;
  writing_.banks.begin_clock();
  Set requesting = 0, asking = 0, granted = 0;
  for (std::uint32_t k = 0; k < write_ports(); ++k) {
    const Set requests = able & request_[k];
    requesting |= requests;
    asking |= writes_[k];
    go_wr_[k] = pick(writing_, requests & writable, k);
    granted |= go_wr_[k];
  }
  written_ |= granted & ~still_to_write();
  now_.req_rel = requesting;
  now_.go_wr = granted;
  granted_ |= granted;
  // A multi-port unit that writes nothing ends when its ALU does.
  written_ |= able & writable & ~asking;
  const Set low_halves = written_ & pair_low_ & written_ >> 1;
  end_ = (written_ & ~(pair_low_ | pair_high_)) | low_halves | low_halves << 1;
}

// ---- Execution ----

template <class Set, bool Plain>
void CoreOf<Set, Plain>::start() {
  if ((loaded_ | waiting_to_start_) == 0) return;
  const Set both_loaded = (loaded_ | loaded_ >> 1) & pair_low_ & ~(still_to_read() | still_to_read() >> 1);
  const Set ready = (loaded_ & ~(pair_low_ | pair_high_)) | both_loaded;
  waiting_to_start_ |= ready;
  for_each(ready & (loads_ | stores_), [&](std::uint32_t leader) { compare_addresses(leader); });
  for_each(waiting_to_start_, [&](std::uint32_t leader) {
    Unit& unit = units_[leader];
    if (has(loads_ & memory_hold_.any(), leader)) {
      ++conflicts_.memory;
      return;
    }
    const PlannedOperation& planned = plan_.operations[unit.op];
    std::vector<std::uint32_t>& alus = groups_[unit.group].free_at;
    if (!alus.empty()) {
      const auto alu = std::ranges::find_if(alus, [&](std::uint32_t free_at) { return free_at <= clock_; });
      if (alu == alus.end()) {
        ++conflicts_.alu;
        progress_ = true;  // it becomes free by itself
        return;
      }
      *alu = clock_ + planned.interval;
    }
    started_ |= bit(leader);
    unit.valid_at = clock_ + 1 + planned.latency;
    due_in(unit.valid_at) |= bit(leader);
    times_[unit.op].start = clock_;
  });
  waiting_to_start_ &= ~started_;
  executing_ |= started_;
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::addresses_differ(const Operation& a, const Operation& b) const {
  if (!config_.memory.match_addresses) return false;
  // Bits 0..3 and the length are a byte mask of one or two lines of 16 bytes; above them, only some bits are compared.
  const auto upper = [&](std::uint64_t line) {
    const std::uint64_t address = line << 4, one = 1;
    return address & (config_.memory.high_bit >= 63 ? ~std::uint64_t{0} : (one << (config_.memory.high_bit + 1)) - 1) &
           ~((one << config_.memory.low_bit) - 1);
  };
  const auto mask = [](const Operation& op, std::uint64_t line) {
    const std::uint64_t first = op.address & 15, bits = ((std::uint64_t{1} << op.memory_bytes) - 1) << first;
    return line == op.address >> 4 ? bits & 0xffff : bits >> 16;
  };
  for (std::uint64_t x = a.address >> 4; x <= (a.address + a.memory_bytes - 1) >> 4; ++x)
    for (std::uint64_t y = b.address >> 4; y <= (b.address + b.memory_bytes - 1) >> 4; ++y)
      if (upper(x) == upper(y) && (config_.memory.low_bit > 4 || (mask(a, x) & mask(b, y)) != 0)) return false;
  return true;
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::compare_addresses(std::uint32_t unit) {
  address_known_ |= bit(unit);
  if (memory_hold_.any() == 0) return;
  const auto release = [&](std::uint32_t waiting, std::uint32_t on) {
    if (addresses_differ(operation_at(units_[waiting].op), operation_at(units_[on].op)))
      memory_hold_.clear(waiting, on);
  };
  const Set others = address_known_ & (loads_ | stores_);
  for_each(others & memory_hold_.row(unit), [&](std::uint32_t other) { release(unit, other); });
  for_each(others & memory_hold_.column(unit), [&](std::uint32_t other) { release(other, unit); });
}

// ---- Branches and traps (§2.9, §7) ----

template <class Set, bool Plain>
Set CoreOf<Set, Plain>::units_of_operation(std::uint32_t unit) const {
  if (has(pair_low_, unit)) return bit(unit) | bit(unit + 1);
  if (has(pair_high_, unit)) return bit(unit) | bit(unit - 1);
  return bit(unit);
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::resolve_branches() {
  for_each(end_ & branches_, [&](std::uint32_t branch) {
    const std::uint32_t op = units_[branch].op;
    outcomes_[op] = units_[branch].ok ? Outcome::ok : Outcome::not_ok;
    safe_ |= bit(branch);
    branch_resolved_ = true;
    for_each(speculation_.any(), [&](std::uint32_t unit) {
      if (plan_.operations[units_[unit].op].branch == op && wrong_path(units_[unit].op)) die_ |= bit(unit);
    });
  });
}

template <class Set, bool Plain>
bool CoreOf<Set, Plain>::leaves_branch(std::uint32_t op) const {
  const std::uint32_t branch = plan_.operations[op].branch;
  if (outcomes_[branch] == Outcome::open) return false;
  return (operation_at(op).path == Path::if_ok) != (outcomes_[branch] == Outcome::ok);
}

template <class Set, bool Plain>
void CoreOf<Set, Plain>::resolve_traps() {
  if (traps_ == 0) return;
  safe_ |= valid_ & traps_ & ~taking_;
  for_each(valid_ & taking_, [&](std::uint32_t unit) {
    bool oldest = true;
    for_each(opc_, [&](std::uint32_t other) { oldest &= units_[other].op >= units_[unit].op; });
    if (!oldest) return;
    trapped_ = units_[unit].op;
    die_ |= opc_;
  });
}

// ---- Sentences ----

namespace {

/// " waits: " and a name, or " waits because " and a sentence inside another.
std::string said(StallReason reason, Wording wording) {
  if (reason == StallReason::none) return " executes";
  if (wording == Wording::names) return " waits: " + std::string(info(reason).name);
  std::string why(info(reason).sentence);
  why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
  if (why.ends_with('.')) why.pop_back();
  return " waits because " + why;
}

std::string said(Cause cause, Wording wording) {
  if (wording == Wording::names) return " is not issued: " + std::string(name(cause));
  return " is not issued, because " + std::string(sentence(cause));
}

}  // namespace

template <class Set, bool Plain>
std::vector<std::string> CoreOf<Set, Plain>::waits(Wording wording) const {
  std::vector<std::string> sentences;
  const auto label = [&](std::uint32_t unit) {
    return "operation " + std::to_string(plan_.workload->operations[units_[unit].op].id) + " in unit " +
           std::to_string(unit);
  };
  for_each(occupied_, [&](std::uint32_t unit) {
    const Wait wait = wait_of(unit);
    std::string text = label(unit) + said(wait.reason, wording);
    if (wait.unit != no_index) text += ", for " + label(wait.unit);
    sentences.push_back(std::move(text));
  });
  if (!queue_empty() && cause_ != Cause::issued)
    sentences.push_back("operation " + std::to_string(plan_.workload->operations[queued().front()].id) +
                        said(cause_, wording));
  return sentences;
}

template class CoreOf<std::uint64_t, true>;
template class CoreOf<std::uint64_t, false>;
template class CoreOf<Units, false>;

}  // namespace mobula::scoreboard
