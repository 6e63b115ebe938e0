// The hardware around a core of the command processor: registers, memory, queues and streams (afuc reference, section
// 4). A Board is what all cores share, Devices is what one core sees, behind the ports of ports.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machines/afuc/names.h"
#include "machines/afuc/ports.h"
#include "mobula/afuc.h"
#include "mobula/environment.h"

namespace mobula::afuc {

inline constexpr unsigned control_registers = 0x1000, gpu_registers = 1u << 18, draw_state_groups = 32;

/// Dwords by byte address; the two lowest bits of addresses are ignored. Pages appear where something is written.
class Memory {
 public:
  explicit Memory(std::uint64_t limit_bytes) : pages_left_(limit_bytes / page_bytes) {}
  [[nodiscard]] std::uint32_t read(std::uint64_t address) const;
  /// False if the limit is reached.
  bool write(std::uint64_t address, std::uint32_t value);

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Page = std::array<std::uint32_t, page_bytes / 4>;
  std::uint64_t pages_left_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

/// A core to be started, as the registers say that start one.
struct CoreStart {
  std::string_view name;
  std::uint64_t base = 0;             ///< byte address of its word 0
  std::uint32_t base_register = ~0u;  ///< control register, and the next, where the core finds that; none: GPU register
};

/// What the cores share.
class Board {
 public:
  Board(Map map, const EmulatorOptions& options);

  void log(const Event& event);

  Map map;
  const EmulatorOptions& options;
  Memory memory;
  std::vector<std::uint32_t> gpu = std::vector<std::uint32_t>(gpu_registers, 0);
  std::array<std::uint32_t, 0x100> shared_control{};  ///< registers 0x200..0x2ff where they are shared
  std::array<std::optional<std::uint8_t>, 32> lock_owner{};
  std::deque<std::uint32_t> meq;  ///< a5xx: from PFP to ME
  std::vector<CoreStart> starts;  ///< not yet carried out
  std::vector<Event> events;
  std::uint64_t dropped_events = 0;
};

/// Counts by call stack, as a tree: a child is a packet handled or a function called.
class CallTree {
 public:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t what = 0;  ///< packet-table entry below the root, else word index of the function
    std::uint32_t depth = 0;
    bool packet = false;
    std::uint64_t instructions = 0, memory_reads = 0, memory_writes = 0, register_reads = 0, register_writes = 0;
  };
  [[nodiscard]] Node& current() { return nodes_[current_]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  void packet(std::uint32_t entry) {
    current_ = 0;
    enter(entry, true);
  }
  void enter(std::uint32_t what, bool packet = false);
  /// A packet is not left by ret.
  void leave() {
    if (!nodes_[current_].packet) current_ = nodes_[current_].parent;
  }

 private:
  static constexpr std::size_t most_nodes = 1u << 16;
  std::vector<Node> nodes_{Node{}};
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::uint32_t current_ = 0;
};

/// Which of the a5xx's programs it is; SQE cores and their like are `sqe`.
enum class CoreKind : std::uint8_t { sqe, pfp, me };

/// What a write to or a read of a control register does beside storing.
enum class ControlFunction : std::uint8_t {
  storage,
  register_write,       ///< writes the GPU register at the address register, and counts that up
  register_read,        ///< starts reads for $regdata
  memory_read,          ///< starts reads for $memdata
  memory_high,          ///< of the address that memory_read takes
  table_write,          ///< fills the packet table
  pending_increment,    ///< counts up its counter
  stream_status,        ///< bits 1:0 are 3 when a word can be read
  draw_state_header,    ///< stores a header, whose group further words complete
  draw_state_selected,  ///< shows the selected group
  error,                ///< reports an error
  lock,
  start_core,
};

class Devices final : public Environment {
 public:
  /// `index` is the position of the core in reports.
  Devices(Board& board, CoreKind kind, std::uint8_t index);

  // ---- what the emulator does with a core

  /// What the core reads at level 0, unless it is the ME.
  std::vector<std::uint32_t> ring;
  std::size_t ring_position = 0;

  /// Whether a header can be read: of a packet, or of the end of an indirect buffer.
  [[nodiscard]] bool has_header() const;
  /// Lets the core leave the waitin at which it waits.
  void grant() { granted_ = !waits_for_data_; }
  /// Waits for a word and not at a waitin: the BV of a7xx and later looks for its packets itself.
  [[nodiscard]] bool waits_for_data() const { return waits_for_data_; }
  /// Null unless the run is profiled. `words` is the program, to which calls lead.
  void keep_profile(std::span<const std::uint32_t> words) {
    words_ = words;
    tree_ = std::make_unique<CallTree>();
  }
  [[nodiscard]] CallTree* tree() const { return tree_.get(); }
  /// The packet whose header was read last.
  [[nodiscard]] const PacketRun& packet() const { return packet_; }
  [[nodiscard]] bool in_packet() const { return in_packet_; }
  /// Where the last $data came from: "word 3 of the ring buffer".
  [[nodiscard]] std::string place() const;

  [[nodiscard]] std::uint32_t control(std::uint32_t number) const { return control_[number % control_registers]; }
  void set_control(std::uint32_t number, std::uint32_t value) { control_[number % control_registers] = value; }
  [[nodiscard]] const std::array<std::uint32_t, 128>& table() const { return table_; }
  [[nodiscard]] std::uint32_t preempt_entry() const;

  // ---- Environment

  Fault device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out) override;
  Fault device_write(const Thread&, const ir::Call& call, std::uint32_t address,
                     std::span<const std::uint8_t> data) override;

 private:
  struct Reads {
    std::uint64_t address = 0;
    std::uint32_t count = 0;
  };
  struct DrawState {
    std::uint32_t count = 0, mask = 0;
    std::array<std::uint32_t, 2> base{};
    std::array<std::uint32_t, 3> stream{};  ///< base and dwords that $data reads
  };
  struct Numbers;

  void log(Event::Kind kind, std::uint64_t address, std::uint32_t value) {
    board_.log({.kind = kind, .core = index_, .address = address, .value = value});
  }

  // streams (4.6)
  [[nodiscard]] std::uint32_t level() const;
  /// Registers of base low, base high and dwords of the indirect buffer that is read; nullopt at level 0.
  [[nodiscard]] std::uint32_t* stream_registers();
  [[nodiscard]] const std::uint32_t* stream_registers() const;
  [[nodiscard]] bool has_word() const;
  bool next_word(std::uint32_t& word, bool consume);
  [[nodiscard]] bool peeks() const;
  Fault read_data(bool peek, std::uint32_t& word, std::uint32_t& consumed);
  Fault read_header(std::uint32_t& word);
  Fault dispatch(std::uint32_t& payload, std::uint32_t& address);
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t header) const;

  // queues
  Fault queue_reads(std::deque<Reads>& queue, std::uint64_t address, std::uint32_t count);
  Fault read_memory_queue(std::uint32_t& word);
  Fault read_register_queue(std::uint32_t& word);
  Fault read_queue(std::uint32_t source, std::uint32_t& word);

  // registers
  Fault write_data(std::uint32_t value);
  Fault write_address(std::uint32_t value, bool checked);
  Fault write_destination(std::uint32_t reg, std::uint32_t value);
  Fault write_gpu(std::uint32_t number, std::uint32_t value, bool checked);
  Fault write_pipe(std::uint32_t number, std::uint32_t value);
  void select_pipe(std::uint32_t number);
  Fault extra_moves(std::uint32_t count, ExtraMoves moves, std::uint32_t repeated);
  [[nodiscard]] bool is_protected(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t read_gpu(std::uint32_t number);
  Fault write_memory(std::uint64_t address, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_memory(std::uint64_t address);

  // control registers (4.3)
  Fault write_control(std::uint32_t number, std::uint32_t value);
  std::uint32_t read_control(std::uint32_t number);
  [[nodiscard]] std::uint32_t* shared(std::uint32_t number);
  void write_lock(std::uint32_t value);
  std::uint32_t read_lock();
  void set_draw_state(std::uint32_t header);
  void set_draw_state_base(std::uint32_t number, std::uint32_t which, std::uint32_t value);
  void finish_pending(unsigned counter);
  Fault access_memory(bool is_store, std::uint32_t offset, MemoryAccess access, std::uint32_t& value);

  Board& board_;
  CoreKind kind_;
  std::uint8_t index_;
  std::shared_ptr<const Numbers> numbers_;

  std::array<std::uint32_t, control_registers> control_{};
  std::array<std::uint32_t, 16> sqe_{};
  std::array<std::uint32_t, 8> stack_{};  ///< a5xx: where no SQE register shows it
  std::uint32_t stack_pointer_ = 0;
  std::array<std::uint32_t, 256> pipe_{};
  std::array<std::uint32_t, 128> table_{};
  std::array<DrawState, draw_state_groups> groups_{};
  std::uint32_t header_group_ = 0;
  std::uint32_t address_ = 0;  ///< latch of $addr and $usraddr
  bool address_checked_ = false;
  std::deque<Reads> memory_reads_, register_reads_;
  std::uint32_t lock_wanted_ = 0;

  std::span<const std::uint32_t> words_;
  std::unique_ptr<CallTree> tree_;

  bool granted_ = false, wants_header_ = false, in_packet_ = false, waits_for_data_ = false;
  std::optional<std::uint32_t> header_;
  PacketRun packet_;
};

}  // namespace mobula::afuc
