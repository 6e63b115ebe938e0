// Control registers with side effects (4.3), and memory by load and store (3.6).
#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "machines/afuc/devices/devices.h"

namespace mobula::afuc {
namespace {

/// Bit of the register that starts draw states.
constexpr std::uint32_t start_groups = 1u << 2;
// a5xx: bits of a draw state's header above the count, and of the queue that the ME reads (decision 0042).
constexpr std::uint32_t header_dirty = 1, header_disable = 2, header_disable_all = 4, header_now = 8;
constexpr std::uint32_t known_header_bits = 0x1F0F'FFFF;
constexpr std::uint32_t data_of_packet = 4;
constexpr std::size_t most_buffers = 16;  ///< of a level; firmware keeps to 4
enum class CounterCommand : std::uint8_t { none, count, start, stop };

}  // namespace

// ------------------------------------------------------------------------------------------------ control registers

/// Where a register that all cores share is kept; nullptr for others.
std::uint32_t* Devices::shared(std::uint32_t number) {
  if (board_.map == Map::a5xx || number < numbers_.first_shared || number >= 0x300) return nullptr;
  return &board_.shared_control[number - 0x200];
}

void Devices::write_lock(std::uint32_t value) {
  lock_wanted_ = value;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    std::optional<std::uint8_t>& owner = board_.lock_owner[bit];
    if ((value >> bit & 1) == 0 && owner == index_) owner.reset();
  }
}

std::uint32_t Devices::read_lock() {
  std::uint32_t granted = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    std::optional<std::uint8_t>& owner = board_.lock_owner[bit];
    if ((lock_wanted_ >> bit & 1) != 0 && !owner) owner = index_;
    if (owner == index_) granted |= 1u << bit;
  }
  return granted;
}

// ------------------------------------------------------------------------------------------------ draw states

/// Header word of a draw-state group (4.7).
void Devices::set_draw_state(std::uint32_t header) {
  std::uint32_t& active = control_[numbers_.draw.active];
  header_group_ = header >> 24 & 31;
  DrawState& group = groups_[header_group_];
  group.count = header & 0xFFFF;
  group.mask = header >> 20 & 7;
  const bool disable = (header >> 17 & 1) != 0, disable_all = (header >> 18 & 1) != 0;
  if (disable_all) active = 0;
  if (disable) active &= ~(1u << header_group_);
  if (!disable && !disable_all) active |= 1u << header_group_;
}

void Devices::set_draw_state_base(std::uint32_t number, std::uint32_t which, std::uint32_t value) {
  if (number != numbers_.draw.set) return;
  log(Event::Kind::sds_word, which - 1, value);
  if (which <= 2) groups_[header_group_].base[which - 1] = value;
}

/// a660 and later: the hardware goes through the active groups that the mode wants, in order of their numbers, and
/// clears their bits (decision 0012).
void Devices::start_draw_states() {
  std::uint32_t& active = control_[numbers_.draw.active];
  starts_draw_states_ = true;
  pushed_groups_.clear();
  for (std::uint8_t number = 0; number < draw_state_groups; ++number) {
    if ((active >> number & 1) == 0 || (groups_[number].mask & control_[numbers_.draw.mode]) == 0) continue;
    active &= ~(1u << number);
    push_draw_state(number);
  }
}

void Devices::push_draw_state(std::uint8_t number) {
  if (pushed_groups_.size() == draw_state_groups) return;
  DrawState& group = groups_[number];
  group.stream = {(group.base[0] | std::uint64_t{group.base[1]} << 32) & address_mask, group.count};
  pushed_groups_.push_back(number);
}

void Devices::write_draw_state(std::uint32_t number, std::uint32_t value) {
  DrawState& group = groups_[control_[numbers_.draw.select] % draw_state_groups];
  if (number == numbers_.draw.header) {
    group.count = value & 0xFFFF;
    group.mask = value >> 16;
    group.in_doubt = false;
  } else if (number - numbers_.draw.sds_base < 3) {
    group.stream.set_part(number - numbers_.draw.sds_base, value);
  } else {
    group.base[number - numbers_.draw.base] = value;
  }
}

std::uint32_t Devices::read_draw_state(std::uint32_t number) const {
  const DrawState& group = groups_[control_[numbers_.draw.select] % draw_state_groups];
  if (number == numbers_.draw.header) return group.count | group.mask << 16;
  if (number - numbers_.draw.sds_base < 3) return group.stream.part(number - numbers_.draw.sds_base);
  return group.base[number - numbers_.draw.base];
}

// ------------------------------------------------------------------------------------------------ the ME's second
// queue

Fault Devices::cut_state_group() const {
  if (group_words_ == 0) return {};
  return {fmt::format("group {} of draw states has {} of its three words: header and address", header_group_,
                      group_words_)};
}

Fault Devices::take_state_word(std::uint32_t value) {
  DrawState& group = groups_[header_group_];
  switch (group_words_++) {
    case 0:
      return begin_state_group(value);
    case 1:
      group.base[0] = value;
      return {};
    default:
      group.base[1] = value;
      return finish_state_group();
  }
}

Fault Devices::begin_state_group(std::uint32_t header) {
  if ((header & ~known_header_bits) != 0)
    return {fmt::format("{:#010x} is not a header of draw states: nobody knows bits {:#x} on an a5xx", header,
                        header & ~known_header_bits)};
  header_group_ = header >> 24 & 31;
  groups_[header_group_].count = header & 0xFFFF;
  groups_[header_group_].mask = header >> 16;
  return {};
}

/// Firmware loads a group unless it is clean and what was loaded last.
Fault Devices::finish_state_group() {
  group_words_ = 0;
  DrawState& group = groups_[header_group_];
  std::uint32_t &active = control_[numbers_.draw.active], &clean = control_[numbers_.draw.clean];
  const std::uint32_t bit = 1u << header_group_;
  if ((group.mask & header_disable_all) != 0) {
    active = 0;
    for (DrawState& each : groups_) {
      each.count = each.mask = 0;
      each.in_doubt = true;
    }
    return {};
  }
  active &= ~bit;
  if ((group.mask & header_disable) != 0) {
    group.count = group.mask = 0;
    group.in_doubt = true;
    return {};
  }
  if ((group.mask & header_now) == 0) active |= bit;
  if ((group.mask & header_dirty) != 0) {
    clean &= ~bit;
    group.in_doubt = true;
    return {};
  }
  clean |= bit;
  const std::uint64_t address = (group.base[0] | std::uint64_t{group.base[1]} << 32) & address_mask;
  if (group.in_doubt && group.stream.words != 0 && group.stream.address == address)
    return {
        fmt::format("group {} of draw states was loaded from where it is now, and has been disabled or dirty "
                    "since; nobody knows whether an a5xx loads it again without bit 16 of its header",
                    header_group_)};
  return {};
}

std::uint32_t Devices::groups_to_load_now() const {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < draw_state_groups; ++i)
    if ((groups_[i].mask & header_now) != 0) bits |= 1u << i;
  return bits;
}

/// The words are those of now: the PFP waits for the ME before it fetches what that writes.
Fault Devices::fetch_states(std::uint32_t words) {
  if (board_.feeding != this) return {};
  if (words > board_.options.memory_bytes / word_bytes -
                  std::min<std::uint64_t>(board_.options.memory_bytes / word_bytes, board_.states.size()))
    return {counted(words, "word of draw states is", "words of draw states are") +
            " fetched, and there is no room for more"};
  std::uint64_t from = control_[numbers_.state_base] | std::uint64_t{control_[numbers_.state_base + 1]} << 32;
  for (std::uint32_t i = 0; i < words; ++i, from += word_bytes)
    board_.states.push_back(read_memory(from & address_mask));
  give_way();
  return {};
}

/// 1 for the packets of a draw state, 5 for data inside a packet; the a530's images know no other.
Fault Devices::choose_queue(std::uint32_t value) const {
  if (kind_ != CoreKind::me || value == 0 || value == second_queue || value == (second_queue | data_of_packet))
    return {};
  return {fmt::format("the ME chooses queue {:#x}: 0, 1 and 5 are known", value)};
}

/// CP_SKIP_IB2_ENABLE_... leaves the buffer it is in like this. The ring buffer's bit is set where it is switched.
void Devices::reset_buffers(std::uint32_t levels) {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if ((levels >> (i + 1) & 1) != 0) buffers_[i].clear();
}

// ------------------------------------------------------------------------------------------------ indirect buffers

void Devices::Stream::set_part(std::uint32_t index, std::uint32_t value) {
  if (index == 2) {
    words = value;
  } else {
    address = (address & ~(std::uint64_t{0xFFFFFFFF} << (32 * index))) | std::uint64_t{value} << (32 * index);
    address &= address_mask;
  }
}

/// The address is kept until the number of words comes, which puts the buffer after those of its level that have not
/// ended (decision 0016). No words take all of them away.
Fault Devices::write_buffer(std::uint32_t number, std::uint32_t value) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (number != numbers_.ib[i] + 2) continue;
    if (value == 0) {
      buffers_[i].clear();
    } else if (buffers_[i].size() == most_buffers) {
      return {"more indirect buffers are started than there is room for"};
    } else {
      const std::uint64_t address = control_[numbers_.ib[i]] | std::uint64_t{control_[numbers_.ib[i] + 1]} << 32;
      buffers_[i].push_back({address & address_mask, value});
    }
  }
  return {};
}

std::uint32_t Devices::read_buffer(std::uint32_t number) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::uint32_t part = number - numbers_.ib[i];
    if (numbers_.ib[i] == no_register || part > 2) continue;
    return buffers_[i].empty() ? (part == 2 ? 0 : control_[number]) : buffers_[i].front().part(part);
  }
  return control_[number];
}

// ------------------------------------------------------------------------------------------------ preemption, counters

/// The interrupt comes between two instructions, so that it can be left again by iret (3.8).
void Devices::interrupt(std::uint32_t pc) {
  trigger_ = false;
  if (index_ == 0) board_.switch_requested = false;
  in_interrupt_ = true;
  sqe_[sqe_iret_pc] = pc;
  sqe_[sqe_iret_npc] = pc + 1;
  log(Event::Kind::interrupt, pc, 0);
}

std::uint32_t Devices::timer() const {
  const std::uint32_t stored = control_[numbers_.timer];
  return timer_runs_ ? static_cast<std::uint32_t>(stored + instructions() - timer_start_) : stored;
}

void Devices::control_timer(std::uint32_t value) {
  control_[numbers_.timer] = timer();
  timer_start_ = instructions();
  timer_runs_ = (value & 1) != 0;
}

/// Two bits a counter (section 5).
void Devices::command_counters(std::uint32_t commands) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    switch (static_cast<CounterCommand>(commands >> (2 * i) & 3)) {
      case CounterCommand::none:
        break;
      case CounterCommand::count:
        ++counter.count;
        break;
      case CounterCommand::start:
        counter.start = instructions();
        break;
      case CounterCommand::stop:
        if (counter.start) counter.instructions += instructions() - *counter.start;
        counter.start.reset();
        break;
    }
  }
}

// ------------------------------------------------------------------------------------------------ reading, writing

/// Words for another core (decision 0012).
Fault Devices::pass_on(std::uint32_t number, std::uint32_t value) {
  log(Event::Kind::forward, number, value);
  Devices* const further = board_.further[index_];
  if (further != nullptr && !further->take(value)) return {"the queue to the other core is full"};
  give_way();
  return {};
}

std::vector<std::uint32_t> Devices::doubtful_registers() const {
  const auto is_of_draw_states = [&](ControlFunction function) {
    return function == ControlFunction::draw_state_push || function == ControlFunction::draw_state_start ||
           function == ControlFunction::draw_state_status || function == ControlFunction::draw_state_ready;
  };
  std::vector<std::uint32_t> found;
  for (std::uint32_t number = 0; number < control_registers; ++number) {
    if (!used_[number] || (kind_ == CoreKind::me && numbers_.function[number] == ControlFunction::register_read))
      continue;
    const Status status = control_register_status(board_.map, number);
    // Names of these say something else (decision 0012).
    if (status == Status::inferred || status == Status::unknown || is_of_draw_states(numbers_.function[number]))
      found.push_back(number);
  }
  return found;
}

Fault Devices::write_control(std::uint32_t number, std::uint32_t value) {
  number %= control_registers;
  const ControlNumbers& numbers = numbers_;
  if (numbers.function[number] != ControlFunction::storage) used_.set(number);
  if (board_.options.control_events) log(Event::Kind::control_write, number, value);
  std::uint32_t* stored = shared(number);
  (stored != nullptr ? *stored : control_[number]) = value;
  switch (numbers.function[number]) {
    case ControlFunction::storage:
    case ControlFunction::stream_status:
    case ControlFunction::draw_state_status:
    case ControlFunction::draw_state_ready:
    case ControlFunction::draw_state_now:
      return {};
    case ControlFunction::draw_state_first:
      if (Fault fault = cut_state_group()) return fault;
      return take_state_word(value);
    case ControlFunction::draw_state_word:
      return take_state_word(value);
    case ControlFunction::state_words:
      if (kind_ == CoreKind::pfp && number == numbers.state_base + 2) return fetch_states(value);
      if (kind_ == CoreKind::me && number == numbers.read_count) states_left_ = value;
      return {};
    case ControlFunction::queue_choice:
      return choose_queue(value);
    case ControlFunction::buffer_reset:
      if (kind_ == CoreKind::pfp) reset_buffers(value);
      return {};
    case ControlFunction::register_write: {
      std::uint32_t& address = control_[numbers.write_address];
      const std::uint32_t reg = address & 0xFFFF;
      address = (address & ~0xFFFFu) | ((reg + 1) & 0xFFFF);
      return write_gpu(reg, value, false);
    }
    case ControlFunction::register_read: {
      if (kind_ == CoreKind::me) return {};  // it reads by $addr; draws keep something else in this register
      const std::uint32_t count = std::max(1u, control_[numbers.read_count]);
      control_[numbers.read_count] = 0;
      return queue_reads(register_reads_, value % gpu_registers, count);
    }
    case ControlFunction::memory_high:
      control_[numbers.memory_address + 1] = value;
      return {};
    case ControlFunction::memory_read: {
      const std::uint64_t from = control_[numbers.memory_address] | std::uint64_t{control_[numbers.memory_address + 1]}
                                                                        << 32;
      return queue_reads(memory_reads_, from & address_mask, value);
    }
    case ControlFunction::table_write: {
      std::uint32_t& at = control_[numbers.table_address];
      table_[at % table_.size()] = value;
      ++at;
      return {};
    }
    case ControlFunction::pending_increment:
      if (!counts_pending()) return {};
      for (std::size_t i = 0; i < 3; ++i)
        if (numbers.pending_increment[i] == number) ++control_[numbers.pending[i]];
      return {};
    case ControlFunction::buffer:
      return write_buffer(number, value);
    case ControlFunction::look_ahead:
      looked_ahead_ = 0;
      return {};
    case ControlFunction::draw_state_header:
      set_draw_state(value);
      return {};
    case ControlFunction::draw_state_selected:
      write_draw_state(number, value);
      return {};
    case ControlFunction::draw_state_push:
      starts_draw_states_ = false;
      push_draw_state(static_cast<std::uint8_t>(value % draw_state_groups));
      return {};
    case ControlFunction::draw_state_start:
      if ((value & start_groups) != 0) start_draw_states();
      return {};
    case ControlFunction::preempt_trigger:
      trigger_ = (value & 1) != 0;
      if (trigger_ && processor_ != nullptr) processor_->pause();
      return {};
    case ControlFunction::context_switch:
      if (numbers.context_switch != no_register) board_.gpu[numbers.context_switch] = value;
      return {};
    case ControlFunction::preemption_timer:
      timer_start_ = instructions();
      return {};
    case ControlFunction::timer_control:
      control_timer(value);
      return {};
    case ControlFunction::performance:
      command_counters(value);
      return {};
    case ControlFunction::error:
      if (value != 0) log(Event::Kind::error, number, value);
      return {};
    case ControlFunction::forward:
      return pass_on(number, value);
    case ControlFunction::lock:
      write_lock(value);
      return {};
    case ControlFunction::start_core:
      for (const ControlNumbers::Start& each : numbers.starts)
        if (each.control == number && value == 1)
          ask_for_start({each.name, control_[each.base] | std::uint64_t{control_[each.base + 1]} << 32, each.base});
      return {};
  }
  return {};
}

std::uint32_t Devices::read_control(std::uint32_t number) {
  number %= control_registers;
  const ControlNumbers& numbers = numbers_;
  if (numbers.function[number] != ControlFunction::storage) used_.set(number);
  if (const std::uint32_t* stored = shared(number)) return *stored;
  switch (numbers.function[number]) {
    case ControlFunction::stream_status:
      return has_word() ? 3 : 0;
    case ControlFunction::buffer:
      return read_buffer(number);
    case ControlFunction::lock:
      return read_lock();
    case ControlFunction::draw_state_selected:
      return read_draw_state(number);
    case ControlFunction::draw_state_status:
      if (starts_draw_states_) return pushed_groups_.empty() ? 3 : 1;
      return 0;
    case ControlFunction::draw_state_ready:
      return pushed_groups_.empty() ? 0 : 1;
    case ControlFunction::preemption_timer:
      return timer();
    case ControlFunction::context_switch:
      return numbers.context_switch == no_register ? control_[number] : board_.gpu[numbers.context_switch];
    case ControlFunction::draw_state_now:
      return groups_to_load_now();
    case ControlFunction::storage:
    case ControlFunction::draw_state_first:
    case ControlFunction::draw_state_word:
    case ControlFunction::state_words:
    case ControlFunction::queue_choice:
    case ControlFunction::buffer_reset:
    case ControlFunction::register_write:
    case ControlFunction::register_read:
    case ControlFunction::memory_read:
    case ControlFunction::memory_high:
    case ControlFunction::table_write:
    case ControlFunction::pending_increment:
    case ControlFunction::look_ahead:
    case ControlFunction::draw_state_header:
    case ControlFunction::draw_state_push:
    case ControlFunction::draw_state_start:
    case ControlFunction::preempt_trigger:
    case ControlFunction::timer_control:
    case ControlFunction::performance:
    case ControlFunction::error:
    case ControlFunction::forward:
    case ControlFunction::start_core:
      return control_[number];
  }
  return control_[number];
}

/// What firmware asks of groups is known when their words have come.
Fault Devices::read_control_port(std::uint32_t number, std::uint32_t& value) {
  number %= control_registers;
  const bool asks_groups =
      numbers_.state_base != no_register && kind_ == CoreKind::pfp &&
      (number == numbers_.draw.active || numbers_.function[number] == ControlFunction::draw_state_now);
  if (asks_groups)
    if (Fault fault = cut_state_group()) return fault;
  value = read_control(number);
  return {};
}

/// Sizes below a dword are inferred (2.5).
Fault Devices::access_memory(bool is_store, std::uint32_t offset, MemoryAccess access, std::uint32_t& value) {
  const bool alternative = access.window && numbers_.load_store_high_alternative != no_register;  // 3.6
  const std::uint32_t high_register = alternative ? numbers_.load_store_high_alternative : numbers_.load_store_high;
  const std::uint64_t address = (offset | std::uint64_t{control_[high_register]} << 32) & address_mask;
  const std::uint32_t bits = access.size == 1 ? 8 : access.size == 2 ? 16 : 32;
  const std::uint32_t shift = bits == 32 || board_.map == Map::a5xx ? 0 : 8 * (offset & 3);
  const std::uint32_t mask = (bits == 32 || board_.map == Map::a5xx ? ~0u : (1u << bits) - 1) << shift;
  if (!is_store) {
    value = (read_memory(address) & mask) >> shift;
    return {};
  }
  if (mask == ~0u) return write_memory(address, value);
  return write_memory(address, (board_.memory.read(address) & ~mask) | (value << shift & mask));
}

}  // namespace mobula::afuc
