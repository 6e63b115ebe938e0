// Running firmware: command streams for an emulator, what went wrong, and where instructions and traffic went.
//
// Use: call run() with the firmware's inputs, then profile_of() and coverage_of(); firmware_report.h makes text of
// it. time_streams() tells how long it takes, scoreboard::record_firmware() records a core as a workload. run() in
// pieces: switch_on() of firmware_emulator.h, boot(), process() for each round of streams, complaints() of each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/pm4.h"
#include "mobula/isa/program.h"
#include "mobula/lab/firmware_emulator.h"
#include "mobula/lab/firmware_trace.h"
#include "mobula/lab/timing.h"

namespace mobula::firmware {

/// A command stream for a core, by its position in Emulator::cores().
struct StreamInput {
  std::size_t core = 0;
  std::string file;  ///< its name in diagnostics and reports
  pm4::Stream stream;
};

/// Streams of different cores that ran at the same time, and what became of them.
struct Round {
  struct Source {
    std::size_t core = 0;
    std::string file;
  };
  std::vector<Source> sources;
  RunReport report;
  std::vector<CoreReport> cores;  ///< after the run
};

/// What firmware gets after its boot.
struct Feed {
  std::vector<pm4::Buffer> memory;
  std::vector<std::vector<StreamInput>> rounds;  ///< the streams of a round run at the same time
};

/// Rounds of streams in their order: consecutive ones form one round as long as each is for a different core.
/// Fails (AF166) if there is no such core, or another core gives it its packets.
MOBULA_API Result<std::vector<std::vector<StreamInput>>> in_rounds(std::vector<StreamInput> streams,
                                                                   std::span<const CoreReport> cores);

/// Puts memory and registers of the streams where they belong, and runs the streams at the same time. Fails if there is
/// no such core, or no more memory.
MOBULA_API Result<Round> process(Emulator& emulator, std::span<const StreamInput> streams);

/// Why cores do not wait for a packet: AF160, AF161, AF164. They name no file.
MOBULA_API Diagnostics complaints(std::span<const CoreReport> cores);
/// Cores that do not wait, for callers that still count what those executed until then.
MOBULA_API Diagnostics stops(std::span<const CoreReport> cores);
/// The complaints of a round, with what was not read (AF162) and not kept (AF163).
MOBULA_API Diagnostics complaints(const Round& round);

struct RunOptions {
  EmulatorOptions emulator;
  bool trace = false;
  std::optional<std::size_t> traced_core;  ///< all, unless one is named
};

/// Firmware that has run.
struct FirmwareRun {
  std::unique_ptr<Emulator> emulator;  ///< as the run has left it
  RunReport boot;
  std::vector<CoreReport> booted;  ///< the cores after their boot
  std::vector<Round> rounds;       ///< up to the first that did not end well
  /// By round; of the boot where there are no rounds. Empty unless it was traced.
  std::vector<std::vector<TraceStep>> traces;
  Diagnostics diagnostics;  ///< what went wrong, and where; nothing is processed after a boot that did
  std::shared_ptr<Tracer> tracer;
};

/// Switches the images on, boots them and gives them their inputs. Errors: what cannot be switched on or
/// prepared; what the firmware does wrong is a diagnostic of the run. Sets EmulatorOptions::on_instruction if it
/// traces.
MOBULA_API Result<FirmwareRun> run(std::span<const Program> images, const Feed& feed, RunOptions options = {});

/// Where instructions and traffic went: by call stack, packet, function and line, those with most instructions first.
struct Profile {
  struct Packet {
    std::string core, name;
    std::uint64_t runs = 0;
    Spent spent;  ///< with the functions it called
  };
  struct Function {
    std::string core, name;
    Spent self, total;  ///< total: with what it called
  };
  struct Line {
    std::string core, where, text;
    std::uint32_t word = 0;
    Spent spent;
  };
  std::vector<ProfileRow> stacks;
  std::vector<Packet> packets;
  std::vector<Function> functions;
  std::vector<Line> lines;
};
/// Of an emulator that kept a profile. `images` are what it runs, `rounds` what it has processed.
MOBULA_API Profile profile_of(const Emulator& emulator, std::span<const Program> images, std::span<const Round> rounds);

/// Which words and packets of each core were executed.
struct Coverage {
  struct Handler {
    std::string packet;
    std::uint32_t entry = 0, handler = 0;  ///< of the packet table, and its word
  };
  struct Core {
    std::string name;
    std::vector<std::uint64_t> executions;  ///< of each word of its program
    std::vector<Handler> handlers;          ///< that ran, by entry
    std::vector<Handler> never;             ///< of packets that the firmware knows, which did not run
  };
  std::vector<Core> cores;
};
MOBULA_API Coverage coverage_of(const Emulator& emulator, std::span<const Round> rounds);

/// What each core executes, as paths for TimingModel::simulate: for each program its cores, one thread per core. An
/// address is the byte offset of the word in the file. Several programs, which run together, have one core each.
class MOBULA_API PathRecorder {
 public:
  /// Fails if a program is not firmware.
  static Result<PathRecorder> create(std::span<const Program> programs);

  /// What cores execute from now on is recorded.
  void begin(std::span<const CoreReport> cores);
  /// A core has executed a word: what EmulatorOptions::on_instruction receives.
  void step(std::uint8_t core, std::uint32_t word);
  /// By program; nothing is left here.
  std::vector<ThreadPaths> take() { return std::move(paths_); }

 private:
  /// Where the steps of a core belong.
  struct Track {
    std::size_t program = 0;
    std::uint32_t thread = 0;
  };

  std::vector<std::uint64_t> offsets_;  ///< of word 0 of each program in its file
  std::vector<std::string> names_;      ///< of the first core of each program
  std::vector<ThreadPaths> paths_;
  std::vector<Track> tracks_;  ///< by core; empty until begin()
};

/// What the cores of a GPU do at the same time, for a timeline and in total. Cycles count from begin().
class MOBULA_API JointTiming {
 public:
  struct Core {
    std::string name;
    std::uint64_t instructions = 0, executing = 0;  ///< cycles
    std::uint64_t waiting_for_words = 0, waiting_for_room = 0;
    std::uint64_t last = 0;  ///< cycle in which its last instruction ended
  };

  /// Of the programs that run together. `sink` may be null. Nothing is told after `max_cycles`. Fails if a program is
  /// not firmware.
  static Result<JointTiming> create(std::span<const Program> programs, TimelineSink* sink, std::uint64_t max_cycles);
  JointTiming(JointTiming&&) noexcept;
  JointTiming& operator=(JointTiming&&) noexcept;
  ~JointTiming();

  /// The cores have booted.
  void begin(std::span<const CoreReport> cores);
  /// What EmulatorOptions::on_instruction and on_wait receive.
  void step(const Executed& executed);
  void wait(const Waiting& waiting);
  /// Nothing more follows.
  void end();

  [[nodiscard]] std::vector<Core> cores() const;
  [[nodiscard]] std::uint64_t cycles() const;
  /// Complete after end().
  [[nodiscard]] bool complete() const;

 private:
  struct Impl;
  explicit JointTiming(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What the cores executed for streams, and when.
struct TimedStreams {
  /// By program, for TimingModel::simulate: its cores, a thread each.
  std::vector<ThreadPaths> paths;
  JointTiming joint;
  Diagnostics diagnostics;  ///< cores that stopped; what they executed until then is there
};

/// Runs the rounds of `feed` with the cycles of EmulatorOptions::costs; `timeline` may be null. Fails if the firmware
/// does not boot. Sets EmulatorOptions::on_instruction and on_wait.
MOBULA_API Result<TimedStreams> time_streams(std::span<const Program> images, const Feed& feed, EmulatorOptions options,
                                             TimelineSink* timeline, std::uint64_t max_cycles);

}  // namespace mobula::firmware
