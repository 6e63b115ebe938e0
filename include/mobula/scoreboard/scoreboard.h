// The Libre-SOC scoreboard: an out-of-order core kept in order by bit matrices, simulated clock by clock.
//
// A *workload* is a list of micro-operations; a *configuration* says how the core is built; run() gives clocks,
// signals, statistics and final registers. Final registers and memory always equal execution in order: run() compares
// them itself and fails otherwise.
//
// Source of facts: docs/reference/scoreboard.md ("§" below). Numbers of registers,
// units and operands count from 0; byte 0 of a register is its lowest; vectors of units have unit 0 in bit 0.
// Errors: SB0xx of configurations, SB1xx of workloads, SB2xx of a workload on a configuration, SB3xx of runs; see
// docs/scoreboard.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/lab/timeline.h"

namespace mobula::scoreboard {

// ---- Workload (§9.5) ----

/// What kind of unit an operation wants.
enum class UnitClass : std::uint8_t { integer, fp, mul, div, load, store, branch, special };
inline constexpr std::size_t unit_class_count = 8;

/// What an operation computes from its sources, unsigned and modulo 2^width. `mix` is a hash of operation and sources:
/// any value that arrives wrong shows in the final registers. Compares give 1 or 0; a branch on a compare is "ok" at 1.
enum class Function : std::uint8_t { mix, add, sub, mul, shr, bit_and, bit_or, bit_xor, move, bgt, blt, beq, bne };
inline constexpr std::size_t function_count = 13;

MOBULA_API std::string_view name(UnitClass unit);     ///< "int", "fp", "mul", "div", "ld", "st", "br", "special"
MOBULA_API std::string_view name(Function function);  ///< "mix", "add", ... "and", "or", "xor", "mov", "bgt" ...

/// The class of an operation that is written as a function alone.
MOBULA_API UnitClass class_of(Function function);

/// Bytes first..first+bytes-1 of a register. A register is a file, named by a letter A..Z, and a number.
struct RegisterBytes {
  static constexpr std::uint8_t whole = 255;  ///< as `bytes`: the whole register, whatever its width in this core
  static constexpr std::uint8_t quad = 16;    ///< as `bytes`: four 32-bit numbers, this register and the next one
  std::uint8_t file = 0;                      ///< 0 = A ... 25 = Z
  std::uint8_t first = 0;
  std::uint8_t bytes = 0;  ///< 0 = operand not used; 1..8; `quad`; or `whole`
  std::uint16_t number = 0;
  [[nodiscard]] bool used() const { return bytes != 0; }
  bool operator==(const RegisterBytes&) const = default;
};
inline constexpr std::size_t max_sources = 4, max_destinations = 3;

enum class Prediction : std::uint8_t { none, right, wrong };
enum class Path : std::uint8_t { always, if_ok, if_not_ok };
enum class Trap : std::uint8_t { never, may, takes };

/// One micro-operation. Source 1 is replaced by `immediate` where that is given, but still claims its register.
struct Operation {
  static constexpr std::uint16_t by_config = 0xffff;
  std::uint32_t id = 0;  ///< as written; the order of the program is that of the list
  UnitClass unit = UnitClass::integer;
  Function function = Function::mix;
  std::uint8_t width =
      0;  ///< bytes, 1 2 4 8, or 16 for four numbers of 4; 0 = of the first destination, else of the first source
  std::uint16_t latency = by_config;   ///< L: operands read in clock t, result valid in clock t+1+L
  std::uint16_t interval = by_config;  ///< clocks before its ALU takes the next operation; 1 = pipelined
  std::array<RegisterBytes, max_sources> sources{};
  std::array<RegisterBytes, max_destinations> destinations{};
  bool has_immediate = false;
  std::uint64_t immediate = 0;
  std::uint8_t memory_bytes = 0;  ///< a load's or store's 1..8 or 16 bytes at `address`; 0 = nothing that has an order
  std::uint64_t address = 0;
  Prediction prediction = Prediction::none;  ///< of a branch; none = both paths may follow, marked by `path`
  bool taken = false;                        ///< outcome of a branch that compares nothing
  Path path = Path::always;                  ///< runs only if the branch before it (in the list) is ok, or is not
  Trap trap = Trap::never;
  std::uint32_t group = 0;     ///< consecutive operations of the same nonzero group may be issued together
  std::uint32_t location = 0;  ///< for the reader; 0 = none
  bool operator==(const Operation&) const = default;
};

/// A register and the value it has at the start.
struct RegisterValue {
  RegisterBytes which;  ///< whole register
  std::uint64_t value = 0;
  bool operator==(const RegisterValue&) const = default;
};

struct Workload {
  std::string name;
  std::vector<Operation> operations;
  std::vector<RegisterValue> registers;  ///< others start as 0, and so does memory
};

/// The text form: "42 fp w4 L4 II1 d=F12[0:4) s=F3[4:8),F7[0:4)", one operation a line; docs/scoreboard.md has the
/// grammar. SB101...
MOBULA_API Result<Workload> parse_workload(std::string_view file, std::string_view text);
/// One line without its end.
MOBULA_API std::string print(const Operation& operation);
MOBULA_API std::string print(const RegisterBytes& operand);
MOBULA_API std::string print(const Workload& workload);

/// The binary form: a header and 96 bytes an operation, little-endian; docs/scoreboard.md. SB120...
MOBULA_API bool is_binary_workload(std::span<const std::uint8_t> bytes);
MOBULA_API Result<Workload> read_workload(std::string_view file, std::span<const std::uint8_t> bytes);
MOBULA_API std::vector<std::uint8_t> write_workload(const Workload& workload);

/// What a synthetic workload is made of; shares are of 100.
struct Mix {
  std::string name;
  std::array<std::uint32_t, unit_class_count> units{};  ///< weights
  std::array<std::uint32_t, 4> widths{0, 0, 100, 0};    ///< weights of 1, 2, 4, 8 bytes
  std::uint32_t two_sources = 75;                       ///< percent of the operations that have two sources
  std::uint32_t near_sources = 50;  ///< percent of sources that were written `distance` operations before
  std::uint32_t distance = 4;       ///< 1..distance
  std::uint32_t registers = 32;     ///< of each file
  std::uint8_t register_bytes = 8;
};
/// "int" and "fp": the published mixes (§9.5). SB130 for an unknown name.
MOBULA_API Result<Mix> find_mix(std::string_view name);
/// Of a synthetic workload, which has one at least.
inline constexpr std::uint32_t most_generated_operations = 10'000'000;
/// The same for the same arguments, everywhere. `stop` is asked every few thousand operations; true: no more are made.
MOBULA_API Workload generate(const Mix& mix, std::uint32_t operations, std::uint64_t seed,
                             const std::function<bool()>& stop = {});

// ---- Configuration ----

enum class Hazards : std::uint8_t { conservative, precise, vector };                               ///< §2.3; §7.6
enum class Waw : std::uint8_t { stall_issue, shadow_all, shadow_same_dest, last_writer, rename };  ///< §7.3
enum class Lanes : std::uint8_t { lock, full, two_level, byte };                   ///< §4: columns of one register
enum class Priority : std::uint8_t { fixed, rotate, oldest };                      ///< §2.5
enum class Mapping : std::uint8_t { modulo, parity_half };                         ///< §6.1
enum class Forwarding : std::uint8_t { none, write_through, result_latch, both };  ///< §3.1

/// A read may share the clock of the write.
constexpr bool writes_through(Forwarding forwarding) {
  return forwarding == Forwarding::write_through || forwarding == Forwarding::both;
}
/// A read may take a result from its unit before it is written.
constexpr bool latches_results(Forwarding forwarding) {
  return forwarding == Forwarding::result_latch || forwarding == Forwarding::both;
}

/// Units (rows of the matrices) that take the same operations. A group's units are numbered together, in order.
struct Group {
  std::string name;
  std::vector<UnitClass> classes;
  std::vector<Function> functions;    ///< of their own class; these go here even if another group takes the class
  std::vector<std::uint32_t> widths;  ///< bytes of the operations that take one unit
  std::vector<std::uint32_t> pairs;   ///< bytes of the operations that take two adjacent ones, 2p and 2p+1 (§4.4)
  std::uint32_t units = 0;
  std::uint32_t alus = 0;  ///< shared by the units; 0 = each has its own
  bool operator==(const Group&) const = default;
};

struct RegisterFile {
  char letter = 'I';
  std::uint32_t count = 0;
  std::uint32_t bytes = 8;     ///< of a register: 1, 2, 4 or 8
  std::uint32_t physical = 0;  ///< registers that hold values, if writes are renamed; more than `count`
  bool operator==(const RegisterFile&) const = default;
};

struct Config {
  std::string name, summary;
  Hazards hazards = Hazards::precise;
  Waw waw = Waw::shadow_all;
  Lanes lanes = Lanes::lock;
  Forwarding forwarding = Forwarding::none;
  bool trap_shadows = true;
  std::vector<Group> groups;
  std::vector<RegisterFile> files;
  std::map<std::string, std::uint32_t> latency, interval;  ///< of functions and unit classes, the function first

  struct Issue {
    std::uint32_t width = 1;      ///< operations a clock
    std::uint32_t queue = 2;      ///< places
    std::uint32_t fetch = 1;      ///< operations offered to the queue each clock
    bool together = false;        ///< a group of operations is issued in one clock or waits
    bool mask_same_clock = true;  ///< §4.6; false deadlocks conservative hazards, as the published cell would
    bool operator==(const Issue&) const = default;
  } issue;
  struct Ports {
    bool per_operand = false;  ///< multi-port units (§2.12): every operand is granted by itself
    bool lockstep_pairs = true;
    std::uint32_t read = 0, write = 0;  ///< grants a clock, per operand port in multi-port units; 0 = no limit
    Priority priority = Priority::fixed;
    bool operator==(const Ports&) const = default;
  } ports;
  struct Banks {
    std::uint32_t count = 1;  ///< of each file
    Mapping mapping = Mapping::modulo;
    std::uint32_t read = 0, write = 0;  ///< ports of each bank; 0 = no limit
    bool broadcast = false;             ///< readers of the same word share a port
    std::uint32_t lanes = 0;    ///< word lanes between banks and units (unit f has lane f mod lanes); 0 = enough
    bool byte_crossbar = true;  ///< false: a lane routes bytes for one operand a clock only
    bool operator==(const Banks&) const = default;
  } banks;
  struct Virtual {
    std::uint32_t rows = 0;         ///< 0 = registers are named directly
    bool per_file = false;          ///< a table for each file
    bool until_completion = false;  ///< an operation keeps its rows until it ends, not until it has read or written
    bool operator==(const Virtual&) const = default;
  } virtual_registers;
  struct Renaming {
    std::uint32_t window = 32;  ///< operations between issue and retirement, which is in program order
    bool operator==(const Renaming&) const = default;
  } renaming;
  struct Memory {
    bool match_addresses = true;               ///< false: loads and stores alternate in batches (§2.13)
    std::uint32_t low_bit = 0, high_bit = 63;  ///< of the address bits compared beyond the byte mask of 16
    bool operator==(const Memory&) const = default;
  } memory;

  [[nodiscard]] MOBULA_API std::uint32_t units() const;
  bool operator==(const Config&) const = default;
};

/// SB001...; all errors, each with its place in the document.
MOBULA_API Result<Config> parse_config(std::string_view file, std::string_view json);
struct Preset {
  std::string_view name, json;
};
/// In the order of their names.
MOBULA_API std::span<const Preset> presets();
/// SB002 for an unknown name.
MOBULA_API Result<Config> find_preset(std::string_view name);

// ---- Run ----

__extension__ using Units = unsigned __int128;  ///< one bit per unit
inline constexpr std::uint32_t max_units = 128;

/// The signals of one clock (§2), as the published sources name them. Units of multi-port type show the OR over ports.
struct Signals {
  std::uint64_t clock = 0;
  Units issue = 0, busy = 0, rd_rel = 0, readable = 0, go_rd = 0, req_rel = 0, writable = 0, go_wr = 0, shadown = 0;
  Units die = 0;
  std::uint32_t queue = 0;  ///< entries at the start of the clock
  std::uint32_t virtual_rows = 0;
};

/// Why the oldest operation that was not issued yet was not; one for each clock.
enum class Cause : std::uint8_t {
  issued,         ///< none: an operation was issued
  queue_empty,    ///< nothing has reached the head of the queue
  fu_busy,        ///< all units that take it are busy
  pair_fragment,  ///< units are free, but no two adjacent ones
  waw,            ///< an earlier write to the same bytes is outstanding (stall_issue)
  raw,            ///< an earlier write to a source is outstanding (hazard vector)
  ir_full,        ///< no virtual register is free, or no physical one
  window,         ///< too many operations are issued and not retired (renaming)
  group,          ///< another operation of its group cannot be issued
  branch,         ///< the branch before it was predicted wrongly, or it is on the path not taken
  drain,          ///< all are issued and the last ones finish
};
inline constexpr std::size_t cause_count = 11;
MOBULA_API std::string_view name(Cause cause);
/// Why nothing was issued, for a person who has never heard of it; it follows "because".
MOBULA_API std::string_view sentence(Cause cause);

/// Clocks of one operation; 0 = never.
struct Times {
  std::uint32_t issue = 0, read = 0, start = 0, complete = 0, write = 0;
  std::uint32_t kill = 0;
  std::uint8_t unit = 0;
};

struct Conflicts {
  std::uint64_t read_grant = 0, write_grant = 0;  ///< requests that found no free grant
  std::uint64_t read_bank = 0, write_bank = 0;    ///< a bank's ports were taken
  std::uint64_t lane_mux = 0, byte_crossbar = 0;
  std::uint64_t alu = 0;     ///< operands were there, the shared ALU was not
  std::uint64_t memory = 0;  ///< waited for an earlier load or store
};

/// What an observer may look at, once a clock. References are valid during the call.
class MOBULA_API View {
 public:
  virtual ~View() = default;
  [[nodiscard]] virtual const Signals& signals() const = 0;
  /// Registers that some unit still has to read or write, in this clock (qlq, §2.3): a bit for each column of the
  /// register, in the order of column_names().
  [[nodiscard]] virtual std::span<const std::uint16_t> pending_reads() const = 0;
  [[nodiscard]] virtual std::span<const std::uint16_t> pending_writes() const = 0;
  /// The register a column stands for after the clock, "I5"; of a virtual register "-" when free.
  [[nodiscard]] virtual std::string column(std::size_t index) const = 0;
  /// False for a free row of the table of virtual registers.
  [[nodiscard]] virtual bool row_in_use(std::size_t row) const = 0;
  /// The same during the clock, as pending_reads() and pending_writes() see it: a row that the clock frees still has
  /// it.
  [[nodiscard]] virtual std::string column_in_clock(std::size_t index) const = 0;
  // The matrices after the clock.
  [[nodiscard]] virtual Units waits_for_write(std::uint32_t unit) const = 0;  ///< W row
  [[nodiscard]] virtual Units waits_for_read(std::uint32_t unit) const = 0;   ///< R row
  [[nodiscard]] virtual Units held_by(std::uint32_t unit) const = 0;          ///< shadows: order, branch and trap
  [[nodiscard]] virtual std::uint16_t source_lanes(std::uint32_t unit, std::size_t column) const = 0;
  [[nodiscard]] virtual std::uint16_t destination_lanes(std::uint32_t unit, std::size_t column) const = 0;
  /// Index of the operation in the unit, or no_operation.
  [[nodiscard]] virtual std::uint32_t operation(std::uint32_t unit) const = 0;
};
inline constexpr std::uint32_t no_operation = ~std::uint32_t{0};

/// Column names of one register, bit 0 first: "B0" ... "D".
MOBULA_API std::vector<std::string> column_names(Lanes lanes);

struct RunOptions {
  std::uint64_t max_clocks = 100'000'000;  ///< at most 2^32-1
  std::function<void(const View&)> observer;
  TimelineSink* timeline = nullptr;
  /// Asked every thousand clocks or so, and before the first one; true: the run ends, with error SB304.
  std::function<bool()> stop;
};

struct RunResult {
  std::uint64_t clocks = 0;
  std::uint64_t executed = 0, killed = 0, skipped = 0;  ///< skipped: on the way not taken, never issued
  std::uint32_t trapped = no_operation;                 ///< the operation that trapped; later ones have no effect
  std::array<std::uint64_t, cause_count> causes{};      ///< sum = clocks
  Conflicts conflicts;
  std::vector<std::vector<std::uint64_t>> busy_units;  ///< by group: clocks with 0, 1, 2... units busy
  std::vector<std::uint64_t> queue_entries;            ///< clocks with 0, 1, 2... entries
  std::vector<std::uint64_t> virtual_rows;             ///< clocks with 0, 1, 2... rows in use; empty without a table
  std::uint64_t mixed_widths = 0;                      ///< operands whose width is not their operation's
  std::vector<Times> times;                            ///< by operation
  std::vector<RegisterValue> registers;                ///< all of them, by file and number
  [[nodiscard]] MOBULA_API double ipc() const;
};

/// SB2xx: the workload does not fit the core, all reasons.
MOBULA_API Result<void> fits(const Config& config, const Workload& workload);
/// What fits() says. SB301 deadlock with who waits for whom, SB302 clock limit, SB303 registers or memory differ from
/// execution in order (a bug, here or in the configured machine), SB304 stopped.
MOBULA_API Result<RunResult> run(const Config& config, const Workload& workload, const RunOptions& options = {});

// ---- Views ----

/// A set as bits, the highest number first: "00010".
MOBULA_API std::string bits(Units set, std::uint32_t width);
/// Columns that have any lane set, as bits, the highest first.
MOBULA_API std::string bits(std::span<const std::uint16_t> columns);
/// The registers those stand for: "I1", and with several columns a register "F3:W0+B4".
MOBULA_API std::vector<std::string> pending_registers(const Config& config, const View& view,
                                                      std::span<const std::uint16_t> columns);

/// Clocks, stalls, occupancies and conflicts for a person.
MOBULA_API std::string report(const Config& config, const Workload& workload, const RunResult& result);
/// Issue, read, execute, write of each operation, as textbooks print it.
MOBULA_API std::string table(const Workload& workload, const RunResult& result);
/// Final values of the registers that the workload gives a value or has as destinations, a line a file. The others
/// are 0.
MOBULA_API std::vector<RegisterValue> results(const Workload& workload, const RunResult& result);
MOBULA_API std::string registers_text(const Workload& workload, const RunResult& result);
/// A line of headings and one line per clock, the highest unit first. g_rd and g_wr are bits
/// where a column is a register and there are up to 32, else names.
MOBULA_API std::string signals_header(const Config& config);
MOBULA_API std::string signals_line(const Config& config, const View& view);
/// What virtual registers stand for in a clock, the row and the register: "3" and "F12", or with a table for each file
/// "F.3" and "F12". Empty without a table.
MOBULA_API std::vector<std::pair<std::string, std::string>> virtual_rows(const Config& config, const View& view);
/// The virtual-to-real table in a clock, and the FU-Reg and FU-FU matrices after it; rows of idle units are left out.
MOBULA_API std::string matrices(const Config& config, const View& view);

/// Value change dump (IEEE 1364) of all signals, a time unit a clock. A virtual register has four: letter (in ASCII)
/// and number of the register it stands for, 0 while it is free, and the lanes that are still to be read and written.
class MOBULA_API Vcd {
 public:
  Vcd(const Config& config, TimelineOutput output);
  /// From the observer.
  void on(const View& view);
  void end();

 private:
  struct Wire {
    std::string name;
    std::uint32_t width = 1;
    Units last = 0;  ///< and numbers
    bool known = false;
  };
  void change(std::size_t wire, Units value);

  TimelineOutput output_;
  std::string pending_;
  std::vector<Wire> wires_;
  std::uint32_t units_ = 0;
  std::vector<std::size_t> rows_;  ///< columns of the FU-Reg matrix that are shown
  std::uint64_t clock_ = 0;
};

}  // namespace mobula::scoreboard
