// What the instructions of a block wait for, whatever order is preferred.
#pragma once

#include <span>

#include "machines/midgard/compile/code.h"

namespace mobula::midgard_compiler {

struct Edge {
  enum class Kind : std::uint8_t {
    value,              ///< the second reads what the first makes
    guard,              ///< the same, and reads it for its guard
    overwritten,        ///< the second writes what the first reads
    overwritten_guard,  ///< and the first reads it for its guard
    again,              ///< both write
    order,              ///< for another reason
  };
  std::uint32_t node = 0;  ///< the other one
  Kind kind = Kind::value;
};

/// Of one block. Its nodes are its instructions, by number.
class Dependencies {
 public:
  /// A value that is read or made in the block.
  struct Used {
    Value value = no_value;
    std::uint32_t makers = 0;
    std::uint32_t users_end = 0;  ///< behind the last of what reads or makes it
    bool made_by_memory = false;  ///< by one of the makers
  };

  [[nodiscard]] std::span<const Edge> before(std::uint32_t node) const { return row(before_, before_end_, node); }
  [[nodiscard]] std::span<const Edge> after(std::uint32_t node) const { return row(after_, after_end_, node); }
  /// Of the longest way that leads to it.
  [[nodiscard]] std::uint32_t height(std::uint32_t node) const { return heights_[node]; }
  [[nodiscard]] std::span<const Used> used() const { return used_; }
  /// Nodes that read or make a value, in order; by its place in used().
  [[nodiscard]] std::span<const std::uint32_t> users(std::uint32_t place) const {
    const std::uint32_t begin = place == 0 ? 0 : used_[place - 1].users_end;
    return std::span(users_).subspan(begin, used_[place].users_end - begin);
  }

 private:
  friend class DependencyFinder;
  static std::span<const Edge> row(const std::vector<Edge>& all, const std::vector<std::uint32_t>& ends,
                                   std::uint32_t node) {
    const std::uint32_t begin = node == 0 ? 0 : ends[node - 1];
    return std::span(all).subspan(begin, ends[node] - begin);
  }

  std::vector<Edge> before_, after_;  ///< node by node
  std::vector<std::uint32_t> before_end_, after_end_, heights_, users_;
  std::vector<Used> used_;
};

/// Block by block.
std::vector<Dependencies> find_dependencies(const Code& code);

}  // namespace mobula::midgard_compiler
