// The scoreboard as hardware: what a configuration costs by formula, and its Verilog.
//
// Source of facts: docs/reference/scoreboard.md ("§" below): §8 for cells and figures, §10.1 for the modules.
// Errors: SB4xx, see docs/scoreboard-rtl.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// What a configuration leaves open, because a simulator finds it in the workload and hardware cannot.
struct Hardware {
  std::uint32_t sources = 3;       ///< operand ports of a unit, 1..max_sources
  std::uint32_t destinations = 1;  ///< 1..max_destinations
  /// Rows have the columns of all widths; otherwise those of the widths their group takes (§4.2). Operands that are
  /// wider or narrower than their operation need all.
  bool all_columns = false;
};

// ---- Cost (§8) ----

/// A regular block, or several like it.
struct Structure {
  std::string name;
  std::uint64_t cells = 0;
  std::uint64_t latches = 0;
  std::uint64_t transistors = 0;  ///< static CMOS, flip-flops for latches; NAND2 equivalents = transistors / 4
  std::string module;             ///< of the Verilog that holds it; empty = none does
  std::string basis;              ///< where the figure comes from
};

/// For example wires that are each driven by one gate.
struct Line {
  std::string name;
  std::uint64_t wires = 0;
  std::uint64_t fan_out = 0;  ///< cells on one wire
  std::uint32_t levels = 0;   ///< of buffers, four loads each
};

/// Like gates that take one input from each row or column.
struct Tree {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t fan_in = 0;
  std::uint32_t levels = 0;  ///< of gates with four inputs
};

struct Step {
  std::string name;
  std::uint32_t levels = 0;
};

/// The way from the banks to the units: words to lanes, then bytes inside a word.
struct Crossbars {
  std::uint64_t transistors = 0;
  std::uint64_t of_bytes = 0;  ///< what one stage that routes any byte anywhere would take, per port
};

struct Cost {
  std::string config;
  Hardware hardware;
  std::uint32_t units = 0;
  std::uint32_t registers = 0;  ///< that operations name
  std::uint32_t columns = 0;    ///< of the FU-Reg matrices, all lanes
  std::vector<Structure> structures;
  std::vector<Line> lines;
  std::vector<Tree> trees;
  Crossbars crossbars;
  std::vector<Step> loop;  ///< the path that limits the clock (§8.4)

  [[nodiscard]] MOBULA_API Structure total() const;  ///< sums, named "total"
  [[nodiscard]] MOBULA_API std::uint32_t levels() const;
  /// Of the line that needs the most buffers.
  [[nodiscard]] MOBULA_API std::uint32_t line_levels() const;
};

/// SB401 for numbers of ports out of range.
MOBULA_API Result<Cost> cost(const Config& config, const Hardware& hardware);
MOBULA_API std::string report(const Cost& cost);

// ---- Verilog (§10.1) ----

/// One module; `name` + ".v" is its file.
struct Module {
  std::string name, text;
};

/// Modules of the configuration, each before those that use it; sb_top is the last. The same for the same arguments,
/// byte by byte. SB401.
MOBULA_API Result<std::vector<Module>> verilog(const Config& config, const Hardware& hardware);

// ---- Co-simulation (§10.3) ----

/// Bits of a vector of 32-bit words, bit 0 of word 0 first.
struct CosimSignal {
  std::string name;
  std::uint64_t first = 0, width = 0;
};

/// What Verilator builds: the Verilog with a wrapper, and a program in C++ that reads words from standard input.
///
/// Each record is a word with a command, 0 = reset, 1 = one clock, followed for a clock by `in_words` words of stimuli
/// and `out_words` of what the simulator says. The program ends at the end of input or at the first difference, and
/// prints "clocks N" and "seconds S", the processor time it took, or "difference N" and two lines with the words
/// expected and found, N counted from the start.
struct CosimBuild {
  std::vector<Module> modules;  ///< the last one, sb_cosim, is the top
  std::string main;
  std::vector<CosimSignal> in, out;
  std::uint32_t in_words = 0, out_words = 0;
};
MOBULA_API Result<CosimBuild> cosim_build(const Config& config, const Hardware& hardware);

/// A workload for this core: few registers, all classes, widths and latencies that fit, branches, traps, memory. The
/// same for the same arguments.
MOBULA_API Workload cosim_workload(const Config& config, const Hardware& hardware, std::uint32_t operations,
                                   std::uint64_t seed);

struct CosimRun {
  std::uint64_t clocks = 0;
  bool stopped = false;  ///< by the sink
};
/// Runs a workload on the simulator and gives each clock's record, after one for the reset, to `sink`, until that
/// returns false. SB2xx, SB301; SB403 for operations that units with so few ports or columns do not take.
MOBULA_API Result<CosimRun> cosim_run(const Config& config, const Hardware& hardware, const Workload& workload,
                                      const std::function<bool(std::span<const std::uint32_t>)>& sink);

}  // namespace mobula::scoreboard
