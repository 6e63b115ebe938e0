// The run of a lifted program as a workload of the scoreboard: every micro-operation that one thread executes, with the
// exact bytes it reads and writes.
//
// Source of facts: docs/reference/scoreboard.md, §9.5 (adapters). Which registers and classes of units the
// micro-operations get: docs/scoreboard-programs.md. Errors: SB140 nothing was executed, SB141 the thread uses more of
// its state than the files have registers, SB142 more operations than the limit, SB144 no such thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/result.h"
#include "mobula/lab/executed_block.h"
#include "mobula/lab/firmware_run.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/run.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// How the branches of a recorded run were predicted: always correctly, or taken where they go back and not where they
/// continue, and never known where they go to a computed address.
enum class Predictor : std::uint8_t { perfect, backward };

struct TraceOptions {
  Predictor predictor = Predictor::perfect;
  std::size_t max_operations = std::size_t{1} << 22;
  /// That a workload may have in file F; more than 128, at most 65,536, for who fits it into fewer afterwards: spill()
  /// of mobula/scoreboard/reshape.h.
  std::uint32_t most_registers = 128;
};

/// Records one thread: a lane of an interpreter, or one that runs elsewhere, from what it reports.
class MOBULA_API Trace {
 public:
  /// Registers of the files F (the thread's state, 8 bytes a register) and I (the lifter's scratch).
  static constexpr std::uint32_t file_registers = 128;

  explicit Trace(TraceOptions options = {}) : options_(options) {}

  /// Becomes the interpreter's observer; it, its program and the trace must outlive the run.
  void watch(Interpreter& interpreter, const ir::Program& program, std::uint32_t lane);
  /// The next block of the thread. Programs may change from block to block if their slots are the same.
  void add(const ExecutedBlock& executed);
  /// Forgets what was recorded.
  void clear();
  [[nodiscard]] Result<Workload> workload(std::string name) const;

 private:
  using Operands = std::vector<RegisterBytes>;

  using Accesses = std::span<const ExecutedBlock::Access>;
  /// The byte of the thread's state after the block.
  using ReadByte = std::function<std::uint8_t(std::uint32_t byte)>;

  void record(const ir::Program& program, const ir::Block& block, Accesses accesses, const ReadByte& read);
  void add_operation(const ir::Operation& operation);
  void add_call(const ir::Operation& operation, Accesses& accesses);
  bool add_control(const ir::Block& block, const ir::Operation& operation, const ReadByte& read);
  void emit(UnitClass unit, std::uint32_t width, Operands sources, const Operands& destinations, Operation more = {});

  /// The registers that bytes of the state, or of the scratch, are in. Constants are in none.
  void append_read(Operands& operands, ir::Operand operand, std::uint32_t bytes);
  Operands written(ir::Operand operand, std::uint32_t bytes);
  RegisterBytes state_register(std::uint32_t byte);
  /// A register of I that nothing was written to for as long as possible.
  std::uint32_t fresh();

  TraceOptions options_;
  const ir::Program* program_ = nullptr;  ///< of the block that is recorded
  std::vector<Operation> operations_;
  std::uint32_t group_ = 0, location_ = 0;  ///< of the block that is recorded
  bool full_ = false;
  std::vector<ExecutedBlock::Access> accesses_;  ///< of the block that the interpreter executes
  struct Scratch {
    std::uint8_t number = 0, byte = 0;
  };
  std::vector<Scratch> scratch_;  ///< where each byte of the scratch was written last
  std::uint32_t next_scratch_ = 0;
  std::map<std::uint32_t, std::uint32_t> numbers_;  ///< of the state's registers, where it has too many
};

/// One thread of the run of a program, by its number among all threads. Errors: those of Run::prepare, the thread's
/// faults, and those above.
MOBULA_API Result<Workload> record_thread(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                                          std::uint32_t thread, TraceOptions options = {});

/// A core of firmware: what it executes at its boot or, if `feed` has streams, for them. Errors: what cannot be
/// switched on, what the firmware does wrong (AF160 and following), AF166 no such core, and those above. Sets
/// EmulatorOptions::on_block.
MOBULA_API Result<Workload> record_firmware(std::span<const Program> images, const firmware::Feed& feed,
                                            std::size_t core, firmware::EmulatorOptions emulator = {},
                                            TraceOptions options = {});

}  // namespace mobula::scoreboard
