// The hardware around a core of the command processor: registers, memory, queues and streams (afuc reference, section
// 4), reached through the ports of ports.h. A Board is what all cores share. Parts: streams.cpp,
// registers.cpp, control.cpp.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/processor.h"
#include "machines/afuc/devices/board.h"
#include "machines/afuc/devices/numbers.h"
#include "machines/afuc/devices/profile.h"
#include "machines/afuc/lift/ports.h"
#include "mobula/afuc/emulator.h"
#include "mobula/lab/environment.h"

namespace mobula::afuc {

inline constexpr unsigned draw_state_groups = 32;
inline constexpr std::uint32_t second_queue = 1;                             ///< bit of the ME's choice
inline constexpr std::uint64_t address_mask = (std::uint64_t{1} << 49) - 1;  ///< of memory (3.6)

/// Which of the a5xx's programs it is; SQE cores and their like are `sqe`.
enum class CoreKind : std::uint8_t { sqe, pfp, me };

class Devices final : public Environment {
 public:
  /// `index` is the position of the core in reports.
  Devices(Board& board, CoreKind kind, std::uint8_t index);

  // ---- what the emulator does with a core

  /// The processor that these are the devices of. Without one nothing interrupts, and time stands still.
  void attach(Processor& processor) { processor_ = &processor; }

  /// What the core reads at level 0, unless it is the ME.
  std::vector<std::uint32_t> ring;
  std::size_t ring_position = 0;

  /// Another core writes its ring buffer: packets are handled when they are whole.
  bool is_fed = false;
  /// A word from there. False if there is no room.
  bool take(std::uint32_t word);

  /// Whether what it waits for is there: the header of a packet, or of the end of an indirect buffer, or further words.
  [[nodiscard]] bool has_input() const;
  /// The queue that it fills is full (decision 0031).
  [[nodiscard]] bool waits_for_room() const { return board_.feeding == this && board_.meq.size() >= meq_words; }
  /// Lets the core leave the waitin at which it waits.
  void grant() { granted_ = !waits_for_data_; }
  /// The core has done what others wait for since begin_turn().
  [[nodiscard]] bool gives_way() const { return gives_way_; }
  void begin_turn() { gives_way_ = false; }
  /// Waits for a word and not at a waitin: the BV of a7xx and later looks for its packets itself.
  [[nodiscard]] bool waits_for_data() const { return waits_for_data_; }
  /// The ME: for the rest of a packet that the PFP has begun to send.
  [[nodiscard]] bool waits_in_packet() const { return waits_for_data_ && kind_ == CoreKind::me; }
  /// Why that is the end, where nobody sends more.
  [[nodiscard]] std::string lack_of_words() const;
  /// What a core of a ring buffer waits for that is not at a waitin; empty where it is.
  [[nodiscard]] std::string awaited_word() const;
  /// The ME: what is wrong with the words of draw states when nothing goes on. Empty if nothing is.
  [[nodiscard]] std::string left_states() const;
  /// Null unless the run is profiled. `words` is the program, to which calls lead.
  void keep_profile(std::span<const std::uint32_t> words) {
    words_ = words;
    profile_ = std::make_unique<CoreProfile>(words.size());
  }
  [[nodiscard]] std::uint8_t index() const { return index_; }
  [[nodiscard]] CoreKind kind() const { return kind_; }
  [[nodiscard]] CoreProfile* profile() const { return profile_.get(); }
  /// The packet whose header was read last.
  [[nodiscard]] const PacketRun& packet() const { return packet_; }
  [[nodiscard]] bool in_packet() const { return in_packet_; }
  /// Entries on the stack of return addresses.
  [[nodiscard]] std::uint32_t call_depth() const;
  /// A word has been read that was to be a header, and is not one if the core stopped there.
  [[nodiscard]] bool is_at_header() const { return header_.has_value(); }
  void leave_packet() { in_packet_ = false; }
  /// Where the last $data came from: "word 3 of the ring buffer".
  [[nodiscard]] std::string place() const;
  /// The last word that was read of the ring buffer.
  [[nodiscard]] std::string ring_place() const;

  [[nodiscard]] std::uint32_t control(std::uint32_t number) const { return control_[number % control_registers]; }
  void set_control(std::uint32_t number, std::uint32_t value) { control_[number % control_registers] = value; }
  /// Control registers that were used, that do something, and of which that is inferred.
  [[nodiscard]] std::vector<std::uint32_t> doubtful_registers() const;
  [[nodiscard]] const std::array<std::uint32_t, 128>& table() const { return table_; }
  [[nodiscard]] std::uint32_t preempt_entry() const;
  /// The core is to go to its preemption entry before its next instruction.
  [[nodiscard]] bool wants_interrupt() const {
    return (trigger_ || (index_ == 0 && board_.switch_requested)) && !in_interrupt_ && preempt_entry() != 0;
  }
  /// It does so, at the word `pc`.
  void interrupt(std::uint32_t pc);
  /// What PERFCNTR_CNTL has counted.
  struct Counter {
    std::uint64_t count = 0, instructions = 0;
    std::optional<std::uint64_t> start;  ///< instructions() when it was started
  };
  static constexpr std::size_t counter_count = 15;
  [[nodiscard]] const std::array<Counter, counter_count>& counters() const { return counters_; }

  // ---- Environment

  Fault device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out) override;
  Fault device_write(const Thread&, const ir::Call& call, std::uint32_t address,
                     std::span<const std::uint8_t> data) override;

 private:
  /// SQE registers show the stack of return addresses.
  [[nodiscard]] bool has_sqe_stack() const { return board_.map != Map::a5xx; }
  struct Reads {
    std::uint64_t address = 0;
    std::uint32_t count = 0;
  };
  /// Words in memory that $data reads: what is left of them. Registers show it as address low, high, and words.
  struct Stream {
    std::uint64_t address = 0;
    std::uint32_t words = 0;
    [[nodiscard]] std::uint32_t part(std::uint32_t index) const {
      return index == 2 ? words : static_cast<std::uint32_t>(address >> (32 * index));
    }
    void set_part(std::uint32_t index, std::uint32_t value);
  };
  struct DrawState {
    std::uint32_t count = 0, mask = 0;  ///< a5xx: mask is the whole upper half of the header
    std::array<std::uint32_t, 2> base{};
    Stream stream;          ///< a5xx: what was loaded last
    bool in_doubt = false;  ///< a5xx: since then it was disabled, or dirty
  };

  void spend(std::uint64_t Spent::*what) {
    if (profile_) profile_->spend(what);
  }
  void log(Event::Kind kind, std::uint64_t address, std::uint32_t value) {
    board_.log({.kind = kind, .core = index_, .value = value, .address = address});
  }

  // streams (4.6)
  [[nodiscard]] std::uint32_t level() const;
  /// The indirect buffer or draw state that is read; nullptr at level 0, and where there is none.
  [[nodiscard]] const Stream* stream() const;
  [[nodiscard]] Stream* stream();
  /// Ends it: the next one of its level is read.
  void end_stream();
  [[nodiscard]] bool has_word() const;
  [[nodiscard]] bool has_words_of_packet() const;
  /// The ME: its words come from the second queue.
  [[nodiscard]] bool reads_states() const {
    return kind_ == CoreKind::me && (control_[numbers_.ib_level] & second_queue) != 0;
  }
  bool secure_words();
  bool word_ahead(std::uint32_t ahead, std::uint32_t& word) const;
  bool next_word(std::uint32_t& word);
  [[nodiscard]] bool looks_ahead() const;
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
  Fault modify_register(std::uint32_t value);
  std::uint64_t next_document_address();
  Fault write_document_port(std::uint32_t value);
  std::uint32_t read_document_port();
  Fault write_destination(std::uint32_t reg, std::uint32_t value);
  Fault write_gpu(std::uint32_t number, std::uint32_t value, bool checked);
  Fault write_pipe(std::uint32_t number, std::uint32_t value);
  Fault write_through_pipe(std::uint32_t value);
  void select_pipe(std::uint32_t number);
  Fault extra_moves(std::uint32_t count, ExtraMoves moves, std::uint32_t repeated);
  [[nodiscard]] bool is_protected(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t read_gpu(std::uint32_t number);
  Fault write_memory(std::uint64_t address, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_memory(std::uint64_t address);

  // control registers (4.3)
  Fault write_control(std::uint32_t number, std::uint32_t value);
  Fault read_control_port(std::uint32_t number, std::uint32_t& value);
  Fault pass_on(std::uint32_t number, std::uint32_t value);
  std::uint32_t read_control(std::uint32_t number);
  [[nodiscard]] std::uint32_t* shared(std::uint32_t number);
  void write_lock(std::uint32_t value);
  std::uint32_t read_lock();
  void set_draw_state(std::uint32_t header);
  void set_draw_state_base(std::uint32_t number, std::uint32_t which, std::uint32_t value);
  void start_draw_states();
  void push_draw_state(std::uint8_t number);
  void write_draw_state(std::uint32_t number, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_draw_state(std::uint32_t number) const;
  [[nodiscard]] Fault take_state_word(std::uint32_t value);
  [[nodiscard]] Fault begin_state_group(std::uint32_t header);
  [[nodiscard]] Fault finish_state_group();
  [[nodiscard]] Fault cut_state_group() const;
  [[nodiscard]] std::uint32_t groups_to_load_now() const;
  Fault fetch_states(std::uint32_t words);
  [[nodiscard]] Fault choose_queue(std::uint32_t value) const;
  void reset_buffers(std::uint32_t levels);
  Fault write_buffer(std::uint32_t number, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_buffer(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t instructions() const { return processor_ == nullptr ? 0 : processor_->words(); }
  [[nodiscard]] std::uint32_t timer() const;
  void control_timer(std::uint32_t value);
  void command_counters(std::uint32_t commands);
  void finish_pending(unsigned counter);
  /// The PFP does not count what no ME counts down again; the ME has other registers there.
  [[nodiscard]] bool counts_pending() const { return kind_ == CoreKind::sqe || board_.feeding == this; }
  void give_way();
  void ask_for_start(const CoreStart& wanted);
  Fault finish_event(std::uint32_t number);
  Fault write_event(std::uint64_t address, std::uint32_t words, std::uint64_t value);
  Fault access_memory(bool is_store, std::uint32_t offset, MemoryAccess access, std::uint32_t& value);

  Board& board_;
  CoreKind kind_;
  std::uint8_t index_;
  const ControlNumbers& numbers_;

  std::array<std::uint32_t, control_registers> control_{};
  std::bitset<control_registers> used_;  ///< those that do more than store
  std::array<std::uint32_t, 16> sqe_{};
  std::array<std::uint32_t, 8> stack_{};  ///< a5xx: where no SQE register shows it
  std::uint32_t stack_pointer_ = 0;
  std::array<std::uint32_t, 256> pipe_{};
  std::array<std::uint32_t, 128> table_{};
  std::array<DrawState, draw_state_groups> groups_{};
  std::array<std::deque<Stream>, 3> buffers_;  ///< IB1 to IB3: the one that is read, and those fetched after it
  std::uint32_t header_group_ = 0;
  std::uint32_t group_words_ = 0;  ///< a5xx: words of the group in the making that are there; three make a group
  std::uint32_t states_left_ = 0;  ///< the ME: words to be read of the second queue
  std::deque<std::uint8_t> pushed_groups_;  ///< draw states to be executed; the first is the stream at their level
  bool starts_draw_states_ = false;         ///< the hardware has chosen them, not firmware
  std::uint32_t address_ = 0;               ///< latch of $addr and $usraddr
  bool address_checked_ = false;
  std::uint32_t modified_ = 0, modify_mask_ = 0;  ///< a5xx: by the ME's hardware (decision 0032)
  std::deque<Reads> memory_reads_, register_reads_;
  std::uint32_t lock_wanted_ = 0;

  Processor* processor_ = nullptr;
  bool trigger_ = false, in_interrupt_ = false;
  bool timer_runs_ = false;
  std::uint64_t timer_start_ = 0;  ///< instructions() when the timer had its stored value
  std::array<Counter, counter_count> counters_{};

  std::span<const std::uint32_t> words_;
  std::unique_ptr<CoreProfile> profile_;

  bool granted_ = false, wants_header_ = false, in_packet_ = false, waits_for_data_ = false;
  std::optional<std::uint32_t> header_;
  std::uint32_t looked_ahead_ = 0;  ///< words read since looking ahead began (decision 0015)
  std::uint32_t payload_left_ = 0;  ///< words of the packet that have not been read
  bool gives_way_ = false;
  std::uint64_t secured_block_ = 0;  ///< of the processor: all words that it can take are there
  PacketRun packet_;
};

}  // namespace mobula::afuc
