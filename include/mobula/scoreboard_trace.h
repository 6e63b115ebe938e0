// The run of a lifted program as a workload of the scoreboard: every micro-operation that one thread executes, with the
// exact bytes it reads and writes.
//
// Source of facts: isa/scoreboard.md of the reference, §9.5 (adapters). Which registers and classes of units the
// micro-operations get: docs/scoreboard-programs.md. Errors: SB140 nothing was executed, SB141 the thread uses more of
// its state than the files have registers, SB142 more operations than the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mobula/interpreter.h"
#include "mobula/ir.h"
#include "mobula/result.h"
#include "mobula/scoreboard.h"

namespace mobula::scoreboard {

/// How the branches of a recorded run were predicted: always rightly, or taken where they go back and not where they
/// go on, and never known where they go to a computed address.
enum class Predictor : std::uint8_t { perfect, backward };

struct TraceOptions {
  Predictor predictor = Predictor::perfect;
  std::size_t max_operations = std::size_t{1} << 22;
};

/// Records one lane of an interpreter.
class Trace {
 public:
  /// Registers of the files F (the thread's state, 8 bytes a register) and I (the lifter's scratch).
  static constexpr std::uint32_t file_registers = 128;

  /// The program must outlive the trace.
  Trace(const ir::Program& program, TraceOptions options = {});

  /// Becomes the interpreter's observer; both must outlive the run.
  void watch(Interpreter& interpreter, std::uint32_t lane);
  /// Forgets what was recorded.
  void clear();
  [[nodiscard]] Result<Workload> workload(std::string name) const;

 private:
  using Operands = std::vector<Operand>;

  void record(const Interpreter& interpreter, std::uint32_t block);
  void add(const ir::Operation& operation);
  void add_call(const ir::Operation& operation);
  bool add_control(const Interpreter& interpreter, const ir::Block& block, const ir::Operation& operation);
  void emit(UnitClass unit, std::uint32_t width, Operands sources, const Operands& destinations, Operation more = {});

  /// The registers that bytes of the state, or of the scratch, are in. Constants are in none.
  void append_read(Operands& operands, ir::Operand operand, std::uint32_t bytes);
  Operands written(ir::Operand operand, std::uint32_t bytes);
  Operand state_register(std::uint32_t byte);
  /// A register of I that nothing was written to for as long as possible.
  std::uint32_t fresh();

  const ir::Program& program_;
  TraceOptions options_;
  std::uint32_t lane_ = 0;
  std::vector<Operation> operations_;
  std::uint32_t group_ = 0, location_ = 0;  ///< of the block that is recorded
  bool full_ = false;
  struct Access {
    const ir::Call* call = nullptr;
    std::uint64_t address = 0;
  };
  std::vector<Access> accesses_;  ///< of the block that is executed
  std::size_t next_access_ = 0;
  struct Scratch {
    std::uint8_t number = 0, byte = 0;
  };
  std::vector<Scratch> scratch_;  ///< where each byte of the scratch was written last
  std::uint32_t next_scratch_ = 0;
  std::map<std::uint32_t, std::uint32_t> numbers_;  ///< of the state's registers, where it has too many
};

}  // namespace mobula::scoreboard
