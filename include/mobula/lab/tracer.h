// Traces: what each word changed in each thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/run.h"

namespace mobula {

/// What one thread changed in one word.
struct TraceStep {
  std::uint64_t step = 0;  ///< words executed before it in its batch
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::vector<std::pair<const ir::Slot*, std::vector<std::uint8_t>>> changes;  ///< slots written, and their values
};

/// Records what interpreters of one program do. Helpers are left out.
class MOBULA_API Tracer {
 public:
  /// `program` must outlive it and what it recorded. With `thread` set, only that one is recorded.
  explicit Tracer(const ir::Program& program, std::optional<std::uint32_t> thread = {});
  /// Becomes the interpreter's observer; both must stay where they are until it has run.
  void watch(Interpreter& interpreter);
  [[nodiscard]] const std::vector<TraceStep>& steps() const { return steps_; }

 private:
  void add(const Interpreter& interpreter, std::uint32_t block, std::uint32_t lane);

  const ir::Program& program_;
  std::optional<std::uint32_t> thread_;
  std::vector<std::vector<const ir::Slot*>> written_;  ///< by block
  std::uint64_t step_ = 0;
  std::vector<TraceStep> steps_;
};

struct TracedRun {
  RunResult result;
  std::vector<TraceStep> steps;
};
/// run_program with a trace; batches run one after the other.
MOBULA_API Result<TracedRun> trace_program(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                                           const RunOptions& options = {}, std::optional<std::uint32_t> thread = {});

/// For a person: each step with the word's text and a line for each slot.
MOBULA_API std::string report(const Program& program, std::span<const TraceStep> steps);

}  // namespace mobula
