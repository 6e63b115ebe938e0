// The ways control takes through a function: basic blocks with their delay slots (reference 3.8 to 3.10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/export.h"
#include "machines/afuc/image/image.h"
#include "mobula/isa/flow.h"

namespace mobula::afuc {

/// Words are numbers in the image.
struct FlowStep {
  std::uint32_t word = 0;
  bool slot = false;  ///< in the delay slot of the step before
};

struct FlowEdge {
  FlowGraph::EdgeKind kind = FlowGraph::EdgeKind::next;
  std::optional<std::uint32_t> word;  ///< where to; nothing for returns, packets and registers nobody can follow
  std::optional<std::size_t> block;   ///< of the same function
  bool pair = false;                  ///< a transfer in the delay slot is taken too
};

struct FlowBlock {
  std::vector<FlowStep> steps;            ///< in order of execution, at least one
  std::optional<std::uint32_t> transfer;  ///< the instruction that ends it; nothing: runs on, or into what is none
  std::vector<FlowEdge> edges;
  [[nodiscard]] std::uint32_t begin() const { return steps.front().word; }
};

/// What is entered by a packet, a call, a start or an interrupt.
struct FunctionFlow {
  std::uint32_t entry = 0;
  std::vector<FlowBlock> blocks;  ///< the first is the entry, the others by address; empty if the entry is not code
  bool complete = true;           ///< false: so large that the rest was left out
};

/// The functions of a core: where each word's is entered, and how control flows in them.
class Functions {
 public:
  MOBULA_INTERNAL Functions(const Image& image, const Core& core);

  [[nodiscard]] const std::vector<std::uint32_t>& entries() const { return entries_; }
  /// Control that reaches the entry of another function leaves this one.
  [[nodiscard]] MOBULA_INTERNAL FunctionFlow flow(std::uint32_t entry) const;
  /// "CP_NOP", "fxn120", "l12", "SQE".
  [[nodiscard]] MOBULA_INTERNAL std::string name(std::uint32_t entry) const;
  /// The entry with that name: of a packet, a function, a label "l12", or the core itself; or of a word "0x20" in its
  /// program, whether something is entered there or not.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  class Builder;
  [[nodiscard]] bool is_entry(std::uint32_t word) const {
    return word < core_.code_end() && is_entry_[word - core_.start];
  }

  const Image& image_;
  const Core& core_;
  std::vector<std::uint32_t> entries_;
  std::vector<bool> is_entry_;  // by word of the core
};

}  // namespace mobula::afuc
