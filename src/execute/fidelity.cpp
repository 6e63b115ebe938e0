#include "mobula/lab/fidelity.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"

namespace mobula {

std::vector<ExecutionDoubt> execution_doubts(const ir::Program& program, const RunResult& result) {
  std::vector<ExecutionDoubt> list;
  const std::size_t blocks = std::min(program.blocks.size(), result.executions.size());
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const ir::Block& row = program.blocks[block];
    if (result.executions[block] == 0 || (row.fidelity != Status::inferred && row.fidelity != Status::unknown))
      continue;
    ExecutionDoubt doubt{row.address, row.fidelity, {}};
    for (const ir::FidelityNote& note : program.notes)
      if (note.block == block) doubt.reasons.push_back(note.text);
    list.push_back(std::move(doubt));
  }
  return list;
}

bool is_exact(const ir::Program& program, const RunResult& result) {
  const bool reads_undefined =
      std::ranges::any_of(result.diagnostics, [](const Diagnostic& entry) { return entry.code == "RN012"; });
  return !reads_undefined && execution_doubts(program, result).empty();
}

std::string report(std::span<const ExecutionDoubt> list) {
  if (list.empty()) return "fidelity: every executed word rests on exact facts\n";
  std::string text = fmt::format("fidelity: {} on facts that are not exact\n",
                                 counted(list.size(), "executed word rests", "executed words rest"));
  for (const ExecutionDoubt& doubt : list) {
    text += fmt::format("  {:#06x} {}", doubt.address, name(doubt.status));
    for (const std::string& reason : doubt.reasons) text += ": " + reason;
    text += '\n';
  }
  return text;
}

}  // namespace mobula
