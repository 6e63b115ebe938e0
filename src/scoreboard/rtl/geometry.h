// How many of what a configuration has: rows, columns and lines of its matrices. Cost and Verilog both start here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {

/// Rows of one group of units.
struct GroupGeometry {
  std::uint32_t first_unit = 0, units = 0;
  std::uint16_t lanes = 0;  ///< columns of one register that its rows have; bits as in lanes.h
  bool pairs = false;
  bool narrow = false;  ///< some unit reads operands of less than a word, whose bytes have to be routed
};

/// A table of virtual registers, or one of several.
struct TableGeometry {
  std::string name;  ///< "IR table", and of which file
  std::uint32_t first_row = 0, rows = 0;
  std::uint32_t first_register = 0, registers = 0;
};

struct Geometry {
  Hardware hardware;
  std::uint32_t units = 0;
  std::uint32_t registers = 0;    ///< that operations name, over all files
  std::uint32_t rows = 0;         ///< registers with columns of their own: virtual or physical ones, or all
  std::uint32_t merges = 0;       ///< source ports for what a renamed register was, where a part of it is written
  std::uint16_t lanes = 0;        ///< columns of one register, of any group
  std::uint32_t slots = 1;        ///< operations issued in one clock
  std::uint32_t parts = 1;        ///< units one operation may take
  std::uint32_t read_grants = 1;  ///< grant lines of one unit: one, or one a port
  std::uint32_t write_grants = 1;
  bool quads = false;              ///< some unit's operands may be two registers each
  std::uint32_t branch_units = 0;  ///< that take branches
  std::uint32_t memory_units = 0;  ///< that take loads or stores
  std::vector<GroupGeometry> groups;
  std::vector<TableGeometry> tables;  ///< of virtual registers

  /// Source ports of a unit, with those for merges.
  [[nodiscard]] std::uint32_t sources() const;
  /// Columns of a row, over all registers.
  [[nodiscard]] std::uint64_t columns(std::uint16_t of_lanes) const;
  /// Units with a row in which this lane has a column.
  [[nodiscard]] std::uint32_t rows_with(std::uint32_t lane) const;
};

/// SB401.
Result<Geometry> geometry(const Config& config, const Hardware& hardware);

}  // namespace mobula::scoreboard
