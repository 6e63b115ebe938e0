// Fidelity: how far the result of a run rests on facts that are not exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/run.h"

namespace mobula {

/// An executed word whose meaning is inferred or unknown.
struct ExecutionDoubt {
  std::uint64_t address = 0;
  Status status = Status::unknown;
  std::vector<std::string> reasons;
};
/// By address. `result` is of a run of the program.
MOBULA_API std::vector<ExecutionDoubt> execution_doubts(const ir::Program& program, const RunResult& result);

/// True if no executed word is in doubt and, where InterpreterOptions::strict was set, no thread read what nothing
/// had written.
MOBULA_API bool is_exact(const ir::Program& program, const RunResult& result);

/// For a person; ends with a newline.
MOBULA_API std::string report(std::span<const ExecutionDoubt> list);

}  // namespace mobula
