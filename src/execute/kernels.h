// SIMD kernels: one micro-operation over all lanes of a group, in the widest vectors the processor has.
//
// The state of a group is a structure of arrays: one plane of 32-bit words for each four bytes of state, a word a lane.
// Elements of 8 and 16 bits are fields of a plane's words, elements of 64 bits are two consecutive planes. A program
// constant is one row of `lane_padding` equal words, which a kernel reads again for every vector of lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mobula/isa/ir.h"

namespace mobula::ir {

/// Planes are padded to a multiple of this many lanes and aligned to as many words: the widest vector.
inline constexpr std::uint32_t lane_padding = 16;

/// An operand bound to memory.
struct BoundSource {
  const std::uint32_t* words = nullptr;  ///< plane or constant row of the element's lowest byte
  std::uint32_t keep = 0;                ///< lane index & keep = index in `words`: all ones for a plane, 0 for a row
  std::uint32_t pitch = 0;               ///< words from here to the next plane or row
  std::uint8_t shift = 0, bits = 32;     ///< the element's field in a word
};

/// An operation bound to memory, as the kernels take it.
struct BoundOperation {
  std::uint32_t* dst = nullptr;
  std::uint32_t dst_pitch = 0;
  std::uint8_t dst_shift = 0, dst_bits = 32;
  std::array<BoundSource, 3> src;
};

/// The lanes a kernel works on: [begin, end), multiples of lane_padding. A masked kernel stores only where the lane's
/// word of `mask` is all ones; otherwise it is 0.
struct LaneRange {
  std::uint32_t begin = 0, end = 0;
  const std::uint32_t* mask = nullptr;
};

struct Kernel {
  /// Executes `count` operations one after the other, each over all lanes of the range.
  using Run = void (*)(const BoundOperation* operations, std::size_t count, LaneRange lanes);
  Run full = nullptr;  ///< ignores the mask
  Run masked = nullptr;
  explicit operator bool() const { return full != nullptr; }
};

/// The kernel for an operation; none where only the scalar semantics will do. Its results are the scalar semantics' bit
/// for bit.
Kernel find_kernel(const Operation& operation);

/// The same for operations between the lanes of a quad: ddx, ddy, quad_first. A lane whose neighbour is not in the mask
/// sees no difference. `full` and `masked` are one.
Kernel find_quad_kernel(const Operation& operation);

/// The differences along the rows, or columns, of each quad, as f32 subtracts them; 0 where one of both is not in the
/// mask.
void quad_differences(const BoundSource& source, LaneRange lanes, bool columns, std::uint32_t* out);

/// In the lanes of the mask: sets words, and adds to counts.
void set_words(std::uint32_t* words, LaneRange lanes, std::uint32_t value);
void add_counts(std::uint64_t* counts, LaneRange lanes, std::uint64_t value);
/// Takes lanes out of a mask: those of the range.
void remove_lanes(std::uint32_t* from, LaneRange lanes);

/// Sets taken[lane] to all ones where the lane is in the mask and bit 0 of its element is 1, else to 0; returns how
/// many.
std::uint32_t select_lanes(const BoundSource& condition, LaneRange lanes, std::uint32_t* taken);

/// The lanes waiting at the lowest of `positions`, which holds one word a lane for whole vectors of lanes.
struct LowestLanes {
  std::uint32_t lowest = 0;  ///< the least position
  std::uint32_t next = 0;    ///< the least position above it; all ones when there is none
  std::uint32_t count = 0;   ///< lanes at the lowest
  LaneRange range;           ///< smallest range that holds them; its mask is `mask`
};
LowestLanes find_lowest(const std::uint32_t* positions, std::uint32_t padded_lanes, std::uint32_t* mask);

/// For tests: the instruction sets for which kernels exist and that this processor has, best first, and a way to insist
/// on one (0 = back to the best). Kernels found before keep theirs.
std::vector<std::int64_t> kernel_targets();
const char* kernel_target_name(std::int64_t target);
void force_kernel_target(std::int64_t target);

}  // namespace mobula::ir
