// What the inputs of a run put into the registers of PowerVR Rogue before a program starts (docs/rogue-execution.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "io/run_environment.h"
#include "mobula/interpreter.h"

namespace mobula::io {

class RogueRegisters {
 public:
  /// Both must outlive this.
  RogueRegisters(const ir::Program& lifted, const RunWorld& world);

  /// Vertex inputs from attributes, coefficients from varyings, shared registers from uniform buffer 0, positions and
  /// numbers of instances. Lanes stand in the order of the interpreter's.
  void fill(Interpreter& interpreter, std::span<const LanePlan> lanes) const;

 private:
  using Bytes = std::vector<std::uint32_t>;  ///< by register number: byte of the state
  void fill_vertex_inputs(Interpreter& interpreter, std::span<const LanePlan> lanes) const;
  void fill_coefficients(Interpreter& interpreter, std::span<const LanePlan> lanes) const;
  void fill_shared(Interpreter& interpreter) const;
  void fill_specials(Interpreter& interpreter, std::span<const LanePlan> lanes) const;

  const RunWorld& world_;
  Bytes vertex_inputs_, coefficients_, shared_;
  std::map<std::uint32_t, std::uint32_t> specials_;  ///< number to byte
  std::vector<std::uint32_t> zeros_;                 ///< what the hardware starts with
};

}  // namespace mobula::io
