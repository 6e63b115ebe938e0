// The shape of a program: its blocks joined to segments, and which lanes may wait where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execute/native.h"
#include "mobula/isa/ir.h"

namespace mobula::jit {

/// Blocks that the same lanes execute one after the other; only the last has controls.
struct Segment {
  std::uint32_t first = 0, last = 0;  ///< blocks
  std::vector<std::uint32_t> next;    ///< segments, ascending
  /// Whether lanes may wait at other segments while this one is executed, so that some may be missing here.
  bool partial = false;
  /// Its lanes all go the same way, and no others wait: the code jumps there.
  bool jumps = false;
  std::vector<bool> blended;  ///< words of the state that those lanes still need
};

struct Shape {
  std::vector<Segment> segments;          ///< reachable ones, in order of address
  std::vector<bool> read_first;           ///< words of the state that are read before they are written
  std::vector<std::uint32_t> segment_of;  ///< by block that a segment begins with
  /// By operation: controls that are never followed, because what they ask is known.
  std::vector<bool> idle;
  /// By operation: it has the same operands and results in all lanes of a chunk, whichever of them take part.
  std::vector<bool> alike;
  /// By word of the state, how many bytes what is written to it has: 4, 2, 1 where that differs, 0 where nothing is.
  std::vector<std::uint8_t> pieces;
  bool has_loops = false;
};

/// Branches on what bindings answer for good are not followed.
Shape shape_of(const native::Request& request);

}  // namespace mobula::jit
