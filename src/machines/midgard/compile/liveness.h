// Where values of the code are alive.
#pragma once

#include <algorithm>
#include <memory_resource>

#include "machines/midgard/compile/code.h"

namespace mobula::midgard_compiler {

/// Components of a value, as a mask.
struct Alive {
  Value value = no_value;
  std::uint8_t components = 0;
};

/// What is alive at the begin and at the end of each block.
struct Liveness {
  std::vector<std::vector<Alive>> in, out;
};
Liveness find_liveness(const Code& code);

/// What is alive at one place, by value. Walked backwards through one block after the other.
class Walk {
 public:
  explicit Walk(const Code& code) : code_(code), alive_(code.values.size()) {}

  void begin_at_end(const std::vector<Alive>& out) {
    for (const Alive& each : out) alive_[each.value] = each.components;
  }
  /// From what is alive after an instruction to what is before it.
  void step_back(const Instruction& instruction);
  /// Precondition: `in` is what the block begins with, which is where the walk has come to.
  void finish(const std::vector<Alive>& in) {
    for (const Alive& each : in) alive_[each.value] = 0;
  }
  std::uint8_t& operator[](Value value) { return alive_[value]; }

 private:
  const Code& code_;
  std::vector<std::uint8_t> alive_;
};

/// Stretches of places in the code, in order, that do not touch.
class Ranges {
 public:
  explicit Ranges(std::pmr::memory_resource& memory = *std::pmr::get_default_resource()) : all_(&memory) {}
  /// Precondition: it begins before everything added until now ends, or at its start.
  void add_before(std::uint32_t start, std::uint32_t end);
  /// What these two do grows with the shorter of both lists.
  void unite(Ranges&& other);
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
  /// Of those that begin before this place, the last.
  [[nodiscard]] std::pmr::vector<Range>::const_iterator last_before(std::uint32_t place) const {
    return std::ranges::partition_point(all_, [&](const Range& each) { return each.start >= place; });
  }
  std::pmr::vector<Range> all_;  ///< from the last to the first
};

/// Of every value the components' ranges, still empty. They grow within `memory`, which gives nothing back.
std::vector<std::array<Ranges, 4>> ranges_of(std::size_t values, std::pmr::memory_resource& memory);

/// What nobody reads goes, component by component.
void drop_unused(Code& code);

/// Lets values be one that are only copied into each other and never differ while both are alive.
void coalesce(Code& code, bool into_homes);

}  // namespace mobula::midgard_compiler
