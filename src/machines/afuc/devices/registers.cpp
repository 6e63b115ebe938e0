// What $addr, $usraddr and $data reach: GPU and pipe registers, and memory (4.2, 4.4, 4.5).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machines/afuc/devices/devices.h"
#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {
namespace {

// Bits of what $addr and $usraddr take (4.2).
constexpr std::uint32_t fixed_address = 1u << 18, read_or_test = 1u << 20, modify = 1u << 23;

constexpr std::uint32_t nrt_fixed = 2;

// Memory ports of the a5xx ME (4.5).
constexpr std::uint32_t me_read_low = 0x80D, me_read_high = 0x80E, me_read_count = 0x80F, me_write_low = 0x810,
                        me_write_high = 0x811, me_write_data = 0x812;
// The same as the first description of the instruction set has them (decision 0032): data of the address above.
constexpr std::uint32_t me_document_data = 0x810;
// What events write to memory on the a5xx ME, and how (decision 0020).
constexpr std::uint32_t me_event_control = 0x813, me_event_address = 0x814, me_event_data = 0x816;
constexpr std::uint32_t event_time = 2;       // of the control word up to a6xx
constexpr std::uint32_t event_to_memory = 1;  // of that of a7xx and later
constexpr unsigned event_kind = 3;            // its shift
enum class EventValue : std::uint8_t { word = 1, two_words = 2, time = 3 };
// LPAC of an a660 (3.11).
constexpr std::uint32_t lpac_start = 0xB81, lpac_base_low = 0xB82, lpac_base_high = 0xB83;

}  // namespace

// ------------------------------------------------------------------------------------------------ registers, memory

std::uint32_t Devices::read_memory(std::uint64_t address) {
  const std::uint32_t value = board_.memory.read(address);
  spend(&Spent::memory_reads);
  if (board_.options.read_events) log(Event::Kind::memory_read, address, value);
  return value;
}

Fault Devices::write_memory(std::uint64_t address, std::uint32_t value) {
  address &= address_mask & ~std::uint64_t{3};
  log(Event::Kind::memory_write, address, value);
  spend(&Spent::memory_writes);
  if (board_.memory.write(address, value)) return {};
  return {fmt::format("the limit of {} bytes of memory is reached at {:#x}", board_.options.memory_bytes, address)};
}

std::uint32_t Devices::read_gpu(std::uint32_t number) {
  number %= gpu_registers;
  const std::uint32_t value = board_.gpu[number];
  spend(&Spent::register_reads);
  if (board_.options.read_events) log(Event::Kind::gpu_read, number, value);
  return value;
}

/// Whether a packet must not write this register. Layout of CP_PROTECT as kernel drivers fill it.
bool Devices::is_protected(std::uint32_t number) const {
  const ControlNumbers& numbers = numbers_;
  if (numbers.protect == no_register || numbers.protect_cntl == no_register) return false;
  if ((board_.gpu[numbers.protect_cntl] & 1) == 0) return false;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t range = board_.gpu[numbers.protect + i];
    if (range == 0) continue;
    if (board_.map == Map::a5xx) {
      const std::uint32_t first = (range & 0xFFFFF) >> 2, size = 1u << (range >> 24 & 0x1F);
      if ((range >> 29 & 1) != 0 && number - first < size) return true;
    } else if (number - (range & 0x3FFFF) <= (range >> 18 & 0x1FFF)) {
      return true;
    }
  }
  return false;
}

Fault Devices::write_gpu(std::uint32_t number, std::uint32_t value, bool checked) {
  number %= gpu_registers;
  if (checked && is_protected(number)) {
    log(Event::Kind::violation, number, value);
    return {};
  }
  log(Event::Kind::gpu_write, number, value);
  spend(&Spent::register_writes);
  if (number == numbers_.wait_for_idle) spend(&Spent::waits);
  std::vector<std::uint32_t>& gpu = board_.gpu;
  board_.write_gpu(number, value);
  if (kind_ == CoreKind::me) {
    if (number == me_read_count) {
      const std::uint64_t from = gpu[me_read_low] | std::uint64_t{gpu[me_read_high]} << 32;
      return queue_reads(memory_reads_, from & address_mask, value);
    }
    if (number == me_write_data) {
      const std::uint64_t to = gpu[me_write_low] | std::uint64_t{gpu[me_write_high]} << 32;
      gpu[me_write_low] = static_cast<std::uint32_t>(to + 4);
      gpu[me_write_high] = static_cast<std::uint32_t>((to + 4) >> 32);
      return write_memory(to, value);
    }
    if (number == me_event_data) {
      const std::uint64_t to = gpu[me_event_address] | std::uint64_t{gpu[me_event_address + 1]} << 32;
      return (gpu[me_event_control] & event_time) != 0 ? write_event(to, 2, instructions()) : write_event(to, 1, value);
    }
    if (number == numbers_.wait_done && board_.feeding != nullptr) board_.feeding->finish_pending(0);
  }
  if (board_.map == Map::a6xx && number == lpac_start && value == 1)
    ask_for_start({"LPAC", gpu[lpac_base_low] | std::uint64_t{gpu[lpac_base_high]} << 32});
  return {};
}

/// What it does concerns a core that waits, or one that is not there yet: that is to have its turn.
void Devices::give_way() {
  gives_way_ = true;
  if (processor_ != nullptr) processor_->pause();
}

void Devices::ask_for_start(const CoreStart& wanted) {
  board_.starts.push_back(wanted);
  give_way();
}

void Devices::finish_pending(unsigned counter) {
  const std::uint32_t reg = numbers_.pending[counter];
  if (reg != no_register && control_[reg] != 0) --control_[reg];
}

/// The last data register has been written: the event happens at once, and leaves in memory what its control word says
/// (decision 0020).
Fault Devices::finish_event(std::uint32_t number) {
  const PipeNumbers& numbers = numbers_.pipe;
  const std::uint64_t to = pipe_[numbers.event_address] | std::uint64_t{pipe_[numbers.event_address + 1]} << 32;
  const std::uint32_t control = pipe_[numbers.event_control], last = pipe_[number];
  if (board_.map == Map::a6xx)
    return (control & event_time) != 0 ? write_event(to, 2, instructions()) : write_event(to, 1, last);
  if ((control & event_to_memory) == 0) return {};
  const std::uint32_t low = pipe_[numbers.event_data];
  switch (static_cast<EventValue>(control >> event_kind & 7)) {
    case EventValue::word:
      return write_event(to, 1, low);
    case EventValue::two_words:
      return write_event(to, 2, low | std::uint64_t{last} << 32);
    case EventValue::time:
      return write_event(to, 2, instructions());
  }
  return {};  // nothing is known of the others
}

Fault Devices::write_event(std::uint64_t address, std::uint32_t words, std::uint64_t value) {
  for (std::uint32_t i = 0; i < words; ++i)
    if (Fault fault =
            write_memory(address + std::uint64_t{word_bytes} * i, static_cast<std::uint32_t>(value >> 32 * i)))
      return fault;
  return {};
}

void Devices::select_pipe(std::uint32_t number) {
  log(Event::Kind::pipe_select, number, 0);
  switch (numbers_.pipe.roles[number]) {
    case PipeRole::wait:
      spend(&Spent::waits);
      return;
    case PipeRole::wait_done:
      return finish_pending(0);
    case PipeRole::query_done:
      return finish_pending(1);
    case PipeRole::storage:
    case PipeRole::write_address:
    case PipeRole::write_address_high:
    case PipeRole::write_data:
    case PipeRole::read_count:
    case PipeRole::event:
    case PipeRole::event_address:
    case PipeRole::event_address_high:
    case PipeRole::event_control:
    case PipeRole::event_data:
    case PipeRole::event_last:
      return;
  }
}

Fault Devices::write_pipe(std::uint32_t number, std::uint32_t value) {
  log(Event::Kind::pipe_write, number, value);
  pipe_[number] = value;
  switch (numbers_.pipe.roles[number]) {
    case PipeRole::event:
      finish_pending(2);
      return {};
    case PipeRole::event_last:
      return finish_event(number);
    case PipeRole::write_data:
      return write_through_pipe(value);
    case PipeRole::storage:
    case PipeRole::wait:
    case PipeRole::wait_done:
    case PipeRole::query_done:
    case PipeRole::write_address:
    case PipeRole::write_address_high:
    case PipeRole::read_count:
    case PipeRole::event_address:
    case PipeRole::event_address_high:
    case PipeRole::event_control:
    case PipeRole::event_data:
      return {};
  }
  return {};
}

Fault Devices::write_through_pipe(std::uint32_t value) {
  std::uint32_t &low = pipe_[numbers_.pipe.write_address], &high = pipe_[numbers_.pipe.write_address + 1];
  const std::uint64_t to = low | std::uint64_t{high} << 32;
  if ((low & 3) != nrt_fixed) {
    low = static_cast<std::uint32_t>(to + 4);
    high = static_cast<std::uint32_t>((to + 4) >> 32);
  }
  return write_memory(to, value);
}

Fault Devices::write_address(std::uint32_t value, bool checked) {
  address_ = value;
  address_checked_ = checked;
  const std::uint32_t pipe = value >> 24;
  if (pipe != 0) {
    select_pipe(pipe);
  } else if (kind_ == CoreKind::me && (value & modify) != 0) {
    if (board_.rmw_stops) return {"a register is to be modified by the hardware, and the policy rmw is trap"};
    if ((value & read_or_test) != 0) modified_ = value % gpu_registers;
  } else if (kind_ == CoreKind::me && (value & read_or_test) != 0) {
    const std::uint32_t count = std::max(1u, pipe_[numbers_.pipe.read_count]);
    pipe_[numbers_.pipe.read_count] = 0;
    return queue_reads(register_reads_, value % gpu_registers, count);
  }
  return {};
}

Fault Devices::write_data(std::uint32_t value) {
  if (kind_ == CoreKind::pfp) {
    log(Event::Kind::forward, 0, value);
    if (board_.meq.size() >= board_.options.memory_bytes / 4) return {"the queue to the ME is full"};
    board_.meq.push_back(value);
    give_way();
    return {};
  }
  if (kind_ == CoreKind::me && (address_ & modify) != 0) return modify_register(value);
  if (kind_ == CoreKind::me && board_.ports_of_document && address_ == me_document_data)
    return write_document_port(value);
  const bool fixed = (address_ & fixed_address) != 0;
  if (const std::uint32_t pipe = address_ >> 24; pipe != 0) {
    if (!fixed) address_ += 0x0100'0000;
    return write_pipe(pipe, value);
  }
  if (kind_ == CoreKind::sqe && (address_ & read_or_test) != 0) {
    if (numbers_.test_result != no_register)
      control_[numbers_.test_result] = 1 | (is_protected(address_ % gpu_registers) ? 4u : 0u);
    return {};
  }
  const std::uint32_t number = address_ % gpu_registers;
  if (!fixed) address_ = (address_ & ~(gpu_registers - 1)) | (number + 1) % gpu_registers;
  return write_gpu(number, value, address_checked_);
}

/// The mask comes first, to the register's own address; then the bits to be set, to the count of the rotation.
Fault Devices::modify_register(std::uint32_t value) {
  if ((address_ & read_or_test) != 0) {
    modify_mask_ = value;
    return {};
  }
  const std::uint32_t old = board_.gpu[modified_];
  const int count = static_cast<int>(address_ & 31);
  return write_gpu(modified_, std::rotl(old & modify_mask_, count) | value, address_checked_);
}

/// The address of memory in the ME's registers, which counts up.
std::uint64_t Devices::next_document_address() {
  std::vector<std::uint32_t>& gpu = board_.gpu;
  const std::uint64_t at = gpu[me_read_low] | std::uint64_t{gpu[me_read_high]} << 32;
  gpu[me_read_low] = static_cast<std::uint32_t>(at + word_bytes);
  gpu[me_read_high] = static_cast<std::uint32_t>((at + word_bytes) >> 32);
  return at & address_mask;
}

Fault Devices::write_document_port(std::uint32_t value) {
  log(Event::Kind::gpu_write, me_document_data, value);
  return write_memory(next_document_address(), value);
}

/// $addr as a source: memory behind the ports, otherwise the register that is addressed.
std::uint32_t Devices::read_document_port() {
  const std::uint32_t number = address_ % gpu_registers;
  if (number >= me_read_low && number <= me_read_count) return read_memory(next_document_address());
  ++address_;
  return read_gpu(number);
}

Fault Devices::write_destination(std::uint32_t reg, std::uint32_t value) {
  return reg == reg_data ? write_data(value) : write_address(value, reg == reg_usraddr);
}

Fault Devices::extra_moves(std::uint32_t count, ExtraMoves moves, std::uint32_t repeated) {
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t word = repeated;
    if (is_fifo(moves.source))
      if (Fault fault = read_queue(moves.source, word)) return fault;
    if (!is_fifo(moves.destination)) continue;
    const bool middle = count == 3 && i == 1;
    if (Fault fault = write_destination(middle ? moves.destination : reg_data, word)) return fault;
  }
  return {};
}

}  // namespace mobula::afuc
