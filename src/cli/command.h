// The subcommands: plain options that main.cpp fills, and one function each. A function returns the exit status; what
// it cannot do it throws as a Stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mobula/isa/diagnostic.h"

namespace mobula::cli {

/// Exit statuses of the command, the same for every subcommand.
enum class Exit : std::uint8_t {
  done = 0,
  negative = 1,   ///< the input has errors, bytes do not decode, a difference was found
  usage = 2,      ///< wrong usage, or reading or writing failed
  internal = 3,   ///< always a bug in mobula
  not_exact = 4,  ///< --strict, and the result rests on facts that are not exact
};

/// Ends a subcommand early: main prints the diagnostics and exits with the status.
struct Stop {
  Exit status = Exit::usage;
  Diagnostics diagnostics;
};

/// A Stop for wrong usage or failed I/O.
Stop usage_error(std::string message, std::string hint = {});

/// What a file turns out to be, as far as options care.
enum class Kind : std::uint8_t { shader, firmware, workload, expressions };

/// An option that was given, and the kinds of files it acts on.
struct BoundOption {
  std::string name;
  std::vector<Kind> kinds;
  std::string lacking;  ///< of files of these kinds, what it has nothing to act on without; empty if it is there
};

/// Options of every subcommand that reads programs.
struct InputOptions {
  std::vector<std::string> files;  ///< "-" is standard input
  std::string machine;    ///< and variant, as choose_machine() takes them; empty = what the container or side file says
  std::string syntax;     ///< of assembly text; empty = the machine's own
  std::string container;  ///< raw, hex, mbs, fw, elf or text; empty = by content
  std::string stage;      ///< of the program wanted from a container of several
  std::optional<std::size_t> index;  ///< its position among those, 0-based
  std::string
      side_file;  ///< JSON of what the bytes do not say; empty = FILE with extension .json, if there is one; "none"
  std::optional<unsigned> level;   ///< of optimisation, of what is compiled on the way in
  std::vector<BoundOption> bound;  ///< those of the subcommand's options that do not act on every kind of file
};

/// Options of every subcommand that prints a result.
struct OutputOptions {
  std::string file = "-";
  bool json = false;
};

struct DisasmOptions {
  InputOptions input;
  OutputOptions output;
  bool bytes = false;
  bool explain = false;
  std::string svg;                    ///< file; empty = none
  std::vector<std::string> policies;  ///< "name=value"
};
Exit disasm(const DisasmOptions& options);

struct AsmOptions {
  InputOptions input;
  OutputOptions output;
  bool hex = false;
};
Exit assemble(const AsmOptions& options);

/// A shader as a person has it.
struct SourceOptions {
  std::string file;                  ///< "-" is standard input
  std::string stage;                 ///< empty = what the file's name or its SPIR-V says
  std::vector<std::string> macros;   ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> folders;  ///< where included files are looked for
  std::vector<std::string> formats;  ///< of pixels: "FORMAT" or "NAME=FORMAT"
  std::string machine;               ///< whose limits GLSL's constants tell; empty = what every machine has
};

struct CompileOptions {
  SourceOptions source;                       ///< of each file
  std::vector<std::string> files;             ///< of several, the code goes into the folder that `output` names
  std::string shard;                          ///< "2/8"; empty = all of it
  std::string machine;                        ///< whose code is made; empty = none
  std::string emit;                           ///< empty = bin
  std::optional<unsigned> level;              ///< of optimisation
  std::uint32_t verify = 16;                  ///< inputs with which the code is executed beside its source
  std::optional<std::uint64_t> verify_steps;  ///< of each of them
  bool no_verify = false;
  bool link = false;          ///< a vertex and a fragment shader: whether they make a program
  bool explain_cost = false;  ///< shown: what each line of the source costs
  OutputOptions output;
};
Exit compile(const CompileOptions& options);

struct CheckOptions {
  InputOptions input;
  OutputOptions output;
  std::string shard;  ///< "2/8"; empty = all of it
};
Exit check(const CheckOptions& options);

/// Results of shards, put together.
struct MergeOptions {
  std::vector<std::string> files;
  std::string output = "-";  ///< a folder, of code that was compiled
};
Exit merge(const MergeOptions& options);

/// Which lines of a list are a shard's.
struct ShardOptions {
  std::string shard;
  std::string list = "-";
  OutputOptions output;
};
Exit shard(const ShardOptions& options);

struct ExplainOptions {
  std::string machine;
  std::vector<std::string> words;
  std::string svg;  ///< file; empty = none
  OutputOptions output;
};
Exit explain(const ExplainOptions& options);

struct IsaOptions {
  std::string machine, mnemonic, svg;
  OutputOptions output;
};
Exit isa(const IsaOptions& options);

struct InfoOptions {
  InputOptions input;
  OutputOptions output;
  std::string pattern;  ///< an instruction to find; empty = describe the firmware
};
Exit info(const InfoOptions& options);

struct DiffOptions {
  InputOptions input;  ///< two files: the old one and the new one
  OutputOptions output;
};
Exit diff(const DiffOptions& options);

struct CoverageOptions {
  InputOptions input;
  OutputOptions output;
  bool fields = false;              ///< a line for each field
  std::vector<std::string> tested;  ///< files of programs to compare with
};
Exit coverage(const CoverageOptions& options);

struct StatOptions {
  InputOptions input;
  OutputOptions output;
  std::string format = "text";      ///< text, shader-db or offline-compiler
  std::string baseline;             ///< file; empty = nothing to compare with
  bool update = false;              ///< write the baseline
  std::optional<double> threshold;  ///< percent
  std::string shard;                ///< "2/8"; empty = all of it
};
Exit stat(const StatOptions& options);

struct CfgOptions {
  InputOptions input;
  OutputOptions output;
  std::string place;  ///< function, packet or word of firmware; empty = all
  std::string core;   ///< program of an image of several; empty = all
  bool pseudo = false;
};
Exit cfg(const CfgOptions& options);

struct IrOptions {
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> policies;
  bool live = false;
};
Exit ir(const IrOptions& options);

struct ScheduleOptions {
  InputOptions input;
  OutputOptions output;
  bool hex = false, text = false;
  bool expressions = false;      ///< FILE is a text of the expression language, whatever its name
  std::uint32_t effort = 20;     ///< thousands of words to try
  std::uint32_t exact = 10;      ///< thousands of conflicts a question of the exact search
  std::uint32_t vertices = 256;  ///< random inputs to verify with
  bool plain_branches = false;   ///< nothing in the words of branches, nothing forwarded or started past them
};
Exit schedule(const ScheduleOptions& options);

struct RelinkOptions {
  InputOptions input;
  OutputOptions output;
  bool hex = false;
  std::vector<std::string> attributes, varyings, uniforms;  ///< "number or name=number"
};
Exit relink(const RelinkOptions& options);

/// What a program is fed with when it executes.
struct FeedOptions {
  std::string inputs;                       ///< JSON document; empty = nothing
  std::vector<std::string> policies;        ///< "name=value"
  std::optional<std::uint32_t> threads;     ///< vertices or fragments
  std::optional<std::uint64_t> step_limit;  ///< words a thread may execute
};

struct ExecuteOptions {
  InputOptions input;
  FeedOptions feed;
  OutputOptions output;   ///< with `image`, the file is the picture
  std::string reference;  ///< JSON document of cases to compare with
  std::string image;      ///< "256x192"
  bool raw = false;       ///< the picture as numbers alone
  bool trace = false;
  std::optional<std::uint32_t> thread;  ///< the only one to be traced
  bool strict = false;
  bool fidelity = false;
  std::string engine;  ///< what executes the words; empty = what is fastest
  bool no_cache = false;
  bool stats = false;  ///< which engine did, and why
  unsigned jobs = 0;   ///< OS threads; 0 = one for each core

  // Firmware of command processors only.
  std::vector<std::string> streams;  ///< command streams, processed one after the other
  std::vector<std::string> memory;   ///< "ADDRESS=FILE": words that are put into memory
  bool all_events = false;           ///< reads and control registers, too
  bool coverage = false;             ///< which words and packets were executed
  bool profile = false;              ///< instructions and traffic by call stack
  bool collapsed = false;            ///< the same as lines for flame graphs
};
Exit execute(const ExecuteOptions& options);

struct Pm4Options {
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> memory;  ///< "ADDRESS=FILE"
  bool assemble = false;            ///< words instead of text
  bool hex = false;
  bool plain = false;  ///< no fields in comments
};
Exit pm4(const Pm4Options& options);

struct TimeOptions {
  InputOptions input;
  FeedOptions feed;  ///< with inputs, the threads take the ways that a run takes
  OutputOptions output;
  std::string format = "text";          ///< text, shader-db or offline-compiler
  std::string path = "shortest";        ///< without inputs: the way all threads take
  std::vector<std::string> parameters;  ///< "name=value"
  std::string costs;                    ///< JSON object of such parameters; empty = none
  bool list_parameters = false;
  bool keep_going = false;  ///< words that cannot be executed take time like others
  std::optional<std::uint64_t> max_cycles;
  bool timeline = false;
  std::string timeline_json, konata, perfetto;  ///< files; empty = none
  bool together = false;                        ///< threads of all files share one core
  bool advise = false;                          ///< instead of all that: groups that could be one

  // Firmware of command processors only.
  std::vector<std::string> streams;  ///< command streams, processed one after the other
  std::vector<std::string> memory;   ///< "ADDRESS=FILE"
};
Exit time_advise(const TimeOptions& options);
Exit time(const TimeOptions& options);

struct DebugOptions {
  InputOptions input;
  FeedOptions feed;
  std::string script = "-";  ///< commands, one a line
  bool json = false;
  std::string preset, config;  ///< the scoreboard core that a workload is stepped on; empty = the default

  // Firmware of command processors only.
  std::vector<std::string> streams;  ///< command streams, processed one after the other
  std::vector<std::string> memory;   ///< "ADDRESS=FILE"
};
Exit debug(const DebugOptions& options);

/// The client says everything else.
struct DapOptions {};
Exit dap(const DapOptions& options);

struct GdbserverOptions {
  InputOptions input;
  FeedOptions feed;
  std::optional<std::uint16_t> port;  ///< of 127.0.0.1; none = standard input and output
};
Exit gdbserver(const GdbserverOptions& options);

struct LspOptions {};
Exit lsp(const LspOptions& options);

struct ServeOptions {
  std::string place;                  ///< a folder, or one file; empty = the page as it was installed
  std::uint16_t port = 8000;          ///< of 127.0.0.1; 0 = any that is free
  bool open = false;                  ///< in the browser
  std::optional<std::uint32_t> idle;  ///< seconds without a request after which it ends
};
Exit serve(const ServeOptions& options);

/// Workloads of the scoreboard, and programs of other machines whose runs become workloads.
struct WorkloadOptions {
  InputOptions input;  ///< files: workloads, text or binary, or programs; "-" is standard input
  FeedOptions feed;
  std::uint32_t thread = 0;           ///< whose run it is; of firmware, the core
  std::string predictor = "perfect";  ///< or backward
  std::uint32_t interleave = 1;       ///< threads from `thread` on, in turn; of a workload, copies
  bool quads = false;                 ///< what is done with four numbers side by side is one operation
  std::uint32_t spill_to = 0;         ///< registers of each file that a thread is fitted into; 0 = as many as it uses

  // Firmware of command processors only.
  std::vector<std::string> streams;  ///< command streams, processed one after the other; none = the boot
  std::vector<std::string> memory;   ///< "ADDRESS=FILE"
};

struct ScoreboardRunOptions {
  WorkloadOptions program;
  std::string preset = "seed_two_level";
  std::string config;            ///< JSON document; empty = the preset
  std::vector<std::string> set;  ///< "I1=34"
  OutputOptions output;
  bool signals = false, matrices = false, table = false, timeline = false;
  std::string timeline_json, konata, perfetto, vcd, matrix_svg;  ///< files; empty = none
  std::uint64_t svg_clocks = 40;                                 ///< that matrix_svg shows
  std::uint64_t max_clocks = 100'000'000;
};
Exit scoreboard_run(const ScoreboardRunOptions& options);

struct ScoreboardRecordOptions {
  WorkloadOptions program;
  bool binary = false;
  std::string output = "-";
};
Exit scoreboard_record(const ScoreboardRecordOptions& options);

struct ScoreboardGenerateOptions {
  std::string mix = "fp";
  std::uint32_t count = 1000;
  std::uint64_t seed = 1;
  std::uint32_t registers = 32;       ///< of each file
  std::vector<std::uint32_t> widths;  ///< weights of 1, 2, 4, 8 bytes; empty = all 4
  bool binary = false;
  std::string output = "-";
};
Exit scoreboard_generate(const ScoreboardGenerateOptions& options);

struct ScoreboardSweepOptions {
  WorkloadOptions program;                           ///< any number of files
  std::vector<std::string> cores{"seed_two_level"};  ///< presets and JSON documents
  std::vector<std::string> axes;                     ///< "virtual_registers.rows=4,8,16"
  std::vector<std::string> mixes;
  std::uint32_t count = 1000, seeds = 1;   ///< of a mix
  std::optional<std::uint32_t> registers;  ///< of each file that a mix uses; none = 32
  std::vector<std::uint32_t> widths;
  std::string shard;  ///< "2/8"; empty = all of it
  unsigned jobs = 0;  ///< OS threads; 0 = one for each core
  std::uint64_t max_clocks = 100'000'000;
  OutputOptions output;
};
Exit scoreboard_sweep(const ScoreboardSweepOptions& options);

struct ScoreboardMergeOptions {
  std::vector<std::string> files;
  OutputOptions output;
};
Exit scoreboard_merge(const ScoreboardMergeOptions& options);

struct ScoreboardPlotOptions {
  std::string file, x, per, title;
  std::vector<std::string> y, by, where;
  bool markdown = false;  ///< a table instead of a drawing
  std::string output = "-";
};
Exit scoreboard_plot(const ScoreboardPlotOptions& options);

struct ScoreboardPresetsOptions {
  std::string name;  ///< empty = all
  OutputOptions output;
};
Exit scoreboard_presets(const ScoreboardPresetsOptions& options);

/// The core whose hardware is looked at.
struct HardwareOptions {
  std::string preset = "seed_two_level";
  std::string config;  ///< JSON document; empty = the preset
  std::uint32_t sources = 3, destinations = 1;
  bool all_columns = false;
};

struct ScoreboardCostOptions {
  HardwareOptions hardware;
  OutputOptions output;
  std::string program;                ///< workload whose run is to be turned into watts; empty = none
  std::vector<std::string> energies;  ///< "load=0.6"
  std::uint32_t spill_to = 0;         ///< as of WorkloadOptions
};
Exit scoreboard_cost(const ScoreboardCostOptions& options);

struct ScoreboardRtlOptions {
  HardwareOptions hardware;
  OutputOptions output;  ///< a folder, a file with all modules, or "-"
  bool synth = false, cosim = false;
  std::vector<std::string> programs;  ///< workloads to co-simulate; none = random ones
  std::uint64_t clocks = 20'000, seed = 1;
  std::uint32_t operations = 200;  ///< of a random workload
};
Exit scoreboard_rtl(const ScoreboardRtlOptions& options);

}  // namespace mobula::cli
