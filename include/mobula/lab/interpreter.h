// Interpreter: runs micro-operations for a group of lanes in lock step.
//
// Lanes at the lowest block address run together; diverged lanes are masked and meet again. Lanes of one Interpreter
// form one barrier group: those that arrive at a barrier wait until every lane that has not stopped waits at one.
//
// Fragment lanes come in quads of four consecutive lanes (see ir::Op::ddx). Differences along rows and columns, in ddx
// and ddy as well as in textures with implicit LOD, are taken between lanes that execute the same block at the same
// time: a lane whose neighbour does not (it diverged, stopped or was never started) sees the difference 0.
//
// Helper threads run like others, but leave no trace: their atomics (which give 0), outputs (fragment_out says done)
// and device writes do not reach the environment. Their loads do, and so do their stores to memory: the environment
// must keep those to the thread's own scratch memory, which helpers need, and drop all others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/lab/environment.h"

namespace mobula {

enum class Engine : std::uint8_t {
  simd,       ///< kernels over many lanes at once
  reference,  ///< the scalar semantics that define the operations, one lane after the other
};

struct InterpreterOptions {
  Engine engine = Engine::simd;
  /// Track undefined bytes and report reads of them; always runs on the reference engine. Reported are operations that
  /// read undefined architectural state, and undefined conditions, call operands and stored data, temporary or not. The
  /// result of an operation with an undefined source is undefined.
  bool strict = false;
  bool flush_denormals = false;         ///< f16 and f32 denormals are zeros of their sign, except where bits only move
  std::uint64_t step_limit = 1u << 20;  ///< blocks one lane may execute; beyond it the lane stops with a fault
};

enum class LaneState : std::uint8_t {
  running,
  waiting,  ///< at a barrier
  blocked,  ///< the environment made it wait; see Fault
  ended,
  discarded,
  faulted,
};

/// Why a lane stopped early. `address` is the byte address of its block.
struct LaneFault {
  std::uint32_t lane = 0;
  std::uint64_t address = 0;
  std::string reason;
};

/// A read of bytes that nothing had written (strict mode). Given for the first lane that makes it at a block and range;
/// at most 1000 a run.
struct UndefinedRead {
  std::uint32_t lane = 0;
  std::uint64_t address = 0;
  std::uint32_t byte = 0, bytes = 0;  ///< state range
};

/// Called around each executed block when set, with the lanes that execute it; costs nothing otherwise. Either may look
/// at the interpreter, but not change it.
struct InterpreterObserver {
  std::function<void(std::uint32_t block, std::span<const std::uint32_t> lanes)> before, after;
  /// Called before a lane accesses memory or a device register, in between. Addresses are those of the call.
  std::function<void(std::uint32_t lane, const ir::Call& call, std::uint64_t address)> access;
};

class MOBULA_API Interpreter {
 public:
  /// `program` and `environment` must outlive the interpreter and stay unchanged. The program must pass ir::verify.
  Interpreter(const ir::Program& program, Environment& environment, InterpreterOptions options = {});
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  /// Starts these threads at the program's entry with all state zero (and undefined in strict mode), but for what
  /// set_initial() said before.
  void start(std::span<const Thread> threads);
  /// The same, for callers that do not inspect state: that which the program writes before it reads it keeps what
  /// earlier threads left there. Allocates nothing if it starts as many threads as were started before. The source must
  /// stay, and say the same, until the next start.
  void restart(const ThreadSource& threads);
  /// What the state of every lane holds when it starts, from the next start on. Marks it defined.
  void set_initial(std::uint32_t byte, std::span<const std::uint8_t> data);
  [[nodiscard]] std::uint32_t lanes() const;
  /// A lane that was not started has ended, and has no thread.
  [[nodiscard]] const Thread& thread(std::uint32_t lane) const;

  /// State access. Of lanes not started, and ranges that do not lie in [0, state_bytes), nothing is written, and zeros
  /// are read. write() marks bytes defined.
  void write(std::uint32_t lane, std::uint32_t byte, std::span<const std::uint8_t> data);
  void read(std::uint32_t lane, std::uint32_t byte, std::span<std::uint8_t> out) const;
  void write_u32(std::uint32_t lane, std::uint32_t byte, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_u32(std::uint32_t lane, std::uint32_t byte) const;
  /// The same 32-bit value for all lanes; `byte` a multiple of 4.
  void broadcast_u32(std::uint32_t byte, std::uint32_t value);

  /// Lets a lane that runs, or waits at a barrier, go on at another block.
  void jump(std::uint32_t lane, std::uint32_t block);

  void set_observer(InterpreterObserver observer);

  /// Executes one block for the lanes at the lowest address. False, and nothing done, when no lane can run any longer.
  bool step();
  /// Steps until every lane has stopped or is blocked.
  void run();
  /// The same, but at most `steps` steps.
  void run(std::uint64_t steps);
  /// Lets a blocked lane try again. Others stay as they are.
  void unblock(std::uint32_t lane);

  [[nodiscard]] LaneState state(std::uint32_t lane) const;
  /// The same of all lanes; valid until the interpreter changes.
  [[nodiscard]] std::span<const LaneState> states() const;
  /// The state of all lanes, if they have gone the same way so far.
  [[nodiscard]] std::optional<LaneState> common_state() const;
  [[nodiscard]] std::optional<std::uint32_t> block(
      std::uint32_t lane) const;  ///< next block; none once a lane has stopped
  [[nodiscard]] const std::vector<LaneFault>& faults() const;
  [[nodiscard]] const std::vector<UndefinedRead>& undefined_reads() const;
  /// Blocks a lane has executed; one that made it wait does not count.
  [[nodiscard]] std::uint64_t steps(std::uint32_t lane) const;
  /// Lane-executions of each block so far, indexed by block.
  [[nodiscard]] const std::vector<std::uint64_t>& executions() const;

  /// Everything needed to come back to this point; the environment is not part of it.
  struct Snapshot;
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  [[nodiscard]] bool holds(std::uint32_t byte, std::size_t bytes) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula
