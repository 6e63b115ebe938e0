#include "machines/afuc/devices.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "machines/afuc/codec.h"

namespace mobula::afuc {

// ------------------------------------------------------------------------------------------------ memory and board

std::uint32_t Memory::read(std::uint64_t address) const {
  const auto page = pages_.find(address / page_bytes);
  return page == pages_.end() ? 0 : (*page->second)[address % page_bytes / 4];
}

bool Memory::write(std::uint64_t address, std::uint32_t value) {
  std::unique_ptr<Page>& page = pages_[address / page_bytes];
  if (!page) {
    if (pages_left_ == 0) {
      pages_.erase(address / page_bytes);
      return false;
    }
    --pages_left_;
    page = std::make_unique<Page>();
  }
  (*page)[address % page_bytes / 4] = value;
  return true;
}

void CallTree::enter(std::uint32_t what, bool packet) {
  // A function's number has 26 bits.
  const auto [child, is_new] = children_.try_emplace(std::uint64_t{current_} << 32 | what | (packet ? 1u << 31 : 0u),
                                                     static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) {
    if (nodes_.size() == most_nodes) {
      children_.erase(child);
      return;
    }
    nodes_.push_back({.parent = current_, .what = what, .depth = nodes_[current_].depth + 1, .packet = packet});
  }
  current_ = child->second;
}

Board::Board(Map map_of_chip, const EmulatorOptions& wanted)
    : map(map_of_chip), options(wanted), memory(wanted.memory_bytes) {}

void Board::log(const Event& event) {
  if (events.size() < options.events) {
    events.push_back(event);
  } else {
    ++dropped_events;
  }
}

// ------------------------------------------------------------------------------------------------ numbers

namespace {

constexpr std::uint32_t no_register = ~0u;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << 49) - 1;  // 3.6
constexpr std::size_t most_queued_reads = 1u << 16;

// Bits of what $addr and $usraddr take (4.2).
constexpr std::uint32_t fixed_address = 1u << 18, read_or_test = 1u << 20;

// Pipe registers (4.4).
constexpr std::uint32_t pipe_wfi_done = 0x81, pipe_query_done = 0x82, pipe_nrt_low = 0xA0, pipe_nrt_high = 0xA1,
                        pipe_nrt_data = 0xA2, pipe_read_count = 0xE1, pipe_event = 0xE7;
constexpr std::uint32_t nrt_fixed = 2;

// Memory ports of the a5xx ME (4.5).
constexpr std::uint32_t me_read_low = 0x80D, me_read_high = 0x80E, me_read_count = 0x80F, me_write_low = 0x810,
                        me_write_high = 0x811, me_write_data = 0x812;
// LPAC of an a660 (3.11).
constexpr std::uint32_t lpac_start = 0xB81, lpac_base_low = 0xB82, lpac_base_high = 0xB83;

// Headers of PM4 (4.11).
constexpr std::uint32_t odd_parity(std::uint32_t bits) { return std::popcount(bits) % 2 == 0 ? 1 : 0; }
constexpr std::uint32_t ib_end_header = 0x7000'0000 | odd_parity(0x0A) << 23 | 0x0A << 16 | 1u << 15;

/// Registers without a name in the tables, by map (4.3).
struct Unnamed {
  std::uint32_t peek, peek_mask, peek_value, status, error, ib_level;
};
constexpr std::array<Unnamed, map_count> unnamed{{
    {0x035, ~0u, 7, 0x00C, 0x007, 0x031},
    {0x055, ~0u, 7, 0x023, 0x064, 0x054},  // not 0x057: decision 0011
    {no_register, 0, 0, 0x00F, 0x064, 0x054},
    {no_register, 0, 0, 0x03C, 0x062, 0x03D},
    {no_register, 0, 0, 0x03C, 0x062, 0x03D},
}};

}  // namespace

/// The control registers with side effects, and where what they need stands.
struct Devices::Numbers {
  explicit Numbers(Map map) : other(unnamed[static_cast<std::size_t>(map)]) {
    const auto number = [&](std::string_view name) { return find_control_register(map, name).value_or(no_register); };
    const auto set = [&](std::uint32_t reg, ControlFunction what) {
      if (reg != no_register) function[reg] = what;
    };
    write_address = number("REG_WRITE_ADDR");
    read_count = number("REG_READ_DWORDS");
    memory_address = number("MEM_READ_ADDR");
    table_address = number("PACKET_TABLE_WRITE_ADDR");
    test_result = number("REG_READ_TEST_RESULT");
    load_store_high = number(map == Map::a5xx ? "STORE_HI" : "LOAD_STORE_HI");
    ib = {number("IB1_BASE"), number("IB2_BASE"), number("IB3_BASE")};
    sds_level = ib[2] == no_register ? 3 : 4;
    draw_select = number("DRAW_STATE_SEL");
    draw_active = number("DRAW_STATE_ACTIVE_BITMASK");
    draw_set = number("DRAW_STATE_SET_HDR");
    draw_header = number("DRAW_STATE_HDR");
    draw_base = number("DRAW_STATE_BASE");
    sds_base = number("SDS_BASE");
    const bool cleans = map >= Map::a7xx;
    pending_increment = {number("WFI_PEND_INCR"), number("QUERY_PEND_INCR"),
                         number(cleans ? "CACHE_CLEAN_PEND_INCR" : "CACHE_FLUSH_PEND_INCR")};
    pending = {number("WFI_PEND_CTR"), number("QUERY_PEND_CTR"),
               number(cleans ? "CACHE_CLEAN_PEND_CTR" : "CACHE_FLUSH_PEND_CTR")};
    memory_high_privileged = number("MEM_READ_ADDR_HI_PRIVILEGED");
    set(number("REG_WRITE"), ControlFunction::register_write);
    set(number("REG_READ_ADDR"), ControlFunction::register_read);
    set(number("MEM_READ_DWORDS"), ControlFunction::memory_read);
    if (memory_high_privileged != no_register) {
      set(memory_high_privileged, ControlFunction::memory_high);
      set(memory_address + 1, ControlFunction::memory_high);
    }
    set(number("PACKET_TABLE_WRITE"), ControlFunction::table_write);
    for (const std::uint32_t reg : pending_increment) set(reg, ControlFunction::pending_increment);
    set(other.status, ControlFunction::stream_status);
    set(other.error, ControlFunction::error);
    set(draw_set, ControlFunction::draw_state_header);
    for (unsigned i = 0; draw_select != no_register && i < 2; ++i)
      set(draw_base + i, ControlFunction::draw_state_selected);
    set(draw_header, ControlFunction::draw_state_selected);
    for (unsigned i = 0; sds_base != no_register && i < 3; ++i) set(sds_base + i, ControlFunction::draw_state_selected);
    set(number("COPROCESSOR_LOCK"), ControlFunction::lock);
    for (const auto& [name, base_name, cntl_name] : starters) {
      const std::uint32_t cntl = number(cntl_name);
      set(cntl, ControlFunction::start_core);
      if (cntl != no_register) start_rows.push_back({name, number(base_name), cntl});
    }
    first_shared = map >= Map::a750 ? 0x230 : 0x200;
    if (const auto cntl = find_gpu_register(map, "CP_PROTECT_CNTL", {}, {})) protect_cntl = *cntl;
    if (const auto first = find_gpu_register(map, "CP_PROTECT", 0, "REG")) protect = *first;
  }

  struct Starter {
    std::string_view name, base, cntl;
  };
  static constexpr std::array<Starter, 4> starters{{{"BV", "BV_INSTR_BASE", "BV_CNTL"},
                                                    {"LPAC", "LPAC_INSTR_BASE", "LPAC_CNTL"},
                                                    {"DDE_BR", "DDE_BR_INSTR_BASE", "DDE_BR_CNTL"},
                                                    {"DDE_BV", "DDE_BV_INSTR_BASE", "DDE_BV_CNTL"}}};
  struct StartRow {
    std::string_view name;
    std::uint32_t base, cntl;
  };

  Unnamed other;
  std::array<ControlFunction, control_registers> function{};
  std::uint32_t write_address, read_count, memory_address, memory_high_privileged, table_address, test_result,
      load_store_high, sds_level, draw_select, draw_active, draw_set, draw_header, draw_base, sds_base, first_shared;
  std::array<std::uint32_t, 3> ib, pending_increment, pending;
  std::vector<StartRow> start_rows;
  std::uint32_t protect_cntl = no_register, protect = no_register;
};

Devices::Devices(Board& board, CoreKind kind, std::uint8_t index)
    : board_(board), kind_(kind), index_(index), numbers_(std::make_shared<const Numbers>(board.map)) {}

std::uint32_t Devices::preempt_entry() const { return board_.map == Map::a5xx ? 0 : sqe_[4]; }

// ------------------------------------------------------------------------------------------------ streams

std::uint32_t Devices::level() const { return kind_ == CoreKind::me ? 0 : control_[numbers_->other.ib_level] & 7; }

const std::uint32_t* Devices::stream_registers() const {
  const std::uint32_t now = level();
  if (now == 0) return nullptr;
  if (now == numbers_->sds_level && numbers_->draw_select != no_register)
    return groups_[control_[numbers_->draw_select] % draw_state_groups].stream.data();
  if (now > 3 || numbers_->ib[now - 1] == no_register) return nullptr;
  return &control_[numbers_->ib[now - 1]];
}
std::uint32_t* Devices::stream_registers() {
  return const_cast<std::uint32_t*>(static_cast<const Devices*>(this)->stream_registers());  // NOLINT: same object
}

bool Devices::has_word() const {
  if (kind_ == CoreKind::me) return !board_.meq.empty();
  if (level() == 0) return ring_position < ring.size();
  const std::uint32_t* stream = stream_registers();
  return stream != nullptr && stream[2] != 0;
}

bool Devices::next_word(std::uint32_t& word, bool consume) {
  if (!has_word()) return false;
  if (kind_ == CoreKind::me) {
    word = board_.meq.front();
    if (consume) board_.meq.pop_front();
  } else if (level() == 0) {
    word = ring[ring_position];
    if (consume) ++ring_position;
  } else {
    std::uint32_t* stream = stream_registers();
    const std::uint64_t address = (stream[0] | std::uint64_t{stream[1]} << 32) & address_mask;
    word = board_.memory.read(address);
    if (consume) {
      stream[0] = static_cast<std::uint32_t>(address + 4);
      stream[1] = static_cast<std::uint32_t>((address + 4) >> 32);
      --stream[2];
    }
  }
  return true;
}

bool Devices::peeks() const {
  const Unnamed& other = numbers_->other;
  return other.peek != no_register && (control_[other.peek] & other.peek_mask) == other.peek_value;
}

std::string Devices::place() const {
  if (kind_ == CoreKind::me) return "the words from the PFP";
  if (level() == 0) return fmt::format("word {} of the ring buffer", ring_position == 0 ? 0 : ring_position - 1);
  const std::uint32_t* stream = stream_registers();
  if (stream == nullptr) return fmt::format("level {}, where there is no indirect buffer", level());
  const std::uint64_t next = (stream[0] | std::uint64_t{stream[1]} << 32) & address_mask;
  return fmt::format("address {:#x} of {}", next - 4,
                     level() == numbers_->sds_level ? std::string("a draw state") : fmt::format("IB{}", level()));
}

bool Devices::has_header() const {
  if (kind_ == CoreKind::me) {
    if (board_.meq.empty()) return false;
    const std::uint32_t header = board_.meq.front();
    const std::uint32_t payload = header >> 28 == 4 ? header & 0x7F : header >> 28 == 7 ? header & 0x3FFF : 0;
    return board_.meq.size() > payload;
  }
  return level() != 0 || ring_position < ring.size();
}

Fault Devices::read_data(bool peek, std::uint32_t& word, std::uint32_t& consumed) {
  if (wants_header_) {
    consumed = 0;
    return read_header(word);
  }
  const bool looks = peek || peeks();
  consumed = looks ? 0 : 1;
  waits_for_data_ = false;
  if (next_word(word, !looks)) return {};
  if (!in_packet_ && level() == 0) {
    waits_for_data_ = true;
    return {.reason = {}, .waits = true};
  }
  if (looks) {  // what the firmware prefetches is not there
    word = 0;
    return {};
  }
  const std::string where = kind_ == CoreKind::me ? "what the PFP has sent"
                            : level() == 0        ? "the ring buffer"
                                                  : fmt::format("the buffer at level {}", level());
  return {in_packet_ ? fmt::format("{} ends in the middle of packet {}, header {:08x}", where,
                                   packet_or_number(board_.map, packet_.entry), packet_.header)
                     : where + " is read where it is empty"};
}

/// The first word after waitin. The end of an indirect buffer looks like a packet (3.10).
Fault Devices::read_header(std::uint32_t& word) {
  wants_header_ = false;
  packet_.level = static_cast<std::uint8_t>(level());
  if (!next_word(word, true)) {
    if (level() == 0) return {"a header is read where there is none"};
    word = ib_end_header;
  }
  header_ = word;
  return {};
}

std::uint32_t Devices::entry_of(std::uint32_t header) const {
  if (header >> 28 == 7) return header >> 16 & 0x7F;
  const std::uint32_t first = header >> 8 & 0x3FFFF;
  if (kind_ == CoreKind::me) {  // registers of which there are several contexts (inferred)
    if (first >= 0x2000 && first <= 0x27FF) return 2;
    if (first >= 0xE000 && first <= 0xEFFF) return 3;
  }
  return 4;
}

Fault Devices::dispatch(std::uint32_t& payload, std::uint32_t& address) {
  if (!header_) return {"the delay slot of waitin has not read a header"};
  const std::uint32_t header = *header_;
  header_.reset();
  const std::uint32_t type = header >> 28;
  const bool is4 = type == 4, is7 = type == 7;
  const std::uint32_t count = is4 ? header & 0x7F : header & 0x3FFF;
  if (!is4 && !is7)
    return {fmt::format("{:08x} at {} is no packet header: its type is {}, known are 4 and 7", header, place(), type)};
  // The PFP makes up headers for the ME without parity.
  const bool sound =
      kind_ == CoreKind::me ||
      (is4 ? (header >> 27 & 1) == odd_parity(header >> 8 & 0x7FFFF) && (header >> 7 & 1) == odd_parity(count)
           : (header >> 23 & 1) == odd_parity(header >> 16 & 0x7F) && (header >> 15 & 1) == odd_parity(count));
  if (!sound) return {fmt::format("{:08x} at {} is no packet header: its parity is wrong", header, place())};
  payload = count;
  packet_.core = index_;
  packet_.header = header;
  packet_.entry = entry_of(header);
  packet_.handler = table_[packet_.entry];
  address = static_cast<std::uint32_t>(block_address(packet_.handler, Role::plain));
  in_packet_ = true;
  if (tree_) tree_->packet(packet_.entry);
  board_.log(
      {.kind = Event::Kind::packet, .core = index_, .level = packet_.level, .address = packet_.entry, .value = header});
  return {};
}

// ------------------------------------------------------------------------------------------------ queues

Fault Devices::queue_reads(std::deque<Reads>& queue, std::uint64_t address, std::uint32_t count) {
  if (count == 0) return {};
  if (queue.size() == most_queued_reads) return {"more reads were started than anybody takes"};
  queue.push_back({address, count});
  return {};
}

Fault Devices::read_memory_queue(std::uint32_t& word) {
  if (memory_reads_.empty()) return {"$memdata is read, but no memory is being fetched"};
  Reads& reads = memory_reads_.front();
  word = read_memory(reads.address);
  reads.address = (reads.address + 4) & address_mask;
  if (--reads.count == 0) memory_reads_.pop_front();
  return {};
}

Fault Devices::read_register_queue(std::uint32_t& word) {
  if (register_reads_.empty()) return {"$regdata is read, but no register is being fetched"};
  Reads& reads = register_reads_.front();
  word = read_gpu(static_cast<std::uint32_t>(reads.address));
  ++reads.address;
  if (--reads.count == 0) register_reads_.pop_front();
  return {};
}

Fault Devices::read_queue(std::uint32_t source, std::uint32_t& word) {
  if (source == reg_memdata) return read_memory_queue(word);
  if (source == reg_regdata) return read_register_queue(word);
  std::uint32_t consumed = 0;
  return read_data(false, word, consumed);
}

// ------------------------------------------------------------------------------------------------ registers, memory

std::uint32_t Devices::read_memory(std::uint64_t address) {
  const std::uint32_t value = board_.memory.read(address);
  if (tree_) ++tree_->current().memory_reads;
  if (board_.options.read_events) log(Event::Kind::memory_read, address, value);
  return value;
}

Fault Devices::write_memory(std::uint64_t address, std::uint32_t value) {
  address &= address_mask & ~std::uint64_t{3};
  log(Event::Kind::memory_write, address, value);
  if (tree_) ++tree_->current().memory_writes;
  if (board_.memory.write(address, value)) return {};
  return {fmt::format("the limit of {} bytes of memory is reached at {:#x}", board_.options.memory_bytes, address)};
}

std::uint32_t Devices::read_gpu(std::uint32_t number) {
  number %= gpu_registers;
  const std::uint32_t value = board_.gpu[number];
  if (tree_) ++tree_->current().register_reads;
  if (board_.options.read_events) log(Event::Kind::gpu_read, number, value);
  return value;
}

/// Whether a packet must not write this register. Layout of CP_PROTECT as kernel drivers fill it.
bool Devices::is_protected(std::uint32_t number) const {
  const Numbers& numbers = *numbers_;
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
  if (tree_) ++tree_->current().register_writes;
  std::vector<std::uint32_t>& gpu = board_.gpu;
  gpu[number] = value;
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
  }
  if (board_.map == Map::a6xx && number == lpac_start && value == 1)
    board_.starts.push_back({"LPAC", gpu[lpac_base_low] | std::uint64_t{gpu[lpac_base_high]} << 32});
  return {};
}

void Devices::finish_pending(unsigned counter) {
  const std::uint32_t reg = numbers_->pending[counter];
  if (reg != no_register && control_[reg] != 0) --control_[reg];
}

void Devices::select_pipe(std::uint32_t number) {
  log(Event::Kind::pipe_select, number, 0);
  if (kind_ != CoreKind::sqe) return;
  if (number == pipe_wfi_done) finish_pending(0);
  if (number == pipe_query_done) finish_pending(1);
}

Fault Devices::write_pipe(std::uint32_t number, std::uint32_t value) {
  log(Event::Kind::pipe_write, number, value);
  pipe_[number] = value;
  if (kind_ != CoreKind::sqe) return {};
  if (number == pipe_event) finish_pending(2);
  if (number != pipe_nrt_data) return {};
  const std::uint64_t to = pipe_[pipe_nrt_low] | std::uint64_t{pipe_[pipe_nrt_high]} << 32;
  if ((pipe_[pipe_nrt_low] & 3) != nrt_fixed) {
    pipe_[pipe_nrt_low] = static_cast<std::uint32_t>(to + 4);
    pipe_[pipe_nrt_high] = static_cast<std::uint32_t>((to + 4) >> 32);
  }
  return write_memory(to, value);
}

Fault Devices::write_address(std::uint32_t value, bool checked) {
  address_ = value;
  address_checked_ = checked;
  const std::uint32_t pipe = value >> 24;
  if (pipe != 0) {
    select_pipe(pipe);
  } else if (kind_ == CoreKind::me && (value & read_or_test) != 0) {
    const std::uint32_t count = std::max(1u, pipe_[pipe_read_count]);
    pipe_[pipe_read_count] = 0;
    return queue_reads(register_reads_, value % gpu_registers, count);
  }
  return {};
}

Fault Devices::write_data(std::uint32_t value) {
  if (kind_ == CoreKind::pfp) {
    log(Event::Kind::forward, 0, value);
    if (board_.meq.size() >= board_.options.memory_bytes / 4) return {"the queue to the ME is full"};
    board_.meq.push_back(value);
    return {};
  }
  const bool fixed = (address_ & fixed_address) != 0;
  if (const std::uint32_t pipe = address_ >> 24; pipe != 0) {
    if (!fixed) address_ += 0x0100'0000;
    return write_pipe(pipe, value);
  }
  if (kind_ == CoreKind::sqe && (address_ & read_or_test) != 0) {
    if (numbers_->test_result != no_register)
      control_[numbers_->test_result] = 1 | (is_protected(address_ % gpu_registers) ? 4u : 0u);
    return {};
  }
  const std::uint32_t number = address_ % gpu_registers;
  if (!fixed) address_ = (address_ & ~(gpu_registers - 1)) | (number + 1) % gpu_registers;
  return write_gpu(number, value, address_checked_);
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

// ------------------------------------------------------------------------------------------------ control registers

/// Where a register stands that all cores share; nullptr for others.
std::uint32_t* Devices::shared(std::uint32_t number) {
  if (board_.map == Map::a5xx || number < numbers_->first_shared || number >= 0x300) return nullptr;
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

/// Header word of a draw-state group (4.7).
void Devices::set_draw_state(std::uint32_t header) {
  std::uint32_t& active = control_[numbers_->draw_active];
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
  if (number != numbers_->draw_set) return;
  log(Event::Kind::sds_word, which - 1, value);
  if (which <= 2) groups_[header_group_].base[which - 1] = value;
}

Fault Devices::write_control(std::uint32_t number, std::uint32_t value) {
  number %= control_registers;
  const Numbers& numbers = *numbers_;
  if (board_.options.control_events) log(Event::Kind::control_write, number, value);
  std::uint32_t* stored = shared(number);
  (stored != nullptr ? *stored : control_[number]) = value;
  switch (numbers.function[number]) {
    case ControlFunction::storage:
    case ControlFunction::stream_status:
      return {};
    case ControlFunction::register_write: {
      std::uint32_t& address = control_[numbers.write_address];
      const std::uint32_t reg = address & 0xFFFF;
      address = (address & ~0xFFFFu) | ((reg + 1) & 0xFFFF);
      return write_gpu(reg, value, false);
    }
    case ControlFunction::register_read: {
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
      for (std::size_t i = 0; i < 3; ++i)
        if (numbers.pending_increment[i] == number) ++control_[numbers.pending[i]];
      return {};
    case ControlFunction::draw_state_header:
      set_draw_state(value);
      return {};
    case ControlFunction::draw_state_selected: {
      DrawState& group = groups_[control_[numbers.draw_select] % draw_state_groups];
      if (number - numbers.sds_base < 3) group.stream[number - numbers.sds_base] = value;
      return {};
    }
    case ControlFunction::error:
      if (value != 0) log(Event::Kind::error, number, value);
      return {};
    case ControlFunction::lock:
      write_lock(value);
      return {};
    case ControlFunction::start_core:
      for (const Numbers::StartRow& row : numbers.start_rows)
        if (row.cntl == number && value == 1 && row.base != no_register)
          board_.starts.push_back(
              {row.name, control_[row.base] | std::uint64_t{control_[row.base + 1]} << 32, row.base});
      return {};
  }
  return {};
}

std::uint32_t Devices::read_control(std::uint32_t number) {
  number %= control_registers;
  const Numbers& numbers = *numbers_;
  if (const std::uint32_t* stored = shared(number)) return *stored;
  switch (numbers.function[number]) {
    case ControlFunction::stream_status:
      return has_word() ? 3 : 0;
    case ControlFunction::lock:
      return read_lock();
    case ControlFunction::draw_state_selected: {
      const DrawState& group = groups_[control_[numbers.draw_select] % draw_state_groups];
      if (number - numbers.sds_base < 3) return group.stream[number - numbers.sds_base];
      if (number == numbers.draw_header) return group.count | group.mask << 16;
      return group.base[number - numbers.draw_base];
    }
    default:
      return control_[number];
  }
}

/// Sizes below a dword are inferred (2.5).
Fault Devices::access_memory(bool is_store, std::uint32_t offset, MemoryAccess access, std::uint32_t& value) {
  constexpr std::uint32_t alternative_high = 0x098;  // a8xx (3.6)
  const std::uint32_t high_register =
      access.window && board_.map == Map::a8xx ? alternative_high : numbers_->load_store_high;
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

// ------------------------------------------------------------------------------------------------ ports

Fault Devices::device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out) {
  std::array<std::uint32_t, 2> words{};
  Fault fault;
  switch (static_cast<Port>(call.index)) {
    case Port::data:
      fault = read_data((call.flags & peek_flag) != 0, words[0], words[1]);
      break;
    case Port::memdata:
      fault = read_memory_queue(words[0]);
      break;
    case Port::regdata:
      fault = read_register_queue(words[0]);
      break;
    case Port::control:
      words[0] = read_control(address);
      break;
    case Port::sqe:
      words[0] = sqe_[address % sqe_.size()];
      break;
    case Port::memory:
      fault = access_memory(false, address, MemoryAccess::of(call.flags), words[0]);
      break;
    case Port::stack: {
      const bool visible = board_.map != Map::a5xx;
      std::uint32_t& top = visible ? sqe_[5] : stack_pointer_;
      if (top == 0) return {"ret finds the stack empty"};
      --top;
      if (tree_) tree_->leave();
      words[0] = static_cast<std::uint32_t>(
          block_address(visible ? sqe_[8 + top % stack_depth] : stack_[top % stack_depth], Role::plain));
      break;
    }
    case Port::header:
      if (!granted_) return {.reason = {}, .waits = true};
      granted_ = false;
      wants_header_ = true;
      in_packet_ = false;
      break;
    case Port::dispatch:
      wants_header_ = false;
      fault = dispatch(words[0], words[1]);
      break;
    case Port::secure:
      words[0] = board_.options.secure ? 1 : 0;
      break;
    case Port::interrupted: {
      const std::uint32_t pc = sqe_[2], next = sqe_[3];
      words[0] = static_cast<std::uint32_t>(block_address(pc, next == pc + 1 ? Role::plain : Role::slot));
      words[1] = static_cast<std::uint32_t>(block_address(next, Role::plain));
      break;
    }
    default:
      return {"this port is not read"};
  }
  if (!fault) std::memcpy(out.data(), words.data(), std::min(out.size(), sizeof words));
  return fault;
}

Fault Devices::device_write(const Thread&, const ir::Call& call, std::uint32_t address,
                            std::span<const std::uint8_t> data) {
  std::uint32_t value = 0;
  std::memcpy(&value, data.data(), std::min(data.size(), sizeof value));
  switch (static_cast<Port>(call.index)) {
    case Port::data:
      return write_data(value);
    case Port::addr:
      return write_address(value, false);
    case Port::usraddr:
      return write_address(value, true);
    case Port::extra_moves:
      return extra_moves(address, ExtraMoves::of(call.flags), value);
    case Port::control:
      return write_control(address, value);
    case Port::control_sds:
      set_draw_state_base(address % control_registers, call.flags, value);
      return {};
    case Port::sqe:
      sqe_[address % sqe_.size()] = value;
      return {};
    case Port::memory:
      return access_memory(true, address, MemoryAccess::of(call.flags), value);
    case Port::stack: {
      const bool visible = board_.map != Map::a5xx;
      std::uint32_t& top = visible ? sqe_[5] : stack_pointer_;
      if (top >= stack_depth) return {"call finds the stack full: it has 8 entries"};
      (visible ? sqe_[8 + top] : stack_[top]) = value;
      ++top;
      if (tree_ && value >= 2 && value - 2 < words_.size()) tree_->enter(field_of(words_[value - 2], field::target));
      return {};
    }
    default:
      return {"this port is not written"};
  }
}

}  // namespace mobula::afuc
