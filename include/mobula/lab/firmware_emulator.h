// Execution of command-processor firmware: the cores of its images with the devices around them. Registers and memory
// start as zeros.
//
// Use: switch_on() with the images that run together, then boot(), then streams: firmware_run.h has what takes them
// from text to complaints, profiles and coverage. No call throws; what cannot be done is a Result's error (AF1xx).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/executed_block.h"
#include "mobula/lab/timing.h"

namespace mobula::firmware {

/// What a core did to its surroundings, in order.
struct Event {
  enum class Kind : std::uint8_t {
    packet,         ///< read a packet's header; address: opcode, or 4 for type 4; value: the header
    gpu_write,      ///< GPU register `address` = value
    gpu_read,       ///< the same, read
    pipe_select,    ///< pipe register `address` was chosen, which triggers those that hold no data
    pipe_write,     ///< pipe register `address` = value
    memory_write,   ///< dword at byte `address` = value
    memory_read,    ///< the same, read
    sds_word,       ///< further word `address` (from 0) of a draw-state header
    forward,        ///< a word for another core: from the PFP for the ME; a8xx: through control register `address`
    control_write,  ///< control register `address` = value
    violation,      ///< GPU register `address` is protected: not written
    error,          ///< the firmware reported an error: value, written to control register `address`
    interrupt,      ///< the core went to its preemption entry, before executing word `address` of its program
  };
  Kind kind = Kind::packet;
  std::uint8_t core = 0;   ///< position in Emulator::cores()
  std::uint8_t level = 0;  ///< packet: where its header was read: 0 the ring buffer, 1..3 an indirect buffer
  std::uint32_t value = 0;
  std::uint64_t address = 0;
};
MOBULA_API std::string_view name(Event::Kind kind);

/// One packet as a core handled it.
struct PacketRun {
  std::uint8_t core = 0, level = 0;
  std::uint32_t header = 0;
  std::uint32_t entry = 0;         ///< of the packet table
  std::uint32_t handler = 0;       ///< word index
  std::uint64_t instructions = 0;  ///< from waitin to the next waitin, both counted; an iteration of (rep) is one
};

/// What instructions cost. An iteration of (rep) is an instruction; traffic is counted in dwords.
struct Spent {
  std::uint64_t instructions = 0;
  std::uint64_t waits = 0;         ///< orders to the hardware to wait: the pipe registers WAIT_..., and similar
  std::uint64_t stream_words = 0;  ///< taken from ring buffer, indirect buffers, draw states or the PFP, with headers
  std::uint64_t memory_reads = 0, memory_writes = 0;
  std::uint64_t register_reads = 0, register_writes = 0;  ///< of the GPU

  MOBULA_API Spent& operator+=(const Spent& other);
  bool operator==(const Spent&) const = default;
};

/// What one call stack cost: its top function alone, not those that it calls.
struct ProfileRow {
  std::vector<std::string> stack;  ///< core, packet, then functions: "SQE", "CP_NOP", "fxn2382"
  Spent spent;
};

/// An instruction, or an iteration of (rep), that a core executed.
struct Executed {
  std::uint8_t core = 0;             ///< position in Emulator::cores()
  std::uint32_t word = 0;            ///< in its image
  std::uint64_t begin = 0, end = 0;  ///< cycles since the start, the same for all cores
  std::size_t events = 0;            ///< kept of the run until it was done
};

/// What a core waits for.
enum class Wanting : std::uint8_t {
  words,  ///< of its stream: a packet, or the rest of one
  room,   ///< in the queue to the next core
};
/// A core has begun to wait, until the next instruction that it executes begins.
struct Waiting {
  std::uint8_t core = 0;
  std::uint32_t word = 0;  ///< in its image, of that instruction
  Wanting wanting = Wanting::words;
  std::uint64_t begin = 0;  ///< cycle
};

/// Why a core has stopped.
enum class Halt : std::uint8_t {
  idle,     ///< waits for a packet
  stuck,    ///< used up its instructions without coming back to waitin
  endless,  ///< handles packets of indirect buffers that do not end
  fault,    ///< cannot continue: see `reason`
  running,  ///< has not been stopped yet
  off,      ///< no core has started it
};
MOBULA_API std::string_view name(Halt halt);

/// What the firmware counted with the performance counters of its core.
struct PerformanceCounter {
  std::string_view name;
  std::uint64_t count = 0;         ///< commands to increment it
  std::uint64_t instructions = 0;  ///< executed between commands to start and to stop it
};

struct CoreReport {
  std::string name;  ///< "SQE", "PFP", "ME", "BR", "BV", "LPAC"
  Halt halt = Halt::running;
  std::string reason;              ///< a sentence; empty when idle
  std::string hint;                ///< what to do about it
  std::string awaits;              ///< what an idle core waits for where it is not a packet, a sentence; else empty
  std::uint32_t pc = 0;            ///< word index in its program of the instruction executed next
  std::uint32_t first_word = 0;    ///< of its program in the image
  std::uint64_t instructions = 0;  ///< since its start, counting a waitin that waits and its delay slot
  std::uint64_t cycle = 0;         ///< that it has reached
  std::array<std::uint32_t, 128> packet_table{};
  std::uint32_t preempt_entry = 0;           ///< SQE register 0x04; 0 where there are no SQE registers
  std::size_t unread_words = 0;              ///< of its ring buffer
  std::string fed_by;                        ///< the core that gives it its packets; empty: its ring buffer does
  std::vector<PerformanceCounter> counters;  ///< those that are not 0
};

struct EmulatorOptions {
  std::string chip;                                     ///< a variant's name: "a630"; empty = by what the firmware says
  std::uint64_t packet_instructions = 1u << 20;         ///< a core may execute without waiting for a packet
  std::uint64_t instructions = std::uint64_t{1} << 32;  ///< of a whole run
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::uint64_t buffer_packets = std::uint64_t{1} << 22;  ///< handled without a word of the ring buffer being read
  std::size_t events = std::size_t{1} << 20;              ///< kept, and as many packets; later ones are only counted
  bool control_events = false;                            ///< keep control_write
  bool read_events = false;                               ///< keep gpu_read and memory_read
  bool profile = false;                                   ///< keep what profile() tells; slower
  bool secure = true;                                     ///< the secure world does what setsecure asks for
  Policies policies;
  /// Cycles of instructions, by the names that the machine's timing model has for them; one each where nothing is said.
  /// Cores execute in the order of time.
  TimingParameters costs;
  /// Called after each instruction, and when a wait begins; slower.
  std::function<void(const Executed&)> on_instruction;
  std::function<void(const Waiting&)> on_wait;
  /// Called after each block of micro-operations that a core executed; slower. A block is a word, a word in a delay
  /// slot, an iteration of (rep), or the test before it; see `mobula ir`.
  std::function<void(std::uint8_t core, const ExecutedBlock& executed)> on_block;
};

/// What an execution rested on that is inferred or unknown: a word that a core executed, or a control register that it
/// used and that does something.
struct Doubt {
  std::size_t core = 0;
  std::optional<std::uint32_t> word;  ///< in the core's program
  std::uint32_t control = 0;          ///< the register, where there is no word
  Status status = Status::unknown;
  std::vector<std::string> reasons;
};

/// Words for the ring buffer of a core, by its position in Emulator::cores().
struct CoreStream {
  std::size_t core = 0;
  std::span<const std::uint32_t> words;
};

struct RunReport {
  std::vector<PacketRun> packets;
  std::vector<Event> events;
  std::uint64_t dropped_events = 0;
  std::size_t unread_words = 0;  ///< of all ring buffers
  bool ok = false;               ///< every core waits for a packet, and all words were read
};

/// A machine that has been switched on. Deterministic: the same calls give the same events.
class MOBULA_API Emulator {
 public:
  virtual ~Emulator() = default;

  /// Runs every core until it waits for its first packet, or cannot. False if one cannot.
  virtual bool boot() = 0;
  [[nodiscard]] virtual std::vector<CoreReport> cores() const = 0;

  /// Fails (AF115) where the memory limit is reached.
  virtual Result<void> write_memory(std::uint64_t address, std::span<const std::uint32_t> words) = 0;
  [[nodiscard]] virtual std::uint32_t read_memory(std::uint64_t address) const = 0;
  virtual void write_register(std::uint32_t number, std::uint32_t value) = 0;
  [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t number) const = 0;

  /// Puts these words after what the ring buffers of the cores hold, and runs until every core waits or cannot
  /// continue. Fails (AF166) before anything runs if there is no such core.
  virtual Result<RunReport> run(std::span<const CoreStream> streams) = 0;

  /// The same in pieces: the words and a fresh report; the next instruction of all cores, false if none can continue;
  /// what was done so far.
  virtual Result<void> begin(std::span<const CoreStream> streams) = 0;
  virtual bool step() = 0;
  [[nodiscard]] virtual RunReport report() const = 0;

  /// The word in its program that a core executes next; 0 for a core that does not exist.
  [[nodiscard]] virtual std::uint32_t next_word(std::size_t core) const = 0;
  /// Calls that it has not returned from; 0 for a core that does not exist.
  [[nodiscard]] virtual std::uint32_t call_depth(std::size_t core) const = 0;

  /// Registers of every core: "$02", "$rem", "carry".
  [[nodiscard]] virtual std::span<const std::string> register_names() const = 0;
  /// Their values; none for a core that does not exist.
  [[nodiscard]] virtual std::vector<std::uint32_t> registers(std::size_t core) const = 0;
  virtual void set_register(std::size_t core, std::size_t number, std::uint32_t value) = 0;
  /// What a value of that register says: by what firmware keeps there, or as the result of the instruction at a word of
  /// the core's image. Empty if nothing.
  [[nodiscard]] virtual std::string meaning(std::size_t core, std::size_t number, std::uint32_t value,
                                            std::optional<std::uint32_t> word) const = 0;
  /// A control register; 0 for a core that does not exist.
  [[nodiscard]] virtual std::uint32_t read_control(std::size_t core, std::uint32_t number) const = 0;

  /// The number of a GPU register: "CP_SCRATCH[2]", "CP_RB_BASE+1"; and of a control register: "IB1_BASE+1", with or
  /// without "@". Fail (PM004, AF128) if there is none.
  [[nodiscard]] virtual Result<std::uint32_t> register_named(std::string_view name) const = 0;
  [[nodiscard]] virtual Result<std::uint32_t> control_named(std::string_view name) const = 0;

  /// Name of what the event's address is: of a packet, a GPU, pipe or control register; empty if it has none.
  [[nodiscard]] virtual std::string name_of(const Event& event) const = 0;
  /// Name of an entry of the packet table; "UNKN15" for those without one.
  [[nodiscard]] virtual std::string packet_name(std::uint32_t entry) const = 0;
  /// The GPU it runs as: "a630".
  [[nodiscard]] virtual std::string_view chip() const = 0;

  /// By core: words, then registers, in order of their numbers.
  [[nodiscard]] virtual std::vector<Doubt> doubts() const = 0;

  /// Where instructions and traffic went since the start, by call stack, for EmulatorOptions::profile.
  [[nodiscard]] virtual std::vector<ProfileRow> profile() const = 0;
  /// The same by word of a core's program; empty for a core that does not exist.
  [[nodiscard]] virtual std::vector<Spent> spent(std::size_t core) const = 0;
  /// How often each word of a core's program was executed since the start; without `profile`, too.
  [[nodiscard]] virtual std::vector<std::uint64_t> executions(std::size_t core) const = 0;
};

/// Switches on what these images make up together: one image, or what its machine runs side by side. Chip and machine
/// are those of the first image unless `options` name a chip. MOB003: programs of its machine are not firmware; see
/// Ability::firmware.
MOBULA_API Result<std::unique_ptr<Emulator>> switch_on(std::span<const Program> images, EmulatorOptions options = {});

}  // namespace mobula::firmware
