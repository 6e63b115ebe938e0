// Timing: how long a program takes. A static estimate from the code alone, and a simulation cycle by cycle.
//
// Use: find_timing_model(program.machine), then estimate() and simulate(). Both work on a Program as loaded;
// Program::variant selects the product. What is not published is a named parameter with a default (parameters());
// reports list the values used. Nothing here reads a file or prints; renderers at the end return text. Errors: TM001
// unknown parameter, TM002 parameter out of range, TM003 nothing to run, TM004 workgroup too large for the core, TM005
// a path leads outside the program, TM007 too many threads, TM008 programs that cannot share a core; MOB002 a variant
// the machine does not have. The models are explained in docs/timing.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/run.h"
#include "mobula/lab/timeline.h"

namespace mobula {

/// A number the model depends on. `value` is the default until a caller chooses another.
struct TimingParameter {
  std::string_view name;
  std::uint64_t value = 0, minimum = 0, maximum = 0;
  Status status = Status::unknown;  ///< of the default value
  std::string_view source;          ///< section of the machine's reference
  std::string_view summary;         ///< what it is, with its unit
};
/// Chosen values by name; parameters not present keep their default.
using TimingParameters = std::map<std::string, std::uint64_t, std::less<>>;

/// A kind of execution pipe.
struct TimingPipe {
  std::string_view name;          ///< as ARM's offline compiler calls it: "arithmetic"
  std::string_view letter;        ///< short: "A"
  std::uint32_t count = 1;        ///< pipes of this kind in one core
  std::uint32_t word_cycles = 1;  ///< for which a word takes one of them; the estimate's view
};

/// A part of a machine's wide instruction word, and how many words use it.
struct SlotUse {
  std::string_view name;
  std::uint64_t words = 0;
};

// ------------------------------------------------------------------------------------------------ static estimate

/// Bytes of code that a machine with words of different lengths fetches: each the fewest or the most on a path.
struct CodeBytes {
  std::uint64_t total = 0;
  std::optional<std::uint64_t> shortest, longest;
};

/// The paths through one function of a program that has many, with what it calls. Instructions and cycles.
struct FunctionTime {
  std::string program;                             ///< of several in one image: "BR"
  std::string name;                                ///< "CP_NOP", "fxn120"
  bool packet = false;                             ///< it handles packets
  std::optional<std::uint64_t> shortest, longest;  ///< nothing: no path leads to an end; a loop has no trip count
  std::optional<std::uint64_t> shortest_cycles, longest_cycles;
  std::uint32_t loops = 0;  ///< of its own
};
/// A table of them for a person; one without an end has "-", one without a longest path "unbounded".
MOBULA_API std::string function_table(std::span<const FunctionTime> functions);

/// What can be told from the code alone. Word counts are by pipe, in the order of `pipes`.
struct Estimate {
  using Words = std::vector<std::uint64_t>;

  std::string file, architecture, machine, variant, product;
  Stage stage = Stage::unknown;
  std::vector<TimingPipe> pipes;
  Words total;                             ///< every word of the program, reached or not
  std::optional<Words> shortest, longest;  ///< for each pipe the fewest and the most words on a path from the entry to
                                           ///< an end; nullopt: no path leads to an end; a loop's trip count is unknown
  std::uint64_t words = 0;                 ///< instruction words of the program
  std::uint64_t instructions = 0;          ///< operations inside them; empty slots not counted
  std::uint64_t quadwords = 0;             ///< 16-byte units of code
  std::uint32_t loops = 0;                 ///< points that loops return to
  std::uint64_t spills = 0, fills = 0;     ///< stores to and loads from a thread's spill area
  std::uint32_t work_registers = 0, uniform_registers = 0;
  bool registers_announced = false;             ///< from the program's interface; false: counted in the code
  std::uint32_t threads = 0, most_threads = 0;  ///< a core holds with these registers; and at most; 0: not relevant
  std::vector<SlotUse> slots;                   ///< machines with wide words: over all words of the program
  std::uint64_t moves = 0;                      ///< operations of those slots that do nothing but copy
  std::string_view word_name = "word";          ///< what the machine calls its words: "group"
  std::optional<CodeBytes> bytes;               ///< machines with words of different lengths
  std::vector<FunctionTime> functions;          ///< firmware: instead of paths through the whole program
  std::vector<std::string> notes;               ///< what limits the numbers above, for a person
};

/// Cycles of one pipe for words on one path, as ARM's offline compiler reports them: a word costs its cycles divided by
/// the number of pipes and rounded to 0.01 (0.33 with three pipes), and a path that uses the pipe at all at least one
/// cycle.
MOBULA_API double path_cycles(std::uint64_t words, const TimingPipe& pipe);
/// The same for all words of a program: exactly divided, no minimum.
MOBULA_API double total_cycles(std::uint64_t words, const TimingPipe& pipe);

// ------------------------------------------------------------------------------------------------ what threads execute

/// The words each thread of a run executed, in order. Equal beginnings are stored once, so that threads in lock step
/// cost what one of them costs.
class MOBULA_API ThreadPaths {
 public:
  /// Remembers at most this many steps that differ; beyond it paths are cut short and truncated() is true.
  explicit ThreadPaths(std::size_t limit = std::size_t{1} << 24);

  /// These threads execute the word at this byte address next. Thread numbers count from 0; new ones may appear any
  /// time.
  void step(std::span<const std::uint32_t> threads, std::uint64_t address);
  /// An observer that records a run: lane k of the interpreter is thread first_thread + k. `program` and this object
  /// must outlive its use.
  InterpreterObserver observer(const ir::Program& program, std::uint32_t first_thread = 0);

  [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(at_.size()); }
  [[nodiscard]] bool truncated() const { return truncated_; }
  /// A number that two threads share if their paths are equal; 0, the empty path, for threads that do not exist.
  [[nodiscard]] std::uint32_t path_id(std::uint32_t thread) const { return thread < at_.size() ? at_[thread] : 0; }
  /// Addresses of the words of a path, by path_id; none for a number that no thread has.
  [[nodiscard]] std::vector<std::uint64_t> addresses(std::uint32_t path_id) const;
  /// Every address that occurs in a path, ascending.
  [[nodiscard]] std::vector<std::uint64_t> all_addresses() const;

 private:
  /// A path: that of its parent, then a word. 0 where there is no child or sibling.
  struct Node {
    std::uint32_t parent = 0, word = 0, first_child = 0, next_sibling = 0;
  };
  std::uint32_t child(std::uint32_t parent, std::uint32_t word);

  std::size_t limit_;
  bool truncated_ = false;
  std::deque<Node> nodes_;                          ///< [0] is the empty path
  std::vector<std::uint32_t> at_;                   ///< node of each thread
  std::vector<std::uint64_t> words_;                ///< addresses
  std::map<std::uint64_t, std::uint32_t> numbers_;  ///< address -> index in words_
};

/// A run, and the words its threads executed.
struct ExecutedPaths {
  ThreadPaths paths;
  RunResult result;
};
/// run_program with its threads' paths; batches run one after the other.
MOBULA_API Result<ExecutedPaths> executed_paths(const Program& program, const ir::Program& lifted,
                                                const RunInputs& inputs);

/// The path all threads are assumed to take when nothing was executed.
enum class AssumedPath : std::uint8_t { shortest, longest };

// ------------------------------------------------------------------------------------------------ simulation

struct SimulationRequest {
  const ThreadPaths* paths = nullptr;  ///< from a run; nullptr: every thread takes the assumed path
  AssumedPath assumed = AssumedPath::shortest;
  static constexpr std::uint32_t most_threads = 1u << 24;  ///< of all programs together: TM007
  std::uint32_t threads = 0;                               ///< only without `paths`; 0: twice what the core holds
  TimingParameters parameters;
  std::uint64_t max_cycles = 100'000'000;  ///< how many are simulated; a simulation that needs more says so
  TimelineSink* timeline = nullptr;
};

using WaitingCycles = std::array<std::uint64_t, stall_reason_count>;  ///< by StallReason

struct SimulationReport {
  struct PipeUse {
    std::uint64_t words = 0;         ///< executed
    std::uint64_t issue_cycles = 0;  ///< in which one of its pipes was taken, summed over its pipes
  };
  struct WordUse {
    std::uint64_t address = 0;  ///< byte offset in the program
    std::string text;
    std::uint64_t executions = 0;
    std::uint64_t executing = 0;  ///< thread-cycles from issue until the thread could continue
    WaitingCycles waiting{};      ///< thread-cycles before issue, or before it was allowed to finish
  };

  std::string file, machine, variant, product;
  std::vector<std::string> together_with;  ///< files of the programs whose threads shared the core
  std::uint64_t cycles = 0;                ///< until the program's last thread left
  bool complete = true;                    ///< false: stopped at max_cycles
  std::uint32_t threads = 0;               ///< started
  std::uint32_t threads_at_once = 0;       ///< the core holds
  std::vector<TimingPipe> pipes;
  std::vector<PipeUse> use;    ///< by pipe
  std::uint64_t resident = 0;  ///< thread-cycles in which a thread occupied the core = executing + all of waiting
  std::uint64_t executing = 0;
  WaitingCycles waiting{};
  std::vector<WordUse> words;                                        ///< that a thread came to, by address
  std::vector<SlotUse> slots;                                        ///< machines with wide words: over executed words
  std::vector<std::pair<std::string_view, std::uint64_t>> counters;  ///< under the names of the hardware's counters
  std::vector<TimingParameter> parameters;                           ///< with the values used
  std::vector<std::string> notes;
};

class MOBULA_API TimingModel {
 public:
  virtual ~TimingModel() = default;
  [[nodiscard]] virtual std::string_view machine() const = 0;
  /// Every parameter with its default for the variant ("" = the machine's default variant); empty for an unknown
  /// variant.
  [[nodiscard]] virtual std::vector<TimingParameter> parameters(std::string_view variant) const = 0;
  /// Never fails on any bytes; fails on parameters (TM001, TM002).
  [[nodiscard]] virtual Result<Estimate> estimate(const Program& program, const TimingParameters& parameters) const = 0;
  [[nodiscard]] virtual Result<SimulationReport> simulate(const Program& program,
                                                          const SimulationRequest& request) const = 0;
  /// The threads of several programs share one core; a report for each program. The request has no `paths`, and its
  /// threads are those of each program. TM008: cores of this machine run one program at a time.
  [[nodiscard]] virtual Result<std::vector<SimulationReport>> simulate_together(std::span<const Program> programs,
                                                                                const SimulationRequest& request) const;
};

/// The model of a machine by registry name; nullptr if there is no such machine.
MOBULA_API const TimingModel* find_timing_model(std::string_view machine);

/// All that is known about the timing of a program.
struct ProgramTiming {
  Estimate estimate;
  std::optional<SimulationReport>
      simulation;  ///< nothing: no path leads through the program; the estimate's notes say so
};
/// Estimate and simulation by the model of the program's machine. MOB001: there is none. Where a timeline is asked for,
/// TM003 is an error, too.
MOBULA_API Result<ProgramTiming> time_program(const Program& program, const SimulationRequest& request = {});
/// The same of programs whose threads share a core, all of one machine and product. TM003 and TM008 are errors.
MOBULA_API Result<std::vector<ProgramTiming>> time_together(std::span<const Program> programs,
                                                            const SimulationRequest& request = {});

/// Parameters from a JSON object of whole numbers; TM006: it is not one, IN001: it is not JSON.
MOBULA_API Result<TimingParameters> read_costs(const SourceText& source);
/// `defaults` with the chosen values; TM001, TM002.
MOBULA_API Result<std::vector<TimingParameter>> with_timing_choices(std::vector<TimingParameter> defaults,
                                                                    const TimingParameters& chosen);
/// The value of that parameter; 0 if there is none of that name.
MOBULA_API std::uint64_t timing_parameter(std::span<const TimingParameter> parameters, std::string_view name);

// ------------------------------------------------------------------------------------------------ reports

/// For a person; ends with a newline.
MOBULA_API std::string report(const Estimate& estimate);
MOBULA_API std::string report(const SimulationReport& simulation);
MOBULA_API std::string report(const ProgramTiming& timing);
/// A line for each parameter: value, range, what it is, how well it is known.
MOBULA_API std::string parameter_table(std::span<const TimingParameter> parameters);
/// The line Mesa's shader statistics tools read: "N inst, N bundles, N quadwords, N registers, N threads, N loops, S:F
/// spills:fills" (threads: 4, 2 or 1 quarters of a full core). Where threads do not depend on registers, the words are
/// the instructions, as Mesa counts them for Utgard: "N inst, N loops, S:F spills:fills".
MOBULA_API std::string shader_db_line(const Estimate& estimate);
/// The same as Mesa's drivers log it for shader-db: preceded by file and stage.
MOBULA_API std::string shader_db_entry(std::string_view file, Stage stage, const Estimate& estimate);
/// {"schema": "mobula/time", "version": 1, "shaders": [...], "simulations": [...]}; docs/schemas/time.json. "shaders"
/// has the shape of ARM's offline compiler, so that scripts written for it read it.
MOBULA_API std::string timing_json(std::span<const Estimate> estimates, std::span<const SimulationReport> simulations);

}  // namespace mobula
