// How far apart ways of computing a program have come, at what results turn on: whether a divisor may be 0, or a number
// on the other side of a comparison.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compile/ssa/ssa.h"
#include "compile/verify/bounds.h"

namespace mobula::compile {

/// Where results of those who read a number jump or end: 1/x at 0, floor(x) at whole numbers, acos(x) at 1.
struct Edges {
  std::vector<float> numbers;
  bool wholes = false, halves = false;  ///< all whole numbers; all between two of these

  [[nodiscard]] bool none() const { return numbers.empty() && !wholes && !halves; }
};

/// Of values with edges, what some ways make of them, lane by lane and turn by turn of loops. Other ways have them on
/// edges that lie there, where chance alone would hardly ever lead. Of a comparison of two numbers that are no
/// constants it is the first less the second, with the edge 0.
class Reach {
 public:
  Reach(const ssa::Program& program, std::uint32_t lanes);

  /// When a value is made, for the first time in its lane or later.
  struct Place {
    ssa::Value value = ssa::none;
    std::uint32_t lane = 0, turn = 0;
  };

  [[nodiscard]] bool has_edges(ssa::Value value) const { return !edges_[value].none(); }
  /// Some way has this as component `i` there.
  void note(const Place& at, unsigned i, double number);
  /// What it may be as well, on an edge, below (`side` -1) or above it (1): the edge nearest to a number at `part`, 0
  /// to 1, of the way through what is in reach. None: it is not in reach.
  [[nodiscard]] std::optional<float> edge(const Place& at, unsigned i, double part, int side) const;

 private:
  /// Of one number; less than none where nothing was noted.
  struct Extent {
    float least = 1, most = 0;
  };
  static constexpr std::uint32_t most_turns = 1024;  ///< of a longer loop the first, so that memory suffices
  using Turn = std::array<Extent, 4>;

  std::uint32_t lanes_;
  std::vector<Edges> edges_;               ///< by value
  std::vector<Bounds> bounds_;             ///< by value
  std::vector<std::vector<Turn>> places_;  ///< by value, and by lane
};

/// Of all values, as those read them who turn on edges.
std::vector<Edges> edges_of(const ssa::Program& program);
bool compares_numbers(ssa::Op op);

}  // namespace mobula::compile
