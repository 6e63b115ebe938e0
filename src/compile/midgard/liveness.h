// Where values of the code are alive.
#pragma once

#include "compile/midgard/code.h"

namespace mobula::midgard_compiler {

/// Components by value, as masks.
using Components = std::vector<std::uint8_t>;

struct Liveness {
  std::vector<Components> in, out;  ///< by block
};
Liveness find_liveness(const Code& code);

/// Goes backwards over an instruction: what is alive before it, from what is after it.
void step_back(const Code& code, const Instruction& instruction, Components& alive);

/// Stretches of places in the code, in order, that do not touch.
class Ranges {
 public:
  /// Precondition: it begins before everything added until now ends, or at its start.
  void add_before(std::uint32_t start, std::uint32_t end);
  void unite(const Ranges& other);
  [[nodiscard]] bool overlaps(const Ranges& other) const;
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::uint32_t start() const { return all_.back().start; }
  [[nodiscard]] std::uint32_t end() const { return all_.front().end; }
  [[nodiscard]] std::uint64_t length() const;
  /// Whether `holds(start, end)` does for every one.
  template <class Holds>
  bool all(Holds holds) const {
    for (const Range& each : all_)
      if (!holds(each.start, each.end)) return false;
    return true;
  }

 private:
  struct Range {
    std::uint32_t start, end;
  };
  std::vector<Range> all_;  ///< from the last to the first
};

/// What nobody reads goes, component by component.
void drop_unused(Code& code);

/// Lets values be one that are only copied into each other and never differ while both are alive.
void coalesce(Code& code, bool into_homes);

}  // namespace mobula::midgard_compiler
